"""The compiled traders: legal under all rules, blind to what is hidden, and of some sense."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respublica_env import Batch, Game, Rules
from respublica_env.engine.room import room_for_runs, weights_of_room
from respublica_env.engine.state import BUILT
from respublica_env.engine.weights import LIMITS, RIVAL_TERMS, TRADER_NAMES, WEIGHTS, trader_weights
from respublica_env.opponents import BOTS
from tests.strategies import rules

TRADERS = [BOTS[name] for name in TRADER_NAMES]
GREEDY = BOTS["greedy"]


def win_share(seats: list[int], games: int = 400) -> float:
    """Of the first of `seats`, in all places."""
    total = 0.0
    for turn in range(len(seats)):
        batch = Batch(Rules(num_players=len(seats)), games, seed=0, controllers=np.roll(seats, turn))
        best = batch.scores == batch.scores.max(axis=1, keepdims=True)
        total += float((best / best.sum(axis=1, keepdims=True))[:, turn].mean())
    return total / len(seats)


@settings(deadline=None, max_examples=150)
@given(rules(), st.sampled_from(TRADER_NAMES), st.integers(0, 2**31))
def test_every_choice_is_legal_under_all_rules(rule_set: Rules, name: str, seed: int) -> None:
    game = Game(rule_set, seed=seed)
    while not game.terminated:
        game.play_bot(name)  # `step` refuses an illegal action


HAND_OVER_RULES = {
    "everything by hand": {"auto_forced": False},
    "without wildcards": {"wildcards": False},
    "one term": {"max_terms": 1},
    "one card": {"max_count": 1, "max_terms": 1},
    "large": {"num_players": 6, "population_types": 8, "technology_types": 8, "copies": 24, "max_count": 24},
    "draw what you like": {"optional_draw": True, "max_draw": 5},
    "two players": {"num_players": 2},
    "nothing for cities": {"city_points": 0, "pair_points": 5},
}


@pytest.mark.parametrize("fields", HAND_OVER_RULES.values(), ids=HAND_OVER_RULES)
def test_whole_games_under_unusual_rules(fields: dict[str, Any]) -> None:
    for seed in range(3):
        game = Game(Rules(**fields), seed=seed)
        while not game.terminated:
            game.play_bot(TRADER_NAMES[seed])


def test_the_variants_differ_from_the_trader_in_what_their_names_say() -> None:
    trader, selfish, hoarder = trader_weights()
    rival = [WEIGHTS.index(name) for name in RIVAL_TERMS]
    assert (selfish[rival] == 0).all() and (trader[rival] > 0).any()
    assert (np.delete(selfish, rival) == np.delete(trader, rival)).all()
    changed = [WEIGHTS[i] for i in np.flatnonzero(hoarder != trader)]
    assert changed == ["MARGIN"]
    least, most = np.array(LIMITS).T
    assert (least <= trader).all() and (trader <= most).all()


def test_each_thread_brings_the_weights_and_they_count() -> None:
    room = room_for_runs(2)
    assert (weights_of_room(room) == trader_weights()).all()
    batch = Batch(Rules(), 20, seed=0, controllers=TRADERS[0])
    as_tuned = batch.scores
    weights_of_room(batch._runs)[:, 0, WEIGHTS.index("MARGIN")] = 1e6
    batch.reset(seeds=0)
    assert (batch.scores != as_tuned).any()


def test_the_trader_beats_random_players() -> None:
    assert win_share([TRADERS[0], 0, 0, 0]) > 0.95


def test_the_trader_beats_greedy_players() -> None:
    assert win_share([TRADERS[0], GREEDY, GREEDY, GREEDY]) > 0.7  # par is 0.25


def test_the_trader_beats_traders_that_do_not_mind_rivals() -> None:
    assert win_share([TRADERS[0], *[TRADERS[1]] * 3]) > 0.27


def played(rule_set: Rules, name: str, seed: int) -> list[tuple[str, int, str]]:
    """A game: phase, player and words of each decision."""
    game, told = Game(rule_set, seed=seed), []
    while not game.terminated:
        phase, player = game.phase, game.player
        assert player is not None
        told.append((phase, player, game.describe(game.play_bot(name))))
    return told


def cards_named(words: str) -> int:
    """Cards of a description; of an "or" the fewer ones."""
    counts = [int(word) for word in words.split() if word.isdigit()]
    return min(counts) if " or " in words else sum(counts)


def test_traders_have_game_sense() -> None:
    """A trade in at least 35 % of turns, words joined or "any" in 10 % of announcements, both offers and searches."""
    said: dict[int, str] = {}
    announcements, sizes, turns = [], [], 0
    for seed in range(30):
        speaker = 0
        for phase, player, words in played(Rules(), "trader", seed):
            if phase == "ANNOUNCE":
                turns, said = turns + 1, {}
            if phase in ("ANNOUNCE", "RESPOND") and words != "pass":
                speaker, said[player] = player, words
            elif phase == "EXTEND" and words != "pass":
                said[speaker] += f" {words}"
            elif phase == "ACCEPT":
                announcements.append(said[player])
                if words != "pass":
                    partner = (player + int(words.split("+")[1])) % 4
                    sizes.append(cards_named(said[player]) + cards_named(said[partner]))
    rich = [words for words in announcements if {"and", "or", "any"} & set(words.split())]
    offers = [words for words in announcements if words.startswith("offer")]
    assert len(sizes) / turns > 0.35
    assert np.median(sizes) >= 2
    assert len(rich) / len(announcements) > 0.1
    assert 0.05 < len(offers) / len(announcements) < 0.95


def test_no_answer_sends_back_what_is_announced() -> None:
    answers = 0
    for seed in range(10):
        announced = ""
        for phase, _, words in played(Rules(), "trader", seed):
            kind = words.split(" ", 2)[-1]
            if phase == "ANNOUNCE":
                announced = kind
            elif phase == "RESPOND" and words != "pass":
                answers += 1
                assert kind != announced
    assert answers > 100


def test_traders_build_most_monuments_and_come_to_an_end() -> None:
    batch = Batch(Rules(), 400, seed=0, controllers=TRADERS[0])
    assert batch.get_state()["rows"][:, BUILT].mean() > 9
    assert batch.stalled.mean() <= 0.03


def test_hoarders_trade_rarely() -> None:
    count = {
        name: sum(
            phase == "ACCEPT" and words != "pass"
            for seed in range(5)
            for phase, _, words in played(Rules(), name, seed)
        )
        for name in ("trader", "trader:hoarder")
    }
    assert count["trader:hoarder"] < count["trader"] / 2
