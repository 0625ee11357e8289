"""The main job, small: it trains, writes whole checkpoints, resumes, and refuses what cannot be."""

import json
from pathlib import Path

import numpy as np
import pytest

import agents
from agents.checkpoint import read_checkpoint
from agents.files import write_whole
from respublica_env import Game, Rules
from train.ppo import main

SMALL = ["--num-envs", "8", "--rollout", "16", "--batch-size", "64", "--deals", "0", "--checkpoint-every", "128"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short run."""
    folder = tmp_path_factory.mktemp("run")
    assert main(["--steps", "256", "--out", str(folder), *SMALL]) == 0
    return folder


def test_run_leaves_checkpoint_config_and_logs(run: Path) -> None:
    rules, model = read_checkpoint(run / "last.zip")
    assert rules == Rules() and model.num_timesteps == 256
    assert json.loads((run / "config.json").read_text())["num_envs"] == 8
    assert list((run / "tensorboard").rglob("events*"))
    assert not [path for path in run.iterdir() if path.name.startswith(".")]


def test_policy_plays_legal_actions(run: Path) -> None:
    agent = agents.load(str(run / "last.zip"))
    game = Game(seed=5)
    rng = np.random.default_rng(0)
    for _ in range(60):
        game.step(agent.choose(game, game.player, rng))


def test_policy_refuses_other_rules(run: Path) -> None:
    agent = agents.load(str(run / "last.zip"))
    with pytest.raises(ValueError, match="num_players 4 not 3"):
        agent.check(Rules(num_players=3))


def test_resume_goes_on_from_the_checkpoint(run: Path, tmp_path: Path) -> None:
    (tmp_path / "last.zip").write_bytes((run / "last.zip").read_bytes())
    before = read_checkpoint(run / "last.zip")[1].policy.state_dict()
    assert main(["--steps", "512", "--out", str(tmp_path), "--resume", *SMALL]) == 0
    _, model = read_checkpoint(tmp_path / "last.zip")
    assert model.num_timesteps == 512
    after = model.policy.state_dict()
    assert any((before[name] != after[name]).any() for name in before)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--steps", "0"], "steps must be at least 1"),
        (["--resume"], "last.zip is not a checkpoint"),
        (["--opponents", "nobody"], "no opponent is named 'nobody'"),
        (["--reward", "glory"], "reward must be one of"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert main(["--out", str(folder), *SMALL, *arguments]) == 2
    assert reason in capsys.readouterr().err.strip().splitlines()[-1]
    assert not folder.exists()


def test_an_earlier_run_is_not_overwritten(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (run / "last.zip").read_bytes()
    assert main(["--steps", "256", "--out", str(run), *SMALL]) == 2
    assert "--resume" in capsys.readouterr().err
    assert (run / "last.zip").read_bytes() == before


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    target.write_text("before")

    def fail(path: Path) -> None:
        path.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(target, fail)
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]
