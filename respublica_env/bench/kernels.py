"""The compiled loops of the benchmark itself. Importing this module imports Numba: do so inside functions.

A mask row of 0 and 1 bytes is read 64 actions at a time, as the bits of a word. One multiplication by 0x0101...01 turns
8 counts, one in each byte of a word, into their running totals.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from respublica_env.engine._jit import COMPILED, Task, inline_jit, jit, wrapping
from respublica_env.engine.atomics import matrix_at, vector_at
from respublica_env.engine.batch import put_array
from respublica_env.engine.crew import ARGUMENTS, Crew
from respublica_env.engine.deal import GAMMA, scramble
from respublica_env.engine.strips import address

_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_ODD, _PAIRS, _HALVES = (np.uint64(mask) for mask in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_DIAGONAL = np.uint64(0x8040201008040201)
_BYTE, _ONE, _TWO, _FOUR, _SEVEN, _EIGHT = (np.uint64(number) for number in (0xFF, 1, 2, 4, 7, 8))
_TOP_BYTE = np.uint64(56)
_WORD = 64  # actions
_MOST_ACTIONS = 255  # running totals are bytes


@inline_jit
@wrapping
def random_word(key: np.uint64, place: np.uint64) -> np.uint64:
    """Number `place` of the splitmix64 stream `key`: no state, so any thread may ask for any place."""
    return scramble(key + (place + np.uint64(1)) * GAMMA)


@inline_jit
def random_below(key: np.uint64, place: np.uint64, bound: np.int64) -> np.int64:
    """A whole number from 0 to `bound - 1`; its bias is below bound / 2**32."""
    return np.int64(((random_word(key, place) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


if COMPILED:

    @intrinsic
    def bits_at(typingctx, mask, at):  # type: ignore[no-untyped-def] # noqa: ARG001
        """Which of the entries `mask[at : at + 64]` are not 0: bit i of the word is entry `at + i`."""

        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def] # noqa: ARG001
            entries = ir.VectorType(ir.IntType(8), _WORD)
            place = builder.bitcast(builder.gep(args[0], [args[1]]), entries.as_pointer())
            set_entries = builder.icmp_signed("!=", builder.load(place, align=1), ir.Constant(entries, None))
            return builder.bitcast(set_entries, ir.IntType(64))

        return types.uint64(mask, types.int64), codegen

else:

    def bits_at(mask: NDArray[np.int8], at: int) -> np.uint64:
        """Which of the entries `mask[at : at + 64]` are not 0: bit i of the word is entry `at + i`."""
        return np.packbits(mask[at : at + _WORD] != 0, bitorder="little").view(np.uint64)[0]


@inline_jit
@wrapping
def counts_of_bytes(bits: np.uint64) -> np.uint64:
    """How many bits are set in each byte, by adding neighbours (Warren, "Hacker's Delight", section 5-1)."""
    bits = bits - ((bits >> _ONE) & _ODD)
    bits = (bits & _PAIRS) + ((bits >> _TWO) & _PAIRS)
    return (bits + (bits >> _FOUR)) & _HALVES


@inline_jit
@wrapping
def set_bit(bits: np.uint64, rank: np.uint64) -> np.uint64:
    """Where bit number `rank` of those that are set lies, without a branch: first its byte, then the bit in it."""
    totals = counts_of_bytes(bits) * _ONES
    # The top bit of a byte stays where the running total is at most the rank: the bytes before the one that is sought.
    before = (((_TOPS | rank * _ONES) - totals) & _TOPS) >> _SEVEN
    byte = (before * _ONES) >> _TOP_BYTE
    rank = rank - (((totals << _EIGHT) >> (byte * _EIGHT)) & _BYTE)
    spread = ((((bits >> (byte * _EIGHT)) & _BYTE) * _ONES) & _DIAGONAL) + (_TOPS - _ONES)  # one bit a byte, carried up
    totals = ((spread >> _SEVEN) & _ONES) * _ONES
    before = (((_TOPS | rank * _ONES) - totals) & _TOPS) >> _SEVEN
    return byte * _EIGHT + ((before * _ONES) >> _TOP_BYTE)


@jit
@wrapping
def sample_bits(
    masks: NDArray[np.int8],
    key: np.uint64,
    actions: NDArray[np.int64],
    decided: NDArray[np.int64],
    part: int,
    first: int,
    end: int,
) -> None:
    """One legal action with equal chance for each row of `first..end-1`, 0 where none is legal.

    masks: int8 `(B, A)`, 0 or 1, C-contiguous, 64 to 255 actions.
    decided: int64; its entry `part` grows by the number of rows with a legal action.
    """
    size = masks.shape[1]
    words = (size + _WORD - 1) // _WORD
    last = size - _WORD  # the last word begins here, so that it ends with the row ...
    known = np.uint64(words * _WORD - size)  # ... and its first bits belong to the one before
    live = np.int64(0)
    for b in range(first, end):
        row = address(masks, b)
        counts = np.uint64(0)
        for i in range(words - 1):
            bits = counts_of_bytes(bits_at(row, i * _WORD)) * _ONES >> _TOP_BYTE
            counts |= bits << np.uint64(8 * i)
        bits = counts_of_bytes(bits_at(row, last) >> known) * _ONES >> _TOP_BYTE
        totals = (counts | bits << np.uint64(8 * (words - 1))) * _ONES
        total = np.int64(totals >> _TOP_BYTE)
        actions[b] = 0
        if total == 0:
            continue
        live += 1
        rank = np.uint64(random_below(key, np.uint64(b), total))
        # No branch depends on the random number, for the processor would guess it wrong.
        word = np.int64(0)
        for i in range(words - 1):
            word += np.int64(((totals >> np.uint64(8 * i)) & _BYTE) <= rank)
        rank -= ((totals << _EIGHT) >> np.uint64(8 * word)) & _BYTE
        at, skipped = (last, known) if word == words - 1 else (word * _WORD, np.uint64(0))
        actions[b] = word * _WORD + np.int64(set_bit(bits_at(row, at) >> skipped, rank))
    decided[part] += live


@jit
@wrapping
def sample_bytes(
    masks: NDArray[np.int8],
    key: np.uint64,
    actions: NDArray[np.int64],
    decided: NDArray[np.int64],
    part: int,
    first: int,
    end: int,
) -> None:
    """`sample_bits` for any number of actions."""
    live = np.int64(0)
    for b in range(first, end):
        row = masks[b]
        total = np.int64(0)
        for a in range(row.shape[0]):
            total += np.int64(row[a])
        actions[b] = 0
        if total == 0:
            continue
        live += 1
        rank = random_below(key, np.uint64(b), total)
        for a in range(row.shape[0]):
            if row[a] != 0:
                if rank == 0:
                    actions[b] = a
                    break
                rank -= 1
    decided[part] += live


@jit
def write_rows(
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    features: NDArray[np.int64],
    legal: NDArray[np.int64],
    value: np.float32,
) -> None:
    """The writing ceiling: zero both rows of every game, scatter `features` numbers and `legal` bits."""
    for b in range(observations.shape[0]):
        observation, mask = observations[b], masks[b]
        observation[:] = np.float32(0)
        mask[:] = 0
        for i in range(features.shape[0]):
            observation[features[i]] = value
        for i in range(legal.shape[0]):
            mask[legal[i]] = 1


_MASKS, _ACTIONS, _DECIDED, _KEY = range(ARGUMENTS, ARGUMENTS + 12, 3)  # on the desk of a crew


@jit
def lay_out(
    desk: NDArray[np.int64],
    masks: NDArray[np.int8],
    actions: NDArray[np.int64],
    decided: NDArray[np.int64],
    key: np.uint64,
) -> None:
    """Put the arguments of the tasks below on the desk."""
    put_array(desk, _MASKS, masks)
    put_array(desk, _ACTIONS, actions)
    put_array(desk, _DECIDED, decided)
    desk[_KEY] = np.int64(key)


@Task
def sample_bits_chunk(desk, thread, _chunk, first, end):  # type: ignore[no-untyped-def]
    """`sample_bits` for the threads of a crew."""
    masks, actions = matrix_at(desk, _MASKS, np.int8), vector_at(desk, _ACTIONS, np.int64)
    sample_bits(masks, np.uint64(desk[_KEY]), actions, vector_at(desk, _DECIDED, np.int64), thread, first, end)


@Task
def sample_bytes_chunk(desk, thread, _chunk, first, end):  # type: ignore[no-untyped-def]
    """`sample_bytes` for the threads of a crew."""
    masks, actions = matrix_at(desk, _MASKS, np.int8), vector_at(desk, _ACTIONS, np.int64)
    sample_bytes(masks, np.uint64(desk[_KEY]), actions, vector_at(desk, _DECIDED, np.int64), thread, first, end)


class Sampler:
    """Random legal actions for the rows of a block of masks.

    Args:
        masks: int8 `(B, A)`, 0 or 1, C-contiguous. Read anew at every call.
        seed: of the sampler's own stream.
        crew: threads that share the work; None is the caller's alone.

    Attributes:
        actions: int64 `(B,)`, the last choices; 0 where no action is legal.
    """

    def __init__(self, masks: NDArray[np.int8], seed: int, crew: Crew | None = None) -> None:
        self.actions = np.zeros(len(masks), np.int64)
        self._crew = crew
        self._decided = np.zeros(1 if crew is None else crew.size, np.int64)
        self._key = np.uint64(seed)
        self._masks = masks
        self._sample, self._task = sample_bytes, sample_bytes_chunk
        if _WORD <= masks.shape[1] <= _MOST_ACTIONS and masks.flags.c_contiguous:
            self._sample, self._task = sample_bits, sample_bits_chunk

    def choose(self) -> NDArray[np.int64]:
        """Choose for all rows; the choices."""
        games = len(self.actions)
        self._key = np.uint64((int(self._key) + games * int(GAMMA)) % 2**64)  # past the numbers that the last ones took
        if self._crew is None:
            self._sample(self._masks, self._key, self.actions, self._decided, 0, 0, games)
        else:
            lay_out(self._crew.desk, self._masks, self.actions, self._decided, self._key)
            self._crew.share(self._task, games)
        return self.actions

    @property
    def decisions(self) -> int:
        """How many choices had a legal action, since the beginning."""
        return int(self._decided.sum())
