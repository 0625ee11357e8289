"""Environments that are broken on purpose, for the tests of the conformance checks."""

import copy
import random
from typing import Any

import gymnasium
import numpy as np
from pettingzoo.utils.wrappers import (
    BaseWrapper,
)
from stable_baselines3.common.vec_env import VecEnvWrapper

import respublica_env.open_spiel  # noqa: F401 - it registers the game
from respublica_env import Game, respublica_v0
from respublica_env.envs.aec import RawEnv
from respublica_env.envs.ansi import ansi_view
from respublica_env.envs.open_spiel import ResPublicaState
from respublica_env.envs.others import Others


def flipped(mask: Any) -> Any:
    """One bit is wrong, the same for equal masks."""
    mask = np.array(mask)
    mask[..., 7] = 1 - mask[..., 7]
    return mask


class WrongMask(BaseWrapper):
    def observe(self, agent: str) -> Any:
        seen = self.env.observe(agent)
        return seen | {"action_mask": flipped(seen["action_mask"])} if agent == self.agent_selection else seen


class OthersMask(RawEnv):
    """Everybody is shown the mask of the one to decide, and with it what is in the hand."""

    def observe(self, agent: str) -> Any:
        return super().observe(agent) | {"action_mask": self.game.action_mask()}


class PassesInstead(RawEnv):
    """An illegal action counts as a pass, the very first action of all."""

    def step(self, action: Any) -> None:
        legal = action is None or self.terminations[self.agent_selection] or self.game.action_mask()[action]
        super().step(action if legal else self.game.legal_actions()[0])


class NoPenalty(respublica_v0.CheckedEnv):
    def step(self, action: Any) -> None:
        super().step(action)
        if "illegal_action" in str(self.env.infos):
            self.env.rewards = dict.fromkeys(self.env.agents, 0.0)


class LeakyObservation(BaseWrapper):
    """A number of the observation depends on the next card of a deck."""

    def observe(self, agent: str) -> Any:
        seen, game = self.env.observe(agent), self.unwrapped.game
        seen["observation"][-1] = (game.population_deck or [0])[0] / 10
        return seen


class CountsSteps(RawEnv):
    """Infos tell how many decisions there have been: a pass without a choice is none."""

    count = 0

    def step(self, action: Any) -> None:
        super().step(action)
        self.count += 1
        for info in self.infos.values():
            info["decisions"] = self.count


class ShowsAll(RawEnv):
    def render(self) -> Any:
        return ansi_view(self.game, None)


class LeakyAtFirst(RawEnv):
    def reset(self, seed: Any = None, options: Any = None) -> None:
        super().reset(seed, options)
        self.deck = self.game.population_deck

    def observe(self, agent: str) -> Any:
        return super().observe(agent) | {"deck": self.deck}


class LeakyLater(RawEnv):
    """Infos keep what a hand was before the last step."""

    def step(self, action: Any) -> None:
        hands = self.game.hands.tolist()
        super().step(action)
        for info in self.infos.values():
            info["before"] = hands[0]


class WrongSeat(RawEnv):
    def _pay(self, game: Game, over: bool) -> None:
        super()._pay(game, over)
        self.rewards = dict(zip(self.agents, [*self.rewards.values()][1:] + [*self.rewards.values()][:1], strict=True))


class LostReward(RawEnv):
    """`last` tells of the last step alone: what came before on the turns of others is lost."""

    def last(self, observe: bool = True) -> Any:
        seen, _, *rest = super().last(observe)
        return seen, self.rewards[self.agent_selection], *rest


class IgnoresSeed(RawEnv):
    def reset(self, seed: Any = None, options: Any = None) -> None:
        del seed
        super().reset(seed=None, options=options)


class AlwaysSeed3(RawEnv):
    def reset(self, seed: Any = None, options: Any = None) -> None:
        super().reset(seed=None if seed is None else 3, options=options)


class SeedsAgain(RawEnv):
    """A reset without a seed deals the same game again."""

    def reset(self, seed: Any = None, options: Any = None) -> None:
        self.kept = getattr(self, "kept", None) if seed is None else seed
        super().reset(seed=self.kept, options=options)


class SharedStreams(RawEnv):
    def step(self, action: Any) -> None:
        np.random.random()  # noqa: NPY002 - that is what is broken
        super().step(action)


class SharedPythonStream(RawEnv):
    def step(self, action: Any) -> None:
        random.random()
        super().step(action)


class SharedGame(RawEnv):
    def __deepcopy__(self, memo: Any) -> Any:
        twin = copy.copy(self)
        twin.__dict__ |= {name: copy.deepcopy(value, memo) for name, value in vars(self).items() if name != "_game"}
        return twin


class PickledAnew(RawEnv):
    """Pickled by its constructor's arguments alone, as EzPickle does."""

    def __reduce__(self) -> Any:
        return _anew, (self.rules,)


def _anew(rules: Any) -> PickledAnew:
    env = PickledAnew(rules=rules)
    env.reset(seed=0)
    return env


class Unpicklable(RawEnv):
    def reset(self, seed: Any = None, options: Any = None) -> None:
        super().reset(seed, options)
        self.hook = lambda: None


class WrongInfoMask(gymnasium.Wrapper[Any, Any, Any, Any]):
    def reset(self, **keywords: Any) -> Any:
        seen, info = self.env.reset(**keywords)
        return seen, info | {"action_mask": flipped(info["action_mask"])}


class TellsHands(gymnasium.Wrapper[Any, Any, Any, Any]):
    def step(self, action: Any) -> Any:
        *step, info = self.env.step(action)
        return *step, info | {"hands": self.unwrapped.game.hands}


class TellsHandsAtFirst(gymnasium.Wrapper[Any, Any, Any, Any]):
    def reset(self, **keywords: Any) -> Any:
        seen, info = self.env.reset(**keywords)
        return seen, info | {"hands": self.unwrapped.game.hands}


class CountingOthers(Others):
    asked = 0

    def _ask(self, *arguments: Any) -> Any:
        self.asked += 1
        return super()._ask(*arguments)


class CountsOpponents(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Infos tell how many decisions of opponents there have been: a pass without a choice is none."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        env.unwrapped.games._others.__class__ = CountingOthers

    def step(self, action: Any) -> Any:
        *step, info = self.env.step(action)
        return *step, info | {"asked": self.unwrapped.games._others.asked}


class OnlyOwnSteps(gymnasium.Wrapper[Any, Any, Any, Any]):
    """The last reward is lost where it comes after the learner's own last decision."""

    def step(self, action: Any) -> Any:
        seen, reward, terminated, *rest = self.env.step(action)
        return seen, 0.0 if terminated else reward, terminated, *rest


class NoSeed(gymnasium.Wrapper[Any, Any, Any, Any]):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        del seed
        return self.env.reset(options=options)


class SharedInner(gymnasium.Wrapper[Any, Any, Any, Any]):
    def __deepcopy__(self, memo: Any) -> Any:
        del memo
        return copy.copy(self)


class WrongVectorMask(gymnasium.vector.VectorWrapper):
    def step(self, actions: Any) -> Any:
        *step, infos = self.env.step(actions)
        return *step, infos | {"action_mask": flipped(infos["action_mask"])}


class RollsRewards(gymnasium.vector.VectorWrapper):
    """The rewards of the last game go to the first, and so on."""

    def step(self, actions: Any) -> Any:
        seen, rewards, *rest = self.env.step(actions)
        return seen, np.roll(rewards, 1), *rest


class TellsDecks(gymnasium.vector.VectorWrapper):
    def step(self, actions: Any) -> Any:
        *step, infos = self.env.step(actions)
        batch = self.unwrapped.games.batch
        return *step, infos | {"next": np.array([(batch.game(i).technology_deck or [0])[0] for i in range(3)])}


class SB3Wrapper(VecEnvWrapper):
    def reset(self) -> Any:
        return self.venv.reset()

    def step_wait(self) -> Any:
        return self.venv.step_wait()


class WrongSB3Mask(SB3Wrapper):
    def env_method(self, name: str, *arguments: Any, **keywords: Any) -> Any:
        result = self.venv.env_method(name, *arguments, **keywords)
        return flipped(result) if name == "action_masks" else result


class DropsLastReward(SB3Wrapper):
    def step_wait(self) -> Any:
        seen, rewards, dones, infos = self.venv.step_wait()
        return seen, np.where(dones, 0, rewards), dones, infos


class IgnoresSB3Seed(SB3Wrapper):
    def seed(self, seed: Any = None) -> Any:
        del seed
        return self.venv.seed(None)


class LeakyState(ResPublicaState):
    def information_state_string(self, player: int) -> str:
        told = super().information_state_string(player)
        return told if self.moment.game is None else f"{told} {self.moment.game.hands[0].tolist()}"


class OneMoreAction(ResPublicaState):
    def _legal_actions(self, player: int) -> list[int]:
        legal = super()._legal_actions(player)
        return sorted({*legal, 3}) if player >= 0 and legal else legal


class RotatedReturns(ResPublicaState):
    def returns(self) -> list[float]:
        first, *others = super().returns()
        return [*others, first]


class LeakyGame(Game):
    def observation(self, seat: Any) -> Any:
        seen = super().observation(seat)
        seen[0] = len(set(self.hands[0].tolist()))
        return seen


class ForgetfulGame(Game):
    """A copy begins its random streams anew."""

    def copy(self) -> Any:
        twin = super().copy()
        twin.reset(seed=1)
        return twin
