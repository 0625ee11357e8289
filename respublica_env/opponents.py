"""Opponents by name: who plays the seats that the learner does not.

The bots that are compiled into the engine are here under their names, by the number that `Batch.controllers` takes.
They play inside the batch's own loop, so that nothing of a step happens in Python between two decisions of a learner.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from respublica_env.engine.bots import BOT_NAMES

BOTS: dict[str, int] = {name: number for number, name in enumerate(BOT_NAMES)}


def bot_number(opponent: object) -> int:
    """The number of a compiled bot, given by name or as an agent that has it as `.bot`.

    Raises ValueError, naming the known ones, for anything else.
    """
    if isinstance(opponent, str):
        if opponent in BOTS:
            return BOTS[opponent]
        raise ValueError(
            f"no opponent is named {opponent!r}; there are: {', '.join(BOTS)} "
            "(from a clone, `import agents` adds what it has)"
        )
    number = getattr(opponent, "bot", None)
    if isinstance(number, int) and 0 <= number < len(BOTS):
        return number
    raise ValueError(f"an opponent is a name ({', '.join(BOTS)}) or an agent compiled under one, got {opponent!r}")


def bot_numbers(opponents: object, others: int) -> NDArray[np.int8]:
    """The bots of the `others` seats, int8 `(others,)`: entry `j` plays the seat `j + 1` seats after the learner's.

    opponents: one for all, or a list or tuple with one for each of those seats. Raises ValueError when there are too
    few or too many, or one is unknown.
    """
    if not isinstance(opponents, Sequence) or isinstance(opponents, str):
        return np.full(others, bot_number(opponents), np.int8)
    if len(opponents) != others:
        raise ValueError(f"opponents must be one, or one for each of the {others} other seats, got {len(opponents)}")
    return np.array([bot_number(opponent) for opponent in opponents], np.int8)
