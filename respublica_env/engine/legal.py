"""Which actions are legal. No rule of its own: it asks the chapters.

The legal ids are written as runs `[start, end)` in rising order into `runs`, int64 `(2 * MAX_RUNS,)`, ends behind
starts: whole spans of ids are often legal together ("seek anything"), so that counting, choosing at random and writing
the mask cost far less than one look at each id.
"""

import numpy as np

from respublica_env.engine._jit import inline_jit, jit
from respublica_env.engine.deal import population_left, technology_left
from respublica_env.engine.state import (
    ACCEPT,
    ACCEPT_IDS,
    ACTIVE,
    AND,
    AND_IDS,
    ANNOUNCE,
    BUILT,
    CITIES,
    CONVERT_IDS,
    COUNT,
    DRAW,
    DRAW_IDS,
    EXTEND,
    FORM,
    GIVE_IDS,
    HAND_OVER,
    HANDS,
    KIND,
    KINDS,
    MAX_COUNT,
    MAX_DRAW,
    MAX_TERMS,
    MONUMENTS,
    NUM_ACTIONS,
    NUM_CITIES,
    OFFER_IDS,
    OFFERED,
    OPTIONAL_DRAW,
    OR,
    OR_IDS,
    OVER,
    PASSED,
    PHASE,
    PLAYER,
    PLAYERS,
    POPULATION_TYPES,
    RESPOND,
    SEEK_IDS,
    SET_SIZE,
    TERMS,
    TYPES,
    backs_at,
    said_at,
    seat_after,
)
from respublica_env.engine.strips import write_ones
from respublica_env.engine.trade import (
    can_pay,
    either,
    giver_side,
    in_hand,
    next_gifts,
    progress,
    satisfies,
)

PASS_RUN = 1  # the number of runs when PASS is all there is


@inline_jit
def legal_runs(spec, row, runs):
    """Write the runs of legal ids of the player to decide; their number (0 when the game is over)."""
    phase = row[PHASE]
    if phase == OVER:
        return 0
    if phase == HAND_OVER:
        return gifts(spec, row, runs)
    if phase == DRAW:
        return draws(spec, row, runs)
    # Everywhere else PASS is legal: nothing, nothing more, decline, stop.
    runs[0], runs[1] = 0, 1
    if phase == ANNOUNCE:
        return announcements(spec, row, runs)
    if phase == EXTEND:
        return extensions(spec, row, runs)
    if phase == RESPOND:
        return answers(spec, row, runs)
    if phase == ACCEPT:
        return acceptances(spec, row, runs)
    return conversions(spec, row, runs)


@inline_jit
def add_run(runs, size, start, end):
    """Append `[start, end)` unless it is empty; the new number of runs.

    Written either way, so that there is no branch to guess.
    """
    runs[2 * size] = start
    runs[2 * size + 1] = end
    return size + (1 if start < end else 0)


@inline_jit
def offers(spec, row, runs):
    """Every term that the hand can pay."""
    size, start, most = 1, spec[OFFER_IDS], spec[MAX_COUNT]
    seat = np.int64(row[PLAYER])
    hand = HANDS + seat * spec[TYPES]
    for card in range(spec[TYPES]):
        size = add_run(runs, size, start, start + min(most, np.int64(row[hand + card])))
        start += most
    for kind in range(spec[TYPES], spec[KINDS]):
        size = add_run(runs, size, start, start + min(most, in_hand(spec, row, seat, kind)))
        start += most
    return size


@jit
def announcements(spec, row, runs):
    """Offers that the hand can pay; any search, for a hand that is not empty."""
    size = offers(spec, row, runs)
    backs = backs_at(spec, np.int64(row[PLAYER]))
    if row[backs] + row[backs + 1] > 0:
        size = add_run(runs, size, spec[SEEK_IDS], spec[SEEK_IDS] + spec[TERMS])
    return size


@jit
def answers(spec, row, runs):
    """To an offer: what the hand can pay. To a search: anything, for a hand that can pay what is sought."""
    announcement = said_at(spec, np.int64(row[ACTIVE]))
    if row[announcement + FORM] == OFFERED:
        return offers(spec, row, runs)
    if can_pay(spec, row, np.int64(row[PLAYER]), announcement):
        return add_run(runs, PASS_RUN, spec[SEEK_IDS], spec[SEEK_IDS] + spec[TERMS])
    return PASS_RUN


@jit
def extensions(spec, row, runs):
    """A second term of greater kind; of a promise, what the hand can pay: an "and" together with the first term."""
    size = 1
    if spec[MAX_TERMS] == 1:
        return size
    speaker = np.int64(row[PLAYER])
    said = said_at(spec, speaker)
    kind = np.int64(row[said + KIND])
    have = in_hand(spec, row, speaker, kind)
    for link in range(AND, OR + 1):
        base = spec[AND_IDS] if link == AND else spec[OR_IDS]
        if row[said + FORM] != OFFERED:
            size = add_run(runs, size, base + (kind + 1) * spec[MAX_COUNT], base + spec[TERMS])
            continue
        for kind_2 in range(kind + 1, spec[KINDS]):
            most = in_hand(spec, row, speaker, kind_2)
            if link == AND:
                most = min(most, either(spec, kind, have, kind_2, most) - row[said + COUNT])
            start = base + kind_2 * spec[MAX_COUNT]
            size = add_run(runs, size, start, start + min(spec[MAX_COUNT], most))
    return size


@jit
def acceptances(spec, row, runs):
    """An answer to an offer always; an answer to a search when the active player can pay it."""
    size = 1
    active = seat = np.int64(row[ACTIVE])
    offered = row[said_at(spec, active) + FORM] == OFFERED
    for seats_on in range(1, spec[PLAYERS]):
        seat = seat_after(spec, seat)
        answer = said_at(spec, seat)
        if row[answer + FORM] != PASSED and (offered or can_pay(spec, row, active, answer)):
            action = spec[ACCEPT_IDS] + seats_on - 1
            size = add_run(runs, size, action, action + 1)
    return size


@jit
def gifts(spec, row, runs):
    """Finishing, or the next card to hand over, in rising order."""
    side = giver_side(row)
    chosen = progress(spec, row, side)
    bits = next_gifts(spec, row, side, chosen)
    size = add_run(runs, 0, 0, 1 if satisfies(spec, row, side, chosen) else 0)
    for card in range(spec[TYPES]):
        size = add_run(runs, size, spec[GIVE_IDS] + card, spec[GIVE_IDS] + card + ((bits >> card) & 1))
    return size


@jit
def conversions(spec, row, runs):
    """Types of which the hand holds a set, while the supply has a city or a monument."""
    size = 1
    cities = 0
    for seat in range(spec[PLAYERS]):
        cities += row[spec[CITIES] + seat]
    hand = HANDS + np.int64(row[PLAYER]) * spec[TYPES]
    for card in range(spec[TYPES]):
        if row[hand + card] < spec[SET_SIZE]:
            continue
        if cities < spec[NUM_CITIES] if card < spec[POPULATION_TYPES] else row[BUILT] < spec[MONUMENTS]:
            size = add_run(runs, size, spec[CONVERT_IDS] + card, spec[CONVERT_IDS] + card + 1)
    return size


@jit
def draws(spec, row, runs):
    """The splits `p, t`: all that the player is entitled to, or with optional_draw up to that."""
    most_p = min(1, population_left(spec, row))
    most_t = min(row[spec[CITIES] + row[PLAYER]], technology_left(spec, row))
    size = 0
    for p in range(most_p + 1):
        most = min(most_t, spec[MAX_DRAW] - p)
        least = 0
        if spec[OPTIONAL_DRAW] == 0:
            least = max(0, min(spec[MAX_DRAW], most_p + most_t) - p)
        base = spec[DRAW_IDS] + p * (spec[MAX_DRAW] + 1)
        size = add_run(runs, size, base + least, base + most + 1)
    return size


@inline_jit
def count_legal(runs, size):
    """Number of legal actions."""
    total = 0
    for i in range(size):
        total += runs[2 * i + 1] - runs[2 * i]
    return total


@inline_jit
def nth_legal(runs, index):
    """The legal action number `index`, counted from 0 in rising order."""
    i = 0
    while index >= runs[2 * i + 1] - runs[2 * i]:
        index -= runs[2 * i + 1] - runs[2 * i]
        i += 1
    return runs[2 * i] + index


@inline_jit
def is_legal(runs, size, action):
    for i in range(size):
        if runs[2 * i] <= action < runs[2 * i + 1]:
            return True
    return False


@jit
def write_mask(spec, runs, size, mask):
    """The action mask, int8 `(A,)`: 1 for each legal action."""
    for action in range(spec[NUM_ACTIONS]):
        mask[action] = 0
    for i in range(size):
        write_ones(mask, runs[2 * i], runs[2 * i + 1], spec[NUM_ACTIONS])
