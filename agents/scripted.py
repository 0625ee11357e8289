"""Scripted players. They are compiled into the engine; here they can be asked one decision at a time."""

import numpy as np
from numpy.typing import NDArray

from agents.base import GameAgent, ObservationAgent
from respublica_env import Game
from respublica_env.opponents import bot_number


class RandomAgent(ObservationAgent):
    """Plays every legal action with equal chance."""

    name = "random"
    bot = bot_number("random")

    def act(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Illegal actions draw from [0, 1), legal ones from [1, 2): the highest draw is a legal one."""
        del observations
        draws = rng.random(action_masks.shape) + (action_masks != 0)
        return draws.argmax(axis=1)


class CompiledAgent(GameAgent):
    """The compiled bot of a name, as an agent."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.bot = bot_number(name)

    def choose(self, game: Game, seat: int, rng: np.random.Generator) -> int:
        """What the bot does where `seat` believes it is; `rng` decides what the bot leaves to chance."""
        return game.determinize(seat, rng).play_bot(self.name)
