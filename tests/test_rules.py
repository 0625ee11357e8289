"""The rules object: every field's limits, presets, and the forms it is read from."""

import copy
import json
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import numpy as np
import pytest

from respublica_env.rules import LARGEST, PRESETS, Rules, shown

FIELDS = [field.name for field in fields(Rules)]
SWITCHES = ["wildcards", "optional_draw", "auto_forced"]
WHOLE = [name for name in FIELDS if name not in (*SWITCHES, "monument_points")]

# The first and the last value accepted beside the defaults of all other fields.
LIMITS = {
    "num_players": (2, 6),
    "population_types": (2, 8),  # 1 type has 12 cards, too few for four hands of 4: see test_population_cards
    "technology_types": (1, 8),
    "copies": (5, 24),  # set_size 5 needs 5 copies
    "hand_size": (1, 15),  # 60 population cards for 4 players
    "set_size": (2, 12),
    "city_points": (0, LARGEST),
    "num_cities": (1, LARGEST),
    "pair_points": (0, LARGEST),
    "max_draw": (1, LARGEST),
    "max_count": (1, 12),
    "max_terms": (1, 2),
    "max_turns": (1, LARGEST),
}


class HasIndex:
    """Stands for a whole number to `operator.index`, but is none."""

    def __index__(self) -> int:
        return 2

    def __repr__(self) -> str:
        return "HasIndex()"


def test_the_defaults_are_the_published_game() -> None:
    rules = Rules()
    assert (rules.num_players, rules.copies, rules.hand_size, rules.set_size) == (4, 12, 4, 5)
    assert rules.monument_points == (9, 8, 8, 7, 7, 6, 6, 5, 5, 4)
    assert len(FIELDS) == 17
    assert Rules.standard() == rules


def test_fields_can_be_given_by_place() -> None:
    assert Rules(3, 4, 2) == Rules(num_players=3, population_types=4, technology_types=2)


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_keep_to_their_limits(name: str) -> None:
    low, high = LIMITS[name]
    for value in (low, high):
        assert getattr(Rules(**{name: value}), name) == value
    for value in (low - 1, high + 1, -(10**30), 10**30):
        with pytest.raises(ValueError):
            Rules(**{name: value})


@pytest.mark.parametrize("name", [name for name in WHOLE if name not in ("population_types", "copies")])
def test_a_refused_number_is_named_with_its_limits(name: str) -> None:
    low, high = LIMITS[name]
    with pytest.raises(ValueError, match=rf"^{name} must be a whole number from {low} to {high}.*, got {high + 1}$"):
        Rules(**{name: high + 1})


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize(
    "value",
    [True, np.True_, 3.0, np.float64(3), float("nan"), float("inf"), "3", None, [3], np.array(3), 3 + 0j, HasIndex()],
    ids=repr,
)
def test_only_whole_numbers_are_numbers(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must be a whole number"):
        Rules(**{name: value})


@pytest.mark.parametrize("number_type", [np.int8, np.int64, np.uint8, np.uint64])
def test_numpy_integers_become_ints(number_type: type) -> None:
    rules = Rules(num_players=number_type(3), monument_points=[number_type(2), 1])  # type: ignore[arg-type]
    assert rules == Rules(num_players=3, monument_points=(2, 1))
    assert type(rules.num_players) is int
    assert {type(points) for points in rules.monument_points} == {int}


@pytest.mark.parametrize("name", SWITCHES)
def test_switches_are_bools(name: str) -> None:
    for value in (True, False, np.True_, np.False_):
        kept = getattr(Rules(**{name: value}), name)
        assert type(kept) is bool
        assert kept == value
    for wrong in (0, 1, "False", None, np.int8(1), 1.0, []):
        with pytest.raises(ValueError, match=rf"^{name} must be True or False, got "):
            Rules(**{name: wrong})


@pytest.mark.parametrize("points", [[1], (9, 9, 0), [LARGEST, 0]], ids=repr)
def test_monument_points_become_a_tuple(points: Any) -> None:
    assert Rules(monument_points=points).monument_points == tuple(points)


@pytest.mark.parametrize(
    "points",
    [[], (), [0], [1, 2], [3, -1], [LARGEST + 1], [2.0], [True], ["9"], [None], [[1]], "98", 9, None, {9: 1}, {9},
     np.array([9]), [float("nan")]],
    ids=repr,
)  # fmt: skip
def test_other_monument_points_are_refused(points: Any) -> None:
    with pytest.raises(ValueError, match=r"^monument_points must be a list or tuple of at least one whole number"):
        Rules(monument_points=points)


def test_population_cards_must_be_enough_for_all_hands() -> None:
    assert Rules.mini(num_players=3).hand_size == 2
    with pytest.raises(ValueError, match=r"^hand_size must be .* from 1 to 1 \(4 players share 6 population cards\)"):
        Rules.mini(num_players=4)
    with pytest.raises(ValueError, match=r"^hand_size must be at least 1, but 2 population cards"):
        Rules(num_players=3, population_types=1, copies=2, hand_size=1)


@pytest.mark.parametrize("name", ["set_size", "max_count"])
def test_what_is_bound_by_the_copies_names_them(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must be a whole number from \d to 4 \(copies\), got 5$"):
        Rules(**{"copies": 4, "set_size": 4, "max_count": 4} | {name: 5})


@pytest.mark.parametrize("place", range(len(FIELDS) - 1))
def test_the_first_wrong_field_is_the_one_named(place: int) -> None:
    wrong = dict.fromkeys(FIELDS[place:])
    with pytest.raises(ValueError, match=rf"^{FIELDS[place]} "):
        Rules(**wrong)


def test_a_value_that_cannot_be_shown_is_still_refused_in_words() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError

    for value in (10**5000, Broken()):
        with pytest.raises(ValueError, match=r"^num_players must be .* got a \w+ that cannot be shown$"):
            Rules(num_players=value)  # type: ignore[arg-type]
    assert len(shown("x" * 10_000)) == 100


def test_rules_are_hashable_and_immutable() -> None:
    assert len({Rules(), Rules(num_players=4), Rules.mini(), Rules.mini(), Rules(monument_points=[9])}) == 3
    with pytest.raises(FrozenInstanceError):
        Rules().num_players = 3  # type: ignore[misc]


@pytest.mark.parametrize("copier", [copy.copy, copy.deepcopy, lambda rules: pickle.loads(pickle.dumps(rules))])
def test_rules_are_copied_and_pickled(copier: Any) -> None:
    rules = Rules.small(num_players=2)
    assert rules.num_actions  # what has been computed must not get in the way
    assert copier(rules) == rules
    assert hash(copier(rules)) == hash(rules)
    assert replace(rules, max_draw=2).num_actions == rules.num_actions + 2


@pytest.mark.parametrize("rules", [Rules(), Rules.mini(), Rules(wildcards=False, monument_points=(1,))])
def test_dicts_are_json_and_read_back(rules: Rules) -> None:
    values = rules.to_dict()
    assert list(values) == FIELDS
    assert type(values["monument_points"]) is list
    assert Rules.from_dict(json.loads(json.dumps(values))) == rules


def test_a_field_left_out_of_a_dict_has_its_default() -> None:
    assert Rules.from_dict({}) == Rules()
    assert Rules.from_dict({"copies": 6, "monument_points": [2]}) == Rules(copies=6, monument_points=(2,))


class Fields(Mapping[str, Any]):
    """A mapping that is no dict."""

    def __getitem__(self, name: str) -> Any:
        return {"copies": 7}[name]

    def __iter__(self) -> Iterator[str]:
        return iter(["copies"])

    def __len__(self) -> int:
        return 1


def test_any_mapping_is_read() -> None:
    assert Rules.from_dict(Fields()) == Rules.of(Fields()) == Rules(copies=7)


@pytest.mark.parametrize("values", [{"cards": 3}, {"copies": 6, "Copies": 6}, {3: 3}, {None: 1}, {"num_types": 10}])
def test_an_unknown_field_is_named_beside_the_known_ones(values: Any) -> None:
    unknown = next(name for name in values if name not in FIELDS)
    with pytest.raises(ValueError, match=f"no field {unknown!r}; there are: {', '.join(FIELDS)}"):
        Rules.from_dict(values)


@pytest.mark.parametrize("values", [None, "mini", [("copies", 6)], 3])
def test_only_a_mapping_is_a_dict_of_fields(values: Any) -> None:
    with pytest.raises(ValueError, match="rules must be a dict of the fields num_players"):
        Rules.from_dict(values)


def test_presets() -> None:
    assert Rules.mini() == Rules(
        num_players=2, population_types=2, technology_types=1, copies=3, hand_size=2, set_size=2, monument_points=(2,),
        num_cities=2, max_draw=1, max_count=1, max_terms=1, wildcards=False, max_turns=2,
    )  # fmt: skip
    assert Rules.small() == replace(Rules.mini(), copies=2, max_turns=3)
    assert list(PRESETS) == ["standard", "mini", "small"]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_take_changes(name: str) -> None:
    preset = PRESETS[name]
    assert preset(city_points=7, max_turns=9) == replace(preset(), city_points=7, max_turns=9)
    with pytest.raises(ValueError, match="no field 'cities'; there are: num_players"):
        preset(cities=7)
    with pytest.raises(ValueError, match=r"^city_points must be"):
        preset(city_points=-1)


def test_rules_of_takes_what_the_rules_keyword_takes() -> None:
    assert Rules.of(None) == Rules()
    assert Rules.of(None, num_players=3) == Rules(num_players=3)
    mini = Rules.mini()
    assert Rules.of(mini, num_players=5) is mini
    assert Rules.of("small", num_players=5) == Rules.small()
    assert Rules.of({"num_players": 3}, num_players=5) == Rules(num_players=3)


@pytest.mark.parametrize("value", ["Mini", "", "of", "to_dict", 4, 4.0, True, [4], ("num_players", 3), Rules, b"mini"])
def test_rules_of_names_what_it_takes(value: Any) -> None:
    accepted = r"a Rules, a dict of its fields, or a preset's name \(standard, mini, small\), got "
    with pytest.raises(ValueError, match=accepted):
        Rules.of(value)


def test_rules_of_checks_the_number_of_players() -> None:
    for wrong in (1, 7, "4", 4.0, True):
        with pytest.raises(ValueError, match=r"^num_players must be a whole number from 2 to 6"):
            Rules.of(None, num_players=wrong)  # type: ignore[arg-type]


def test_names_of_the_cards() -> None:
    rules = Rules(population_types=7, technology_types=1)
    greek = ("Roman", "Babylonian", "Egyptian", "Atlantean", "Greek")
    assert rules.type_names == (*greek, "Population 6", "Population 7", "Metalworking")
    assert rules.kind_names == (*rules.type_names, "any population", "any technology", "any card")
    eight = Rules(technology_types=8)
    assert eight.type_names[-4:] == ("Navigation", "Technology 6", "Technology 7", "Technology 8")
    assert Rules.mini().kind_names == ("Roman", "Babylonian", "Metalworking")


@pytest.mark.parametrize("rules", [Rules(), Rules.mini(), Rules(population_types=8, technology_types=3)])
def test_there_is_a_name_for_each_type_and_kind(rules: Rules) -> None:
    assert rules.num_types == rules.population_types + rules.technology_types == len(set(rules.type_names))
    assert rules.num_kinds == rules.num_types + 3 * rules.wildcards == len(set(rules.kind_names))


def test_published_sizes() -> None:
    assert (Rules().num_actions, Rules().observation_size) == (240, 191)
