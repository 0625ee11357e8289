"""The plain values of a position: whole numbers of a shape, seats, switches. What has not their form is refused."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from respublica_env.rules import shown, whole

MOST = 32767  # a row keeps no larger count


def refuse(reason: str) -> NoReturn:
    """Raise the ValueError of an impossible position."""
    raise ValueError(f"impossible position: {reason}")


def is_list(value: Any, length: int | None = None) -> bool:
    """Whether a value is a list (or another sequence, but no string), of a length if one is given."""
    listed = isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))
    return listed and length in (None, len(value))


class Values:
    """Reads values of a position by their keys; ValueError names the key, the value and what is accepted."""

    def __init__(self, position: Mapping[str, Any], seats: int) -> None:
        self.position, self.seats = position, seats

    def numbers(self, key: str, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Whole numbers of a shape, none negative, as int64."""
        try:
            found = list(_whole_numbers(self.position[key], shape))
        except TypeError:
            raise ValueError(f"{key} must be whole numbers of shape {shape}, got {shown(self.position[key])}") from None
        if found and min(found) < 0:
            refuse(f"{key} holds the negative count {shown(min(found))}")
        if found and max(found) > MOST:
            refuse(f"{key} holds {shown(max(found))}, more than there can be")
        return np.array(found, np.int64).reshape(shape)

    def number(self, key: str, most: int) -> int:
        """A whole number from 0 to `most`."""
        try:
            value = whole(self.position[key])
        except TypeError:
            raise ValueError(f"{key} must be a whole number, got {shown(self.position[key])}") from None
        if not 0 <= value <= most:
            refuse(f"{key} is {shown(value)}, it can be 0 to {most}")
        return value

    def flag(self, key: str) -> bool:
        """True or False."""
        value = self.position[key]
        if not isinstance(value, bool):
            raise ValueError(f"{key} must be True or False, got {shown(value)}")
        return value

    def seat(self, key: str) -> int:
        """A seat, or -1 for None."""
        return -1 if self.position[key] is None else self.number(key, self.seats - 1)


def _whole_numbers(value: Any, shape: tuple[int, ...]) -> Iterator[int]:
    """The numbers of nested lists (or of an array) of a shape, in order; TypeError for anything else."""
    if not shape:
        yield whole(value)
        return
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if not is_list(listed, shape[0]):
        raise TypeError
    for part in listed:
        yield from _whole_numbers(part, shape[1:])
