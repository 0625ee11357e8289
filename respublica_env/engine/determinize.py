"""Determinization: a position that a seat could believe it is in.

The same public facts, own hand, own chosen cards, own known holdings and phase; hidden cards dealt anew. First every
other seat is given the cards that the observer knows it holds; then the other hidden population cards are dealt at
random to the free places of that back in the hands and to the deck, and likewise the technology cards. Every promise
that stands this turn stays payable. Cards that another seat has chosen in HAND_OVER stay as many, drawn at random
among the ways to pay that begin with that many cards. What others know of one another is set to what everybody knows;
what they know of the observer stays.

Three things a seat has shown beyond its known holdings, and they are kept too: the words of a speaker that has not
ended its EXTEND; that the responder to a search can pay what is sought; that the active player who took an answer to
its search can pay that answer. Words about single types alone or joined by "and" are a *floor* under the hand. Of an
"or" one term is enough: a *duty*. Hands are dealt again until all duties hold; after `TRIES` deals in vain, terms
that can be met together are chosen at random and put under the floor, so that a rare case costs no more than that.
"""

import numpy as np

from respublica_env.engine._jit import allocating_jit
from respublica_env.engine.deal import (
    deck_stream,
    is_population,
    population_left,
    random_below,
    seed_streams,
    technology_left,
)
from respublica_env.engine.state import (
    ACTIVE,
    ALONE,
    COPIES,
    COUNT,
    COUNT_2,
    DECKS,
    FORM,
    HAND_OVER,
    HANDS,
    KIND,
    KIND_2,
    LINK,
    OFFERED,
    OR,
    PARTNER,
    PHASE,
    PLAYER,
    PLAYERS,
    POPULATION_CARDS,
    POPULATION_DRAWN,
    SOUGHT,
    SPENT,
    TECHNOLOGY_CARDS,
    TECHNOLOGY_DRAWN,
    TYPES,
    backs_at,
    known_at,
    said_at,
)
from respublica_env.engine.strips import address
from respublica_env.engine.trade import (
    chosen_at,
    count_chosen,
    description_to_pay,
    giver_of,
    in_hand,
    next_gifts,
    progress,
)

TRIES = 64
FIRST, SECOND = 1, 2  # terms of an "or" that may be met, as bits


@allocating_jit
def determinize(spec, row, seat, word):
    """Deal anew what `seat` cannot know, in place; `word` (uint64) starts all random streams of the row."""
    deal_anew(address(spec, 0), address(row, 0), seat, word)


@allocating_jit
def deal_anew(spec, row, seat, word):
    seed_streams(spec, row, word)
    floor = np.zeros((spec[PLAYERS], spec[TYPES]), np.int64)
    duties = np.zeros((2 * spec[PLAYERS], 3), np.int64)  # seat, place of the description, terms that may be met
    size = find_floor_and_duties(spec, row, seat, floor, duties)
    sizes = np.empty((spec[PLAYERS], 2), np.int64)  # cards in hand by seat and back
    for q in range(spec[PLAYERS]):
        for back in range(2):
            sizes[q, back] = row[backs_at(spec, q) + back]
    met = False
    for _ in range(TRIES):
        deal_hidden(spec, row, seat, floor, sizes)
        met = duties_hold(spec, row, duties, size)
        if met:
            break
    if not met:
        choose_terms(spec, row, seat, floor, duties, size, sizes)
        deal_hidden(spec, row, seat, floor, sizes)
    for side in range(2):
        choose_again(spec, row, seat, side)
    forget_private_knowledge(spec, row, seat)


@allocating_jit
def raise_floor(spec, floor, q, count, kind):
    if kind < spec[TYPES]:
        floor[q, kind] = max(floor[q, kind], count)


@allocating_jit
def put_under(spec, row, floor, q, at):
    """Every term of the description at `at` goes under the hand of `q`."""
    raise_floor(spec, floor, q, np.int64(row[at + COUNT]), np.int64(row[at + KIND]))
    if row[at + COUNT_2] > 0:
        raise_floor(spec, floor, q, np.int64(row[at + COUNT_2]), np.int64(row[at + KIND_2]))


@allocating_jit
def find_floor_and_duties(spec, row, seat, floor, duties):
    """Fill `floor` (n, K) and `duties`; the number of duties."""
    size = 0
    active = np.int64(row[ACTIVE])
    for q in range(spec[PLAYERS]):
        if q == seat:
            continue
        for k in range(spec[TYPES]):
            floor[q, k] = row[known_at(spec, seat, q) + k]
        form = row[said_at(spec, q) + FORM] if active >= 0 else 0
        if form == OFFERED:
            put_under(spec, row, floor, q, said_at(spec, q))
        elif form == SOUGHT and q != active:
            size = must_pay(spec, row, floor, duties, size, q, said_at(spec, active))
        elif form == SOUGHT and row[PHASE] == HAND_OVER:
            size = must_pay(spec, row, floor, duties, size, q, said_at(spec, np.int64(row[PARTNER])))
    return size


@allocating_jit
def must_pay(spec, row, floor, duties, size, q, at):
    """`q` can pay the description at `at`: put it under its hand, or note a duty; the number of duties."""
    if row[at + LINK] != OR:
        put_under(spec, row, floor, q, at)
        return size
    duties[size, 0] = q
    duties[size, 1] = at
    duties[size, 2] = FIRST + SECOND
    if row[PHASE] == HAND_OVER and (q == row[ACTIVE] or q == row[PARTNER]):
        duties[size, 2] = terms_begun(spec, row, at, 0 if q == row[ACTIVE] else 1)
    return size + 1


@allocating_jit
def terms_begun(spec, row, at, side):
    """Terms of an "or" that a payment with as many cards as `side` has chosen may be on its way to."""
    count = count_chosen(spec, row, side)
    finished = side == 0 and row[PLAYER] == row[PARTNER]
    terms = 0
    if row[at + COUNT] == count or (not finished and row[at + COUNT] > count):
        terms += FIRST
    if row[at + COUNT_2] == count or (not finished and row[at + COUNT_2] > count):
        terms += SECOND
    return terms


@allocating_jit
def duties_hold(spec, row, duties, size):
    for i in range(size):
        q, at, terms = duties[i, 0], duties[i, 1], duties[i, 2]
        first = terms & FIRST != 0 and in_hand(spec, row, q, np.int64(row[at + KIND])) >= row[at + COUNT]
        second = terms & SECOND != 0 and in_hand(spec, row, q, np.int64(row[at + KIND_2])) >= row[at + COUNT_2]
        if not (first or second):
            return False
    return True


@allocating_jit
def choose_terms(spec, row, seat, floor, duties, size, sizes):
    """Choose at random, for each duty, a term so that all can be met together, and put it under the floor."""
    choices = 1 << size
    start = random_below(row, deck_stream(spec), choices)
    trial = np.empty_like(floor)
    for step in range(choices):
        choice = (start + step) % choices
        trial[:, :] = floor
        if apply_choice(spec, row, trial, duties, size, sizes, choice) and fits(spec, row, seat, trial, sizes):
            floor[:, :] = trial
            return


@allocating_jit
def apply_choice(spec, row, trial, duties, size, sizes, choice):
    """Put the terms that the bits of `choice` name under the floor; False when one may not or cannot be met."""
    for i in range(size):
        q, at = duties[i, 0], duties[i, 1]
        second = (choice >> i) & 1
        if duties[i, 2] & (SECOND if second == 1 else FIRST) == 0:
            return False
        count = np.int64(row[at + (COUNT_2 if second == 1 else COUNT)])
        kind = np.int64(row[at + (KIND_2 if second == 1 else KIND)])
        wildcard = kind - spec[TYPES]
        if (
            (wildcard == 0 and sizes[q, 0] < count)
            or (wildcard == 1 and sizes[q, 1] < count)
            or (wildcard == 2 and sizes[q, 0] + sizes[q, 1] < count)
        ):
            return False
        raise_floor(spec, trial, q, count, kind)
    return True


@allocating_jit
def hidden(spec, row, seat, card):
    """How many cards of a type `seat` does not see."""
    return spec[COPIES] - row[spec[SPENT] + card] - row[HANDS + seat * spec[TYPES] + card]


@allocating_jit
def fits(spec, row, seat, floor, sizes):
    """Whether the cards under the floor exist and have room in the hands."""
    for k in range(spec[TYPES]):
        if floor[:, k].sum() > hidden(spec, row, seat, k):
            return False
    for q in range(spec[PLAYERS]):
        population = technology = 0
        for k in range(spec[TYPES]):
            if is_population(spec, k):
                population += floor[q, k]
            else:
                technology += floor[q, k]
        if population > sizes[q, 0] or technology > sizes[q, 1]:
            return False
    return True


@allocating_jit
def deal_hidden(spec, row, seat, floor, sizes):
    """Give every other seat its floor, then deal the other hidden cards of each back to hands and deck.

    The cards already drawn still lie in the row in the order of the true deal: they are wiped out.
    """
    for back in range(2):
        left = population_left(spec, row) if back == 0 else technology_left(spec, row)
        first = spec[DECKS] + (0 if back == 0 else spec[POPULATION_CARDS])
        rest = first + (row[POPULATION_DRAWN] if back == 0 else row[TECHNOLOGY_DRAWN])
        for i in range(first, rest):
            row[i] = 0
        pool = np.empty(spec[POPULATION_CARDS] if back == 0 else spec[TECHNOLOGY_CARDS], np.int16)
        size = 0
        for k in range(spec[TYPES]):
            if is_population(spec, k) != (back == 0):
                continue
            loose = np.int64(hidden(spec, row, seat, k))
            for q in range(spec[PLAYERS]):
                if q != seat:
                    row[HANDS + q * spec[TYPES] + k] = floor[q, k]
                    loose -= floor[q, k]
            for _ in range(loose):
                pool[size] = k
                size += 1
        shuffle_pool(spec, row, pool, size)
        for q in range(spec[PLAYERS]):
            if q == seat:
                continue
            have = 0
            for k in range(spec[TYPES]):
                if is_population(spec, k) == (back == 0):
                    have += floor[q, k]
            for _ in range(sizes[q, back] - have):
                size -= 1
                row[HANDS + q * spec[TYPES] + pool[size]] += 1
        for i in range(left):
            row[rest + i] = pool[i]


@allocating_jit
def shuffle_pool(spec, row, pool, size):
    for i in range(size - 1, 0, -1):
        j = random_below(row, deck_stream(spec), i + 1)
        card = pool[i]
        pool[i] = pool[j]
        pool[j] = card


@allocating_jit
def choose_again(spec, row, seat, side):
    """Draw the cards that another seat has chosen so far anew: as many, and on the way to a payment."""
    if row[PHASE] != HAND_OVER:
        return
    giver = giver_of(row, side)
    count = count_chosen(spec, row, side)
    if giver == seat or count == 0:
        return
    chosen = chosen_at(spec, side)
    at = description_to_pay(spec, row, side)
    link, first_count, first_kind = row[at + LINK], row[at + COUNT], row[at + KIND]
    if link == OR:
        keep_terms_begun(spec, row, giver, at, terms_begun(spec, row, at, side))
    for k in range(spec[TYPES]):
        row[chosen + k] = 0
    for _ in range(count):
        row[chosen + random_bit(spec, row, next_gifts(spec, row, side, progress(spec, row, side)))] += 1
    row[at + LINK], row[at + COUNT], row[at + KIND] = link, first_count, first_kind


@allocating_jit
def keep_terms_begun(spec, row, giver, at, terms):
    """Narrow an "or" down to the terms that may be met and that the hand can pay (to one term: said alone)."""
    first = terms & FIRST != 0 and in_hand(spec, row, giver, np.int64(row[at + KIND])) >= row[at + COUNT]
    second = terms & SECOND != 0 and in_hand(spec, row, giver, np.int64(row[at + KIND_2])) >= row[at + COUNT_2]
    if first and second:
        return
    row[at + LINK] = ALONE
    if second:
        row[at + COUNT], row[at + KIND] = row[at + COUNT_2], row[at + KIND_2]


@allocating_jit
def random_bit(spec, row, bits):
    """One of the bits that are set, each with equal chance."""
    options = 0
    for card in range(spec[TYPES]):
        options += (bits >> card) & 1
    index = random_below(row, deck_stream(spec), options)
    card = -1
    while index >= 0:
        card += 1
        index -= (bits >> card) & 1
    return card


@allocating_jit
def forget_private_knowledge(spec, row, seat):
    """Others know of one another what everybody knows."""
    for q in range(spec[PLAYERS]):
        for r in range(spec[PLAYERS]):
            if q == seat or r == seat or q == r:
                continue
            for k in range(spec[TYPES]):
                row[known_at(spec, q, r) + k] = row[known_at(spec, spec[PLAYERS], r) + k]
