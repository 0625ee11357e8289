"""Agents in Python, one of each kind, for tests of what plays agents."""

import numpy as np

from agents import GameAgent, ObservationAgent
from respublica_env import Game


class FirstLegal(ObservationAgent):
    """An agent in Python that leaves nothing to chance."""

    name = "first"
    deterministic = True

    def act(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        del rng
        assert observations.shape[0] == action_masks.shape[0]
        return action_masks.argmax(axis=1)


class Drawing(ObservationAgent):
    """An agent in Python that draws."""

    name = "drawing"

    def act(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        del observations
        return np.array([rng.choice(np.flatnonzero(mask)) for mask in action_masks])


class Looking(GameAgent):
    """An agent that asks for the game, and draws."""

    name = "looking"

    def choose(self, game: Game, seat: int, rng: np.random.Generator) -> int:
        assert game.player == seat
        return int(rng.choice(game.legal_actions()))
