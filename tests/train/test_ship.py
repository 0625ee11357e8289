"""The baseline of a run: its files, what they leave out, and that a run goes on from the shipped checkpoint."""

import csv
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sb3_contrib import MaskablePPO

import agents
from agents.policy import SHIPPED, read_checkpoint
from train import ppo, ship
from train.ship import main

UPDATE = 8 * 16
SMALL = ["--games", "8", "--rollout", "16", "--batch-size", "64", "--layers", "16", "--deals", "0", "--rules", "small"]
LEAGUE = ["--present", "0.3", "--past", "0.4", "--past-every", str(4 * UPDATE)]
FILES = ["curve.csv", "curve.png", "last.zip", "ppo.onnx", "ppo.zip"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose best policy is not its last."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    found = iter([0.5, 0.9, 0.3, 0.2])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ppo.Run, "check", lambda _: {"shares": {"random": 1.0, "greedy": next(found)}, "deals": 4})
        checks = ["--check-every", str(5 * UPDATE)]
        ppo.main(["--steps", str(20 * UPDATE), "--out", str(folder), *checks, *SMALL, *LEAGUE])
    return folder


@pytest.fixture(scope="module")
def shipped(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shipped") / "weights"
    main([str(run), "--out", str(folder)])
    return folder


def test_the_best_policy_is_shipped(run: Path, shipped: Path) -> None:
    assert sorted(path.name for path in shipped.iterdir()) == FILES
    metadata, weights = read_checkpoint(shipped / "ppo.zip")
    best, expected = read_checkpoint(run / "best.zip")
    assert metadata["steps"] == best["steps"] == 10 * UPDATE
    assert weights.keys() == expected.keys()
    assert all((weights[name] == expected[name]).all() for name in weights)
    rules = agents.load(shipped / "ppo.zip").rules
    rows = np.random.default_rng(0).random((50, rules.observation_size), np.float32)
    found = [agents.load(shipped / name).scores(rows) for name in ("ppo.zip", "ppo.onnx")]
    np.testing.assert_allclose(*found, rtol=1e-5, atol=1e-5)
    assert MaskablePPO.load(shipped / "last.zip", device="cpu").num_timesteps == 20 * UPDATE


def test_the_curve_has_every_check(run: Path, shipped: Path) -> None:
    with (shipped / "curve.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    checks = json.loads((run / "curve.json").read_text())["checks"]
    assert [list(row) for row in rows] == [["decisions", "seconds", "deals", "greedy", "random"]] * 4
    for row, check in zip(rows, checks, strict=True):
        assert (int(row["decisions"]), int(row["seconds"])) == (check["steps"], round(check["seconds"]))
        assert {name: float(row[name]) for name in ("greedy", "random")} == check["shares"]
    assert (shipped / "curve.png").read_bytes() == (run / "curve.png").read_bytes()


def test_a_run_goes_on_from_the_shipped_checkpoint_as_from_its_own(run: Path, shipped: Path, tmp_path: Path) -> None:
    results = []
    for source in (run, shipped):
        folder = tmp_path / source.name
        folder.mkdir()
        (folder / "last.zip").write_bytes((source / "last.zip").read_bytes())
        ppo.main(["--out", str(folder), "--resume", "--steps", str(24 * UPDATE), "--check-every", "0"])
        metadata, weights = read_checkpoint(folder)
        assert metadata["steps"] == 24 * UPDATE
        results.append({name: values.tobytes() for name, values in weights.items()})
    assert results[0] == results[1]
    assert results[0] != {name: values.tobytes() for name, values in read_checkpoint(run)[1].items()}


def test_a_run_goes_on_from_the_baseline_of_this_clone(tmp_path: Path) -> None:
    (tmp_path / "last.zip").write_bytes(SHIPPED.with_name("last.zip").read_bytes())
    before = read_checkpoint(tmp_path)[0]
    more = ["--steps", str(before["steps"] + 1), "--minutes", "99999", "--check-every", "0", "--deals", "0"]
    ppo.main(["--out", str(tmp_path), "--resume", *more])
    assert read_checkpoint(tmp_path)[0]["steps"] > before["steps"]


def test_no_path_is_shipped_and_the_bytes_are_the_same_again(run: Path, shipped: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(run / "best.zip") as archive:
        assert str(run).encode() in archive.read("respublica.json")
    with zipfile.ZipFile(run / "last.zip") as archive:
        members = set(archive.namelist())
    for name, kept in (("ppo.zip", {"respublica.json", "policy.npz"}), ("last.zip", members - {"system_info.txt"})):
        with zipfile.ZipFile(shipped / name) as archive:
            assert set(archive.namelist()) == kept
            assert not any(str(run.parent).encode() in archive.read(member) for member in archive.namelist())
    main([str(run), "--out", str(tmp_path)])
    assert all((tmp_path / name).read_bytes() == (shipped / name).read_bytes() for name in FILES)


def test_without_checks_the_last_policy_is_shipped(tmp_path: Path) -> None:
    ppo.main(["--steps", str(UPDATE), "--out", str(tmp_path / "run"), *SMALL])
    main([str(tmp_path / "run"), "--out", str(tmp_path / "weights")])
    assert read_checkpoint(tmp_path / "weights" / "ppo.zip")[0]["steps"] == UPDATE
    assert (tmp_path / "weights" / "curve.csv").read_text() == "decisions,seconds,deals\n"


def test_what_cannot_be_shipped_is_refused_and_nothing_is_written(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(folder: Path, out: Path) -> str:
        with pytest.raises(SystemExit, match="2"):
            main([str(folder), "--out", str(out)])
        said = capsys.readouterr().err
        assert said.startswith("train.ship: ") and said.count("\n") == 1
        return said

    out = tmp_path / "weights"
    assert "is no checkpoint of train.ppo" in refused(tmp_path / "nowhere", out)
    (tmp_path / "file").touch()
    assert "cannot be made" in refused(run, tmp_path / "file")
    (tmp_path / "full" / "curve.csv").mkdir(parents=True)
    assert "--out must name a file that can be written" in refused(run, tmp_path / "full")
    monkeypatch.setattr(ship, "MOST_BYTES", 1_000)
    assert "at most 1,000 may come with the clone" in refused(run, out)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["curve.csv", "file", "full"]
