"""`LearnerBatch`: many games, each with one seat for a learner and opponents in the others.

What the environments for a single learner have in common. Whose seat it is, what a step earns and when a game begins
are decided here; how that is handed out (Gymnasium, one game or many; SB3) is the matter of the environments.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from respublica_env.actions import IllegalAction
from respublica_env.batch import Batch
from respublica_env.engine import batch as loops
from respublica_env.envs.others import Others
from respublica_env.envs.rewards import check_mode, final_rewards
from respublica_env.rules import Rules, shown

ILLEGAL_MODES = ("end", "raise")
ILLEGAL_REWARD = -1.0
MOST_SKIPPED = 1_000  # deals in a row in which the learner has no decision: the rules leave it none


class Step(NamedTuple):
    """What a step of all games gave.

    Attributes:
        rewards: float64 `(B,)`, all that the learner's seat earned until its next decision or the end.
        ended: int64 `(k,)`, the games that ended in this step, rising.
        illegal: the sentence why the action was illegal, by game, for those that ended by it.
    """

    rewards: NDArray[np.float64]
    ended: NDArray[np.int64]
    illegal: dict[int, str]


class LearnerBatch:
    """`num_games` games, stepped together from one decision of the learner to its next.

    Nothing is dealt before the first `reset`. A game that is over stays so until it is reset: its observation is what
    the learner sees at the end (after an illegal action still what it saw before it), its mask is all 1, and its action
    is ignored.

    Args:
        num_games: B, at least 1.
        opponents: who plays the other seats, see `Others` in envs/others.py.
        seat: the learner's seat; None draws one for each game, from a random stream of the game's own.
        num_players: used only where `rules` is None.
        rules: a Rules, a dict of its fields, or a preset's name; None is the published game.
        reward: "win", "points" or "margin", see envs/rewards.py.
        on_illegal: "end": an illegal action ends its game with reward -1; "raise": IllegalAction, nothing has changed.
        mask_in_observation: whether the action mask is appended to the observation (D' = D + A, else D' = D).
        seed: game `i` has the seed `seed + i`; None takes entropy from the system.

    Attributes:
        batch: the games.
        seats: int64 `(B,)`, the learner's seat.
        over, num_over: bool `(B,)`, which games are over, and how many.
        skipped: int64 `(B,)`, deals skipped before the present game because the learner had no decision in them.

    Raises ValueError, naming what is accepted, for anything else.
    """

    def __init__(
        self,
        num_games: SupportsIndex,
        opponents: object = "random",
        seat: SupportsIndex | None = None,
        num_players: int = 4,
        rules: Rules | Mapping[str, Any] | str | None = None,
        reward: str = "win",
        on_illegal: str = "end",
        mask_in_observation: bool = False,
        seed: SupportsIndex | None = None,
    ) -> None:
        self.rules = Rules.of(rules, num_players)
        self.seat = _check_seat(seat, self.rules.num_players)
        self.reward = check_mode(reward)
        if not isinstance(on_illegal, str) or on_illegal not in ILLEGAL_MODES:
            raise ValueError(
                f"on_illegal must be one of {', '.join(map(repr, ILLEGAL_MODES))}, got {shown(on_illegal)}"
            )
        self.on_illegal = on_illegal
        if not isinstance(mask_in_observation, (bool, np.bool_)):
            raise ValueError(f"mask_in_observation must be True or False, got {shown(mask_in_observation)}")
        self.mask_in_observation = bool(mask_in_observation)
        self.batch = Batch(self.rules, num_games, seed)
        size = self.batch.num_games
        self.batch.end(np.arange(size))
        self._others = Others(self.batch, opponents)
        self.seats: NDArray[np.int64] = np.full(size, self.seat or 0, np.int64)  # (B,)
        self.over: NDArray[np.bool_] = np.ones(size, np.bool_)  # (B,)
        self.num_over = size
        self.skipped: NDArray[np.int64] = np.zeros(size, np.int64)  # (B,)
        self._made: NDArray[np.int64] = np.zeros(size, np.int64)  # (B,) points of cities and monuments paid out
        self._games = np.arange(size)  # (B,)
        self.begun = self._guarded = False

    @property
    def opponents(self) -> object:
        """As given; may be set, and counts from each game's next deal on."""
        return self._others.opponents

    @opponents.setter
    def opponents(self, opponents: object) -> None:
        self._others.set(opponents)

    @property
    def observation_size(self) -> int:
        """Length of what the learner sees, D'."""
        return self.rules.observation_size + (self.rules.num_actions if self.mask_in_observation else 0)

    def observations(self, games: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """What the learners see, float32 `(B, D')`, or of some games `(k, D')`; a copy."""
        seen = self.batch.observations.copy() if games is None else self.batch.observations[games]
        if not self.mask_in_observation:
            return seen
        masks = self.action_masks()
        return np.concatenate((seen, masks if games is None else masks[games]), axis=1, dtype=np.float32)

    def action_masks(self) -> NDArray[np.int8]:
        """The learners' legal actions, 0 or 1, int8 `(B, A)`, a copy; all 1 where the game is over."""
        if not self.begun:
            raise ResetNeeded("There are no action masks before reset() has been called")
        masks = self.batch.action_masks.copy()
        if self.num_over:
            masks[self.over] = 1  # whatever is chosen is ignored, and a distribution over nothing would be none
        return masks

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Where opponents are Python code: whatever it raises, nothing has changed. May be nested."""
        if self._guarded or not self._others.asks:
            yield
            return
        others = self._others
        arrays = (*self._arrays(), others.seated)
        before = [array.copy() for array in arrays], self.num_over, self.begun, others.python
        others.streams.mark()
        self._guarded = True
        try:
            yield
        except BaseException:
            for array, values in zip(arrays, before[0], strict=True):
                array[:] = values
            _, self.num_over, self.begun, others.python = before
            others.streams.undo()
            raise
        finally:
            others.streams.unmark()
            self._guarded = False

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        """Everything about the games, of which `reset` and `step` change some in place."""
        batch = self.batch
        games = (batch._rows, batch.controllers, batch.player, batch.observations, batch._masks)
        return (*games, batch._seeds, self.seats, self.over, self.skipped, self._made)

    def reset(self, games: NDArray[np.int64] | None = None, seeds: NDArray[np.uint64] | None = None) -> None:
        """New games, played on to the learner's first decision; deals in which it has none are skipped.

        games: int64 `(k,)`; None is all.
        seeds: uint64 `(k,)`, for each a new start of its random streams; None lets the streams go on.

        Raises ValueError when 1,000 deals in a row leave the learner of some game no decision.
        """
        with self.all_or_nothing():
            self._reset(self._games if games is None else games, seeds)

    def _reset(self, left: NDArray[np.int64], seeds: NDArray[np.uint64] | None) -> None:
        batch, others = self.batch, self._others
        if seeds is not None:
            batch._seed_rows(left, seeds)
            others.streams.restart(left, seeds)
        self._made[left] = self.skipped[left] = 0
        self.begun = True
        if self.num_over:
            self.over[left] = False
            self.num_over = int(self.over.sum())
        for _ in range(MOST_SKIPPED):
            if self.seat is None:
                loops.draw_seats(batch._spec, batch._rows, left, self.seats)
            others.sit_down(left, self.seats[left])
            batch.reset(left)
            if others.python:
                others.play_on(self.seats)
            left = left[batch.player[left] < 0]
            if left.size == 0:
                return
            self.skipped[left] += 1
        self.over[left] = True
        self.num_over += len(left)
        raise ValueError(
            f"the learner had no decision in {MOST_SKIPPED:,} deals in a row: these rules leave it none "
            f"(seat {self.seats[left[0]]}, opponents {shown(self.opponents)})"
        )

    def step(self, actions: ArrayLike) -> Step:
        """Play the learners' actions, whole numbers `(B,)`, and on to their next decisions.

        Raises IllegalAction with on_illegal="raise", ValueError for a wrong shape or dtype, and whatever an opponent
        raises; nothing has changed.
        """
        if not self._others.python:
            return self._step(actions)
        with self.all_or_nothing():
            return self._step(actions)

    def _step(self, actions: ArrayLike) -> Step:
        if not self.begun:
            raise ResetNeeded("Cannot call step() before calling reset()")
        illegal = self._play(actions)
        if self._others.python:
            self._others.play_on(self.seats)
        rewards = np.zeros(len(self._games))
        if self.reward == "points":
            made = self.batch.points[self._games, self.seats]
            rewards += made - self._made
            self._made[:] = made
        over = self.batch.player < 0
        if np.count_nonzero(over) == self.num_over:
            return Step(rewards, _NONE, illegal)
        ended = np.flatnonzero(over & ~self.over)
        self.over[ended] = True
        self.num_over += len(ended)
        self._finish(ended, illegal, rewards)
        return Step(rewards, ended, illegal)

    def _play(self, actions: ArrayLike) -> dict[int, str]:
        """Step the batch; illegal actions end their games, and are returned with the reason."""
        try:
            self.batch.step(actions)
            return {}
        except IllegalAction:
            if self.on_illegal == "raise":
                raise
        given = np.asarray(actions).astype(np.int64)
        masks = self.batch.action_masks
        legal = (given >= 0) & (given < masks.shape[1])
        legal[legal] = masks[self._games[legal], given[legal]] == 1
        broken = np.flatnonzero(~legal & ~self.over)
        reasons = {int(game): self.batch.game(game).why_illegal(int(given[game])) for game in broken}
        seen = self.batch.observations[broken]
        self.batch.end(broken)
        self.batch.observations[broken] = seen
        self.batch.step(given)
        return reasons

    def _finish(self, ended: NDArray[np.int64], illegal: Mapping[int, str], rewards: NDArray[np.float64]) -> None:
        """Pay what the end earns to the games of `ended`, and let their learners see it."""
        rows, seats = self.batch._rows[ended], self.seats[ended]
        scores, points = np.empty((2, len(ended), self.rules.num_players), np.int64)
        loops.score_rows(self.batch._spec, rows, scores)
        loops.points_rows(self.batch._spec, rows, points)
        earned = final_rewards(self.reward, self.rules, scores, points)
        rewards[ended] += earned[np.arange(len(ended)), seats]
        seen = np.empty((len(ended), self.rules.observation_size), np.float32)
        loops.observe_rows(self.batch._spec, self.batch._shares, rows, seats, seen)
        if illegal:
            broken = np.array(sorted(illegal), np.int64)
            rewards[broken] = ILLEGAL_REWARD
            seen[np.searchsorted(ended, broken)] = self.batch.observations[broken]
        self.batch.observations[ended] = seen

    def __getstate__(self) -> dict[str, Any]:
        # A batch shows nobody's view of games that are over: keep what the learners see.
        return {**self.__dict__, "_seen": self.batch.observations[self.over]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        seen = state.pop("_seen")
        self.__dict__.update(state)
        self.batch.observations[self.over] = seen


_NONE = np.zeros(0, np.int64)
_NONE.setflags(write=False)


def _check_seat(seat: object, num_players: int) -> int | None:
    if seat is None:
        return None
    if isinstance(seat, (int, np.integer)) and not isinstance(seat, bool) and 0 <= seat < num_players:
        return int(seat)
    raise ValueError(f"seat must be None (drawn for each game) or from 0 to {num_players - 1}, got {shown(seat)}")
