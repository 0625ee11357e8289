"""Seeds as every door takes them: a whole number from 0 to 2^63 - 1, or None for entropy from the system."""

import operator
import secrets
from typing import SupportsIndex

import numpy as np

MAX_SEED = 2**63 - 1


def check_seed(seed: SupportsIndex | None, games: int = 1) -> int:
    """The seed as an int; None draws one from the system. `games` seeds from it on must fit as well.

    Raises ValueError for anything but a whole number in range.
    """
    if seed is None:
        return secrets.randbelow(2**62)
    try:
        if isinstance(seed, (bool, np.bool_)):
            raise TypeError
        number = operator.index(seed)
    except TypeError:
        raise ValueError(f"seed must be None or a whole number from 0 to 2**63 - 1, got {seed!r}") from None
    if not 0 <= number <= MAX_SEED - (games - 1):
        last = "2**63 - 1" if games == 1 else f"2**63 - {games} (the last of {games} games has the seed + {games - 1})"
        raise ValueError(f"seed must be from 0 to {last}, got {number}")
    return number
