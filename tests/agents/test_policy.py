"""Trained policies from files: every algorithm, with and without PyTorch, and what is refused."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import QRDQN, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO

import agents
from agents.onnx_policy import OnnxAgent
from agents.policy import METADATA, WEIGHTS, PolicyAgent, observation_hash
from agents.sb3_policy import Sb3Agent
from respublica_env import Game, Rules
from respublica_env.replay.policy import advise
from respublica_env.sb3 import ResPublicaVecEnv
from tests.replayed import played
from train import ppo
from train.export import export, main

ROOT = Path(__file__).parent.parent.parent
RULES = Rules(num_players=3)
MANY = 300  # observations: more than two blocks, and no whole number of them


@pytest.fixture(scope="module")
def seen() -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks from the middle of games, float32 `(MANY, D)` and int8 `(MANY, A)`."""
    env = ResPublicaVecEnv(MANY, "greedy", rules=RULES, seed=3)
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(25):
        observations, *_ = env.step((rng.random(env.action_masks().shape) * env.action_masks()).argmax(axis=1))
    return observations, env.action_masks().astype(np.int8)


def saved(folder: Path, algorithm: type, with_mask: bool = False, **keywords: Any) -> tuple[Any, Path]:
    """A model whose network is far from its first weights, and its file."""
    env = ResPublicaVecEnv(2, "greedy", rules=RULES, seed=0, mask_in_observation=with_mask)
    model = algorithm("MlpPolicy", env, seed=1, device="cpu", **keywords)
    torch.manual_seed(0)
    with torch.no_grad():
        for weights in model.policy.parameters():
            weights.add_(torch.randn_like(weights) * 0.3)
    path = folder / f"{algorithm.__name__}.zip"
    model.save(path)
    return model, path


def agree(actions: np.ndarray, scores: np.ndarray, masks: np.ndarray) -> None:
    """Every action is legal, and best but for rounding: libraries may add up in another order."""
    rows = np.arange(len(actions))
    assert (masks[rows, actions] == 1).all()
    best = np.where(masks != 0, scores, -np.inf)
    assert np.allclose(best[rows, actions], best.max(axis=1), rtol=1e-5, atol=1e-5)
    assert (actions == best.argmax(axis=1)).mean() > 0.99


def independent_of_its_batch(agent: Any, observations: np.ndarray, masks: np.ndarray) -> None:
    together = agent.act(observations, masks)
    alone = [int(agent.act(observations[i : i + 1], masks[i : i + 1])[0]) for i in range(0, MANY, 7)]
    assert together[::7].tolist() == alone
    assert agent.act(observations[::-1], masks[::-1]).tolist() == together[::-1].tolist()


@pytest.mark.parametrize("with_mask", [False, True])
@pytest.mark.parametrize("algorithm", [MaskablePPO, PPO, A2C, DQN, QRDQN])
def test_what_sb3_saved_plays(
    algorithm: type, with_mask: bool, seen: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    keywords = {"buffer_size": 10} if algorithm in (DQN, QRDQN) else {}
    model, path = saved(tmp_path, algorithm, with_mask, **keywords)
    agent = agents.load(path)
    assert isinstance(agent, Sb3Agent)
    observations, masks = seen
    inputs = torch.from_numpy(np.concatenate((observations, masks), 1, dtype=np.float32) if with_mask else observations)
    with torch.no_grad():
        if algorithm is QRDQN:
            scores = model.policy.quantile_net(inputs).mean(dim=1)
        elif algorithm is DQN:
            scores = model.policy.q_net(inputs)
        else:
            scores = model.policy.get_distribution(inputs).distribution.logits
    agree(agent.act(observations, masks), scores.numpy(), masks)
    if algorithm is MaskablePPO:
        predicted, _ = model.predict(inputs.numpy(), action_masks=masks, deterministic=True)
        assert (agent.act(observations, masks) == predicted).mean() > 0.99
    independent_of_its_batch(agent, observations, masks)
    agent.check(RULES)
    with pytest.raises(ValueError, match=r"was trained on 239 actions, here are 240"):
        agent.check(Rules())
    with pytest.raises(ValueError, match=r"another observation, of \d+ numbers; here are \d+ "):
        agent.check(Rules(num_players=5, max_draw=2))  # as many actions


@pytest.mark.parametrize("with_mask", [False, True])
@pytest.mark.parametrize(
    ("algorithm", "keywords"),
    [
        (MaskablePPO, {"policy_kwargs": {"net_arch": [32, 16]}}),
        (PPO, {"policy_kwargs": {"net_arch": [16], "activation_fn": torch.nn.ELU}}),
        (DQN, {"buffer_size": 10, "policy_kwargs": {"net_arch": [32], "activation_fn": torch.nn.LeakyReLU}}),
        (DQN, {"buffer_size": 10}),
    ],
)
def test_an_export_plays_as_the_model_does(
    algorithm: type, keywords: dict[str, Any], with_mask: bool, seen: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    _, path = saved(tmp_path, algorithm, with_mask, **keywords)
    exported = export(path, tmp_path / "policy.onnx", RULES)
    observations, masks = seen
    inputs = np.concatenate((observations, masks), 1, dtype=np.float32) if with_mask else observations
    agree(exported.act(observations, masks), Sb3Agent(path).scores(inputs), masks)
    independent_of_its_batch(exported, observations, masks)


@pytest.mark.parametrize("with_mask", [False, True])
@pytest.mark.parametrize("algorithm", [MaskablePPO, A2C, DQN])
@pytest.mark.parametrize("kind", ["zip", "onnx"])
def test_probabilities_and_values_are_those_of_sb3(
    kind: str, algorithm: type, with_mask: bool, seen: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    """Values of a network that takes the mask cannot be asked for without it."""
    model, path = saved(tmp_path, algorithm, with_mask, **({"buffer_size": 10} if algorithm is DQN else {}))
    agent = agents.load(path) if kind == "zip" else export(path, tmp_path / "policy.onnx", RULES)
    observations, masks = seen
    if algorithm is DQN:
        with pytest.raises(ValueError, match="does not say how likely its actions are: its scores are action values"):
            agent.probabilities(observations, masks)
        assert agent.values(observations) is None
        return
    inputs = torch.from_numpy(np.concatenate((observations, masks), 1, dtype=np.float32) if with_mask else observations)
    with torch.no_grad():
        plain = model.policy.get_distribution(inputs).distribution.probs.numpy() * masks
        values = model.policy.predict_values(inputs)[:, 0].numpy()
    likely = agent.probabilities(observations, masks)
    assert (likely[masks == 0] == 0).all()
    np.testing.assert_allclose(likely, plain / plain.sum(axis=1, keepdims=True), rtol=0, atol=1e-5)
    if with_mask:
        assert agent.values(observations) is None
    else:
        np.testing.assert_allclose(agent.values(observations), values, rtol=1e-5, atol=1e-5)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short run of train.ppo."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    small = ["--players", "3", "--games", "8", "--rollout", "16", "--batch-size", "64", "--layers", "32", "16"]
    ppo.main(["--steps", "512", "--out", str(folder), "--deals", "0", *small])
    return folder


@pytest.fixture(scope="module")
def exported(run: Path) -> Path:
    out = run / "policy.onnx"
    main([str(run), str(out)])
    return out


def test_the_export_of_a_run_plays_as_the_run_does(
    run: Path, exported: Path, seen: tuple[np.ndarray, np.ndarray]
) -> None:
    observations, masks = seen
    agent, model = agents.load(str(exported)), MaskablePPO.load(run / "last.zip", device="cpu")
    assert isinstance(agent, OnnxAgent) and agent.rules == RULES
    with torch.no_grad():
        scores = model.policy.get_distribution(torch.from_numpy(observations)).distribution.logits.numpy()
    agree(agent.act(observations, masks), scores, masks)
    agree(agents.load(run).act(observations, masks), scores, masks)
    independent_of_its_batch(agent, observations, masks)
    game = Game(RULES, seed=5)
    for _ in range(40):
        game.step(agent.choose(game, game.player, np.random.default_rng(0)))


@pytest.mark.parametrize("kind", ["run", "exported"])
def test_probabilities_and_values_of_a_run_are_those_of_its_policy(
    kind: str, run: Path, seen: tuple[np.ndarray, np.ndarray], request: pytest.FixtureRequest
) -> None:
    """Values in points, of which the learner saw a tenth."""
    observations, masks = seen
    agent, model = agents.load(request.getfixturevalue(kind)), MaskablePPO.load(run / "last.zip", device="cpu")
    inputs = torch.from_numpy(observations)
    with torch.no_grad():
        likely = model.policy.get_distribution(inputs, masks).distribution.probs.numpy()
        values = 10 * model.policy.predict_values(inputs)[:, 0].numpy()
    found = agent.probabilities(observations, masks)
    np.testing.assert_allclose(found, likely, rtol=0, atol=1e-5)
    assert (found[masks == 0] == 0).all() and (found.argmax(axis=1) == agent.act(observations, masks)).all()
    np.testing.assert_allclose(agent.values(observations), values, rtol=1e-5, atol=1e-5)
    one = agent.values(observations[7:8]), agent.probabilities(observations[7:8], masks[7:8])
    assert one[0][0] == agent.values(observations)[7] and (one[1][0] == found[7]).all()
    assert agent.values(observations[:0]).shape == (0,) and agent.act(observations[:0], masks[:0]).shape == (0,)
    with pytest.raises(ValueError, match=r"another observation, of \d+ numbers"):
        agent.values(observations[:, :-1])


def test_files_without_values_still_play(run: Path, exported: Path, tmp_path: Path) -> None:
    """As they were written before there were any; such an export does not say what its scores are either."""
    import onnx

    with zipfile.ZipFile(run / "last.zip") as archive, zipfile.ZipFile(tmp_path / "old.zip", "w") as old:
        weights = np.load(io.BytesIO(archive.read(WEIGHTS)))
        content = io.BytesIO()
        np.savez(content, **{name: weights[name] for name in weights.files if not name.startswith("value")})
        old.writestr(WEIGHTS, content.getvalue())
        old.writestr(METADATA, archive.read(METADATA))
    model = onnx.load(exported)
    del model.graph.output[1]
    (entry,) = model.metadata_props
    entry.value = json.dumps({name: value for name, value in json.loads(entry.value).items() if name != "scores"})
    onnx.save(model, tmp_path / "old.onnx")
    record = played(RULES, decisions=50)
    whole = agents.load(run)
    old = agents.load(tmp_path / "old.zip")
    decisions = advise(record, old)
    assert [one.likely for one in decisions] == [one.likely for one in advise(record, whole)]
    assert {one.value for one in decisions} == {None}
    rows = np.random.default_rng(0).random((40, RULES.observation_size), np.float32)
    masks = np.ones((40, RULES.num_actions), np.int8)
    exported_before = agents.load(tmp_path / "old.onnx")
    agree(exported_before.act(rows, masks), whole.scores(rows), masks)
    with pytest.raises(ValueError, match="how likely its actions are: its file does not say: export it anew"):
        exported_before.probabilities(rows, masks)


def test_an_export_needs_no_torch(exported: Path) -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('torch', 'stable_baselines3', 'sb3_contrib', 'onnx'))); "
        "import agents; print(agents.load(sys.argv[1]).num_actions)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(exported)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stdout) == (0, f"{RULES.num_actions}\n"), done.stderr


@pytest.mark.parametrize("kind", ["run", "exported"])
def test_other_rules_are_refused_by_what_differs(kind: str, request: pytest.FixtureRequest) -> None:
    agent = agents.load(request.getfixturevalue(kind))
    agent.check(RULES)
    agent.check(Rules(num_players=3, auto_forced=False))
    for changes, said in (
        ({"num_players": 4}, "num_players 3 there, 4 here"),
        ({"set_size": 4, "pair_points": 0}, "set_size 5 there, 4 here; pair_points 1 there, 0 here"),
        ({"wildcards": False}, "wildcards True there, False here"),
    ):
        with pytest.raises(ValueError, match=f"was trained on other rules: {said}$"):
            agent.check(Rules(**({"num_players": 3} | changes)))


def test_observations_of_another_size_are_refused(run: Path) -> None:
    with pytest.raises(ValueError, match=r"another observation, of \d+ numbers"):
        agents.load(run).act(np.zeros((1, 10), np.float32), np.ones((1, RULES.num_actions), np.int8))


def changed_export(exported: Path, out: Path, **changes: Any) -> Path:
    import onnx

    model = onnx.load(exported)
    (entry,) = model.metadata_props
    entry.value = json.dumps(json.loads(entry.value) | changes)
    onnx.save(model, out)
    return out


def test_files_of_another_observation_or_format_are_refused(exported: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="was trained on another observation, by version 9"):
        agents.load(changed_export(exported, tmp_path / "a.onnx", observation="0" * 64, version="9"))
    with pytest.raises(ValueError, match=r"has the format 'x', this version reads 'respublica-onnx/1'"):
        agents.load(changed_export(exported, tmp_path / "b.onnx", format="x"))
    lie = {"rules": Rules().to_dict(), "observation": observation_hash(Rules())}
    with pytest.raises(ValueError, match=r"was trained on 239 actions, here are 240"):
        agents.load(changed_export(exported, tmp_path / "c.onnx", **lie))


def test_files_that_hold_no_policy_are_refused(exported: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(exported.read_bytes()[:-300])
    (tmp_path / "text.onnx").write_text("hello")
    for path in (broken, tmp_path / "text.onnx"):
        with pytest.raises(ValueError, match=r"is no policy that train\.export wrote"):
            agents.load(path)
    _, path = saved(tmp_path, PPO)
    members = {}
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["policy.pth"] = members["policy.pth"][:100]
    with zipfile.ZipFile(tmp_path / "broken.zip", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(ValueError, match=r"broken.zip holds no policy that can be read here"):
        agents.load(tmp_path / "broken.zip")
    _recurrent(tmp_path / "recurrent.zip")
    with pytest.raises(ValueError, match="must score actions and have no memory"):
        agents.load(tmp_path / "recurrent.zip")


def _recurrent(path: Path) -> None:
    env = ResPublicaVecEnv(1, "greedy", rules="mini", seed=0)
    RecurrentPPO("MlpLstmPolicy", env, device="cpu", policy_kwargs={"lstm_hidden_size": 4, "net_arch": [4]}).save(path)


def test_spaces_of_other_games_are_refused(tmp_path: Path) -> None:
    A2C("MlpPolicy", "Pendulum-v1", device="cpu").save(tmp_path / "pendulum.zip")
    with pytest.raises(ValueError, match="it must take one vector and give one discrete action"):
        agents.load(tmp_path / "pendulum.zip")


def test_a_model_without_its_libraries_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, path = saved(tmp_path, PPO)
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    with pytest.raises(ValueError, match=r"pip install 'respublica-env\[train\]'"):
        agents.load(path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "x.txt"], "must have a name that ends in .onnx, got x.txt"),
        (["run", "nowhere/x.onnx"], "must name a file that can be written"),
        (["nowhere", "x.onnx"], "nowhere is no checkpoint"),
        (["run", "x.onnx", "--rules", "mini"], "was trained on other rules than --rules names"),
        (["PPO.zip", "x.onnx"], "name them with --rules"),
        (["PPO.zip", "x.onnx", "--rules", "standard"], "was trained on 239 actions, here are 240"),
    ],
)
def test_bad_input_is_refused_in_one_line_and_writes_nothing(
    arguments: list[str],
    said: str,
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    saved(tmp_path, PPO)
    (tmp_path / "run").symlink_to(run)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    error = capsys.readouterr().err
    assert said in error and error.startswith("train.export: ") and error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["PPO.zip", "run"]


def test_a_checkpoint_of_train_ppo_is_read_without_its_pickles(run: Path) -> None:
    """Not as the file of Stable-Baselines3 that it is too."""
    assert isinstance(agents.load(run / "last.zip"), PolicyAgent)
    with zipfile.ZipFile(run / "last.zip") as archive:
        weights = np.load(io.BytesIO(archive.read(WEIGHTS)))
    assert agents.load(run).num_inputs == weights["weight_0"].shape[1]
