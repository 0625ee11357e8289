"""Compiled scripted players, chosen by number. They read only what their seat may see.

`random` plays every legal action with equal chance. `greedy` wants many of the same: it measures a hand by the sum of
the squares of its counts (a set counts as complete), so that two cards of a type that it collects are worth more
than two strays; it offers what it has one or two of, seeks what it has most of, answers and accepts when the trade
raises that sum, and always converts.
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
    ANNOUNCE,
    COUNT,
    EXTEND,
    FORM,
    GIVE_IDS,
    HAND_OVER,
    HANDS,
    KIND,
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

RANDOM, GREEDY = range(2)
BOT_NAMES = ("random", "greedy")  # by number
NUM_BOTS = len(BOT_NAMES)


@jit
def bot_action(spec, row, bot, runs, size):
    """The choice of the bot that plays the seat to decide, among the legal `runs`."""
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
    return runs[size - 1, 1] - 1


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
def greedy_answer(spec, row, seat, runs, size):
    """To plain words about a single type: the spare type for what is offered, the collected one for what is sought."""
    said = said_at(spec, np.int64(row[ACTIVE]))
    card, count = np.int64(row[said + KIND]), np.int64(row[said + COUNT])
    if card >= spec[TYPES] or row[said + LINK] != ALONE:
        return 0
    if row[said + FORM] == OFFERED:
        give, take, give_count, take_count = spare(spec, row, seat, card), card, 1, count
        action = term_id(spec, spec[OFFER_IDS], give_count, give)
    else:
        give, take, give_count, take_count = card, collected(spec, row, seat), count, 1
        action = term_id(spec, spec[SEEK_IDS], take_count, take)
    if give < 0 or take < 0 or give == take:
        return 0
    better = gain(spec, row, seat, take, take_count) + gain(spec, row, seat, give, -give_count) > 0
    return action if better and is_legal(runs, size, action) else 0


@jit
def greedy_acceptance(spec, row, seat, runs, size):
    """The answer that raises the worth of the hand most, if one does; only plain words about single types count."""
    said = said_at(spec, seat)
    best, best_gain = 0, 0
    for seats_on in range(1, spec[PLAYERS]):
        action = spec[ACCEPT_IDS] + seats_on - 1
        answer = said_at(spec, (seat + seats_on) % spec[PLAYERS])
        if not is_legal(runs, size, action) or row[answer + LINK] != ALONE:
            continue
        take, give = answer, said
        if row[said + FORM] != OFFERED:
            take, give = said, answer
        if row[take + KIND] >= spec[TYPES] or row[give + KIND] >= spec[TYPES]:
            continue
        change = gain(spec, row, seat, np.int64(row[take + KIND]), np.int64(row[take + COUNT]))
        change += gain(spec, row, seat, np.int64(row[give + KIND]), -np.int64(row[give + COUNT]))
        if change > best_gain:
            best, best_gain = action, change
    return best


@jit
def greedy_gift(spec, row, seat, runs, size):
    """Finish as soon as it may; until then the type it has least of among those that are legal."""
    if runs[0, 0] == 0:
        return 0
    best, least = runs[0, 0], 0
    for i in range(size):
        have = row[HANDS + seat * spec[TYPES] + runs[i, 0] - spec[GIVE_IDS]]
        if i == 0 or have < least:
            best, least = runs[i, 0], have
    return best
