"""The action mask: what it says is what the engine accepts."""

import numpy as np
from numpy.typing import NDArray

from respublica_env.actions import IllegalAction
from respublica_env.testing.door import Door, MakeEnv, positions_differ
from respublica_env.testing.opening import open_door
from respublica_env.testing.places import Place

FORBIDDEN = 40  # actions that the mask forbids, drawn at random, that are tried in each phase


def check_mask(make_env: MakeEnv, *, seed: int = 0, games: int = 3) -> None:
    """Play games at random and look at every mask.

    - A mask has the shape (A,), the type int8 or bool (as a part of an observation: that of the observation), and holds
      0 and 1.
    - Wherever it stands, it is the engine's for the seat to decide, and all 0 for another. When the game is over it is
      all 0, in an environment for one learner all 1.
    - Once in every phase that comes about actions are tried on a copy, all that the mask allows and 40 that it forbids.
      What it allows is played, and leads to the engine's next position; all else is refused by IllegalAction and
      changes nothing, or ends the game with -1 for the offender and 0 for the others.

    Args:
        make_env: makes a new environment, see `respublica_env.testing`.
        seed: games are seeded from here on.
        games: how many are played.
    """
    door = open_door(make_env)
    tried: set[str] = set()
    for place in (Place("check_mask", door, seed + k) for k in range(games)):
        rng = np.random.default_rng(place.seed)
        door.reset(place.seed)
        while True:
            for row in door.rows:
                _look(place, row)
            if not door.running:
                break
            actions = door.choose(rng)
            for row in door.rows:
                phase = door.game(row).phase
                if phase not in tried and not door.over(row):
                    tried.add(phase)
                    _try_actions(place, row, actions, rng)
            door.step(actions)
            place.decision += 1


def _look(place: Place, row: int) -> None:
    """Look at the masks of all seats of a row."""
    door = place.door
    game, over = place.door.game(row), door.over(row)
    for seat in door.seats(row):
        expected = game.action_mask() if game.player == seat else np.zeros(door.rules.num_actions, np.int8)
        if over:
            expected[:] = door.mask_when_over
        _look_at(place, row, seat, expected)


def _look_at(place: Place, row: int, seat: int, expected: NDArray[np.int8]) -> None:
    game = place.door.game(row)
    masks = place.door.masks(row, seat)
    if not masks and game.player == seat:
        place.wrong("the mask of the seat to decide is nowhere to be found", row, seat)
    for name, mask in masks.items():
        if mask.shape != expected.shape:
            place.wrong(f"{name} has the shape {mask.shape}, not {expected.shape}", row, seat)
        if mask.dtype not in (np.int8, np.bool_) and not name.startswith("observation"):
            place.wrong(f"{name} is {mask.dtype}, neither int8 nor bool", row, seat)
        if ((mask != 0) & (mask != 1)).any():
            place.wrong(f"{name} holds other numbers than 0 and 1", row, seat)
        differ = np.flatnonzero(mask != expected)
        if len(differ):
            action = int(differ[0])
            place.wrong(
                f"{name} is {int(mask[action])} for action {action} ({game.describe(action)}), the engine says "
                f"{int(expected[action])} ({len(differ)} actions differ)",
                row,
                seat,
            )


def _try_actions(place: Place, row: int, actions: list[int], rng: np.random.Generator) -> None:
    """Try actions in a row, the others playing `actions`."""
    legal = place.door.game(row).action_mask()
    forbidden = np.flatnonzero(legal == 0)
    forbidden = rng.permutation(forbidden)[:FORBIDDEN]
    twin = place.door.twin()
    for action in [*forbidden.tolist(), *np.flatnonzero(legal).tolist()]:
        tried = actions.copy()
        tried[row] = action
        if not _refuses(place, twin, row, tried, bool(legal[action])):
            twin = place.door.twin()


def _refuses(place: Place, twin: Door, row: int, actions: list[int], legal: bool) -> bool:
    """Try an action on a copy; whether it was refused so that the copy stands where it did."""
    before, action = twin.game(row), actions[row]
    what = f"action {action} ({before.describe(action)}), which the mask {'allows' if legal else 'forbids'},"
    player = before.player
    try:
        twin.try_step(actions)
    except IllegalAction as error:
        if legal:
            place.wrong(f"{what} is refused: {error}", row, player)
        if positions_differ(before, twin.game(row)):
            place.wrong(f"{what} is refused, but something has changed", row, player)
        return True
    earned = twin.refusal(row)
    if earned is not None:
        if legal:
            place.wrong(f"{what} ends the game as an illegal one", row, player)
        if not earned or any(reward != (-1 if seat == player else 0) for seat, reward in earned.items()):
            must = "must end the game with -1 for the offender and 0 for others"
            place.wrong(f"{what} {must}, not {dict(earned)}", row, player)
    elif not legal:
        place.wrong(f"{what} is accepted", row, player)
    elif twin.whole and twin.seeded:  # where nature's draws are the engine's own
        before.step(action)
        if positions_differ(before, twin.game(row)):
            place.wrong(f"{what} does not lead to the engine's next position", row, player)
    return False
