"""A game as plain text: a table of cards by type and seat, what has been said this turn, and whose decision it is.

The view of one seat holds what that seat may know and no more: its own hand, the others' hands by their backs with the
cards it can be sure of, and all that is public. A seat for which the engine passed reads as one that passed by choice.
"""

from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

from respublica_env.envs.view import AGENT_NAMES, SPECTATOR, View, see
from respublica_env.game import Game
from respublica_env.rules import Rules

Row = Sequence[str]


def ansi_view(game: Game, viewer: SupportsIndex | str | None = None) -> str:
    """The game as seen by a seat or the "spectator"; None shows everything. Touches no random stream.

    ValueError for no such viewer.
    """
    view = see(game, viewer)
    parts = [_headline(view), _table(view), *_supply(view), *_words(view)]
    if view.viewer is not None:
        who = "a spectator" if view.viewer == SPECTATOR else AGENT_NAMES[int(view.viewer)]
        parts.append(f"(seen by {who}: ? is unknown, 2+ is surely at least 2)")
    return "\n".join(parts) + "\n"


def _headline(view: View) -> str:
    """Turn, phase, and whose decision it is; or how the game ended."""
    after = f"after {counted(view.turn, 'turn')}{' (stalled)' if view.stalled else ''}"
    if view.scores is not None:
        best = [AGENT_NAMES[seat] for seat in view.winners]
        return f"The game is over {after}: {joined(best)} won with {counted(max(view.scores), 'point')}"
    turn = f"Turn {view.turn + 1}"
    if view.phase == "FINAL_CONVERT":
        turn = after.capitalize()
    elif view.final_round:
        turn += f" (final round, {counted(view.final_turns_left, 'turn')} left)"
    active, player = (AGENT_NAMES[seat] for seat in (view.active, view.player) if seat is not None)
    return f"{turn}, {active} is active. {view.phase}: {player} is to decide"


def _table(view: View) -> str:
    """Card types and buildings by seat; beside them the cards spent and, where everything is shown, in the decks."""
    rules = view.rules
    hands = [
        [_mark(count) if whole else f"{count}+" if count else "?" for count in hand]
        for hand, whole in zip(view.hands, view.whole, strict=True)
    ]
    rows: list[Row] = [["", *AGENT_NAMES[: rules.num_players], "spent", *(["deck"] if view.deck_cards else [])]]
    for k, name in enumerate(rules.type_names):
        deck = [_mark(view.deck_cards[k])] if view.deck_cards else []
        rows.append([name, *(hand[k] for hand in hands), _mark(view.spent[k]), *deck])
    rows += [
        ["population cards", *(_mark(population) for population, _ in view.backs)],
        ["technology cards", *(_mark(technology) for _, technology in view.backs)],
        ["cities", *map(_mark, view.cities)],
        ["monuments", *(" ".join(map(str, points)) or "." for points in view.monuments)],
        ["points", *map(_mark, view.points)],
    ]
    if view.scores is not None:
        rows.append(["with pairs in hand", *map(_mark, view.scores)])
    return aligned(rows)


def _supply(view: View) -> list[str]:
    """Decks, cities and monuments that are left."""
    rules, pile = view.rules, view.pile
    top = f"{counted(len(pile), 'monument')}, the next for {counted(pile[0], 'point')}" if pile else "no monument"
    cities = f"{view.cities_left} of {counted(rules.num_cities, 'city', 'cities')}"
    lines = [f"Decks: {view.decks[0]} population, {view.decks[1]} technology. Supply: {cities}, {top}"]
    following = [rules.type_names[card] for card in view.next_cards or () if card is not None]
    if following:
        lines.append(f"Next on the decks: {', '.join(following)}")
    return lines


def _words(view: View) -> list[str]:
    """What has been said this turn, and in HAND_OVER who trades and what has been chosen."""
    n, active, partner = view.rules.num_players, view.active, view.partner
    lines = []
    for speaker in ((active + i) % n for i in range(n)) if active is not None else ():
        words = view.said[speaker]
        if words is None:
            continue
        pause = " ..." if view.phase == "EXTEND" and speaker == view.player else ""
        lines.append(f"{AGENT_NAMES[speaker]} {sentence(view.rules, words, speaker == active)}{pause}")
    if active is None or partner is None:
        return lines
    lines.append(f"{AGENT_NAMES[active]} trades with {AGENT_NAMES[partner]}")
    for giver in (active, partner):
        chosen = view.chosen[giver]
        if chosen is not None:
            lines.append(f"{AGENT_NAMES[giver]} has chosen to give {named_cards(view.rules, chosen)}")
    return lines


def sentence(rules: Rules, words: Any, announced: bool) -> str:
    """What a seat has said, such as "offers 2 Roman and 1 any card", "would like 1 Greek" or "passes"."""
    if words == "pass":
        return "passes"
    verb = {
        ("offer", True): "offers",
        ("seek", True): "seeks",
        ("offer", False): "would give",
        ("seek", False): "would like",
    }[words["form"], announced]
    terms = [f"{count} {rules.kind_names[kind]}" for count, kind in words["terms"]]
    return f"{verb} " + f" {words['link']} ".join(terms)


def named_cards(rules: Rules, counts: Iterable[int]) -> str:
    """Cards by type in words, such as "2 Roman, 1 Wheel"."""
    named = [f"{count} {rules.type_names[k]}" for k, count in enumerate(counts) if count]
    return ", ".join(named) or "nothing yet"


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number of things in words, such as "1 point"."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def joined(names: Sequence[str]) -> str:
    """Names in words: "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _mark(count: int) -> str:
    return str(count) if count else "."


def aligned(rows: Sequence[Row]) -> str:
    """Rows of unequal length in columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=False))
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers]).rstrip())
    return "\n".join(lines)
