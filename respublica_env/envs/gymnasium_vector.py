"""Many games at once for Gymnasium: `gymnasium.make_vec("respublica/ResPublica-v0", num_envs=256)`."""

from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from respublica_env.arguments import whole_number
from respublica_env.envs.render import METADATA, check_render_mode, render
from respublica_env.envs.vector import LearnerBatch, Step
from respublica_env.rules import Rules, shown
from respublica_env.seeding import check_seed

Infos = dict[str, Any]


class ResPublicaVectorEnv(VectorEnv[NDArray[np.float32], ArrayLike, NDArray[Any]]):
    """`num_envs` games with one learner each, stepped together; row `i` is what a `ResPublicaEnv` of its own would be.

    Args:
        num_envs: games, at least 1.
        opponents, seat, num_players, rules, reward, on_illegal, mask_in_observation: as for `ResPublicaEnv`. Opponents
            that are Python code are asked once for all games that wait for them.
        render_mode: as the metadata says; `render` gives one for each game, from its learner's view.
        autoreset_mode: when a game that is over begins anew, as Gymnasium defines it: NEXT_STEP (by the next step,
            which ignores its action), SAME_STEP (at once; what was last seen is in `infos["final_obs"]` and
            `infos["final_info"]`) or DISABLED (by `reset(options={"reset_mask": over})`). The mode or its value.

    `infos` holds arrays with one entry for each game, and under `"_" + key` whose entries count, as Gymnasium's own
    vector environments write them; "action_mask", int8 `(num_envs, A)`, is there for all of them at all times.

    `reset(seed=s)` deals game `i` as `Game(rules, seed=s + i)`.

    Raises ValueError for a keyword's value that is not accepted.
    """

    metadata: dict[str, Any] = {**METADATA, "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 - as Gymnasium

    def __init__(
        self,
        num_envs: SupportsIndex = 1,
        opponents: object = "random",
        seat: SupportsIndex | None = None,
        num_players: int = 4,
        rules: Rules | Mapping[str, Any] | str | None = None,
        reward: str = "win",
        on_illegal: str = "end",
        mask_in_observation: bool = False,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self.autoreset_mode = _check_autoreset_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = check_render_mode(render_mode)
        self.games = LearnerBatch(
            self.num_envs, opponents, seat, num_players, rules, reward, on_illegal, mask_in_observation
        )
        self.rules = self.games.rules
        self.single_observation_space = spaces.Box(0, 1, (self.games.observation_size,), np.float32)
        self.single_action_space = spaces.Discrete(self.rules.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @property
    def opponents(self) -> object:
        """Who plays the other seats; may be set, and counts from each game's next deal on."""
        return self.games.opponents

    @opponents.setter
    def opponents(self, opponents: object) -> None:
        self.games.opponents = opponents

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of all games, bool `(num_envs, A)`, a copy."""
        return self.games.action_masks().view(np.bool_)

    def reset(
        self,
        *,
        seed: SupportsIndex | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], Infos]:
        """Begin new games.

        Args:
            seed: `s` gives game `i` the seed `s + i`; or one for each game, in which None goes on from where the game's
                random streams stand; None does so for all.
            options: "reset_mask", bool `(num_envs,)`, which games begin anew; other keys are accepted and mean nothing.

        Raises:
            ValueError, TypeError: for what is no seed or no mask, before anything has changed; ValueError after 1,000
                deals in a row without a decision for the learner.
        """
        rows, seeds = self._reset_mask(options), self._check_seeds(seed)
        fresh = np.array([seeds[i] is not None for i in rows], np.bool_)
        words = np.array([seeds[i] for i in rows[fresh]], np.uint64)
        with self.games.all_or_nothing():
            if fresh.any():
                self.games.reset(rows[fresh], words)
            if not fresh.all():
                self.games.reset(rows[~fresh])
        if np.ndim(seed) == 0:  # type: ignore[arg-type]
            super().reset(seed=seeds[0])
        infos = self._infos()
        self._add(infos, "skipped_games", rows, self.games.skipped[rows])
        return self.games.observations(), infos

    def _reset_mask(self, options: Mapping[str, Any] | None) -> NDArray[np.int64]:
        """The games to reset."""
        if not options or "reset_mask" not in options:
            return np.arange(self.num_envs)
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"options['reset_mask'] must be a NumPy array of bool, got {shown(mask)}")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(
                f"options['reset_mask'] must have the shape ({self.num_envs},) and be True somewhere, got {shown(mask)}"
            )
        return np.flatnonzero(mask)

    def _check_seeds(self, seed: SupportsIndex | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, np.ndarray) and seed.ndim:
            seed = seed.tolist()
        if not isinstance(seed, Sequence):
            first = check_seed(seed, self.num_envs)
            return [first + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"seed must hold one seed for each of the {self.num_envs} games, got {len(seed)}")
        return [None if one is None else check_seed(one) for one in seed]

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]:
        """Play a decision in each game that is not over: whole numbers `(num_envs,)`.

        Returns observations `(num_envs, D)`, rewards float64, terminations and truncations bool, and infos.

        Raises:
            IllegalAction: with `on_illegal="raise"`; nothing has changed.
            ValueError: for a wrong shape or dtype; nothing has changed.
        """
        games = self.games
        mode = self.autoreset_mode
        finals: Infos = {}
        with games.all_or_nothing():
            waiting = np.flatnonzero(games.over) if games.num_over and mode is AutoresetMode.NEXT_STEP else _NONE
            step = games.step(actions)
            if mode is AutoresetMode.SAME_STEP and step.ended.size:
                finals = self._finals(step)
                games.reset(step.ended)
            elif waiting.size:
                games.reset(waiting)
        infos = {**self._infos(), **finals}
        begun = step.ended if finals else waiting
        if begun.size:
            self._add(infos, "skipped_games", begun, games.skipped[begun])
        if step.ended.size and not finals:
            self._add_end(infos, step)
        terminations = games.over.copy()
        if finals:
            terminations[step.ended] = True
        return games.observations(), step.rewards, terminations, np.zeros(self.num_envs, np.bool_), infos

    def _infos(self) -> Infos:
        return {"action_mask": self.games.action_masks(), "_action_mask": np.ones(self.num_envs, np.bool_)}

    def _finals(self, step: Step) -> Infos:
        """What the learners of the games that have just ended see last."""
        infos: Infos = {}
        seen = np.empty(len(step.ended), object)
        seen[:] = list(self.games.observations(step.ended))
        self._add(infos, "final_obs", step.ended, seen)
        last: Infos = {}
        self._add(last, "action_mask", step.ended, self.games.action_masks()[step.ended])
        self._add_end(last, step)
        infos["final_info"], infos["_final_info"] = last, infos["_final_obs"].copy()
        return infos

    def _add_end(self, infos: Infos, step: Step) -> None:
        """How the games that have just ended did so."""
        self._add(infos, "stalled", step.ended, self.games.batch.stalled[step.ended])
        if step.illegal:
            why = np.array(list(step.illegal.values()), object)
            self._add(infos, "illegal_action", np.array(list(step.illegal)), why)

    def _add(self, infos: Infos, key: str, rows: NDArray[np.int64], values: NDArray[Any]) -> None:
        """Values of some games, and which games these are, as Gymnasium's vector environments write them."""
        every = np.zeros((self.num_envs, *values.shape[1:]), values.dtype)
        if values.dtype == object:
            every[:] = None
        every[rows] = values
        mask = np.zeros(self.num_envs, np.bool_)
        mask[rows] = True
        infos[key], infos[f"_{key}"] = every, mask

    def render(self) -> tuple[Any, ...] | None:
        """Each game as its learner sees it, in the render mode. Touches no random stream."""
        if self.render_mode is None:
            gymnasium.logger.warn(f"render() does nothing without a render_mode: {', '.join(METADATA['render_modes'])}")
            return None
        if not self.games.begun:
            raise ResetNeeded("Cannot call render() before calling reset()")
        mode, batch = self.render_mode, self.games.batch
        frames = tuple(render(batch.game(i), mode, seat) for i, seat in enumerate(self.games.seats.tolist()))
        return None if mode == "human" else frames


_NONE = np.zeros(0, np.int64)


def _check_autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        accepted = ", ".join(repr(known.value) for known in AutoresetMode)
        raise ValueError(
            f"autoreset_mode must be a gymnasium.vector.AutoresetMode or its value ({accepted}), got {shown(mode)}"
        ) from None
