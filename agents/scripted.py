"""Players that are compiled into the engine, as agents."""

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from respublica_env import Game
from respublica_env.opponents import bot_number


class CompiledAgent(Agent):
    """A bot of the engine, by name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.bot = bot_number(name)

    def act(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Only `random` can choose without the game: each legal action with equal chance."""
        if self.name != "random":
            return super().act(observations, action_masks, rng)
        return np.array([rng.choice(np.flatnonzero(mask)) for mask in action_masks], np.int64)

    def choose(self, game: Game, seat: int, rng: np.random.Generator) -> int:
        """What the bot would do, with a random stream drawn from `rng`; `game` does not change."""
        return game.determinize(seat, rng).play_bot(self.name)
