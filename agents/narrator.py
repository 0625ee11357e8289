"""What happens in a game, told in words as one viewer may know it.

A decision that the engine takes because it leaves no choice is told like any other: whoever listens cannot tell who
passed by choice and who had none.
"""

from collections.abc import Iterable

from respublica_env import Game
from respublica_env.actions import action_table
from respublica_env.envs.ansi import counted, named_cards, sentence
from respublica_env.envs.view import AGENT_NAMES, View, Viewer, check_viewer, see
from respublica_env.record import decks_before_deal
from respublica_env.rules import Rules


class Narrator:
    """Follows a game from its deal on, with a game of its own in which every decision is taken by hand.

    Args:
        game: fresh from its deal; it is only looked at.
        viewer: None (all that happens), a seat, or "spectator".

    Raises ValueError for no such viewer.
    """

    def __init__(self, game: Game, viewer: Viewer = None) -> None:
        self._viewer = check_viewer(viewer, game.rules.num_players, "viewer")
        self._engine_moves = game.rules.auto_forced
        population, technology = decks_before_deal(game)
        rules = Rules.from_dict(game.rules.to_dict() | {"auto_forced": False})
        self._game = Game(rules, 0, population_deck=population, technology_deck=technology)

    def begin(self) -> list[str]:
        """What is told before the first decision."""
        return [*self._heading(), *self._forced()]

    def step(self, action: int) -> list[str]:
        """What is told of a decision, and of those that the engine takes after it. It may be nothing."""
        return [*self._tell(action), *self._forced()]

    def _forced(self) -> list[str]:
        lines = []
        while self._engine_moves and len(legal := self._game.legal_actions()) == 1:
            lines += self._tell(int(legal[0]))
        return lines

    def _tell(self, action: int) -> list[str]:
        """Play one decision and tell it."""
        before, chosen = see(self._game, self._viewer), self._chosen()
        self._game.step(action)
        after = see(self._game, self._viewer)
        told = self._told(action, before, after, chosen)
        return [*told, *_turning_points(before, after), *(self._heading() if after.turn != before.turn else [])]

    def _told(self, action: int, before: View, after: View, chosen: list[list[int]]) -> list[str]:
        """The decision itself; where one decision is not all of it (a first term, a card chosen), nothing yet."""
        assert before.player is not None  # a game that is over takes no action
        assert before.active is not None
        meaning, rules = action_table(before.rules).decode(action), before.rules
        who, active = AGENT_NAMES[before.player], AGENT_NAMES[before.active]
        indent = "" if before.player == before.active else "  "
        match before.phase:
            case "ANNOUNCE" | "RESPOND" if action == 0:
                return [f"{indent}{who} passes"]
            case "EXTEND":
                announced = before.player == before.active
                return [f"{indent}{who} {sentence(rules, after.said[before.player], announced)}"]
            case "ACCEPT" if action == 0:
                return [f"{active} takes no answer"]
            case "ACCEPT":
                return [
                    f"{active} takes the answer of {AGENT_NAMES[(before.active + meaning.player) % len(before.seats)]}"
                ]
            case "HAND_OVER" if after.phase != "HAND_OVER":
                return self._exchange(before, chosen)
            case "CONVERT" | "FINAL_CONVERT" if action != 0:
                cards = f"{who} turns {rules.set_size} {rules.type_names[meaning.kind]} into a"
                if meaning.kind < rules.population_types:
                    return [f"{cards} city for {counted(rules.city_points, 'point')}"]
                return [f"{cards} monument for {counted(before.pile[0], 'point')}"]
            case "DRAW":
                return [_draw(before, after)]
        return []

    def _chosen(self) -> list[list[int]]:
        """What the active player and its partner have chosen to give, by type."""
        chosen: list[list[int]] = self._game.to_dict()["chosen"]
        return chosen

    def _exchange(self, before: View, chosen: list[list[int]]) -> list[str]:
        """Cards change hands: the two who trade see them, others know what the words have said."""
        assert before.active is not None
        assert before.partner is not None
        active, partner = AGENT_NAMES[before.active], AGENT_NAMES[before.partner]
        if self._viewer not in (None, before.active, before.partner):
            return [f"{active} and {partner} exchange their cards"]
        given, got = (named_cards(before.rules, cards) for cards in chosen)
        return [f"{active} gives {given} and gets {got} from {partner}"]

    def _heading(self) -> list[str]:
        game = self._game
        if game.phase != "ANNOUNCE" or game.active is None:
            return []
        final = ", final round" if game.final_round else ""
        return ["", f"Turn {game.turn + 1}{final}: {AGENT_NAMES[game.active]}"]


def _draw(before: View, after: View) -> str:
    """Backs are public; the types are known to who draws, and where everything is shown."""
    assert before.active is not None
    active, rules = before.active, before.rules
    # At the end of a game the active seat is none, so that seats are those before.
    backs = [now - then for now, then in zip(after.backs[active], before.backs[active], strict=True)]
    counts = [f"{count} {back}" for count, back in zip(backs, ("population", "technology"), strict=True) if count]
    told = f"{AGENT_NAMES[active]} draws {' and '.join(counts) or 'nothing'}"
    if before.whole[active] and counts:
        drawn: Iterable[int] = (n - t for n, t in zip(after.hands[active], before.hands[active], strict=True))
        told += f": {named_cards(rules, drawn)}"
    return told


def _turning_points(before: View, after: View) -> list[str]:
    """What changes the course of the game."""
    lines = []
    if after.final_round and not before.final_round:
        lines.append("The technology deck is empty: everybody has one more turn")
    if after.stalled and not before.stalled:
        lines.append(f"After {after.turn} turns without a final round, the game stalls")
    if after.phase == "FINAL_CONVERT" and before.phase != "FINAL_CONVERT":
        lines += ["", "Everybody may build once more"]
    return lines
