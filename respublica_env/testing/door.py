"""`Door`: an environment as the checks play it, whatever its API."""

import copy
import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from respublica_env.game import Game
from respublica_env.rules import Rules

MakeEnv = Callable[..., Any]
View = dict[str, Any]  # what is shown, by the place where it is shown
MOST_ROWS = 8  # games that are looked at, of those that an environment plays side by side


class End(NamedTuple):
    """A game that has ended.

    Attributes:
        row: which of the games side by side.
        game: the position at the end.
        mode: the reward mode.
        totals: what each seat earned in all, by the way in which it was read, then by seat.
    """

    row: int
    game: Game
    mode: str
    totals: Mapping[str, Mapping[int, float]]


class Door(ABC):
    """One environment, which plays one game or several side by side ("rows").

    Attributes:
        env: the environment as it was given.
        rules: its rules.
        size: games side by side.
        seeded: whether `reset(seed)` deals as `Game(rules, seed=seed + row)`.
        whole: whether the caller decides for every seat; else opponents play inside.
        mask_when_over: what stands in the mask of a game that is over.
        keeps_ends: whether `ends` is to tell of games that are followed at once by others; may be set.
    """

    size = 1
    seeded = True
    whole = True
    mask_when_over = 0
    keeps_ends = False

    def __init__(self, env: Any, rules: Rules) -> None:
        self.env = env
        self.rules = rules

    @property
    def name(self) -> str:
        """What messages call the environment."""
        inner = getattr(self.env, "unwrapped", self.env)
        names = [type(self.env).__name__, *([] if inner is self.env else [type(inner).__name__])]
        return " around ".join(names)

    @property
    def rows(self) -> list[int]:
        """The games that are looked at."""
        return sorted({int(row) for row in np.linspace(0, self.size - 1, min(self.size, MOST_ROWS))})

    @abstractmethod
    def reset(self, seed: int | None) -> None:
        """Begin anew; without a seed from where the random streams stand."""

    @abstractmethod
    def step(self, actions: Sequence[int]) -> None:
        """Play an action in each row; that of a row that is over means nothing."""

    def try_step(self, actions: Sequence[int]) -> None:
        """The same where one of them may be illegal: no logger is told."""
        self.step(actions)

    @abstractmethod
    def game(self, row: int) -> Game:
        """The position, a copy."""

    def seats(self, row: int) -> Sequence[int]:  # noqa: ARG002 - the learner's seat depends on it
        """The seats to which the environment shows something."""
        return range(self.rules.num_players)

    @abstractmethod
    def view(self, row: int, seat: int, drawn: bool = False) -> View:
        """All that the environment shows to a seat now; `drawn`: what it renders too.

        When the game is over this leaves out rewards and pictures, which tell what the hands were worth.
        """

    @abstractmethod
    def masks(self, row: int, seat: int) -> dict[str, NDArray[Any]]:
        """The seat's action mask, wherever it stands."""

    @abstractmethod
    def put(self, row: int, game: Game) -> None:
        """Put another position of the same rules, in which the same seat is to decide, in the place of a row's."""

    @abstractmethod
    def refusal(self, row: int) -> Mapping[int, float] | None:
        """Where the last step ended the game because its action was illegal: what each seat then earned."""

    def over(self, row: int) -> bool:
        """Whether the row's game is over, and no other has begun."""
        return self.game(row).terminated

    def ended(self, row: int) -> bool:
        """Whether the row's game has ended since the last `reset`."""
        return self.over(row)

    @property
    def running(self) -> bool:
        """Whether some row that is looked at has not come to an end since the last `reset`."""
        return not all(self.ended(row) for row in self.rows)

    def ends(self) -> list[End]:
        """The games that have ended, of the rows that are looked at, with what was earned in them."""
        return []

    def deals(self, row: int) -> int:
        """How many games were dealt to the row since it was seeded, as long as none of them was played to its end."""
        raise NotImplementedError(f"{type(self).__name__} has no seeds, so nothing is dealt from one")

    def legal(self) -> NDArray[np.int8]:
        """The engine's word on what is legal for those who are to decide, int8 (size, A); all 0 when over."""
        return np.stack([self.game(row).action_mask() for row in range(self.size)])

    def choose(self, rng: np.random.Generator) -> list[int]:
        """A legal action for each row, each as likely as another; 0 where the game is over."""
        legal = self.legal()
        chosen: list[int] = (rng.random(legal.shape) * legal).argmax(axis=1).tolist()
        return chosen

    def keep_to_what_all_know(self) -> None:  # noqa: B027 - where nobody plays inside there is nothing to do
        """Let opponents that play inside decide by what everybody knows."""

    def new_worlds(self, seed: int, row: int, seat: int, rng: np.random.Generator) -> tuple[Self, Self]:
        """The same with both begun anew."""
        one, other = self.twin(), self.twin()
        one.reset(seed)
        other.reset_elsewhere(seed, row, seat, rng)
        return one, other

    def reset_elsewhere(self, seed: int, row: int, seat: int, rng: np.random.Generator) -> None:
        """Begin anew, with another deal where the seat cannot know it; what `reset` shows must be of that one."""
        self.reset(seed)
        self.put(row, self.game(row).determinize(seat, rng))

    def worlds(self, row: int, seat: int, rng: np.random.Generator) -> tuple[Self, Self]:
        """Two copies of the environment as it stands, which differ in what the seat cannot know of a row's game."""
        one, other = self.twin(), self.twin()
        other.put(row, self.game(row).determinize(seat, rng))
        return one, other

    @property
    def copiers(self) -> dict[str, Callable[[Any], Any]]:
        """The ways to copy the environment, by name."""
        return {"copy.deepcopy": copy.deepcopy, "pickle": lambda env: pickle.loads(pickle.dumps(env))}

    def twin(self) -> Self:
        """A door to a copy of the environment, for the checks' own use."""
        return self.duplicate(copy.deepcopy)

    def duplicate(self, copier: Callable[[Any], Any]) -> Self:
        """A door to a copy of the environment."""
        twin = copy.copy(self)
        twin.__dict__.update({name: copy.deepcopy(value) for name, value in self._own().items()})
        twin.env = copier(self.env)
        return twin

    def _own(self) -> dict[str, Any]:
        """What the door itself remembers of the game."""
        return {name: value for name, value in self.__dict__.items() if name not in ("env", "rules")}


def positions_differ(one: Game, other: Game) -> bool:
    """Whether two positions are not the same, random streams and all."""
    return one.to_dict() | {"seed": 0, "rules": 0} != other.to_dict() | {"seed": 0, "rules": 0}
