"""Trees in EFG format are the same game as `python_respublica`, and OpenSpiel's exact solvers run on them."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import external_sampling_mccfr

import respublica_env.open_spiel  # noqa: F401  (registers the game)
from respublica_env import Rules
from respublica_env.envs.efg import Tree, game_tree

# One turn, but a seat may build two cities in it, draw two technology cards, and build a monument at the end.
MONUMENTS = {"copies": 4, "hand_size": 4, "max_turns": 1, "max_draw": 2}


@pytest.fixture(scope="module")
def mini() -> Tree:
    return game_tree(Rules.mini())


def uniform_value(game: pyspiel.Game, by_string: bool) -> list[float]:
    return pyspiel.expected_returns(game.new_initial_state(), pyspiel.UniformRandomPolicy(game), -1, by_string)


def actions_by_information_set(game: pyspiel.Game) -> dict[str, list[int]]:
    """OpenSpiel's own numbers for the actions of each information set of a tree."""
    found = {}
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if state.is_player_node():
            found[state.information_state_string()] = state.legal_actions()
        waiting += [state.child(action) for action in state.legal_actions()]
    return found


def policy_on(tree: Tree, game: pyspiel.Game, policy: Callable[[str, int], Any]) -> dict[str, list[tuple[int, float]]]:
    """A policy by information state string (and number of actions), as one of the tree."""
    actions = actions_by_information_set(game)
    moved = {}
    for player, sets in enumerate(tree.information_sets):
        for number, told in enumerate(sets, 1):
            name = f"{player}-{player}-{number}-"
            moved[name] = list(zip(actions[name], policy(told, len(actions[name])), strict=True))
    return moved


def test_the_tree_of_mini(mini: Tree) -> None:
    assert (mini.decisions, mini.chances, mini.ends) == (45_042, 845, 50_602)
    assert [len(sets) for sets in mini.information_sets] == [5_529, 8_860]
    game = pyspiel.load_efg_game(mini.text)
    assert game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    assert game.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION


def test_mccfr_on_mini_becomes_less_exploitable(mini: Tree) -> None:
    # Each iteration sees one of the 20 deals, and a hand of nature's later cards.
    np.random.seed(0)  # noqa: NPY002 - the solver draws from it
    tree = pyspiel.load_efg_game(mini.text)
    solver = external_sampling_mccfr.ExternalSamplingSolver(pyspiel.load_game("python_respublica(preset=mini)"))

    def average(told: str, actions: int) -> np.ndarray:
        sums = solver._infostates.get(told, (None, np.ones(actions)))[1]
        return sums / sums.sum()

    before = pyspiel.exploitability(tree, policy_on(mini, tree, average))
    for _ in range(100):
        solver.iteration()
    assert pyspiel.exploitability(tree, policy_on(mini, tree, average)) < 0.95 * before


def test_cfr_solves_a_game_with_monuments() -> None:
    written = game_tree(Rules.mini(**MONUMENTS), reward="margin")
    assert (written.nodes, written.decisions) == (8_701, 3_784)
    assert any("convert Metalworking" in told for told in written.text.splitlines())
    game = pyspiel.load_efg_game(written.text)
    solver = pyspiel.CFRPlusSolver(game)
    before = pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game))
    for _ in range(100):
        solver.evaluate_and_update_policy()
    after = pyspiel.nash_conv(game, solver.average_policy())
    assert after == pytest.approx(2 * pyspiel.exploitability(game, solver.average_policy()))
    assert after < before / 50


@pytest.mark.parametrize("reward", ["win", "points", "margin"])
@pytest.mark.parametrize(
    "changes", [{"copies": 2}, {"num_players": 3, "hand_size": 1}, {"hand_size": 1, "wildcards": True}]
)
def test_values_agree_with_the_game_in_python(reward: str, changes: dict[str, Any]) -> None:
    params = {"preset": "mini", "max_turns": 1} | changes
    game = pyspiel.load_game("python_respublica", params | {"reward": reward})
    tree = pyspiel.load_efg_game(game_tree(game.rules, reward).text)
    assert uniform_value(tree, True) == uniform_value(game, False)
    if reward == "win":
        assert sum(uniform_value(tree, True)) == pytest.approx(0, abs=1e-12)


def test_information_sets_are_the_information_state_strings() -> None:
    game = pyspiel.load_game("python_respublica(preset=mini,max_turns=1)")
    written = game_tree(game.rules, names=True)
    tree = pyspiel.load_efg_game(written.text)
    waiting = [(game.new_initial_state(), tree.new_initial_state())]
    while waiting:
        state, node = waiting.pop()
        assert state.current_player() == node.current_player()
        player = state.current_player()
        if player >= 0:
            told = state.information_state_string()
            number = written.information_sets[player].index(told) + 1
            assert node.information_state_string() == f"{player}-{player}-{number}-{told}"
        # OpenSpiel numbers the actions of a tree anew; they come in the same order.
        for action, at_node in zip(state.legal_actions(), node.legal_actions(), strict=True):
            assert state.action_to_string(action) == node.action_to_string(at_node)
            waiting.append((state.child(action), node.child(at_node)))


def test_a_tree_that_is_too_large_is_refused() -> None:
    with pytest.raises(ValueError, match="the tree has more than 1,000 nodes: choose smaller rules"):
        game_tree(Rules.mini(), most_nodes=1_000)
    assert game_tree(Rules.mini(**MONUMENTS), most_nodes=8_701).nodes == 8_701


# -- the command


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-W", "error", "-m", "respublica_env.envs.efg", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def test_the_command_writes_a_file_that_openspiel_loads(tmp_path: Path) -> None:
    file = tmp_path / "monuments.efg"
    done = command(str(file), "preset=mini", *(f"{name}={value}" for name, value in MONUMENTS.items()))
    assert done.returncode == 0, done.stderr
    assert "8,701 nodes (3,784 decisions in 619 + 298 information sets, 15 of chance, 4,902 ends)" in done.stdout
    assert file.read_text() == game_tree(Rules.mini(**MONUMENTS)).text
    game = pyspiel.load_game(f"efg_game(filename={file})")
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["preset=huge"], "preset must be one of standard, mini, small, got 'huge'"),
        (["mini"], "rules are given as field=value, such as preset=mini"),
        (["preset=mini", "hand=3"], "rules have no field 'hand'; there are: preset, num_players,"),
        (["preset=mini", "max_turns=two"], "max_turns must be a whole number, got 'two'"),
        (["preset=mini", "wildcards=1"], "wildcards must be True or False, got '1'"),
        (["preset=mini", "--reward", "money"], "reward must be one of 'win', 'points', 'margin', got 'money'"),
        (["preset=mini", "--most-nodes", "100"], "the tree has more than 100 nodes: choose smaller rules"),
    ],
)
def test_the_command_refuses_bad_input_in_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = command(str(tmp_path / "tree.efg"), *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_where_it_cannot_write(tmp_path: Path) -> None:
    done = command(str(tmp_path / "nowhere" / "tree.efg"), "preset=mini", "max_turns=1")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "nowhere" in done.stderr
