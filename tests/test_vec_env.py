"""`ResPublicaVecEnv`: each row is a game that a plain loop over `Game` plays just so."""

import pickle

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks

from respublica_env import Game, IllegalAction, Rules
from respublica_env.envs.rewards import REWARD_MODES, win_shares
from respublica_env.sb3 import ResPublicaVecEnv

SMALL = Rules(num_players=3, max_turns=9)


def first_legal(env: ResPublicaVecEnv) -> np.ndarray:
    return np.asarray(env.action_masks()).argmax(axis=1)


def play_on(game: Game, seat: int, bot: str) -> None:
    """Let the bots play until `seat` must decide or the game is over."""
    while not game.terminated and game.player != seat:
        game.play_bot(bot)


@pytest.mark.parametrize("bot", ["random", "greedy"])
@pytest.mark.parametrize("seat", [0, 2])
def test_every_row_is_a_plain_game(bot: str, seat: int) -> None:
    env = ResPublicaVecEnv(5, opponents=bot, seat=seat, rules=SMALL, seed=30)
    observations = env.reset()
    games = [Game(SMALL, seed=30 + i) for i in range(5)]
    over = [False] * 5
    for game in games:
        play_on(game, seat, bot)
    while not all(over):
        actions = first_legal(env)
        for i, game in enumerate(games):
            if not over[i]:
                assert game.observation(seat).tobytes() == observations[i].tobytes()
                assert game.action_mask().astype(bool).tolist() == env.action_masks()[i].tolist()
        observations, _, dones, infos = env.step(actions)
        for i, game in enumerate(games):
            if over[i]:
                continue
            game.step(int(actions[i]))
            play_on(game, seat, bot)
            assert game.terminated == dones[i]
            if game.terminated:
                over[i] = True
                assert infos[i]["terminal_observation"].tobytes() == game.observation(seat).tobytes()
                share = win_shares(np.array(game.scores()))[seat] - 1 / 3
                assert infos[i]["episode"]["r"] == pytest.approx(share, abs=1e-6)
                assert infos[i]["stalled"] == game.stalled


@pytest.mark.parametrize("reward", REWARD_MODES)
def test_rewards_of_an_episode_add_up(reward: str) -> None:
    """Also for a loser, whose game ends on somebody else's move; in points they sum to the final score."""
    env = ResPublicaVecEnv(8, opponents="greedy", rules=SMALL, reward=reward, seed=4)
    env.reset()
    total, seen = np.zeros(8), 0
    while seen < 12:
        _, rewards, dones, infos = env.step(first_legal(env))
        total += rewards
        for i in np.flatnonzero(dones):
            assert infos[i]["episode"]["r"] == pytest.approx(total[i], abs=1e-5)
            final = infos[i]["terminal_observation"]
            if reward == "points":
                hand = np.rint(final[9 + 5 : 9 + 5 + 10] * 12)  # phase 8, active 3, to_act 3
                points = final[14 + 10 + 6 + 6 : 14 + 10 + 6 + 7] * (30 + 69)
                assert total[i] == pytest.approx(float(points[0]) + float((hand // 2).sum()), abs=1e-3)
            total[i], seen = 0, seen + 1


def test_seats_are_drawn_anew_and_deals_do_not_depend_on_them() -> None:
    env = ResPublicaVecEnv(64, rules=SMALL, seed=0)
    env.reset()
    assert set(env.games.seats) == {0, 1, 2}
    decks = [env.games.batch.game(i).hands.sum() for i in range(4)]
    assert len(decks) == 4
    fixed = ResPublicaVecEnv(4, rules=SMALL, seat=0, opponents="greedy", seed=0)
    fixed.reset()
    assert fixed.games.batch.game(3).hands.tolist() == Game(SMALL, seed=3).hands.tolist()


def test_a_pickle_goes_on_as_the_original() -> None:
    env = ResPublicaVecEnv(6, rules=SMALL, seed=11)
    env.reset()
    for _ in range(20):
        env.step(first_legal(env))
    twin = pickle.loads(pickle.dumps(env))
    for _ in range(120):
        ours, theirs = env.step(first_legal(env)), twin.step(first_legal(twin))
        assert ours[0].tobytes() == theirs[0].tobytes()
        assert ours[1].tolist() == theirs[1].tolist() and ours[2].tolist() == theirs[2].tolist()


def test_what_is_handed_out_is_not_the_state() -> None:
    env = ResPublicaVecEnv(4, rules=SMALL, seed=2)
    observations = env.reset()
    kept = observations.copy()
    env.action_masks()[:] = True
    env.step(first_legal(env))
    assert observations.tobytes() == kept.tobytes()


def test_illegal_action_ends_or_raises() -> None:
    env = ResPublicaVecEnv(3, rules=SMALL, seed=2)
    env.reset()
    actions = first_legal(env)
    actions[1] = SMALL.num_actions - 1
    _, rewards, dones, infos = env.step(actions)
    assert rewards.tolist() == [0, -1, 0] and dones.tolist() == [False, True, False]
    assert "illegal" in infos[1]["illegal_action"]
    strict = ResPublicaVecEnv(3, rules=SMALL, seed=2, on_illegal="raise")
    strict.reset()
    before = strict.games.batch.get_state()["rows"].tobytes()
    with pytest.raises(IllegalAction, match="game 1"):
        strict.step(actions)
    assert strict.games.batch.get_state()["rows"].tobytes() == before


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"opponents": "nobody"}, "random, greedy"),
        ({"opponents": ["random"]}, "2 other seats, got 1"),
        ({"seat": 3}, "seat must be"),
        ({"reward": "glory"}, "reward must be"),
        ({"on_illegal": "ignore"}, "on_illegal must be"),
        ({"num_envs": 0}, "at least 1"),
    ],
)
def test_bad_input_is_refused(changes: dict, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        ResPublicaVecEnv(**{"num_envs": 2, "rules": SMALL, **changes})


def test_maskable_ppo_takes_it_as_it_is() -> None:
    env = ResPublicaVecEnv(4, rules=SMALL, seed=0, on_illegal="raise")
    masks = get_action_masks(env)
    assert masks.shape == (4, SMALL.num_actions) and masks.dtype == bool
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, device="cpu")
    model.learn(128)
    assert model.num_timesteps == 128
