"""`Game`: seeds, decks, words, positions, refusals."""

import itertools
import json
import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from respublica_env import Game, IllegalAction, Rules
from tests.strategies import eager, fingerprint, game_digest, play

POPULATION = [k for k in range(5) for _ in range(12)]
TECHNOLOGY = [k for k in range(5, 10) for _ in range(12)]


def position_in(phase: str, seed: int = 0, **fields: Any) -> Game:
    """A game that has come to a phase."""
    game = Game(Rules(**{"num_players": 3, "max_turns": 12} | fields), seed=seed)
    for moment in play(game, eager(np.random.default_rng(seed))):
        if moment.phase == phase:
            return game
    raise AssertionError(f"seed {seed} never comes to {phase}")


# -- rules


def test_rules_as_an_object_a_dict_a_preset_and_nothing() -> None:
    assert Game(Rules.mini(), seed=1).to_dict() == Game("mini", seed=1).to_dict()
    assert Game({"num_players": 3}, seed=1).to_dict() == Game(Rules(num_players=3), seed=1).to_dict()
    assert Game(seed=1).rules == Rules()


@pytest.mark.parametrize("rules", ["huge", "", 4, ["mini"], {"players": 3}, {"num_players": 7}, Rules])
def test_what_are_no_rules_is_refused(rules: Any) -> None:
    with pytest.raises(ValueError, match=r"rules|num_players"):
        Game(rules, seed=0)


# -- seeds


@pytest.mark.parametrize("seed", [0, 7, 2**63 - 1])
def test_the_same_seed_is_the_same_game(seed: int) -> None:
    first = Game(seed=seed)
    assert fingerprint(first) == fingerprint(Game(seed=seed))
    for kind in (np.int64, np.uint64):
        assert fingerprint(Game(seed=kind(seed))) == fingerprint(first)
    assert type(Game(seed=np.int64(seed)).seed) is int


BAD_SEEDS = (-1, 2**63, 2**64, 1.0, float("nan"), np.nan, np.float64(3), "7", True, False, np.True_, [1], (1,))


@pytest.mark.parametrize("seed", BAD_SEEDS, ids=repr)
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed must be"):
        Game(seed=seed)
    game = Game(seed=3)
    before = fingerprint(game)
    with pytest.raises(ValueError, match="seed must be"):
        game.reset(seed=seed)
    assert fingerprint(game) == before


def test_a_seed_from_the_system_can_be_read_and_gives_the_same_game() -> None:
    game = Game()
    assert 0 <= game.seed < 2**63
    assert fingerprint(Game(seed=game.seed)) == fingerprint(game)
    assert Game().seed != game.seed


def test_reset_with_a_seed_deals_as_a_new_game() -> None:
    game = Game(seed=1)
    for _ in play(game, eager(np.random.default_rng(0)), 20):
        pass
    game.reset(seed=9)
    assert fingerprint(game) == fingerprint(Game(seed=9))


def test_reset_without_a_seed_goes_on_in_its_own_stream() -> None:
    game, other = Game(seed=1), Game(seed=1)
    game.reset()
    other.reset()
    assert fingerprint(game) == fingerprint(other)
    fresh = {fingerprint(Game(seed=seed))[:200] for seed in range(50)}
    assert fingerprint(game)[:200] not in fresh
    again = game.hands.tolist()
    game.reset()
    assert game.hands.tolist() != again


def test_play_does_not_change_what_the_next_reset_deals() -> None:
    played, idle = Game(seed=1), Game(seed=1)
    for _ in play(played, eager(np.random.default_rng(0))):
        pass
    played.reset()
    idle.reset()
    assert played.hands.tolist() == idle.hands.tolist()
    assert played.technology_deck == idle.technology_deck


# -- decks


def test_given_decks_are_dealt_in_their_order() -> None:
    game = Game(population_deck=POPULATION, technology_deck=TECHNOLOGY, seed=0)
    assert game.hands[:, :5].tolist() == [[4, 0, 0, 0, 0]] * 3 + [[0, 4, 0, 0, 0]]
    assert game.population_deck == POPULATION[16:]
    assert game.technology_deck == TECHNOLOGY
    reversed_deck = np.array(POPULATION[::-1])
    assert Game(population_deck=reversed_deck, technology_deck=iter(TECHNOLOGY)).hands[0].tolist()[:5] == [
        0,
        0,
        0,
        0,
        4,
    ]


def test_one_deck_given_leaves_the_other_as_the_seed_shuffles_it() -> None:
    shuffled = Game(seed=5)
    population = Game(seed=5, population_deck=POPULATION)
    technology = Game(seed=5, technology_deck=TECHNOLOGY)
    assert population.population_deck == POPULATION[16:]
    assert population.technology_deck == shuffled.technology_deck
    assert technology.technology_deck == TECHNOLOGY
    assert technology.hands.tolist() == shuffled.hands.tolist()
    population.reset()
    shuffled.reset()
    assert population.to_dict() == shuffled.to_dict()  # the streams do not depend on what was given


BAD_DECKS: dict[str, tuple[dict[str, Any], str]] = {
    "a card too many": ({"population_deck": [*POPULATION, 0]}, r"12 cards of each type .* holds 13 of type 0"),
    "a card too few": ({"population_deck": POPULATION[1:]}, r"12 cards of each type .* holds 11 of type 0"),
    "empty": ({"population_deck": []}, "holds 0 of type 0"),
    "the other back": ({"technology_deck": POPULATION}, "technology_deck must hold only types 5 to 9, it holds a 0"),
    "one of the other back": ({"population_deck": [*POPULATION, 5]}, "only types 0 to 4, it holds a 5"),
    "one of no type": ({"technology_deck": [*TECHNOLOGY, 10]}, "only types 5 to 9, it holds a 10"),
    "a negative type": ({"population_deck": [*POPULATION, -1]}, "only types 0 to 4, it holds a -1"),
    "floats": ({"population_deck": [float(k) for k in POPULATION]}, "population_deck must hold card types 0 to 4"),
    "words": ({"technology_deck": ["Wheel"] * 60}, "technology_deck must hold card types 5 to 9"),
    "a string": ({"technology_deck": "5" * 60}, "technology_deck must hold card types 5 to 9"),
    "None inside": ({"population_deck": [*POPULATION[1:], None]}, "population_deck must hold card types 0 to 4"),
    "bools": (
        {"population_deck": [bool(k) if k < 2 else k for k in POPULATION]},
        "population_deck must hold card types",
    ),
    "without an end": ({"population_deck": itertools.count()}, "only types 0 to 4, it holds a 5"),
    "a number": ({"population_deck": 5}, "population_deck must hold card types 0 to 4"),
    "two dimensions": ({"population_deck": [POPULATION]}, "population_deck must hold card types 0 to 4"),
}


@pytest.mark.parametrize(("decks", "message"), BAD_DECKS.values(), ids=BAD_DECKS)
def test_a_deck_that_cannot_be_is_refused(decks: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Game(seed=0, **decks)


@pytest.mark.parametrize("deck", ["population", "technology"])
def test_set_next_swaps_the_card_up_from_below(deck: str) -> None:
    game = Game(seed=2)
    before: list[int] = getattr(game, f"{deck}_deck")
    card = next(card for card in before if card != before[0])
    game.set_next(deck, card)
    expected = list(before)
    below = before.index(card)
    expected[0], expected[below] = before[below], before[0]
    assert getattr(game, f"{deck}_deck") == expected
    assert fingerprint(game)[-200:] == fingerprint(Game(seed=2))[-200:]  # nobody sees it


def test_the_card_set_next_is_drawn_next() -> None:
    for card in range(5):
        game = Game(seed=2)
        game.set_next("population", np.int64(card))
        had = game.hands[0, card]
        game.step(0)  # no trade; the only draw is one population card
        assert game.turn == 1 and game.hands[0, card] == had + 1


@pytest.mark.parametrize(
    ("deck", "card"),
    [("discard", 0), ("", 0), (None, 0), ("population", 5), ("technology", 0), ("population", -1), ("population", 99)]
    + [("population", card) for card in (True, "0", None, 1.5, float("nan"))]
    + [("population", card) for card in (1.0, np.True_, [1], np.array([1]), np.arange(60), Decimal(1))]
    + [(["population"], 1), (np.array(["population"] * 2), 1)],
)
def test_set_next_refuses_what_it_cannot_do(deck: Any, card: Any) -> None:
    game = Game(seed=2)
    before = fingerprint(game)
    with pytest.raises(ValueError, match=r"deck must be|has no card of type"):
        game.set_next(deck, card)
    assert fingerprint(game) == before


# -- words


def test_actions_in_words_and_back() -> None:
    game = Game(seed=0)
    assert game.describe(game.parse("offer 2 Roman")) == "offer 2 Roman"
    for action in game.legal_actions():
        assert game.parse(game.describe(action)) == action
    for words in ("offer 5 Roman", "give up", "", "Roman"):
        with pytest.raises(ValueError):
            game.parse(words)


def test_why_illegal_names_the_action_the_phase_and_what_is_legal() -> None:
    game = Game(population_deck=POPULATION, technology_deck=TECHNOLOGY)
    offer = game.parse("offer 1 Greek")
    message = game.why_illegal(offer)
    for part in (f"action {offer}", '"offer 1 Greek"', "illegal for player 0 in ANNOUNCE", '"offer 1 Roman"', "more"):
        assert part in message
    with pytest.raises(IllegalAction) as raised:
        game.step(offer)
    assert str(raised.value) == message
    assert isinstance(raised.value, ValueError)
    assert "ANNOUNCE does not take it" in game.why_illegal(game.parse("draw 1 population"))
    assert "is legal for player 0 in ANNOUNCE" in game.why_illegal(0)
    assert "action 240 does not exist, actions go from 0 to 239" in game.why_illegal(240)
    assert "action -1 does not exist" in game.why_illegal(-1)
    for action in (1.0, True, "pass", None):
        assert "an action is a whole number from 0 to 239" in game.why_illegal(action)


@pytest.mark.parametrize(
    "phase", ["EXTEND", "RESPOND", "ACCEPT", "HAND_OVER", "CONVERT", "DRAW", "FINAL_CONVERT", "OVER"]
)
def test_why_illegal_in_every_phase(phase: str) -> None:
    game = position_in(phase, optional_draw=True, auto_forced=False)
    wrong = next(iter(np.flatnonzero(game.action_mask() == 0)))
    expected = "the game is over" if phase == "OVER" else f"illegal for player {game.player} in {phase}"
    assert expected in game.why_illegal(wrong)


def test_a_step_after_the_end_is_illegal() -> None:
    game = position_in("OVER")
    before = fingerprint(game)
    with pytest.raises(IllegalAction, match="the game is over"):
        game.step(0)
    with pytest.raises(IllegalAction, match="the game is over"):
        game.play_bot("random")
    assert fingerprint(game) == before


class Broken:
    """Its repr raises: a refusal must not."""

    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("value", [Broken(), np.zeros((3, 3)), ["long"] * 10_000, 10**3000], ids=type)
def test_a_refusal_is_one_line_that_can_be_read(value: Any) -> None:
    """Whatever was given: it is named, cut short, in one line."""
    game = Game("mini", seed=0)
    before = fingerprint(game)
    for ask in (
        lambda: Game(seed=value),
        lambda: Game(value),
        lambda: Game(population_deck=value),
        lambda: Game(population_deck=[value]),
        lambda: game.step(value),
        lambda: game.observation(value),
        lambda: game.describe(value),
        lambda: game.parse(value),
        lambda: game.set_next(value, 0),
        lambda: game.set_next("population", value),
        lambda: game.play_bot(value),
        lambda: Game.from_dict({**game.to_dict(), "hands": value}),
        lambda: Game.from_dict({**game.to_dict(), "turn": value}),
        lambda: Game.from_dict({**game.to_dict(), "said": [value, None]}),
        lambda: Game.from_dict({**game.to_dict(), "phase": value}),
    ):
        with pytest.raises(ValueError) as refused:
            ask()
        assert "\n" not in str(refused.value) and len(str(refused.value)) < 600
    assert fingerprint(game) == before


@pytest.mark.parametrize("seat", [-1, 3, 0.0, "0", True, float("nan")])
def test_what_is_no_seat_is_refused(seat: Any) -> None:
    game = Game(Rules(num_players=3), seed=0)
    for ask in (game.observation, game.known):
        with pytest.raises(ValueError, match="seat must be from 0 to 2"):
            ask(seat)


# -- copies and positions


def test_pickle_and_copy_keep_everything() -> None:
    game = position_in("RESPOND", seed=4)
    for other in (pickle.loads(pickle.dumps(game)), game.copy()):
        assert fingerprint(other) == fingerprint(game)
        one, two = eager(np.random.default_rng(1)), eager(np.random.default_rng(1))
        mine = game.copy()
        for here, there in zip(play(mine, one), play(other, two), strict=True):
            assert fingerprint(here) == fingerprint(there)
        mine.reset()
        other.reset()
        assert fingerprint(mine) == fingerprint(other)  # the random streams went along


def test_a_position_is_json() -> None:
    game = position_in("HAND_OVER", seed=4)
    assert json.loads(json.dumps(game.to_dict())) == game.to_dict()


def test_without_streams_a_position_starts_them_from_its_seed_and_without_that_from_0() -> None:
    position = position_in("RESPOND", seed=6).to_dict()
    del position["streams"]
    game = Game.from_dict(position)
    assert game.seed == 6
    game.reset()
    assert fingerprint(game) == fingerprint(Game(game.rules, seed=6))
    del position["seed"]
    game = Game.from_dict(position)
    assert game.seed == 0
    game.reset()
    assert fingerprint(game) == fingerprint(Game(game.rules, seed=0))


@pytest.mark.parametrize("position", [None, [], "x", 7, {}, {"phase": "DRAW"}], ids=repr)
def test_what_is_no_position_is_refused(position: Any) -> None:
    with pytest.raises(ValueError, match="a position is a dict"):
        Game.from_dict(position)


# -- a whole game, kept

# These guard what "version 0" means: they may change only with the version of the environment's id. They were made by
# running `game_digest`; a change of the rules, the deal, the observation or the action ids changes them.
DIGESTS: dict[str, tuple[Rules, str]] = {
    "published, 4 players": (Rules(), "3fa1e843619b7c5978609e96c6c711b2e0c4513b07cbd4920df5d6ebcc19d232"),
    "published, 3 players": (Rules(num_players=3), "93f8234297e7900798de5d8b4b7a7a40a48e354b51876425512c53a9f220ad5d"),
    "two players, wide": (
        Rules(num_players=2, population_types=8, technology_types=2, set_size=3, wildcards=False),
        "0117ef3f0f3e7d2a35e61301fdb14d2722b33974122e014326ff1f7d63426e8f",
    ),
    "every decision by hand": (
        Rules(num_players=5, copies=6, set_size=2, optional_draw=True, auto_forced=False, max_turns=60),
        "6f16f347e04fad19ee4485f453e2bf9b183c2bffe9f56858c3853c87caa656fd",
    ),
}


@pytest.mark.parametrize(("rules", "digest"), DIGESTS.values(), ids=DIGESTS)
def test_a_seeded_episode_is_what_it_always_was(rules: Rules, digest: str) -> None:
    assert game_digest(rules, seed=2024) == digest


def test_rules_with_too_many_actions_for_a_mask_are_refused() -> None:
    with pytest.raises(ValueError, match=r"max_draw 1000000000 makes .* actions; the engine plays"):
        Game(Rules(max_draw=10**9))
    assert Game(Rules(max_draw=1000), seed=0).rules.num_actions == len(Game(Rules(max_draw=1000), seed=0).action_mask())
