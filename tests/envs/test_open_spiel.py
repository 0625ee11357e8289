"""`python_respublica` passes OpenSpiel's own tests, and is the game that its parameters say."""

import pickle
import subprocess
import sys
import unittest
from typing import Any

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from open_spiel.integration_tests import api_test
from open_spiel.python import observation, rl_environment
from open_spiel.python.tests import games_sim_test

import respublica_env.open_spiel
from respublica_env import Rules, observation_layout
from respublica_env.envs.open_spiel import DEFAULTS_FOLLOW, PARAMETERS, ResPublicaGame
from respublica_env.envs.open_spiel import given as given_parameters
from respublica_env.observation import blocks
from tests.strategies import SEEDS, rules

MINI = "python_respublica(preset=mini)"
TINY = "python_respublica(preset=mini,max_turns=1)"
GAMES = [
    MINI,
    "python_respublica(num_players=3,max_turns=6)",
    "python_respublica(preset=small,max_turns=6,auto_forced=False,reward=points)",
    "python_respublica(num_players=5,set_size=2,copies=4,hand_size=2,optional_draw=True,max_turns=12,reward=margin)",
]


def load(name: str, **params: Any) -> ResPublicaGame:
    return pyspiel.load_game(name, params) if params else pyspiel.load_game(name)


def parameters(rule_set: Rules) -> dict[str, Any]:
    """All fields of the rules as parameters."""
    values = rule_set.to_dict()
    return values | {"monument_points": " ".join(map(str, values["monument_points"]))}


def state_at(game: ResPublicaGame, seed: int, steps: int) -> pyspiel.State:
    """A state that many random choices after the deal; as far as it goes."""
    rng = np.random.default_rng(seed)
    state = game.new_initial_state()
    while not state.is_terminal() and (state.moment.game is None or steps > 0):
        steps -= state.moment.game is not None
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


# -- OpenSpiel's own tests


@pytest.mark.parametrize("name", GAMES)
def test_random_simulations_with_serialisation(name: str) -> None:
    pyspiel.random_sim_test(load(name), num_sims=4, serialize=True, verbose=False)


def test_random_simulation_of_the_published_game() -> None:
    pyspiel.random_sim_test(load("python_respublica"), num_sims=1, serialize=False, verbose=False)


@settings(deadline=None, max_examples=15)
@given(rules())
def test_random_simulations_of_any_game(rule_set: Rules) -> None:
    game = load("python_respublica", **parameters(rule_set))
    assert game.rules == rule_set
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("name", GAMES)
def test_the_python_simulation_test(name: str) -> None:
    games_sim_test.GamesSimTest().sim_game(load(name))


@pytest.mark.parametrize("recall", [False, True])
@pytest.mark.parametrize("public", [False, True])
def test_random_simulation_with_an_observer(public: bool, recall: bool) -> None:
    game = load(MINI)
    for private in (pyspiel.PrivateInfoType.NONE, pyspiel.PrivateInfoType.SINGLE_PLAYER):
        kind = pyspiel.IIGObservationType(public_info=public, perfect_recall=recall, private_info=private)
        observer = game.make_observer(kind, {})
        pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False, observer=observer)


# The others of its tests of a whole tree need an information state tensor, or the tree's size in a table.
OF_A_WHOLE_TREE = [
    "test_constant_sum",
    "test_current_player_returns_terminal_player_on_terminal_nodes",
    "test_information_state_functions_raises_on_chance_nodes",
    "test_information_state_no_argument_raises_on_terminal_nodes",
    "test_legal_actions_empty",
]


@pytest.mark.parametrize("name", [TINY, "python_respublica(preset=mini,num_players=4,hand_size=1,max_turns=1)"])
def test_the_python_api_tests(name: str) -> None:
    class Whole(api_test.EnforceAPIOnFullTreeBase):
        game_name, game = name, load(name)

    class Part(api_test.EnforceAPIOnPartialTreeBase):
        game_name, game = name, load(name)

    tests = unittest.TestSuite([*map(Whole, OF_A_WHOLE_TREE), unittest.TestLoader().loadTestsFromTestCase(Part)])
    result = unittest.TestResult()
    tests.run(result)
    assert result.testsRun == len(OF_A_WHOLE_TREE) + 5
    assert result.errors + result.failures == []


def test_the_reinforcement_learning_environment_plays_a_game() -> None:
    env = rl_environment.Environment(load("python_respublica(num_players=3,max_turns=4)"))
    env.seed(1)
    step = env.reset()
    while not step.last():
        player = step.current_player()
        assert len(step.observations["info_state"][player]) == Rules(num_players=3).observation_size
        step = env.step([step.observations["legal_actions"][player][-1]])
    assert sum(step.rewards) == pytest.approx(0)


# -- parameters


@pytest.mark.parametrize(
    ("name", "rule_set"),
    [
        ("python_respublica", Rules()),
        ("python_respublica(num_players=3)", Rules(num_players=3)),
        (MINI, Rules.mini()),
        ("python_respublica(preset=mini,wildcards=True)", Rules.mini(wildcards=True)),
        ("python_respublica(auto_forced=True,copies=12,preset=mini)", Rules.mini(copies=12)),
        ("python_respublica(monument_points=9 8 8,preset=small)", Rules.small(monument_points=(9, 8, 8))),
        ("python_respublica(monument_points=4 )", Rules(monument_points=(4,))),
    ],
)
def test_a_preset_and_fields_that_change_it(name: str, rule_set: Rules) -> None:
    game = load(name)
    assert game.rules == rule_set
    for again in (load(str(game)), pickle.loads(pickle.dumps(game))):
        assert again.rules == rule_set
        assert str(again) == str(game)


def test_a_pile_of_one_monument_reads_back() -> None:
    game = load("python_respublica", preset="mini", monument_points="7")
    assert load(str(game)).rules == game.rules == Rules.mini(monument_points=(7,))


def test_parameters_that_were_given_are_told_from_defaults() -> None:
    assert min(PARAMETERS) == DEFAULTS_FOLLOW
    filled = {"preset": "mini", "wildcards": True, DEFAULTS_FOLLOW: True, "auto_forced": True, "copies": 12}
    assert given_parameters(filled) == {"preset": "mini", "wildcards": True}
    assert given_parameters({"wildcards": True}) == {"wildcards": True}
    # In another order nothing that differs from its default is lost.
    assert given_parameters({DEFAULTS_FOLLOW: True, "copies": 5, "preset": "mini"}) == {"copies": 5, "preset": "mini"}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"num_players": 9}, "num_players must be a whole number from 2 to 6, got 9"),
        ({"num_players": "three"}, "num_players. Expected type: kInt, got kString with three"),
        ({"num_players": 2.5}, "num_players. Expected type: kInt, got kDouble with 2.5"),
        ({"wildcards": 1}, "wildcards. Expected type: kBool, got kInt with 1"),
        ({"preset": "huge"}, "preset must be one of standard, mini, small, got 'huge'"),
        ({"preset": "mini", "hand_size": 4}, "hand_size must be a whole number from 1 to 3"),
        ({"monument_points": "9,8"}, "monument_points must be whole numbers with spaces"),
        ({"monument_points": "8 9"}, "monument_points must be a list or tuple of at least one whole number"),
        ({"monument_points": 4}, "monument_points. Expected type: kString, got kInt with 4"),
        ({"players": 3}, "Unknown parameter 'players'"),
        ({"reward": "money"}, "reward must be one of 'win', 'points', 'margin', got 'money'"),
        ({"max_draw": 10**6}, "max_draw 1000000 makes 2,000,"),
    ],
)
def test_a_parameter_that_is_refused_is_named(params: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, pyspiel.SpielError)) as refused:
        pyspiel.load_game("python_respublica", params)
    assert message in str(refused.value)


def test_the_class_itself_refuses_unknown_parameters() -> None:
    with pytest.raises(ValueError, match="python_respublica has no parameter 'players'; there are: num_players, "):
        ResPublicaGame({"players": 3})


def test_without_openspiel_the_door_says_what_to_install() -> None:
    code = "import sys; sys.modules['pyspiel'] = None; import respublica_env.open_spiel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'respublica-env[openspiel]'" in done.stderr


# -- what a state shows


def test_the_type_says_what_there_is() -> None:
    kind = load("python_respublica").get_type()
    assert kind.chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    assert kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    assert not kind.provides_information_state_tensor
    assert load(MINI).max_chance_outcomes() == 3


@pytest.mark.parametrize(
    ("reward", "low", "high", "total"),
    [("win", -1 / 3, 1 - 1 / 3, 0), ("points", 0, 155, None), ("margin", -155 / 95, 155 / 95, 0)],
)
def test_utilities(reward: str, low: float, high: float, total: float | None) -> None:
    game = load("python_respublica", num_players=3, reward=reward)
    # 30 points of cities, 65 of monuments, and 6 pairs of each of 10 types, if one seat could have them all: 155.
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (low, high, total)
    zero_sum = pyspiel.GameType.Utility.ZERO_SUM
    assert (game.get_type().utility == zero_sum) == (reward != "points")


@settings(deadline=None, max_examples=25)
@given(rules(), SEEDS)
def test_observations_are_those_of_the_game(rule_set: Rules, seed: int) -> None:
    game = load("python_respublica", **parameters(rule_set))
    state = state_at(game, seed, seed % 40)
    observer = observation.make_observation(game)
    for seat in range(rule_set.num_players):
        expected = state.moment.game.observation(seat)
        assert np.array(state.observation_tensor(seat), np.float32).tobytes() == expected.tobytes()
        observer.set_from(state, seat)
        for name, place in observation_layout(rule_set).items():
            assert observer.dict[name].tobytes() == expected[place].tobytes()
        assert game.observation_tensor_shape() == [rule_set.observation_size]
        assert observer.string_from(state, seat) == state.observation_string(seat)


def test_an_observation_string_has_the_counts_by_block() -> None:
    state = state_at(load(MINI), 1, 0)
    lines = dict(line.split(": ") for line in state.observation_string(0).splitlines()[1:])
    game = state.moment.game
    assert list(lines) == [block.name for block in blocks(game.rules)]
    assert lines["hand"] == " ".join(map(str, game.hands[0]))
    assert lines["decks"] == f"{len(game.population_deck)} {len(game.technology_deck)}"


@pytest.mark.parametrize("recall", [False, True])
def test_observers_keep_public_and_private_apart(recall: bool) -> None:
    game = load(GAMES[1])
    state = state_at(game, 4, 30)

    def observer(public: bool, private: pyspiel.PrivateInfoType) -> Any:
        kind = pyspiel.IIGObservationType(public_info=public, perfect_recall=recall, private_info=private)
        return game.make_py_observer(kind)

    public = observer(True, pyspiel.PrivateInfoType.NONE)
    private = observer(False, pyspiel.PrivateInfoType.SINGLE_PLAYER)
    assert len({public.string_from(state, seat).replace("; ", "\n") for seat in range(3)}) == (1 if recall else 3)
    assert "dealt" not in public.string_from(state, 0)
    assert "hand: " not in public.string_from(state, 0)
    assert "phase: " not in private.string_from(state, 0)
    assert "pass" not in private.string_from(state, 0)
    if recall:
        assert public.tensor is private.tensor is None
        return
    whole = state.moment.game.observation(1)
    for part, hidden in ((public, False), (private, True)):
        part.set_from(state, 1)
        of_it = [whole[block.start : block.stop] for block in blocks(game.rules) if block.private == hidden]
        assert part.tensor.tobytes() == np.concatenate(of_it).tobytes()
    with pytest.raises(ValueError, match="private_info must be SINGLE_PLAYER or NONE, got ALL_PLAYERS"):
        observer(True, pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(ValueError, match="take no parameters"):
        game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=False), {"colour": True})


def test_before_the_deal_nothing_is_seen() -> None:
    state = load(MINI).new_initial_state()
    assert not any(state.observation_tensor(1))
    assert state.information_state_string(1) == "player 1"
    assert str(state) == "before the deal"
    state.apply_action(0)
    assert state.information_state_string(0) == "player 0"
    assert state.chance_outcomes() == [(0, 2 / 5), (1, 3 / 5)]
    assert [state.action_to_string(card) for card in state.legal_actions()] == ["Roman", "Babylonian"]


def test_actions_are_said_in_our_words() -> None:
    state = state_at(load("python_respublica"), 2, 0)
    table = state.moment.setting.table
    for action in state.legal_actions():
        assert state.action_to_string(action) == table.describe(action)
        assert state.string_to_action(table.describe(action)) == action


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    state = state_at(load(MINI), 3, 0)
    before, action = str(state), state.moment.setting.table.accept[0]
    with pytest.raises(respublica_env.IllegalAction, match="ANNOUNCE does not take it"):
        state.apply_action(action)
    assert str(state) == before


def test_states_pickle_and_clones_go_their_own_ways() -> None:
    state = state_at(load(GAMES[1]), 6, 20)
    clone, again = state.clone(), pickle.loads(pickle.dumps(state))
    before = str(state)
    clone.apply_action(clone.legal_actions()[-1])
    assert str(state) == str(again) == before != str(clone)
    again.apply_action(again.legal_actions()[-1])
    assert str(again) == str(clone)
    assert again.history() == clone.history() == [*state.history(), clone.history()[-1]]
