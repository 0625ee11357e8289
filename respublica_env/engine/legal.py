"""Which actions are legal. No rule of its own: it asks the chapters.

The legal ids are written as runs `[start, end)` in rising order into `runs`, int64 `(MAX_RUNS, 2)`: whole spans of
ids are often legal together ("seek anything"), so that counting, choosing at random and writing the mask cost far
less than one look at each id.
"""

import numpy as np
from numpy.typing import NDArray

from respublica_env.engine._jit import inline_jit
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
    MAX_RUNS,
    MAX_TERMS,
    MONUMENTS,
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
)
from respublica_env.engine.trade import (
    can_pay,
    count_chosen,
    either,
    giver_side,
    in_hand,
    next_gifts,
    satisfies,
)

PASS_RUN = 1  # the number of runs when PASS is all there is


def room_for_runs(threads: int = 1) -> NDArray[np.int64]:
    """Room for the legal actions of one decision, for each of some threads: int64 `(threads, MAX_RUNS, 2)`."""
    return np.empty((threads, MAX_RUNS, 2), np.int64)


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
    runs[0, 0], runs[0, 1] = 0, 1
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
    runs[size, 0] = start
    runs[size, 1] = end
    return size + (1 if start < end else 0)


@inline_jit
def offers(spec, row, runs):
    """Every term that the hand can pay."""
    size = 1
    seat = np.int64(row[PLAYER])
    for kind in range(spec[KINDS]):
        start = spec[OFFER_IDS] + kind * spec[MAX_COUNT]
        most = min(spec[MAX_COUNT], in_hand(spec, row, seat, kind))
        size = add_run(runs, size, start, start + most)
    return size


@inline_jit
def announcements(spec, row, runs):
    """Offers that the hand can pay; any search, for a hand that is not empty."""
    size = offers(spec, row, runs)
    backs = backs_at(spec, np.int64(row[PLAYER]))
    if row[backs] + row[backs + 1] > 0:
        size = add_run(runs, size, spec[SEEK_IDS], spec[SEEK_IDS] + spec[TERMS])
    return size


@inline_jit
def answers(spec, row, runs):
    """To an offer: what the hand can pay. To a search: anything, for a hand that can pay what is sought."""
    announcement = said_at(spec, np.int64(row[ACTIVE]))
    if row[announcement + FORM] == OFFERED:
        return offers(spec, row, runs)
    if can_pay(spec, row, np.int64(row[PLAYER]), announcement):
        return add_run(runs, PASS_RUN, spec[SEEK_IDS], spec[SEEK_IDS] + spec[TERMS])
    return PASS_RUN


@inline_jit
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


@inline_jit
def acceptances(spec, row, runs):
    """An answer to an offer always; an answer to a search when the active player can pay it."""
    size = 1
    active = np.int64(row[ACTIVE])
    offered = row[said_at(spec, active) + FORM] == OFFERED
    for seats_on in range(1, spec[PLAYERS]):
        answer = said_at(spec, (active + seats_on) % spec[PLAYERS])
        if row[answer + FORM] != PASSED and (offered or can_pay(spec, row, active, answer)):
            action = spec[ACCEPT_IDS] + seats_on - 1
            size = add_run(runs, size, action, action + 1)
    return size


@inline_jit
def gifts(spec, row, runs):
    """Finishing, or the next card to hand over, in rising order."""
    side = giver_side(row)
    size = 0
    total = count_chosen(spec, row, side)
    if satisfies(spec, row, side, total):
        runs[0, 0], runs[0, 1] = 0, 1
        size = 1
    bits = next_gifts(spec, row, side, total)
    card = 0
    while bits >> card != 0:
        if (bits >> card) & 1 == 1:
            size = add_run(runs, size, spec[GIVE_IDS] + card, spec[GIVE_IDS] + card + 1)
        card += 1
    return size


@inline_jit
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


@inline_jit
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
        total += runs[i, 1] - runs[i, 0]
    return total


@inline_jit
def nth_legal(runs, index):
    """The legal action number `index`, counted from 0 in rising order."""
    i = 0
    while index >= runs[i, 1] - runs[i, 0]:
        index -= runs[i, 1] - runs[i, 0]
        i += 1
    return runs[i, 0] + index


@inline_jit
def is_legal(runs, size, action):
    for i in range(size):
        if runs[i, 0] <= action < runs[i, 1]:
            return True
    return False


SHORT = 8  # ids written at once


@inline_jit
def write_mask(runs, size, mask):
    """The action mask, int8 `(A,)`: 1 for each legal action.

    Runs come in rising order, so a short one may write zeros behind itself: a fixed number of ids is one store.
    """
    mask[:] = 0
    for i in range(size):
        start, end = runs[i, 0], runs[i, 1]
        if end - start <= SHORT and start + SHORT <= mask.shape[0]:
            for k in range(SHORT):
                mask[start + k] = 1 if k < end - start else 0
        else:
            for action in range(start, end):
                mask[action] = 1
