"""One game is one row of one array: where each field lives in it.

A row is int16, `(row_size,)`; a batch is `(B, row_size)`. Its scalars stand at fixed places (the constants
`PHASE` to `POPULATION_DRAWN`), its blocks at offsets that depend on the rules:

    hands     (n, K)        cards in hand, by seat and type
    backs     (n, 2)        cards in hand by seat and back: population, technology
    said      (n, 6)        what each seat said this turn: form, link, count, kind, second count, second kind
    chosen    (2, K)        cards chosen in HAND_OVER by the active player and by the partner
    cities    (n,)          cities of each seat
    builders  (M,)          seat that built each monument of the pile, top first (the first BUILT count)
    standing  (n, 3)        what each seat has built as the observation shows it: cities, monuments and points, float32
    spent     (K,)          cards out of the game
    known     (n + 1, n, K) known holdings by observer; the last observer is the spectator
    decks     (cards,)      the population deck, then the technology deck, in the order of drawing
    streams   (n + 2, 4)    random streams, 64 bits each: the decks, the bot of each seat, the learner's seat

`backs` and `standing` could be worked out from the others; every decision asks for them, and few change them.

Everything that depends only on the rules is in the *spec*, int64 `(spec_size,)`, read through the constants
`PLAYERS` to `PILE`; behind them stand the points of the monuments. Compiled functions take `(spec, row, ...)`.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from respublica_env.actions import action_table
from respublica_env.engine._jit import inline_jit
from respublica_env.observation import blocks, observation_layout
from respublica_env.rules import Rules

Spec = NDArray[np.int64]
Row = NDArray[np.int16]

# Phases, in the order of observation.PHASE_NAMES.
ANNOUNCE, EXTEND, RESPOND, ACCEPT, HAND_OVER, CONVERT, DRAW, FINAL_CONVERT, OVER = range(9)

# Scalars of a row. The turn count has two fields, 15 bits each: max_turns may be a billion.
(
    PHASE,
    ACTIVE,  # seat, -1 when over
    PLAYER,  # seat to decide, -1 when over
    PARTNER,  # seat whose answer was taken, -1 outside HAND_OVER
    TURN_LOW,
    TURN_HIGH,
    FINAL_ROUND,  # 1 from the moment it has begun
    FINAL_TURNS_LEFT,
    FINAL_CONVERTS_LEFT,  # players who still convert in FINAL_CONVERT, the present one included
    STALLED,
    BUILT,  # monuments built
    POPULATION_DRAWN,  # cards gone from the population deck
    TECHNOLOGY_DRAWN,
    HANDS,  # where the first block begins; the other blocks follow it
) = range(14)

# What a seat has said this turn (the block `said`).
FORM, LINK, COUNT, KIND, COUNT_2, KIND_2, SAID_SIZE = range(7)
SILENT, PASSED, OFFERED, SOUGHT = range(4)  # FORM
ALONE, AND, OR = range(3)  # LINK

# The spec: sizes and limits from the rules, then where blocks, actions and pieces of the observation begin.
(
    PLAYERS,
    POPULATION_TYPES,
    TYPES,
    KINDS,
    COPIES,
    HAND_SIZE,
    SET_SIZE,
    CITY_POINTS,
    MONUMENTS,
    NUM_CITIES,
    PAIR_POINTS,
    MAX_DRAW,
    MAX_COUNT,
    MAX_TERMS,
    OPTIONAL_DRAW,
    MAX_TURNS,
    AUTO_FORCED,
    POPULATION_CARDS,
    TECHNOLOGY_CARDS,
    MOST_POINTS,  # of all cities and all monuments
    BACKS,
    SAID,
    CHOSEN,
    CITIES,
    BUILDERS,
    STANDING,
    SPENT,
    KNOWN,
    DECKS,
    STREAMS,
    ROW_SIZE,
    TERMS,
    OFFER_IDS,
    SEEK_IDS,
    AND_IDS,
    OR_IDS,
    ACCEPT_IDS,
    GIVE_IDS,
    CONVERT_IDS,
    DRAW_IDS,
    NUM_ACTIONS,
    OBSERVATION,  # offsets of the blocks of the observation, in their order
) = range(42)
OBSERVATION_BLOCKS = 18
PILE = OBSERVATION + OBSERVATION_BLOCKS

MAX_RUNS = 40  # EXTEND: PASS, one run for each of at most 19 kinds after AND and after OR; and one to spare


MOST_ACTIONS = 1_000_000


@lru_cache(maxsize=256)
def make_spec(rules: Rules) -> Spec:
    """The spec of `rules`, int64, read-only; equal rules share it.

    Raises ValueError for rules with more than `MOST_ACTIONS` actions, of which no mask could be kept.
    """
    n, kinds, types = rules.num_players, rules.num_kinds, rules.num_types
    population_cards = rules.population_types * rules.copies
    technology_cards = rules.technology_types * rules.copies
    monuments = len(rules.monument_points)
    # More monuments than sets of technology cards can never be built: no room is kept for them.
    buildable = min(monuments, technology_cards // rules.set_size)
    offsets = []
    place = HANDS + n * types
    for size in (
        2 * n,
        n * SAID_SIZE,
        2 * types,
        n,
        buildable,
        6 * n,
        types,
        (n + 1) * n * types,
        population_cards + technology_cards,
        4 * (n + 2),
    ):
        offsets.append(place)
        place += size
    table = action_table(rules)
    if table.size > MOST_ACTIONS:
        raise ValueError(
            f"max_draw {rules.max_draw} makes {table.size:,} actions; the engine plays with at most {MOST_ACTIONS:,}"
        )
    ids = [
        span.start
        for span in (
            table.offer,
            table.seek,
            table.and_,
            table.or_,
            table.accept,
            table.give,
            table.convert,
            table.draw,
        )
    ]
    layout = observation_layout(rules)
    assert len(layout) == OBSERVATION_BLOCKS
    spec = np.array(
        [
            n,
            rules.population_types,
            types,
            kinds,
            rules.copies,
            rules.hand_size,
            rules.set_size,
            rules.city_points,
            monuments,
            rules.num_cities,
            rules.pair_points,
            rules.max_draw,
            rules.max_count,
            rules.max_terms,
            rules.optional_draw,
            rules.max_turns,
            rules.auto_forced,
            population_cards,
            technology_cards,
            rules.num_cities * rules.city_points + sum(rules.monument_points),
            *offsets,
            place,
            table.terms,
            *ids,
            table.size,
            *(block.start for block in layout.values()),
            *rules.monument_points,
        ],
        dtype=np.int64,
    )
    spec.setflags(write=False)
    return spec


@lru_cache(maxsize=256)
def make_shares(rules: Rules) -> NDArray[np.float32]:
    """Correctly rounded float32 quotients by numerator, read-only, for the divisors that most of an observation has.

    `0/max_count .. max_count/max_count`, then the same for the population deck, then for the technology deck.
    """
    divisors = (rules.max_count, *next(block.divisors for block in blocks(rules) if block.name == "decks"))
    shares = np.concatenate([np.arange(whole + 1, dtype=np.float32) / np.float32(whole) for whole in divisors])
    shares.setflags(write=False)
    return shares


@inline_jit
def share(count, whole):
    """`count / whole` as float32; of numbers below 2^24 the correctly rounded quotient, for float64 is precise enough.

    (Between such a quotient and the middle of two float32 numbers lies more than float64's error, or nothing.)
    """
    return np.float32(count / whole)


@inline_jit
def turns_completed(row):
    """Turns completed so far."""
    return np.int64(row[TURN_HIGH]) * 32768 + np.int64(row[TURN_LOW])


@inline_jit
def set_turns_completed(row, turns):
    row[TURN_HIGH] = turns // 32768
    row[TURN_LOW] = turns % 32768


@inline_jit
def said_at(spec, seat):
    """Where the six fields of what `seat` said begin."""
    return spec[SAID] + seat * SAID_SIZE


@inline_jit
def known_at(spec, observer, holder):
    """Where the K counts begin of what `observer` (n: the spectator) is sure that `holder` holds."""
    return spec[KNOWN] + (observer * spec[PLAYERS] + holder) * spec[TYPES]


@inline_jit
def backs_at(spec, seat):
    """Where the two numbers of cards in hand by back begin."""
    return spec[BACKS] + 2 * seat


@inline_jit
def standing_at(spec, seat):
    """Where the three float32 numbers begin that show what a seat has built."""
    return spec[STANDING] + 6 * seat


@inline_jit
def move_card(spec, row, seat, card, change):
    """Add `change` cards of a type to a hand."""
    row[HANDS + seat * spec[TYPES] + card] += change
    row[backs_at(spec, seat) + (0 if card < spec[POPULATION_TYPES] else 1)] += change


@inline_jit
def seat_after(spec, seat):
    """The next seat in the order of play."""
    following = seat + 1
    return following if following < spec[PLAYERS] else 0
