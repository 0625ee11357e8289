"""Compiled bots and `controllers`: bots play on inside the batch, see what their seat may see, change no deal."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respublica_env import Batch, Game, Rules
from respublica_env.engine.bots import BOT_NAMES
from respublica_env.engine.state import DECKS, STREAMS, make_spec
from tests.strategies import SEEDS, batch_fingerprint, fingerprint, positions, random_actions, rules
from tests.test_properties import swap_what_is_hidden

SHORT = Rules(num_players=3, copies=6, set_size=2, max_turns=8)
BOTS = range(len(BOT_NAMES))
some = settings(deadline=None, max_examples=40)


def by_hand(rule_set: Rules, seed: int, controllers: list[int], choose: Callable[[Game], int]) -> Game:
    """A whole game with `play_bot` for the seats of bots, `choose` for the others, one decision after the other."""
    game = Game(rule_set, seed=seed)
    while not game.terminated:
        number = controllers[game.player or 0]
        if number >= 0:
            game.play_bot(BOT_NAMES[number])
        else:
            game.step(choose(game))
    return game


def deals(batch: Batch) -> np.ndarray:
    """Both decks as they lay before the hands were dealt, one row for each game: rows keep them to the end."""
    spec = make_spec(batch.rules)
    return batch.get_state()["rows"][:, spec[DECKS] : spec[STREAMS]]


@some
@given(rules(), st.integers(0, 2**63 - 100), st.data())
def test_a_batch_of_bots_plays_as_a_game_in_which_they_play_one_by_one(
    rule_set: Rules, seed: int, data: st.DataObject
) -> None:
    """The seats of callers take the first action, or the last."""
    n = rule_set.num_players
    controllers = data.draw(st.lists(st.integers(-1, len(BOT_NAMES) - 1), min_size=n, max_size=n))
    batch = Batch(rule_set, num_games=2, seed=seed, controllers=controllers)
    while not batch.terminated.all():
        assert all(player < 0 or controllers[player] < 0 for player in batch.player)
        actions = [np.flatnonzero(mask)[-1] if mask.any() else 0 for mask in batch.action_masks]
        batch.step(actions)
    for i in range(2):
        alone = by_hand(rule_set, seed + i, controllers, lambda game: int(game.legal_actions()[-1]))
        assert fingerprint(batch.game(i)) == fingerprint(alone)


@pytest.mark.parametrize("bot", BOTS, ids=BOT_NAMES)
def test_games_of_bots_alone_finish_at_once(bot: int) -> None:
    batch = Batch(Rules(), num_games=20, seed=0, controllers=np.full((20, 4), bot))
    assert batch.terminated.all()
    assert (batch.player == -1).all() and not batch.action_masks.any()
    assert (batch.scores.sum(axis=1) > 0).all()
    before = batch_fingerprint(batch)
    batch.step([0] * 20)
    assert batch_fingerprint(batch) == before
    scores = batch.scores
    batch.reset()
    assert batch.terminated.all() and (batch.scores != scores).any(axis=1).all()


def test_two_greedy_players_beat_two_random_ones() -> None:
    """Else the mechanism could hide a bot that does nothing. (Alone among random players greedy finds no partners.)"""
    batch = Batch(Rules(), num_games=200, seed=0, controllers=[1, 0, 1, 0])
    best = batch.scores == batch.scores.max(axis=1, keepdims=True)
    shares = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    assert shares[0] + shares[2] > 0.75  # par is 0.5


def test_a_bot_exchanged_for_another_leaves_the_deal_as_it_was() -> None:
    """Both decks, so the hands dealt and all that is drawn, and those of later games that follow without a new seed."""
    seats = [[-1] * 4, [0] * 4, [1] * 4, [0, 1, 0, 1], [-1, 1, 1, 0]]
    batches = [Batch(Rules(), num_games=8, seed=3, controllers=controllers) for controllers in seats]
    earlier = np.zeros_like(deals(batches[0]))
    for _ in range(3):
        expected = deals(batches[0])
        assert (expected != earlier).any(axis=1).all()
        earlier = expected
        for batch in batches[1:]:
            assert (deals(batch) == expected).all()
        for batch in batches:
            batch.reset()
    ends = [batch.get_state()["rows"].tobytes() for batch in batches[1:4]]
    assert len(set(ends)) == 3  # the games themselves differ


def test_the_hands_dealt_do_not_depend_on_the_bots() -> None:
    rule_set = Rules(auto_forced=False)
    expected = Game(rule_set, seed=3).hands.tolist()
    for bot in BOTS:
        batch = Batch(rule_set, seed=3, controllers=[-1, bot, bot, bot])
        assert batch.game(0).hands.tolist() == expected
        batch.controllers[0, 1:] = -1
        batch.reset(seeds=3)
        assert batch.game(0).hands.tolist() == expected


@pytest.mark.parametrize("bot", BOT_NAMES)
@settings(deadline=None, max_examples=80)
@given(game=positions(over=False), seed=SEEDS)
def test_a_bot_reads_only_what_its_seat_may_see(bot: str, game: Game, seed: int) -> None:
    """Hidden cards exchanged, or all dealt anew: with the same random stream the same choice."""
    if game.terminated:
        return
    seat = game.player
    assert seat is not None
    streams = game.to_dict()["streams"]
    worlds = [
        swap_what_is_hidden(game, seat, np.random.default_rng(seed)),
        game.determinize(seat, np.random.default_rng(seed)),
    ]
    choice = game.copy().play_bot(bot)
    for world in worlds:
        other = Game.from_dict(world.to_dict() | {"streams": streams})
        assert other.play_bot(bot) == choice


@some
@given(positions(over=False), st.sampled_from(BOT_NAMES))
def test_a_bot_draws_only_from_the_stream_of_its_seat(game: Game, bot: str) -> None:
    if game.terminated:
        return
    before, seat = game.to_dict()["streams"], game.player
    assert seat is not None
    game.play_bot(bot)
    after = game.to_dict()["streams"]
    assert [i for i, word in enumerate(before) if word != after[i]] in ([], [1 + seat])


@pytest.mark.parametrize("bot", ["", "Greedy", "trader:", None, 0, 1.0])
def test_play_bot_refuses_what_is_no_bot(bot: Any) -> None:
    game = Game(seed=0)
    before = fingerprint(game)
    with pytest.raises(ValueError, match="there are: random, greedy"):
        game.play_bot(bot)
    assert fingerprint(game) == before


# -- controllers


def test_controllers_written_in_place_count_from_the_next_step_on() -> None:
    batch = Batch(SHORT, num_games=4, seed=2)
    seat = int(batch.player[2])
    batch.controllers[2, seat] = 0
    expected = by_hand(SHORT, 4, [0 if i == seat else -1 for i in range(3)], lambda game: int(game.legal_actions()[0]))
    batch.step([0, 0, -99, 0])  # the action for game 2 is ignored: a bot is to act there
    assert batch.terminated[2] or batch.player[2] != seat
    while not batch.terminated[2]:
        batch.step([0 if batch.action_masks[i].any() else -1 for i in range(4)])
    assert fingerprint(batch.game(2)) == fingerprint(expected)
    batch.controllers[2, seat] = -1
    batch.reset(which=[2], seeds=[4])
    assert batch.player[2] == seat


def test_controllers_written_in_place_count_from_the_next_reset_on() -> None:
    batch = Batch(SHORT, num_games=2, seed=2)
    batch.controllers[1] = [1, 1, 1]
    assert not batch.terminated.any()
    batch.reset()
    assert batch.terminated.tolist() == [False, True]


def test_a_seat_goes_back_to_the_caller() -> None:
    batch = Batch(SHORT, num_games=1, seed=2, controllers=[-1, 0, 0])
    for _ in range(3):
        batch.step([np.flatnonzero(batch.action_masks[0])[0]])
    batch.controllers[:] = -1
    players = set()
    while not batch.terminated[0]:
        players.add(int(batch.player[0]))
        batch.step(random_actions(batch, np.random.default_rng(0)))
    assert players == {0, 1, 2}


@pytest.mark.parametrize("number", [-2, len(BOT_NAMES), 127, -128])
def test_a_number_of_no_bot_is_refused_before_anything_changes(number: int) -> None:
    batch = Batch(SHORT, num_games=3, seed=2)
    actions = random_actions(batch, np.random.default_rng(0))
    before = batch_fingerprint(batch)
    with pytest.raises(ValueError, match=f"controllers must be -1 .* or the number of a bot .*, got {number}"):
        batch.controllers = np.full((3, 3), number)
    with pytest.raises(ValueError, match="controllers must be -1"):
        Batch(SHORT, num_games=3, seed=2, controllers=[0, number, 0])
    assert batch_fingerprint(batch) == before
    batch.controllers[1, 2] = number
    before = batch_fingerprint(batch)
    for call in (lambda: batch.step(actions), batch.reset, lambda: batch.reset(which=[0], seeds=[5])):
        with pytest.raises(ValueError, match=f"controllers must be -1 .*, got {number}"):
            call()
        assert batch_fingerprint(batch) == before
    batch.controllers[1, 2] = -1
    batch.step(actions)


@pytest.mark.parametrize(
    "controllers",
    [
        [0.0, 1.0, 0.0],
        None,
        "random",
        [True, False, True],
        [[0, 0]],
        [0] * 4,
        [],
        [300, 0, 0],
        np.zeros((5, 5), int),
        [[1], [0, 1], 0],
    ],
    ids=repr,
)
def test_what_are_no_controllers_is_refused(controllers: Any) -> None:
    batch = Batch(SHORT, num_games=3, seed=2)
    before = batch_fingerprint(batch)
    with pytest.raises(ValueError, match="controllers must be ") as error:
        batch.controllers = controllers
    assert "\n" not in str(error.value)
    assert batch_fingerprint(batch) == before
