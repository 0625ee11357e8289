"""Games for the tests of the replay, and an agent that says what it thinks."""

import numpy as np

from respublica_env import Game, Rules
from respublica_env.record import Record, Recorder


def played(
    rules: Rules, seed: int = 3, bot: str = "greedy", decisions: int = 10**9, agents: tuple[str, ...] = ()
) -> Record:
    """A record of a bot's play, whole or left after so many decisions."""
    recorder = Recorder(Game(rules, seed), agents)
    while not recorder.game.terminated and len(recorder) < decisions:
        recorder.step(recorder.game.copy().play_bot(bot))
    return recorder.record()


class Weigher:
    """Weighs actions by their ids, and values what it sees by the sum of it."""

    name = "weigher"
    value_unit: str | None = None

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        del observations
        weights = action_masks * (1.0 + np.arange(action_masks.shape[1]) % 7)
        return weights / weights.sum(axis=1, keepdims=True)

    def values(self, observations: np.ndarray) -> np.ndarray:
        return observations.sum(axis=1)

    def act(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        del rng
        return self.probabilities(observations, action_masks).argmax(axis=1)
