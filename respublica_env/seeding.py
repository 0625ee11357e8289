"""Seeds as every door takes them: a whole number from 0 to 2^63 - 1, or None for entropy from the system."""

import secrets
from collections.abc import Iterable
from itertools import islice
from typing import SupportsIndex

from respublica_env.rules import shown, whole

MAX_SEED = 2**63 - 1


def check_seed(seed: SupportsIndex | None, games: int = 1) -> int:
    """The seed as an int; None draws one from the system. `games` seeds from it on must fit as well.

    Raises ValueError for anything but a whole number in range.
    """
    return secrets.randbelow(2**62) if seed is None else given_seed(seed, games, "None or a")


def given_seed(seed: SupportsIndex, games: int = 1, accepted: str = "a") -> int:
    """The same where None is no seed: what is to be played again needs one that is known."""
    try:
        number = whole(seed)
    except TypeError:
        raise ValueError(f"seed must be {accepted} whole number from 0 to 2**63 - 1, got {shown(seed)}") from None
    if not 0 <= number <= MAX_SEED - (games - 1):
        last = "2**63 - 1" if games == 1 else f"2**63 - {games} (the last of {games} games has the seed + {games - 1})"
        raise ValueError(f"seed must be from 0 to {last}, got {shown(number)}")
    return number


def given_seeds(seeds: Iterable[SupportsIndex], games: int) -> list[int]:
    """One seed for each of some games. Raises ValueError for too few, too many, or anything that is no seed."""
    try:
        numbers = [given_seed(seed) for seed in islice(seeds, games + 1)]
    except TypeError:
        raise ValueError(f"seeds must be None, a seed, or one for each of {games} games, got {shown(seeds)}") from None
    if len(numbers) != games:
        got = f"more than {games}" if len(numbers) > games else len(numbers)
        raise ValueError(f"seeds must hold one seed for each of the {games} games, got {got}")
    return numbers
