"""train.dqn where there is no Tianshou: what it refuses, and in which words. train/check_dqn.sh checks the rest."""

import sys
from pathlib import Path

import pytest

from train.config import read_options
from train.dqn import PROG, Dqn, check, main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--steps", "0"], "steps must be at least 1, got 0"),
        (["--minutes", "nan"], "minutes must be above 0 and below a million, got nan"),
        (["--explore", "1.5"], "explore must be from 0 to 1, got 1.5"),
        (["--replay", "100"], "replay must be at least 1664 (games * (rollout + horizon)), got 100"),
        (["--gradient-steps", "0"], "gradient_steps must be from 0.000976562 (1 / (games * rollout)) to 100, got 0.0"),
        (["--layers", "0"], "layers must be at least one whole number from 1 to 65536, got (0,)"),
        (["--opponents", "nobody"], "nobody"),
        (["--reward", "gold"], "reward must be one of 'win', 'points', 'margin', got 'gold'"),
        (["--seed", "-1"], "seed must be"),
        (["--rules", "none.json"], "rules must be a preset"),
        (["--out", "{taken}"], "policy.onnx exists: choose another --out"),
        (["--config", "{taken}/none.toml"], "--config must name a JSON or TOML file of options"),
        (["--epochs", "3"], "--epochs"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "policy.onnx").write_bytes(b"a policy")
    with pytest.raises(SystemExit) as stop:
        main(["--out", str(tmp_path / "new"), *(word.format(taken=taken) for word in arguments)])
    error = capsys.readouterr().err
    assert (stop.value.code, error.count("\n")) == (2, 1)
    assert message in error
    assert [path.name for path in tmp_path.rglob("*")] == ["taken", "policy.onnx"]


def test_where_there_is_no_tianshou_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tianshou", None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, "train.dqn_learner", raising=False)
    with pytest.raises(SystemExit) as stop:
        main(["--out", str(tmp_path / "run")])
    assert stop.value.code == 2
    assert capsys.readouterr().err == "train.dqn: it needs tianshou: pip install 'respublica-env[dqn]'\n"
    assert not list(tmp_path.iterdir())


def test_options_come_from_a_file_and_from_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "options.toml"
    path.write_text('opponents = ["greedy", "random"]\nhorizon = 3\nminutes = 2.5\n')
    options, given = read_options(["--config", str(path), "--horizon", "5"], Dqn, PROG, extra="dqn")
    assert (options.opponents, options.horizon, options.minutes) == (("greedy", "random"), 5, 2.5)
    assert given == {"config", "opponents", "horizon", "minutes"}
    assert check(options).num_players == 4
