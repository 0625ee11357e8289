"""A native vectorised environment for Stable-Baselines3: all games are stepped at once, none is a Python object."""

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from respublica_env.arguments import whole_number
from respublica_env.envs.render import check_render_mode, render
from respublica_env.envs.vector import LearnerBatch, Step
from respublica_env.rules import Rules, shown
from respublica_env.seeding import check_seed

Indices = int | Iterable[int] | None
Infos = list[dict[str, Any]]


class MaskBlock(np.ndarray[Any, Any]):
    """The masks of all games, bool `(B, A)`, one row for each game, as `env_method` promises.

    `sb3_contrib` hands them to `np.stack`, which would take the block to pieces and put it together again at the
    price of half a step of all games. This block answers `np.stack` with a copy of itself.
    """

    def __getitem__(self, key: Any) -> Any:
        return self.view(np.ndarray)[key]

    def __iter__(self) -> Iterator[Any]:
        rows = list(self.view(np.ndarray))
        if self.ndim == 2 and rows:
            rows[0] = rows[0].view(MaskBlock)  # one row of this class is enough for NumPy to ask it
        return iter(rows)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.stack and len(args) == 1 and not kwargs and isinstance(args[0], MaskBlock):
            return np.array(args[0].view(np.ndarray))
        return super().__array_function__(func, types, args, kwargs)


class ResPublicaVecEnv(VecEnv):
    """`num_envs` games with one learner each, for Stable-Baselines3 and `sb3_contrib.MaskablePPO`.

    An episode is one game. Finished games begin anew at once, as SB3 expects; the last observation is in
    `infos[i]["terminal_observation"]`, and `infos[i]["episode"]` is as SB3's Monitor writes it. A game that stalls is
    an end like any other (`infos[i]["stalled"]`). `reset_infos[i]["skipped_games"]` counts deals that were skipped
    because the learner had no decision in them.

    Row `i` is what a `ResPublicaEnv` (envs/single_agent.py) of its own would be, in SB3's Monitor.

    Args:
        num_envs: games, at least 1.
        opponents, seat, num_players, rules, on_illegal, mask_in_observation: as for `ResPublicaEnv`. Opponents that are
            Python code are asked once for all games that wait for them. `opponents` may be set later (`set_attr`).
        render_mode: None, "ansi", "human" or "rgb_array"; each game is shown as its learner sees it.
        reward: "win", "points" or "margin". Undiscounted: train with gamma 0.999 to 1.
        seed: game `i` is dealt as `Game(seed=seed + i)`; None takes entropy from the system.
    """

    def __init__(
        self,
        num_envs: SupportsIndex,
        opponents: object = "random",
        seat: SupportsIndex | None = None,
        num_players: int = 4,
        rules: Rules | Mapping[str, Any] | str | None = None,
        reward: str = "win",
        on_illegal: str = "end",
        mask_in_observation: bool = False,
        render_mode: str | None = None,
        seed: SupportsIndex | None = None,
    ) -> None:
        self.games = LearnerBatch(
            whole_number("num_envs", num_envs, 1),
            opponents,
            seat,
            num_players,
            rules,
            reward,
            on_illegal,
            mask_in_observation,
            seed,
        )
        self.rules = self.games.rules
        self.render_mode = check_render_mode(render_mode)
        super().__init__(
            self.games.batch.num_games,
            spaces.Box(0, 1, (self.games.observation_size,), np.float32),
            spaces.Discrete(self.rules.num_actions),
        )
        self.seed(self.games.batch.seed)
        self._actions: NDArray[Any] = np.zeros(self.num_envs, np.int64)
        self._returns: NDArray[np.float64] = np.zeros(self.num_envs)  # (B,) rewards of each game so far
        self._lengths: NDArray[np.int64] = np.zeros(self.num_envs, np.int64)  # (B,) steps of each game so far
        self._started = time.time()

    @property
    def opponents(self) -> object:
        """Who plays the other seats."""
        return self.games.opponents

    @opponents.setter
    def opponents(self, opponents: object) -> None:
        self.games.opponents = opponents

    def seed(self, seed: SupportsIndex | None = None) -> list[int | None]:
        """From the next `reset` on game `i` has the seed `seed + i`; returns these seeds."""
        first = check_seed(seed, self.num_envs)
        self._seeds = [first + i for i in range(self.num_envs)]
        return self._seeds

    def reset(self) -> NDArray[np.float32]:
        """New games: from the seeds given last, or, once these are used, from where the random streams stand."""
        fresh = self._seeds[0] is not None
        self.games.reset(seeds=np.array(self._seeds, np.uint64) if fresh else None)
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = self._lengths[:] = 0
        self.reset_infos = [{"skipped_games": skipped} for skipped in self.games.skipped.tolist()]
        return self.games.observations()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions, whole numbers `(num_envs,)`, of the next `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], Infos]:
        """Observations, float32 `(num_envs, D)`, rewards float32, dones bool, infos; all of them new objects."""
        games = self.games
        dones = np.zeros(self.num_envs, np.bool_)
        infos: Infos = [{} for _ in range(self.num_envs)]
        with games.all_or_nothing():
            step = games.step(self._actions)
            if step.ended.size:
                self._write_infos(step, infos)
                games.reset(step.ended)
        self._returns += step.rewards
        self._lengths += 1
        if step.ended.size:
            dones[step.ended] = True
            for game in step.ended.tolist():
                episode = {"r": round(float(self._returns[game]), 6), "l": int(self._lengths[game])}
                infos[game]["episode"] = {**episode, "t": round(time.time() - self._started, 6)}
                self.reset_infos[game] = {"skipped_games": int(games.skipped[game])}
            self._returns[step.ended] = self._lengths[step.ended] = 0
        return games.observations(), step.rewards.astype(np.float32), dones, infos

    def _write_infos(self, step: Step, infos: Infos) -> None:
        """How the games that have just ended did so, and what was last seen."""
        games = self.games
        stalled = games.batch.stalled
        for game, observation in zip(step.ended.tolist(), games.observations(step.ended), strict=True):
            infos[game] = {
                "terminal_observation": observation,
                "TimeLimit.truncated": False,
                "stalled": bool(stalled[game]),
            }
            if game in step.illegal:
                infos[game]["illegal_action"] = step.illegal[game]

    def action_masks(self) -> MaskBlock:
        """The legal actions of all games, bool `(num_envs, A)`, a copy."""
        return self.games.action_masks().view(np.bool_).view(MaskBlock)

    def env_method(self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any) -> Any:
        """What a method of each game asked for returns; the games have these two.

        "action_masks": bool `(k, A)`, a row for each game. "render": a list with what each shows in the render mode.
        """
        if method_name not in ("action_masks", "render"):
            raise AttributeError(f"the games have no method {shown(method_name)}; they have: action_masks, render")
        if method_args or method_kwargs:
            raise TypeError(f"{method_name} takes no arguments")
        if method_name == "render":
            return [self._shown(game) for game in self._get_indices(indices)]
        masks = self.action_masks()
        return masks if indices is None else masks[list(self._get_indices(indices))]

    def _shown(self, game: int) -> Any:
        """A game as its learner sees it, in the render mode; None where there is none."""
        if self.render_mode is None:
            return None
        return render(self.games.batch.game(game), self.render_mode, int(self.games.seats[game]))

    def has_attr(self, attr_name: str) -> bool:
        """Whether the games have this attribute."""
        return attr_name == "seat" or hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute, once for each game asked for. The games share all but "seat", the learner's in each game."""
        if attr_name == "seat":
            return [int(self.games.seats[i]) for i in self._get_indices(indices)]
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of all games; ValueError for some of them only, for they share their attributes."""
        if set(self._get_indices(indices)) != set(range(self.num_envs)):
            raise ValueError(f"the games share their attributes: {attr_name} can only be set for all of them")
        setattr(self, attr_name, value)

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Indices = None
    ) -> list[bool]:
        """True for SB3's Monitor, whose `episode` is written here; False for every other wrapper."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """A picture of each game, for render_mode "rgb_array"; else None for each."""
        return [self._shown(game) if self.render_mode == "rgb_array" else None for game in range(self.num_envs)]

    def close(self) -> None:
        """Nothing is held that would need closing."""
