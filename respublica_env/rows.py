"""Rows from outside, checked before compiled code trusts them.

Compiled loops look up whatever number stands in a row, so that one out of range would read or write foreign memory. All
rows are checked at once, with NumPy: every number is in its range, the cards add up, nobody knows of cards that are not
there, and the player to decide has a legal action. Whether play can lead there (whether words fit the phase, and
promises the hand) is a matter of single positions: `Game.from_dict` looks at that.
"""

from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from respublica_env.engine import batch as loops
from respublica_env.engine.room import room_for_runs
from respublica_env.engine.state import (
    ACTIVE,
    BACKS,
    BUILDERS,
    BUILT,
    CHOSEN,
    CITIES,
    COUNT,
    COUNT_2,
    DECKS,
    EXTEND,
    FINAL_CONVERTS_LEFT,
    FINAL_ROUND,
    FINAL_TURNS_LEFT,
    FORM,
    HAND_OVER,
    HANDS,
    KIND,
    KIND_2,
    KNOWN,
    LINK,
    OR,
    OVER,
    PARTNER,
    PHASE,
    PLAYER,
    POPULATION_CARDS,
    POPULATION_DRAWN,
    RESPOND,
    SAID,
    SAID_SIZE,
    SOUGHT,
    SPENT,
    STALLED,
    STANDING,
    TECHNOLOGY_CARDS,
    TECHNOLOGY_DRAWN,
    TURN_HIGH,
    TURN_LOW,
    make_shares,
    make_spec,
)
from respublica_env.rules import Rules

AT_ONCE = 2**26  # bytes of masks and rows that are looked at together

Rows = NDArray[np.int16]


def check_rows(rules: Rules, rows: Rows) -> None:
    """Rows int16 `(B, row)`; ValueError names the first game that cannot be, and what is wrong with it."""
    size = max(1, AT_ONCE // (16 * rows.shape[1] + rules.num_actions))
    for first in range(0, len(rows), size):
        part = np.ascontiguousarray(rows[first : first + size])
        for look in (_out_of_range, _does_not_add_up, _cannot_act):  # each trusts what those before it have seen
            if found := look(rules, part):
                game, what = min(found, key=itemgetter(0))
                raise ValueError(f"the state holds an impossible game {first + game}: {what}")


Found = list[tuple[int, str]]


def _found(checks: dict[str, NDArray[Any]]) -> Found:
    """The first game in which each check fails; a check holds a bool, or an array of them, for each game."""
    fails = {what: ~holds.reshape(len(holds), -1).all(axis=1) for what, holds in checks.items()}
    return [(int(bad.argmax()), what) for what, bad in fails.items() if bad.any()]


def _between(values: NDArray[Any], low: Any, high: Any) -> NDArray[np.bool_]:
    return (values >= low) & (values <= high)


def _out_of_range(rules: Rules, rows: Rows) -> Found:
    """Single numbers, and numbers that say where to look."""
    spec, n = make_spec(rules), rules.num_players
    buildable = int(spec[STANDING] - spec[BUILDERS])
    ranges = {
        "phase": (PHASE, 0, OVER),
        "active": (ACTIVE, -1, n - 1),
        "player": (PLAYER, -1, n - 1),
        "partner": (PARTNER, -1, n - 1),
        "turn": (TURN_LOW, 0, 32767),
        "turn (high part)": (TURN_HIGH, 0, 32766),
        "final_round": (FINAL_ROUND, 0, 1),
        "final_turns_left": (FINAL_TURNS_LEFT, 0, n),
        "final_converts_left": (FINAL_CONVERTS_LEFT, 0, n),
        "stalled": (STALLED, 0, 1),
        "monuments built": (BUILT, 0, buildable),
        "population cards drawn": (POPULATION_DRAWN, 0, int(spec[POPULATION_CARDS])),
        "technology cards drawn": (TECHNOLOGY_DRAWN, 0, int(spec[TECHNOLOGY_CARDS])),
    }
    checks = {f"{name} is not from {low} to {high}": _between(rows[:, at], low, high)
              for name, (at, low, high) in ranges.items()}  # fmt: skip
    said = _block(rules, rows, SAID, (n, SAID_SIZE))
    most = {FORM: SOUGHT, LINK: OR, COUNT: rules.max_count, COUNT_2: rules.max_count}
    most |= {KIND: rules.num_kinds - 1, KIND_2: rules.num_kinds - 1}
    checks["words are none"] = _between(said, 0, np.array([most[field] for field in range(SAID_SIZE)]))
    built = np.arange(buildable) < rows[:, BUILT, None]
    checks["a monument has no builder"] = _between(_block(rules, rows, BUILDERS, (buildable,)), 0, n - 1) | ~built
    over = rows[:, PHASE] == OVER
    checks["a player is active or decides exactly until the game is over"] = np.stack(
        [(rows[:, at] < 0) == over for at in (ACTIVE, PLAYER)], axis=1
    )
    active, player, partner = (rows[:, at] for at in (ACTIVE, PLAYER, PARTNER))
    trading = rows[:, PHASE] == HAND_OVER
    answering = np.isin(rows[:, PHASE], (EXTEND, RESPOND))
    checks["another than the active player decides"] = (player == active) | trading | answering
    checks["there is a partner exactly in HAND_OVER, and one of the two decides"] = np.where(
        trading, (partner >= 0) & (partner != active) & ((player == active) | (player == partner)), partner < 0
    )
    return _found(checks)


def _does_not_add_up(rules: Rules, rows: Rows) -> Found:
    """Cards, and what is counted from them. The numbers that say where to look are in range."""
    n, types = rules.num_players, rules.num_types
    hands = rows[:, HANDS : HANDS + n * types].reshape(-1, n, types)
    spent = _block(rules, rows, SPENT, (types,))
    known = _block(rules, rows, KNOWN, (n + 1, n, types))
    chosen = _block(rules, rows, CHOSEN, (2, types))
    cities = _block(rules, rows, CITIES, (n,))
    left, of_its_back = _decks(rules, rows)
    in_decks = np.stack([(left == k).sum(axis=1) for k in range(types)], axis=1)
    population = rules.population_types
    backs = np.stack([hands[:, :, :population].sum(axis=2), hands[:, :, population:].sum(axis=2)], axis=2)
    trading = rows[:, PHASE] == HAND_OVER
    games = np.arange(len(rows))
    givers = hands[games[:, None], rows[:, (ACTIVE, PARTNER)]]  # (B, 2, K), of use only while cards are chosen
    return _found(
        {
            "a count of cards is negative": np.concatenate([hands.reshape(len(rows), -1), spent, cities], axis=1) >= 0,
            "hands, spent cards and decks are not the cards of the game": (
                hands.sum(axis=1) + spent + in_decks == rules.copies
            ),
            "a deck holds other cards": of_its_back,
            "hand sizes are not those of the hands": _block(rules, rows, BACKS, (n, 2)) == backs,
            "spent cards are not those of cities and monuments": np.stack(
                [
                    spent[:, :population].sum(axis=1) == rules.set_size * cities.sum(axis=1),
                    spent[:, population:].sum(axis=1) == rules.set_size * rows[:, BUILT],
                ],
                axis=1,
            ),
            "what the seats have built is not what they show": _standing(rules, rows)
            == _block(rules, rows, STANDING, (n * 6,)),
            "known holdings are not in the hands": (known >= 0) & (known <= hands[:, None]),
            "chosen cards are not in the hand": (chosen >= 0) & (chosen <= np.where(trading[:, None, None], givers, 0)),
        }
    )


def _standing(rules: Rules, rows: Rows) -> Rows:
    """The block that shows what the seats have built, as the engine would write it."""
    again = rows.copy()
    loops.show_standings(make_spec(rules), again)
    return _block(rules, again, STANDING, (rules.num_players * 6,))


def _decks(rules: Rules, rows: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """The cards left in both decks, with -1 for those that are gone, and whether each is of its back: `(B, cards)`."""
    spec, population = make_spec(rules), rules.population_types
    size = int(spec[POPULATION_CARDS])
    cards = _block(rules, rows, DECKS, (size + int(spec[TECHNOLOGY_CARDS]),))
    place = np.arange(cards.shape[1])
    technology = place >= size
    drawn = np.where(technology, size + rows[:, TECHNOLOGY_DRAWN, None], rows[:, POPULATION_DRAWN, None])
    gone = place < drawn
    low, high = np.where(technology, population, 0), np.where(technology, rules.num_types, population) - 1
    return np.where(gone, np.int16(-1), cards), gone | _between(cards, low, high)


def _cannot_act(rules: Rules, rows: Rows) -> Found:
    """Everything is in range, so the engine itself can be asked what is legal."""
    size = len(rows)
    masks = np.zeros((size, rules.num_actions), np.int8)
    loops.step_rows(
        make_spec(rules),
        make_shares(rules),
        rows,
        room_for_runs()[0],
        np.full((size, rules.num_players), -1, np.int8),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros((size, rules.observation_size), np.float32),
        masks,
        None,
        loops.SHOW,
        0,
        size,
    )
    return _found({"nobody can act": masks.any(axis=1) | (rows[:, PHASE] == OVER)})


def _block(rules: Rules, rows: Rows, place: int, shape: tuple[int, ...]) -> Rows:
    """A block of every row, `(B, *shape)`."""
    start = int(make_spec(rules)[place])
    return rows[:, start : start + int(np.prod(shape))].reshape(-1, *shape)
