"""Where users of other PettingZoo environments got hurt, one test each: it must not hurt here.

The number in a test's name is the row of the project's list of such reports.
"""

import copy
import logging
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils import aec_to_parallel, turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from respublica_env import Rules, observation_layout, respublica_v0
from respublica_env.observation import PHASES
from tests.aec_play import MAKERS, MODES, SMALL, choose, illegal_action, play, started

ROOT = Path(__file__).parents[2]
STOCK: list[Callable[[Any], Any]] = [
    OrderEnforcingWrapper,
    AssertOutOfBoundsWrapper,
    lambda env: TerminateIllegalWrapper(env, -1),
    lambda env: OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, -1))),
]
every_maker = pytest.mark.parametrize("make", MAKERS)


def first_legal(observation: dict[str, Any]) -> int:
    return int(np.flatnonzero(observation["action_mask"])[0])


def sampling(seed: int) -> Callable[[dict[str, Any]], int]:
    rng = np.random.default_rng(seed)
    return lambda observation: choose(observation["action_mask"], rng)


@every_maker
def test_row_1_and_2_the_mask_stands_in_observation_and_info_and_samples(make: Callable[..., Any]) -> None:
    env = started(make, rules=SMALL)
    for agent in env.possible_agents:
        env.action_space(agent).seed(0)
    for agent in env.agent_iter(120):
        seen, _, termination, _, info = env.last()
        mask = seen["action_mask"]
        assert mask.dtype == np.int8 and mask.shape == (env.action_space(agent).n,)
        assert np.array_equal(mask, info["action_mask"]) and np.array_equal(mask, env.infos[agent]["action_mask"])
        assert termination or mask.any()
        action = None if termination else env.action_space(agent).sample(mask)
        assert action is None or mask[action] == 1
        env.step(action)


@every_maker
def test_row_3_only_the_agent_to_decide_has_a_mask(make: Callable[..., Any]) -> None:
    env = started(make, num_players=3)
    for k in range(150):
        for agent in env.agents:
            seen = env.observe(agent)["action_mask"]
            assert seen.any() == env.infos[agent]["action_mask"].any() == (agent == env.agent_selection)
        play(env, np.random.default_rng(k), 1)


@every_maker
@pytest.mark.parametrize("mode", MODES)
def test_row_9_the_loop_to_the_end(make: Callable[..., Any], mode: str) -> None:
    env = make(rules=SMALL, reward=mode)
    env.reset(seed=3)
    policy, totals, dead = sampling(3), dict.fromkeys(env.possible_agents, 0.0), []
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        totals[agent] += reward
        if termination or truncation:
            assert env.agents  # `agents` empties only as each takes its leave
            dead.append(agent)
        env.step(None if termination or truncation else policy(observation))
    assert dead == env.possible_agents and env.agents == []
    assert respublica_v0.play_episode(env, sampling(3), seed=3) == totals
    assert env.agents == []


def test_row_9_play_episode_takes_a_policy_for_each_agent() -> None:
    env, asked = respublica_v0.env(rules="mini"), []

    def policy(agent: str) -> Callable[[dict[str, Any]], int]:
        return lambda observation: (asked.append(agent), first_legal(observation))[1]

    returns = respublica_v0.play_episode(env, {agent: policy(agent) for agent in env.possible_agents}, seed=0)
    assert set(asked) == set(env.possible_agents) == set(returns)
    assert sum(returns.values()) == 0
    stock = STOCK[-1](respublica_v0.raw_env(rules="mini"))
    assert respublica_v0.play_episode(stock, first_legal, seed=0) == returns


@every_maker
@pytest.mark.parametrize("mode", MODES)
def test_row_10_rewards_are_the_same_read_either_way(make: Callable[..., Any], mode: str) -> None:
    """After every step: what `last` will hand out is what `rewards` has held since that agent's last step."""
    env = started(make, reward=mode, rules=SMALL)
    pending, paid = dict.fromkeys(env.agents, 0.0), 0
    policy = sampling(1)
    for agent in env.agent_iter():
        observation, reward, termination, _, _ = env.last()
        assert reward == pytest.approx(pending[agent])
        env.step(None if termination else policy(observation))
        if termination:
            continue
        pending[agent] = 0.0
        for other, more in env.rewards.items():
            pending[other] += more
            paid += more != 0
    assert paid > 0


@every_maker
@pytest.mark.parametrize("turns", [1, 7])
def test_row_11_the_cap_of_turns_ends_the_game_and_says_so(make: Callable[..., Any], turns: int) -> None:
    env = started(make, 10**9, rules={"max_turns": turns})
    assert env.unwrapped.game.turn == turns
    assert all(env.terminations.values()) and not any(env.truncations.values())
    assert all(info["stalled"] is True for info in env.infos.values())
    turn = observation_layout(env.unwrapped.rules)["turn"]
    assert env.observe("player_0")["observation"][turn].tolist() == [1.0]


def test_row_12_a_turn_is_several_decisions_of_the_same_agent() -> None:
    env = started(num_players=3)
    phase = observation_layout(env.unwrapped.rules)["phase"]
    selected = []
    for k in range(60):
        seen = env.last()[0]["observation"]
        assert PHASES[int(seen[phase].argmax())] == env.unwrapped.game.phase and seen[phase].sum() == 1
        selected.append(env.agent_selection)
        play(env, np.random.default_rng(k), 1)
    assert any(one == next_one for one, next_one in pairwise(selected))


@pytest.mark.parametrize("wrap", [None, *STOCK[2:]])
@pytest.mark.parametrize("decisions", [0, 25])
def test_row_13_after_an_illegal_action_reset_starts_clean(
    wrap: Any, decisions: int, caplog: pytest.LogCaptureFixture
) -> None:
    env = started() if wrap is None else wrap(respublica_v0.raw_env())
    env.reset(seed=2)
    play(env, np.random.default_rng(2), decisions)
    offender = env.agent_selection
    with caplog.at_level(logging.ERROR):
        env.step(illegal_action(env))
    rewards = {}
    for agent in env.agent_iter():
        rewards[agent] = env.last()[1]
        env.step(None)
    assert rewards == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
    assert respublica_v0.play_episode(env, sampling(0), seed=2) == respublica_v0.play_episode(
        respublica_v0.env(), sampling(0), seed=2
    )


@pytest.mark.parametrize("wrap", STOCK)
def test_row_13_pettingzoos_own_wrappers_go_around_raw_env(wrap: Callable[[Any], Any]) -> None:
    env, bare = wrap(respublica_v0.raw_env(rules=SMALL)), respublica_v0.raw_env(rules=SMALL)
    returns = [respublica_v0.play_episode(each, sampling(2), seed=4) for each in (env, bare)]
    assert returns[0] == returns[1]
    assert env.unwrapped.game.to_dict() == bare.game.to_dict()


@every_maker
def test_row_14_no_parallel_game_is_claimed_and_turns_convert(make: Callable[..., Any]) -> None:
    env = make(rules=SMALL, reward="points")
    assert env.metadata["is_parallelizable"] is False
    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(env)
    parallel, policy = turn_based_aec_to_parallel(env), sampling(6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        observations, infos = parallel.reset(seed=6)
        totals = dict.fromkeys(parallel.agents, 0.0)
        while parallel.agents:
            to_decide = [agent for agent in parallel.agents if infos[agent]["action_mask"].any()]
            assert len(to_decide) == 1
            actions = {agent: policy(observations[agent]) if agent in to_decide else None for agent in parallel.agents}
            observations, rewards, terminations, truncations, infos = parallel.step(actions)
            for agent, reward in rewards.items():
                totals[agent] += reward
            assert len(set(terminations.values())) == 1 and not any(truncations.values())
            if all(terminations.values()):
                break
    assert totals == dict(zip(env.possible_agents, env.unwrapped.game.scores(), strict=True))


def test_row_15_no_hand_of_another_is_in_an_observation() -> None:
    """Where two worlds differ in the others' hands alone, every agent sees the same; and they do differ."""
    env = started(respublica_v0.raw_env, 60)
    rng, differ = np.random.default_rng(0), 0
    for _ in range(40):
        for seat, agent in enumerate(env.agents):
            world = env.game.determinize(seat, rng)
            other = copy.deepcopy(env)
            other._game = world
            differ += not np.array_equal(world.hands, env.game.hands)
            assert other.observe(agent)["observation"].tobytes() == env.observe(agent)["observation"].tobytes()
            assert not np.array_equal(other.state(), env.state()) or np.array_equal(world.hands, env.game.hands)
        play(env, rng, 3)
    assert differ > 100


@every_maker
def test_row_20_a_seed_gives_one_series_of_games(make: Callable[..., Any]) -> None:
    """The first reset is seeded, later ones go on from there; options change nothing."""
    series = []
    for options in (None, {"any": object(), 3: [1]}):
        env, policy, deals = make(rules=SMALL), sampling(0), []
        for seed in (9, None, None):
            env.reset(seed=seed, options=options)
            deals.append(env.unwrapped.game.to_dict())
            while not env.unwrapped.game.terminated:
                env.step(policy(env.last()[0]))
            deals.append(env.unwrapped.game.to_dict())
        series.append(deals)
    assert series[0] == series[1]
    assert len({repr(deal["hands"]) for deal in series[0][::2]}) == 3
    samples = []
    for _ in range(2):
        env = make(rules=SMALL)
        for i, agent in enumerate(env.possible_agents):
            env.action_space(agent).seed(i)  # the spaces' samplers have seeds of their own
        env.reset(seed=9)
        for agent in env.agent_iter(80):
            env.step(env.action_space(agent).sample(env.last()[0]["action_mask"]))
        samples.append(env.unwrapped.game.to_dict())
    assert samples[0] == samples[1]


@every_maker
def test_row_32_every_live_agent_can_be_observed_at_any_time(make: Callable[..., Any]) -> None:
    env = started(make, rules={"num_players": 5, **SMALL})
    policy, before = sampling(0), None
    for _ in env.agent_iter():
        before = pickle.dumps(env.unwrapped.game)
        for agent in env.agents:
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert list(seen) == ["observation", "action_mask"]
            assert np.array_equal(seen["observation"], env.unwrapped.game.observation(int(agent[-1])))
        assert pickle.dumps(env.unwrapped.game) == before
        seen, _, termination, _, _ = env.last()
        env.step(None if termination else policy(seen))
    final = {agent: env.observe(agent)["observation"] for agent in env.possible_agents}
    assert all(np.array_equal(final[f"player_{i}"], env.unwrapped.game.observation(i)) for i in range(5))


DUPLICATE = [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]


def games_to_come(env: Any, seed: int) -> Iterator[bytes]:
    """Everything an agent gets to the end of this game and in the next, dealt from the deck stream as it stands."""
    policy = sampling(seed)
    for _ in range(2):
        for agent in env.agent_iter():
            seen, reward, termination, truncation, info = env.last()
            yield repr((agent, reward, termination, truncation, info["stalled"])).encode()
            yield seen["observation"].tobytes() + seen["action_mask"].tobytes() + env.state().tobytes()
            env.step(None if termination else policy(seen))
        env.reset()


@pytest.mark.parametrize("duplicate", DUPLICATE, ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("wrap", [None, lambda env: env, STOCK[-1]], ids=["env", "raw_env", "stock wrappers"])
@pytest.mark.parametrize("moment", ["at the start", "in mid-game", "while agents take their leave"])
def test_row_39_a_copy_plays_on_to_the_same_end(duplicate: Callable[[Any], Any], wrap: Any, moment: str) -> None:
    env = respublica_v0.env(rules=SMALL) if wrap is None else wrap(respublica_v0.raw_env(rules=SMALL))
    env.reset(seed=8)
    if moment != "at the start":
        play(env, np.random.default_rng(8), 90 if moment == "in mid-game" else 10**9)
    if moment == "while agents take their leave":
        env.step(None)
    twin = duplicate(env)
    assert list(games_to_come(twin, 1)) == list(games_to_come(env, 1))


def test_row_39_a_copy_samples_the_same_actions() -> None:
    env = started(decisions=30)
    agent = env.agent_selection
    env.action_space(agent).seed(3)
    twin = copy.deepcopy(env)
    mask = env.last()[0]["action_mask"]
    samples = [[each.action_space(agent).sample(mask) for _ in range(20)] for each in (env, twin)]
    assert samples[0] == samples[1]


def test_row_40_rendering_opens_nothing() -> None:
    """In a process without a display: text loads nothing graphical, a picture only Pillow, and none is black."""
    code = (
        "import os, sys\n"
        "for name in ('DISPLAY', 'WAYLAND_DISPLAY'): os.environ.pop(name, None)\n"
        "from respublica_env import respublica_v0\n"
        "loaded = lambda: {'PIL', 'pygame', 'tkinter', 'matplotlib', 'cv2'} & set(sys.modules)\n"
        "for mode in ('ansi', 'human', 'rgb_array'):\n"
        "    env = respublica_v0.env(rules='mini', render_mode=mode)\n"
        "    env.reset(seed=1)\n"
        "    view = env.render()\n"
        "    env.close()\n"
        "    print('after', mode, *loaded())\n"
        "assert view.std() > 30, view.std()"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    lines = [line for line in run.stdout.splitlines() if line.startswith("after")]
    assert lines == ["after ansi", "after human", "after rgb_array PIL"]


def test_rules_decide_the_spaces_of_every_agent() -> None:
    """Row 34: one layout for all seats of a rule set, and none is shared with another."""
    for rules in (Rules(num_players=2), Rules(num_players=5), Rules.mini()):
        env = respublica_v0.env(rules=rules)
        assert len({str(env.observation_space(agent)) for agent in env.possible_agents}) == 1
        assert env.observation_space("player_0")["observation"].shape == (rules.observation_size,)
