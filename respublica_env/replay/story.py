"""A recorded game as the page tells it: what one viewer sees, frame by frame, and what was said and done between.

The game is played again with every decision taken by hand, also those that the engine took because they left no choice:
what a seat is shown must not tell who passed by choice and who had none, and the words of all should be heard.
A frame is shown for each decision that says or does something. "Nothing more" belongs to the frame of what was said,
other decisions to do nothing to the frame after.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from respublica_env.actions import Action, action_table
from respublica_env.envs.view import View, Viewer, check_viewer, see
from respublica_env.game import Game
from respublica_env.record import Record, decks_before_deal
from respublica_env.rules import Rules

MOST_DECISIONS = 20_000  # of a game that is shown: many times as many as a game of the published rules can have

State = dict[str, Any]
Event = dict[str, Any]


@dataclass
class Story:
    """What the page shows.

    Attributes:
        frames: what the table shows, by the names in `state_of`: all of it in the first, then only what is new.
        events: what was said and done, in order; "f" is the frame in which it shows, "e" what it is.
        places: for each decision of the record, the last frame before what came of it, (len(record),).
    """

    frames: list[State] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    places: list[int] = field(default_factory=list)


def tell(record: Record, viewer: Viewer = None) -> Story:
    """The story of a game as seen by a seat or the "spectator"; None shows everything.

    Raises ValueError for no such viewer, and for a record of more than 20,000 decisions.
    """
    who = check_viewer(viewer, record.rules.num_players)
    if len(record) > MOST_DECISIONS:
        raise ValueError(f"games of up to {MOST_DECISIONS:,} decisions are shown, this one has {len(record):,}")
    teller = Teller(record.start(), who)
    for action in record.actions:
        teller.story.places.append(teller.step(action))
    teller.finish(record)
    return teller.story


class Teller:
    """Tells a game while it is played.

    Args:
        start: the game as it was dealt.
        viewer: who looks on, as `check_viewer` returns it.
    """

    def __init__(self, start: Game, viewer: Viewer) -> None:
        population, technology = decks_before_deal(start)
        rules = Rules.from_dict(start.rules.to_dict() | {"auto_forced": False})
        self.game = Game(rules, 0, population_deck=population, technology_deck=technology)
        self.story = Story()
        self._forced = start.rules.auto_forced
        self._viewer = viewer
        self._taken = 0  # decisions of the record so far
        self._states: list[State] = [{}, {}]  # what the last two frames show
        self._table = action_table(rules)
        self._event("turn", s=0, n=1)
        self._frame()
        self._engine()

    def step(self, action: int) -> int:
        """A decision of the record, and those that the engine takes after it; returns the last frame before it."""
        said_all = self.game.phase == "EXTEND" and action == 0
        place = len(self.story.frames) - (2 if said_all else 1)
        self._taken += 1
        self._play(action)
        self._engine()
        return place

    def show(self) -> None:
        """A frame of the position as it is, where the last one is not: for somebody who is to decide now."""
        self._frame()

    def finish(self, record: Record) -> None:
        """The last frame, which says why a game that is not over ends here."""
        if record.scores is None:
            self._event("left" if record.aborted else "broken")
        self._frame()

    def _engine(self) -> None:
        while self._forced and len(legal := self.game.legal_actions()) == 1:
            self._play(int(legal[0]))

    def _play(self, action: int) -> None:
        before, given = see(self.game, self._viewer), self.game.to_dict()["chosen"]
        self.game.step(action)
        after = see(self.game, self._viewer)
        for event in self._events(self._table.decode(action), before, after, given):
            self._event(**event)
        if before.phase == "EXTEND" and action == 0:
            self.story.frames.pop()  # of the words that end here: shown as they are heard now
            self._states = [{}, self._states[0]]
        elif _is_nothing(action, before):
            return
        self._frame(after)

    def _event(self, e: str, **values: Any) -> None:
        self.story.events.append({"f": len(self.story.frames), "e": e, **values})

    def _frame(self, view: View | None = None) -> None:
        """A frame, unless it would be the one before."""
        state = state_of(view or see(self.game, self._viewer))
        if self._viewer is None:
            state["k"], state["scores"] = self._taken, self.game.scores()
        last = self._states[1]
        new = {key: value for key, value in state.items() if key not in last or last[key] != value}
        told = bool(self.story.events) and self.story.events[-1]["f"] == len(self.story.frames)
        if new or told:
            self.story.frames.append(new)
            self._states = [last, state]

    # -- what happened, by phase

    def _events(self, action: Action, before: View, after: View, given: list[list[int]]) -> Iterator[Event]:
        assert before.player is not None  # a game that is over takes no action
        who = before.player
        match before.phase:
            case "ANNOUNCE" | "RESPOND" | "EXTEND" | "ACCEPT":
                yield from self._spoken(action, before)
            case "HAND_OVER" if after.phase != "HAND_OVER":
                sees = self._viewer in (None, before.active, before.partner)
                yield {"e": "trade", "s": before.active, "to": before.partner, "cards": given if sees else None}
            case "CONVERT" | "FINAL_CONVERT" if action.type == "convert":
                city = action.kind < before.rules.population_types
                points = before.rules.city_points if city else before.pile[0]
                yield {"e": "city" if city else "monument", "s": who, "k": action.kind, "points": points}
            case "DRAW":
                backs = [b - a for a, b in zip(before.backs[who], after.backs[who], strict=True)]
                cards = [b - a for a, b in zip(before.hands[who], after.hands[who], strict=True)]
                yield {"e": "draw", "s": who, "backs": backs, "cards": cards if before.whole[who] else None}
        yield from _turning_points(before, after)

    def _spoken(self, action: Action, before: View) -> Iterator[Event]:
        who, active, n = before.player, before.active, before.rules.num_players
        assert active is not None
        if before.phase == "ACCEPT":
            if action.type == "accept":
                yield {"e": "accept", "s": active, "to": (active + action.player) % n}
            elif not _all_passed(before):
                yield {"e": "decline", "s": active}
        elif before.phase == "EXTEND":
            if action.type != "pass_":
                yield {"e": "more", "s": who, "link": action.type.rstrip("_"), "term": [action.count, action.kind]}
        elif action.type == "pass_":
            yield {"e": "pass", "s": who, "first": who == active}
        else:
            yield {
                "e": "say",
                "s": who,
                "form": action.type,
                "first": who == active,
                "term": [action.count, action.kind],
            }


def state_of(view: View) -> State:
    """A view by short names; what belongs to a seat has its number behind the name."""
    state: State = {
        "phase": view.phase,
        "active": view.active,
        "player": view.player,
        "turn": view.turn,
        "final": view.final_turns_left if view.final_round else None,
        "stalled": view.stalled,
        "spent": view.spent,
        "decks": list(view.decks),
        "left": view.deck_cards,
        "next": view.next_cards and list(view.next_cards),
        "cities": view.cities_left,
        "pile": list(view.pile),
        "partner": view.partner,
        "points": view.points,
        "scores": view.scores,
    }
    for seat in view.seats:
        state[f"hand{seat}"] = view.hands[seat]
        state[f"backs{seat}"] = view.backs[seat]
        state[f"built{seat}"] = [view.cities[seat], *view.monuments[seat]]
        state[f"said{seat}"] = view.said[seat]
        state[f"chosen{seat}"] = view.chosen[seat]
    return state


def _is_nothing(action: int, before: View) -> bool:
    """Whether a decision neither says nor does anything that a frame of its own should show."""
    if action != 0:
        return False
    match before.phase:
        case "CONVERT" | "FINAL_CONVERT":
            return True
        case "ACCEPT":
            return _all_passed(before)
        case "HAND_OVER":
            return before.player == before.active  # cards change hands when the partner has chosen, too
    return False


def _all_passed(view: View) -> bool:
    return all(words in (None, "pass") for seat, words in enumerate(view.said) if seat != view.active)


def _turning_points(before: View, after: View) -> Iterator[Event]:
    """What changes the course of the game; each player's turn begins with one."""
    if after.final_round and not before.final_round:
        yield {"e": "final"}
    if after.stalled and not before.stalled:
        yield {"e": "stall", "n": after.turn}
    if after.phase == "FINAL_CONVERT" and before.phase != "FINAL_CONVERT":
        yield {"e": "build"}
    if after.phase == "ANNOUNCE" and before.phase != "ANNOUNCE":
        yield {"e": "turn", "s": after.active, "n": after.turn + 1}
    if after.scores is not None:
        yield {"e": "over", "winners": after.winners, "scores": after.scores, "points": after.points}
