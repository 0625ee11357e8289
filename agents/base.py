"""What an agent is."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from respublica_env import Game, Rules


class _Named(ABC):
    """What both kinds of agents have in common.

    Attributes:
        name: how tables name it.
        bot: the number of the compiled bot that plays the same, inside the batch; None when there is none.
        deterministic: whether it makes no use of `rng`. Its decisions in many games can then be asked for at once.
    """

    name: str
    bot: int | None = None
    deterministic: bool = False

    def check(self, rules: Rules) -> None:
        """Raise ValueError, with the reason, when the agent cannot play under `rules`."""
        del rules


class ObservationAgent(_Named):
    """An agent that plays from what its seat sees, in many games at once."""

    @abstractmethod
    def act(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """One legal action for each row: float32 `(B, D)` and 0 or 1 `(B, A)` to int64 `(B,)`.

        Args:
            observations: what the seats to decide see.
            action_masks: what they may do.
            rng: chance, for all rows. An agent's play must not depend on how many games it is asked about at once, so
                draw one entry for each row, along the first axis: `rng.random((B, A))`,
                `rng.integers(masks.sum(axis=1))`. As an opponent in an environment each row is then drawn from its own
                game's generator. An agent that draws in another way (`rng.choice(...)` in a loop over rows) plays just
                as well, but is asked game by game.
        """

    def choose(self, game: Game, seat: int, rng: np.random.Generator) -> int:
        """The action in one game in which `seat` is to decide."""
        return int(self.act(game.observation(seat)[None], game.action_mask()[None], rng)[0])


class GameAgent(_Named):
    """An agent that needs the game itself. It may look only through `game.determinize` and what `seat` may see."""

    @abstractmethod
    def choose(self, game: Game, seat: int, rng: np.random.Generator) -> int:
        """The action in one game in which `seat` is to decide; the game is left as it was."""


Agent = ObservationAgent | GameAgent
