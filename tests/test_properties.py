"""What must hold in every game, under any rules and any play."""

import contextlib

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from respublica_env import Game, IllegalAction, Rules
from respublica_env.engine.state import BACKS, make_spec
from tests.strategies import SEEDS, eager, fingerprint, play, positions, rules

some = settings(deadline=None, max_examples=60)
few = settings(deadline=None, max_examples=25)


def known_holdings(game: Game) -> np.ndarray:
    """int `(n + 1, n, K)`, the spectator last."""
    seats = range(game.rules.num_players)
    return np.stack([game.known(seat) for seat in seats] + [game.known(None)])


@some
@given(rules(), SEEDS, SEEDS)
def test_cards_are_conserved(rule_set: Rules, seed: int, play_seed: int) -> None:
    for game in play(Game(rule_set, seed=seed), eager(np.random.default_rng(play_seed))):
        decks = np.bincount(game.population_deck + game.technology_deck, minlength=rule_set.num_types)
        total = game.hands.sum(axis=0) + game.spent + decks
        assert (total == rule_set.copies).all()


@some
@given(rules(), SEEDS, SEEDS)
def test_the_stored_hand_sizes_are_those_of_the_hands(rule_set: Rules, seed: int, play_seed: int) -> None:
    n, population = rule_set.num_players, rule_set.population_types
    start = int(make_spec(rule_set)[BACKS])
    for game in play(Game(rule_set, seed=seed), eager(np.random.default_rng(play_seed))):
        stored = game.__getstate__()["row"][start : start + 2 * n].reshape(n, 2)
        assert (stored[:, 0] == game.hands[:, :population].sum(axis=1)).all()
        assert (stored[:, 1] == game.hands[:, population:].sum(axis=1)).all()


@some
@given(rules(), SEEDS, SEEDS)
def test_no_hand_is_negative(rule_set: Rules, seed: int, play_seed: int) -> None:
    for game in play(Game(rule_set, seed=seed), eager(np.random.default_rng(play_seed))):
        assert game.hands.min() >= 0
        assert game.spent.min() >= 0


@some
@given(rules(), SEEDS, SEEDS)
def test_somebody_can_act_until_the_end_and_the_end_comes(rule_set: Rules, seed: int, play_seed: int) -> None:
    for game in play(Game(rule_set, seed=seed), eager(np.random.default_rng(play_seed))):
        legal = game.legal_actions()
        assert (len(legal) == 0) == game.terminated == (game.player is None) == (game.phase == "OVER")
        assert (game.action_mask()[legal] == 1).all() and game.action_mask().sum() == len(legal)
        assert game.terminated or not rule_set.auto_forced or len(legal) > 1
    assert game.terminated
    assert game.stalled == (not game.final_round)
    assert game.turn <= rule_set.max_turns + rule_set.num_players


@few
@given(positions())
def test_an_illegal_action_raises_and_changes_not_one_byte(game: Game) -> None:
    before = fingerprint(game)
    row = game.__getstate__()["row"].tobytes()
    for action in np.flatnonzero(game.action_mask() == 0).tolist():
        with pytest.raises(IllegalAction):
            game.step(action)
        assert game.__getstate__()["row"].tobytes() == row, action
    assert fingerprint(game) == before


NO_ACTIONS = (True, False, np.True_, 0.0, 1.5, float("nan"), np.float32(0), "0", "pass", None, [0], (), b"0", 2**70)


@few
@given(positions())
def test_what_is_no_action_id_raises_and_changes_not_one_byte(game: Game) -> None:
    before = fingerprint(game)
    size = game.rules.num_actions
    for action in (
        *NO_ACTIONS,
        -1,
        size,
        size + 1,
        -size,
        -(2**70),
        np.int64(-1),
        np.uint64(2**64 - 1),
        np.zeros(1, int),
    ):
        with pytest.raises(IllegalAction):
            game.step(action)  # type: ignore[arg-type]
        assert fingerprint(game) == before


@some
@given(rules(), SEEDS, SEEDS)
def test_known_holdings_never_exceed_the_truth(rule_set: Rules, seed: int, play_seed: int) -> None:
    seats = np.arange(rule_set.num_players)
    for game in play(Game(rule_set, seed=seed), eager(np.random.default_rng(play_seed))):
        known = known_holdings(game)
        assert known.min() >= 0
        assert (known <= game.hands).all()
        assert not known[seats, seats].any()


@some
@given(rules(), SEEDS, SEEDS)
def test_the_spectator_never_knows_more_than_a_seat(rule_set: Rules, seed: int, play_seed: int) -> None:
    own = np.eye(rule_set.num_players, dtype=bool)
    for game in play(Game(rule_set, seed=seed), eager(np.random.default_rng(play_seed))):
        known = known_holdings(game)
        assert ((known[-1] <= known[:-1]) | own[:, :, None]).all()


@some
@given(rules(), SEEDS, SEEDS)
def test_every_observation_lies_in_0_to_1(rule_set: Rules, seed: int, play_seed: int) -> None:
    for game in play(Game(rule_set, seed=seed), eager(np.random.default_rng(play_seed))):
        for seat in range(rule_set.num_players):
            seen = game.observation(seat)
            assert seen.shape == (rule_set.observation_size,) and seen.dtype == np.float32
            assert seen.min() >= 0 and seen.max() <= 1  # NaN fails both


@some
@given(positions(), SEEDS)
def test_copies_share_no_state(game: Game, play_seed: int) -> None:
    before = fingerprint(game)
    copy = game.copy()
    assert fingerprint(copy) == before
    for _ in play(copy, eager(np.random.default_rng(play_seed))):
        pass
    assert fingerprint(game) == before
    copy = game.copy()
    after = fingerprint(copy)
    for _ in play(game, eager(np.random.default_rng(play_seed))):
        pass
    assert fingerprint(copy) == after


@few
@given(positions())
def test_what_a_game_hands_out_is_not_its_state(game: Game) -> None:
    before = fingerprint(game)
    seats = range(game.rules.num_players)
    for array in (game.hands, game.spent, game.action_mask(), game.legal_actions(), game.known(None)):
        array[:] = 7
    for seat in seats:
        game.observation(seat)[:] = 0.5
        game.known(seat)[:] = 9
    for numbers in (game.cities, game.population_deck, game.technology_deck, game.scores(), *game.monuments):
        numbers.append(3)
    game.to_dict()["hands"][0][0] += 1
    game.__getstate__()["row"][:] = 0
    assert fingerprint(game) == before


@some
@given(rules(auto_forced=True), SEEDS, SEEDS)
def test_auto_forced_on_and_off_are_the_same_game(rule_set: Rules, seed: int, play_seed: int) -> None:
    fast = Game(rule_set, seed=seed)
    slow = Game(Rules.from_dict(rule_set.to_dict() | {"auto_forced": False}), seed=seed)
    choose = eager(np.random.default_rng(play_seed))
    while True:
        while len(slow.legal_actions()) == 1:
            slow.step(slow.legal_actions()[0])
        assert fingerprint(slow) == fingerprint(fast)
        if fast.terminated:
            break
        action = choose(fast)
        fast.step(action)
        slow.step(action)


def swap_what_is_hidden(game: Game, seat: int, rng: np.random.Generator) -> Game:
    """The game with the decks in another order, and cards of the others exchanged among them and with the decks.

    What the others know of one another is set to what everybody knows: `seat` cannot know it either. Exchanges that
    the others' words or known holdings forbid are left out: `from_dict` refuses them.
    """
    position = game.to_dict()
    n, population = game.rules.num_players, game.rules.population_types
    others = [q for q in range(n) if q != seat]
    for q in others:
        for r in others:
            if q != r:
                position["known"][q][r] = list(position["public"][r])
    position["streams"] = [int(word) for word in rng.integers(2**63, size=n + 2)]
    for name in ("population_deck", "technology_deck"):
        position[name] = rng.permutation(position[name]).tolist()
    changed = Game.from_dict(position)
    for _ in range(20):
        trial = changed.to_dict()
        hands = trial["hands"]
        q, r = rng.choice(others, 2)
        held = np.flatnonzero(hands[q])
        if len(held) == 0:
            continue
        k = int(rng.choice(held))
        deck = trial["population_deck" if k < population else "technology_deck"]
        same_back = [card for card in np.flatnonzero(hands[r]) if (card < population) == (k < population)]
        if deck and (rng.random() < 0.5 or not same_back):
            other, deck[-1] = deck[-1], k
        elif same_back:
            other = int(rng.choice(same_back))
            hands[r][other] -= 1
            hands[r][k] += 1
        else:
            continue
        hands[q][k] -= 1
        hands[q][other] += 1
        with contextlib.suppress(ValueError):
            changed = Game.from_dict(trial)
    return changed


@some
@given(positions(), st.integers(0, 5), SEEDS)
def test_what_a_seat_cannot_know_does_not_show(game: Game, number: int, swap_seed: int) -> None:
    seat = number % game.rules.num_players
    changed = swap_what_is_hidden(game, seat, np.random.default_rng(swap_seed))
    assert changed.observation(seat).tobytes() == game.observation(seat).tobytes()
    assert changed.player == game.player
    if game.player == seat:
        assert changed.action_mask().tobytes() == game.action_mask().tobytes()


def test_swapping_does_swap() -> None:
    """The test above would prove nothing if its exchanges were all refused."""
    game = Game(Rules(num_players=4), seed=1)
    rng = np.random.default_rng(0)
    changed = swap_what_is_hidden(game, 0, rng)
    assert (changed.hands[0] == game.hands[0]).all()
    assert (changed.hands != game.hands).any()
    assert changed.population_deck != game.population_deck


@some
@given(rules(), SEEDS, SEEDS)
def test_positions_go_to_dicts_and_back(rule_set: Rules, seed: int, play_seed: int) -> None:
    for game in play(Game(rule_set, seed=seed), eager(np.random.default_rng(play_seed)), 60):
        again = Game.from_dict(game.to_dict())
        assert again.to_dict() == game.to_dict()
        assert again.action_mask().tobytes() == game.action_mask().tobytes()
        for seat in range(rule_set.num_players):
            assert again.observation(seat).tobytes() == game.observation(seat).tobytes()


@few
@given(positions(over=False), SEEDS)
def test_a_position_from_a_dict_plays_on_to_the_same_end(game: Game, play_seed: int) -> None:
    assume(not game.terminated)
    again = Game.from_dict(game.to_dict())
    one, other = eager(np.random.default_rng(play_seed)), eager(np.random.default_rng(play_seed))
    for here, there in zip(play(game, one), play(again, other), strict=True):
        assert here.to_dict() == there.to_dict()
    assert game.scores() == again.scores()
