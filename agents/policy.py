"""A trained policy as an agent."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from agents.checkpoint import read_checkpoint
from respublica_env import Rules


class PolicyAgent(Agent):
    """The policy of a checkpoint that `train.ppo` wrote; it plays the action it finds most likely.

    Raises ValueError for a file that is no such checkpoint.
    """

    draws = False

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        self.rules, self.model = read_checkpoint(path)

    def check(self, rules: Rules) -> None:
        """The rules must be those that the policy was trained under."""
        if rules != self.rules:
            mine, theirs = self.rules.to_dict(), rules.to_dict()
            differ = ", ".join(f"{key} {mine[key]} not {theirs[key]}" for key in mine if mine[key] != theirs[key])
            raise ValueError(f"{self.name} was trained under other rules: {differ}")

    def act(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """The most likely legal action of each game."""
        actions, _ = self.model.predict(observations, action_masks=action_masks.astype(bool), deterministic=True)
        return np.asarray(actions, np.int64)
