"""PettingZoo's agent-environment cycle: each decision is one step of the agent whose decision it is.

`RawEnv` is the game as PettingZoo wants it. `CheckedEnv` is one layer over it that enforces the order of calls, refuses
what is no action, and ends the game on an illegal one. (PettingZoo's own three wrappers do this as well, but look every
attribute up through one another, which costs several times what the game does.)
"""

import operator
from collections.abc import Mapping
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from respublica_env.actions import IllegalAction
from respublica_env.envs.global_state import global_state, global_state_size
from respublica_env.envs.render import METADATA, check_render_mode, check_render_seat, render, tells_nothing
from respublica_env.envs.rewards import check_mode, final_rewards
from respublica_env.envs.view import AGENT_NAMES
from respublica_env.game import Game
from respublica_env.rules import Rules, shown

Observation = dict[str, NDArray[Any]]

_ALL_LEFT = "the game is over and all agents have taken their leave: call reset() for a new game"


class RawEnv(AECEnv[str, Observation, int]):
    """Res Publica for PettingZoo. An illegal action raises IllegalAction, and nothing has changed.

    Agents are `player_0` and so on, seat i each. One of them may be selected several times in a row: a turn is several
    decisions. All terminate together, and nothing is ever truncated.

    Args:
        num_players: 2 to 6; used only where `rules` is None.
        rules: a Rules, a dict of its fields, or a preset's name; None is the published game for `num_players`.
        reward: "win", "points" or "margin" (see `respublica_env.envs.rewards`).
        render_mode: None, "ansi" (`render` returns text), "rgb_array" (it returns a picture, uint8 (H, W, 3), drawn
            offscreen; needs the extra "render"), or "human" (the text is printed by `render`, and at each reset and
            step: of one seat's view only where that seat is to decide, of a spectator's where a turn begins, and at
            the end, because more would tell whether others passed by choice).
        render_seat: whose view `render` shows: a seat, "spectator" (what is public), or None (everything).

    Attributes:
        rules, reward, render_mode, render_seat: as given.
        state_space: the space of `state()`.

    Observations are `{"observation": float32 (D,), "action_mask": int8 (A,)}`, the mask all 0 for an agent that is not
    to decide and after the end. They show the present position as the agent sees it, with what it can be sure of in the
    hands of others; what was said in earlier turns is not in it (the information state of the OpenSpiel door recalls it
    all). `infos[agent]` holds `"action_mask"`, the same array, and `"stalled"`. The arrays are the caller's: they never
    change later, and changing them changes nothing in the game.

    Raises ValueError for a keyword's value that is not accepted, and Gymnasium's DependencyNotInstalled for "rgb_array"
    where Pillow is missing.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo declares it so
        "name": "respublica_v0",
        "is_parallelizable": False,
        **METADATA,
    }

    def __init__(
        self,
        num_players: int = 4,
        rules: Rules | Mapping[str, Any] | str | None = None,
        reward: str = "win",
        render_mode: str | None = None,
        render_seat: SupportsIndex | str | None = None,
    ) -> None:
        super().__init__()
        self.rules = Rules.of(rules, num_players)
        self.reward = check_mode(reward)
        self.render_mode = check_render_mode(render_mode)
        self.render_seat = check_render_seat(render_seat, self.rules.num_players)
        self.possible_agents = list(AGENT_NAMES[: self.rules.num_players])
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        # Each agent's spaces are its own, because each has a random generator.
        self.observation_spaces = {agent: _observation_space(self.rules) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(self.rules.num_actions) for agent in self.possible_agents}
        self.state_space = Box(0, 1, (global_state_size(self.rules),), np.float32)
        self._game: Game | None = None
        self._points: list[int] = []

    @property
    def game(self) -> Game:
        """The game itself, hidden cards included."""
        return self._started("game")

    def _started(self, wanted: str) -> Game:
        if self._game is None:
            raise AssertionError(f"reset() needs to be called before {wanted}.")  # as PettingZoo says it
        return self._game

    def observation_space(self, agent: str) -> Dict:
        """The space of an agent's observations."""
        return self.observation_spaces[self.possible_agents[self._seat(agent)]]

    def action_space(self, agent: str) -> Discrete:
        """The space of an agent's actions."""
        return self.action_spaces[self.possible_agents[self._seat(agent)]]

    def _seat(self, agent: str) -> int:
        if not isinstance(agent, str) or agent not in self._seats:
            raise ValueError(f"agent must be one of {', '.join(self.possible_agents)}, got {shown(agent)}")
        return self._seats[agent]

    def reset(self, seed: SupportsIndex | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a new game.

        Args:
            seed: deals as `Game(rules, seed=seed)`; None goes on from where the deck stream stands (the first time,
                from entropy of the system).
            options: accepted with any keys; there are none yet.

        Raises:
            ValueError: for what is no seed; nothing has changed.
        """
        del options
        if self._game is None:
            self._game = Game(self.rules, seed=seed)
        else:
            self._game.reset(seed)
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self._idle_info() for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._points = [0] * self.rules.num_players
        self._go_on(self._game, self.agent_selection)

    def step(self, action: SupportsIndex | None) -> None:
        """Carry out a decision of `agent_selection`; when the game is over, None lets that agent take its leave.

        Raises:
            IllegalAction: it says the action in words and why; nothing has changed. Also for a step after all agents
                have taken their leave.
            ValueError: for anything but None when the game is over.
        """
        game = self._game or self._started("step")
        agent = self.agent_selection
        if self.terminations.get(agent, True) or self.truncations[agent]:
            self._take_leave(action)
            return
        game.step(action)  # type: ignore[arg-type]  # it refuses None in words
        self._cumulative_rewards[agent] = 0.0
        self._go_on(game, agent)

    def _go_on(self, game: Game, before: str) -> None:
        """Pay rewards, and select the agent to decide, after the game has moved on from a decision of `before`."""
        player = game.player
        if player is None or self.reward == "points":
            self._pay(game, over=player is None)
        if player is None:
            self._end(game.stalled)
        else:
            agent = self.possible_agents[player]
            if agent != before:
                self.infos[before] = self._idle_info()
                self.agent_selection = agent
            self.infos[agent] = {"action_mask": game.action_mask(), "stalled": False}
        if self.render_mode == "human" and tells_nothing(game, self.render_seat):
            self.render()

    def _idle_info(self) -> dict[str, Any]:
        return {"action_mask": np.zeros(self.rules.num_actions, np.int8), "stalled": False}

    def _pay(self, game: Game, over: bool) -> None:
        """Give each agent what it has earned since the last decision."""
        points = game.points()
        earned = [0.0] * len(points)
        if self.reward == "points":
            if points == self._points and not over:
                self.rewards = dict.fromkeys(self.agents, 0.0)
                return
            earned = [float(now - before) for now, before in zip(points, self._points, strict=True)]
            self._points = points
        if over:
            final = final_rewards(self.reward, self.rules, np.array(game.scores()), np.array(points))
            earned = [so_far + more for so_far, more in zip(earned, final.tolist(), strict=True)]
        for agent, reward in zip(self.agents, earned, strict=True):
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward

    def _end(self, stalled: bool) -> None:
        """All agents terminate together."""
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {agent: {**self._idle_info(), "stalled": stalled} for agent in self.agents}
        self._deads_step_first()

    def _take_leave(self, action: SupportsIndex | None) -> None:
        if not self.agents:
            raise IllegalAction(_ALL_LEFT)
        self._was_dead_step(action)

    def end_by_illegal_action(self, why: str) -> None:
        """Terminate every agent: -1 for the one selected, in every reward mode, and 0 for the others.

        What was earned by earlier steps stays earned: `last()` still hands it to the others, so that its rewards add
        up to those in `rewards`. `infos` of the offender holds `why` as `"illegal_action"`.
        """
        offender = self.agent_selection
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[offender] = -1.0
        self._cumulative_rewards[offender] = -1.0
        self._end(stalled=False)
        self.infos[offender]["illegal_action"] = why

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last decision, termination, truncation and info of `agent_selection`."""
        game = self._game or self._started("last")
        agent = self.agent_selection
        if not self.agents:
            raise AssertionError(_ALL_LEFT)
        info = self.infos[agent]
        seen = None
        if observe:
            seen = {"observation": game.observation(self._seats[agent]), "action_mask": info["action_mask"]}
        return seen, self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], info

    def observe(self, agent: str) -> Observation:
        """What an agent sees, at any time, also when it is not to decide or has taken its leave."""
        seen = self._started("observe").observation(self._seat(agent))
        info = self.infos.get(agent) or self._idle_info()
        return {"observation": seen, "action_mask": info["action_mask"]}

    def state(self) -> NDArray[np.float32]:
        """The whole position, hidden cards included, float32 (S,) in [0, 1]; `state_layout` names its blocks."""
        return global_state(self._started("state"))

    def render(self) -> str | NDArray[np.uint8] | None:
        """The game as `render_seat` sees it: text, a picture, or None when it was printed. Touches no random stream."""
        game = self._started("render")
        if self.render_mode is None:
            gymnasium.logger.warn(
                f"render() does nothing without a render_mode: give one of {METADATA['render_modes']}."
            )
            return None
        return render(game, self.render_mode, self.render_seat)

    def close(self) -> None:
        """Nothing is held open."""


class CheckedEnv(OrderEnforcingWrapper[str, Observation, int]):
    """One layer over `RawEnv`: PettingZoo's order of calls, and an end to the game on an illegal action.

    - Calls out of order are answered as by PettingZoo's OrderEnforcingWrapper.
    - A legal id at the wrong time ends the game: see `RawEnv.end_by_illegal_action`; one warning comes from
      PettingZoo's logger.
    - What is not in the action space at all (a number out of range, None, a float) is a mistake in the caller's code
      and no move in the game: `OutOfBounds`, and nothing has changed.
    """

    env: RawEnv

    def reset(self, seed: SupportsIndex | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a new game, see `RawEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        self._has_reset = self._has_updated = True  # only now: what is no seed has changed nothing

    def step(self, action: SupportsIndex | None) -> None:
        """Carry out a decision of `agent_selection`; when the game is over, None lets that agent take its leave."""
        if not self._has_reset or not self.env.agents:
            super().step(action)  # says what is wrong
            return
        self._has_updated = True
        try:
            self.env.step(action)
        except IllegalAction as error:
            number = _whole_number(action)
            if number is None or not 0 <= number < self.env.rules.num_actions:
                raise OutOfBounds(str(error)) from None
            EnvLogger.warn_on_illegal_move()
            self.env.end_by_illegal_action(str(error))

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last decision, termination, truncation and info of `agent_selection`."""
        if not self._has_reset:
            raise AttributeError("agent_selection cannot be accessed before reset")
        return self.env.last(observe)

    def __str__(self) -> str:
        return str(self.env)


class OutOfBounds(IllegalAction, AssertionError):  # noqa: N818 - named like IllegalAction
    """What was given to `step` is in no agent's action space (PettingZoo's own wrapper raises AssertionError)."""


def make_env(
    num_players: int = 4,
    rules: Rules | Mapping[str, Any] | str | None = None,
    reward: str = "win",
    render_mode: str | None = None,
    render_seat: SupportsIndex | str | None = None,
) -> CheckedEnv:
    """The game with the order of calls enforced, in which an illegal action ends it. Arguments as for `RawEnv`."""
    return CheckedEnv(RawEnv(num_players, rules, reward, render_mode, render_seat))


def _observation_space(rules: Rules) -> Dict:
    return Dict(
        {
            "observation": Box(0, 1, (rules.observation_size,), np.float32),
            "action_mask": Box(0, 1, (rules.num_actions,), np.int8),
        }
    )


def _whole_number(value: Any) -> int | None:
    """The value as an int, or None when it is no whole number."""
    try:
        return None if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        return None
