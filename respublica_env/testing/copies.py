"""Copies in mid-game: they play on to the same end, and leave the original alone."""

from typing import Any

import numpy as np

from respublica_env.testing.door import Door, MakeEnv
from respublica_env.testing.opening import open_door
from respublica_env.testing.places import Place
from respublica_env.testing.values import difference

INTO_THE_NEXT = 10  # decisions that are still compared in the game after the copied one


def check_copy(make_env: MakeEnv, *, seed: int = 0, games: int = 3) -> None:
    """Copy environments somewhere in a game, by `copy.deepcopy`, by pickle, and by a method of their own.

    The first game is copied at its first decision, the others at places that spread over their length.
    All are then played on by the same decisions: first a copy, then the original, then the other copies. Each must show
    the same, to the byte, to the end of the game and into the next one.

    Args:
        make_env: makes a new environment, see `respublica_env.testing`.
        seed: games are seeded from here on.
        games: how many are played.
    """
    for k in range(games):
        door = open_door(make_env)
        place = Place("check_copy", door, seed + k)
        door.reset(place.seed)
        length = _length(door, place.seed)
        door.reset(place.seed)
        rng = np.random.default_rng(place.seed)
        while place.decision < length * k // games:
            door.step(door.choose(rng))
            place.decision += 1
        _check_here(place)


def _length(door: Door, seed: int) -> int:
    """Decisions until the game of each row has ended."""
    rng, decisions = np.random.default_rng(seed), 0
    while door.running:
        door.step(door.choose(rng))
        decisions += 1
    return decisions


def _check_here(place: Place) -> None:
    door = place.door
    copies: dict[str, Door] = {}
    for name, copier in door.copiers.items():
        try:
            copies[name] = door.duplicate(copier)
        except Exception as error:  # noqa: BLE001 - whatever it is, the environment cannot be copied
            place.wrong(f"{name} fails: {type(error).__name__}: {error}")
    first, *others = copies
    traces = {first: _played(copies[first], place.seed), "the original": _played(door, place.seed)}
    traces |= {name: _played(copies[name], place.seed) for name in others}
    for name, trace in traces.items():
        apart = difference(traces["the original"], trace)
        if apart is not None:
            place.wrong(f"after {first}, the original and the copy by {name} do not play on alike, decisions{apart}")


def _played(door: Door, seed: int) -> list[Any]:
    """What is shown from here to the end of the game, and in the next."""
    rng = np.random.default_rng(seed)
    trace = [_shown(door)]
    while door.running:
        door.step(door.choose(rng))
        trace.append(_shown(door))
    if door.seeded:
        door.reset(None)
        for _ in range(INTO_THE_NEXT):
            trace.append(_shown(door))
            door.step(door.choose(rng))
    return trace


def _shown(door: Door) -> list[Any]:
    return [[[seat, door.view(row, seat)] for seat in door.seats(row)] for row in door.rows]
