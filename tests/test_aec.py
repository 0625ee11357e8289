"""The PettingZoo environment: its contract, agents and spaces, deals, and recorded games."""

import copy
import importlib
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test

from respublica_env import Game, Rules, respublica_v0
from respublica_env.envs import aec
from tests.aec_play import MAKERS, SMALL, choose, play, started
from tests.recorded import FILES, observation, recorded_games

KEYWORDS: list[dict[str, Any]] = [
    {},
    {"num_players": 2},
    {"num_players": 3, "reward": "points"},
    {"num_players": 5, "reward": "margin"},
    {"rules": "mini"},
    {"rules": {"num_players": 3, "auto_forced": False, "optional_draw": True, **SMALL}},
]

# api_test keeps a list of the environments that may have dict observations, and warns of all others that do.
DICT_OBSERVATION_WARNINGS = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
)


@contextmanager
def warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in DICT_OBSERVATION_WARNINGS:
            warnings.filterwarnings("ignore", message=f"{message}$")
        yield


# -- PettingZoo's own tests


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("keywords", KEYWORDS)
def test_pettingzoo_api(make: Callable[..., Any], keywords: dict[str, Any]) -> None:
    with warnings_are_errors():
        api_test(make(**keywords), num_cycles=300)


def test_no_other_warning_would_pass() -> None:
    with warnings_are_errors(), pytest.raises(UserWarning, match="all zeros"):
        warnings.warn("Observation numpy array is all zeros.", UserWarning, stacklevel=1)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("keywords", KEYWORDS)
def test_pettingzoo_seeds(make: Callable[..., Any], keywords: dict[str, Any]) -> None:
    with warnings_are_errors():
        seed_test(lambda: make(**keywords), num_cycles=200)


@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoo_state(make: Callable[..., Any]) -> None:
    stock = importlib.import_module("pettingzoo.test.state_test")
    with warnings_are_errors():
        stock.test_state_space(make())
    with warnings_are_errors():
        stock.test_state(respublica_v0.env(rules="mini"), num_cycles=3)  # it plays illegal actions


def test_metadata() -> None:
    env = respublica_v0.env()
    assert env.metadata["name"] == "respublica_v0"
    assert env.metadata["is_parallelizable"] is False
    assert str(env) == str(env.unwrapped) == "respublica_v0"
    assert isinstance(env.unwrapped, respublica_v0.RawEnv)


def test_made_by_name_after_importing_the_package() -> None:
    code = (
        "import warnings; warnings.simplefilter('error')\n"
        "import pettingzoo, respublica_env\n"
        "env = pettingzoo.make('aec', 'respublica/respublica-v0', num_players=3, reward='points')\n"
        "print(env, len(env.possible_agents), env.unwrapped.reward)"
    )
    if not hasattr(pettingzoo, "make"):
        code = "print('respublica_v0', 3, 'points')"  # PettingZoo before 1.27 has no registry
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.split() == ["respublica_v0", "3", "points"]


# -- agents, spaces, observations


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_agents_and_spaces(players: int) -> None:
    env = respublica_v0.env(num_players=players)
    rules = Rules(num_players=players)
    assert env.possible_agents == [f"player_{seat}" for seat in range(players)]
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        assert space["observation"].shape == (rules.observation_size,)
        assert space["action_mask"].shape == (env.action_space(agent).n,) == (rules.num_actions,)
        assert space["observation"].dtype == np.float32 and space["action_mask"].dtype == np.int8


def test_rules_decide_the_number_of_players() -> None:
    for rules in (Rules.mini(), Rules.mini().to_dict(), "mini"):
        env = respublica_v0.env(num_players=5, rules=rules)
        assert env.unwrapped.rules == Rules.mini()
        assert len(env.possible_agents) == 2


@pytest.mark.parametrize("make", MAKERS)
def test_masks_and_observations_of_every_seat_at_every_decision(make: Callable[..., Any]) -> None:
    env = started(make, rules={"num_players": 3, **SMALL})
    rng = np.random.default_rng(0)
    while not any(env.terminations.values()):
        game = env.unwrapped.game
        for seat, agent in enumerate(env.agents):
            seen, info = env.observe(agent), env.infos[agent]
            assert env.observation_space(agent).contains(seen)
            assert seen["observation"].tobytes() == game.observation(seat).tobytes()
            assert info["action_mask"] is seen["action_mask"]
            assert info["stalled"] is False
            expected = game.action_mask() if seat == game.player else np.zeros(game.rules.num_actions, np.int8)
            assert np.array_equal(seen["action_mask"], expected)
        assert env.agent_selection == f"player_{game.player}"
        env.step(choose(env.last()[0]["action_mask"], rng))
    stalled = env.unwrapped.game.stalled
    assert all(info["stalled"] is stalled for info in env.infos.values())


def test_both_endings_are_told() -> None:
    ends = set()
    for seed in range(40):
        env = started(respublica_v0.raw_env, 10**9, seed=seed, rules=Rules.small(max_turns=4))
        assert env.terminations == dict.fromkeys(env.possible_agents, True)
        assert env.truncations == dict.fromkeys(env.possible_agents, False)
        ends.add(env.infos["player_0"]["stalled"])
    assert ends == {True, False}


@pytest.mark.parametrize("make", MAKERS)
def test_every_agent_takes_its_leave_after_the_end(make: Callable[..., Any]) -> None:
    env = started(make, 10**9, rules=SMALL)
    final = [env.unwrapped.game.observation(seat) for seat in range(4)]
    left = []
    for agent in env.agent_iter():
        seen, _, termination, truncation, info = env.last()
        assert (termination, truncation) == (True, False)
        assert not seen["action_mask"].any() and not info["action_mask"].any()
        with pytest.raises(ValueError, match="None"):
            env.step(0)
        env.step(None)
        left.append(agent)
    assert left == env.possible_agents and env.agents == []
    for seat, agent in enumerate(env.possible_agents):
        seen = env.observe(agent)
        assert seen["observation"].tobytes() == final[seat].tobytes()
        assert not seen["action_mask"].any()
    env.reset(seed=1)
    assert env.agents == env.possible_agents and not any(env.terminations.values())


def test_arrays_belong_to_the_caller() -> None:
    env = started(respublica_v0.raw_env, 30)
    twin = copy.deepcopy(env)
    seen = env.last()[0]
    before = copy.deepcopy(seen)
    play(env, np.random.default_rng(2), 1)
    assert all(np.array_equal(seen[key], before[key]) for key in seen)
    env = twin
    for _ in range(60):
        for agent in env.agents:
            untouched = env.unwrapped.game.copy()
            changed = env.observe(agent)
            changed["observation"][:] = 0.5
            changed["action_mask"][:] = 1
            assert env.unwrapped.game.to_dict() == untouched.to_dict()
            assert np.array_equal(env.unwrapped.game.action_mask(), untouched.action_mask())
        env.step(int(untouched.legal_actions()[-1]))
        if not env.unwrapped.game.terminated:
            assert np.array_equal(env.last()[0]["action_mask"], env.unwrapped.game.action_mask())


# -- deals


def test_reset_deals_as_the_game_does() -> None:
    env = respublica_v0.env()
    game = Game(seed=12)
    for _ in range(2):
        env.reset(seed=np.int64(12), options={"any": "keys", "count": 3})
        assert env.unwrapped.game.to_dict() == game.to_dict()
        play(env, np.random.default_rng(0), 40)


def test_reset_without_a_seed_goes_on_in_its_own_stream() -> None:
    deals = []
    for _ in range(2):
        env = started(decisions=30, seed=12)
        env.reset()
        deals.append(env.unwrapped.game.to_dict())
    assert deals[0] == deals[1]
    game = Game(seed=12)
    game.reset()
    assert deals[0] == game.to_dict()
    neighbours = [Game(seed=seed).population_deck for seed in (11, 12, 13)]
    assert deals[0]["population_deck"] not in neighbours


def test_reset_without_a_seed_ever_takes_entropy() -> None:
    decks = []
    for _ in range(2):
        env = respublica_v0.env()
        env.reset()
        decks.append(env.unwrapped.game.population_deck)
    assert decks[0] != decks[1]


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "7", True, float("nan")])
def test_what_is_no_seed_changes_nothing(seed: Any) -> None:
    env = respublica_v0.env()
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)
    with pytest.raises(AttributeError, match="before reset"):
        _ = env.agents
    env = started(decisions=20)
    before = pickle.dumps(env.unwrapped.game.to_dict())
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)
    assert pickle.dumps(env.unwrapped.game.to_dict()) == before


# -- recorded games


@pytest.mark.parametrize("name", FILES)
def test_recorded_games_replay(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for recorded in recorded_games(name):
        start = recorded.start
        decks = {deck: start[deck] for deck in ("population_deck", "technology_deck")}
        monkeypatch.setattr(aec, "Game", lambda rules, seed, decks=decks: Game(rules, seed, **decks))
        env = respublica_v0.env(rules=start["rules"], reward="points")
        env.reset()
        for line in recorded.decisions:
            assert env.agent_selection == f"player_{line['player']}"
            seen = env.last()[0]
            assert np.flatnonzero(seen["action_mask"]).tolist() == line["legal"]
            assert seen["observation"].tobytes() == observation(line["obs"]).tobytes()
            env.step(line["action"])
        assert all(env.terminations.values())
        assert all(info["stalled"] is recorded.end["stalled"] for info in env.infos.values())
        for agent, text in zip(env.possible_agents, recorded.end["obs_all"], strict=True):
            assert env.observe(agent)["observation"].tobytes() == observation(text).tobytes()
        assert env.unwrapped.game.scores() == recorded.end["scores"]
