"""Approximate best responses: on a small game they are near the exact one, and never beyond it."""

import json
from pathlib import Path

import pytest

from agents import RandomAgent, load
from train import ppo
from train.best_response import main
from train.cli import read_rules
from train.exact import ExactGame, open_spiel, policies_of

ONE_TURN = Path(__file__).parents[2] / "train" / "rules" / "one_turn.json"
SMALL = ["--rules", str(ONE_TURN), "--reward", "win", "--deals", "40"]
UPDATE = 256 * 32


def steps_of(folder: Path) -> int:
    model = ppo.MaskablePPO.load(folder / "last.zip", device="cpu")
    return int(model.num_timesteps)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a response to random play."""
    folder = tmp_path_factory.mktemp("runs") / "response"
    main(["--agent", "random", "--out", str(folder), "--steps", str(3 * UPDATE), *SMALL])
    return folder


def test_it_wins_most_of_what_the_exact_one_wins(run: Path) -> None:
    exact = ExactGame(read_rules(str(ONE_TURN), 2))
    (uniform,) = (exact.table(probabilities) for probabilities in policies_of(RandomAgent()).values())
    best = exact.exploitability(uniform)
    plays = next(iter(policies_of(load(run)).values()))
    gain = exact.value_against(exact.table(plays), open_spiel().UniformRandomPolicy(exact.game))
    assert 0.7 * best < gain <= best + 1e-12
    found = json.loads((run / "best_response.json").read_text())
    assert found["gain_low"] <= gain <= found["gain_high"]  # the seeds are fixed: the interval holds the truth here
    assert found["gain"] == found["win_share"] - 0.5
    assert found["evaluation"]["games"] == 80
    assert [agent["name"] for agent in found["evaluation"]["agents"]] == ["best response", "random"]
    assert found["points_more"] > 0


def test_it_goes_on_and_ends_with_its_games(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "response"
    folder.mkdir()
    (folder / "last.zip").write_bytes((run / "last.zip").read_bytes())
    again = ["--agent", "random", "--out", str(folder), "--resume", "--deals", "40"]
    main(again)  # all has been learnt, but not what it wins
    assert (folder / "best_response.json").read_bytes() == (run / "best_response.json").read_bytes()
    main([*again, "--steps", str(4 * UPDATE)])
    assert steps_of(folder) == 4 * UPDATE
    assert "against random a policy was found" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agent", "nobody"], "no agent is named 'nobody'"),
        (["--agent", "random", "--out", "{run}"], "last.zip exists: go on from it with --resume, or choose another"),
        (["--agent", "random", "--resume", "--out", "{new}"], "there is nothing to resume:"),
        (["--agent", "greedy", "--resume", "--out", "{run}"], "is against random, not greedy"),
        (["--agent", "{run}", "--out", "{new}"], "was trained on other rules"),
        (["--agent", "random", "--deals", "0"], "deals must be from 1 to 1,000,000, got 0"),
        (["--agent", "random", "--steps", "0"], "steps must be at least 1, got 0"),
        (["--agent", "random", "--reward", "gold"], "reward must be one of 'win', 'points', 'margin', got 'gold'"),
        (["--agent", "random", "--rules", "none.json"], "rules must be a preset"),
        ([], "agent"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    arguments: list[str], message: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (run / "last.zip").read_bytes()
    places = {"{run}": str(run), "{new}": str(tmp_path / "new")}
    with pytest.raises(SystemExit) as stop:
        main([places.get(word, word) for word in arguments])
    error = capsys.readouterr().err
    assert (stop.value.code, error.count("\n")) == (2, 1)
    assert message in error
    assert (run / "last.zip").read_bytes() == before
    assert not list(tmp_path.iterdir())


def test_a_trained_agent_is_met_as_it_was_when_the_run_began(run: Path, tmp_path: Path) -> None:
    agent, folder = tmp_path / "agent.zip", tmp_path / "response"
    agent.write_bytes((run / "last.zip").read_bytes())
    main(["--agent", str(agent), "--out", str(folder), "--steps", str(UPDATE), *SMALL])
    agent.write_bytes(b"it has learnt more, or is being written")
    assert (folder / "frozen.zip").read_bytes() == (run / "last.zip").read_bytes()
    found = json.loads((folder / "best_response.json").read_text())
    assert [entry["name"] for entry in found["evaluation"]["agents"]] == ["best response", str(agent)]
