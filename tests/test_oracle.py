"""The engine against the rule book written a second time (tests/oracle.py), decision by decision.

The recorded games cover the usual rules. Here are the corners: one type of card, the smallest and largest numbers, one
term, no wildcards, a single city or monument, six players, and rule sets drawn at random.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respublica_env import Game, Rules
from tests.oracle import Oracle
from tests.oracle_view import observation
from tests.strategies import SEEDS, eager

SMALL: dict[str, Any] = {
    "num_players": 3,
    "population_types": 2,
    "technology_types": 2,
    "copies": 5,
    "hand_size": 3,
    "set_size": 2,
    "monument_points": (5, 4, 4, 1),
    "num_cities": 4,
    "max_draw": 2,
    "max_count": 2,
    "max_turns": 25,
}

CORNERS: dict[str, dict[str, Any]] = {
    "one term": {"max_terms": 1},
    "plain words": {"wildcards": False},
    "one plain term": {"max_terms": 1, "wildcards": False, "max_count": 1},
    "six players": {"num_players": 6, "copies": 6, "hand_size": 2},
    "two players": {"num_players": 2},
    "one type of each": {"population_types": 1, "technology_types": 1, "copies": 12, "hand_size": 2},
    "eight types of each": {"population_types": 8, "technology_types": 8, "copies": 3, "max_count": 1},
    "draws without limit": {"max_draw": 40, "num_cities": 9, "copies": 10},
    "one card a turn": {"max_draw": 1},
    "draws may be fewer": {"optional_draw": True, "max_draw": 3},
    "every decision shown": {"auto_forced": False},
    "every decision shown, one term": {"auto_forced": False, "max_terms": 1, "optional_draw": True},
    "counts up to the copies": {"max_count": 5},
    "sets of all copies": {"set_size": 3, "copies": 3, "max_count": 3, "hand_size": 2},
    "one card each": {"hand_size": 1},
    "all cards dealt": {"num_players": 2, "hand_size": 5, "copies": 5},
    "one turn": {"max_turns": 1},
    "as many turns as players": {"max_turns": 3},
    "one city": {"num_cities": 1, "max_draw": 1},
    "one monument": {"monument_points": (1,)},
    "more monuments than sets": {"monument_points": tuple(range(40, 0, -1))},
    "worthless": {"city_points": 0, "pair_points": 0, "monument_points": (1, 0, 0)},
    "precious": {"city_points": 10**9, "num_cities": 10**9, "pair_points": 10**9, "monument_points": (10**9, 7)},
    "two copies": {"copies": 2, "population_types": 3, "hand_size": 2, "set_size": 2},
    "stalls": {"num_cities": 1, "copies": 8, "set_size": 5, "max_turns": 12},
}


def assert_same(game: Game, oracle: Oracle) -> None:
    over = oracle.phase == "OVER"
    assert game.phase == oracle.phase
    assert (game.player, game.active) == ((None, None) if over else (oracle.player, oracle.active))
    assert game.legal_actions().tolist() == oracle.legal()
    assert game.hands.tolist() == [list(hand) for hand in oracle.hands]
    assert (game.population_deck, game.technology_deck) == (oracle.population_deck, oracle.technology_deck)
    assert (game.cities, game.monuments) == (oracle.cities, oracle.monuments)
    assert game.spent.tolist() == list(oracle.spent)
    assert (game.turn, game.final_round, game.stalled) == (oracle.turn, oracle.final_round, oracle.stalled)
    assert game.scores() == oracle.scores()
    n = oracle.n
    assert [game.known(seat).tolist() for seat in (*range(n), None)] == oracle.known.tolist()
    for seat in range(n):
        assert game.observation(seat).tobytes() == observation(oracle, seat).tobytes(), f"seat {seat}"


def compare_games(rules: Rules, seed: int, most_decisions: int = 2_000) -> set[str]:
    """Play a game in both; the phases it went through."""
    rng = np.random.default_rng(seed)
    population = rng.permutation(np.repeat(np.arange(rules.population_types), rules.copies)).tolist()
    technology = rng.permutation(np.repeat(np.arange(rules.population_types, rules.num_types), rules.copies)).tolist()
    game = Game(rules, population_deck=population, technology_deck=technology)
    oracle = Oracle(rules, population, technology)
    choose, phases = eager(rng), set()
    for _ in range(most_decisions):
        assert_same(game, oracle)
        phases.add(game.phase)
        if game.terminated:
            break
        action = choose(game)
        game.step(action)
        oracle.step(action)
    return phases


@pytest.mark.parametrize("corner", CORNERS.values(), ids=CORNERS)
def test_corners_of_the_rules(corner: dict[str, Any]) -> None:
    phases = set()
    for seed in range(2):
        phases |= compare_games(Rules(**SMALL | corner), seed)
    assert "OVER" in phases


@st.composite
def small_rules(draw: st.DrawFn) -> Rules:
    """Any rules with few enough cards for lists of multisets."""
    num_players = draw(st.integers(2, 6))
    copies = draw(st.integers(2, 6))
    least_types = -(-num_players // copies)
    population_types = draw(st.integers(least_types, max(least_types, 3)))
    points = sorted(draw(st.lists(st.integers(0, 4), max_size=5)), reverse=True)
    return Rules(
        num_players=num_players,
        population_types=population_types,
        technology_types=draw(st.integers(1, 3)),
        copies=copies,
        hand_size=draw(st.integers(1, min(4, population_types * copies // num_players))),
        set_size=draw(st.integers(2, min(3, copies))),
        city_points=draw(st.integers(0, 5)),
        monument_points=(5, *points),
        num_cities=draw(st.integers(1, 8)),
        pair_points=draw(st.integers(0, 2)),
        max_draw=draw(st.integers(1, 5)),
        max_count=draw(st.integers(1, min(3, copies))),
        max_terms=draw(st.integers(1, 2)),
        wildcards=draw(st.booleans()),
        optional_draw=draw(st.booleans()),
        max_turns=draw(st.integers(1, 20)),
        auto_forced=draw(st.booleans()),
    )


@settings(deadline=None, max_examples=25)
@given(small_rules(), SEEDS)
def test_rules_drawn_at_random(rules: Rules, seed: int) -> None:
    compare_games(rules, seed, 150)


def test_the_corners_reach_every_phase() -> None:
    """The comparison would prove little if its games were all passes."""
    reached = set()
    for seed in range(2):
        reached |= compare_games(Rules(**SMALL | {"auto_forced": False}), seed)
    assert len(reached) == 9
