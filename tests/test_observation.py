"""The observation's table: blocks as the rule book lists them, checked against recorded observations."""

from typing import Any

import numpy as np
import pytest

from respublica_env.actions import action_table
from respublica_env.observation import PHASE_NAMES, PHASES, blocks, observation_layout
from respublica_env.rules import Rules
from tests.recorded import FILES, observation, recorded_games

RULE_SETS = [
    Rules(),
    Rules.mini(),
    Rules.small(),
    Rules(num_players=6, population_types=8, technology_types=3, copies=24, max_count=7, num_cities=4),
    Rules(num_players=3, wildcards=False, monument_points=(4, 1), city_points=0, max_turns=30),
]

every_rule_set = pytest.mark.parametrize("rules", RULE_SETS, ids=range(len(RULE_SETS)))


def test_default_lengths_are_those_of_the_rule_book() -> None:
    lengths = [block.length for block in blocks(Rules())]
    assert lengths == [8, 4, 4, 10, 8, 4, 4, 4, 10, 2, 1, 2, 1, 17, 68, 4, 10, 30]
    assert sum(lengths) == Rules().observation_size == 191


@every_rule_set
def test_names_and_lengths(rules: Rules) -> None:
    n, types, kinds = rules.num_players, rules.num_types, rules.num_kinds
    assert {block.name: block.length for block in blocks(rules)} == {
        "phase": 8,
        "active": n,
        "to_act": n,
        "hand": types,
        "hand_sizes": 2 * n,
        "cities": n,
        "monuments": n,
        "points": n,
        "spent": types,
        "decks": 2,
        "next_monument": 1,
        "final_round": 2,
        "turn": 1,
        "announcement": 2 + kinds + 2,
        "answers": n * (2 + kinds + 2),
        "partner": n,
        "chosen": types,
        "known": (n - 1) * types,
    }


@every_rule_set
def test_blocks_follow_each_other_without_a_gap(rules: Rules) -> None:
    layout = observation_layout(rules)
    assert list(layout) == [block.name for block in blocks(rules)]
    assert np.concatenate([np.arange(rules.observation_size)[part] for part in layout.values()]).tolist() == list(
        range(rules.observation_size)
    )


@every_rule_set
def test_there_is_a_divisor_for_each_number(rules: Rules) -> None:
    for block in blocks(rules):
        assert len(block.divisors) == block.length
        assert min(block.divisors) >= 1
        assert block.divisor == (block.divisors[0] if len(set(block.divisors)) == 1 else None)
        assert block.scale
        assert block.meaning


def test_what_only_the_seat_itself_knows_is_private() -> None:
    assert [block.name for block in blocks(Rules()) if block.private] == ["hand", "chosen", "known"]


def test_phases() -> None:
    assert len(PHASES) == 8
    assert list(PHASE_NAMES) == [*PHASES, "OVER"]


@pytest.mark.parametrize("value", ["mini", Rules.mini(), Rules.mini().to_dict()])
def test_the_layout_takes_what_the_rules_keyword_takes(value: Any) -> None:
    assert observation_layout(value) == observation_layout(Rules.mini())


def test_a_changed_layout_changes_no_other() -> None:
    observation_layout(Rules()).clear()
    assert observation_layout(Rules())


def counts_shown(rules: Rules, recorded: str) -> dict[str, list[float]]:
    """The counts in a recorded observation by block: each number is one over its divisor, rounded to float32."""
    numbers = observation(recorded)
    assert numbers.shape == (rules.observation_size,)
    counts = {}
    for block in blocks(rules):
        part = numbers[block.start : block.stop]
        whole = np.rint(part.astype(np.float64) * block.divisors)
        assert (np.float32(whole / block.divisors) == part).all(), block.name
        counts[block.name] = whole.tolist()
    return counts


def one_hot(place: int, size: int) -> list[int]:
    return [int(i == place) for i in range(size)]


def check_state(rules: Rules, line: dict[str, Any]) -> None:
    """What a recorded state says must stand in the recorded observation where the table says."""
    n, back = rules.num_players, rules.population_types
    seat = line["player"]
    seats = [(seat + i) % n for i in range(n)]
    shown = counts_shown(rules, line["obs"])
    hands = np.array(line["hands"])
    left = rules.copies - hands.sum(axis=0) - line["spent"]
    built = sum(map(len, line["monuments"]))
    assert shown["phase"] == one_hot(PHASES.index(line["phase"]), 8)
    assert shown["active"] == one_hot((line["active"] - seat) % n, n)
    assert shown["to_act"] == one_hot(0, n)
    assert shown["hand"] == line["hands"][seat]
    assert shown["hand_sizes"] == [size for i in seats for size in (hands[i, :back].sum(), hands[i, back:].sum())]
    assert shown["cities"] == [line["cities"][i] for i in seats]
    assert shown["monuments"] == [len(line["monuments"][i]) for i in seats]
    assert shown["points"] == [line["cities"][i] * rules.city_points + sum(line["monuments"][i]) for i in seats]
    assert shown["spent"] == line["spent"]
    assert shown["decks"] == [left[:back].sum(), left[back:].sum()]
    assert shown["next_monument"] == [(*rules.monument_points, 0)[built]]
    assert shown["turn"] == [min(line["turn"], rules.max_turns)]
    assert shown["known"] == np.concatenate([line["known"][seat][i] for i in seats[1:]]).tolist()


@pytest.mark.parametrize("name", FILES)
def test_recorded_states_stand_where_the_table_says(name: str) -> None:
    for game in recorded_games(name):
        for line in game.decisions:
            check_state(Rules.from_dict(game.start["rules"]), line)


def hear(rules: Rules, announcement: list[int], action: int) -> None:
    """Add the term that `action` speaks to an announcement as the table lays it out."""
    meaning = action_table(rules).decode(action)
    marks = {"offer": 0, "seek": 1, "and_": -2, "or_": -1}
    if meaning.type in marks:
        announcement[marks[meaning.type]] = 1
        announcement[2 + meaning.kind] = meaning.count


@pytest.mark.parametrize("name", FILES)
def test_recorded_announcements_stand_where_the_table_says(name: str) -> None:
    heard = 0
    for game in recorded_games(name):
        rules = Rules.from_dict(game.start["rules"])
        silence = [0] * (2 + rules.num_kinds + 2)
        announcement = silence.copy()
        for line in game.decisions:
            if line["phase"] not in ("EXTEND", "RESPOND", "ACCEPT", "HAND_OVER"):
                announcement = silence.copy()
            assert counts_shown(rules, line["obs"])["announcement"] == announcement
            heard += announcement != silence
            if line["player"] == line["active"] and line["phase"] in ("ANNOUNCE", "EXTEND"):
                hear(rules, announcement, line["action"])
    assert heard


@pytest.mark.parametrize("name", FILES)
def test_a_recorded_end_shows_no_phase_and_no_seat(name: str) -> None:
    for game in recorded_games(name):
        rules = Rules.from_dict(game.start["rules"])
        for seat, text in enumerate(game.end["obs_all"]):
            shown = counts_shown(rules, text)
            for block in ("phase", "active", "to_act", "announcement", "answers", "partner", "chosen"):
                assert not any(shown[block])
            assert shown["hand"] == game.end["hands"][seat]
            assert shown["final_round"][0] == (not game.end["stalled"])
