"""The conformance checks: every door passes them, and whatever is broken on purpose does not."""

import logging
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pyspiel
import pytest
from gymnasium.wrappers import FrameStackObservation, RecordEpisodeStatistics
from gymnasium.wrappers.vector import RecordEpisodeStatistics as VectorStatistics
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)
from stable_baselines3.common.vec_env import VecMonitor

import respublica_env.open_spiel  # noqa: F401 - it registers the game
from respublica_env import Batch, Game, respublica_v0
from respublica_env.envs.flat import FlatEnv
from respublica_env.envs.open_spiel import ResPublicaState
from respublica_env.sb3 import ResPublicaVecEnv
from respublica_env.testing import check, check_copy, check_determinism, check_mask, check_no_leak, check_rewards
from respublica_env.testing.values import difference, held, of_row
from tests import broken

ROOT = Path(__file__).parent.parent
RULES: dict[str, Any] = {"num_players": 3, "max_turns": 9, "copies": 6, "set_size": 3}
ID = "respublica/ResPublica-v0"
MakeEnv = Callable[..., Any]


def aec(wrap: Callable[[Any], Any] = lambda env: env, make: MakeEnv = respublica_v0.raw_env, **fixed: Any) -> MakeEnv:
    return lambda **keywords: wrap(make(rules=RULES, **fixed, **keywords))


def single(wrap: Callable[[Any], Any] = lambda env: env, **fixed: Any) -> MakeEnv:
    return lambda **keywords: wrap(gymnasium.make(ID, rules=RULES, **fixed, **keywords))


def vector(wrap: Callable[[Any], Any] = lambda env: env, **fixed: Any) -> MakeEnv:
    return lambda **keywords: wrap(gymnasium.make_vec(ID, num_envs=3, rules=RULES, **fixed, **keywords))


def sb3(wrap: Callable[[Any], Any] = lambda env: env, **fixed: Any) -> MakeEnv:
    return lambda **keywords: wrap(ResPublicaVecEnv(3, rules=RULES, **fixed, **keywords))


def spiel(cls: type = ResPublicaState) -> MakeEnv:
    return lambda reward="win": cls(pyspiel.load_game("python_respublica", {"reward": reward, **RULES}))


def last_legal(observations: Any, masks: Any, rng: Any) -> Any:
    del observations, rng
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


DOORS: dict[str, MakeEnv] = {
    "env": aec(make=respublica_v0.env),
    "raw_env": aec(render_mode="ansi"),
    "stock wrappers": aec(
        lambda env: OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, -1)))
    ),
    "flat": aec(FlatEnv, make=respublica_v0.env),
    "decisions without a choice": lambda **keywords: respublica_v0.env(
        rules=RULES | {"auto_forced": False}, **keywords
    ),
    "mini": lambda **keywords: respublica_v0.env(rules="mini", **keywords),
    "small": lambda **keywords: respublica_v0.env(rules="small", render_mode="rgb_array", **keywords),
    "single": single(render_mode="ansi"),
    "mask in observation": single(mask_in_observation=True, on_illegal="raise"),
    "wrapped single": single(lambda env: RecordEpisodeStatistics(FrameStackObservation(env, 2)), opponents=last_legal),
    "greedy opponents": single(opponents="greedy", seat=1),
    "vector next step": vector(render_mode="ansi"),
    "vector same step": vector(VectorStatistics, autoreset_mode="SameStep"),
    "vector disabled": vector(autoreset_mode="Disabled", on_illegal="raise", opponents=[last_legal, "greedy"]),
    "sb3": sb3(render_mode="ansi"),
    "monitored sb3": sb3(VecMonitor, mask_in_observation=True),
    "open_spiel game": lambda reward="win": pyspiel.load_game("python_respublica", {"reward": reward, **RULES}),
    "open_spiel state": spiel(),
    "open_spiel mini": lambda: pyspiel.load_game("python_respublica(preset=mini)"),
    "game": lambda: Game(RULES),
    "batch": lambda: Batch(RULES, 3, controllers=[[-1, 0, 1]] * 3),
}


@pytest.mark.filterwarnings("ignore:The environment is already wrapped with a `Monitor`:UserWarning")
@pytest.mark.parametrize("door", DOORS)
def test_every_door_passes(door: str, capfd: pytest.CaptureFixture[str]) -> None:
    check(DOORS[door], seed=5, games=2)
    assert capfd.readouterr() == ("", "")


# -- broken on purpose


BROKEN: dict[str, tuple[Callable[..., None], MakeEnv, str]] = {
    "aec: a bit of the mask": (
        check_mask,
        aec(broken.WrongMask),
        r"observe\(\)\['action_mask'\] is [01] for action 7 ",
    ),
    "aec: the mask of another": (
        check_mask,
        aec(make=broken.OthersMask),
        "is 1 for action 0 .pass., the engine says 0",
    ),
    "aec: illegal is a pass": (check_mask, aec(make=broken.PassesInstead), "which the mask forbids, is accepted"),
    "aec: no penalty": (
        check_mask,
        aec(broken.NoPenalty),
        "must end the game with -1 for the offender and 0 for others",
    ),
    "aec: leak in the observation": (check_no_leak, aec(broken.LeakyObservation), r"\['observation'\]\[\d+\]: "),
    "aec: leak by counting": (
        check_no_leak,
        aec(make=broken.CountsSteps),
        r"\['infos'\]\['decisions'\]: \d+ against \d+",
    ),
    "aec: leak in what is rendered": (
        check_no_leak,
        aec(make=broken.ShowsAll, render_mode="ansi"),
        r"\['render\(\)'\]",
    ),
    "aec: leak in the reset": (check_no_leak, aec(make=broken.LeakyAtFirst), r"after 0 more .*'deck'\]\[\d+\]: "),
    "aec: leak in the step after": (check_no_leak, aec(make=broken.LeakyLater), r"\['infos'\]\['before'\]"),
    "aec: the wrong seat": (check_rewards, aec(make=broken.WrongSeat), "read by rewards the rewards add up to"),
    "aec: a reward is lost": (check_rewards, aec(make=broken.LostReward), r"read by last\(\) the rewards add up to"),
    "aec: no seed": (check_determinism, aec(make=broken.IgnoresSeed), "with the same seed and the same actions"),
    "aec: one seed": (check_determinism, aec(make=broken.AlwaysSeed3), "does not deal as Game"),
    "aec: seeded again": (check_determinism, aec(make=broken.SeedsAgain), r"1 times reset\(\) after it, does not deal"),
    "aec: NumPy's stream": (check_determinism, aec(make=broken.SharedStreams), "`np.random`, was used"),
    "aec: Python's stream": (check_determinism, aec(make=broken.SharedPythonStream), "`random` was used"),
    "aec: shared copy": (check_copy, aec(make=broken.SharedGame), "do not play on alike"),
    "aec: pickled anew": (check_copy, aec(make=broken.PickledAnew), "do not play on alike"),
    "aec: not to be pickled": (check_copy, aec(make=broken.Unpicklable), "pickle fails: "),
    "single: a bit of the mask": (
        check_mask,
        single(broken.WrongInfoMask),
        r"info\['action_mask'\] is [01] for action 7 ",
    ),
    "single: leak": (check_no_leak, single(broken.TellsHands), r"\['info'\]\['hands'\]\[\d"),
    "single: leak in the reset": (check_no_leak, single(broken.TellsHandsAtFirst), r"after 0 more .*'hands'\]"),
    "single: leak by counting": (
        check_no_leak,
        single(broken.CountsOpponents),
        r"\['info'\]\['asked'\]: \d+ against \d+",
    ),
    "single: the last reward": (check_rewards, single(broken.OnlyOwnSteps), "read by reward the rewards add up to 0 "),
    "single: no seed": (check_determinism, single(broken.NoSeed), "same seed"),
    "single: shared copy": (check_copy, single(broken.SharedInner), "do not play on alike"),
    "vector: a bit of the mask": (check_mask, vector(broken.WrongVectorMask), "game 0, .*is [01] for action 7 "),
    "vector: leak": (check_no_leak, vector(broken.TellsDecks), r"\['info'\]\['next'\]"),
    "vector: the wrong game": (check_rewards, vector(broken.RollsRewards), "add up to"),
    "sb3: a bit of the mask": (check_mask, sb3(broken.WrongSB3Mask), r"action_masks\(\) is [01] for action 7 "),
    "sb3: the last reward": (check_rewards, sb3(broken.DropsLastReward), "add up to 0 "),
    "sb3: no seed": (check_determinism, sb3(broken.IgnoresSB3Seed), "same seed"),
    "open_spiel: leak": (check_no_leak, spiel(broken.LeakyState), r"\['information_state_string\(\)'\]"),
    "open_spiel: one action more": (check_mask, spiel(broken.OneMoreAction), r"legal_actions\(\) is 1 for action 3 "),
    "open_spiel: the wrong seat": (check_rewards, spiel(broken.RotatedReturns), r"read by returns\(\)"),
    "game: leak": (check_no_leak, lambda: broken.LeakyGame(RULES), r"\['observation\(\)'\]\[0\]"),
    "game: a copy that forgets": (check_copy, lambda: broken.ForgetfulGame(RULES), r"after copy\(\)"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_broken_is_found(case: str) -> None:
    check_it, make_env, reason = BROKEN[case]
    with pytest.raises(AssertionError, match=reason) as error:
        check_it(make_env, seed=3, games=3)
    assert str(error.value).startswith(f"{check_it.__name__} of ")
    assert ", seed " in str(error.value) and "\n" not in str(error.value)
    assert len(str(error.value)) < 700


# -- how they are called


def test_each_mode_is_asked_for_where_the_keyword_is_there() -> None:
    asked: list[Any] = []

    def with_keyword(reward: str = "win") -> Any:
        asked.append(reward)
        return respublica_v0.env(rules=RULES, reward=reward)

    def without() -> Any:
        asked.append(None)
        return respublica_v0.env(rules=RULES, reward="margin")

    check_rewards(with_keyword, games=1)
    check_rewards(without, games=1)
    assert asked == ["win", "points", "margin", None]
    with pytest.raises(AssertionError, match="the reward mode is 'win', asked for was 'points'"):
        check_rewards(lambda reward: respublica_v0.env(rules=RULES, reward=reward and "win"), games=1)


@pytest.mark.parametrize(
    ("make_env", "reason"),
    [
        (respublica_v0.env(rules="mini"), "make_env must be a function that makes a new environment, got <"),
        (lambda: gymnasium.make("CartPole-v1"), "make_env must make respublica_v0.env or raw_env, .*; got <"),
        (lambda: pyspiel.load_game("kuhn_poker"), r"; got kuhn_poker\(\)"),
        (lambda: "respublica", "; got 'respublica'"),
    ],
)
def test_what_is_no_environment_of_ours_is_refused(make_env: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        check(make_env)


def test_the_logger_of_pettingzoo_is_told_nothing_and_left_as_it_was(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        check_mask(respublica_v0.env, games=1)
        assert not caplog.records
        env = respublica_v0.env()
        env.reset(seed=0)
        env.step(int(env.last()[0]["action_mask"].argmin()))
    assert caplog.records


def test_the_random_streams_of_the_caller_are_left_alone() -> None:
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - the streams that all share
    expected = random.random(), np.random.random()  # noqa: NPY002
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    check(lambda: respublica_v0.env(rules="mini"), games=1)
    assert (random.random(), np.random.random()) == expected  # noqa: NPY002


def test_it_loads_nothing_that_the_environment_has_not() -> None:
    code = (
        "import sys\n"
        "from respublica_env import Batch\n"
        "from respublica_env.testing import check\n"
        "check(lambda: Batch('mini', 2), games=1)\n"
        "print(*{'pytest', 'stable_baselines3', 'pyspiel', 'torch', 'PIL'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


# -- comparing


def test_differences_are_named() -> None:
    one = {"a": [np.arange(6).reshape(2, 3), {"b": 1.0}], 3: "x"}
    assert difference(held(one), held(one)) is None
    two = held(one)
    two["a"][0][1, 2] = 7
    assert difference(held(one), two) == "['a'][0][1, 2]: 5 against 7 (1 places differ)"
    assert difference({"a": 1}, {"a": 1.0}) == "['a']: 1 against 1.0"
    assert difference({"a": 1}, {"b": 1}) == ": ['a'] against ['b']"
    assert difference([1], [1, 2]) == ": 1 entries against 2"
    zeros = np.zeros(2)
    assert difference(zeros, zeros.astype(np.float32)) == ": float64 (2,) against float32 (2,)"
    assert difference(zeros, -zeros) == ": the same numbers in other bytes"
    nan = np.array([np.nan, 1.0])
    assert difference(nan, nan.copy()) is None
    assert difference(nan, np.array([np.nan, 2.0])) == "[1]: 1.0 against 2.0 (1 places differ)"
    objects = np.array(["a", None], object)
    assert difference(objects, np.array(["b", None], object)) == "[0]: 'a' against 'b'"


def test_what_is_held_does_not_change_and_has_no_clock() -> None:
    array = np.zeros(2)
    value = held({"x": (array,), "episode": {"r": 1, "t": 0.3}, "t": 2})
    array[0] = 1
    assert value["x"][0].tolist() == [0, 0]
    assert value["episode"] == {"r": 1} and value["t"] == 2


def test_infos_of_one_game() -> None:
    yes_no = np.array([True, False])
    infos = {"a": np.array([1, 2]), "_a": yes_no, "final": {"b": np.array([3, 4]), "_b": yes_no}, "_final": yes_no}
    assert of_row(infos, 0) == {"a": 1, "final": {"b": 3}}
    assert of_row(infos, 1) == {}
    assert of_row({"plain": "text"}, 1) == {"plain": "text"}
