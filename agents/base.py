"""What an agent is."""

import numpy as np
from numpy.typing import NDArray

from respublica_env import Game, Rules


class Agent:
    """An agent chooses actions for any seat, for any number of games at a time.

    Attributes:
        name: what tables call it.
        bot: the number of the compiled bot that it is, so that batches play it inside; None for an agent in Python.
        draws: whether `act` uses its random generator.
    """

    name: str
    bot: int | None = None
    draws: bool = True

    def check(self, rules: Rules) -> None:
        """Raise ValueError when the agent cannot play under these rules."""

    def act(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Actions, int64 `(B,)`, from observations `(B, D)` and masks `(B, A)`."""
        raise TypeError(f"{self.name} needs the game itself: call choose")

    def choose(self, game: Game, seat: int, rng: np.random.Generator) -> int:
        """The action of `seat`, which is to act in `game`; it looks only at what the seat may see."""
        return int(self.act(game.observation(seat)[None], game.action_mask()[None], rng)[0])
