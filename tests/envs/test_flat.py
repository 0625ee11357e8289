"""FlatEnv: the vector alone is observed, the mask is in infos, and the game is the same."""

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from respublica_env import respublica_v0
from respublica_env.envs.flat import FlatEnv
from tests.aec_play import MAKERS, choose


def flat(make: Callable[..., Any] = respublica_v0.raw_env, **keywords: Any) -> FlatEnv:
    return FlatEnv(make(**keywords))


@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoo_accepts_it_without_a_warning(make: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        api_test(flat(make), num_cycles=300)
        seed_test(lambda: flat(make), num_cycles=50)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("reward", ["win", "points"])
def test_it_is_the_same_game(make: Callable[..., Any], reward: str) -> None:
    env, plain = flat(make, reward=reward), make(reward=reward)
    env.reset(seed=3)
    plain.reset(seed=3)
    rng = np.random.default_rng(0)
    for agent in env.agent_iter():
        vector, *others, info = env.last()
        seen, *expected, expected_info = plain.last()
        assert agent == plain.agent_selection
        assert others == expected
        np.testing.assert_array_equal(vector, seen["observation"])
        np.testing.assert_array_equal(info["action_mask"], expected_info["action_mask"])
        for other in env.agents:
            assert env.observe(other) in env.observation_space(other)
            np.testing.assert_array_equal(env.observe(other), plain.observe(other)["observation"])
        np.testing.assert_array_equal(env.state(), plain.state())
        action = None if others[1] else choose(info["action_mask"], rng)
        env.step(action)
        plain.step(action)
    assert plain.agents == []


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_in_mid_game_goes_its_own_way(duplicate: Callable[[FlatEnv], FlatEnv]) -> None:
    env = flat()
    env.reset(seed=1)
    twin = duplicate(env)
    before = env.last()[0]
    twin.step(choose(twin.last()[4]["action_mask"], np.random.default_rng(0)))
    np.testing.assert_array_equal(env.last()[0], before)
    assert twin.last()[0].tolist() != before.tolist()


def test_an_agents_space_is_that_of_the_environment_underneath() -> None:
    env = flat()
    assert env.observation_space("player_1") is env.observation_space("player_1")
    assert env.observation_space("player_1") is not env.observation_space("player_0")
    with pytest.raises(ValueError, match="agent must be one of player_0, player_1, player_2, player_3, got 'nobody'"):
        env.observation_space("nobody")


def test_what_is_flat_already_is_refused() -> None:
    with pytest.raises(ValueError, match=r"env must be respublica_v0\.env\(\.\.\.\) or raw_env\(\.\.\.\), got"):
        FlatEnv(flat())
