"""Where users of other environments got hurt: forty reports, and for each the tests that it does not hurt here.

The table in tests/user_needs.py says which tests these are; it is checked that they exist. Tests that fit nowhere else
follow below.
"""

import ast
import re
from functools import cache
from pathlib import Path

import gymnasium
import numpy as np
import pyspiel
import pytest
from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

import respublica_env
import respublica_env.open_spiel  # it registers the game
from respublica_env import Game, Rules, respublica_v0
from respublica_env.sb3 import ResPublicaVecEnv
from tests.strategies import eager, play
from tests.user_needs import ROWS

ROOT = Path(__file__).parent.parent
ID = "respublica/ResPublica-v0"


@cache
def functions_in(file: str) -> set[str]:
    """The names of the test functions of a file."""
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_there_are_forty_rows() -> None:
    assert list(ROWS) == list(range(1, 41))


@pytest.mark.parametrize("number", ROWS)
def test_every_row_has_its_tests(number: int) -> None:
    row = ROWS[number]
    assert row.tests or row.apart
    for file, names in row.tests.items():
        assert set(names) <= functions_in(file), f"row {number}: {file} has lost a test of its name"


@pytest.mark.parametrize("file", sorted({file for row in ROWS.values() for file in row.tests}))
def test_tests_named_after_a_row_belong_to_it(file: str) -> None:
    for name in functions_in(file):
        for number in map(int, re.findall(r"(?<=row_|and_)\d+", name)):
            assert name in ROWS[number].tests[file]


# -- tests that fit nowhere else


def test_row_4_masks_after_the_end_and_where_chance_decides() -> None:
    """All ones where a policy is asked again after the end, so that it can divide by their sum."""
    env = gymnasium.make_vec(ID, num_envs=2, rules="mini", autoreset_mode="Disabled")
    _, infos = env.reset(seed=0)
    over = np.zeros(2, bool)
    while not over.all():
        masks = infos["action_mask"]
        assert masks.shape == (2, env.single_action_space.n) and masks.any(axis=1).all()
        assert (masks[over] == 1).all()
        _, _, over, _, infos = env.step(masks.argmax(axis=1))
    assert (infos["action_mask"] == 1).all() and infos["_action_mask"].all()
    state = pyspiel.load_game("python_respublica(preset=mini)").new_initial_state()
    while not state.is_terminal():
        for seat in range(2):
            mask = state.legal_actions_mask(seat)
            assert len(mask) == state.num_distinct_actions()
            # Where chance decides, OpenSpiel hands out its outcomes, whoever is named.
            assert any(mask) == (seat == state.current_player() or state.is_chance_node())
        state.apply_action(state.legal_actions()[0])
    assert state.legal_actions() == []


def test_row_5_actions_are_one_number_behind_every_door() -> None:
    size = Rules().num_actions
    aec, env = respublica_v0.env(), gymnasium.make(ID)
    spaces = [aec.action_space("player_0"), env.action_space, gymnasium.make_vec(ID, num_envs=2).single_action_space]
    for space in [*spaces, ResPublicaVecEnv(1).action_space]:
        assert type(space) is gymnasium.spaces.Discrete and (space.n, space.start) == (size, 0)
    assert pyspiel.load_game("python_respublica").num_distinct_actions() == size
    # The numbers are as few as a game of several decisions a turn allows: far fewer than the descriptions of two terms.
    kinds, counts = Rules().num_kinds, Rules().max_count
    assert size < (kinds * counts) ** 2 / 10
    requires = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '"sb3-contrib>=2.8"' in requires  # it has the repaired check of masked distributions


def test_row_6_a_policy_that_forgets_the_mask_is_told_so() -> None:
    env = ResPublicaVecEnv(8, seed=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=64, seed=0, device="cpu")

    def reasons(masked: bool) -> list[str]:
        observations, said = env.reset(), []
        for _ in range(5):
            actions, _ = model.predict(observations, action_masks=env.action_masks() if masked else None)
            observations, _, _, infos = env.step(actions)
            said += [info["illegal_action"] for info in infos if "illegal_action" in info]
        return said

    assert reasons(masked=True) == []
    why = reasons(masked=False)
    sentence = re.compile(r'action \d+, "[^"]+", is illegal for player \d in [A-Z_]+: .* Legal: 0 "pass"')
    assert why and all(map(sentence.match, why))
    mean, _ = evaluate_policy(
        model, ResPublicaVecEnv(8, rules=Rules(max_turns=4), seed=1), n_eval_episodes=8, warn=False
    )
    assert mean > -1  # the evaluation of sb3_contrib hands on the masks: no game ends with an illegal action


def public(game: Game) -> str:
    """What all see of a position."""
    position, types = game.to_dict(), game.rules.population_types
    keys = (
        "phase",
        "active",
        "player",
        "turn",
        "final_round",
        "final_turns_left",
        "cities",
        "monuments",
        "spent",
        "said",
    )
    backs = [(int(hand[:types].sum()), int(hand[types:].sum())) for hand in game.hands]
    decks = len(game.population_deck), len(game.technology_deck)
    return repr([[position[key] for key in keys], position["partner"], backs, decks])


@pytest.mark.parametrize(
    "rules",
    [Rules(num_players=3, max_turns=40), Rules(copies=6, set_size=2), Rules.mini(), Rules.small(auto_forced=False)],
    ids=["three players", "many sets", "mini", "small"],
)
def test_row_17_what_differs_in_public_is_seen_to_differ(rules: Rules) -> None:
    """An observation that showed nothing would leak nothing: in a game equal observations are equal public facts."""
    for seed in range(3):
        seen: dict[tuple[int, bytes], str] = {}
        for game in play(Game(rules, seed=seed), eager(np.random.default_rng(seed))):
            for seat in range(rules.num_players):
                facts = public(game)
                assert seen.setdefault((seat, game.observation(seat).tobytes()), facts) == facts


def test_row_19_an_observation_is_the_present() -> None:
    """Words of an earlier turn are not in it, and the docs say so."""
    others = [k for k in range(5) for _ in range(12 - 4 * (k < 2))]
    games = []
    for words in ("seek 1 Roman", "seek 1 Wheel"):
        game = Game(Rules(num_players=2), population_deck=[0] * 4 + [1] * 4 + others, seed=0)
        for said in (words, "pass"):
            game.step(game.parse(said))
        while game.active == 0:
            game.step(game.legal_actions()[0])
        games.append(game)
    assert games[0].observation(0).tobytes() == games[1].observation(0).tobytes()
    assert "not in it" in respublica_v0.raw_env.__doc__ and "information state" in respublica_v0.raw_env.__doc__


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_row_27_the_autoreset_mode_is_declared(mode: AutoresetMode) -> None:
    for given in (mode, mode.value):
        env = gymnasium.make_vec(ID, num_envs=2, autoreset_mode=given)
        assert env.metadata["autoreset_mode"] is env.unwrapped.autoreset_mode is mode
    assert gymnasium.make_vec(ID, num_envs=2).metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


def test_row_28_warming_up_says_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    seconds = respublica_env.warm_up()
    said = capsys.readouterr()
    assert said.out == ""
    assert re.fullmatch(
        r"respublica_env: compiling the rules engine .*\.\.\.\nrespublica_env: ready after (\d+\.\d) s\n", said.err
    )
    assert f"{seconds:.1f} s" in said.err
    assert respublica_env.warm_up(verbose=False) > 0
    assert capsys.readouterr().err == ""
