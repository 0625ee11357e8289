"""`trader`: it offers what it can spare, seeks what completes a set, and trades when it gains more than it hands on.

What cards are worth to it stands in `worth`, how it prices a trade in `bargain`; here it chooses. Nothing is
remembered: in EXTEND the second term is found anew from the first.

`trader:selfish` has the same weights with the rival terms at 0, `trader:hoarder` trades only for a large gain.
"""

import numpy as np

from respublica_env.engine._jit import jit
from respublica_env.engine.bargain import (
    begin_words,
    closes_set,
    described,
    price,
    score_one,
    score_two,
    weigh_first,
)
from respublica_env.engine.deal import bot_stream, random_below
from respublica_env.engine.legal import is_legal
from respublica_env.engine.room import AVERAGE, GIVEN, MENU
from respublica_env.engine.state import (
    ACCEPT,
    ACCEPT_IDS,
    ACTIVE,
    ALONE,
    AND,
    AND_IDS,
    ANNOUNCE,
    CONVERT_IDS,
    COUNT,
    COUNT_2,
    DRAW,
    DRAW_IDS,
    EXTEND,
    FORM,
    GIVE_IDS,
    HAND_OVER,
    HANDS,
    KIND,
    KIND_2,
    KINDS,
    LINK,
    MAX_COUNT,
    MAX_DRAW,
    MAX_RUNS,
    OFFER_IDS,
    OFFERED,
    OR,
    OR_IDS,
    PAIR_POINTS,
    PHASE,
    PLAYER,
    PLAYERS,
    RESPOND,
    SEEK_IDS,
    SET_SIZE,
    SOUGHT,
    TYPES,
    said_at,
)
from respublica_env.engine.strips import floats
from respublica_env.engine.trade import chosen_at, description_to_pay, end_type, first_type, giver_side, in_hand
from respublica_env.engine.weights import HURRY, MARGIN, NOISE, OFFERING, PLAIN
from respublica_env.engine.worth import cheapest_card, given, on_curve, points, sit_down

MOST_ANY_SOUGHT, MOST_ANY_OFFERED = 2, 1  # cards of a wildcard that it names


@jit
def trader(spec, row, bot, runs, size):
    """The choice of a trader among the legal `runs`. bot: its number among the traders."""
    phase, seat = row[PHASE], np.int64(row[PLAYER])
    desk = floats(runs, 2 * MAX_RUNS)
    sit_down(spec, row, seat, desk, bot)
    if phase == ANNOUNCE or phase == RESPOND:
        return speak_first(spec, row, seat, desk, runs, size)
    if phase == EXTEND:
        return speak_second(spec, row, seat, desk, runs, size)
    if phase == ACCEPT:
        return take_answer(spec, row, seat, desk, runs, size)
    if phase == HAND_OVER:
        return give_least(spec, row, seat, desk, runs, size)
    if phase == DRAW:
        return split_draw(spec, row, seat, desk, runs, size)
    return build_best(spec, row, seat, desk, runs, size)


@jit
def most_named(spec, row, seat, form, kind):
    """The largest count that is thought about for a term; 0: none."""
    if form == OFFERED:
        most = in_hand(spec, row, seat, kind)
        if kind >= spec[TYPES]:
            most = min(most, MOST_ANY_OFFERED)
    elif kind >= spec[TYPES]:
        most = MOST_ANY_SOUGHT
    else:
        have = np.int64(row[HANDS + seat * spec[TYPES] + kind])
        most = spec[SET_SIZE] - have % spec[SET_SIZE] if have > 0 else 0
    return min(most, spec[MAX_COUNT])


@jit
def goes_back(spec, row, seat, kind):
    """Whether an answer with cards of a kind would only send back what the announcement names."""
    active = np.int64(row[ACTIVE])
    said = said_at(spec, active)
    return active != seat and (row[said + KIND] == kind or (row[said + LINK] != ALONE and row[said + KIND_2] == kind))


@jit
def speak_first(spec, row, seat, desk, runs, size):
    """The first term of an announcement or an answer, or nothing."""
    begin_words(spec, row, seat, desk)
    active = np.int64(row[ACTIVE])
    word = random_below(row, bot_stream(spec, seat), 1 << 30)
    best, best_score = 0, 0.0
    for form in range(OFFERED, SOUGHT + 1):
        if active != seat and row[said_at(spec, active) + FORM] != form:
            continue
        base = spec[OFFER_IDS] if form == OFFERED else spec[SEEK_IDS]
        for kind in range(spec[KINDS]):
            desk[MENU + 2 * kind] = 0.0
            if goes_back(spec, row, seat, kind) or (active == seat and kind >= spec[TYPES] and best > 0):
                continue  # what it has already, or nothing in particular when there is something to say
            for count in range(1, most_named(spec, row, seat, form, kind) + 1):
                score = score_one(spec, row, seat, desk, form, kind, count)
                if score <= 0.0:
                    continue
                word = (word * 1103515245 + 12345) & 0x3FFFFFFF
                score *= 1.0 + desk[NOISE] * (word / 0x40000000 - 0.5)
                if form == OFFERED and active == seat:
                    score *= desk[OFFERING]
                if kind >= spec[TYPES]:
                    score /= desk[PLAIN]
                if score > desk[MENU + 2 * kind]:
                    desk[MENU + 2 * kind], desk[MENU + 2 * kind + 1] = score, count
                action = base + kind * spec[MAX_COUNT] + count - 1
                if score > best_score and is_legal(runs, size, action):
                    best, best_score = action, score
    if best >= spec[SEEK_IDS]:
        return lower_first(spec, row, seat, desk, best, runs, size)
    return best


@jit
def lower_first(spec, row, seat, desk, best, runs, size):
    """Of two things sought the one of lower kind has to be said first, even when the other one matters more."""
    kind, count = (best - spec[SEEK_IDS]) // spec[MAX_COUNT], (best - spec[SEEK_IDS]) % spec[MAX_COUNT] + 1
    weigh_first(spec, row, seat, desk, SOUGHT, kind, count)
    alone, first = score_one(spec, row, seat, desk, SOUGHT, kind, count) * desk[PLAIN], best
    for other in range(kind):
        if desk[MENU + 2 * other] > 0.0:
            count_2 = np.int64(desk[MENU + 2 * other + 1])
            action = spec[SEEK_IDS] + other * spec[MAX_COUNT] + count_2 - 1
            score = max(*score_two(spec, row, seat, desk, SOUGHT, other, count_2))
            if kind >= spec[TYPES]:
                score /= desk[PLAIN]
            if score > alone and is_legal(runs, size, action):
                first, alone = action, score
    return first


@jit
def speak_second(spec, row, seat, desk, runs, size):
    """The second term, or nothing more, given the first."""
    begin_words(spec, row, seat, desk)
    said = said_at(spec, seat)
    form, kind, count = np.int64(row[said + FORM]), np.int64(row[said + KIND]), np.int64(row[said + COUNT])
    weigh_first(spec, row, seat, desk, form, kind, count)
    best, best_score = 0, score_one(spec, row, seat, desk, form, kind, count) * desk[PLAIN]
    for kind_2 in range(kind + 1, spec[KINDS]):
        if goes_back(spec, row, seat, kind_2):
            continue
        for count_2 in range(1, most_named(spec, row, seat, form, kind_2) + 1):
            joined, either = score_two(spec, row, seat, desk, form, kind_2, count_2)
            link = AND if joined >= either else OR
            score = max(joined, either)
            if kind_2 >= spec[TYPES]:
                score /= desk[PLAIN]
            action = (spec[AND_IDS] if link == AND else spec[OR_IDS]) + kind_2 * spec[MAX_COUNT] + count_2 - 1
            if score > best_score and is_legal(runs, size, action):
                best, best_score = action, score
    return best


@jit
def take_answer(spec, row, seat, desk, runs, size):
    """The answer that gains most, if one does."""
    begin_words(spec, row, seat, desk)
    said = said_at(spec, seat)
    best, best_gain = 0, desk[MARGIN]
    for seats_on in range(1, spec[PLAYERS]):
        action = spec[ACCEPT_IDS] + seats_on - 1
        if not is_legal(runs, size, action):
            continue
        q = (seat + seats_on) % spec[PLAYERS]
        answer = said_at(spec, q)
        pays, paid = (said, answer) if row[said + FORM] == OFFERED else (answer, said)
        if row[pays + LINK] == ALONE and row[paid + LINK] == ALONE and row[pays + KIND] == row[paid + KIND]:
            continue  # the same for the same
        mine = described(spec, row, seat, desk, q, paid, 1) - described(spec, row, seat, desk, q, pays, 0)
        theirs = described(spec, row, seat, desk, q, pays, 3) - described(spec, row, seat, desk, q, paid, 2)
        closes = closes_set(spec, desk, q, np.int64(row[pays + KIND]), np.int64(row[pays + COUNT]))
        gain = price(desk, q, mine, theirs, closes)
        if gain > best_gain:
            best, best_gain = action, gain
    return best


@jit
def give_least(spec, row, seat, desk, runs, size):
    """The next card of the payment that costs least; finish as soon as it may."""
    if runs[0] == 0:
        return 0
    side = giver_side(row)
    at, chosen, hand = description_to_pay(spec, row, side), chosen_at(spec, side), HANDS + seat * spec[TYPES]
    count, kind = np.int64(row[at + COUNT]), np.int64(row[at + KIND])
    total = 0
    for k in range(spec[TYPES]):
        desk[GIVEN + k] = np.int64(row[chosen + k])
        total += np.int64(row[chosen + k])
    first, end = first_type(spec, kind), end_type(spec, kind)
    if row[at + LINK] != ALONE:
        count_2, kind_2 = np.int64(row[at + COUNT_2]), np.int64(row[at + KIND_2])
        if row[at + LINK] == AND:
            count += count_2
            first, end = min(first, first_type(spec, kind_2)), max(end, end_type(spec, kind_2))
        elif described_second_is_cheaper(spec, row, seat, desk, at):
            count, first, end = count_2, first_type(spec, kind_2), end_type(spec, kind_2)
        for k in range(spec[TYPES]):  # what the costs were worked out with
            desk[GIVEN + k] = np.int64(row[chosen + k])
    lowest = spec[TYPES]
    for _ in range(total, count):
        k = cheapest_card(desk, row, hand, first, end)
        if k >= 0:
            desk[GIVEN + k] += 1
            lowest = min(lowest, k)
    if is_legal(runs, size, spec[GIVE_IDS] + lowest):
        return spec[GIVE_IDS] + lowest
    for k in range(spec[TYPES]):
        desk[GIVEN + k] = np.int64(row[chosen + k])
        if not is_legal(runs, size, spec[GIVE_IDS] + k):
            desk[GIVEN + k] = np.int64(row[hand + k])
    return spec[GIVE_IDS] + cheapest_card(desk, row, hand, 0, spec[TYPES])


@jit
def described_second_is_cheaper(spec, row, seat, desk, at):
    """Of an "or": whether to pay the second term."""
    count, kind = np.int64(row[at + COUNT]), np.int64(row[at + KIND])
    count_2, kind_2 = np.int64(row[at + COUNT_2]), np.int64(row[at + KIND_2])
    if in_hand(spec, row, seat, kind) < count:
        return True
    if in_hand(spec, row, seat, kind_2) < count_2:
        return False
    return given(spec, row, seat, desk, kind_2, count_2) < given(spec, row, seat, desk, kind, count)


@jit
def split_draw(spec, row, seat, desk, runs, size):
    """The split whose cards are worth most; a technology card also brings the end nearer, which suits who leads."""
    best_other = 0.0
    for q in range(spec[PLAYERS]):
        if q != seat:
            best_other = max(best_other, points(spec, row, q))
    of_technology = desk[AVERAGE + 1] + desk[HURRY] * (points(spec, row, seat) - best_other)
    best, best_worth = runs[0], -1.0e30
    for i in range(size):
        for action in range(runs[2 * i], runs[2 * i + 1]):
            split = action - spec[DRAW_IDS]
            worth = split // (spec[MAX_DRAW] + 1) * desk[AVERAGE] + split % (spec[MAX_DRAW] + 1) * of_technology
            if worth >= best_worth:
                best, best_worth = action, worth
    return best


@jit
def build_best(spec, row, seat, desk, runs, size):
    """Build what gains most over keeping the cards for their pairs, if anything does."""
    best, best_gain = 0, 0.0
    for i in range(1, size):
        k = runs[2 * i] - spec[CONVERT_IDS]
        have = np.int64(row[HANDS + seat * spec[TYPES] + k])
        gain = on_curve(desk, k, have * 1.0) - spec[PAIR_POINTS] * (have // 2)
        if gain > best_gain:
            best, best_gain = runs[2 * i], gain
    return best
