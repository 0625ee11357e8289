"""The environments for one learner as the checks play them: Gymnasium's, single and vector, and Stable-Baselines3's."""

# What the methods do, and with what, stands in `Door`.
# ruff: noqa: ARG002, D102

import copy
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from respublica_env.engine import batch as loops
from respublica_env.envs.vector import LearnerBatch
from respublica_env.game import Game
from respublica_env.testing.door import Door, End, View
from respublica_env.testing.values import held, of_row


class Quiet:
    """An opponent who decides by what everybody knows, as far as its hand allows, and often passes."""

    def choose(self, game: Game, seat: int, rng: np.random.Generator) -> int:
        """The first legal action in an order that depends on nothing hidden."""
        del rng
        place = (game.turn, len(game.phase), seat, *game.hands.sum(axis=1))
        order = np.random.default_rng([int(number) for number in place])
        legal = game.action_mask()
        if legal[0] and order.random() < 0.5:
            return 0
        return int((order.random(len(legal)) * legal).argmax())


class LearnerDoor(Door):
    """Games of one learner each; the only seat that is shown something is the learner's."""

    whole = False
    mask_when_over = 1

    def __init__(self, env: Any) -> None:
        games: LearnerBatch = env.unwrapped.games
        super().__init__(env, games.rules)
        self.size = games.batch.num_games
        self._shown: list[dict[str, Any]] = []  # by row, what the last call returned
        self._seats: NDArray[np.int64] = np.zeros(self.size, np.int64)  # by row, who decided last
        self._ended = np.zeros(self.size, np.bool_)
        self._deals: NDArray[np.int64] = np.zeros(self.size, np.int64)
        self._totals: NDArray[np.float64] = np.zeros(self.size)
        self._ends: list[End] = []

    @property
    def _games(self) -> LearnerBatch:
        games: LearnerBatch = self.env.unwrapped.games
        return games

    @abstractmethod
    def _reset(self, seed: int | None) -> list[dict[str, Any]]:
        """Reset; by row, what it returned."""

    @abstractmethod
    def _step(self, actions: Sequence[int]) -> list[dict[str, Any]]:
        """Step; by row, what it returned: "observation", "reward", "terminated", "truncated" and "info"."""

    def _masks_of_all(self) -> NDArray[Any]:
        """What the environment's method `action_masks` returns, (size, A)."""
        return np.asarray(self.env.get_wrapper_attr("action_masks")())

    def _render(self, row: int) -> Any:
        """What is rendered of a row."""
        return self.env.render()

    @property
    def _can_render(self) -> bool:
        return self.env.unwrapped.render_mode in ("ansi", "rgb_array")

    @property
    def _at_once(self) -> bool:
        """Whether the next game begins in the step that ends one."""
        return False

    def reset(self, seed: int | None) -> None:
        self._shown = self._reset(seed)
        self._deals = (self._deals if seed is None else 0) + 1 + self._games.skipped
        self._ended[:] = False
        self._totals[:] = 0
        self._ends = []

    def step(self, actions: Sequence[int]) -> None:
        before, self._seats = self._games.over.copy(), self._games.seats.copy()
        engine = copy.deepcopy(self._games) if self._at_once and self.keeps_ends else self._games
        self._shown = self._step(actions)
        if engine is not self._games:
            engine.step(np.array(actions))  # does not begin the next games, so that it shows how these ended
        self._totals += [shown["reward"] for shown in self._shown]
        over = np.array([shown["terminated"] for shown in self._shown]) if self._at_once else engine.over & ~before
        for row in np.flatnonzero(over).tolist():
            if row in self.rows and self.keeps_ends:
                totals = {"reward": {int(self._seats[row]): float(self._totals[row])}}
                self._ends.append(End(row, engine.batch.game(row), engine.reward, totals))
            self._ended[row] = True
            self._totals[row] = 0.0

    def game(self, row: int) -> Game:
        return self._games.batch.game(row)

    def legal(self) -> NDArray[np.int8]:
        return self._games.batch.action_masks

    def seats(self, row: int) -> Sequence[int]:
        return (int(self._games.seats[row]),)

    def view(self, row: int, seat: int, drawn: bool = False) -> View:
        shown = {**self._shown[row], "action_masks()": self._masks_of_all()[row]}
        if self._ended[row]:  # what came before the end tells nothing more, and what was earned tells of other hands
            shown = {place: shown[place] for place in ("observation", "action_masks()")}
        elif drawn and self._can_render:
            shown["render()"] = self._render(row)
        return {place: held(value) for place, value in shown.items()}

    def masks(self, row: int, seat: int) -> dict[str, NDArray[Any]]:
        shown = self._shown[row]
        masks = {"action_masks()": self._masks_of_all()[row].copy()}
        info, observation = shown.get("info", {}), shown["observation"]
        if "action_mask" in info:
            masks["info['action_mask']"] = np.asarray(info["action_mask"]).copy()
        if self._games.mask_in_observation and np.shape(observation) == (self._games.observation_size,):
            masks["observation[-A:]"] = observation[-self.rules.num_actions :].copy()
        return masks

    def put(self, row: int, game: Game) -> None:
        batch = self._games.batch
        batch._rows[row] = game.__getstate__()["row"]
        rows = np.array([row])
        batch._run_some(loops.SHOW, rows, rows)

    def reset_elsewhere(self, seed: int, row: int, seat: int, rng: np.random.Generator) -> None:
        games = self._games

        def reset(some: NDArray[np.int64] | None = None, seeds: NDArray[np.uint64] | None = None) -> None:
            LearnerBatch.reset(games, some, seeds)
            self.put(row, self.game(row).determinize(seat, rng))

        games.__dict__["reset"] = reset  # between the deal and what is told of it
        try:
            self.reset(seed)
        finally:
            del games.__dict__["reset"]

    def refusal(self, row: int) -> Mapping[int, float] | None:
        shown = self._shown[row]
        info = shown.get("info", {})
        if "illegal_action" not in info and "illegal_action" not in info.get("final_info", {}):
            return None
        return {int(self._seats[row]): float(shown["reward"])} if shown["terminated"] else {}

    def over(self, row: int) -> bool:
        return bool(self._games.over[row])

    def ended(self, row: int) -> bool:
        return bool(self._ended[row])

    def ends(self) -> list[End]:
        return self._ends

    def deals(self, row: int) -> int:
        return int(self._deals[row])

    def keep_to_what_all_know(self) -> None:
        self.env.unwrapped.opponents = Quiet()


class SingleDoor(LearnerDoor):
    """One game: Gymnasium's `Env`."""

    def _reset(self, seed: int | None) -> list[dict[str, Any]]:
        observation, info = self.env.reset(seed=seed)
        return [{"observation": observation, "info": info}]

    def _step(self, actions: Sequence[int]) -> list[dict[str, Any]]:
        names = ("observation", "reward", "terminated", "truncated", "info")
        return [dict(zip(names, self.env.step(np.int64(actions[0])), strict=True))]

    def step(self, actions: Sequence[int]) -> None:
        if not self.over(0):
            super().step(actions)

    def _masks_of_all(self) -> NDArray[Any]:
        return super()._masks_of_all()[None]


class VectorDoor(LearnerDoor):
    """Several games: Gymnasium's `VectorEnv`."""

    @property
    def _at_once(self) -> bool:
        return self.env.unwrapped.autoreset_mode.value == "SameStep"

    def _masks_of_all(self) -> NDArray[Any]:
        env = self.env
        while not hasattr(env, "action_masks"):  # Gymnasium's wrappers of vector environments hand on no other method
            env = env.env
        return np.asarray(env.action_masks())

    def _reset(self, seed: int | None) -> list[dict[str, Any]]:
        observations, infos = self.env.reset(seed=seed)
        return [{"observation": observations[row], "info": of_row(infos, row)} for row in range(self.size)]

    def _step(self, actions: Sequence[int]) -> list[dict[str, Any]]:
        *arrays, infos = self.env.step(np.array(actions))
        names = ("observation", "reward", "terminated", "truncated")
        return [
            {name: array[row] for name, array in zip(names, arrays, strict=True)} | {"info": of_row(infos, row)}
            for row in range(self.size)
        ]

    def _render(self, row: int) -> Any:
        return self.env.render()[row]


class SB3Door(LearnerDoor):
    """Several games: Stable-Baselines3's `VecEnv`."""

    @property
    def _at_once(self) -> bool:
        return True

    def _masks_of_all(self) -> NDArray[Any]:
        return np.stack(self.env.env_method("action_masks"))

    def _reset(self, seed: int | None) -> list[dict[str, Any]]:
        if seed is not None:
            self.env.seed(seed)
        observations = self.env.reset()
        return [{"observation": observation} for observation in observations]

    def _step(self, actions: Sequence[int]) -> list[dict[str, Any]]:
        observations, rewards, dones, infos = self.env.step(np.array(actions))
        return [
            {"observation": observations[row], "reward": rewards[row], "terminated": dones[row], "info": infos[row]}
            for row in range(self.size)
        ]

    def _render(self, row: int) -> Any:
        return self.env.env_method("render", indices=row)[0]

    @property
    def copiers(self) -> dict[str, Callable[[Any], Any]]:
        return {name: partial(_copied, copier=copier) for name, copier in super().copiers.items()}

    def twin(self) -> Self:
        return self.duplicate(partial(_copied, copier=copy.deepcopy))


def _copied(env: Any, copier: Callable[[Any], Any]) -> Any:
    """A copy of an environment for SB3: its wrappers know no way to be copied, only what is inside them does."""
    if env is env.unwrapped:
        return copier(env)
    twin: Any = object.__new__(type(env))
    own = {name: value for name, value in vars(env).items() if name not in ("class_attributes", "venv")}
    twin.__dict__ |= copy.deepcopy(own)
    twin.class_attributes, twin.venv = env.class_attributes, _copied(env.venv, copier)
    return twin
