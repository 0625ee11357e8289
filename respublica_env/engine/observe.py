"""Writes the observation of a seat, block by block in the order of `respublica_env.observation`.

"Seat i" is the player `i` seats after the observer. Every number is a count over its largest value, the correctly
rounded float32 quotient. Nothing is read here that the observer may not know: of other hands only their size by
back, of the decks only what is left, and what the observer itself can be sure of. `shares` holds the quotients of
counts of cards (`state.make_shares`).
"""

import numpy as np

from respublica_env.engine._jit import inline_jit
from respublica_env.engine.deal import population_left, technology_left
from respublica_env.engine.state import (
    ACTIVE,
    AND,
    BUILDERS,
    BUILT,
    CITIES,
    CITY_POINTS,
    COPIES,
    COUNT,
    COUNT_2,
    FINAL_ROUND,
    FINAL_TURNS_LEFT,
    FORM,
    HANDS,
    KIND,
    KIND_2,
    KINDS,
    LINK,
    MAX_COUNT,
    MAX_TURNS,
    MONUMENTS,
    MOST_POINTS,
    NUM_CITIES,
    OBSERVATION,
    OFFERED,
    OVER,
    PARTNER,
    PASSED,
    PHASE,
    PILE,
    PLAYER,
    PLAYERS,
    POPULATION_CARDS,
    SILENT,
    SPENT,
    TYPES,
    backs_at,
    known_at,
    said_at,
    turns_completed,
)
from respublica_env.engine.trade import chosen_at

(
    PHASE_AT,
    ACTIVE_AT,
    TO_ACT_AT,
    HAND_AT,
    HAND_SIZES_AT,
    CITIES_AT,
    MONUMENTS_AT,
    POINTS_AT,
    SPENT_AT,
    DECKS_AT,
    NEXT_MONUMENT_AT,
    FINAL_ROUND_AT,
    TURN_AT,
    ANNOUNCEMENT_AT,
    ANSWERS_AT,
    PARTNER_AT,
    CHOSEN_AT,
    KNOWN_AT,
) = range(OBSERVATION, OBSERVATION + 18)


@inline_jit
def share(count, whole):
    """`count / whole` as float32; of numbers below 2^24 the correctly rounded quotient, for float64 is precise enough.

    (Between such a quotient and the middle of two float32 numbers lies more than float64's error, or nothing.)
    """
    return np.float32(count / whole)


@inline_jit
def observe(spec, shares, row, seat, out):
    """Write the observation of `seat` into `out`, float32 `(D,)`."""
    out[:] = np.float32(0)
    observe_turn(spec, row, seat, out)
    observe_seats(spec, shares, row, seat, out)
    observe_supply(spec, shares, row, out)
    observe_words(spec, row, seat, out)
    observe_private(spec, shares, row, seat, out)


@inline_jit
def seats_on(spec, seat, other):
    """How many seats `other` sits after `seat`."""
    steps = other - seat
    return steps if steps >= 0 else steps + spec[PLAYERS]


@inline_jit
def seat_on(spec, seat, steps):
    """The seat `steps` after `seat`."""
    other = seat + steps
    return other if other < spec[PLAYERS] else other - spec[PLAYERS]


@inline_jit
def observe_turn(spec, row, seat, out):
    """Phase, whose turn, whose decision; turns; the final round."""
    if row[PHASE] != OVER:
        out[spec[PHASE_AT] + row[PHASE]] = 1
        out[spec[ACTIVE_AT] + seats_on(spec, seat, np.int64(row[ACTIVE]))] = 1
        out[spec[TO_ACT_AT] + seats_on(spec, seat, np.int64(row[PLAYER]))] = 1
    out[spec[TURN_AT]] = min(np.float32(1), share(turns_completed(row), spec[MAX_TURNS]))
    if row[FINAL_ROUND] == 1:
        out[spec[FINAL_ROUND_AT]] = 1
        out[spec[FINAL_ROUND_AT] + 1] = share(row[FINAL_TURNS_LEFT], spec[PLAYERS])


@inline_jit
def observe_seats(spec, shares, row, seat, out):
    """What everybody sees of each seat: number of cards by back, cities, monuments, points."""
    built = np.int64(row[BUILT])
    builders = row[spec[BUILDERS] : spec[BUILDERS] + built]
    pile = spec[PILE : PILE + built]
    for i in range(spec[PLAYERS]):
        other = seat_on(spec, seat, i)
        backs = backs_at(spec, other)
        at = spec[HAND_SIZES_AT] + 2 * i
        out[at] = shares[shares_of_population(spec) + row[backs]]
        out[at + 1] = shares[shares_of_technology(spec) + row[backs + 1]]
        cities = np.int64(row[spec[CITIES] + other])
        monuments = 0
        points = cities * spec[CITY_POINTS]
        for k in range(built):  # without a branch: who built what is hard to guess
            mine = 1 if builders[k] == other else 0
            monuments += mine
            points += mine * pile[k]
        if cities + monuments > 0:
            out[spec[CITIES_AT] + i] = share(cities, spec[NUM_CITIES])
            out[spec[MONUMENTS_AT] + i] = share(monuments, spec[MONUMENTS])
            out[spec[POINTS_AT] + i] = share(points, spec[MOST_POINTS])


@inline_jit
def shares_of_population(spec):
    """Where the quotients by the size of the population deck begin in `shares`; those by `copies` begin at 0."""
    return spec[COPIES] + 1


@inline_jit
def shares_of_technology(spec):
    return spec[COPIES] + spec[POPULATION_CARDS] + 2


@inline_jit
def write_shares(shares, row, start, size, out, at):
    """Write `size` counts of cards of a type side by side, from `start` of the row to `at` of the observation."""
    counts, written = row[start : start + size], out[at : at + size]
    for k in range(size):
        written[k] = shares[np.uint16(counts[k])]  # unsigned: no look at whether the index counts from the end


@inline_jit
def observe_supply(spec, shares, row, out):
    """Cards out of the game, decks, the top of the pile."""
    write_shares(shares, row, spec[SPENT], spec[TYPES], out, spec[SPENT_AT])
    out[spec[DECKS_AT]] = shares[shares_of_population(spec) + population_left(spec, row)]
    out[spec[DECKS_AT] + 1] = shares[shares_of_technology(spec) + technology_left(spec, row)]
    if row[BUILT] < spec[MONUMENTS]:
        out[spec[NEXT_MONUMENT_AT]] = share(spec[PILE + row[BUILT]], spec[PILE])


@inline_jit
def observe_words(spec, row, seat, out):
    """The announcement, the answers, and whose answer was taken."""
    if row[PHASE] == OVER:
        return
    active = np.int64(row[ACTIVE])
    said = said_at(spec, active)
    if row[said + FORM] == SILENT:
        return
    at = spec[ANNOUNCEMENT_AT]
    out[at if row[said + FORM] == OFFERED else at + 1] = 1
    observe_description(spec, row, said, out, at + 2)
    for i in range(spec[PLAYERS]):
        other = seat_on(spec, seat, i)
        said = said_at(spec, other)
        if other != active and row[said + FORM] != SILENT:
            at = spec[ANSWERS_AT] + i * (spec[KINDS] + 4)
            if row[said + FORM] == PASSED:
                out[at] = 1
            else:
                out[at + 1] = 1
                observe_description(spec, row, said, out, at + 2)
    if row[PARTNER] >= 0:
        out[spec[PARTNER_AT] + seats_on(spec, seat, np.int64(row[PARTNER]))] = 1


@inline_jit
def observe_description(spec, row, said, out, at):
    """Count by kind, then the link."""
    out[at + row[said + KIND]] = share(row[said + COUNT], spec[MAX_COUNT])
    if row[said + COUNT_2] > 0:
        out[at + row[said + KIND_2]] = share(row[said + COUNT_2], spec[MAX_COUNT])
        out[at + spec[KINDS] + (0 if row[said + LINK] == AND else 1)] = 1


@inline_jit
def observe_private(spec, shares, row, seat, out):
    """What only the observer knows: its hand, the cards it has chosen, its known holdings."""
    types = spec[TYPES]
    write_shares(shares, row, HANDS + seat * types, types, out, spec[HAND_AT])
    if row[PARTNER] >= 0 and (seat == row[ACTIVE] or seat == row[PARTNER]):
        side = 0 if seat == row[ACTIVE] else 1
        write_shares(shares, row, chosen_at(spec, side), types, out, spec[CHOSEN_AT])
    for i in range(1, spec[PLAYERS]):
        known = known_at(spec, seat, seat_on(spec, seat, i))
        write_shares(shares, row, known, types, out, spec[KNOWN_AT] + (i - 1) * types)
