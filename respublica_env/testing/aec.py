"""PettingZoo's environments as the checks play them: `RawEnv`, whatever is wrapped around it."""

# What the methods do, and with what, stands in `Door`.
# ruff: noqa: ARG002, D102

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.env_logger import EnvLogger

from respublica_env.envs.aec import RawEnv
from respublica_env.game import Game
from respublica_env.testing.door import Door, End, View
from respublica_env.testing.values import held


class AECDoor(Door):
    """One game; the seats are the agents."""

    def __init__(self, env: Any) -> None:
        super().__init__(env, env.unwrapped.rules)
        self._agents = list(env.possible_agents)
        self._deals = 0

    @property
    def _raw(self) -> RawEnv:
        raw: RawEnv = self.env.unwrapped
        return raw

    def reset(self, seed: int | None) -> None:
        self.env.reset(seed=seed)
        self._deals = 1 if seed is not None else self._deals + 1
        zeros = dict.fromkeys(range(self.rules.num_players), 0.0)
        self._totals = {"rewards": zeros.copy(), "last()": zeros.copy()}

    def step(self, actions: Sequence[int]) -> None:
        if self.over(0):
            return
        self._take_turn(actions[0])
        for agent, reward in self.env.rewards.items():
            self._totals["rewards"][self._agents.index(agent)] += float(reward)

    def try_step(self, actions: Sequence[int]) -> None:
        logger = EnvLogger.get_logger()
        before, logger.disabled = logger.disabled, True
        try:
            self.step(actions)
        finally:
            logger.disabled = before

    def _take_turn(self, action: int | None) -> None:
        agent, reward = self.env.agent_selection, self.env.last()[1]
        self.env.step(action)
        self._totals["last()"][self._agents.index(agent)] += float(reward)

    def game(self, row: int) -> Game:
        return self._raw.game.copy()

    def over(self, row: int) -> bool:
        return self._raw.game.terminated

    def view(self, row: int, seat: int, drawn: bool = False) -> View:
        env, agent = self.env, self._agents[seat]
        over = self.over(row)
        shown: View = {"observe()": env.observe(agent)}
        if agent in env.agents:
            shown |= {"infos": env.infos[agent], "terminations": env.terminations[agent]}
            shown["truncations"] = env.truncations[agent]
            if env.agent_selection == agent:
                observation, reward, *rest = env.last()
                shown["last()"] = [observation, *([] if over else [reward]), *rest]
        if drawn and not over and self._raw.render_mode in ("ansi", "rgb_array"):
            shown["render()"] = self._rendered(seat)
        return {place: held(value) for place, value in shown.items()}

    def _rendered(self, seat: int) -> Any:
        before, self._raw.render_seat = self._raw.render_seat, seat
        try:
            return self.env.render()
        finally:
            self._raw.render_seat = before

    def masks(self, row: int, seat: int) -> dict[str, NDArray[Any]]:
        env, agent = self.env, self._agents[seat]
        places = {"observe()": env.observe(agent)}
        if agent in env.agents:
            places["infos"] = env.infos[agent]
            if env.agent_selection == agent:
                observation, *_, info = env.last()
                places |= {"last() observation": observation, "last() info": info}
        return {
            f"{place}['action_mask']": np.asarray(value["action_mask"]).copy()
            for place, value in places.items()
            if isinstance(value, Mapping) and "action_mask" in value
        }

    def put(self, row: int, game: Game) -> None:
        raw = self._raw
        raw._game = game
        raw.infos[raw.agent_selection] |= {"action_mask": game.action_mask()}

    def reset_elsewhere(self, seed: int, row: int, seat: int, rng: np.random.Generator) -> None:
        raw = self._raw

        def go_on(game: Game, before: str) -> None:  # the moment between the deal and what is told of it
            raw._game = game.determinize(seat, rng)
            RawEnv._go_on(raw, raw._game, before)

        raw.__dict__["_go_on"] = go_on
        try:
            self.reset(seed)
        finally:
            del raw.__dict__["_go_on"]

    def refusal(self, row: int) -> Mapping[int, float] | None:
        if self.over(row) or not all(self.env.terminations.values()):
            return None
        return {self._agents.index(agent): float(reward) for agent, reward in self.env.rewards.items()}

    def ends(self) -> list[End]:
        if not self.over(0):
            return []
        game = self.game(0)
        while self.env.agents:
            self._take_turn(None)
        return [End(0, game, self._raw.reward, self._totals)]

    def deals(self, row: int) -> int:
        return self._deals
