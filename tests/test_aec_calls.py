"""The PettingZoo environment: illegal actions, the order of calls, wrong keywords."""

import logging
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from respublica_env import IllegalAction, respublica_v0
from tests.aec_play import MAKERS, MODES, SMALL, illegal_action, play, started

# -- what is no legal action


@pytest.mark.parametrize("bad", ["illegal", -1, 10**6, 1.0, "0", None, True, np.array([0]), float("nan")])
def test_raw_env_refuses_and_changes_nothing(bad: Any) -> None:
    env = started(respublica_v0.raw_env, 25, reward="points")
    before = pickle.dumps(env.__dict__)
    with pytest.raises(IllegalAction):
        env.step(illegal_action(env) if bad == "illegal" else bad)
    assert pickle.dumps(env.__dict__) == before


@pytest.mark.parametrize("mode", MODES)
def test_an_illegal_action_ends_the_game(mode: str, caplog: pytest.LogCaptureFixture) -> None:
    env = started(decisions=100, reward=mode)
    offender, action = env.agent_selection, illegal_action(env)
    with caplog.at_level(logging.WARNING):
        env.step(action)
    assert [record.getMessage() for record in caplog.records if "Illegal move" in record.getMessage()] != []
    assert len(caplog.records) == 1
    assert env.rewards == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
    assert all(env.terminations.values()) and not any(env.truncations.values())
    assert str(action) in env.infos[offender]["illegal_action"]
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
    assert not any(info["action_mask"].any() or info["stalled"] for info in env.infos.values())
    for agent in env.agent_iter():
        _, reward, termination, _, _ = env.last()
        assert termination
        if agent == offender or mode != "points":
            assert reward == (-1.0 if agent == offender else 0.0)
        env.step(None)
    assert env.agents == []


@pytest.mark.parametrize("decisions", [0, 1, 50])
def test_reset_after_an_illegal_action_starts_clean(decisions: int) -> None:
    env = started(decisions=30, reward="points")
    env.step(illegal_action(env))
    for _ in range(3):  # some agents have taken their leave, others not
        env.step(None)
    env.reset(seed=8)
    play(env, np.random.default_rng(8), decisions)
    fresh = started(decisions=decisions, seed=8, reward="points")
    for name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "_cumulative_rewards"):
        assert getattr(env, name) == getattr(fresh, name)
    assert env.unwrapped.game.to_dict() == fresh.unwrapped.game.to_dict()
    play(env, np.random.default_rng(1))
    left = [agent for agent in env.agent_iter() if env.step(None) is None]
    assert left == env.possible_agents


@pytest.mark.parametrize("mode", MODES)
def test_an_illegal_action_does_as_pettingzoos_own_wrapper(mode: str) -> None:
    """Except that nothing is truncated here."""
    pending = 0
    for decisions in range(30, 300, 10):
        ours = started(decisions=decisions, reward=mode, rules=SMALL)
        if ours.unwrapped.game.terminated:
            break
        stock = OrderEnforcingWrapper(TerminateIllegalWrapper(respublica_v0.raw_env(reward=mode, rules=SMALL), -1))
        stock.reset(seed=5)
        play(stock, np.random.default_rng(5), decisions)
        action = illegal_action(ours)
        for env in (ours, stock):
            env.step(action)
        assert ours.rewards == stock.rewards
        for agent, other in zip(ours.agent_iter(), stock.agent_iter(), strict=True):
            assert agent == other
            assert ours.last()[1:3] == stock.last()[1:3]
            pending += ours.last()[1] > 0
            ours.step(None)
            stock.step(None)
    assert (pending > 0) == (mode == "points")


@pytest.mark.parametrize("bad", [-1, 240, 10**6, 1.0, "0", None, np.array([0]), float("nan"), True])
def test_what_is_no_action_is_refused_and_changes_nothing(bad: Any) -> None:
    env = started(decisions=25)
    before = pickle.dumps(env.unwrapped.__dict__)
    with pytest.raises(respublica_v0.OutOfBounds) as refused:
        env.step(bad)
    assert isinstance(refused.value, IllegalAction) and isinstance(refused.value, AssertionError)
    assert "0 to 239" in str(refused.value)
    assert pickle.dumps(env.unwrapped.__dict__) == before
    env.step(int(env.unwrapped.game.legal_actions()[0]))


def test_out_of_bounds_is_an_error_for_pettingzoos_own_wrapper_too() -> None:
    stock = AssertOutOfBoundsWrapper(started(respublica_v0.raw_env, 25))
    with pytest.raises(AssertionError):
        stock.step(240)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int64, np.uint64, np.array])
def test_whole_numbers_of_any_kind_are_actions(kind: Callable[[int], Any]) -> None:
    env, twin = started(), started()
    action = int(env.unwrapped.game.legal_actions()[3])
    env.step(kind(action))
    twin.step(action)
    assert env.unwrapped.game.to_dict() == twin.unwrapped.game.to_dict()


def test_the_logger_is_pettingzoos() -> None:
    env = started()
    EnvLogger.flush()
    env.step(illegal_action(env))
    assert all("Illegal move" in message for message in EnvLogger.mqueue) and EnvLogger.mqueue


# -- order of calls

BEFORE_RESET: list[Callable[[Any], Any]] = [
    lambda env: env.step(0),
    lambda env: env.last(),
    lambda env: env.observe("player_0"),
    lambda env: env.state(),
    lambda env: env.render(),
    lambda env: env.agent_iter(),
    lambda env: env.agents,
    lambda env: env.num_agents,
    lambda env: env.agent_selection,
    lambda env: env.rewards,
    lambda env: env.terminations,
    lambda env: env.truncations,
    lambda env: env.infos,
]


@pytest.mark.parametrize("call", BEFORE_RESET)
def test_calls_before_reset_are_answered_as_by_pettingzoo(call: Callable[[Any], Any]) -> None:
    answers = []
    for env in (respublica_v0.env(), OrderEnforcingWrapper(respublica_v0.raw_env())):
        with pytest.raises((AssertionError, AttributeError)) as answer:
            call(env)
        answers.append((answer.type, str(answer.value)))
    assert answers[0] == answers[1]
    assert "reset" in answers[0][1]


@pytest.mark.parametrize("call", BEFORE_RESET[:5])
def test_raw_env_before_reset_says_what_is_missing(call: Callable[[Any], Any]) -> None:
    with pytest.raises((AssertionError, AttributeError), match=r"reset|agent_selection"):
        call(respublica_v0.raw_env())


def test_agent_iter_wants_a_step_each_time() -> None:
    env = started()
    agents = iter(env.agent_iter())
    next(agents)
    with pytest.raises(AssertionError, match="need to call step"):
        next(agents)


def test_steps_after_all_have_left(caplog: pytest.LogCaptureFixture) -> None:
    raw, env = (started(make, 10**9, rules="mini") for make in (respublica_v0.raw_env, respublica_v0.env))
    for _ in range(2):
        raw.step(None)
        env.step(None)
    with pytest.raises(IllegalAction, match="reset"):
        raw.step(None)
    for each in (raw, env):
        with pytest.raises(AssertionError, match="reset"):
            each.last()
    with caplog.at_level(logging.WARNING):
        env.step(None)
    assert "reset() first" in caplog.text


# -- wrong keywords


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("keywords", "error", "words"),
    [
        ({"reward": "score"}, ValueError, "reward must be one of 'win', 'points', 'margin', got 'score'"),
        ({"reward": None}, ValueError, "reward must be"),
        ({"reward": np.zeros(500)}, ValueError, "reward must be one of 'win', 'points', 'margin', got array([0., "),
        (
            {"render_mode": "text"},
            ValueError,
            "render_mode must be one of None, 'ansi', 'human', 'rgb_array', got 'text'",
        ),
        ({"render_mode": ["ansi"]}, ValueError, "render_mode must be"),
        (
            {"render_seat": 4},
            ValueError,
            "render_seat must be None (everything), a seat from 0 to 3, or 'spectator' (what is public), got 4",
        ),
        ({"render_seat": True}, ValueError, "render_seat must be"),
        ({"render_seat": "player_1"}, ValueError, "render_seat must be"),
        ({"num_players": 7}, ValueError, "num_players"),
        ({"rules": "tiny"}, ValueError, "mini"),
        ({"rules": {"players": 3}}, ValueError, "no field 'players'"),
        ({"rules": 3}, ValueError, "rules must be"),
        ({"seats": 3}, TypeError, "seats"),
    ],
)
def test_wrong_keywords(make: Callable[..., Any], keywords: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as refused:
        make(**keywords)
    assert words in str(refused.value) and "\n" not in str(refused.value) and len(str(refused.value)) < 400


@pytest.mark.parametrize("call", ["observe", "action_space", "observation_space"])
@pytest.mark.parametrize("make", MAKERS)
def test_an_unknown_agent_is_answered_with_the_known_ones(make: Callable[..., Any], call: str) -> None:
    with pytest.raises(ValueError, match="player_0, player_1, player_2, player_3, got 'player_9'"):
        getattr(started(make), call)("player_9")
    for wrong in ([], {}, np.zeros(500), "player\n_9" * 99, None, 0):
        with pytest.raises(
            ValueError, match="agent must be one of player_0, player_1, player_2, player_3, got "
        ) as error:
            getattr(started(make), call)(wrong)
        assert len(str(error.value)) < 200 and "\n" not in str(error.value)
