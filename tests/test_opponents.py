"""Opponents by name."""

import pytest

import agents
from respublica_env.engine.bots import BOT_NAMES
from respublica_env.opponents import BOTS, bot_number, bot_numbers


def test_every_compiled_bot_has_its_number() -> None:
    assert [bot_number(name) for name in BOT_NAMES] == list(range(len(BOT_NAMES)))


@pytest.mark.parametrize("name", BOTS)
def test_an_agent_stands_for_its_bot(name: str) -> None:
    assert bot_number(agents.load(name)) == BOTS[name]


def test_one_is_for_all_and_a_list_is_in_order() -> None:
    assert bot_numbers("greedy", 3).tolist() == [BOTS["greedy"]] * 3
    assert bot_numbers(["random", "greedy", "random"], 3).tolist() == [BOTS["random"], BOTS["greedy"], BOTS["random"]]


def test_an_unknown_name_is_answered_with_the_known_ones_and_a_hint() -> None:
    with pytest.raises(ValueError, match=r"'gredy'.*random, greedy.*import agents"):
        bot_number("gredy")


@pytest.mark.parametrize("wrong", [None, 1, True, object(), b"random", 0.0])
def test_what_is_no_opponent_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="an opponent is a name"):
        bot_number(wrong)


@pytest.mark.parametrize("wrong", [["random"], ["random"] * 4, [], ("greedy",)])
def test_a_list_of_another_length_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="each of the 3 other seats"):
        bot_numbers(wrong, 3)
