"""A run survives: it goes on to the same weights, whatever ended it, and its folder is enough to repeat it."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from train import config, ppo
from train.config import Train, read_options
from train.ppo import main

UPDATE = 8 * 16
LEAGUE = [
    *("--games", "8", "--rollout", "16", "--batch-size", "64", "--layers", "16", "--save-every", str(UPDATE)),
    *("--present", "0.3", "--past", "0.4", "--past-every", str(8 * UPDATE), "--rules", "small", "--deals", "0"),
]
UPDATES = 30
STEPS = ["--steps", str(UPDATES * UPDATE)]


def weights(folder: Path, name: str = "last.zip") -> dict[str, bytes]:
    with zipfile.ZipFile(folder / name) as archive, archive.open("policy.npz") as file:
        return {name: values.tobytes() for name, values in np.load(file).items()}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a league that nothing disturbed."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    main(["--out", str(folder), *STEPS, *LEAGUE])
    return folder


def test_killed_runs_go_on_to_the_same_weights(run: Path, tmp_path: Path) -> None:
    """Killed as soon as there is a checkpoint, and again a little later."""
    folder = tmp_path / "run"
    root = Path(ppo.__file__).parents[1]
    for attempt in ([*STEPS, *LEAGUE], ["--resume"]):
        before = (folder / "last.zip").stat().st_mtime_ns if (folder / "last.zip").exists() else 0
        process = subprocess.Popen([sys.executable, "-m", "train.ppo", "--out", str(folder), *attempt], cwd=root)
        while process.poll() is None:
            if (folder / "last.zip").exists() and (folder / "last.zip").stat().st_mtime_ns > before:
                break
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
    (folder / ".last.zip.1.tmp").write_bytes(b"what a killed run leaves")
    steps = json.loads(zipfile.ZipFile(folder / "last.zip").read("respublica.json"))["steps"]
    assert UPDATE <= steps < UPDATES * UPDATE
    main(["--out", str(folder), "--resume"])
    assert weights(folder) == weights(run)
    assert not list(folder.glob(".*.tmp"))
    assert len(json.loads((folder / "about.json").read_text())) >= 2


def test_a_full_disk_is_one_line_and_leaves_the_last_checkpoint(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "_git", lambda *_: "")  # a long diff would not fit either
    before = (run / "last.zip").read_bytes()
    (tmp_path / "last.zip").write_bytes(before)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, limits[1]))
    try:
        with pytest.raises(SystemExit) as stop:
            main(["--out", str(tmp_path), "--resume", "--steps", str((UPDATES + 4) * UPDATE)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    said = capsys.readouterr().err
    assert stop.value.code == 2 and said.count("\n") == 1
    assert "cannot be written (File too large); the one before it is whole" in said
    assert (tmp_path / "last.zip").read_bytes() == before
    assert not list(tmp_path.glob(".*.tmp"))


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit):
        main(["--out", str(tmp_path / "file" / "run"), *STEPS, *LEAGUE])
    assert "file/run cannot be made: Not a directory" in capsys.readouterr().err


def test_a_folder_is_enough_to_repeat_the_run(run: Path, tmp_path: Path) -> None:
    main(["--config", str(run / "config.json"), "--out", str(tmp_path / "again")])
    assert weights(tmp_path / "again") == weights(run)
    again = json.loads((tmp_path / "again" / "config.json").read_text())
    assert again == json.loads((run / "config.json").read_text())


def test_the_league_of_a_run_has_past_selves(run: Path) -> None:
    games, progress = ppo.read_games(run / "last.zip")
    assert [member.name for member in games.league.past] == [f"self at {i * 8 * UPDATE:,}" for i in (1, 2, 3)]
    assert progress.past_at == 24 * UPDATE
    assert sum(member.games for member in games.league.past) > 0


def test_options_come_from_files_below_the_command_line(tmp_path: Path) -> None:
    for name, text in (
        ("run.toml", 'steps = 500\nopponents = ["greedy"]\nreward = "win"\nlearning_rate = 1e-4\nlayers = [8, 9]\n'),
        (
            "run.json",
            '{"steps": 500, "opponents": ["greedy"], "reward": "win", "learning_rate": 1e-4, "layers": [8, 9]}',
        ),
    ):
        path = tmp_path / name
        path.write_text(text)
        options, given = read_options(["--config", str(path), "--reward=margin", "--layers", "7"], Train, config.PROG)
        expected = Train(path, steps=500, opponents=("greedy",), reward="margin", learning_rate=1e-4, layers=(7,))
        assert options == expected
        assert given == {"config", "steps", "opponents", "reward", "learning_rate", "layers"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"step": 5}', "it holds 'step'"),
        ('{"steps": "many"}', "--steps"),
        ("[1]", "it holds no object"),
        ("{", "must name a JSON or TOML file"),
        ('{"out": "x"}', "it holds 'out'"),
    ],
)
def test_bad_files_are_refused_in_one_line(
    text: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(SystemExit) as stop:
        main(["--config", str(path), "--out", str(tmp_path / "run")])
    said = capsys.readouterr().err
    assert stop.value.code == 2 and said.count("\n") == 1 and reason in said
    assert os.listdir(tmp_path) == ["run.json"]


def test_a_run_ends_after_its_minutes_and_goes_on_when_given_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    main(["--out", str(folder), "--minutes", "1e-9", *STEPS, *LEAGUE])
    assert ppo.read_settings(folder / "last.zip")[1] == 0
    with pytest.raises(SystemExit):
        main(["--out", str(folder), "--resume"])
    assert "has had its 1e-09 minutes" in capsys.readouterr().err
    main(["--out", str(folder), "--resume", "--minutes", "999"])
    assert ppo.read_settings(folder / "last.zip")[1] == UPDATES * UPDATE
    assert not (folder / "evaluation.json").exists()  # --deals 0 was said when the run began


def test_the_best_of_the_checks_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the last judge, whatever the others say."""
    found = iter([(0.9, 0.2), (0.1, 0.6), (0.95, 0.5), (0.9, 0.6)])
    monkeypatch.setattr(
        ppo.Run, "check", lambda _: {"shares": dict(zip(("random", "greedy"), next(found), strict=True)), "deals": 1}
    )
    folder = tmp_path / "run"
    main(["--out", str(folder), "--check-every", str(8 * UPDATE), *STEPS, *LEAGUE])
    assert ppo.read_settings(folder / "best.zip")[1] == 16 * UPDATE
    curve = json.loads((folder / "curve.json").read_text())
    assert [check["steps"] for check in curve["checks"]] == [8 * UPDATE, 16 * UPDATE, 24 * UPDATE, 30 * UPDATE]
    assert curve["best"] == 0.6


def test_a_check_plays_all_its_deals_against_every_judge(run: Path) -> None:
    options = Train(
        out=run, rules="small", games=8, rollout=16, layers=(16,), check_deals=7, judges=("random", "greedy")
    )
    found = ppo.Run(options, run, None).check()
    assert found["deals"] == 7
    assert list(found["shares"]) == ["random", "greedy"]
    agent = ppo.PolicyAgent.load(run)
    agent.name = "ppo"
    whole = ppo.evaluate([agent, "greedy"], agent.rules, 7, ppo.CHECK_SEED)
    assert found["shares"]["greedy"] == pytest.approx(whole["agents"][0]["win_share"], abs=1e-4)


def test_presets_hold_options_that_can_be() -> None:
    presets = sorted((Path(ppo.__file__).parent / "configs").iterdir())
    assert presets
    for preset in presets:
        config.check(read_options(["--config", str(preset)], Train, config.PROG)[0])
