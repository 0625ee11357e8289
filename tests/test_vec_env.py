"""ResPublicaVecEnv row by row against games that are played here one by one, and as SB3 uses it."""

import pickle
from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from respublica_env import Game, IllegalAction, Rules
from respublica_env.envs import vector
from respublica_env.sb3 import ResPublicaVecEnv
from tests.plain_learner import Opponent, PlainLearner, choosing, drawing, last_legal, some_actions

# Two greedy players of one population type can trade nothing, and the one city goes to the first of them.
NO_DECISION = Rules(
    num_players=2,
    population_types=1,
    technology_types=1,
    set_size=2,
    num_cities=1,
    max_turns=1,
)


@pytest.mark.parametrize(
    ("rules", "opponents", "seat", "reward", "steps"),
    [
        (Rules(), ["random", "greedy", "random"], None, "points", 250),
        (Rules(num_players=3, max_turns=9), ["greedy", "greedy"], 1, "margin", 120),
        (Rules.mini(), ["random"], None, "win", 120),
        (Rules.small(max_turns=5, auto_forced=False), ["greedy"], 1, "points", 120),
        (Rules.mini(max_turns=1), ["greedy"], 1, "win", 60),
        (Rules.small(), [drawing], None, "points", 200),
        (Rules(num_players=4, max_turns=6), [choosing, "random", last_legal], None, "margin", 80),
    ],
)
def test_rows_are_games(rules: Rules, opponents: list[Opponent], seat: int | None, reward: str, steps: int) -> None:
    env = ResPublicaVecEnv(5, opponents, seat=seat, rules=rules, reward=reward, seed=70)
    rows = [PlainLearner(rules, 70 + i, opponents, reward) for i in range(5)]
    rng = np.random.default_rng(1)
    observations = env.reset()
    returns, lengths, ended, skipped = np.zeros(5), np.zeros(5, int), 0, 0
    for row, own_seat in zip(rows, env.games.seats, strict=True):
        row.begin(own_seat)
    for _ in range(steps):
        masks = get_action_masks(env)
        assert masks.dtype == bool
        for i, row in enumerate(rows):
            assert row.game.player == row.seat == env.games.seats[i]
            assert observations[i].tobytes() == row.game.observation(row.seat).tobytes()
            assert masks[i].tolist() == row.game.action_mask().astype(bool).tolist()
            assert env.reset_infos[i] == {"skipped_games": row.skipped}
        actions = some_actions(masks, rng)
        observations, rewards, dones, infos = env.step(actions)
        assert (observations.dtype, rewards.dtype, dones.dtype) == (np.float32, np.float32, bool)
        for i, row in enumerate(rows):
            earned = row.step(actions[i])
            returns[i] += earned
            lengths[i] += 1
            assert rewards[i] == np.float32(earned)
            assert dones[i] == row.game.terminated
            if not dones[i]:
                assert infos[i] == {}
                continue
            assert infos[i].pop("terminal_observation").tobytes() == row.game.observation(row.seat).tobytes()
            episode = infos[i].pop("episode")
            assert (episode["r"], episode["l"]) == (round(returns[i], 6), lengths[i])
            assert episode["t"] >= 0
            assert infos[i] == {"TimeLimit.truncated": False, "stalled": row.game.stalled}
            if reward == "points":
                assert returns[i] == row.game.scores()[row.seat]
            returns[i] = lengths[i] = 0
            row.game.reset()
            row.begin(env.games.seats[i])
            ended, skipped = ended + 1, skipped + row.skipped
    assert ended >= 5
    assert (skipped > 0) == (rules.max_turns == 1)


def test_a_seed_deals_as_a_game_of_that_seed_does_and_is_used_once() -> None:
    env = ResPublicaVecEnv(3, seed=7)
    first = env.reset()
    second = env.reset()
    env.seed(7)
    assert env.reset().tobytes() == first.tobytes() != second.tobytes()
    assert env.seed(2**40) == [2**40, 2**40 + 1, 2**40 + 2]
    env.reset()
    decks = [sorted(env.games.batch.game(i).hands.sum(axis=0)) for i in range(3)]
    assert decks == [sorted(env.games.batch.game(i).hands.sum(axis=0)) for i in range(3)]
    for i in range(3):
        mine, plain = env.games.batch.game(i), Game(seed=2**40 + i)
        drawn = len(plain.population_deck) - len(mine.population_deck)
        assert plain.population_deck[drawn:] == mine.population_deck


def test_the_deal_does_not_depend_on_opponents_or_seat() -> None:
    decks = []
    for opponents, seat in (("random", 0), ("greedy", 0), ("random", None), ("random", 3)):
        env = ResPublicaVecEnv(4, opponents, seat=seat, seed=11)
        env.reset()
        decks.append([env.games.batch.game(i).technology_deck[-30:] for i in range(4)])
    assert decks[0] == decks[1] == decks[2] == decks[3]


def test_seats_are_drawn_for_each_game_and_all_come_up() -> None:
    env = ResPublicaVecEnv(400, seed=3)
    env.reset()
    counts = np.bincount(env.games.seats, minlength=4)
    assert counts.min() > 60  # 100 each, standard deviation 8.7
    assert env.get_attr("seat") == env.games.seats.tolist()
    assert set(ResPublicaVecEnv(20, seat=2, seed=3).get_attr("seat")) == {2}


def test_pickling_keeps_the_random_streams() -> None:
    env = ResPublicaVecEnv(6, ["random", "greedy", "random"], reward="points", mask_in_observation=True, seed=5)
    rng = np.random.default_rng(0)
    env.reset()
    for _ in range(40):
        env.step(some_actions(env.action_masks(), rng))
    copy = pickle.loads(pickle.dumps(env))
    for _ in range(200):
        actions = some_actions(env.action_masks(), rng)
        mine, other = env.step(actions), copy.step(actions)
        for one, two in zip(mine[:3], other[:3], strict=True):
            assert one.tobytes() == two.tobytes()
        for one, two in zip(mine[3], other[3], strict=True):
            assert one.get("episode", {}).get("r") == two.get("episode", {}).get("r")
    assert env.games.seats.tolist() == copy.games.seats.tolist()
    assert env.reset().tobytes() == copy.reset().tobytes()


def test_the_mask_is_appended_on_request() -> None:
    env = ResPublicaVecEnv(4, rules="mini", mask_in_observation=True, seed=1)
    size = env.rules.observation_size
    assert env.observation_space.shape == (size + env.rules.num_actions,)
    observations = env.reset()
    rng = np.random.default_rng(0)
    for _ in range(60):
        masks = get_action_masks(env)
        assert observations.dtype == np.float32
        assert (observations[:, size:] == masks).all()
        assert all(map(env.observation_space.contains, observations))
        observations, _, dones, infos = env.step(some_actions(masks, rng))
        for i in np.flatnonzero(dones):
            assert (infos[i]["terminal_observation"][size:] == 1).all()
            assert env.observation_space.contains(infos[i]["terminal_observation"])


@pytest.mark.parametrize("wrong", [-1, 240, 2**62])
def test_an_illegal_action_ends_its_game_only(wrong: int) -> None:
    """The other rows go on as if nothing had happened, and the row itself begins its next game."""
    env, plain = (ResPublicaVecEnv(4, reward="points", seed=8) for _ in range(2))
    observations = env.reset()
    plain.reset()
    rng = np.random.default_rng(2)
    for _ in range(5):
        actions = some_actions(env.action_masks(), rng)
        observations, *_ = env.step(actions)
        plain.step(actions)
    actions = some_actions(env.action_masks(), rng)
    after = plain.step(actions)
    before, actions[1] = observations[1], wrong
    observations, rewards, dones, infos = env.step(actions)
    assert dones.tolist() == [False, True, False, False]
    assert rewards[1] == -1
    assert "does not exist" in infos[1]["illegal_action"]
    assert str(wrong) in infos[1]["illegal_action"]
    assert infos[1]["terminal_observation"].tobytes() == before.tobytes()
    assert infos[1]["episode"]["l"] == 6
    assert infos[1]["stalled"] is False
    others = [0, 2, 3]
    assert observations[others].tobytes() == after[0][others].tobytes()
    assert rewards[others].tobytes() == after[1][others].tobytes()
    for _ in range(20):
        env.step(some_actions(env.action_masks(), rng))


def test_a_masked_action_in_words() -> None:
    env = ResPublicaVecEnv(2, seat=0, seed=8)
    env.reset()
    accept = Game().parse("draw 1 population")
    _, rewards, dones, infos = env.step(np.array([0, accept]))
    assert (rewards[1], dones.tolist()) == (-1, [False, True])
    assert "draw 1 population" in infos[1]["illegal_action"]


def test_raise_leaves_everything_as_it_was() -> None:
    env = ResPublicaVecEnv(3, on_illegal="raise", seed=8)
    env.reset()
    before = pickle.dumps(env.games.batch.get_state())
    actions = env.action_masks().argmax(axis=1)
    with pytest.raises(IllegalAction, match="game 2"):
        env.step(np.where(np.arange(3) == 2, 240, actions))
    for bad in (actions[:2], actions.astype(float), actions.reshape(3, 1), None):
        with pytest.raises(ValueError, match="actions must be whole numbers"):
            env.step(bad)
    assert pickle.dumps(env.games.batch.get_state()) == before
    env.step(actions)
    assert env.games.batch.terminated.sum() == 0


def test_rules_that_leave_the_learner_no_decision_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="no decision in 1,000 deals in a row"):
        ResPublicaVecEnv(2, "greedy", seat=1, rules=NO_DECISION, seed=0).reset()
    # With the seat drawn, every other deal gives it one; skipping goes on where it stands.
    monkeypatch.setattr(vector, "MOST_SKIPPED", 60)
    env = ResPublicaVecEnv(50, "greedy", rules=NO_DECISION, seed=0)
    env.reset()
    assert set(env.games.seats) == {0}
    assert env.games.skipped.sum() > 10


@pytest.mark.parametrize(
    ("keywords", "reason"),
    [
        ({"num_envs": 0}, "num_envs must be at least 1"),
        ({"num_envs": 2.0}, "num_envs must be a whole number"),
        ({"opponents": "nobody"}, "no opponent is named 'nobody'"),
        ({"opponents": ["random"]}, "each of the 3 other seats"),
        ({"seat": 4}, "from 0 to 3, got 4"),
        ({"seat": True}, "from 0 to 3, got True"),
        ({"seat": "0"}, "from 0 to 3, got '0'"),
        ({"num_players": 7}, "num_players must be"),
        ({"rules": "huge"}, "preset"),
        ({"reward": "glory"}, "reward must be one of"),
        ({"mask_in_observation": "no"}, "mask_in_observation must be True or False, got 'no'"),
        ({"render_mode": "film"}, "render_mode must be one of"),
        ({"on_illegal": "warn"}, "on_illegal must be one of 'end', 'raise', got 'warn'"),
        ({"seed": -1}, "seed must be"),
        ({"seed": float("nan")}, "seed must be"),
        ({"seed": 2**63 - 1}, "seed must be"),
    ],
)
def test_bad_keywords_are_refused(keywords: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        ResPublicaVecEnv(**{"num_envs": 2, **keywords})


def test_rules_decide_the_number_of_players() -> None:
    assert ResPublicaVecEnv(1, rules={"num_players": 3}).rules.num_players == 3
    assert ResPublicaVecEnv(1, num_players=5).rules == Rules(num_players=5)


def test_what_is_handed_out_is_the_callers_own() -> None:
    env = ResPublicaVecEnv(3, seed=1)
    first = env.reset()
    kept = first.copy()
    masks = env.action_masks()
    actions = masks.argmax(axis=1)
    masks[:] = False
    observations, rewards, dones, infos = env.step(actions)
    infos[0]["mine"] = True
    held = [array.copy() for array in (observations, rewards, dones)]
    later = env.step(env.action_masks().argmax(axis=1))
    assert first.tobytes() == kept.tobytes()
    assert [array.tobytes() for array in held] == [array.tobytes() for array in (observations, rewards, dones)]
    assert later[3] == [{}, {}, {}]


def test_masks_are_a_row_for_each_game_however_they_are_taken() -> None:
    env = ResPublicaVecEnv(4, seed=2)
    env.reset()
    block = env.games.batch.action_masks.astype(bool)
    masks = env.env_method("action_masks")
    assert len(masks) == 4
    assert np.array_equal(np.stack(masks), block)
    assert np.array_equal(np.stack(list(masks)), block)
    assert np.array_equal(np.stack([masks[2], masks[0]]), block[[2, 0]])
    assert np.array_equal(np.stack(masks, axis=1), block.T)
    assert [type(row) for row in masks][1:] == [np.ndarray] * 3
    assert np.array_equal(np.array(list(masks)), block)
    assert np.array_equal(env.env_method("action_masks", indices=[3, 1]), block[[3, 1]])
    assert np.array_equal(env.env_method("action_masks", indices=2), block[[2]])
    stacked = np.stack(masks)
    stacked[:] = False
    assert np.array_equal(env.action_masks(), block)


def test_the_rest_of_the_vec_env() -> None:
    env = ResPublicaVecEnv(3, seed=2)
    assert isinstance(env, VecEnv)
    assert is_masking_supported(env)
    assert env.has_attr("rules") and not env.has_attr("nothing")
    assert env.get_attr("opponents", [0, 2]) == ["random", "random"]
    assert env.get_attr("render_mode") == [None] * 3
    with pytest.raises(AttributeError, match="nothing"):
        env.get_attr("nothing")
    with pytest.raises(AttributeError, match="they have: action_masks, render"):
        env.env_method("nothing")
    with pytest.raises(ValueError, match="share their attributes"):
        env.set_attr("opponents", "greedy", indices=1)
    assert env.env_is_wrapped(Monitor) == [True] * 3
    assert env.env_is_wrapped(VecMonitor, indices=0) == [False]
    assert env.get_images() == [None] * 3
    env.close()


def test_opponents_change_with_the_next_deal() -> None:
    env = ResPublicaVecEnv(3, "random", seat=0, seed=2)
    env.reset()
    env.set_attr("opponents", ["greedy", "random", "greedy"])
    assert env.games.batch.controllers.tolist() == [[-1, 0, 0, 0]] * 3
    env.reset()
    assert env.games.batch.controllers.tolist() == [[-1, 1, 0, 1]] * 3
    with pytest.raises(ValueError, match="no opponent is named"):
        env.set_attr("opponents", "nobody")
    assert env.opponents == ["greedy", "random", "greedy"]


def test_maskable_ppo_takes_it_as_it_is() -> None:
    env = ResPublicaVecEnv(8, rules="mini", seed=4)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=2, seed=0, device="cpu")
    model.learn(512)
    assert model.num_timesteps == 512
    assert len(model.ep_info_buffer) > 10
    mean, _ = evaluate_policy(model, env, n_eval_episodes=20, warn=True)
    assert -0.5 <= mean <= 0.5
