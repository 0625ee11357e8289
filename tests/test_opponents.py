"""Opponents by name."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from respublica_env.engine.bots import BOT_NAMES
from respublica_env.opponents import BOTS, PythonOpponent, bot_number, find, for_each_seat, known_names, register

ROOT = Path(__file__).parent.parent


def test_every_compiled_bot_has_its_number() -> None:
    assert [bot_number(name) for name in BOT_NAMES] == list(range(len(BOT_NAMES)))


@pytest.mark.parametrize("name", BOTS)
def test_an_agent_stands_for_its_bot(name: str) -> None:
    assert bot_number(agents.load(name)) == BOTS[name]


def test_one_is_for_all_and_a_list_is_in_order() -> None:
    assert for_each_seat("greedy", 3) == ["greedy"] * 3
    assert for_each_seat(("random", "greedy", "random"), 3) == ["random", "greedy", "random"]


@pytest.mark.parametrize("wrong", [["random"], ["random"] * 4, [], ("greedy",)])
def test_a_list_of_another_length_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="each of the 3 other seats"):
        for_each_seat(wrong, 3)


def test_an_unknown_name_is_answered_with_the_known_ones_and_a_hint() -> None:
    for look in (find, bot_number):
        with pytest.raises(ValueError, match=r"'gredy'.*random, greedy.*import agents"):
            look("gredy")


@pytest.mark.parametrize("wrong", [None, 1, True, object(), b"random", 0.0, agents.RandomAgent, ["random"], {}])
def test_what_is_no_opponent_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"an opponent is a name|no opponent is named"):
        find(wrong)


@dataclass
class WithBot:
    bot: Any

    def act(self) -> None: ...


@pytest.mark.parametrize("wrong", ["gredy\n" * 500, "x" * 5_000, "a\0b", WithBot("x\n" * 500), WithBot(np.zeros(500))])
def test_a_refusal_is_one_line_that_can_be_read(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"no opponent is named|an agent's `bot` is") as error:
        find(wrong)
    assert len(str(error.value)) < 300 and "\n" not in str(error.value)


@pytest.mark.parametrize("wrong", [[], None, 3, b"random"])
def test_a_name_to_register_is_a_string(wrong: Any) -> None:
    with pytest.raises(ValueError, match="a name is a string, got "):
        register(wrong, lambda name: name)


def test_only_a_compiled_bot_has_a_number() -> None:
    with pytest.raises(ValueError, match="a compiled opponent is wanted, one of random, greedy"):
        bot_number(some_function)


class Chooser:
    name = "chooser"

    def choose(self, _game: object, _seat: int, _rng: object) -> int:
        return 0


def some_function(_observations: object, _action_masks: object, _rng: object) -> None: ...


def test_agents_and_functions_are_asked_in_their_own_way() -> None:
    chooser = find(Chooser())
    assert isinstance(chooser, PythonOpponent)
    assert chooser.act is None and chooser.choose is not None and chooser.name == "chooser"
    function = find(some_function)
    assert isinstance(function, PythonOpponent)
    assert function.act is some_function and function.choose is None and function.name == "some_function"


def test_a_registered_name_finds_what_it_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("respublica_env.opponents._REGISTRY", {})
    register("chooser", lambda _: Chooser())
    register("deep:N", lambda _: "greedy", knows=lambda name: name.startswith("deep:"))
    found = find("chooser")
    assert isinstance(found, PythonOpponent) and found.name == "chooser"
    assert find("deep:12") == BOTS["greedy"]
    assert known_names() == [*BOTS, "chooser", "deep:N"]
    with pytest.raises(ValueError, match=r"random, greedy, .*, chooser, deep:N"):
        find("deeper")
    with pytest.raises(ValueError, match="'greedy' is that of a compiled bot"):
        register("greedy", lambda _: Chooser())


def test_importing_agents_makes_checkpoints_known(tmp_path: Path) -> None:
    assert known_names() == [*BOTS, "ppo", "search:N", "the path of a checkpoint"]
    (tmp_path / "last.zip").write_bytes(b"")
    for path in (tmp_path, str(tmp_path)):
        with pytest.raises(ValueError, match="is no checkpoint of"):
            find(path)
    with pytest.raises(ValueError, match="no opponent is named"):
        find(tmp_path / "nothing")


def test_compiled_names_need_the_package_alone() -> None:
    code = "import sys; from respublica_env.opponents import find; print(find('greedy'), 'agents' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(BOTS["greedy"]), "False"]
