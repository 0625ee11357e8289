"""One learner against opponents, for Gymnasium: `gymnasium.make("respublica/ResPublica-v0")`."""

import operator
from collections.abc import Mapping
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from respublica_env.envs.render import METADATA, check_render_mode, render
from respublica_env.envs.vector import LearnerBatch
from respublica_env.game import Game
from respublica_env.rules import Rules, shown
from respublica_env.seeding import check_seed

Info = dict[str, Any]


class ResPublicaEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """A game in which one seat is the learner's; an episode is one game, a step one decision of the learner.

    The reward of a step is all that the learner's seat earned until its next decision or the end; the first and the
    last step also carry what it earned before and after its own decisions. Nothing is truncated: a game that stalls is
    an end like any other. Deals in which the learner never has a decision are skipped.

    Args:
        opponents: who plays the other seats: a name, an agent or a function, see `respublica_env.opponents`; or a list
            with one for each other seat, entry `j` for the seat `j + 1` seats after the learner's; or an object with
            `lineup(rng)`, which is asked for one of these at each deal. The attribute may be set; it counts from the
            next deal on.
        seat: the learner's seat; None draws one for each game.
        num_players: 2 to 6; used only where `rules` is None.
        rules: a Rules, a dict of its fields, or a preset's name; None is the published game for `num_players`.
        reward: "win", "points" or "margin" (see `respublica_env.envs.rewards`).
        on_illegal: "end": an illegal action ends the game with reward -1; "raise": IllegalAction, nothing has changed.
        mask_in_observation: whether the action mask is appended to the observation.
        render_mode: as the metadata says, from the learner's view; "human" prints at each reset and step.

    Observations are float32 `(D,)` in [0, 1], with the mask `(D + A,)`. `info` holds
        "action_mask": int8 `(A,)`, after each reset and step; all 1 when the game is over, whose action is ignored;
        "skipped_games": after each reset, deals that were skipped before this one;
        "stalled": at the end, whether `max_turns` ended the game before a final round began;
        "illegal_action": the reason, for a game that ended by one.

    `reset(seed=k)` deals as `Game(rules, seed=k)`; a reset without a seed goes on in the game's own random streams.
    `np_random` is Gymnasium's and has no part in the game.

    Raises ValueError for a keyword's value that is not accepted.
    """

    metadata: dict[str, Any] = {**METADATA}  # noqa: RUF012 - Gymnasium declares it so

    def __init__(
        self,
        opponents: object = "random",
        seat: SupportsIndex | None = None,
        num_players: int = 4,
        rules: Rules | Mapping[str, Any] | str | None = None,
        reward: str = "win",
        on_illegal: str = "end",
        mask_in_observation: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.games = LearnerBatch(1, opponents, seat, num_players, rules, reward, on_illegal, mask_in_observation)
        self.rules = self.games.rules
        self.render_mode = check_render_mode(render_mode)
        self.observation_space = spaces.Box(0, 1, (self.games.observation_size,), np.float32)
        self.action_space = spaces.Discrete(self.rules.num_actions)
        self._action: NDArray[np.int64] = np.zeros(1, np.int64)

    @property
    def opponents(self) -> object:
        """Who plays the other seats."""
        return self.games.opponents

    @opponents.setter
    def opponents(self, opponents: object) -> None:
        self.games.opponents = opponents

    @property
    def seat(self) -> int:
        """The learner's seat in the present game."""
        return int(self.games.seats[0])

    @property
    def game(self) -> Game:
        """The present game, hidden cards included; a copy."""
        return self.games.batch.game(0)

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, bool `(A,)`, a copy, as `sb3_contrib` asks for them."""
        return self.games.action_masks()[0].view(np.bool_)

    def reset(
        self, *, seed: SupportsIndex | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Info]:
        """Begin a new game.

        Args:
            seed: deals as `Game(rules, seed=seed)`; None goes on from where the random streams stand (the first time,
                from entropy of the system).
            options: accepted with any keys; there are none yet.

        Raises:
            ValueError: for what is no seed, and after 1,000 deals in a row without a decision for the learner.
        """
        first = None if seed is None else check_seed(seed)
        self.games.reset(seeds=None if first is None else np.array([first], np.uint64))
        super().reset(seed=first, options=dict(options or {}))
        observation, info = self._seen()
        info["skipped_games"] = int(self.games.skipped[0])
        return observation, info

    def step(self, action: SupportsIndex) -> tuple[NDArray[np.float32], float, bool, bool, Info]:
        """Play a decision of the learner, and on to its next or the end: observation, reward, ends, and info.

        Raises:
            IllegalAction: with `on_illegal="raise"`; nothing has changed.
            ValueError: for what is no whole number; nothing has changed.
        """
        games = self.games
        if not games.num_over:
            try:
                if isinstance(action, (bool, np.bool_)):
                    raise TypeError
                self._action[0] = operator.index(action)
            except (TypeError, OverflowError):
                accepted = f"a whole number from 0 to {self.rules.num_actions - 1}"
                raise ValueError(f"an action is {accepted}, got {shown(action)}") from None
        step = games.step(self._action)
        observation, info = self._seen()
        if step.ended.size:
            info["stalled"] = bool(games.batch.stalled[0])
            if step.illegal:
                info["illegal_action"] = step.illegal[0]
        return observation, step.rewards.item(), games.num_over > 0, False, info

    def _seen(self) -> tuple[NDArray[np.float32], Info]:
        """What the learner sees now, rendered where a person looks on."""
        if self.render_mode == "human":
            self.render()
        return self.games.observations()[0], {"action_mask": self.games.action_masks()[0]}

    def render(self) -> Any:
        """The game as the learner sees it, in the render mode. Touches no random stream."""
        if self.render_mode is None:
            gymnasium.logger.warn(f"render() does nothing without a render_mode: {', '.join(METADATA['render_modes'])}")
            return None
        if not self.games.begun:
            raise ResetNeeded("Cannot call render() before calling reset()")
        return render(self.game, self.render_mode, self.seat)

    def close(self) -> None:
        """Nothing is held open; a game that is being recorded is written as it stands."""
        if self.games.log is not None:
            self.games.log.leave()
