"""Numbers and arrays from outside, checked before anything changes."""

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from respublica_env.rules import shown, whole
from respublica_env.seeding import MAX_SEED, given_seeds

MOST_THREADS = 1024  # more than machines have cores; each has a stack of its own


def whole_number(name: str, value: SupportsIndex, least: int) -> int:
    """`value` as an int of at least `least`; ValueError otherwise."""
    try:
        number = whole(value)
    except TypeError:
        raise ValueError(f"{name} must be a whole number, got {shown(value)}") from None
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {shown(number)}")
    return number


def number_of_threads(value: SupportsIndex) -> int:
    """`value` as an int from 1 to MOST_THREADS; ValueError otherwise."""
    number = whole_number("threads", value, 1)
    if number > MOST_THREADS:
        raise ValueError(f"threads must be at most {MOST_THREADS}, got {shown(number)}")
    return number


def whole_numbers(must: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """`value` as an int64 array of the shape; ValueError for anything else, which begins with `must`: "x must be"."""
    given = array_of(value, must)
    if given.shape != shape or given.dtype.kind not in "iu":
        raise ValueError(f"{must} whole numbers of shape {shape}, got {given.dtype} of shape {given.shape}")
    # An unsigned number beyond int64 wraps to a negative one: as an action it is just as illegal.
    numbers = np.ascontiguousarray(given, np.int64)
    return numbers if numbers.flags.carray else numbers.copy()  # the engine is compiled for arrays that can be written


def array_of(value: ArrayLike, must: str) -> NDArray[Any]:
    """`value` as an array; ValueError, beginning with `must`, for lists that make none."""
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{must} whole numbers, as many in each row, got {shown(value)}") from None


def checked_seeds(seeds: Any, first: int, games: int) -> NDArray[np.uint64]:
    """The seeds in a state, uint64 `(games,)`; where it has none they count on from the first."""
    if seeds is None:
        return np.uint64(first) + np.arange(games, dtype=np.uint64)
    as_given = isinstance(seeds, np.ndarray) and (seeds.dtype, seeds.shape) == (np.uint64, (games,))
    if as_given and seeds.max() <= MAX_SEED:
        return seeds  # by `get_state`; others are looked at one by one
    return np.array(given_seeds(seeds, games), np.uint64)
