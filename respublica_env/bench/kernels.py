"""The compiled loops of the benchmark itself. Importing this module imports Numba: do so inside functions.

A mask row of 0 and 1 bytes is read as uint64 words, 8 actions each: adding words adds 8 counts at once, and one
multiplication by 0x0101...01 turns a word into the running totals of its bytes.
"""

import sys

import numpy as np
from numpy.typing import NDArray

from respublica_env.engine._jit import Task, inline_jit, jit, wrapping
from respublica_env.engine.atomics import matrix_at, vector_at
from respublica_env.engine.batch import put_array
from respublica_env.engine.crew import ARGUMENTS, Crew
from respublica_env.engine.deal import GAMMA, scramble

_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_MOST_WORDS = 31  # a byte of their sum is at most 31, and the total at most 248: nothing overflows


@inline_jit
@wrapping
def random_word(key: np.uint64, place: np.uint64) -> np.uint64:
    """Number `place` of the splitmix64 stream `key`: no state, so any thread may ask for any place."""
    return scramble(key + (place + np.uint64(1)) * GAMMA)


@inline_jit
def random_below(key: np.uint64, place: np.uint64, bound: np.int64) -> np.int64:
    """A whole number from 0 to `bound - 1`; its bias is below bound / 2**32."""
    return np.int64(((random_word(key, place) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@jit
@wrapping
def sample_words(
    words: NDArray[np.uint64],
    key: np.uint64,
    actions: NDArray[np.int64],
    decided: NDArray[np.int64],
    part: int,
    first: int,
    end: int,
) -> None:
    """One legal action with equal chance for each row of `first..end-1`, 0 where none is legal.

    words: masks as uint64 `(B, A / 8)`, at most _MOST_WORDS a row.
    decided: int64; its entry `part` grows by the number of rows with a legal action.
    """
    size = words.shape[1]
    live = np.int64(0)
    for b in range(first, end):
        row = words[b]
        counts = np.uint64(0)
        for i in range(size):
            counts += row[i]
        total = np.int64((counts * _ONES) >> np.uint64(56))
        actions[b] = 0
        if total == 0:
            continue
        live += 1
        rank = random_below(key, np.uint64(b), total)
        # Where the chosen action lies: first the block of 8 words, then the word, then the byte. No branch depends on
        # the random number, for the processor would guess it wrong.
        passed, skipped, word = np.int64(0), np.int64(0), np.int64(0)
        for start in range(0, size - 7, 8):
            counts = np.uint64(0)
            for i in range(start, start + 8):
                counts += row[i]
            passed += np.int64((counts * _ONES) >> np.uint64(56))
            before = passed <= rank
            word += 8 * before
            skipped = passed if before else skipped
        passed = skipped
        for i in range(word, min(word + 8, size)):
            passed += np.int64((row[i] * _ONES) >> np.uint64(56))
            before = passed <= rank
            word += before
            skipped = passed if before else skipped
        # The top bit of a byte stays where the running total is at most the rank: these actions come before the chosen.
        earlier = ((_TOPS | (np.uint64(rank - skipped) * _ONES)) - row[word] * _ONES) & _TOPS
        actions[b] = 8 * word + np.int64(((earlier >> np.uint64(7)) * _ONES) >> np.uint64(56))
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
    """`sample_words` for any number of actions: masks int8 `(B, A)`, 0 or 1."""
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
    masks: NDArray[np.int8] | NDArray[np.uint64],
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
def sample_words_chunk(desk, thread, _chunk, first, end):  # type: ignore[no-untyped-def]
    """`sample_words` for the threads of a crew."""
    masks, actions = matrix_at(desk, _MASKS, np.uint64), vector_at(desk, _ACTIONS, np.int64)
    sample_words(masks, np.uint64(desk[_KEY]), actions, vector_at(desk, _DECIDED, np.int64), thread, first, end)


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
        self._masks: NDArray[np.int8] | NDArray[np.uint64] = masks
        self._sample, self._task = sample_bytes, sample_bytes_chunk
        words, rest = divmod(masks.shape[1], 8)
        if rest == 0 and words <= _MOST_WORDS and masks.flags.c_contiguous and sys.byteorder == "little":
            self._masks = masks.view(np.uint64)
            self._sample, self._task = sample_words, sample_words_chunk  # type: ignore[assignment]

    def choose(self) -> NDArray[np.int64]:
        """Choose for all rows; the choices."""
        games = len(self.actions)
        self._key = np.uint64((int(self._key) + games * int(GAMMA)) % 2**64)  # past the numbers that the last ones took
        if self._crew is None:
            self._sample(self._masks, self._key, self.actions, self._decided, 0, 0, games)  # type: ignore[arg-type]
        else:
            lay_out(self._crew.desk, self._masks, self.actions, self._decided, self._key)
            self._crew.share(self._task, games)
        return self.actions

    @property
    def decisions(self) -> int:
        """How many choices had a legal action, since the beginning."""
        return int(self._decided.sum())
