"""Hidden information: what a seat is shown depends on nothing that it cannot know."""

from itertools import product

import numpy as np

from respublica_env.game import Game
from respublica_env.testing.door import Door, MakeEnv
from respublica_env.testing.opening import open_door
from respublica_env.testing.places import Place
from respublica_env.testing.values import difference

EVERY = 8  # decisions between two places where worlds are compared
TOGETHER = 12  # decisions for which they are
DRAWN = 0.05  # how often what is rendered is compared, too

PASS = 0


def check_no_leak(make_env: MakeEnv, *, seed: int = 0, games: int = 3) -> None:
    """Compare what a seat is shown in two worlds that differ only in what it cannot know.

    At the start for every seat, and at many decisions for each in turn, the environment is copied twice, and in one
    copy everything that the seat cannot see is dealt anew (`Game.determinize`). Both are played on by the same
    decisions. For as long as the engine's observation of the seat is the same in both, all that the environment shows
    it must be the same to the byte: observation, mask, infos, rewards, and what is rendered. (At the end of the game
    rewards and scores tell of the hands, and rightly so; observation and mask must still be the same.)

    Where another seat has a choice in one world and none in the other, it passes in both: nothing may show which of the
    two it was. Who decides by `opponents=` inside an environment is replaced by players who do the same.

    Args:
        make_env: makes a new environment, see `respublica_env.testing`.
        seed: games are seeded from here on.
        games: how many are played.
    """
    door = open_door(make_env)
    door.keep_to_what_all_know()
    for place in (Place("check_no_leak", door, seed + k) for k in range(games)):
        rng = np.random.default_rng(place.seed)
        door.reset(place.seed)
        for row in door.rows:
            for seat in door.seats(row):
                _compare(place, door.new_worlds(place.seed, row, seat, rng), row, seat, rng)
        while door.running:
            row = int(rng.choice(door.rows))
            if place.decision % EVERY == 0 and not door.ended(row):
                seats = door.seats(row)
                seat = seats[place.decision // EVERY % len(seats)]
                _compare(place, door.worlds(row, seat, rng), row, seat, rng)
            door.step(door.choose(rng))
            place.decision += 1


def _compare(place: Place, worlds: tuple[Door, Door], row: int, seat: int, rng: np.random.Generator) -> None:
    """Compare two worlds from here on."""
    one, other = worlds
    for step in range(TOGETHER):
        games = one.game(row), other.game(row)
        if not _alike(*games, seat) or (one.ended(row) and not one.over(row)):
            break
        drawn = bool(rng.random() < DRAWN)
        leak = difference(one.view(row, seat, drawn), other.view(row, seat, drawn))
        if leak is not None:
            place.wrong(
                f"what is shown after {step} more decisions depends on what the seat cannot know, {leak}", row, seat
            )
        if games[0].terminated or not _step_both(one, other, row, seat, rng):
            break


def _alike(one: Game, other: Game, seat: int) -> bool:
    """Whether the engine shows a seat the same, and as many cards have been chosen in HAND_OVER, which is no secret."""
    return (
        one.terminated == other.terminated
        and one.observation(seat).tobytes() == other.observation(seat).tobytes()
        and _chosen(one) == _chosen(other)
    )


def _chosen(game: Game) -> list[int]:
    return [sum(cards) for cards in game.to_dict()["chosen"]] if game.phase == "HAND_OVER" else []


def _step_both(one: Door, other: Door, row: int, seat: int, rng: np.random.Generator) -> bool:
    """Play the same decision in both worlds, and on to where they look alike again; False where they cannot."""
    both = one.legal()[row] & other.legal()[row]
    if not both.any():
        return False
    passes = one.game(row).player != seat and both[PASS] and rng.random() < 0.4
    action = PASS if passes else int(rng.choice(np.flatnonzero(both)))
    number = int(rng.integers(2**62))
    for door in (one, other):
        _step(door, row, action, number)
    return _catch_up(one, other, row, seat)


def _step(door: Door, row: int, action: int, number: int) -> None:
    """Play an action in a row; in the others what chance number `number` says, the same for the same masks."""
    actions = door.choose(np.random.default_rng(number))
    actions[row] = action
    door.step(actions)


def _catch_up(one: Door, other: Door, row: int, seat: int) -> bool:
    """Where a seat had no choice in one world only, let it pass in the other; False where the worlds part."""
    ways = [_by_passing(door.game(row), seat) for door in (one, other)]
    for numbers in sorted(product(*(range(len(way)) for way in ways)), key=sum):
        if _alike(ways[0][numbers[0]], ways[1][numbers[1]], seat):
            for door, number in zip((one, other), numbers, strict=True):
                for _ in range(number):
                    _step(door, row, PASS, 0)
            return True
    return False


def _by_passing(game: Game, seat: int) -> list[Game]:
    """The positions to which passes of other seats lead, the present one first."""
    positions = [game.copy()]
    for _ in range(game.rules.num_players):
        position = positions[-1].copy()
        if position.player in (seat, None) or not position.action_mask()[PASS]:
            break
        position.step(PASS)
        positions.append(position)
    return positions
