"""`LearnerBatch`: many games, each with one seat for a learner and opponents in the others.

What the environments for a single learner have in common. Whose seat it is, what a step earns and when a game begins
are decided here; how that is handed out (SB3, Gymnasium) is the matter of the environments.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from respublica_env.actions import IllegalAction
from respublica_env.batch import Batch
from respublica_env.engine import batch as loops
from respublica_env.engine.state import ACTIVE, OVER, PHASE, PLAYER
from respublica_env.envs.rewards import check_mode, final_rewards
from respublica_env.opponents import bot_numbers
from respublica_env.rules import Rules

ILLEGAL_MODES = ("end", "raise")
ILLEGAL_REWARD = -1.0
MOST_SKIPPED = 1_000  # deals in a row in which the learner has no decision: the rules leave it none


class Step(NamedTuple):
    """What a step of all games gave.

    Attributes:
        rewards: float64 `(B,)`, all that the learner's seat earned until its next decision or the end.
        ended: int64 `(k,)`, the games that ended in this step, rising.
        final_observations: float32 `(k, D')`, what the learner sees at the end of each of them.
        illegal: the sentence why the action was illegal, by game, for those that ended by it.
    """

    rewards: NDArray[np.float64]
    ended: NDArray[np.int64]
    final_observations: NDArray[np.float32]
    illegal: dict[int, str]


class LearnerBatch:
    """`num_games` games, stepped together from one decision of the learner to its next.

    Args:
        num_games: B, at least 1.
        opponents: a compiled bot's name, or a list of names, one for each other seat: entry `j` plays the seat
            `j + 1` seats after the learner's.
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
        returns: float64 `(B,)`, rewards of the game so far.
        lengths: int64 `(B,)`, steps of the game so far.
        skipped: int64 `(B,)`, deals skipped before the present game because the learner had no decision in them.

    Raises ValueError, naming what is accepted, for anything else.
    """

    def __init__(
        self,
        num_games: SupportsIndex,
        opponents: object = "random",
        seat: int | None = None,
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
        if on_illegal not in ILLEGAL_MODES:
            raise ValueError(f"on_illegal must be one of {', '.join(map(repr, ILLEGAL_MODES))}, got {on_illegal!r}")
        self.on_illegal = on_illegal
        self.mask_in_observation = bool(mask_in_observation)
        self.opponents = opponents
        self.batch = Batch(self.rules, num_games, seed)
        size = self.batch.num_games
        self.seats: NDArray[np.int64] = np.full(size, self.seat or 0, np.int64)  # (B,)
        self.returns: NDArray[np.float64] = np.zeros(size)  # (B,)
        self.lengths: NDArray[np.int64] = np.zeros(size, np.int64)  # (B,)
        self.skipped: NDArray[np.int64] = np.zeros(size, np.int64)  # (B,)
        self._made: NDArray[np.int64] = np.zeros(size, np.int64)  # (B,) points of cities and monuments paid out
        self._games = np.arange(size)  # (B,)
        self.reset(seeds=self._games.astype(np.uint64) + np.uint64(self.batch.seed))

    @property
    def opponents(self) -> object:
        """As given; may be set, and counts from each game's next deal on."""
        return self._opponents

    @opponents.setter
    def opponents(self, opponents: object) -> None:
        n = self.rules.num_players
        bots = bot_numbers(opponents, n - 1)
        controllers = np.full((n, n), -1, np.int8)  # (n, n) by the learner's seat
        for seat in range(n):
            controllers[seat, (seat + 1 + np.arange(n - 1)) % n] = bots
        self._opponents, self._controllers = opponents, controllers

    @property
    def observation_size(self) -> int:
        """Length of what the learner sees, D'."""
        return self.rules.observation_size + (self.rules.num_actions if self.mask_in_observation else 0)

    def observations(self) -> NDArray[np.float32]:
        """What the learners see, float32 `(B, D')`, a copy."""
        if not self.mask_in_observation:
            return self.batch.observations.copy()
        return np.concatenate((self.batch.observations, self.action_masks()), axis=1, dtype=np.float32)

    def action_masks(self) -> NDArray[np.bool_]:
        """The learners' legal actions, bool `(B, A)`, a copy."""
        return self.batch.action_masks.view(np.bool_).copy()

    def reset(self, games: NDArray[np.int64] | None = None, seeds: NDArray[np.uint64] | None = None) -> None:
        """New games, played on to the learner's first decision; deals in which it has none are skipped.

        games: int64 `(k,)`; None is all.
        seeds: uint64 `(k,)`, for each a new start of its random streams; None lets the streams go on.

        Raises ValueError when 1,000 deals in a row leave the learner of some game no decision.
        """
        batch = self.batch
        left = self._games if games is None else games
        if seeds is not None:
            loops.seed_rows(batch._spec, batch._rows, left, seeds)
        for counter in (self.returns, self.lengths, self.skipped, self._made):
            counter[left] = 0
        for _ in range(MOST_SKIPPED):
            if self.seat is None:
                loops.draw_seats(batch._spec, batch._rows, left, self.seats)
            batch.controllers[left] = self._controllers[self.seats[left]]
            batch.reset(left)
            left = left[batch.player[left] < 0]
            if left.size == 0:
                return
            self.skipped[left] += 1
        raise ValueError(
            f"the learner had no decision in {MOST_SKIPPED:,} deals in a row: these rules leave it none "
            f"(seat {self.seats[left[0]]}, opponents {self.opponents!r})"
        )

    def step(self, actions: ArrayLike) -> Step:
        """Play the learners' actions, whole numbers `(B,)`, and on to their next decisions.

        Games that are over stay so until they are reset; their actions are ignored.

        Raises IllegalAction with on_illegal="raise", and ValueError for a wrong shape or dtype; nothing has changed.
        """
        running = self.batch.player >= 0
        illegal = self._play(actions)
        ended = np.flatnonzero(running & (self.batch.player < 0))
        broken = np.array(sorted(illegal), np.int64)
        rows = self.batch._rows[ended]
        rewards = self._earned(ended, rows)
        rewards[broken] = ILLEGAL_REWARD
        self.returns += rewards
        self.lengths += running
        return Step(rewards, ended, self._final_observations(ended, rows, broken), illegal)

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
        broken = np.flatnonzero(~legal & (self.batch.player >= 0))
        reasons = {int(game): self.batch.game(game).why_illegal(int(given[game])) for game in broken}
        # The game is over where it stands: no card moves and no random stream goes on.
        self.batch._rows[broken, PHASE] = OVER
        self.batch._rows[broken, ACTIVE] = self.batch._rows[broken, PLAYER] = -1
        self.batch.player[broken] = -1
        self.batch.step(given)
        return reasons

    def _earned(self, ended: NDArray[np.int64], rows: NDArray[np.int16]) -> NDArray[np.float64]:
        """What each learner's seat has earned since its last decision, float64 `(B,)`."""
        rewards = np.zeros(len(self._games))
        if ended.size:
            scores, points = np.empty((2, len(ended), self.rules.num_players), np.int64)
            loops.score_rows(self.batch._spec, rows, scores)
            loops.points_rows(self.batch._spec, rows, points)
            earned = final_rewards(self.reward, self.rules, scores, points)
            rewards[ended] = earned[np.arange(len(ended)), self.seats[ended]]
        if self.reward == "points":
            made = self.batch.points[self._games, self.seats]
            rewards += made - self._made
            self._made = made
        return rewards

    def _final_observations(
        self, ended: NDArray[np.int64], rows: NDArray[np.int16], broken: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """What the learners see at the end, float32 `(k, D')`; after an illegal action still what they saw before it.

        An appended mask is all 1: whatever is chosen next is ignored.
        """
        seen = np.empty((len(ended), self.rules.observation_size), np.float32)
        loops.observe_rows(self.batch._spec, self.batch._shares, rows, self.seats[ended], seen)
        seen[np.searchsorted(ended, broken)] = self.batch.observations[broken]
        if not self.mask_in_observation:
            return seen
        return np.concatenate((seen, np.ones((len(ended), self.rules.num_actions), np.float32)), axis=1)


def _check_seat(seat: object, num_players: int) -> int | None:
    if seat is None:
        return None
    if isinstance(seat, (int, np.integer)) and not isinstance(seat, bool) and 0 <= seat < num_players:
        return int(seat)
    raise ValueError(f"seat must be None (drawn for each game) or from 0 to {num_players - 1}, got {seat!r}")
