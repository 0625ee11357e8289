"""The commands around the tree search: the fit of its outlook, and the curve of its budgets."""

import json
from pathlib import Path

import numpy as np
import pytest

from respublica_env import Game
from respublica_env.engine import outlook
from respublica_env.engine.room import room_for_runs
from respublica_env.engine.state import make_spec
from train import fit_outlook, search_curve


def test_what_is_fitted_is_what_the_search_reckons_with() -> None:
    parts, waits, shares, numbers = fit_outlook.play(games=1, seed=4)
    assert len(parts) == len(waits) == len(shares) == len(numbers) > 20
    assert shares.sum(axis=1) == pytest.approx(1) and not numbers.any()
    expected = fit_outlook.chances(fit_outlook.PRESENT, parts, waits)
    game, rows, turn = Game(seed=4), [], -1
    while not game.terminated:
        if game.phase == "ANNOUNCE" and game.turn != turn:
            turn = game.turn
            rows.append(game.__getstate__()["row"])
        game.play_bot("trader")
    rows.append(game.__getstate__()["row"])
    out = np.zeros((len(rows), 4 * (1 + outlook.PARTS)))
    outlook.chances_rows(make_spec(game.rules), np.array(rows), room_for_runs(), out)
    assert np.allclose(out[:-1, :4], expected, rtol=1e-9, atol=0)  # the same sums in another order
    assert (out[-1, :4] == shares[0]).all()


def test_the_curve_has_a_point_for_each_budget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "curve.json"
    search_curve.main(["--budgets", "1", "3", "--rules", "mini", "--deals", "2", "--json", str(target)])
    results = json.loads(target.read_text())
    assert [result["agents"][0]["name"] for result in results] == ["search:1", "search:3"]
    assert all(result["games"] == 4 and result["agents"][1]["name"] == "trader" for result in results)
    assert "search:3" in capsys.readouterr().out


def test_the_speed_is_told_for_each_budget(capsys: pytest.CaptureFixture[str]) -> None:
    search_curve.main(["--speed", "--budgets", "2", "4", "--rules", "small", "--seed", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[1] for line in lines if line.startswith("search:")] == ["2", "4"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--budgets", "much"], "a search is named search:N"),
        (["--opponent", "nobody"], "no agent is named 'nobody'"),
        (["--speed", "--budgets", "5ms"], "--speed needs --budgets in simulations, got '5ms'"),
    ],
)
def test_what_cannot_be_played_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        search_curve.main(arguments)
    assert message in capsys.readouterr().err
