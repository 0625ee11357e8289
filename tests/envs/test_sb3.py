"""ResPublicaVecEnv against SB3's own loop over monitored single environments, and below SB3's wrappers."""

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

from respublica_env import Rules
from respublica_env.envs.ansi import ansi_view
from respublica_env.sb3 import ResPublicaVecEnv
from tests.plain_learner import choosing, drawing, last_legal, some_actions

ID = "respublica/ResPublica-v0"


def times_taken_out(infos: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for info in infos:
        if "episode" in info:
            assert info["episode"].pop("t") >= 0
    return infos


def without_masks(infos: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of Gymnasium's environments; a VecEnv hands masks out through `env_method` instead."""
    return [{key: value for key, value in info.items() if key != "action_mask"} for info in infos]


@pytest.mark.parametrize(
    "keywords",
    [
        {"rules": Rules(num_players=3, max_turns=5), "opponents": ["random", "greedy"], "reward": "points"},
        {"rules": "mini", "opponents": drawing, "mask_in_observation": True},
        {"rules": Rules(num_players=3, max_turns=5), "opponents": [choosing, last_legal], "reward": "margin"},
        {"rules": Rules.mini(max_turns=1), "opponents": "greedy", "seat": 1},
    ],
)
def test_rows_are_single_environments(keywords: dict[str, Any]) -> None:
    """Observations, rewards, dones, masks, infos with last observation and episode; illegal actions now and then."""
    env = ResPublicaVecEnv(5, seed=20, **keywords)
    loop = DummyVecEnv([lambda: Monitor(gymnasium.make(ID, **keywords))] * 5)
    loop.seed(20)
    assert (env.observation_space, env.action_space) == (loop.observation_space, loop.action_space)
    observations, expected = env.reset(), loop.reset()
    rng, ended, illegal = np.random.default_rng(0), 0, 0
    for _ in range(250):
        assert observations.tobytes() == expected.tobytes()
        assert env.reset_infos == without_masks(loop.reset_infos)
        assert env.get_attr("seat") == loop.get_attr("seat")
        masks = get_action_masks(env)
        assert np.array_equal(masks, get_action_masks(loop))
        actions = some_actions(masks, rng)
        actions[rng.random(5) < 0.01] = env.action_space.n
        observations, *mine, infos = env.step(actions)
        expected, *theirs, loop_infos = loop.step(actions)
        for one, other in zip(mine, theirs, strict=True):
            assert one.dtype == other.dtype and one.tobytes() == other.tobytes()
        loop_infos = times_taken_out(without_masks(loop_infos))
        for info, loop_info, done in zip(times_taken_out(infos), loop_infos, mine[1], strict=True):
            if done:
                last, loop_last = info.pop("terminal_observation"), loop_info.pop("terminal_observation")
                assert last.tobytes() == loop_last.tobytes()
                assert info == loop_info
            else:
                assert info == {} and loop_info == {"TimeLimit.truncated": False}
            illegal += "illegal_action" in info
            ended += done
    assert ended > 10 and illegal > 2


def test_monitor_and_normalize_on_top() -> None:
    env = ResPublicaVecEnv(6, rules="small", reward="points", seat=0, seed=3)
    plain = ResPublicaVecEnv(6, rules="small", reward="points", seat=0, seed=3)
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        monitored = VecMonitor(env)
    wrapped = VecNormalize(monitored, gamma=0.999)
    wrapped.reset()
    plain.reset()
    rng, episodes = np.random.default_rng(0), 0
    for _ in range(120):
        masks = get_action_masks(wrapped)
        assert np.array_equal(masks, get_action_masks(plain))
        actions = some_actions(masks, rng)
        observations, _, dones, infos = wrapped.step(actions)
        raw, rewards, expected_dones, expected_infos = plain.step(actions)
        assert dones.tolist() == expected_dones.tolist()
        assert wrapped.get_original_obs().tobytes() == raw.tobytes() != observations.tobytes()
        assert wrapped.get_original_reward().tobytes() == rewards.tobytes()
        for i in np.flatnonzero(dones):
            assert infos[i]["episode"]["r"] == expected_infos[i]["episode"]["r"]
            assert infos[i]["episode"]["l"] == expected_infos[i]["episode"]["l"]
            assert infos[i]["terminal_observation"].shape == observations[i].shape
            episodes += 1
    assert episodes > 10
    assert wrapped.has_attr("rules") and wrapped.get_attr("rules", 0) == [Rules.small()]
    wrapped.set_attr("opponents", "greedy")
    assert env.opponents == wrapped.get_attr("opponents")[0] == "greedy"
    assert wrapped.env_is_wrapped(Monitor) == [True] * 6


def test_masks_are_handed_over_without_pickling(monkeypatch: pytest.MonkeyPatch) -> None:
    env = ResPublicaVecEnv(4, opponents=last_legal)
    env.reset()
    monkeypatch.setattr("pickle.dumps", None)
    monkeypatch.setattr("cloudpickle.dumps", None)
    assert get_action_masks(env).shape == (4, env.action_space.n)
    assert env.has_attr("action_masks")


def test_pickling_keeps_opponents_in_python_and_their_generators() -> None:
    env = ResPublicaVecEnv(4, [drawing, choosing, "greedy"], rules=Rules(max_turns=4), reward="points", seed=5)
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(30):
        env.step(some_actions(env.action_masks(), rng))
    twin = pickle.loads(pickle.dumps(env))
    for _ in range(60):
        actions = some_actions(env.action_masks(), rng)
        mine, other = env.step(actions), twin.step(actions)
        assert [one.tobytes() for one in mine[:3]] == [one.tobytes() for one in other[:3]]
        assert [info.get("episode", {}).get("r") for info in mine[3]] == [
            info.get("episode", {}).get("r") for info in other[3]
        ]


@pytest.mark.parametrize("learner", [PPO, A2C, DQN, MaskablePPO])
def test_learners_train_on_it(learner: Any) -> None:
    masked = learner is MaskablePPO
    env = ResPublicaVecEnv(8, opponents=drawing, rules="mini", mask_in_observation=not masked, seed=0)
    settings = {"learning_starts": 50} if learner is DQN else {"n_steps": 16}
    if learner in (PPO, MaskablePPO):
        settings |= {"batch_size": 64, "n_epochs": 1}
    model = learner("MlpPolicy", env, seed=0, device="cpu", **settings)
    illegal = []
    monitored = env.step_wait
    env.step_wait = lambda: keep(monitored(), illegal)  # type: ignore[method-assign]
    model.learn(512)
    assert model.num_timesteps >= 512
    assert len(model.ep_info_buffer) > 10
    assert bool(illegal) != masked


def keep(handed: Any, illegal: list[str]) -> Any:
    illegal += [info["illegal_action"] for info in handed[3] if "illegal_action" in info]
    return handed


def test_a_maskable_ppo_beats_random_players() -> None:
    """The classic bug of rewards that reach the wrong seat leaves a learner below those who play at random."""
    env = ResPublicaVecEnv(64, rules="mini", reward="points", seed=1)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=32, batch_size=512, n_epochs=4, learning_rate=2e-3, gamma=1.0, seed=0, device="cpu"
    )
    model.learn(20_000)
    wins = []
    games = ResPublicaVecEnv(64, rules="mini", seed=1_000)
    observations = games.reset()
    while len(wins) < 400:
        actions, _ = model.predict(observations, action_masks=games.action_masks(), deterministic=True)
        observations, rewards, dones, _ = games.step(actions)
        wins += rewards[dones].tolist()
    assert np.mean(wins) > 0.1


def test_games_are_shown_as_their_learners_see_them(capsys: pytest.CaptureFixture[str]) -> None:
    env = ResPublicaVecEnv(3, rules="mini", render_mode="ansi", seed=1)
    env.reset()
    views = [ansi_view(env.games.batch.game(i), seat) for i, seat in enumerate(env.games.seats.tolist())]
    assert env.env_method("render") == views
    assert env.env_method("render", indices=[2]) == views[2:]
    assert env.get_images() == [None] * 3
    printing = ResPublicaVecEnv(3, rules="mini", render_mode="human", seed=1)
    printing.reset()
    printing.render()
    assert capsys.readouterr().out == "".join(f"{view}\n" for view in views)
