"""OpenSpiel's game as the checks play it."""

# What the methods do, and with what, stands in `Door`.
# ruff: noqa: ARG002, D102

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from respublica_env.envs.chance import NATURE, Moment
from respublica_env.envs.open_spiel import ResPublicaState
from respublica_env.game import Game
from respublica_env.testing.door import Door, End, View
from respublica_env.testing.values import held


class OpenSpielDoor(Door):
    """A state of `python_respublica`, in which nature draws by random streams of the door's own, one for each seat."""

    seeded = False
    env: ResPublicaState

    def __init__(self, env: Any) -> None:
        self._first = env if isinstance(env, ResPublicaState) else env.new_initial_state()
        super().__init__(self._first, self._first.get_game().rules)
        self._streams: list[np.random.Generator] = []
        self._rewards = [0.0] * self.rules.num_players

    def reset(self, seed: int | None) -> None:
        assert seed is not None, "a game of OpenSpiel has no seed and no stream that could go on"
        self._begin([np.random.default_rng((seed, seat)) for seat in range(self.rules.num_players)])

    def _begin(self, streams: list[np.random.Generator]) -> None:
        self._streams = streams
        self.env = copy.deepcopy(self._first)
        self._rewards = [0.0] * self.rules.num_players
        self._draw()

    def _draw(self) -> None:
        """Let nature choose until a seat is to decide: the first card left, in an order from the drawer's stream."""
        while self.env.moment.player == NATURE:
            order = self._streams[_drawer(self.env.moment)].permutation(self.rules.num_types).tolist()
            self.env.apply_action(min(self.env.legal_actions(), key=order.index))

    def step(self, actions: Sequence[int]) -> None:
        if self.env.is_terminal():
            return
        self.env.apply_action(actions[0])
        self._draw()
        for seat, reward in enumerate(self.env.rewards()):
            self._rewards[seat] += reward

    def game(self, row: int) -> Game:
        game = self.env.moment.game
        assert game is not None, "cards are dealt before anything else"
        return game.copy()

    def view(self, row: int, seat: int, drawn: bool = False) -> View:
        state = self.env
        shown: View = {
            "information_state_string()": state.information_state_string(seat),
            "observation_string()": state.observation_string(seat),
            "observation_tensor()": np.array(state.observation_tensor(seat)),
        }
        if not state.is_terminal():
            shown |= {"legal_actions()": state.legal_actions(seat), "returns()": state.returns()}
        return {place: held(value) for place, value in shown.items()}

    def masks(self, row: int, seat: int) -> dict[str, NDArray[Any]]:
        legal = np.zeros(self.rules.num_actions, np.int8)
        legal[self.env.legal_actions(seat)] = 1
        masks = {"legal_actions()": legal}
        if not self.env.is_terminal():
            masks["legal_actions_mask()"] = np.array(self.env.legal_actions_mask(seat), np.int8)
        return masks

    def put(self, row: int, game: Game) -> None:
        raise NotImplementedError("an OpenSpiel state follows from its history: `worlds` plays two of them instead")

    def new_worlds(self, seed: int, row: int, seat: int, rng: np.random.Generator) -> tuple[Self, Self]:
        return self.worlds(row, seat, rng)

    def worlds(self, row: int, seat: int, rng: np.random.Generator) -> tuple[Self, Self]:
        """Two new games, in which nature draws the same for this seat and its own way for the others."""
        doors = copy.copy(self), copy.copy(self)
        same = int(rng.integers(2**62))
        for door in doors:
            others = rng.integers(2**62, size=self.rules.num_players).tolist()
            seeds = [same if other == seat else others[other] for other in range(self.rules.num_players)]
            door._begin([np.random.default_rng(seed) for seed in seeds])
        return doors

    def refusal(self, row: int) -> Mapping[int, float] | None:
        return None

    def ends(self) -> list[End]:
        ways = {"returns()": self.env.returns(), "rewards()": self._rewards}
        totals = {way: dict(enumerate(rewards)) for way, rewards in ways.items()}
        return [End(0, self.game(0), self.env.get_game().reward, totals)]

    @property
    def copiers(self) -> dict[str, Callable[[Any], Any]]:
        return {"clone()": lambda state: state.clone(), **super().copiers}


def _drawer(moment: Moment) -> int:
    """The seat for which nature draws."""
    if moment.game is not None and moment.game.player is not None:
        return moment.game.player
    assert moment.drawing is not None
    return moment.setting.rules.num_players - len(moment.drawing.groups)
