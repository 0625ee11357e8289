"""Opponents by name: who plays the seats that the learner does not.

The bots that are compiled into the engine are here under their names, by the number that `Batch.controllers` takes.
They play inside the batch's own loop, so that nothing of a step happens in Python between two decisions of a learner.
`register` adds others; from a clone, `import agents` does so.

An opponent is given as

- a name;
- an agent with `act(observations, action_masks, rng) -> actions`, asked for many games at once: float32 `(B, D)` and
  int8 `(B, A)`, what the seats to decide see and may do, to whole numbers `(B,)`;
- an agent with `choose(game, seat, rng) -> action`, for one game at a time: a copy, at which it may look only through
  `game.determinize` and what `seat` may see;
- a plain function, called as `act` is.

An agent may have a `name` for messages, the number of a compiled bot as `bot` (which then plays in its place), and
`check(rules)`, which raises ValueError when it cannot play under the rules.
For the replay page it may have `probabilities(observations, action_masks)`, `(B, A)`, and `values(observations)`,
`(B,)`: see respublica_env/replay/policy.py.

`opponents=` of the environments takes one of these for all other seats, a list with one for each, or an object with
`lineup(rng)`: it is asked for one of the former at each deal of each game, with a Generator of that game's own, so that
a league can draw whom to meet.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from respublica_env.engine.bots import BOT_NAMES
from respublica_env.rules import shown

BOTS: dict[str, int] = {name: number for number, name in enumerate(BOT_NAMES)}


class _Entry(NamedTuple):
    load: Callable[[str], object]
    knows: Callable[[str], bool]


_REGISTRY: dict[str, _Entry] = {}


class PythonOpponent:
    """An opponent that is not compiled.

    Attributes:
        agent: as given.
        name: how messages name it.
        act, choose: how it is asked, the one that it does not have being None.
        splits: whether its draws in many games at once can be told apart (see envs/generators.py).
    """

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.name = str(getattr(agent, "name", None) or getattr(agent, "__name__", None) or type(agent).__name__)
        self.act: Callable[..., Any] | None = getattr(agent, "act", None)
        self.choose: Callable[..., Any] | None = None
        if self.act is None:
            self.choose = getattr(agent, "choose", None)
            self.act = agent if self.choose is None else None
        self.splits = True


def register(name: str, load: Callable[[str], object], knows: Callable[[str], bool] | None = None) -> None:
    """Make opponents known by name.

    Args:
        name: as messages list it; it replaces what was registered under it before.
        load: makes the opponent (in any form but a list) from the name that was given.
        knows: whether a given name means this one, for names that are a pattern ("search:N", a path); None: `name`
            alone does.

    Raises ValueError for what is no string, and for the name of a compiled bot.
    """
    if not isinstance(name, str):
        raise ValueError(f"a name is a string, got {shown(name)}")
    if name in BOTS:
        raise ValueError(f"the name {name!r} is that of a compiled bot")
    _REGISTRY[name] = _Entry(load, knows or name.__eq__)


def known_names() -> list[str]:
    """The names of all opponents, the compiled ones first."""
    return [*BOTS, *_REGISTRY]


Found = int | PythonOpponent  # the number of a compiled bot, or how an agent is asked


def find(opponent: object) -> Found:
    """An opponent in any form but a list: the number of the compiled bot that plays it, or how it is asked.

    Raises ValueError, naming what is accepted, for anything else.
    """
    if isinstance(opponent, (str, os.PathLike)):
        return _find_name(os.fspath(opponent))
    number = getattr(opponent, "bot", None)
    asked = (getattr(opponent, "act", None), getattr(opponent, "choose", None), opponent)
    if isinstance(opponent, type) or not (isinstance(number, int) or any(map(callable, asked))):
        raise ValueError(
            f"an opponent is a name ({', '.join(known_names())}), an agent with `act` or `choose` (not its class), "
            f"or a function that is called as `act` is; got {shown(opponent)}"
        )
    return PythonOpponent(opponent) if number is None else _check_number(number)


def _check_number(number: Any) -> int:
    if isinstance(number, int) and 0 <= number < len(BOTS):
        return number
    raise ValueError(
        f"an agent's `bot` is None or from 0 to {len(BOTS) - 1}, the number of a compiled bot, got {shown(number)}"
    )


def _find_name(name: str | bytes) -> Found:
    if isinstance(name, str):
        if name in BOTS:
            return BOTS[name]
        for entry in _REGISTRY.values():
            if entry.knows(name):
                return find(entry.load(name))
    raise ValueError(
        f"no opponent is named {shown(name)}; there are: {', '.join(known_names())} "
        "(from a clone, `import agents` adds what it has)"
    )


def bot_number(opponent: object) -> int:
    """The number of a compiled bot, given by name or as an agent that has it as `.bot`.

    Raises ValueError, naming the compiled ones, for anything else.
    """
    found = find(opponent)
    if isinstance(found, int):
        return found
    raise ValueError(f"a compiled opponent is wanted, one of {', '.join(BOTS)}, got {shown(opponent)}")


def for_each_seat(opponents: object, others: int) -> list[object]:
    """One for each of the `others` seats: entry `j` plays the seat `j + 1` seats after the learner's.

    opponents: one for all, or a list or tuple with one for each of those seats; ValueError when these are too few or
    too many.
    """
    if not isinstance(opponents, Sequence) or isinstance(opponents, (str, bytes)):
        return [opponents] * others
    if len(opponents) != others:
        raise ValueError(f"opponents must be one, or one for each of the {others} other seats, got {len(opponents)}")
    return list(opponents)
