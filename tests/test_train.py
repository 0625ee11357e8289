"""The main job, small: it learns, writes whole checkpoints, resumes, and refuses what cannot be."""

import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback

import agents
import respublica_env
from agents.policy import METADATA, WEIGHTS, PolicyAgent, read_checkpoint
from respublica_env import Game, Rules, files
from respublica_env.sb3 import ResPublicaVecEnv
from train import ppo
from train.config import JUDGES
from train.policy import MaskedPolicy
from train.ppo import main

UPDATE = 8 * 16
SMALL = ["--games", "8", "--rollout", "16", "--batch-size", "64", "--layers", "16", "16", "--save-every", str(UPDATE)]


def state(path: Path) -> dict[str, torch.Tensor]:
    """Weights and optimiser of a checkpoint, as numbers by name."""
    with zipfile.ZipFile(path) as archive:
        found = {}
        for name in ("policy.pth", "policy.optimizer.pth"):
            with archive.open(name) as file:
                content = torch.load(file, weights_only=True)
            found |= content if name == "policy.pth" else {str(k): v["exp_avg"] for k, v in content["state"].items()}
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short run with its evaluation."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    main(["--steps", str(4 * UPDATE), "--out", str(folder), "--deals", "2", *SMALL])
    return folder


def test_a_run_leaves_checkpoint_logs_and_evaluation(run: Path) -> None:
    files = ["about.json", "config.json", "curve.json", "curve.png", "evaluation.json", "last.zip", "tensorboard"]
    assert sorted(path.name for path in run.iterdir() if path.name != "changes.diff") == files
    assert list((run / "tensorboard").glob("events*"))
    metadata, weights = read_checkpoint(run)
    assert metadata["steps"] == 4 * UPDATE
    assert Rules.from_dict(metadata["rules"]) == Rules()
    assert metadata["settings"]["games"] == 8
    assert [weights[f"weight_{i}"].shape for i in range(3)] == [(16, 191), (16, 16), (240, 16)]
    evaluation = json.loads((run / "evaluation.json").read_text())
    assert [[agent["name"] for agent in result["agents"]] for result in evaluation.values()] == [
        ["ppo", judge] for judge in JUDGES
    ]
    assert evaluation["random"]["games"] == 8


def test_plain_sb3_reads_the_checkpoint_and_agrees_with_the_agent(run: Path) -> None:
    model = MaskablePPO.load(run / "last.zip", device="cpu")
    agent = agents.load(str(run))
    env = ResPublicaVecEnv(50, "greedy", seed=3)
    observations = env.reset()
    for _ in range(10):
        masks = env.action_masks()
        mine = agent.act(observations, masks.astype(np.int8))
        with torch.no_grad():
            logits = model.policy.get_distribution(torch.from_numpy(observations), masks).distribution.logits.numpy()
        # The same action, or one that is likelier by no more than rounding.
        assert np.allclose(logits[np.arange(50), mine], logits.max(axis=1), atol=1e-5)
        observations, *_ = env.step(mine)


def test_the_agent_needs_no_pickle_and_does_not_depend_on_its_batch(run: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.zip"
    with zipfile.ZipFile(run / "last.zip") as archive, zipfile.ZipFile(bare, "w") as copy:
        for name in (METADATA, WEIGHTS):
            copy.writestr(name, archive.read(name))
    agent = PolicyAgent.load(bare)
    rng = np.random.default_rng(0)
    observations = rng.random((300, 191), np.float32)
    masks = (rng.random((300, 240)) < 0.2).astype(np.int8)
    masks[:, 7] = 1
    together = agent.act(observations, masks)
    assert (masks[np.arange(300), together] == 1).all()
    alone = [int(agent.act(observations[i : i + 1], masks[i : i + 1])[0]) for i in range(300)]
    assert together.tolist() == alone


def test_the_policy_plays_and_refuses_other_rules(run: Path) -> None:
    agent = agents.load(run / "last.zip")
    game = Game(seed=5)
    for _ in range(60):
        game.step(agent.choose(game, game.player, np.random.default_rng(0)))
    agent.check(Rules(max_draw=3))
    for rules in (Rules(num_players=3), Rules(max_draw=2), Rules(copies=13)):
        with pytest.raises(ValueError, match="was trained on other rules"):
            agent.check(rules)


class Stop(BaseCallback):
    """Ctrl-C at a certain step."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def _on_step(self) -> bool:
        if self.num_timesteps == self.at:
            raise KeyboardInterrupt
        return True


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the middle of the third rollout: the last checkpoint has two updates."""
    folder = tmp_path / "run"
    learn = MaskablePPO.learn
    monkeypatch.setattr(
        MaskablePPO, "learn", lambda self, steps, calls, **more: learn(self, steps, [*calls, Stop(296)], **more)
    )
    with pytest.raises(SystemExit) as stop:
        main(["--steps", str(4 * UPDATE), "--out", str(folder), *SMALL])
    assert stop.value.code == 130
    assert read_checkpoint(folder)[0]["steps"] == 2 * UPDATE
    monkeypatch.undo()
    main(["--out", str(folder), "--resume", "--deals", "0"])
    whole, resumed = state(run / "last.zip"), state(folder / "last.zip")
    assert whole.keys() == resumed.keys()
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
    games = [pickle.loads(zipfile.ZipFile(path / "last.zip").read("training.pkl"))["games"] for path in (run, folder)]
    assert games[0].games.batch.get_state()["rows"].tobytes() == games[1].games.batch.get_state()["rows"].tobytes()


def test_a_finished_run_goes_on_when_asked_for_more(run: Path, tmp_path: Path) -> None:
    (tmp_path / "last.zip").write_bytes((run / "last.zip").read_bytes())
    main(["--steps", str(5 * UPDATE), "--out", str(tmp_path), "--resume", "--deals", "0"])
    metadata, _ = read_checkpoint(tmp_path)
    assert metadata["steps"] == metadata["settings"]["steps"] == 5 * UPDATE
    assert not torch.equal(state(tmp_path / "last.zip")["action_net.bias"], state(run / "last.zip")["action_net.bias"])


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line with which a command line is refused."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    said = capsys.readouterr()
    assert stop.value.code == 2
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


def test_resuming_refuses_another_version(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "last.zip").write_bytes((run / "last.zip").read_bytes())
    monkeypatch.setattr(respublica_env, "__version__", "99.0")
    assert "not by 99.0" in refused(["--out", str(tmp_path), "--resume", "--steps", "9999"], capsys)


def test_resuming_refuses_what_it_cannot_do(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (run / "last.zip").read_bytes()
    assert "nothing to resume" in refused(["--out", str(tmp_path), "--resume"], capsys)
    assert "512 steps already" in refused(["--out", str(run), "--resume"], capsys)
    assert "rollout is 16, got 5" in refused(
        ["--out", str(run), "--resume", "--steps", "999", "--rollout", "5"], capsys
    )
    assert "--resume, or choose another --out" in refused(["--out", str(run)], capsys)
    assert (run / "last.zip").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--steps", "0"], "steps must be at least 1"),
        (["--steps", "ten"], "--steps"),
        (["--opponents", "nobody"], "no opponent is named 'nobody'"),
        (["--opponents"], "opponents must name at least one"),
        (["--reward", "glory"], "reward must be one of"),
        (["--games", "0"], "games must be at least 1"),
        (["--gamma", "1.5"], "gamma must be from 0 to 1, got 1.5"),
        (["--learning-rate", "nan"], "learning_rate must be from 0 to 1, got nan"),
        (["--layers", "64", "0"], "layers must be"),
        (["--layers", str(10**12)], "layers must be"),
        (["--threads", str(10**9)], "threads must be at most 1024"),
        (["--seed", "-1"], "seed must be from 0"),
        (["--rules", "huge"], "must be a preset"),
        (["--players", "9"], "num_players must be"),
        (["--deals", "-1"], "deals must be at least 0"),
        (["--present", "0.6", "--past", "0.5"], "present and past must be at most 1 together"),
        (["--priority", "easy"], "priority must be one of hard, variance, even"),
        (["--policy", "cnn"], "policy must be one of mlp, shared"),
        (["--minutes", "0"], "minutes must be above 0"),
        (["--judges", "nobody"], "no agent is named 'nobody'"),
        (["--imitate", "nobody"], "imitate must name a compiled bot"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reason in refused(["--out", str(tmp_path / "run"), *arguments], capsys)
    assert list(tmp_path.iterdir()) == []


def test_more_games_than_memory_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--games", str(10**12), "--out", str(tmp_path / "run")])
    said = capsys.readouterr().err
    assert stop.value.code == 2 and said.count("\n") == 1 and "Unable to allocate" in said
    assert list(tmp_path.iterdir()) == []


def test_runs_without_a_folder_are_numbered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ppo, "RUNS", tmp_path)
    assert ppo.run_folder(ppo.Train()) == tmp_path / "ppo"
    for number in ("ppo", "ppo-2"):
        (tmp_path / number).mkdir()
        (tmp_path / number / "last.zip").touch()
    assert ppo.run_folder(ppo.Train()) == tmp_path / "ppo-3"
    assert ppo.run_folder(ppo.Train(resume=True)) == tmp_path / "ppo-2"


def test_it_learns(tmp_path: Path) -> None:
    """A game small enough for seconds: the share of the win against a random player rises well above par."""
    folder = tmp_path / "run"
    game = ["--rules", "small", "--opponents", "random", "--reward", "margin", "--deals", "150"]
    learner = ["--rollout", "16", "--batch-size", "256", "--layers", "32", "--learning-rate", "0.003"]
    main(["--steps", "12000", "--out", str(folder), "--games", "32", *game, *learner])
    learnt = json.loads((folder / "evaluation.json").read_text())["random"]["agents"][0]
    assert learnt["name"] == "ppo"
    assert learnt["low"] > 0.6


def test_the_fast_policy_computes_what_the_slow_one_does() -> None:
    env = ResPublicaVecEnv(64, seed=0)
    observations, masks = torch.from_numpy(env.reset()), env.action_masks()
    torch.manual_seed(0)
    fast = MaskedPolicy(env.observation_space, env.action_space, lambda _: 1e-3, net_arch=[32])
    slow = MaskableActorCriticPolicy(env.observation_space, env.action_space, lambda _: 1e-3, net_arch=[32])
    slow.load_state_dict(fast.state_dict())
    with torch.no_grad():
        fast.action_net.weight.mul_(100)
        slow.action_net.weight.mul_(100)
        actions, values, logs = fast(observations, action_masks=masks)
        assert masks[np.arange(64), actions.numpy()].all()
        expected = slow.evaluate_actions(observations, actions, action_masks=masks)
        for mine, theirs in zip((values, logs), expected[:2], strict=True):
            torch.testing.assert_close(mine, theirs)
        for mine, theirs in zip(fast.evaluate_actions(observations, actions, masks), expected, strict=True):
            torch.testing.assert_close(mine, theirs)
        assert torch.equal(fast(observations, True, masks)[0], slow(observations, True, masks)[0])
        assert torch.equal(fast(observations, True)[0], slow(observations, True)[0])
        # Draws follow the probabilities: each of 64 rows 400 times.
        probabilities = slow.get_distribution(observations, masks).distribution.probs
        counts = torch.zeros_like(probabilities)
        for _ in range(400):
            drawn = fast(observations, action_masks=masks)[0]
            counts[torch.arange(64), drawn] += 1
    error = (counts / 400 - probabilities).abs()
    assert (error <= 5 * (probabilities * (1 - probabilities) / 400).sqrt() + 0.02).all()
    assert error[~torch.as_tensor(np.asarray(masks))].max() == 0


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "file"
    files.write_whole(target, b"before")

    def fail(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(files.os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        files.write_whole(target, b"after")
    assert target.read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
