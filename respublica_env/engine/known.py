"""Known holdings: what each seat, and the spectator, can be sure that another seat holds.

`known[o][q][k]` is how many cards of type `k` observer `o` can be sure that `q` holds; all start at 0.

- A promise of `q`, when its EXTEND ends: for each term `(c, k)` of a single type, at least `c` for every observer.
- An answer of `q` to a search, at the same moment: `q` can pay what is sought; if that is one term or an "and", the
  same with its single-type terms; of an "or", nothing.
- A trade in which `q` gives `M` to `r` under description `D`. `r` saw the cards: they go from what it knew of `q`
  (never below 0). `q` knows them added to `r`. Any other observer subtracts from `q` the most that `D` lets it have
  given of a type, and adds to `r` the least. Both removals before both additions.
- Conversion of type `k` by `q`: `set_size` less for all observers, never below 0.

The spectator is one more observer, number `n`, who never trades: what everybody knows that everybody knows.
"""

import numpy as np

from respublica_env.engine._jit import inline_jit, jit
from respublica_env.engine.state import (
    ACTIVE,
    AND,
    COUNT,
    COUNT_2,
    FORM,
    KIND,
    KIND_2,
    LINK,
    OFFERED,
    OR,
    PLAYERS,
    SET_SIZE,
    TYPES,
    known_at,
    said_at,
)
from respublica_env.engine.trade import chosen_at, description_to_pay, end_type, first_type, giver_of, kind_holds


@inline_jit
def know_at_least(spec, row, holder, count, kind):
    """All observers but the holder learn that it holds `count` of a single type (of a wildcard, nothing)."""
    if kind >= spec[TYPES]:
        return
    for observer in range(spec[PLAYERS] + 1):
        if observer != holder:
            at = known_at(spec, observer, holder) + kind
            row[at] = max(row[at], count)


@inline_jit
def know_description(spec, row, holder, at):
    """All terms of the description at `at` are known to be payable by `holder`, each on its own."""
    know_at_least(spec, row, holder, np.int64(row[at + COUNT]), np.int64(row[at + KIND]))
    if row[at + COUNT_2] > 0:
        know_at_least(spec, row, holder, np.int64(row[at + COUNT_2]), np.int64(row[at + KIND_2]))


@jit
def know_speech(spec, row, speaker):
    """What the words of `speaker` prove, at the end of its EXTEND."""
    said = said_at(spec, speaker)
    if row[said + FORM] == OFFERED:
        know_description(spec, row, speaker, said)
    elif speaker != row[ACTIVE]:
        sought = said_at(spec, np.int64(row[ACTIVE]))
        if row[sought + LINK] != OR:
            know_description(spec, row, speaker, sought)


@inline_jit
def most_given(spec, row, at, card):
    """The most cards of a type that a payment under the description may hold, as others count it."""
    first = np.int64(row[at + COUNT]) if kind_holds(spec, np.int64(row[at + KIND]), card) else 0
    second = 0
    if row[at + COUNT_2] > 0 and kind_holds(spec, np.int64(row[at + KIND_2]), card):
        second = np.int64(row[at + COUNT_2])
    return max(first, second) if row[at + LINK] == OR else first + second


@jit
def know_exchange(spec, row):
    """What a trade tells each observer, before the chosen cards are cleared: removals first, then additions."""
    for side in range(2):
        know_given(spec, row, side)
    for side in range(2):
        know_received(spec, row, side)


@inline_jit
def lowest_type(spec, row, at):
    """The first type that a payment under the description may hold."""
    lowest = first_type(spec, np.int64(row[at + KIND]))
    return min(lowest, first_type(spec, np.int64(row[at + KIND_2]))) if row[at + COUNT_2] > 0 else lowest


@inline_jit
def end_of_types(spec, row, at):
    """The type after the last one that a payment under the description may hold."""
    end = end_type(spec, np.int64(row[at + KIND]))
    return max(end, end_type(spec, np.int64(row[at + KIND_2]))) if row[at + COUNT_2] > 0 else end


@inline_jit
def know_given(spec, row, side):
    """What a side has given leaves what others know of it; types that it cannot have given change nothing."""
    giver, taker = giver_of(row, side), giver_of(row, 1 - side)
    said, given = description_to_pay(spec, row, side), chosen_at(spec, side)
    for k in range(lowest_type(spec, row, said), end_of_types(spec, row, said)):
        most = most_given(spec, row, said, k)
        for observer in range(spec[PLAYERS] + 1):
            # (The giver's row of what it knows about itself is 0 and stays so.)
            lose(spec, row, observer, giver, k, np.int64(row[given + k]) if observer == taker else most)


@inline_jit
def know_received(spec, row, side):
    """The giver knows what it gave; others, what the words say at least: single types that are not joined by "or"."""
    giver, taker = giver_of(row, side), giver_of(row, 1 - side)
    said, given, known = description_to_pay(spec, row, side), chosen_at(spec, side), known_at(spec, giver, taker)
    for k in range(spec[TYPES]):
        row[known + k] += row[given + k]
    if row[said + LINK] == OR:
        return
    know_added(spec, row, giver, taker, np.int64(row[said + COUNT]), np.int64(row[said + KIND]))
    if row[said + LINK] == AND:
        know_added(spec, row, giver, taker, np.int64(row[said + COUNT_2]), np.int64(row[said + KIND_2]))


@inline_jit
def know_added(spec, row, giver, taker, count, kind):
    """All who did not see the cards learn that `taker` holds `count` more of a single type (of a wildcard, nothing)."""
    if kind >= spec[TYPES]:
        return
    for observer in range(spec[PLAYERS] + 1):
        if observer != giver and observer != taker:
            row[known_at(spec, observer, taker) + kind] += count


@inline_jit
def lose(spec, row, observer, holder, card, count):
    at = known_at(spec, observer, holder) + card
    row[at] = max(0, row[at] - count)


@jit
def know_conversion(spec, row, seat, card):
    """`seat` has spent a set of a type."""
    for observer in range(spec[PLAYERS] + 1):
        lose(spec, row, observer, seat, card, spec[SET_SIZE])
