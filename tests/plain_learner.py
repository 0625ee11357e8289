"""A learner against opponents, as RULES and INTERFACE describe it, played on a Game in plain Python."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from respublica_env import Game, Rules

Opponent = str | Callable[..., Any]  # a compiled bot's name, or a function called as an agent's `act` is


class PlainLearner:
    """One game after the other, each from the learner's first decision on."""

    def __init__(self, rules: Rules, seed: int, opponents: Sequence[Opponent], reward: str) -> None:
        self.game = Game(rules, seed=seed)
        self.opponents, self.reward = opponents, reward
        self.generators = [np.random.default_rng((seed, seat)) for seat in range(rules.num_players)]
        self.skipped = 0

    def begin(self, seat: int) -> None:
        """Play to the first decision of `seat`; deals without one are skipped."""
        self.seat, self.paid, self.skipped = seat, 0, 0
        self._play_on()
        while self.game.terminated:
            self.skipped += 1
            self.game.reset()
            self._play_on()

    def _play_on(self) -> None:
        game = self.game
        while not game.terminated and game.player != self.seat:
            opponent = self.opponents[(game.player - self.seat) % game.rules.num_players - 1]
            if isinstance(opponent, str):
                game.play_bot(opponent)
            else:
                seen, mask = game.observation(game.player)[None], game.action_mask()[None]
                game.step(opponent(seen, mask, self.generators[game.player])[0])

    def step(self, action: int) -> float:
        """What the learner earns with it until its next decision or the end."""
        self.game.step(action)
        self._play_on()
        if self.reward == "points":
            total = self.total() if self.game.terminated else self.game.points()[self.seat]
            earned, self.paid = total - self.paid, total
            return earned
        return self.total() if self.game.terminated else 0

    def total(self) -> float:
        """What the seat has earned in a game that is over."""
        scores, rules = self.game.scores(), self.game.rules
        own, n = scores[self.seat], rules.num_players
        if self.reward == "points":
            return own
        if self.reward == "win":
            return (own == max(scores)) / scores.count(max(scores)) - 1 / n
        most = rules.num_cities * rules.city_points + sum(rules.monument_points)
        return (own - (sum(scores) - own) / (n - 1)) / most


def some_actions(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action for each row."""
    return (rng.random(masks.shape) * masks).argmax(axis=-1)


# Opponents in Python: one that makes no draw, one whose draws can be told apart by game, one whose draws cannot.


def last_legal(_observations: np.ndarray, action_masks: np.ndarray, _rng: np.random.Generator) -> np.ndarray:
    return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)


def drawing(_observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    picks = rng.integers(action_masks.sum(axis=1))
    return (action_masks.cumsum(axis=1) > picks[:, None]).argmax(axis=1)


def choosing(_observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> list[int]:
    return [int(rng.choice(np.flatnonzero(mask))) for mask in action_masks]
