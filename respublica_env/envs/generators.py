"""Chance for Python opponents: a Generator for each game and seat, so that nobody's play depends on who else plays.

`act` is asked for many games at once, but has one argument for chance. It is given `ManyGenerators`, which draws for
each row from that row's own Generator, wherever the first axis of what is drawn is that of the rows: `rng.random((B,
A))`, `rng.integers(masks.sum(axis=1))`. That is what drawing in each game alone would give. A draw that belongs to no
single row (`rng.choice(...)` in a loop, `rng.random()`) raises `CannotSplit`: whoever asked then asks game by game.
"""

import operator
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Key = tuple[int, int]  # game, number


class CannotSplit(BaseException):  # not an Exception: no `except Exception` of an agent may swallow it
    """A draw that belongs to no single row."""


class Streams:
    """A Generator for each game and number (a seat, say), made when it is first asked for.

    Generator `number` of a game with the seed `s` starts as `numpy.random.default_rng((s, number))`.
    """

    def __init__(self, seeds: NDArray[np.uint64]) -> None:
        self._seeds = seeds.copy()  # (B,)
        self._made: dict[Key, np.random.Generator] = {}
        self._past: _Past | None = None

    def restart(self, games: NDArray[np.int64], seeds: NDArray[np.uint64]) -> None:
        """Start all Generators of `games`, int64 `(k,)`, anew from `seeds`, uint64 `(k,)`."""
        self._seeds[games] = seeds
        if self._made:
            again = set(games.tolist())
            self._made = {key: made for key, made in self._made.items() if key[0] not in again}

    def of(self, game: int, number: int) -> np.random.Generator:
        """The Generator."""
        key = (game, number)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = np.random.default_rng((int(self._seeds[game]), number))
        elif self._past is not None and key not in self._past.states and made is self._past.made.get(key):
            self._past.states[key] = made.bit_generator.state
        return made

    def mark(self) -> None:
        """Remember where all Generators stand, for `undo`."""
        self._past = _Past(self._seeds.copy(), self._made.copy(), {})

    def undo(self) -> None:
        """Go back to where `mark` was called."""
        assert self._past is not None
        self._seeds[:] = self._past.seeds
        self._made = self._past.made
        for key, state in self._past.states.items():
            self._made[key].bit_generator.state = state
        self._past = None

    def unmark(self) -> None:
        """Forget what `mark` remembered."""
        self._past = None


class _Past(NamedTuple):
    """Where Generators stood; `states` holds those of the Generators that have been used since."""

    seeds: NDArray[np.uint64]
    made: dict[Key, np.random.Generator]
    states: dict[Key, Any]


class ManyGenerators(np.random.Generator):
    """Draws the rows of an array each from a Generator of its own."""

    def __init__(self, generators: Callable[[], list[np.random.Generator]], rows: int) -> None:
        super().__init__(_NEVER_DRAWN)
        self._generators = generators  # called by the first draw: most agents make none
        self._rows = rows
        self._own: list[np.random.Generator] = []
        self._before: list[Any] = []

    def take_back(self) -> None:
        """Undo all draws."""
        for generator, state in zip(self._own, self._before, strict=True):
            generator.bit_generator.state = state

    def _draw(self, method: str, size_at: int, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Call `method` of each row's Generator with that row's part of the arguments."""
        values: dict[Any, Any] = {**dict(enumerate(arguments)), **keywords}
        size_key = "size" if "size" in values else size_at
        size = values.get(size_key)
        rest = [(key, _array(value)) for key, value in values.items() if key != size_key]
        arrays = {key: array for key, array in rest if array is not None}
        shapes = [array.shape for array in arrays.values()] + ([] if size is None else [_shape(size)])
        if not shapes or any(len(shape) != len(shapes[0]) or shape[0] != self._rows for shape in shapes):
            raise CannotSplit
        if size is not None:
            values[size_key] = (1, *shapes[-1][1:])
        if not self._own:
            self._own = self._generators()
            self._before = [generator.bit_generator.state for generator in self._own]
        positional = [values.pop(key) for key in range(len(arguments))]
        drawn = []
        for row, generator in enumerate(self._own):
            for key, array in arrays.items():
                (positional if isinstance(key, int) else values)[key] = array[row : row + 1]
            drawn.append(getattr(generator, method)(*positional, **values))
        return np.concatenate(drawn)

    def __str__(self) -> str:
        return f"{type(self).__name__} of {self._rows} rows"

    __repr__ = __str__


def _shape(size: Any) -> tuple[int, ...]:
    parts: Iterable[Any] = size if isinstance(size, Iterable) else (size,)
    return tuple(operator.index(part) for part in parts) or (0,)  # no axis at all is no rows


def _array(value: Any) -> NDArray[Any] | None:
    """The value where it has rows, None for a scalar (and what is no number, such as a dtype)."""
    if isinstance(value, (np.ndarray, list, tuple)) and np.ndim(value) > 0:
        return np.asarray(value)
    return None


def _splitting(method: str, size_at: int) -> Callable[..., Any]:
    def draw(self: ManyGenerators, *arguments: Any, **keywords: Any) -> Any:
        return self._draw(method, size_at, arguments, keywords)

    return draw


def _refused(self: ManyGenerators, *arguments: Any, **keywords: Any) -> Any:
    del self, arguments, keywords
    raise CannotSplit


_NEVER_DRAWN = np.random.PCG64(0)  # a Generator must have one; every method that would use it is replaced

# The methods whose draws have a first axis, with the position of their argument `size`.
_SIZE_AT = {
    "exponential": 1,
    "gumbel": 2,
    "integers": 2,
    "normal": 2,
    "random": 0,
    "standard_exponential": 0,
    "standard_normal": 0,
    "uniform": 2,
}
for _name in dir(np.random.Generator):
    if not _name.startswith("_"):
        _method = _splitting(_name, _SIZE_AT[_name]) if _name in _SIZE_AT else _refused
        setattr(ManyGenerators, _name, property(_refused) if _name == "bit_generator" else _method)
