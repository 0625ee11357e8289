"""Exact solutions of a small game, and agents beside them: a tree of one turn, which takes a second to walk."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import respublica_env.open_spiel  # noqa: F401  (registers the game)
from agents import PolicyAgent, RandomAgent, load
from agents.base import GameAgent, ObservationAgent
from respublica_env import Game, Rules
from respublica_env.envs.chance import Moment, nodes
from train.cli import read_rules
from train.exact import ExactGame, open_spiel, policies_of
from train.ppo import main as train_ppo
from train.solve_mini import main, sizes

ROOT = Path(__file__).parents[2]
ONE_TURN = ROOT / "train" / "rules" / "one_turn.json"
RULES = read_rules(str(ONE_TURN), 2)


@pytest.fixture(scope="module")
def exact() -> ExactGame:
    return ExactGame(RULES)


class Lopsided(ObservationAgent):
    """Plays the last legal action in a third of the cases and the first in the others, whoever asks."""

    name = "lopsided"

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        first, last = action_masks.argmax(axis=1), action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)
        return np.where(rng.random(len(observations)) < 1 / 3, last, first)


class First(GameAgent):
    """Always the first legal action."""

    name = "first"

    def choose(self, game: Game, seat: int, rng: np.random.Generator) -> int:
        del seat, rng
        return int(game.legal_actions()[0])


def test_the_rules_that_ship_are_those_of_the_documented_trees() -> None:
    assert Rules.mini(copies=4, hand_size=4, max_turns=1, max_draw=2) == RULES
    assert read_rules(str(ONE_TURN.with_name("monuments.json")), 4) == Rules.mini(copies=4, hand_size=4)


def test_an_agent_is_the_same_player_on_the_tree_as_in_the_game(exact: ExactGame) -> None:
    """A policy that weighs actions by their number is worth the same on OpenSpiel's own walk through the game."""

    def weights(moment: Moment) -> np.ndarray:
        numbers = 1.0 + np.array(moment.legal) % 7
        return numbers / numbers.sum()

    table = exact.table(lambda moments: [weights(moment) for moment in moments])
    solution = open_spiel().UniformRandomPolicy(exact.game)

    def value(moment: Moment, seat: int) -> float:
        if moment.player == -1:
            total = sum(count for _, count in moment.outcomes())
            return sum(count / total * value(moment.after(card), seat) for card, count in moment.outcomes())
        if not moment.legal:
            return moment.returns("win")[seat]
        even = np.full(len(moment.legal), 1 / len(moment.legal))
        chances = weights(moment) if moment.player == seat else even
        return sum(
            chance * value(moment.after(action), seat) for action, chance in zip(moment.legal, chances, strict=True)
        )

    first = Moment.first(RULES)
    assert exact.value_against(table, solution) == pytest.approx((value(first, 0) + value(first, 1)) / 2, abs=1e-12)


def test_a_seat_sees_the_same_at_every_node_of_an_information_set(exact: ExactGame) -> None:
    """So that one node of each set is enough to ask an agent."""
    sets = [dict(zip(*each, strict=True)) for each in zip(exact.tree.information_sets, exact.tree.moments, strict=True)]
    for moment in nodes(Moment.first(RULES)):
        if moment.player >= 0:
            first = sets[moment.player][moment.told(moment.player)]
            assert moment.legal == first.legal
            assert (moment.game.observation(moment.player) == first.game.observation(moment.player)).all()


def test_random_is_the_uniform_policy(exact: ExactGame) -> None:
    (probabilities,) = policies_of(RandomAgent()).values()
    uniform = open_spiel().UniformRandomPolicy(exact.game)
    assert exact.exploitability(exact.table(probabilities)) == pytest.approx(exact.exploitability(uniform), abs=1e-12)


def test_agents_that_leave_something_to_chance_are_asked_often(exact: ExactGame) -> None:
    moments = list(exact.moments.values())
    for found in policies_of(Lopsided(), 400)["lopsided"](moments):
        # Six standard deviations of a share of 400 draws: of 917 sets none is farther off.
        assert found[-1] == pytest.approx(1 / 3, abs=6 * np.sqrt(2 / 9 / 400))
        assert found[0] == pytest.approx(1 - found[-1])
    for found in policies_of(First(), 3)["first"](moments):
        assert found.tolist() == [1] + [0] * (len(found) - 1)


def test_the_solution_beats_what_it_is_given(tmp_path: Path) -> None:
    file, figure = tmp_path / "result.json", tmp_path / "curves.png"
    arguments = ["--rules", str(ONE_TURN), "--iterations", "50", "--sampled", "1000", "--agents", "random", "greedy"]
    main([*arguments, "--json", str(file), "--plot", str(figure)])
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curves.png", "result.json"]
    result = json.loads(file.read_text())
    assert (result["nodes"], result["decisions"], result["information_sets"]) == (8_701, 3_784, 917)
    assert [point["iterations"] for point in result["solvers"]["cfr+"]] == [1, 2, 5, 10, 20, 50]
    last = {name: points[-1]["exploitability"] for name, points in result["solvers"].items()}
    assert last["cfr+"] < last["cfr"] < result["solvers"]["cfr"][0]["exploitability"] / 10
    assert last["mccfr"] < result["solvers"]["mccfr"][0]["exploitability"] / 5
    assert result["solution"]["solver"] == "cfr+"
    for entry in result["agents"]:
        # Nobody earns more against the solution than it is exploitable, and nobody is hurt beyond the best response.
        assert -entry["exploitability"] - last["cfr+"] <= entry["against_solution"] <= last["cfr+"]
    assert result["agents"][0]["exploitability"] > result["agents"][1]["exploitability"] > last["cfr+"]


def test_a_learnt_policy_is_judged_as_it_plays_and_as_it_learns(exact: ExactGame, tmp_path: Path) -> None:
    run = tmp_path / "run"
    small = ["--games", "8", "--rollout", "16", "--layers", "8", "--batch-size", "64", "--steps", "256", "--deals", "0"]
    train_ppo(["--rules", str(ONE_TURN), "--opponents", "random", "--out", str(run), *small])
    agent = load(run)
    assert isinstance(agent, PolicyAgent)
    moments = list(exact.moments.values())
    plays, sampled = (probabilities(moments) for probabilities in policies_of(agent).values())
    for one, many in zip(plays, sampled, strict=True):
        assert sorted(one)[-2:] == [0, 1] if len(one) > 1 else [1]
        assert many.sum() == pytest.approx(1)
        assert one.argmax() == many.argmax()
        assert (many > 0).all()


def test_a_solver_ends_with_its_seconds(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    main(["--rules", str(ONE_TURN), "--solvers", "mccfr", "--agents", "--seconds", "1e-9", "--json", str(file)])
    (point,) = json.loads(file.read_text())["solvers"]["mccfr"]
    assert point["iterations"] == 0


def test_the_points_of_a_curve() -> None:
    assert list(sizes(1)) == [1]
    assert list(sizes(60)) == [1, 2, 5, 10, 20, 50, 60]
    assert list(sizes(100_000)) == [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rules", "three.json"], "the rules must be for 2 players, got 3"),
        (["--rules", "standard"], "the tree has more than 1,000 nodes: choose smaller rules"),
        (["--reward", "points"], "reward must be one of win, margin, which are zero-sum, got 'points'"),
        (["--solvers", "lp"], "solvers must be of cfr, cfr+, mccfr, mccfr-outcome, got 'lp'"),
        (["--solvers"], "solvers must name at least one"),
        (["--agents", "random", "random"], "agents must name each once, got random, random"),
        (["--agents", "nobody"], "no agent is named 'nobody'"),
        (["--iterations", "0"], "iterations must be from 1 to 1,000,000,000, got 0"),
        (["--seconds", "nan"], "seconds must be above 0, got nan"),
        (["--seed", "-1"], "seed must be from 0 to 2**31 - 1 (OpenSpiel takes no other), got -1"),
        (["--plot", "curves.doc"], "--plot must name a file that ends in .png, .svg, .pdf, got curves.doc"),
        (["--json", "nowhere/result.json"], "--json must name a file that can be written, got 'nowhere/result.json'"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "three.json").write_text('{"num_players": 3}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("train.exact.MOST_NODES", 1_000)
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    error = capsys.readouterr().err
    assert (stop.value.code, error.count("\n")) == (2, 1)
    assert error.startswith("train.solve_mini: ")
    assert message in error


def test_without_openspiel_one_line_says_what_is_missing() -> None:
    hidden = "import sys; sys.modules['pyspiel'] = None; from train.solve_mini import main; main([])"
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "pip install 'respublica-env[openspiel]'" in done.stderr
