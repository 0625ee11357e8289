"""The action table: ids as the rule book numbers them, and words in both directions."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from respublica_env.actions import PASS_WORDS, TYPES, Action, IllegalAction, action_table
from respublica_env.rules import Rules, shown
from tests.recorded import FILES, recorded_games

RULE_SETS = [
    Rules(),
    Rules.mini(),
    Rules.small(num_players=2),
    Rules(num_players=6, population_types=8, technology_types=8, copies=24, max_count=24, max_draw=9),
    Rules(num_players=3, population_types=7, technology_types=1, wildcards=False, max_count=1),
    Rules(num_players=2, population_types=1, technology_types=6, max_draw=1, max_terms=1),
]

# Which types of action each phase takes.
TAKES = {
    "ANNOUNCE": {"pass_", "offer", "seek"},
    "EXTEND": {"pass_", "and_", "or_"},
    "RESPOND": {"pass_", "offer", "seek"},
    "ACCEPT": {"pass_", "accept"},
    "HAND_OVER": {"pass_", "give"},
    "CONVERT": {"pass_", "convert"},
    "DRAW": {"draw"},
    "FINAL_CONVERT": {"pass_", "convert"},
}

every_rule_set = pytest.mark.parametrize("rules", RULE_SETS, ids=range(len(RULE_SETS)))


@every_rule_set
def test_ids_are_those_of_the_rule_book(rules: Rules) -> None:
    table = action_table(rules)
    n, types, terms = rules.num_players, rules.num_types, rules.num_kinds * rules.max_count
    assert table.terms == terms
    assert table.pass_ == range(1)
    assert table.offer == range(1, 1 + terms)
    assert table.seek == range(1 + terms, 1 + 2 * terms)
    assert table.and_ == range(1 + 2 * terms, 1 + 3 * terms)
    assert table.or_ == range(1 + 3 * terms, 1 + 4 * terms)
    after = 1 + 4 * terms
    assert table.accept == range(after, after + n - 1)
    assert table.give == range(after + n - 1, after + n - 1 + types)
    assert table.convert == range(after + n - 1 + types, after + n - 1 + 2 * types)
    assert table.draw == range(after + n - 1 + 2 * types, table.size)
    assert table.size == 1 + 4 * terms + (n - 1) + 2 * types + 2 * (rules.max_draw + 1) == rules.num_actions


@every_rule_set
def test_meanings_are_those_of_the_rule_book(rules: Rules) -> None:
    """Each meaning is turned into its id by the formulas of the rule book."""
    table = action_table(rules)
    expected = [Action("pass_")]
    for spoken in ("offer", "seek", "and_", "or_"):
        for kind in range(rules.num_kinds):
            expected += [Action(spoken, count=count, kind=kind) for count in range(1, rules.max_count + 1)]
    expected += [Action("accept", player=j) for j in range(1, rules.num_players)]
    expected += [Action("give", kind=k) for k in range(rules.num_types)]
    expected += [Action("convert", kind=k) for k in range(rules.num_types)]
    for population in (0, 1):
        expected += [Action("draw", population=population, technology=t) for t in range(rules.max_draw + 1)]
    assert [table.decode(number) for number in range(table.size)] == expected


@every_rule_set
def test_every_action_is_read_back_from_its_words(rules: Rules) -> None:
    table = action_table(rules)
    words = [table.describe(number) for number in range(table.size)]
    assert len(set(words)) == table.size
    for number, said in enumerate(words):
        assert table.parse(said) == number
        assert table.parse(said.upper()) == number
        assert table.parse(f"\t {said.lower().replace(' ', '   ')}\n") == number


def test_words() -> None:
    table = action_table(Rules())
    numbers = (
        table.pass_[0],
        table.offer[1],
        table.seek[12 * 4],
        table.and_[6 * 4 + 1],
        table.or_[4 * 4 + 2],
        table.accept[1],
        table.give[0],
        table.convert[9],
        table.draw[4 + 2],
    )
    assert [table.describe(number) for number in numbers] == [
        "pass",
        "offer 2 Roman",
        "seek 1 any card",
        "and 2 Wheel",
        "or 3 Greek",
        "accept player +2",
        "give Roman",
        "convert Navigation",
        "draw 1 population + 2 technology",
    ]


@pytest.mark.parametrize("words", [*PASS_WORDS, "Pass", " NOTHING   more "])
def test_passing_has_many_words(words: str) -> None:
    assert action_table(Rules()).parse(words) == 0


def test_a_draw_may_leave_out_what_it_does_not_draw() -> None:
    table = action_table(Rules())
    for short, full in {
        "draw nothing": "draw 0 population + 0 technology",
        "draw 1 population": "draw 1 population + 0 technology",
        "draw 2 technology": "draw 0 population + 2 technology",
        "draw 1 population+3 technology": "draw 1 population + 3 technology",
        "accept player+1": "accept player +1",
        "accept player + 1": "accept player +1",
    }.items():
        assert table.describe(table.parse(short)) == full


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("", "forms are"),
        ("trade 2 Roman", "forms are"),
        ("offered 2 Roman", "forms are"),
        ("2 Roman", "forms are"),
        ("pass 1", "forms are"),
        ("offer", "needs a count and a kind"),
        ("offer Roman", "needs a count and a kind"),
        ("offer two Roman", "needs a count and a kind"),
        ("offer -1 Roman", "needs a count and a kind"),
        ("seek 1.5 Roman", "needs a count and a kind"),
        ("or 99999999999999 Roman", "counts go from 1 to 4"),
        ("offer 0 Roman", "counts go from 1 to 4, got 0"),
        ("offer 5 Roman", "counts go from 1 to 4, got 5"),
        ("offer 2 Spartan", "cards are: Roman, .*, Navigation, any population, any technology, any card$"),
        ("offer 2 Roman Greek", "cards are: Roman"),
        ("give any card", "cards are: Roman, .*, Navigation$"),
        ("give 1 Roman", "cards are: Roman, .*, Navigation$"),
        ("convert", "cards are: Roman, .*, Navigation$"),
        ("accept", '"accept player \\+1" to "accept player \\+3"'),
        ("accept player 1", '"accept player \\+1" to "accept player \\+3"'),
        ("accept player +0", '"accept player \\+1" to "accept player \\+3"'),
        ("accept player +4", '"accept player \\+1" to "accept player \\+3"'),
        ("draw", '"draw nothing"'),
        ("draw +", '"draw nothing"'),
        ("draw 1 population +", '"draw nothing"'),
        ("draw + 1 technology", '"draw nothing"'),
        ("draw 1 population 2 technology", '"draw nothing"'),
        ("draw 1 population2 technology", '"draw nothing"'),
        ("draw 2 technology + 1 population", '"draw nothing"'),
        ("draw 1 populations", '"draw nothing"'),
        ("draw 2 population", "from 0 to 1 and technology cards from 0 to 3"),
        ("draw 4 technology", "from 0 to 1 and technology cards from 0 to 3"),
    ],
)
def test_other_words_are_answered_with_what_is_accepted(words: str, hint: str) -> None:
    with pytest.raises(ValueError, match=hint) as refused:
        action_table(Rules()).parse(words)
    assert repr(words) in str(refused.value)


@pytest.mark.parametrize("words", [None, 0, b"pass", ["pass"]])
def test_words_are_a_string(words: Any) -> None:
    with pytest.raises(ValueError, match="an action in words is a string, got "):
        action_table(Rules()).parse(words)


@given(st.text(max_size=40) | st.builds(" ".join, st.lists(st.sampled_from(
    ["offer", "seek", "draw", "accept", "give", "1", "9", "٣", "Roman", "any", "card", "population", "+", "player"]
))))  # fmt: skip
def test_any_text_is_an_action_or_a_value_error(words: str) -> None:
    table = action_table(Rules())
    try:
        number = table.parse(words)
    except ValueError:
        return
    assert table.parse(table.describe(number)) == number


@pytest.mark.parametrize(
    "action", [-1, 240, 10**30, 10**5000, 1.0, float("nan"), "0", None, True, np.True_, [1]], ids=shown
)
def test_what_is_no_action_is_refused(action: Any) -> None:
    table = action_table(Rules())
    for reader in (table.describe, table.decode):
        with pytest.raises(IllegalAction, match="an action is a whole number from 0 to 239, got "):
            reader(action)


def test_illegal_action_is_a_value_error() -> None:
    assert issubclass(IllegalAction, ValueError)


@pytest.mark.parametrize("number_type", [np.int8, np.int64, np.uint64])
def test_numpy_integers_are_ids(number_type: type) -> None:
    assert action_table(Rules()).describe(number_type(2)) == "offer 2 Roman"


def test_equal_rules_share_a_table() -> None:
    assert action_table(Rules(num_players=3)) is action_table({"num_players": 3})
    assert action_table("mini") is action_table(Rules.mini())
    with pytest.raises(ValueError, match="a preset's name"):
        action_table("large")


def test_spans_are_named_in_the_order_of_ids() -> None:
    table = action_table(Rules())
    assert tuple(table.spans) == TYPES
    assert [number for span in table.spans.values() for number in span] == list(range(table.size))


@pytest.mark.parametrize("name", FILES)
def test_recorded_games_say_in_each_phase_what_it_takes(name: str) -> None:
    for game in recorded_games(name):
        table = action_table(Rules.from_dict(game.start["rules"]))
        for line in game.decisions:
            assert {table.decode(number).type for number in line["legal"]} <= TAKES[line["phase"]]
