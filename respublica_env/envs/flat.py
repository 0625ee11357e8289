"""The AEC environment with the vector alone as observation, and the mask in `infos` only.

For what takes no Dict observations (most of SuperSuit's wrappers of observations), and for what takes a mask from one
place only (TorchRL's `PettingZooWrapper` fails where an observation and an info both hold one).
"""

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from respublica_env.rules import shown


class FlatEnv(BaseWrapper[str, NDArray[np.float32], int]):
    """An environment of `respublica_v0` whose observations are float32 vectors (D,).

    The mask stays where it is as well, in `infos[agent]["action_mask"]`, int8 (A,). All else is as in the environment
    underneath.

    Args:
        env: `respublica_v0.env(...)` or `raw_env(...)`.

    Raises ValueError for an environment whose observations are not Dicts that hold an "observation".
    """

    def __init__(self, env: AECEnv[str, Any, int]) -> None:
        super().__init__(env)
        self._spaces = {agent: _vector_space(env, agent) for agent in env.possible_agents}

    def observation_space(self, agent: str) -> Box:
        """The space of an agent's observations."""
        self.env.observation_space(agent)  # says which agents there are
        return self._spaces[agent]

    def observe(self, agent: str) -> NDArray[np.float32]:
        """What an agent sees, at any time, also when it is not to decide or has taken its leave."""
        return self.env.observe(agent)["observation"]


def _vector_space(env: AECEnv[str, Any, int], agent: str) -> Box:
    space = env.observation_space(agent)
    vector = space.spaces.get("observation") if isinstance(space, Dict) else None
    if not isinstance(vector, Box):
        raise ValueError(f"env must be respublica_v0.env(...) or raw_env(...), got {shown(env)}")
    return vector
