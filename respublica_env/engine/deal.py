"""Random streams, shuffling, set-up.

Two shuffled decks: population and technology. Seat 0 receives the first `hand_size` cards of the population
deck, seat 1 the next, and so on. Seat 0 starts.

A row holds its own random streams, 64 bits each: one for the decks, one for the bot of each seat, one for the
choice of the learner's seat. A bot's choices therefore never change the deal. The generator is SplitMix64
(Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014); a stream starts at a
hash of the seed and its own number.
"""

import numpy as np

from respublica_env.engine._jit import inline_jit, jit, wrapping
from respublica_env.engine.state import (
    ACTIVE,
    ANNOUNCE,
    COPIES,
    DECKS,
    HAND_SIZE,
    PARTNER,
    PHASE,
    PLAYER,
    PLAYERS,
    POPULATION_CARDS,
    POPULATION_DRAWN,
    POPULATION_TYPES,
    STREAMS,
    TECHNOLOGY_CARDS,
    TECHNOLOGY_DRAWN,
    TYPES,
    move_card,
)

GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
SHIFT_16, SHIFT_27, SHIFT_30, SHIFT_31, SHIFT_32 = (np.uint64(bits) for bits in (16, 27, 30, 31, 32))
LOW_16 = np.uint64(0xFFFF)


@wrapping
@inline_jit
def scramble(word):
    """The output function of SplitMix64, a bijection of 64-bit words."""
    word = (word ^ (word >> SHIFT_30)) * FIRST_FACTOR
    word = (word ^ (word >> SHIFT_27)) * SECOND_FACTOR
    return word ^ (word >> SHIFT_31)


@inline_jit
def write_word(row, at, word):
    """Store a uint64 in four int16 fields."""
    for i in range(4):
        part = np.int64(word & LOW_16)
        row[at + i] = part - ((part & 0x8000) << 1)  # as a signed number, without relying on a wrapping cast
        word = word >> SHIFT_16


@wrapping
@inline_jit
def next_word(row, at):
    """The next uint64 of the stream whose four fields begin at `at`."""
    word = np.uint64(0)
    for i in range(3, -1, -1):
        word = (word << SHIFT_16) | np.uint64(np.int64(row[at + i]) & 0xFFFF)
    word = word + GAMMA
    write_word(row, at, word)
    return scramble(word)


@inline_jit
def random_below(row, at, bound):
    """A number 0..bound-1 from the stream at `at`; the bias is below bound / 2^32."""
    return np.int64(((next_word(row, at) >> SHIFT_32) * np.uint64(bound)) >> SHIFT_32)


@inline_jit
def deck_stream(spec):
    return spec[STREAMS]


@inline_jit
def bot_stream(spec, seat):
    return spec[STREAMS] + 4 * (1 + seat)


@inline_jit
def seat_stream(spec):
    """The stream that chooses the learner's seat."""
    return spec[STREAMS] + 4 * (1 + spec[PLAYERS])


@wrapping
@jit
def seed_streams(spec, row, seed):
    """Start all streams of a row from one seed (uint64)."""
    base = scramble(np.uint64(seed))
    for stream in range(spec[PLAYERS] + 2):
        base = base + GAMMA
        write_word(row, spec[STREAMS] + 4 * stream, scramble(base))


@jit
def shuffle_part(row, stream, start, size):
    """Fisher and Yates, over `size` fields from `start`."""
    for i in range(size - 1, 0, -1):
        j = random_below(row, stream, i + 1)
        card = row[start + i]
        row[start + i] = row[start + j]
        row[start + j] = card


@jit
def shuffle_decks(spec, row):
    """Both decks anew, from the row's deck stream."""
    at = spec[DECKS]
    for k in range(spec[TYPES]):
        for _ in range(spec[COPIES]):
            row[at] = k
            at += 1
    shuffle_part(row, deck_stream(spec), spec[DECKS], spec[POPULATION_CARDS])
    shuffle_part(row, deck_stream(spec), spec[DECKS] + spec[POPULATION_CARDS], spec[TECHNOLOGY_CARDS])


@jit
def set_up(spec, row):
    """Begin a game with the decks that lie in the row."""
    for i in range(spec[DECKS]):
        row[i] = 0
    for seat in range(spec[PLAYERS]):
        for _ in range(spec[HAND_SIZE]):
            draw_population(spec, row, seat)
    row[PHASE] = ANNOUNCE
    row[ACTIVE] = 0
    row[PLAYER] = 0
    row[PARTNER] = -1


@inline_jit
def draw_population(spec, row, seat):
    card = np.int64(row[spec[DECKS] + row[POPULATION_DRAWN]])
    row[POPULATION_DRAWN] += 1
    move_card(spec, row, seat, card, 1)


@inline_jit
def draw_technology(spec, row, seat):
    card = np.int64(row[spec[DECKS] + spec[POPULATION_CARDS] + row[TECHNOLOGY_DRAWN]])
    row[TECHNOLOGY_DRAWN] += 1
    move_card(spec, row, seat, card, 1)


@inline_jit
def population_left(spec, row):
    """Cards left in the population deck."""
    return spec[POPULATION_CARDS] - row[POPULATION_DRAWN]


@inline_jit
def technology_left(spec, row):
    """Cards left in the technology deck."""
    return spec[TECHNOLOGY_CARDS] - row[TECHNOLOGY_DRAWN]


@inline_jit
def is_population(spec, card):
    return card < spec[POPULATION_TYPES]
