"""Many games at once for Tianshou: the native vector environment in the shape that Tianshou's collectors step.

Tianshou's own vector environments hold one Python object for each game. Its collector asks less of an environment than
that: what is here. It resets games that are over itself, which is Gymnasium's autoreset mode DISABLED, and its policies
take the mask from the observation.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray
from tianshou.data import Batch
from tianshou.env import BaseVectorEnv

from respublica_env.envs.gymnasium_vector import ResPublicaVectorEnv

Games = int | Sequence[int] | NDArray[np.int64] | None


class TianshouGames(BaseVectorEnv):
    """`num_envs` games with one learner each, stepped together.

    Observations are Tianshou's `Batch(obs=float32 (k, D), mask=int8 (k, A))`, a row for each game asked for; the mask
    of a game that is over is all 1. There is nothing in the infos, object `(k,)`, and nothing to render.

    Args:
        num_envs: games, at least 1.
        seed: the first reset deals game `i` as `Game(seed=seed + i)`; None takes entropy from the system.
        reward_factor: rewards are multiplied by it.
        **keywords: opponents, seat, num_players, rules and reward, as for `ResPublicaEnv`.
    """

    # The base class's own would start a worker for each game.
    def __init__(self, num_envs: int, seed: int | None = None, reward_factor: float = 1.0, **keywords: Any) -> None:
        self.games = ResPublicaVectorEnv(
            num_envs, on_illegal="raise", autoreset_mode=AutoresetMode.DISABLED, **keywords
        )
        self.env_num = num_envs
        self.is_async = self.is_closed = False
        self._factor = reward_factor
        self._seed = seed
        self._begun = False

    def get_env_attr(self, key: str, id: Games = None) -> list[Any]:  # noqa: A002 - as Tianshou names it
        """An attribute, once for each game asked for; the games share them."""
        if key in ("action_space", "observation_space"):
            key = f"single_{key}"
        return [getattr(self.games, key)] * len(self._wrap_id(id))

    def seed(self, seed: int | None = None) -> list[int | None]:
        """From the next reset of all games, game `i` has the seed `seed + i`; returns these seeds."""
        self._seed, self._begun = seed, False
        return [None if seed is None else seed + i for i in range(self.env_num)]

    def reset(self, env_id: Games = None, **kwargs: Any) -> tuple[Batch, NDArray[Any]]:
        """New games: observations and infos of those asked for."""
        del kwargs
        which = np.zeros(self.env_num, np.bool_)
        rows = np.asarray(self._wrap_id(env_id))
        which[rows] = True
        first = not self._begun and bool(which.all())
        self._begun |= first
        observations, infos = self.games.reset(seed=self._seed if first else None, options={"reset_mask": which})
        return self._seen(observations, infos, rows), np.full(len(rows), None)

    def step(
        self,
        action: ArrayLike,
        id: Games = None,  # noqa: A002 - as Tianshou names it
    ) -> tuple[Batch, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[Any]]:
        """A decision in each game: observations, rewards, terminations, truncations, infos, `(num_envs,)` each.

        Raises IllegalAction for what the rules do not allow, ValueError for some of the games only.
        """
        rows = np.asarray(self._wrap_id(id))
        if len(rows) != self.env_num:
            raise ValueError(f"all {self.env_num} games are stepped together, got {len(rows)}")
        observations, rewards, terminations, truncations, infos = self.games.step(action)
        infos_of_none = np.full(len(rows), None)
        return self._seen(observations, infos, rows), rewards * self._factor, terminations, truncations, infos_of_none

    @staticmethod
    def _seen(observations: NDArray[np.float32], infos: dict[str, Any], rows: NDArray[np.int64]) -> Batch:
        return Batch(obs=observations[rows], mask=infos["action_mask"][rows])

    def close(self) -> None:
        """Nothing is held that would need closing."""
        self.is_closed = True
