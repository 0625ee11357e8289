"""Compiled scripted players, chosen by number. They read only what their seat may see.

`random` plays every legal action with equal chance. `greedy` wants many of the same: it measures a hand by the sum of
the squares of its counts (a set counts as complete), so that two cards of a type that it collects are worth more
than two strays; it offers what it has one or two of, seeks what it has most of, answers and accepts when the trade
raises that sum, and always converts. `trader` and its variants have chapters of their own: see `trader` and `worth`.
"""

import numpy as np

from respublica_env.engine._jit import jit
from respublica_env.engine.deal import bot_stream, random_below
from respublica_env.engine.legal import count_legal, is_legal, nth_legal
from respublica_env.engine.state import (
    ACCEPT,
    ACCEPT_IDS,
    ACTIVE,
    ALONE,
    AND,
    ANNOUNCE,
    COPIES,
    COUNT,
    COUNT_2,
    EXTEND,
    FORM,
    GIVE_IDS,
    HAND_OVER,
    HANDS,
    KIND,
    KIND_2,
    LINK,
    MAX_COUNT,
    OFFER_IDS,
    OFFERED,
    PHASE,
    PLAYER,
    PLAYERS,
    RESPOND,
    SEEK_IDS,
    SET_SIZE,
    TYPES,
    said_at,
)
from respublica_env.engine.trade import end_type, first_type
from respublica_env.engine.trader import trader
from respublica_env.engine.weights import TRADER_NAMES

RANDOM, GREEDY, TRADER = range(3)  # TRADER and those after it are traders, each with weights of its own
BOT_NAMES = ("random", "greedy", *TRADER_NAMES)  # by number
NUM_BOTS = len(BOT_NAMES)


@jit
def bot_action(spec, row, bot, runs, size):
    """The choice of the bot that plays the seat to decide, among the legal `runs`."""
    if bot >= TRADER:
        return trader(spec, row, bot - TRADER, runs, size)
    if bot == GREEDY:
        return greedy(spec, row, runs, size)
    return nth_legal(runs, random_below(row, bot_stream(spec, np.int64(row[PLAYER])), count_legal(runs, size)))


@jit
def greedy(spec, row, runs, size):
    phase, seat = row[PHASE], np.int64(row[PLAYER])
    if phase == ANNOUNCE:
        return greedy_announcement(spec, row, seat, runs, size)
    if phase == RESPOND:
        return greedy_answer(spec, row, seat, runs, size)
    if phase == ACCEPT:
        return greedy_acceptance(spec, row, seat, runs, size)
    if phase == HAND_OVER:
        return greedy_gift(spec, row, seat, runs, size)
    if phase == EXTEND:
        return 0
    # CONVERT, DRAW, FINAL_CONVERT: whatever it builds, and the split with the population card.
    return runs[2 * size - 1] - 1


@jit
def worth(spec, count):
    """Worth of holding `count` of a type: its square, a complete set being as good as it gets."""
    count = min(count, spec[SET_SIZE])
    return count * count


@jit
def gain(spec, row, seat, card, change):
    """What `change` cards more (or fewer) of a type are worth to `seat`."""
    have = np.int64(row[HANDS + seat * spec[TYPES] + card])
    return worth(spec, max(0, have + change)) - worth(spec, have)


@jit
def collected(spec, row, seat):
    """The type the seat holds most of, short of a set; -1 when there is none."""
    best, most = -1, 0
    for k in range(spec[TYPES]):
        have = np.int64(row[HANDS + seat * spec[TYPES] + k])
        if most < have < spec[SET_SIZE]:
            best, most = k, have
    return best


@jit
def spare(spec, row, seat, other_than):
    """The type, another than the one given, of which the seat holds least, one or two; -1 when there is none."""
    best, least = -1, 3
    for k in range(spec[TYPES]):
        have = np.int64(row[HANDS + seat * spec[TYPES] + k])
        if 0 < have < least and k != other_than:
            best, least = k, have
    return best


@jit
def term_id(spec, base, count, card):
    return base + card * spec[MAX_COUNT] + min(count, spec[MAX_COUNT]) - 1


@jit
def greedy_announcement(spec, row, seat, runs, size):
    """In turn by chance: offer the spare type, or seek the collected one."""
    wanted = collected(spec, row, seat)
    given = spare(spec, row, seat, wanted)
    action = 0
    if given >= 0 and random_below(row, bot_stream(spec, seat), 2) == 0:
        action = term_id(spec, spec[OFFER_IDS], np.int64(row[HANDS + seat * spec[TYPES] + given]), given)
    elif wanted >= 0:
        action = term_id(spec, spec[SEEK_IDS], 1 + random_below(row, bot_stream(spec, seat), 2), wanted)
    return action if is_legal(runs, size, action) else 0


@jit
def taking(spec, row, seat, at):
    """What the hand gains by cards that satisfy the description; the giver chooses, so of an "or" the lesser term."""
    first = taking_term(spec, row, seat, np.int64(row[at + COUNT]), np.int64(row[at + KIND]))
    if row[at + LINK] == ALONE:
        return first
    second = taking_term(spec, row, seat, np.int64(row[at + COUNT_2]), np.int64(row[at + KIND_2]))
    return first + second if row[at + LINK] == AND else min(first, second)


@jit
def taking_term(spec, row, seat, count, kind):
    """A card of a type not known adds at least 1 to the sum."""
    return gain(spec, row, seat, kind, count) if kind < spec[TYPES] else count


@jit
def giving(spec, row, seat, at):
    """What the hand loses by paying the description in the cheapest way."""
    first = giving_term(spec, row, seat, np.int64(row[at + COUNT]), np.int64(row[at + KIND]))
    if row[at + LINK] == ALONE:
        return first
    second = giving_term(spec, row, seat, np.int64(row[at + COUNT_2]), np.int64(row[at + KIND_2]))
    return first + second if row[at + LINK] == AND else min(first, second)


@jit
def giving_term(spec, row, seat, count, kind):
    """Types of which the hand has least go first; what it does not have costs more than it could gain."""
    cost, left = 0, count
    for size in range(1, spec[COPIES] + 1):
        for k in range(first_type(spec, kind), end_type(spec, kind)):
            if left > 0 and row[HANDS + seat * spec[TYPES] + k] == size:
                given = min(left, size)
                cost -= gain(spec, row, seat, k, -given)
                left -= given
    return cost + left * spec[TYPES] * spec[SET_SIZE] * spec[SET_SIZE]


@jit
def greedy_answer(spec, row, seat, runs, size):
    """One card of the spare type for what is offered; for what is sought, one or two of the collected type."""
    said = said_at(spec, np.int64(row[ACTIVE]))
    if row[said + FORM] == OFFERED:
        give = spare(spec, row, seat, np.int64(row[said + KIND]))
        better = give >= 0 and taking(spec, row, seat, said) + gain(spec, row, seat, give, -1) > 0
        action = term_id(spec, spec[OFFER_IDS], 1, give)
    else:
        take = collected(spec, row, seat)
        cost = giving(spec, row, seat, said)
        count = 1 if take >= 0 and gain(spec, row, seat, take, 1) > cost else 2
        better = take >= 0 and gain(spec, row, seat, take, count) > cost
        action = term_id(spec, spec[SEEK_IDS], count, take)
    return action if better and is_legal(runs, size, action) else 0


@jit
def greedy_acceptance(spec, row, seat, runs, size):
    """The answer that raises the worth of the hand most, if one does."""
    said = said_at(spec, seat)
    best, best_gain = 0, 0
    for seats_on in range(1, spec[PLAYERS]):
        action = spec[ACCEPT_IDS] + seats_on - 1
        if not is_legal(runs, size, action):
            continue
        answer = said_at(spec, (seat + seats_on) % spec[PLAYERS])
        if row[said + FORM] == OFFERED:
            change = taking(spec, row, seat, answer) - giving(spec, row, seat, said)
        else:
            change = taking(spec, row, seat, said) - giving(spec, row, seat, answer)
        if change > best_gain:
            best, best_gain = action, change
    return best


@jit
def greedy_gift(spec, row, seat, runs, size):
    """Finish as soon as it may; until then the type it has least of among those that are legal."""
    if runs[0] == 0:
        return 0
    best, least = runs[0], 0
    for i in range(size):
        have = row[HANDS + seat * spec[TYPES] + runs[2 * i] - spec[GIVE_IDS]]
        if i == 0 or have < least:
            best, least = runs[2 * i], have
    return best
