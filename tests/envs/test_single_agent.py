"""The Gymnasium environment of one game."""

import copy
import hashlib
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import respublica_env
from respublica_env import Game, IllegalAction, Rules
from respublica_env.envs.ansi import ansi_view
from respublica_env.envs.single_agent import ResPublicaEnv
from tests.plain_learner import PlainLearner, choosing, drawing, last_legal, some_actions
from tests.test_vec_env import NO_DECISION

ID = "respublica/ResPublica-v0"
ROOT = Path(__file__).parents[2]


def make(**keywords: Any) -> ResPublicaEnv:
    env = gymnasium.make(ID, **keywords).unwrapped
    assert isinstance(env, ResPublicaEnv)
    return env


def play(env: gymnasium.Env, seed: int | None = 0, choices: int = 0) -> list[Any]:
    """All that a whole episode hands out."""
    rng = np.random.default_rng(choices)
    observation, info = env.reset(seed=seed)
    handed, over = [(observation, info)], False
    while not over:
        observation, reward, over, truncated, info = env.step(int(some_actions(info["action_mask"], rng)))
        handed.append((observation, reward, over, truncated, info))
    return handed


def frozen(handed: list[Any]) -> bytes:
    """To compare what was handed out, byte for byte."""
    return pickle.dumps(copy.deepcopy(handed))


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"opponents": ["greedy", "random", "greedy"], "reward": "points", "mask_in_observation": True},
        {"rules": "mini", "opponents": choosing, "reward": "margin", "seat": 1},
    ],
)
def test_it_passes_the_checkers_of_gymnasium_and_sb3(keywords: dict[str, Any]) -> None:
    env = gymnasium.make(ID, **keywords)
    check_env(env.unwrapped)
    sb3_check_env(env)
    sb3_check_env(env.unwrapped)


def test_the_id_is_found_by_the_name_of_the_module() -> None:
    """In a process that has not imported the package."""
    code = f"import gymnasium; print(gymnasium.make('respublica_env:{ID}', seat=2).unwrapped)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"<ResPublicaEnv<{ID}>>"
    assert gymnasium.spec(ID).vector_entry_point is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        respublica_env.registration.register()  # again: no warning that an id is overridden


@pytest.mark.parametrize("reward", ["win", "points", "margin"])
@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_the_rewards_add_up_to_what_the_seat_has_earned(reward: str, seat: int) -> None:
    """Whoever moved last: the opponents' moves after the learner's last decision count too."""
    opponents = ["greedy", drawing, "random"]
    env = make(opponents=opponents, seat=seat, reward=reward, rules={"num_players": 4, "max_turns": 30})
    plain = PlainLearner(env.rules, 5, opponents, reward)
    rng = np.random.default_rng(seat)
    observation, info = env.reset(seed=5)
    last_movers = set()
    for _ in range(6):
        plain.begin(seat)
        total, over = 0.0, False
        while not over:
            assert observation.tobytes() == plain.game.observation(seat).tobytes()
            action = int(some_actions(info["action_mask"], rng))
            before = plain.game.copy()
            earned = plain.step(action)
            observation, got, over, _, info = env.step(action)
            assert got == earned
            total += got
        before.step(action)
        last_movers.add(before.player)
        assert total == pytest.approx(plain.total(), rel=1e-12)
        assert env.game.scores() == plain.game.scores()
        observation, info = env.reset()
        plain.game.reset()
    assert last_movers != {None}, "in no game did an opponent move last"


def test_a_seed_deals_as_a_game_of_that_seed_and_an_unseeded_reset_goes_on() -> None:
    env = make(seat=0)
    env.reset(seed=11)
    game = Game(seed=11)
    assert np.array_equal(env.game.hands, game.hands)
    assert env.game.technology_deck == game.technology_deck
    env.reset()
    game.reset()
    assert env.game.technology_deck == game.technology_deck
    env.reset(seed=np.int64(11))
    assert env.game.technology_deck == Game(seed=11).technology_deck


@pytest.mark.parametrize("opponents", ["random", "greedy", drawing, choosing])
def test_the_same_seed_is_the_same_episode(opponents: Any) -> None:
    env, other = make(opponents=opponents), make(opponents=opponents)
    first, second = play(env, 3), play(env, None)
    other.action_space.seed(1)
    play(other, 8)
    assert frozen(play(other, 3)) == frozen(first)
    assert frozen(play(other, None)) == frozen(second) != frozen(first)


def test_what_minus_v0_is_never_changes() -> None:
    """Every number of a seeded episode, on every platform. A change of behaviour needs a new version of the id."""
    digest = hashlib.sha256()
    env = gymnasium.make("respublica/ResPublica-v0", reward="points", seat=2)
    observation, info = env.reset(seed=2024)
    over, step = False, 0
    while not over:
        legal = np.flatnonzero(info["action_mask"])
        action = int(legal[step * 7 % len(legal)])
        digest.update(observation.astype("<f4").tobytes() + info["action_mask"].tobytes())
        observation, reward, over, _, info = env.step(action)
        digest.update(np.array([action, reward], "<f8").tobytes())
        step += 1
    digest.update(observation.astype("<f4").tobytes())
    assert digest.hexdigest()[:16] == "137274791b0a2f30"


def test_seeding_keeps_every_option() -> None:
    env = make(opponents="greedy", seat=1, rules="small", reward="points", on_illegal="raise", mask_in_observation=True)
    for seed in (4, None, 4):
        env.reset(seed=seed)
        assert (env.seat, env.rules, env.opponents) == (1, Rules.small(), "greedy")
        assert env.games.reward == "points"
        with pytest.raises(IllegalAction):
            env.step(-1)
        assert env.reset()[0].shape == env.observation_space.shape


def test_games_in_one_process_share_no_random_stream() -> None:
    alone = frozen(play(make(opponents=drawing), 3))
    env, other = make(opponents=drawing), make(opponents=drawing)
    other.reset(seed=3)
    np.random.seed(0)  # noqa: NPY002 - the global generator has no part in it
    assert frozen(play(env, 3)) == alone
    assert frozen(play(other, 3)) == alone


def test_unseeded_games_differ() -> None:
    decks = []
    for _ in range(2):
        env = make()
        env.reset()
        decks.append(env.game.technology_deck)
    assert decks[0] != decks[1]


def test_another_opponent_leaves_the_deal_and_the_seat_as_they_are() -> None:
    dealt = []
    for opponents in ("random", "greedy", last_legal, drawing):
        env = make(opponents=opponents, rules={"num_players": 3, "max_turns": 4})
        seats_and_decks = []
        for seed in (9, None, None):
            env.reset(seed=seed)
            seats_and_decks.append((env.seat, env.game.technology_deck[-30:]))
            play_out(env)
        dealt.append(seats_and_decks)
    assert dealt[0] == dealt[1] == dealt[2] == dealt[3]


def play_out(env: ResPublicaEnv) -> None:
    over = False
    while not over:
        over = env.step(env.action_masks().argmax())[2]


def test_the_mask_is_where_each_library_looks() -> None:
    """An int8 array that `sample` takes, in the info of reset and step; a bool array from `action_masks`."""
    env = gymnasium.make(ID)
    _, info = env.reset(seed=1)
    for _ in range(300):
        mask = info["action_mask"]
        assert (mask.dtype, mask.shape) == (np.int8, (env.action_space.n,))
        masks = env.unwrapped.action_masks()
        assert masks.dtype == bool
        assert masks.tolist() == env.get_wrapper_attr("action_masks")().tolist() == mask.astype(bool).tolist()
        action = env.action_space.sample(mask)
        assert mask[action] == 1
        mask[:] = masks[:] = 0  # the caller's own
        _, _, over, _, info = env.step(action)
        if over:
            assert info["action_mask"].all() and env.unwrapped.action_masks().all()
            _, info = env.reset()


def test_the_mask_is_appended_on_request() -> None:
    env, plain = make(mask_in_observation=True), make()
    for with_mask, without in zip(play(env, 2), play(plain, 2), strict=True):
        mask = with_mask[-1]["action_mask"]
        assert with_mask[0].tobytes() == np.concatenate((without[0], mask)).astype(np.float32).tobytes()
        assert with_mask[0] in env.observation_space


def test_an_episode_ends_once_and_then_ignores_actions() -> None:
    env = make(rules="mini")
    last = play(env, 6)[-1]
    before = pickle.dumps(env.games.batch.get_state())
    for action in (0, -5, 10**30, "nothing"):
        observation, reward, terminated, truncated, info = env.step(action)  # type: ignore[arg-type]
        assert observation.tobytes() == last[0].tobytes()
        assert (reward, terminated, truncated) == (0.0, True, False)
        assert info["action_mask"].all()
    assert pickle.dumps(env.games.batch.get_state()) == before
    assert last[0].tobytes() == env.game.observation(env.seat).tobytes()


def test_a_stalled_game_is_an_end_that_says_so() -> None:
    stalled = {play(make(rules=Rules.mini(max_turns=turns)), 1)[-1][-1]["stalled"] for turns in (2, 200)}
    assert stalled == {True, False}


def test_an_illegal_action_ends_the_game_in_words() -> None:
    env = make(seat=0, reward="points")
    _, info = env.reset(seed=8)
    before = env.reset(seed=8)[0]
    action = env.game.parse("draw 1 population")
    assert info["action_mask"][action] == 0
    observation, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["stalled"]) == (-1.0, True, False, False)
    assert "draw 1 population" in info["illegal_action"]
    assert info["action_mask"].all()
    assert observation.tobytes() == before.tobytes()
    assert frozen(play(env, 3)) == frozen(play(make(seat=0, reward="points"), 3)), "what comes after starts clean"


def test_an_illegal_action_that_raises_changes_nothing() -> None:
    env = make(on_illegal="raise", seat=0)
    env.reset(seed=8)
    before = pickle.dumps(env.games.batch.get_state())
    with pytest.raises(IllegalAction, match="draw 1 population"):
        env.step(env.game.parse("draw 1 population"))
    for wrong in (None, 1.0, "0", True, np.array([0]), 2**70):
        with pytest.raises(ValueError, match="an action is a whole number from 0 to 239, got"):
            env.step(wrong)  # type: ignore[arg-type]
    assert pickle.dumps(env.games.batch.get_state()) == before


def test_deals_without_a_decision_are_skipped_and_counted() -> None:
    env = make(rules=NO_DECISION, opponents="greedy")
    skipped = {env.reset(seed=seed)[1]["skipped_games"] for seed in range(30)}
    assert 0 in skipped and max(skipped) > 0
    env = make(rules=NO_DECISION, opponents="greedy", seat=1)
    with pytest.raises(ValueError, match="no decision in 1,000 deals in a row"):
        env.reset(seed=0)


def test_calls_before_reset_are_refused() -> None:
    for env in (gymnasium.make(ID, render_mode="ansi"), make(render_mode="ansi")):
        for call in (lambda env=env: env.step(0), env.render, env.unwrapped.action_masks):
            with pytest.raises(ResetNeeded, match=r"before (calling )?.?(env\.)?reset"):
                call()


@pytest.mark.parametrize(
    ("keywords", "reason"),
    [
        ({"opponents": "nobody"}, "no opponent is named 'nobody'"),
        ({"opponents": ["random"]}, "each of the 3 other seats"),
        ({"opponents": None}, "an opponent is a name"),
        ({"seat": 4}, "seat must be None .* from 0 to 3, got 4"),
        ({"num_players": 1}, "num_players must be"),
        ({"rules": "huge"}, "preset"),
        ({"reward": None}, "reward must be one of"),
        ({"on_illegal": "warn"}, "on_illegal must be one of 'end', 'raise', got 'warn'"),
    ],
)
def test_bad_keywords_are_refused(keywords: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        gymnasium.make(ID, **keywords)


def test_other_mistakes_are_refused() -> None:
    with pytest.raises(TypeError, match="opponent"):
        gymnasium.make(ID, opponent="random")
    with pytest.raises(ValueError, match="render_mode must be one of None, 'ansi'"):
        ResPublicaEnv(render_mode="film")
    env = make()
    env.reset(seed=1)
    before = pickle.dumps(env.games.batch.get_state())
    for seed in (-1, 1.5, "1", True, 2**63):
        with pytest.raises(ValueError, match="seed must be"):
            env.reset(seed=seed)  # type: ignore[arg-type]
    assert pickle.dumps(env.games.batch.get_state()) == before
    with pytest.raises(ValueError, match="no opponent is named"):
        env.opponents = "nobody"
    assert env.opponents == "random"


@pytest.mark.parametrize("opponents", ["random", drawing, choosing])
@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
def test_a_copy_in_mid_game_plays_on_to_the_same_end(opponents: Any, how: str) -> None:
    env = gymnasium.make(ID, opponents=opponents, reward="points")
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=4)
    for _ in range(40):
        _, _, over, _, info = env.step(some_actions(info["action_mask"], rng))
        assert not over
    twin = copy.deepcopy(env) if how == "deepcopy" else pickle.loads(pickle.dumps(env))
    rest = [play_on(each, info["action_mask"]) for each in (env, twin)]
    assert frozen(rest[0]) == frozen(rest[1])
    ended = copy.deepcopy(env)
    assert frozen(ended.step(0)) == frozen(env.step(0)), "after the end it still shows what was last seen"
    assert frozen(play(env, None)) == frozen(play(twin, None)), "and the random streams go on alike"


def play_on(env: gymnasium.Env, mask: np.ndarray) -> list[Any]:
    rng, handed, over = np.random.default_rng(1), [], False
    while not over:
        handed.append(env.step(some_actions(mask, rng)))
        mask, over = handed[-1][-1]["action_mask"], handed[-1][2]
    return handed


def test_the_view_is_the_learners() -> None:
    env, plain = make(render_mode="ansi"), make()
    env.reset(seed=3)
    assert env.render() == ansi_view(env.game, env.seat)
    handed = []
    for each in (env, plain):
        each.reset(seed=3)
        if each is env:
            each.render()
        handed.append(play_on(each, each.action_masks()))
    assert frozen(handed[0]) == frozen(handed[1])
    with pytest.warns(UserWarning, match="does nothing without a render_mode"):
        assert plain.render() is None


def test_human_prints_each_decision(capsys: pytest.CaptureFixture[str]) -> None:
    env = make(render_mode="human", rules="mini", seat=1)
    _, info = env.reset(seed=3)
    views = [ansi_view(env.game, 1)]
    for _ in range(5):
        *_, info = env.step(info["action_mask"].argmax())
        views.append(ansi_view(env.game, 1))
    assert capsys.readouterr().out == "".join(f"{view}\n" for view in views)


def test_it_wraps_as_any_other() -> None:
    env = RecordEpisodeStatistics(gymnasium.make(ID, reward="points"))
    info = play(env, 2)[-1][-1]
    assert info["episode"]["r"] == env.unwrapped.game.scores()[env.unwrapped.seat]


@pytest.mark.parametrize("learner", [PPO, A2C, DQN])
def test_learners_without_masks_train_on_it(learner: Any) -> None:
    env = gymnasium.make(ID, rules="mini", mask_in_observation=True, on_illegal="end")
    settings = {"learning_starts": 50} if learner is DQN else {"n_steps": 32}
    if learner is PPO:
        settings |= {"batch_size": 32, "n_epochs": 1}
    model = learner("MlpPolicy", env, seed=0, device="cpu", **settings)
    model.learn(256)
    assert model.num_timesteps >= 256
    assert all(-1 <= episode["r"] <= 0.5 for episode in model.ep_info_buffer)
    assert len(model.ep_info_buffer) > 5
