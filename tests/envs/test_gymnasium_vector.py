"""The native Gymnasium vector environment against Gymnasium's own loop over single ones, and as Gymnasium uses it."""

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from respublica_env import Game, IllegalAction, Rules
from respublica_env.envs.ansi import ansi_view
from respublica_env.envs.gymnasium_vector import ResPublicaVectorEnv
from tests.plain_learner import choosing, drawing, last_legal, some_actions

ID = "respublica/ResPublica-v0"
MODES = list(AutoresetMode)


def make(num_envs: int, **keywords: Any) -> ResPublicaVectorEnv:
    env = gymnasium.make_vec(ID, num_envs=num_envs, **keywords)
    assert isinstance(env, ResPublicaVectorEnv)
    return env


def same(one: Any, two: Any) -> bool:
    return data_equivalence(one, two, exact=True)


@pytest.mark.parametrize(
    "keywords",
    [
        {"rules": Rules(num_players=3, max_turns=5), "opponents": ["random", "greedy"], "reward": "points"},
        {"rules": "mini", "opponents": drawing, "mask_in_observation": True},
        {"rules": Rules(num_players=3, max_turns=5), "opponents": [choosing, last_legal], "reward": "margin"},
        {"rules": Rules.mini(max_turns=1), "opponents": "greedy", "seat": 1},
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_rows_are_single_environments(mode: AutoresetMode, keywords: dict[str, Any]) -> None:
    """Observations, rewards, ends and infos, illegal actions now and then, in every autoreset mode."""
    env = make(5, autoreset_mode=mode, **keywords)
    loop = gymnasium.make_vec(
        ID, num_envs=5, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **keywords
    )
    assert env.metadata["autoreset_mode"] is mode
    for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(env, name) == getattr(loop, name)
    rng = np.random.default_rng(0)
    handed, expected = env.reset(seed=20), loop.reset(seed=20)
    ended = illegal = 0
    for step in range(250):
        assert same(handed, expected)
        actions = some_actions(handed[-1]["action_mask"], rng)
        actions[rng.random(5) < 0.01] = env.single_action_space.n
        handed, expected = env.step(actions), loop.step(actions)
        over = handed[2]
        ended += over.sum()
        illegal += "illegal_action" in handed[-1] or "illegal_action" in handed[-1].get("final_info", {})
        if mode is AutoresetMode.DISABLED and over.any():
            assert same(handed, expected)
            seeds = None if step % 2 else [int(step) if i < 3 else None for i in range(5)]
            handed = env.reset(seed=seeds, options={"reset_mask": over})
            expected = loop.reset(seed=seeds, options={"reset_mask": over.copy()})
            assert handed[1]["action_mask"].any(axis=1).all() and handed[1]["_action_mask"].all()
            # Those that go on have their masks as well; Gymnasium's loop knows nothing of them.
            handed[1]["action_mask"][~over] = handed[1]["_action_mask"][~over] = 0
            assert same(handed, expected)
            handed[1]["action_mask"][:] = expected[1]["action_mask"][:] = env.action_masks()
            handed[1]["_action_mask"][:] = expected[1]["_action_mask"][:] = True
    assert ended > 10 and illegal > 2


@pytest.mark.parametrize("opponents", ["random", drawing, choosing])
def test_an_episode_does_not_depend_on_how_many_games_there_are(opponents: Any) -> None:
    def rewards_and_views(num_envs: int) -> list[Any]:
        env = make(num_envs, opponents=opponents, rules="small", reward="points", autoreset_mode="SameStep")
        _, info = env.reset(seed=7)
        handed = []
        for _ in range(120):
            actions = info["action_mask"].shape[1] - 1 - info["action_mask"][:, ::-1].argmax(axis=1)
            observations, rewards, over, _, info = env.step(actions)
            handed.append((observations[0].tobytes(), rewards[0], over[0]))
        return handed

    alone = rewards_and_views(1)
    assert sum(over for *_, over in alone) >= 3
    assert rewards_and_views(2) == rewards_and_views(19) == alone


def test_finals_are_arrays_of_those_that_ended() -> None:
    env = make(6, rules="mini", autoreset_mode=AutoresetMode.SAME_STEP)
    _, info = env.reset(seed=2)
    rng, seen = np.random.default_rng(0), 0
    while seen < 10:
        observations, _, over, _, info = env.step(some_actions(info["action_mask"], rng))
        assert ("final_obs" in info) == ("final_info" in info) == over.any()
        if over.any():
            assert same(info["_final_obs"], over) and same(info["_final_info"], over)
            assert [final is not None for final in info["final_obs"]] == over.tolist()
            assert info["final_info"]["action_mask"][over].all()
            assert not info["action_mask"].all(axis=1).any(), "masks of the games that have begun"
            assert info["_skipped_games"].tolist() == over.tolist()
            assert all(not np.array_equal(info["final_obs"][i], observations[i]) for i in np.flatnonzero(over))
            seen += over.sum()


@pytest.mark.parametrize("mode", MODES)
def test_episode_statistics(mode: AutoresetMode) -> None:
    """Gymnasium's wrapper counts the points that the games say."""
    env = RecordEpisodeStatistics(make(8, rules="small", reward="points", seat=0, autoreset_mode=mode))
    _, info = env.reset(seed=3)
    rng, returns = np.random.default_rng(0), []
    for _ in range(300):
        scores = env.unwrapped.games.batch.scores[:, 0]
        _, _, over, _, info = env.step(some_actions(info["action_mask"], rng))
        if over.any():
            if mode is not AutoresetMode.SAME_STEP:
                scores = env.unwrapped.games.batch.scores[:, 0]
                assert info["episode"]["r"][over].tolist() == scores[over].tolist()
            returns += info["episode"]["r"][over].tolist()
            if mode is AutoresetMode.DISABLED:
                _, info = env.reset(options={"reset_mask": over})
    assert len(returns) > 20 and max(returns) > 0


def test_disabled_leaves_what_is_over_as_it_is() -> None:
    env = make(4, rules="mini", autoreset_mode="Disabled")
    observations, info = env.reset(seed=2)
    over = np.zeros(4, bool)
    while not over.all():
        actions = info["action_mask"].argmax(axis=1)
        before = observations
        observations, rewards, now_over, _, info = env.step(actions)
        assert (now_over | ~over).all()
        assert observations[over].tobytes() == before[over].tobytes()
        assert not rewards[over].any()
        assert info["action_mask"][now_over].all()
        over = now_over
    _, info = env.reset(seed=9)
    assert not info["action_mask"].all(axis=1).any()


def test_seeds_deal_as_games_of_these_seeds() -> None:
    env = make(3, seat=0)
    for seeds, given in (([5, 6, 7], 5), ([5, 6, 7], np.int64(5)), ([9, 0, 2**40], [9, 0, 2**40])):
        env.reset(seed=given)
        decks = [env.games.batch.game(i).technology_deck for i in range(3)]
        assert decks == [Game(seed=seed).technology_deck for seed in seeds]
    env.reset(seed=[9, None, None])
    assert env.games.batch.game(0).technology_deck == Game(seed=9).technology_deck
    assert env.games.batch.game(1).technology_deck != decks[1]
    assert env.np_random is not None


def test_a_masked_reset_touches_the_other_games_not_at_all() -> None:
    env = make(3)
    _, info = env.reset(seed=1)
    before = [env.games.batch.game(i).to_dict() for i in range(3)]
    observations, info = env.reset(options={"reset_mask": np.array([False, True, False])})
    after = [env.games.batch.game(i).to_dict() for i in range(3)]
    assert [one == two for one, two in zip(before, after, strict=True)] == [True, False, True]
    assert info["_skipped_games"].tolist() == [False, True, False]
    assert observations[0].tobytes() == env.games.observations()[0].tobytes()


def test_an_illegal_action_that_raises_changes_nothing() -> None:
    env = make(4, on_illegal="raise", rules="mini")
    _, info = env.reset(seed=1)
    over = np.zeros(4, bool)
    while not over.any():  # a game waits for its reset
        actions = info["action_mask"].argmax(axis=1)
        *_, over, _, info = env.step(actions)
    before = pickle.dumps(env.games)
    running = int(np.flatnonzero(~over)[0])
    with pytest.raises(IllegalAction, match=f"game {running}"):
        env.step(np.where(np.arange(4) == running, 10_000, 0))
    for wrong in (np.zeros(3, int), np.zeros(4), [[0]] * 4, None):
        with pytest.raises(ValueError, match="actions must be whole numbers"):
            env.step(wrong)
    assert pickle.dumps(env.games) == before


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
def test_a_copy_in_mid_game_plays_on_to_the_same_end(mode: AutoresetMode, how: str) -> None:
    opponents = [drawing, "random", choosing]
    env = make(5, opponents=opponents, autoreset_mode=mode, rules=Rules(max_turns=6), reward="points")
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=4)
    over = np.zeros(5, bool)
    while not over.any():
        *_, over, _, info = env.step(some_actions(info["action_mask"], rng))
    twin = copy.deepcopy(env) if how == "deepcopy" else pickle.loads(pickle.dumps(env))
    for _ in range(60):
        actions = some_actions(info["action_mask"], rng)
        handed = env.step(actions)
        assert same(twin.step(actions), handed)
        info = handed[-1]
    assert same(env.reset(), twin.reset())


def test_what_is_handed_out_is_the_callers_own() -> None:
    env, plain = (make(4, rules="mini") for _ in range(2))
    _, info = env.reset(seed=1)
    plain.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(50):
        actions = some_actions(info["action_mask"], rng)
        handed, expected = env.step(actions), plain.step(actions)
        assert same(handed, expected)
        info = copy.deepcopy(handed[-1])
        for array in (*handed[:4], handed[-1]["action_mask"], env.action_masks()):
            array[:] = 0


def test_views_are_the_learners() -> None:
    env = make(2, render_mode="ansi", rules="mini")
    env.reset(seed=1)
    games = [env.games.batch.game(i) for i in range(2)]
    assert env.render() == tuple(ansi_view(game, seat) for game, seat in zip(games, env.games.seats, strict=True))
    with pytest.warns(UserWarning, match="does nothing without a render_mode"):
        assert make(2).render() is None


@pytest.mark.parametrize(
    ("keywords", "reason"),
    [
        ({"num_envs": 0}, "num_envs must be at least 1"),
        ({"opponents": "nobody"}, "no opponent is named 'nobody'"),
        ({"autoreset_mode": "Never"}, "autoreset_mode must be .*'NextStep', 'SameStep', 'Disabled'.* got 'Never'"),
        ({"render_mode": "film"}, "render_mode must be one of"),
        ({"reward": "glory"}, "reward must be one of"),
    ],
)
def test_bad_keywords_are_refused(keywords: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make(**{"num_envs": 2, **keywords})


def test_other_mistakes_are_refused() -> None:
    env = make(2, render_mode="ansi")
    for call in (lambda: env.step(np.zeros(2, int)), env.render, env.action_masks):
        with pytest.raises(ResetNeeded, match="reset"):
            call()
    env.reset(seed=1)
    before = pickle.dumps(env.games)
    for seed in (-1, 2**63 - 1, [1], [1, -1], 1.5, "ab"):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)
    for mask in ([True, False], np.array([1, 0]), None):
        with pytest.raises(TypeError, match="reset_mask"):
            env.reset(options={"reset_mask": mask})
    for mask in (np.zeros(2, bool), np.ones(3, bool)):
        with pytest.raises(ValueError, match="reset_mask"):
            env.reset(options={"reset_mask": mask})
    assert pickle.dumps(env.games) == before
