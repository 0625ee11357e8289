"""Positions as dicts: a row in words. The way back, with its refusals, is in `position_reader`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from respublica_env.engine.state import (
    ACTIVE,
    ALONE,
    AND,
    BUILDERS,
    BUILT,
    CHOSEN,
    CITIES,
    COUNT,
    COUNT_2,
    DECKS,
    FINAL_CONVERTS_LEFT,
    FINAL_ROUND,
    FINAL_TURNS_LEFT,
    FORM,
    HANDS,
    KIND,
    KIND_2,
    KNOWN,
    LINK,
    OFFERED,
    OR,
    PARTNER,
    PASSED,
    PHASE,
    PLAYER,
    POPULATION_CARDS,
    POPULATION_DRAWN,
    SILENT,
    SOUGHT,
    SPENT,
    STALLED,
    STREAMS,
    TECHNOLOGY_DRAWN,
    Row,
    Spec,
    make_spec,
    said_at,
    turns_completed,
)
from respublica_env.observation import PHASE_NAMES
from respublica_env.rules import Rules

# Words of a position for what a row keeps as numbers.
FORMS = {"offer": OFFERED, "seek": SOUGHT}
LINKS = {None: ALONE, "and": AND, "or": OR}
FORM_NAMES = {number: name for name, number in FORMS.items()}
LINK_NAMES = {number: name for name, number in LINKS.items()}


def row_to_dict(rules: Rules, row: Row) -> dict[str, Any]:
    """A row as a dict of JSON types.

    `said` holds for each seat None (nothing yet), "pass", or {"form": "offer" | "seek", "terms": [[count, kind], ...],
    "link": "and" | "or" | None}; `chosen` the cards chosen in HAND_OVER by the active player and by the partner.
    """
    spec = make_spec(rules)
    n, types = rules.num_players, rules.num_types
    middle = int(spec[DECKS] + spec[POPULATION_CARDS])
    known = block(spec, row, KNOWN, (n + 1, n, types)).tolist()
    monuments: list[list[int]] = [[] for _ in range(n)]
    for i in range(row[BUILT]):
        monuments[row[spec[BUILDERS] + i]].append(rules.monument_points[i])
    return {
        "phase": PHASE_NAMES[row[PHASE]],
        "active": _seat_or_none(row[ACTIVE]),
        "player": _seat_or_none(row[PLAYER]),
        "turn": int(turns_completed(row)),
        "final_round": bool(row[FINAL_ROUND]),
        "final_turns_left": int(row[FINAL_TURNS_LEFT]),
        "final_converts_left": int(row[FINAL_CONVERTS_LEFT]),
        "stalled": bool(row[STALLED]),
        "hands": row[HANDS : HANDS + n * types].reshape(n, types).tolist(),
        "cities": block(spec, row, CITIES, (n,)).tolist(),
        "monuments": monuments,
        "spent": block(spec, row, SPENT, (types,)).tolist(),
        "population_deck": row[spec[DECKS] + row[POPULATION_DRAWN] : middle].tolist(),
        "technology_deck": row[middle + row[TECHNOLOGY_DRAWN] : spec[STREAMS]].tolist(),
        "said": [_said_to_dict(row, said_at(spec, seat)) for seat in range(n)],
        "partner": _seat_or_none(row[PARTNER]),
        "chosen": block(spec, row, CHOSEN, (2, types)).tolist(),
        "known": known[:n],
        "public": known[n],
        "builders": block(spec, row, BUILDERS, (int(row[BUILT]),)).tolist(),
        "streams": _streams(spec, row, n).tolist(),
    }


def block(spec: Spec, row: Row, place: int, shape: tuple[int, ...]) -> NDArray[np.int16]:
    """A block of the row, a view of the given shape."""
    start = int(spec[place])
    return row[start : start + int(np.prod(shape))].reshape(shape)


def _streams(spec: Spec, row: Row, n: int) -> NDArray[np.uint64]:
    """The random streams as words: four int16 fields, the low one first."""
    parts = block(spec, row, STREAMS, (n + 2, 4)).astype("<i2")
    return parts.view("<u8").reshape(n + 2)


def _seat_or_none(seat: int) -> int | None:
    return None if seat < 0 else int(seat)


def _said_to_dict(row: Row, at: int) -> Any:
    form = row[at + FORM]
    if form == SILENT:
        return None
    if form == PASSED:
        return "pass"
    terms = [[int(row[at + COUNT]), int(row[at + KIND])]]
    if row[at + LINK] != ALONE:
        terms.append([int(row[at + COUNT_2]), int(row[at + KIND_2])])
    return {"form": FORM_NAMES[form], "terms": terms, "link": LINK_NAMES[row[at + LINK]]}
