"""A determinization: a position that a seat could believe it is in."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respublica_env import Game, Rules
from respublica_env.engine.state import DECKS, make_spec
from tests.strategies import SEEDS, eager, fingerprint, play, positions
from tests.test_properties import swap_what_is_hidden

some = settings(deadline=None, max_examples=80)

PUBLIC_KEYS = (
    "rules",
    "phase",
    "active",
    "player",
    "turn",
    "final_round",
    "final_turns_left",
    "final_converts_left",
    "stalled",
    "cities",
    "monuments",
    "spent",
    "said",
    "partner",
    "public",
)


def hand_sizes(game: Game) -> list[list[int]]:
    population = game.rules.population_types
    return [[int(hand[:population].sum()), int(hand[population:].sum())] for hand in game.hands]


def assert_agrees(world: Game, game: Game, seat: int) -> None:
    """Everything that `seat` can see, and what RULES.md section 9 says of the rest."""
    there, here = world.to_dict(), game.to_dict()
    for key in PUBLIC_KEYS:
        assert there[key] == here[key], key
    assert hand_sizes(world) == hand_sizes(game)
    for deck in ("population_deck", "technology_deck"):
        assert len(there[deck]) == len(here[deck])
    assert there["hands"][seat] == here["hands"][seat]
    assert there["known"][seat] == here["known"][seat]
    for side, giver in enumerate((game.active, here["partner"])):
        assert sum(there["chosen"][side]) == sum(here["chosen"][side])
        assert giver != seat or there["chosen"][side] == here["chosen"][side]
    for q in range(game.rules.num_players):
        for r in range(game.rules.num_players):
            if q != seat and q != r:
                assert there["known"][q][r] == (here["known"][q][r] if r == seat else here["public"][r])
    assert world.observation(seat).tobytes() == game.observation(seat).tobytes()
    if game.player == seat:
        assert world.action_mask().tobytes() == game.action_mask().tobytes()


@some
@given(positions(), st.integers(0, 5), SEEDS)
def test_agrees_with_all_that_its_seat_can_see(game: Game, number: int, seed: int) -> None:
    seat = number % game.rules.num_players
    before = fingerprint(game)
    assert_agrees(game.determinize(seat, np.random.default_rng(seed)), game, seat)
    assert fingerprint(game) == before  # and the game itself has not changed


@some
@given(positions(), st.integers(0, 5), SEEDS)
def test_is_a_possible_position_with_a_legal_action(game: Game, number: int, seed: int) -> None:
    world = game.determinize(number % game.rules.num_players, np.random.default_rng(seed))
    assert world.terminated or len(world.legal_actions()) > 0
    again = Game.from_dict(world.to_dict())
    assert again.to_dict() == world.to_dict()
    assert again.action_mask().tobytes() == world.action_mask().tobytes()


@some
@given(positions(over=False), st.integers(0, 5), SEEDS)
def test_plays_on_to_an_end(game: Game, number: int, seed: int) -> None:
    world = game.determinize(number % game.rules.num_players, np.random.default_rng(seed))
    for moment in play(world, eager(np.random.default_rng(seed))):
        assert moment.hands.min() >= 0
        assert all((moment.known(seat) <= moment.hands).all() for seat in range(game.rules.num_players))
    assert world.terminated


@some
@given(positions(), st.integers(0, 5), SEEDS, SEEDS)
def test_depends_only_on_what_its_seat_sees_and_on_the_generator(
    game: Game, number: int, seed: int, swap_seed: int
) -> None:
    """Two truths that look the same to the seat give the same world, byte for byte: nothing of the truth leaks."""
    seat = number % game.rules.num_players
    game = Game.from_dict(game.to_dict())  # which of equal monuments was built first is in the row, not in a dict
    other_truth = swap_what_is_hidden(game, seat, np.random.default_rng(swap_seed))
    other_truth = other_truth.determinize(seat, np.random.default_rng(swap_seed))
    one = game.determinize(seat, np.random.default_rng(seed))
    other = other_truth.determinize(seat, np.random.default_rng(seed))
    assert fingerprint(one) == fingerprint(other)


@some
@given(positions(), st.integers(0, 5), SEEDS)
def test_tells_nothing_of_seed_and_streams(game: Game, number: int, seed: int) -> None:
    world = game.determinize(number % game.rules.num_players, np.random.default_rng(seed))
    assert world.seed != game.seed
    assert not set(world.to_dict()["streams"]) & set(game.to_dict()["streams"])


def test_the_cards_already_drawn_are_not_left_in_it() -> None:
    """The row keeps the whole decks, so that the true deal could be read from a world's bytes."""
    game = Game(Rules(), seed=1)
    start, drawn = int(make_spec(game.rules)[DECKS]), 4 * 4
    assert game.__getstate__()["row"][start : start + drawn].any()
    world = game.determinize(0, np.random.default_rng(0))
    assert not world.__getstate__()["row"][start : start + drawn].any()


def test_many_draws_reach_many_hands() -> None:
    game = Game(Rules(num_players=3), seed=4)
    for _ in play(game, eager(np.random.default_rng(1)), 60):
        pass
    for seat in range(3):
        rng = np.random.default_rng(2)
        worlds = [game.determinize(seat, rng) for _ in range(100)]
        assert len({world.hands.tobytes() for world in worlds}) > 50
        assert len({tuple(world.population_deck) for world in worlds}) > 90
        assert len({tuple(world.technology_deck) for world in worlds}) > 90


@pytest.mark.parametrize("phase", ["EXTEND", "RESPOND", "ACCEPT", "HAND_OVER", "CONVERT", "DRAW", "FINAL_CONVERT"])
def test_many_draws_reach_different_hands_in_every_phase(phase: str) -> None:
    game = Game(Rules(num_players=3, max_turns=10, auto_forced=False), seed=11)
    for moment in play(game, eager(np.random.default_rng(3))):
        if moment.phase == phase:
            break
    assert game.phase == phase
    rng = np.random.default_rng(0)
    for seat in range(3):
        assert len({game.determinize(seat, rng).hands.tobytes() for _ in range(60)}) > 10


def test_hidden_cards_are_dealt_with_equal_chance() -> None:
    """Mini: seat 0 holds two of six cards, three and three of two types; seat 1 two of the other four at random."""
    game = Game(Rules.mini(), seed=0, population_deck=[0, 0, 1, 1, 0, 1], technology_deck=[2, 2, 2])
    rng = np.random.default_rng(0)
    draws = 3000
    hands = Counter(tuple(game.determinize(0, rng).hands[1].tolist()) for _ in range(draws))
    # Hidden are one card of type 0 and three of type 1: of the six pairs, three hold the first.
    assert set(hands) == {(1, 1, 0), (0, 2, 0)}
    assert abs(hands[1, 1, 0] / draws - 1 / 2) < 0.04  # four standard deviations


def searching_game() -> Game:
    """Seat 0 seeks 4 of type 0 or 4 of type 1, seat 1 holds four of type 1 and answers, seat 2 passes."""
    rules = Rules(num_players=3)
    rest = [k for k in range(5) for _ in range(12)]
    hands = [0, 2, 2, 3, 1, 1, 1, 1, 0, 2, 3, 4]
    for card in hands:
        rest.remove(card)
    game = Game(rules, seed=3, population_deck=hands + rest)
    for words in ("seek 4 Roman", "or 4 Babylonian", "seek 1 Roman", "nothing more"):
        game.step(game.parse(words))
    return game


def test_an_answer_to_an_or_search_stays_payable_though_it_is_rare() -> None:
    """Four of a type among four cards come about once in thousands of deals: dealing again alone would not do."""
    game = searching_game()
    seen = set()
    rng = np.random.default_rng(5)
    for _ in range(60):
        world = game.determinize(0, rng)
        assert_agrees(world, game, 0)
        assert Game.from_dict(world.to_dict()).to_dict() == world.to_dict()
        assert world.hands[1][0] == 4 or world.hands[1][1] == 4
        seen.add(tuple(world.hands[1].tolist()))
    assert len(seen) == 2  # both ways are drawn


@pytest.mark.parametrize("finished", [False, True])
@pytest.mark.parametrize("second", ["nothing more", "and 1 any card", "or 3 any card"])
def test_cards_that_another_seat_has_chosen_are_chosen_anew(second: str, finished: bool) -> None:
    """As many, on the way to a payment; the seat that chose them keeps its own choice."""
    hands = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 4]
    rest = [k for k in range(5) for _ in range(12)]
    for card in hands:
        rest.remove(card)
    game = Game(Rules(num_players=3, auto_forced=False), seed=3, population_deck=hands + rest)
    for words in ("offer 2 any population", second, "offer 1 Roman", "nothing more"):
        game.step(game.parse(words))
    game.step(0)  # seat 2 passes
    game.step(game.legal_actions()[-1])  # seat 0 takes the answer of seat 1
    cards = {"and 1 any card": 3}.get(second, 2) if finished else 1
    for _ in range(cards):
        game.step(game.legal_actions()[-1])
    if finished:
        game.step(0)
    assert (game.phase, game.player) == ("HAND_OVER", 1 if finished else 0)
    truth, rng = game.to_dict()["chosen"][0], np.random.default_rng(0)
    for seat in range(3):
        seen = set()
        for _ in range(40):
            world = game.determinize(seat, rng)
            assert_agrees(world, game, seat)
            assert Game.from_dict(world.to_dict()).to_dict() == world.to_dict()
            seen.add(tuple(world.to_dict()["chosen"][0]))
        if seat == 0:
            assert seen == {tuple(truth)}
        else:
            assert len(seen) > 1


@pytest.mark.parametrize("seat", [-1, 3, 1.0, "0", None, True])
def test_refuses_what_is_no_seat(seat: object) -> None:
    game = Game(Rules(num_players=3), seed=0)
    with pytest.raises(ValueError, match="seat must be from 0 to 2"):
        game.determinize(seat, np.random.default_rng(0))  # type: ignore[arg-type]


@pytest.mark.parametrize("rng", [None, 7, np.random.RandomState(0), "rng"])
def test_refuses_what_is_no_generator(rng: object) -> None:
    game = Game(Rules(num_players=3), seed=0)
    with pytest.raises(ValueError, match=r"rng must be a numpy\.random\.Generator"):
        game.determinize(0, rng)  # type: ignore[arg-type]
