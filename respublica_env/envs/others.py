"""The other seats: who plays them in each game, and the decisions of those who are not compiled."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from respublica_env.actions import IllegalAction
from respublica_env.arguments import whole_numbers
from respublica_env.batch import Batch
from respublica_env.engine.batch import STEP
from respublica_env.envs.generators import CannotSplit, ManyGenerators, Streams
from respublica_env.opponents import Found, PythonOpponent, find, for_each_seat
from respublica_env.rules import shown


class Others:
    """Who plays the other seats of the games of `batch`.

    Compiled opponents play inside the batch. The others are asked here, each for all games at once that wait for it.
    Each has a Generator of its own for each game and seat, so that its play does not depend on the number of games.

    opponents: in any form of `respublica_env.opponents`; one for all seats, a list with one for each other seat (entry
        `j` plays the seat `j + 1` seats after the learner's), or an object with `lineup(rng)`, which is asked for one
        of these at each deal of each game, with a Generator of that game's own.
    """

    def __init__(self, batch: Batch, opponents: object) -> None:
        self._batch = batch
        n = batch.rules.num_players
        first = np.arange(batch.num_games, dtype=np.uint64) + np.uint64(batch.seed)
        self.streams = Streams(first)
        self.seated: NDArray[Any] = np.full((batch.num_games, n), None, object)  # (B, n) Python opponents
        self.python = False  # whether there may be any in it
        self.heard: Callable[[int], None] | None = None  # told what they decide, where there is one game only
        self.set(opponents)

    @property
    def asks(self) -> bool:
        """Whether Python code may be asked before every game waits for its learner."""
        return self.python or self._table is None or self._table[1] is not None

    def set(self, opponents: object) -> None:
        """Other opponents, who count from each game's next deal on; ValueError before anything has changed."""
        rules = self._batch.rules
        n = rules.num_players
        found: dict[object, tuple[object, Found]] = {}
        has_lineup = callable(getattr(opponents, "lineup", None)) and not isinstance(opponents, type)
        table = None if has_lineup else _by_learner(self._find(opponents, n - 1, found), n)
        self.opponents, self._has_lineup, self._found, self._table = opponents, has_lineup, found, table

    def _find(self, opponents: object, others: int, found: dict[object, tuple[object, Found]]) -> list[Found]:
        """Each opponent as `opponents.find` gives it, and the same one for the same opponent."""
        players = []
        for opponent in for_each_seat(opponents, others):
            key = opponent if isinstance(opponent, str) else id(opponent)
            if key not in found:
                player = find(opponent)
                check = None if isinstance(player, int) else getattr(player.agent, "check", None)
                if check is not None:
                    check(self._batch.rules)
                found[key] = opponent, player  # the opponent itself too, so that its id stays its own
            players.append(found[key][1])
        return players

    def sit_down(self, games: NDArray[np.int64], seats: NDArray[np.int64]) -> None:
        """Seat opponents in `games`, int64 `(k,)`, around the learners at `seats`, int64 `(k,)`."""
        if self._table is not None:
            controllers, seated = self._table
            self._batch.controllers[games] = controllers[seats]
            if seated is not None:
                self.seated[games] = seated[seats]
                self.python = True
            elif self.python:
                self.seated[games] = None
                self.python = bool((self.seated != None).any())  # noqa: E711 - element by element
            return
        n = self._batch.rules.num_players
        for game, seat in zip(games.tolist(), seats.tolist(), strict=True):
            lineup = self.opponents.lineup(self.streams.of(game, n))  # type: ignore[attr-defined]
            for j, player in enumerate(self._find(lineup, n - 1, self._found)):
                other = (seat + 1 + j) % n
                self._batch.controllers[game, other] = player if isinstance(player, int) else -1
                self.seated[game, other] = None if isinstance(player, int) else player
            self._batch.controllers[game, seat] = -1
            self.seated[game, seat] = None
        self.python = True

    def play_on(self, seats: NDArray[np.int64]) -> None:
        """Play until every game is over or waits for its learner, whose seats are `seats`, int64 `(B,)`.

        Raises IllegalAction or ValueError, naming the opponent, when one of them answers with no legal action.
        """
        player = self._batch.player
        while True:
            waiting = np.flatnonzero((player >= 0) & (player != seats))
            if waiting.size == 0:
                return
            self._batch._run_some(STEP, waiting, self._decide(waiting))

    def _decide(self, waiting: NDArray[np.int64]) -> NDArray[np.int64]:
        """The decisions in the games of `waiting`, int64 `(k,)`, both."""
        seats = self._batch.player[waiting]
        places: dict[int, list[int]] = {}
        opponents = self.seated[waiting, seats]
        for place, opponent in enumerate(opponents):
            places.setdefault(id(opponent.agent), []).append(place)
        actions = np.empty(len(waiting), np.int64)
        for some in places.values():
            at = np.array(some)
            actions[at] = self._ask(opponents[some[0]], waiting[at], seats[at])
        if self.heard is not None:
            self.heard(int(actions[0]))
        return actions

    def _ask(self, opponent: PythonOpponent, games: NDArray[np.int64], seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """What one opponent does in `games`, at `seats`; int64 `(k,)`, all three."""
        masks = self._batch.action_masks[games]
        if opponent.act is None:
            chosen = self._choose(opponent, games.tolist(), seats.tolist())
        else:
            chosen = self._act(opponent, games, seats)
        legal = (chosen >= 0) & (chosen < masks.shape[1])
        legal[legal] = masks[legal, chosen[legal]] == 1
        for wrong in np.flatnonzero(~legal).tolist():
            why = self._batch.game(games[wrong]).why_illegal(int(chosen[wrong]))
            raise IllegalAction(f"opponent {shown(opponent.name)} in seat {seats[wrong]} of game {games[wrong]}: {why}")
        return chosen

    def _choose(self, opponent: PythonOpponent, games: list[int], seats: list[int]) -> NDArray[np.int64]:
        assert opponent.choose is not None
        chosen = np.empty(len(games), np.int64)
        for k, (game, seat) in enumerate(zip(games, seats, strict=True)):
            answer = opponent.choose(self._batch.game(game), seat, self.streams.of(game, seat))
            try:
                chosen[k] = operator.index(answer)
            except (TypeError, OverflowError):
                raise ValueError(
                    f"opponent {shown(opponent.name)} must choose an action, got {shown(answer)}"
                ) from None
        return chosen

    def _act(self, opponent: PythonOpponent, games: NDArray[np.int64], seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """Ask for all games at once, or, where its draws cannot be told apart, for one after the other."""
        keys = list(zip(games.tolist(), seats.tolist(), strict=True))
        if len(keys) > 1 and opponent.splits:
            rng = ManyGenerators(lambda: [self.streams.of(*key) for key in keys], len(keys))
            try:
                return self._answers(opponent, games, rng)
            except CannotSplit:
                rng.take_back()
                opponent.splits = False
        each = [self._answers(opponent, games[k : k + 1], self.streams.of(*key)) for k, key in enumerate(keys)]
        return np.concatenate(each)

    def _answers(
        self, opponent: PythonOpponent, games: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        assert opponent.act is not None
        answers = opponent.act(self._batch.observations[games], self._batch.action_masks[games], rng)
        return whole_numbers(f"opponent {shown(opponent.name)} must answer with", answers, games.shape)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_found": {}, "heard": None}  # ids are of this process; a copy is not recorded


def _by_learner(players: list[Found], n: int) -> tuple[NDArray[np.int8], NDArray[Any] | None]:
    """Controllers, int8 `(n, n)`, and Python opponents, `(n, n)`, by the learner's seat; None where there are none."""
    controllers = np.full((n, n), -1, np.int8)
    seated = np.full((n, n), None, object)
    for seat in range(n):
        for j, player in enumerate(players):
            other = (seat + 1 + j) % n
            if isinstance(player, int):
                controllers[seat, other] = player
            else:
                seated[seat, other] = player
    return controllers, None if all(isinstance(player, int) for player in players) else seated
