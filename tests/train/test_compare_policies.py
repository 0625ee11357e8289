"""The comparison of policies: every run is trained once, and played against every judge."""

import json
from pathlib import Path

import pytest

from train import compare_policies, ppo
from train.compare_policies import main

ARGUMENTS = ["--minutes", "1e-9", "--seeds", "2", "--opponents", "random", "--judges", "random", "greedy"]


def fixed_shares(agents: list, *_: object) -> dict:
    """Instead of many games: the policy's share of the win by its judge."""
    return {
        "agents": [{"name": agents[1], "win_share": 0.0}, {"name": agents[0].name, "win_share": len(agents[1]) / 10}]
    }


def test_a_table_of_all_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = []
    train = ppo.train
    monkeypatch.setattr(ppo, "train", lambda run, *more: (trained.append((run.policy, run.seed)), train(run, *more)))
    monkeypatch.setattr(compare_policies, "evaluate", fixed_shares)
    for _ in range(2):  # the second time there is nothing left to train
        main(["--out", str(tmp_path), "--deals", "2", *ARGUMENTS])
    assert sorted(trained) == [("mlp", 0), ("mlp", 1), ("shared", 0), ("shared", 1)]
    result = json.loads((tmp_path / "compare.json").read_text())
    assert [(run["policy"], run["seed"]) for run in result["runs"]] == trained
    assert all(run["shares"] == {"random": 0.6, "greedy": 0.6} for run in result["runs"])
    table = capsys.readouterr().out
    assert "mlp" in table and "shared" in table and "0.600 (0.600, 0.600)" in table


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, said in ((["--seeds", "0"], "seeds must be at least 1"), (["--minutes", "-1"], "minutes must be")):
        with pytest.raises(SystemExit):
            main(["--out", str(tmp_path / "x"), *arguments])
        error = capsys.readouterr().err
        assert said in error and error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_runs_differ_in_policy_and_seed_only() -> None:
    options = compare_policies.Compare()
    runs = [compare_policies.run_options(options, policy, 1) for policy in ("mlp", "shared")]
    differing = {name for name in vars(runs[0]) if getattr(runs[0], name) != getattr(runs[1], name)}
    assert differing == {"policy", "out"}
