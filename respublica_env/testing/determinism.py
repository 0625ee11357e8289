"""Seeds: the same one gives the same bytes, and nothing outside has a part in it."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from respublica_env.game import Game
from respublica_env.testing.door import Door, MakeEnv
from respublica_env.testing.opening import open_door
from respublica_env.testing.places import Place
from respublica_env.testing.values import difference

OTHER_SEEDS = 12  # so many seeds cannot all deal the same, even where there are only six deals


def check_determinism(make_env: MakeEnv, *, seed: int = 0, games: int = 3) -> None:
    """Play the same games twice, from the same seeds.

    - Two environments with the same seed, one of them played before, show the same to the byte to the end of the game.
    - The random streams of Python and NumPy that are shared by all are left alone.
    - `reset(seed=k)` deals as `Game(rules, seed=k)` (in row `i` as `seed=k + i`), other seeds deal something else, and
      a `reset` without a seed goes on in that game's own stream.

    Args:
        make_env: makes a new environment, see `respublica_env.testing`.
        seed: games are seeded from here on.
        games: how many are played.
    """
    one = open_door(make_env)
    with _left_alone(Place("check_determinism", one, seed)):
        for place in (Place("check_determinism", one, seed + k) for k in range(games)):
            other = open_door(make_env)
            _play_both(place, other)
            if one.seeded:
                _check_deals(place)
        if one.seeded:
            _check_other_seeds(Place("check_determinism", one, seed))


@contextmanager
def _left_alone(place: Place) -> Iterator[None]:
    """Fails when what is inside has touched a random stream that is shared by all."""
    python, numpy = random.getstate(), repr(np.random.get_state())  # noqa: NPY002 - this is what must not be used
    yield
    if random.getstate() != python:
        place.wrong("the random stream of Python's `random` was used")
    if repr(np.random.get_state()) != numpy:  # noqa: NPY002
        place.wrong("the shared random stream of NumPy, `np.random`, was used")


def _play_both(place: Place, other: Door) -> None:
    """Play a game in both at the same time, by the same decisions."""
    one = place.door
    rng = np.random.default_rng(place.seed)
    one.reset(place.seed)
    other.reset(place.seed)
    place.decision = 0
    while True:
        for row in one.rows:
            _compare(place, other, row)
        if not one.running:
            return
        actions = one.choose(rng)
        one.step(actions)
        other.step(actions)
        place.decision += 1


def _compare(place: Place, other: Door, row: int) -> None:
    one = place.door
    if one.seats(row) != other.seats(row):
        place.wrong(f"the same seed gives the learner the seats {one.seats(row)} and {other.seats(row)}", row)
    for seat in one.seats(row):
        apart = difference(one.view(row, seat), other.view(row, seat))
        if apart is not None:
            place.wrong(f"with the same seed and the same actions two environments differ, {apart}", row, seat)


def _check_deals(place: Place) -> None:
    """Whether the deals are those of `Game`, with a seed and in the resets after it."""
    door, place.decision = place.door, 0
    for decisions in (0, 5):  # between two resets
        door.reset(place.seed)
        for _ in range(3):
            for row in door.rows:
                if door.deals(row):
                    _check_deal(place, row)
            rng = np.random.default_rng(place.seed)
            for _ in range(decisions):
                door.step(door.choose(rng))
            if not door.whole and any(map(door.ended, door.rows)):
                break  # the environment may have dealt by itself
            door.reset(None)


def _check_deal(place: Place, row: int) -> None:
    door = place.door
    game, reference = door.game(row), Game(door.rules, seed=place.seed + row)
    number = door.deals(row)
    for _ in range(number - 1):
        reference.reset()
    mine, plain = game.to_dict(), reference.to_dict()
    # Where opponents have played already, the decks are those of the deal as far as they go, and the stream of the
    # decks stands where it stood.
    same = mine["streams"][0] == plain["streams"][0]
    for name in ("population_deck", "technology_deck"):
        short, long = sorted((mine[name], plain[name]), key=len)
        same = same and long[len(long) - len(short) :] == short
    if door.whole:
        same = same and mine["hands"] == plain["hands"] and mine["phase"] == plain["phase"]
    if not same:
        then = "" if number == 1 else f", and {number - 1} times reset() after it,"
        place.wrong(f"reset(seed={place.seed}){then} does not deal as Game(rules, seed={place.seed + row}) does", row)


def _check_other_seeds(place: Place) -> None:
    door, deals = place.door, set()
    for k in range(OTHER_SEEDS):
        door.reset(place.seed + k)
        game = door.game(0).to_dict()
        deals.add(repr((game["hands"], game["population_deck"], game["technology_deck"])))
    if len(deals) == 1:
        place.wrong(f"{OTHER_SEEDS} different seeds all give the same deal")
