"""The PettingZoo environment in play: rewards, copies, and that nothing leaks."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from respublica_env import Game, respublica_v0
from respublica_env.envs.ansi import ansi_view
from tests.aec_play import MAKERS, MODES, SMALL, choose, play, started

# -- rewards


def expected_rewards(mode: str, game: Game) -> list[float]:
    """By hand from the final scores."""
    scores, n, rules = game.scores(), game.rules.num_players, game.rules
    if mode == "points":
        return [float(score) for score in scores]
    if mode == "win":
        best = [score == max(scores) for score in scores]
        return [won / sum(best) - 1 / n for won in best]
    most = rules.num_cities * rules.city_points + sum(rules.monument_points)
    return [(score - (sum(scores) - score) / (n - 1)) / most for score in scores]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rules", [*({"num_players": n, **SMALL} for n in (2, 3, 4, 5)), "mini", "small"])
def test_rewards_add_up_read_either_way(make: Callable[..., Any], mode: str, rules: Any) -> None:
    env = make(rules=rules, reward=mode)
    rng = np.random.default_rng(1)
    for seed in range(4):
        env.reset(seed=seed)
        paid = dict.fromkeys(env.possible_agents, 0.0)
        handed = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            seen, reward, termination, _, _ = env.last()
            handed[agent] += reward
            env.step(None if termination else choose(seen["action_mask"], rng))
            for other, more in env.rewards.items():
                paid[other] += more
        expected = expected_rewards(mode, env.unwrapped.game)
        assert list(paid.values()) == pytest.approx(expected)
        assert list(handed.values()) == pytest.approx(expected)


def test_points_are_paid_when_they_are_made() -> None:
    env = started(respublica_v0.raw_env, rules=SMALL, reward="points")
    rng, made = np.random.default_rng(0), 0
    while not env.unwrapped.game.terminated:
        before = env.unwrapped.game.points()
        env.step(choose(env.last()[0]["action_mask"], rng))
        game = env.unwrapped.game
        if not game.terminated:
            gained = np.subtract(game.points(), before)
            assert list(env.rewards.values()) == gained.tolist()
            made += gained.any()
    assert made > 0


# -- copies


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_in_mid_game_plays_on_to_the_same_end(
    make: Callable[..., Any], mode: str, duplicate: Callable[[Any], Any]
) -> None:
    env = started(make, 100, reward=mode, rules=SMALL)
    twin = duplicate(env)
    assert not env.unwrapped.game.terminated
    ends = []
    for each in (env, twin):
        played, rng = [], np.random.default_rng(3)
        for agent in each.agent_iter():
            seen, reward, termination, _, _ = each.last()
            played.append((agent, reward, seen["observation"].tobytes(), seen["action_mask"].tobytes()))
            each.step(None if termination else choose(seen["action_mask"], rng))
        each.reset()
        ends.append((played, each.unwrapped.game.to_dict()))
    assert ends[0] == ends[1]


def test_a_copy_shares_nothing() -> None:
    env = started(decisions=50)
    twin = copy.deepcopy(env)
    before = pickle.dumps(env)
    play(twin, np.random.default_rng(0))
    assert pickle.dumps(env) == before


# -- hidden information


def with_game(env: Any, game: Game) -> Any:
    """A copy of a raw environment in which another game has come to the same decision."""
    other = copy.deepcopy(env)
    other._game = game
    other._go_on(game, env.agent_selection)
    return other


@pytest.mark.parametrize("rules", [{"num_players": 3}, {"num_players": 4, "auto_forced": False}, "mini"])
def test_nothing_leaks(rules: Any) -> None:
    rng = np.random.default_rng(0)
    env = started(respublica_v0.raw_env, rules=rules)
    differ = 0
    for k in range(150):
        if k % 5 == 0:
            for seat, agent in enumerate(env.agents):
                game = env.game
                other = with_game(env, game.determinize(seat, rng))
                differ += not np.array_equal(game.hands, other.game.hands)
                mine, theirs = env.observe(agent), other.observe(agent)
                assert mine["observation"].tobytes() == theirs["observation"].tobytes()
                assert mine["action_mask"].tobytes() == theirs["action_mask"].tobytes()
                assert env.infos[agent].keys() == other.infos[agent].keys()
                assert ansi_view(game, seat) == ansi_view(other.game, seat)
        play(env, rng, 1)
        if any(env.terminations.values()):
            env.reset()
    assert differ > 10


def test_state_holds_the_whole_position() -> None:
    env = started(respublica_v0.raw_env, rules={"num_players": 3, **SMALL})
    rules, rng = env.rules, np.random.default_rng(0)
    layout = respublica_v0.state_layout(rules)
    assert [piece.start for piece in layout.values()] == [0, *(piece.stop for piece in layout.values())][:-1]
    for _ in range(60):
        game, state = env.game, env.state()
        assert state.dtype == np.float32 and env.state_space.contains(state)
        assert len(state) == list(layout.values())[-1].stop
        copies = np.float32(rules.copies)
        assert np.array_equal(state[layout["hands"]], game.hands.ravel().astype(np.float32) / copies)
        assert np.array_equal(state[layout["public_known"]], game.known(None).ravel().astype(np.float32) / copies)
        left = np.bincount(game.population_deck + game.technology_deck, minlength=rules.num_types)
        assert np.array_equal(state[layout["decks_by_type"]], left.astype(np.float32) / copies)
        order = state[layout["technology_order"]]
        deck = np.array(game.technology_deck) - rules.population_types + 1
        assert np.array_equal(order[: len(deck)], deck.astype(np.float32) / np.float32(rules.technology_types))
        assert not order[len(deck) :].any()
        assert np.array_equal(state[layout["to_act"]].nonzero()[0], [game.player])
        play(env, rng, 1)


def test_state_tells_apart_what_only_differs_in_hidden_cards() -> None:
    env = started(respublica_v0.raw_env, 40)
    for other in (env.game.copy(), env.game.determinize(0, np.random.default_rng(0))):
        card = next(card for card in other.population_deck if card != other.population_deck[0])
        other.set_next("population", card)
        assert not np.array_equal(with_game(env, other).state(), env.state())


def test_looking_changes_nothing() -> None:
    env = started(decisions=60, render_mode="ansi")
    env.render()  # names of cards are put together when they are first used
    before = pickle.dumps(env)
    for agent in env.agents:
        env.observe(agent)
    env.state()
    env.render()
    env.last()
    assert pickle.dumps(env) == before
