"""What a trade is worth to a trader, and how likely the others are to agree.

A trade is two numbers: `mine`, what it adds to the worth of the own hand, and `theirs`, what it adds to the other's as
far as one can tell. Its price to me is `mine` less a share of `theirs` (more for a player who is ahead, more when my
cards may complete a set). Words are chosen by that price times the chance of a yes: the others must hold what I ask
for, and gain by it.
"""

import numpy as np

from respublica_env.engine._jit import jit
from respublica_env.engine.room import BELIEF, FIRST, MINE, MOST_TYPES, RIVALRY, THEIRS
from respublica_env.engine.state import (
    ACTIVE,
    ALONE,
    AND,
    COUNT,
    COUNT_2,
    FORM,
    KIND,
    KIND_2,
    LINK,
    OFFERED,
    PLAYERS,
    SET_SIZE,
    SOUGHT,
    TYPES,
    said_at,
)
from respublica_env.engine.trade import in_hand
from respublica_env.engine.weights import CLOSE, KEEP, LUCK, MARGIN, SCALE
from respublica_env.engine.worth import chance_to_hold, gain_of, given, listen, loss_of, taken


@jit
def described(spec, row, seat, desk, q, at, mode):
    """The worth of a description that the seat pays (mode 0) or is paid (1), or that `q` pays (2) or is paid (3).

    Of an "or" the giver picks: I what costs me less, others what is worse for me.
    """
    first = term_worth(spec, row, seat, desk, q, mode, np.int64(row[at + KIND]), np.int64(row[at + COUNT]))
    if row[at + LINK] == ALONE:
        return first
    second = term_worth(spec, row, seat, desk, q, mode, np.int64(row[at + KIND_2]), np.int64(row[at + COUNT_2]))
    if row[at + LINK] == AND:
        return first + second
    if mode == 0:  # what can be paid at all
        if in_hand(spec, row, seat, np.int64(row[at + KIND])) < row[at + COUNT]:
            return second
        if in_hand(spec, row, seat, np.int64(row[at + KIND_2])) < row[at + COUNT_2]:
            return first
    return min(first, second)


@jit
def term_worth(spec, row, seat, desk, q, mode, kind, count):
    if mode == 0:
        return given(spec, row, seat, desk, kind, count)
    if mode == 1:
        return taken(spec, row, seat, desk, kind, count)
    if mode == 2:
        return loss_of(spec, desk, q, kind, count)
    return gain_of(spec, desk, q, kind, count, 0.0)


@jit
def closes_set(spec, desk, q, kind, count):
    """Whether cards of a kind may complete a set of `q`."""
    if kind >= spec[TYPES]:
        return False
    have = desk[BELIEF + q * MOST_TYPES + kind]
    return have < spec[SET_SIZE] <= have + count


@jit
def price(desk, q, mine, theirs, closes):
    """What a trade with `q` is worth, after what it hands to a rival."""
    share = desk[RIVALRY + q] + (desk[CLOSE] if closes else 0.0)
    return mine - share * max(0.0, theirs)


@jit
def begin_words(spec, row, seat, desk):
    """Of those that it speaks to: what they hold; and of an answer, what the announcement means by itself."""
    desk[MINE] = desk[THEIRS] = 0.0
    for q in range(spec[PLAYERS]):
        if is_partner(row, seat, q):
            listen(spec, row, seat, desk, q)
    active = np.int64(row[ACTIVE])
    if active == seat:
        return
    said = said_at(spec, active)
    if row[said + FORM] == OFFERED:
        desk[MINE] = described(spec, row, seat, desk, active, said, 1)
        desk[THEIRS] = -described(spec, row, seat, desk, active, said, 2)
    else:
        desk[MINE] = -described(spec, row, seat, desk, active, said, 0)
        desk[THEIRS] = described(spec, row, seat, desk, active, said, 3)


@jit
def own_worth(spec, row, seat, desk, form, kind, count):
    """What a term sought brings the seat, or what a term offered costs it."""
    if form == SOUGHT:
        return taken(spec, row, seat, desk, kind, count)
    return given(spec, row, seat, desk, kind, count)


@jit
def term(spec, row, seat, desk, q, form, kind, count, own):
    """A term said to `q`: what it adds to `mine` and to `theirs`, and the chance that it can be paid.

    Announced without a price, both sides are taken to share what the cards are worth to the one who gets them.
    """
    announced = row[ACTIVE] == seat
    if form == SOUGHT:
        chance = chance_to_hold(spec, row, seat, desk, q, kind, count)
        if chance == 0.0:
            return 0.0, 0.0, 0.0
        loss = loss_of(spec, desk, q, kind, count)
        if announced:
            return desk[KEEP] * own, (1 - desk[KEEP]) * own - loss, chance
        return own, -loss, chance
    worth = gain_of(spec, desk, q, kind, count, desk[LUCK] if announced else 0.0)
    if announced:
        return desk[KEEP] * worth - own, (1 - desk[KEEP]) * worth, 1.0
    return -own, worth, 1.0


@jit
def appeal(desk, q, mine, theirs, chance, closes):
    """The price of a trade times the chance that it comes about."""
    gain = price(desk, q, mine + desk[MINE], theirs + desk[THEIRS], closes) - desk[MARGIN]
    if gain <= 0.0:
        return 0.0
    theirs = (theirs + desk[THEIRS]) / desk[SCALE]
    unlikely = 1.0 + abs(theirs)
    likely = 0.5 / (unlikely * unlikely)
    return gain * chance * (likely if theirs < 0.0 else 1.0 - likely)


@jit
def is_partner(row, seat, q):
    """Whom words are said to: the active player speaks to all, the others to the active player."""
    return q != seat and (row[ACTIVE] == seat or row[ACTIVE] == q)


@jit
def all_told(form, best, total):
    """Of an offer, what the keenest makes of it; of a search, which somebody must be able to pay, others help."""
    return best if form == OFFERED else (best + total) / 2


@jit
def score_one(spec, row, seat, desk, form, kind, count):
    """The appeal of one term to those it is said to."""
    best = total = 0.0
    own = own_worth(spec, row, seat, desk, form, kind, count)
    for q in range(spec[PLAYERS]):
        if is_partner(row, seat, q):
            mine, theirs, chance = term(spec, row, seat, desk, q, form, kind, count, own)
            if chance > 0.0:
                closes = form == OFFERED and closes_set(spec, desk, q, kind, count)
                score = appeal(desk, q, mine, theirs, chance, closes)
                best = max(best, score)
                total += score
    return all_told(form, best, total)


@jit
def weigh_first(spec, row, seat, desk, form, kind, count):
    """Note by seat what one term means, and whether it may complete a set, for `score_two` to join others to it."""
    own = own_worth(spec, row, seat, desk, form, kind, count)
    for q in range(spec[PLAYERS]):
        if is_partner(row, seat, q):
            at = FIRST + 4 * q
            desk[at], desk[at + 1], desk[at + 2] = term(spec, row, seat, desk, q, form, kind, count, own)
            desk[at + 3] = 1.0 if form == OFFERED and closes_set(spec, desk, q, kind, count) else 0.0


@jit
def score_two(spec, row, seat, desk, form, kind, count):
    """The appeal of the term noted with another one, joined by "and" and by "or" (0 for an offer)."""
    best = total = best_or = total_or = 0.0
    own = own_worth(spec, row, seat, desk, form, kind, count)
    for q in range(spec[PLAYERS]):
        if not is_partner(row, seat, q):
            continue
        at = FIRST + 4 * q
        mine, theirs, chance = desk[at], desk[at + 1], desk[at + 2]
        mine_2, theirs_2, chance_2 = term(spec, row, seat, desk, q, form, kind, count, own)
        both = chance * chance_2
        score = 0.0
        if both > 0.0:
            closes = desk[at + 3] > 0.0 or (form == OFFERED and closes_set(spec, desk, q, kind, count))
            score = appeal(desk, q, mine + mine_2, theirs + theirs_2, both, closes)
        best = max(best, score)
        total += score
        if form == SOUGHT:  # the giver picks: of two that it can pay, the one that costs it less
            score = 0.0
            if chance > both:
                score += appeal(desk, q, mine, theirs, chance - both, False)
            if chance_2 > both:
                score += appeal(desk, q, mine_2, theirs_2, chance_2 - both, False)
            if both > 0.0:
                score += appeal(desk, q, min(mine, mine_2), max(theirs, theirs_2), both, False)
            best_or = max(best_or, score)
            total_or += score
    return all_told(form, best, total), all_told(form, best_or, total_or)
