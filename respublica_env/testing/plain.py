"""`Game` and `Batch` as the checks play them."""

# What the methods do, and with what, stands in `Door`.
# ruff: noqa: ARG002, D102

import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from respublica_env.batch import Batch
from respublica_env.game import Game
from respublica_env.testing.door import Door, End, View
from respublica_env.testing.values import held


class GameDoor(Door):
    """A `Game`."""

    env: Game

    def __init__(self, env: Game) -> None:
        super().__init__(env, env.rules)
        self._deals = 0

    def reset(self, seed: int | None) -> None:
        self.env.reset(seed)
        self._deals = 1 if seed is not None else self._deals + 1

    def step(self, actions: Sequence[int]) -> None:
        if not self.env.terminated:
            self.env.step(actions[0])

    def game(self, row: int) -> Game:
        return Game.copy(self.env)  # the engine's, whatever a variant makes of it

    def view(self, row: int, seat: int, drawn: bool = False) -> View:
        game = self.env
        shown = {"observation()": game.observation(seat), "known()": game.known(seat)}
        if game.player == seat:
            shown |= {"action_mask()": game.action_mask(), "legal_actions()": game.legal_actions()}
        return {place: held(value) for place, value in shown.items()}

    def masks(self, row: int, seat: int) -> dict[str, NDArray[Any]]:
        game = self.env
        if game.player not in (seat, None):
            return {}
        legal = np.zeros(self.rules.num_actions, np.int8)
        legal[game.legal_actions()] = 1
        return {"action_mask()": game.action_mask(), "legal_actions()": legal}

    def put(self, row: int, game: Game) -> None:
        self.env.__setstate__(game.__getstate__())

    def refusal(self, row: int) -> Mapping[int, float] | None:
        return None

    def ends(self) -> list[End]:
        return [End(0, self.game(0), "points", {"scores()": dict(enumerate(map(float, self.env.scores())))})]

    def deals(self, row: int) -> int:
        return self._deals

    def twin(self) -> Self:
        return self.duplicate(lambda game: pickle.loads(pickle.dumps(game)))  # `Game.copy` of a variant is a plain Game

    @property
    def copiers(self) -> dict[str, Callable[[Any], Any]]:
        return {"copy()": lambda game: game.copy(), **super().copiers}


class BatchDoor(Door):
    """A `Batch`; seats that its bots played are played by the caller."""

    env: Batch

    def __init__(self, env: Batch) -> None:
        super().__init__(env, env.rules)
        self.size = env.num_games
        env.controllers[:] = -1
        self._deals = 0

    def reset(self, seed: int | None) -> None:
        self.env.reset(seeds=seed)
        self._deals = 1 if seed is not None else self._deals + 1

    def step(self, actions: Sequence[int]) -> None:
        self.env.step(np.array(actions))

    def game(self, row: int) -> Game:
        return self.env.game(row)

    def legal(self) -> NDArray[np.int8]:
        return self.env.action_masks

    def over(self, row: int) -> bool:
        return bool(self.env.terminated[row])

    def view(self, row: int, seat: int, drawn: bool = False) -> View:
        shown: View = {"observe()": self.env.observe(np.full(self.size, seat))[row], "player": self.env.player[row]}
        if self.env.player[row] == seat:
            shown |= {"observations": self.env.observations[row], "action_masks": self.env.action_masks[row]}
        return {place: held(value) for place, value in shown.items()}

    def masks(self, row: int, seat: int) -> dict[str, NDArray[Any]]:
        return {"action_masks": self.env.action_masks[row].copy()} if self.env.player[row] in (seat, -1) else {}

    def put(self, row: int, game: Game) -> None:
        state = self.env.get_state()
        state["rows"][row] = game.__getstate__()["row"]
        self.env.set_state(state)

    def refusal(self, row: int) -> Mapping[int, float] | None:
        return None

    def ends(self) -> list[End]:
        scores = self.env.scores.astype(float).tolist()
        return [
            End(row, self.game(row), "points", {"scores": dict(enumerate(scores[row]))})
            for row in self.rows
            if self.over(row)
        ]

    def deals(self, row: int) -> int:
        return self._deals
