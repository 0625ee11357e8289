"""Writes the observation of a seat, block by block in the order of `respublica_env.observation`.

"Seat i" is the player `i` seats after the observer. Every number is a count over its largest value, the correctly
rounded float32 quotient. Nothing is read here that the observer may not know: of other hands only their size by
back, of the decks only what is left, and what the observer itself can be sure of. `shares` holds the quotients of
counts of cards (`state.make_shares`).
"""

import numpy as np

from respublica_env.engine._jit import inline_jit, jit
from respublica_env.engine.deal import population_left, technology_left
from respublica_env.engine.state import (
    ACTIVE,
    AND,
    BUILT,
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
    OBSERVATION,
    OFFERED,
    OR,
    OVER,
    PARTNER,
    PASSED,
    PHASE,
    PILE,
    PLAYER,
    PLAYERS,
    POPULATION_CARDS,
    SILENT,
    SOUGHT,
    SPENT,
    TYPES,
    backs_at,
    known_at,
    said_at,
    share,
    standing_at,
    turns_completed,
)
from respublica_env.engine.strips import load_float, write_shares
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


@jit
def observe(spec, shares, row, seat, out):
    """Write the observation of `seat` into `out`, float32 `(D,)`."""
    for i in range(spec[KNOWN_AT] + (spec[PLAYERS] - 1) * spec[TYPES]):
        out[i] = 0
    observe_turn(spec, row, seat, out)
    observe_seats(spec, shares, row, seat, out)
    observe_supply(spec, shares, row, out)
    observe_words(spec, shares, row, seat, out)
    observe_private(spec, row, seat, out)


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
    sizes_at, cities_at = spec[HAND_SIZES_AT], spec[CITIES_AT]
    monuments_at, points_at = spec[MONUMENTS_AT], spec[POINTS_AT]
    population, technology = shares_of_population(spec), shares_of_technology(spec)
    for i in range(spec[PLAYERS]):
        other = seat_on(spec, seat, i)
        backs = backs_at(spec, other)
        out[sizes_at + 2 * i] = shares[population + row[backs]]
        out[sizes_at + 2 * i + 1] = shares[technology + row[backs + 1]]
        standing = standing_at(spec, other)
        out[cities_at + i] = load_float(row, standing)
        out[monuments_at + i] = load_float(row, standing + 2)
        out[points_at + i] = load_float(row, standing + 4)


@inline_jit
def shares_of_population(spec):
    """Where the quotients by the size of the population deck begin in `shares`; those by `max_count` begin at 0."""
    return spec[MAX_COUNT] + 1


@inline_jit
def shares_of_technology(spec):
    return spec[MAX_COUNT] + spec[POPULATION_CARDS] + 2


@inline_jit
def observe_supply(spec, shares, row, out):
    """Cards out of the game, decks, the top of the pile."""
    write_shares(row, spec[SPENT], spec[TYPES], np.float32(spec[COPIES]), out, spec[SPENT_AT])
    out[spec[DECKS_AT]] = shares[shares_of_population(spec) + population_left(spec, row)]
    out[spec[DECKS_AT] + 1] = shares[shares_of_technology(spec) + technology_left(spec, row)]
    if row[BUILT] < spec[MONUMENTS]:
        out[spec[NEXT_MONUMENT_AT]] = share(spec[PILE + row[BUILT]], spec[PILE])


@inline_jit
def observe_words(spec, shares, row, seat, out):
    """The announcement, the answers, and whose answer was taken.

    What nobody has said stands as zeros in the row and is written as zeros: who said what is hard to guess for the
    processor, and a branch that it guesses wrong costs more than all these writes.
    """
    if row[PHASE] == OVER or row[said_at(spec, np.int64(row[ACTIVE])) + FORM] == SILENT:
        return
    active, size = np.int64(row[ACTIVE]), spec[KINDS] + 4
    said = said_at(spec, active)
    form, at = row[said + FORM], spec[ANNOUNCEMENT_AT]
    out[at] = np.float32(form == OFFERED)
    out[at + 1] = np.float32(form == SOUGHT)
    observe_description(spec, shares, row, said, out, at + 2, np.float32(1))
    at = spec[ANSWERS_AT]
    for i in range(spec[PLAYERS]):
        other = seat_on(spec, seat, i)
        said = said_at(spec, other)
        form, heard = row[said + FORM], np.float32(other != active)
        out[at] = np.float32(form == PASSED) * heard
        out[at + 1] = np.float32(form > PASSED) * heard
        observe_description(spec, shares, row, said, out, at + 2, heard)
        at += size
    if row[PARTNER] >= 0:
        out[spec[PARTNER_AT] + seats_on(spec, seat, np.int64(row[PARTNER]))] = 1


@inline_jit
def observe_description(spec, shares, row, said, out, at, heard):
    """Count by kind, then the link; zeros unless `heard` is 1."""
    link = row[said + LINK]
    out[at + row[said + KIND]] = shares[row[said + COUNT]] * heard
    out[at + row[said + KIND_2]] += shares[row[said + COUNT_2]] * heard  # without a second term: adds 0 to kind 0
    out[at + spec[KINDS]] = np.float32(link == AND) * heard
    out[at + spec[KINDS] + 1] = np.float32(link == OR) * heard


@inline_jit
def observe_private(spec, row, seat, out):
    """What only the observer knows: its hand, the cards it has chosen, its known holdings."""
    types, copies = spec[TYPES], np.float32(spec[COPIES])
    write_shares(row, HANDS + seat * types, types, copies, out, spec[HAND_AT])
    if row[PARTNER] >= 0 and (seat == row[ACTIVE] or seat == row[PARTNER]):
        side = 0 if seat == row[ACTIVE] else 1
        write_shares(row, chosen_at(spec, side), types, copies, out, spec[CHOSEN_AT])
    after = (spec[PLAYERS] - 1 - seat) * types  # of the seats up to the last; then come those from seat 0 on
    write_shares(row, known_at(spec, seat, seat + 1), after, copies, out, spec[KNOWN_AT])
    write_shares(row, known_at(spec, seat, 0), seat * types, copies, out, spec[KNOWN_AT] + after)
