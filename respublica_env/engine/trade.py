"""Descriptions, the language of trade, and the exchange.

A *kind* is a set of card types: one single type, any population card, any technology card, any card. A *term* is
a count and a kind; a *description* is one term, or two joined by "and" or by "or" (the second kind's index is the
greater). A multiset of cards satisfies

- one term `(c, k)`: it has exactly `c` cards, all of kind `k`;
- `A or B`: it satisfies A or it satisfies B;
- `A and B`: it can be parted into two multisets, one that satisfies A and one that satisfies B.

A hand can pay a description when some part of it satisfies the description. Speech is honest: a player may promise
only what its hand can pay, and of an "or" each of the two terms.

HAND_OVER: each side chooses cards one by one in rising type index. Choosing `k` is legal when the hand still holds
one, `k` is not less than the last one chosen, and what has been chosen plus `k` can still be completed, with cards
of index `k` or more, to satisfy the description; finishing is legal exactly when what has been chosen satisfies it.

In the code a description is the place `at` in the row where FORM, LINK, COUNT, KIND, COUNT_2, KIND_2 stand.
"""

import numpy as np

from respublica_env.engine._jit import inline_jit, jit
from respublica_env.engine.state import (
    ACTIVE,
    ALONE,
    AND,
    CHOSEN,
    COUNT,
    COUNT_2,
    FORM,
    HANDS,
    KIND,
    KIND_2,
    LINK,
    OFFERED,
    OR,
    PARTNER,
    PLAYER,
    POPULATION_TYPES,
    TYPES,
    backs_at,
    move_card,
    said_at,
)


@inline_jit
def first_type(spec, kind):
    """The types of a kind stand side by side: `first_type` to `end_type - 1` (of kind -1, no kind: none)."""
    if kind < spec[TYPES]:
        return kind
    return spec[POPULATION_TYPES] if kind == spec[TYPES] + 1 else 0


@inline_jit
def end_type(spec, kind):
    if kind < spec[TYPES]:
        return kind + 1
    return spec[POPULATION_TYPES] if kind == spec[TYPES] else spec[TYPES]


@inline_jit
def kind_holds(spec, kind, card):
    """Whether `card` is of the kind."""
    return first_type(spec, kind) <= card < end_type(spec, kind)


@inline_jit
def in_hand(spec, row, seat, kind):
    """How many cards of a kind `seat` holds."""
    if kind < spec[TYPES]:
        return np.int64(row[HANDS + seat * spec[TYPES] + kind])
    backs = backs_at(spec, seat)
    if kind == spec[TYPES]:
        return np.int64(row[backs])
    if kind == spec[TYPES] + 1:
        return np.int64(row[backs + 1])
    return np.int64(row[backs] + row[backs + 1])


@inline_jit
def either(spec, kind, have, kind_2, have_2):
    """How many cards are of one kind or the other (`kind` < `kind_2`), when a hand has that many of each.

    Two kinds either lie one in the other or have no card in common.
    """
    if first_type(spec, kind_2) <= first_type(spec, kind) and end_type(spec, kind) <= end_type(spec, kind_2):
        return have_2
    return have + have_2


@jit
def can_pay(spec, row, seat, at):
    """Whether some part of the hand of `seat` satisfies the description; of an "or", one term is enough."""
    kind, kind_2 = np.int64(row[at + KIND]), np.int64(row[at + KIND_2])
    have = in_hand(spec, row, seat, kind)
    first = have >= row[at + COUNT]
    if row[at + LINK] == ALONE:
        return first
    have_2 = in_hand(spec, row, seat, kind_2)
    second = have_2 >= row[at + COUNT_2]
    if row[at + LINK] == OR:
        return first or second
    # Hall's condition for two demands on one hand.
    return first and second and either(spec, kind, have, kind_2, have_2) >= row[at + COUNT] + row[at + COUNT_2]


@jit
def can_pay_each(spec, row, seat, at):
    """The honesty of a promise: of an "or", each of the two terms must be payable."""
    if row[at + LINK] != OR:
        return can_pay(spec, row, seat, at)
    first = in_hand(spec, row, seat, np.int64(row[at + KIND])) >= row[at + COUNT]
    return first and in_hand(spec, row, seat, np.int64(row[at + KIND_2])) >= row[at + COUNT_2]


@inline_jit
def giver_side(row):
    """Who chooses in HAND_OVER: 0 the active player, 1 the partner."""
    return 0 if row[PLAYER] == row[ACTIVE] else 1


@inline_jit
def giver_of(row, side):
    """The seat that gives on a side."""
    return np.int64(row[ACTIVE]) if side == 0 else np.int64(row[PARTNER])


@inline_jit
def description_to_pay(spec, row, side):
    """The description that the active player (side 0) or the partner (side 1) pays.

    After an offer everyone gives what it said itself; after a search, what the other said.
    """
    own_words = row[said_at(spec, np.int64(row[ACTIVE])) + FORM] == OFFERED
    return said_at(spec, giver_of(row, side if own_words else 1 - side))


@inline_jit
def chosen_at(spec, side):
    """Where the K counts of the cards chosen so far begin."""
    return spec[CHOSEN] + side * spec[TYPES]


@inline_jit
def count_chosen(spec, row, side):
    """How many cards a side has chosen so far."""
    chosen = chosen_at(spec, side)
    total = 0
    for k in range(spec[TYPES]):
        total += row[chosen + k]
    return total


@inline_jit
def second_kind(row, at):
    """The kind of the second term, -1 where there is none."""
    return np.int64(row[at + KIND_2]) if row[at + LINK] != ALONE else -1


@inline_jit
def progress(spec, row, side):
    """What a side has chosen so far, in numbers.

    How many cards, how many of the first term's kind, of the second's, of both at the same time; the highest type.
    """
    at, chosen = description_to_pay(spec, row, side), chosen_at(spec, side)
    kind, kind_2 = np.int64(row[at + KIND]), second_kind(row, at)
    first, end = first_type(spec, kind), end_type(spec, kind)
    first_2, end_2 = first_type(spec, kind_2), end_type(spec, kind_2)  # of kind -1: no type
    total = of_1 = of_2 = of_both = last = 0
    for k in range(spec[TYPES]):  # without branches
        count = np.int64(row[chosen + k])
        in_1, in_2 = first <= k < end, first_2 <= k < end_2
        total += count
        of_1 += count if in_1 else 0
        of_2 += count if in_2 else 0
        of_both += count if in_1 and in_2 else 0
        last = k if count > 0 else last
    return total, of_1, of_2, of_both, last


@inline_jit
def satisfies(spec, row, side, chosen):
    """Whether the chosen cards (their `progress`) satisfy what that side is to pay: finishing is legal."""
    total, of_1, of_2, of_both, _ = chosen
    at = description_to_pay(spec, row, side)
    link, count, count_2 = row[at + LINK], np.int64(row[at + COUNT]), np.int64(row[at + COUNT_2])
    if link == AND:
        # They can be parted into one multiset for each term.
        fits = of_1 - of_both <= count and of_2 - of_both <= count_2 and of_1 + of_2 - of_both == total
        return fits and total == count + count_2
    first, second = total == count and of_1 == count, total == count_2 and of_2 == count_2
    return first or (link == OR and second)


@jit
def has_paid(spec, row, side):
    """Whether the chosen cards satisfy what that side is to pay."""
    return satisfies(spec, row, side, progress(spec, row, side))


@inline_jit
def next_of_term(spec, row, side, total, of_kind, last, count, kind):
    """The cards of index `last` or more that may be chosen next on the way to `count` cards of a kind, as bits."""
    hand, chosen = HANDS + giver_of(row, side) * spec[TYPES], chosen_at(spec, side)
    bits = to_come = 0
    if total < count and of_kind == total:
        for k in range(end_type(spec, kind) - 1, max(first_type(spec, kind), last) - 1, -1):
            left = np.int64(row[hand + k] - row[chosen + k])
            to_come += left
            bits |= (1 if left > 0 and total + to_come >= count else 0) << k
    return bits


@jit
def next_of_both(spec, row, side, progress):
    """The same for two terms joined by "and".

    Cards fall into those of the first kind only, of the second only, and of both (which fill either gap).
    """
    total, of_1, of_2, both, last = progress
    at = description_to_pay(spec, row, side)
    kind, kind_2 = np.int64(row[at + KIND]), np.int64(row[at + KIND_2])
    count, count_2 = np.int64(row[at + COUNT]), np.int64(row[at + COUNT_2])
    hand, chosen = HANDS + giver_of(row, side) * spec[TYPES], chosen_at(spec, side)
    only_1, only_2 = of_1 - both, of_2 - both
    bits = next_1 = next_2 = next_both = 0  # may follow, the card itself included
    for k in range(spec[TYPES] - 1, last - 1, -1):
        left = np.int64(row[hand + k] - row[chosen + k])
        in_1, in_2 = kind_holds(spec, kind, k), kind_holds(spec, kind_2, k)
        if left == 0 or not (in_1 or in_2):
            continue
        room = total < count + count_2
        if in_1 and in_2:
            next_both += left
        elif in_1:
            next_1 += left
            room = room and only_1 < count
        else:
            next_2 += left
            room = room and only_2 < count_2
        most = min(count, only_1 + next_1) + min(count_2, only_2 + next_2) + both + next_both
        if room and most >= count + count_2:
            bits |= 1 << k
    return bits


@inline_jit
def next_gifts(spec, row, side, chosen):
    """The cards that a side may choose next, after those of its `progress`, as bits: bit `k` for type `k`."""
    total, of_1, of_2, _, last = chosen
    at = description_to_pay(spec, row, side)
    if row[at + LINK] == AND:
        return next_of_both(spec, row, side, chosen)
    bits = next_of_term(spec, row, side, total, of_1, last, np.int64(row[at + COUNT]), np.int64(row[at + KIND]))
    if row[at + LINK] == OR:
        count, kind = np.int64(row[at + COUNT_2]), np.int64(row[at + KIND_2])
        bits |= next_of_term(spec, row, side, total, of_2, last, count, kind)
    return bits


@inline_jit
def choose_only_payment(spec, row, side):
    """Choose all cards at once where the words leave no choice (single types, no "or"); whether they do."""
    at, chosen = description_to_pay(spec, row, side), chosen_at(spec, side)
    kind, kind_2, link = np.int64(row[at + KIND]), np.int64(row[at + KIND_2]), row[at + LINK]
    if link == OR or kind >= spec[TYPES] or kind_2 >= spec[TYPES]:
        return False
    row[chosen + kind] = row[at + COUNT]
    if link == AND:
        row[chosen + kind_2] = row[at + COUNT_2]
    return True


@jit
def exchange_cards(spec, row):
    """The chosen cards of both sides change hands at once."""
    for side in range(2):
        giver, taker = giver_of(row, side), giver_of(row, 1 - side)
        for k in range(spec[TYPES]):
            given = np.int64(row[chosen_at(spec, side) + k])
            if given > 0:
                move_card(spec, row, giver, k, -given)
                move_card(spec, row, taker, k, given)
