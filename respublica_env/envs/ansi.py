"""A game as plain text: a table of cards by type and seat, what has been said this turn, and whose decision it is.

The view of one seat holds what that seat may know and no more: its own hand, the others' hands by their backs with the
cards it can be sure of, and all that is public. A seat for which the engine passed reads as one that passed by choice.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from respublica_env.game import Game
from respublica_env.rules import Rules

AGENT_NAMES = tuple(f"player_{seat}" for seat in range(6))  # by seat, for as many players as rules may have

Row = Sequence[str]


def ansi_view(game: Game, seat: int | None = None) -> str:
    """The game as seen by `seat`; None shows everything. Changes nothing and touches no random stream."""
    position = game.to_dict()
    parts = [_headline(game, position), _table(game, seat), *_supply(game, seat), *_words(game, position, seat)]
    if seat is not None:
        parts.append(f"(seen by {AGENT_NAMES[seat]}: ? is unknown, 2+ is surely at least 2)")
    return "\n".join(parts) + "\n"


def _headline(game: Game, position: dict[str, Any]) -> str:
    """Turn, phase, and whose decision it is; or how the game ended."""
    if game.player is None or game.active is None:
        scores = game.scores()
        best = [AGENT_NAMES[seat] for seat, score in enumerate(scores) if score == max(scores)]
        after = f"{_counted(game.turn, 'turn')}{' (stalled)' if game.stalled else ''}"
        return f"The game is over after {after}: {_joined(best)} won with {_counted(max(scores), 'point')}"
    turn = f"Turn {game.turn + 1}"
    if game.phase == "FINAL_CONVERT":
        turn = f"After {_counted(game.turn, 'turn')}{' (stalled)' if game.stalled else ''}"
    elif game.final_round:
        turn += f" (final round, {_counted(position['final_turns_left'], 'turn')} left)"
    return f"{turn}, {AGENT_NAMES[game.active]} is active. {game.phase}: {AGENT_NAMES[game.player]} is to decide"


def _table(game: Game, seat: int | None) -> str:
    """Card types and buildings by seat; beside them the cards spent and, where everything is shown, in the decks."""
    rules = game.rules
    hands = _hands(game, seat)
    rows: list[Row] = [["", *AGENT_NAMES[: rules.num_players], "spent", *(["deck"] if seat is None else [])]]
    left = game.population_deck + game.technology_deck
    for k, name in enumerate(rules.type_names):
        deck = [_mark(left.count(k))] if seat is None else []
        rows.append([name, *(hand[k] for hand in hands), _mark(int(game.spent[k])), *deck])
    population = game.hands[:, : rules.population_types].sum(axis=1).tolist()
    technology = game.hands[:, rules.population_types :].sum(axis=1).tolist()
    rows += [
        ["population cards", *map(_mark, population)],
        ["technology cards", *map(_mark, technology)],
        ["cities", *map(_mark, game.cities)],
        ["monuments", *(" ".join(map(str, points)) or "." for points in game.monuments)],
        ["points", *map(_mark, game.points())],
    ]
    if game.terminated:
        rows.append(["with pairs in hand", *map(_mark, game.scores())])
    return _aligned(rows)


def _hands(game: Game, seat: int | None) -> list[list[str]]:
    """Each hand by type, as far as `seat` knows it."""
    if seat is None:
        return [[_mark(count) for count in hand] for hand in game.hands.tolist()]
    shown = [[f"{count}+" if count else "?" for count in known] for known in game.known(seat).tolist()]
    shown[seat] = [_mark(count) for count in game.hands[seat].tolist()]
    return shown


def _supply(game: Game, seat: int | None) -> list[str]:
    """Decks, cities and monuments that are left."""
    rules = game.rules
    built = sum(map(len, game.monuments))
    pile = rules.monument_points[built:]
    top = f"{_counted(len(pile), 'monument')}, the next for {_counted(pile[0], 'point')}" if pile else "no monument"
    cities = f"{rules.num_cities - sum(game.cities)} of {_counted(rules.num_cities, 'city', 'cities')}"
    decks = f"{len(game.population_deck)} population, {len(game.technology_deck)} technology"
    lines = [f"Decks: {decks}. Supply: {cities}, {top}"]
    following = [rules.type_names[deck[0]] for deck in (game.population_deck, game.technology_deck) if deck]
    if seat is None and following:
        lines.append(f"Next on the decks: {', '.join(following)}")
    return lines


def _words(game: Game, position: dict[str, Any], seat: int | None) -> list[str]:
    """What has been said this turn, and in HAND_OVER who trades and what has been chosen."""
    n, active, partner, said = game.rules.num_players, game.active, position["partner"], position["said"]
    lines = []
    for speaker in ((active + i) % n for i in range(n)) if active is not None else ():
        words = said[speaker]
        if words is None:
            continue
        pause = " ..." if game.phase == "EXTEND" and speaker == game.player else ""
        lines.append(f"{AGENT_NAMES[speaker]} {_sentence(game.rules, words, speaker == active)}{pause}")
    if active is None or partner is None:
        return lines
    lines.append(f"{AGENT_NAMES[active]} trades with {AGENT_NAMES[partner]}")
    for giver, chosen in zip((active, partner), position["chosen"], strict=True):
        if seat is None or seat == giver:
            lines.append(f"{AGENT_NAMES[giver]} has chosen to give {_cards(game.rules, chosen)}")
    return lines


def _sentence(rules: Rules, words: Any, announced: bool) -> str:
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


def _cards(rules: Rules, counts: Iterable[int]) -> str:
    named = [f"{count} {rules.type_names[k]}" for k, count in enumerate(counts) if count]
    return ", ".join(named) or "nothing yet"


def _counted(count: int, one: str, many: str | None = None) -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _mark(count: int) -> str:
    return str(count) if count else "."


def _aligned(rows: Sequence[Row]) -> str:
    """Rows of unequal length in columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=False))
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers]).rstrip())
    return "\n".join(lines)
