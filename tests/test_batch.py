"""`Batch`: the same games as `Game`, whatever the index, the threads or the process; resets, refusals."""

import itertools
import multiprocessing
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respublica_env import Batch, Game, IllegalAction, Rules
from tests.strategies import SEEDS, batch_digest, batch_fingerprint, fingerprint, random_actions, rules

some = settings(deadline=None, max_examples=25)
SHORT = Rules(num_players=3, copies=6, set_size=2, max_turns=8)
BATCH_SEEDS = st.integers(0, 2**63 - 100)


def played(batch: Batch, steps: int, seed: int = 0) -> Batch:
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        batch.step(random_actions(batch, rng))
    return batch


def play_out(batch: Batch, seed: int = 0) -> Batch:
    rng = np.random.default_rng(seed)
    while not batch.terminated.all():
        batch.step(random_actions(batch, rng))
    return batch


# -- the same bytes everywhere


@some
@given(rules(), BATCH_SEEDS, SEEDS)
def test_game_i_of_a_batch_is_the_game_of_seed_plus_i(rule_set: Rules, seed: int, play_seed: int) -> None:
    batch = Batch(rule_set, num_games=3, seed=seed)
    games = [Game(rule_set, seed=seed + i) for i in range(3)]
    rng = np.random.default_rng(play_seed)
    for _ in range(40):
        for i, game in enumerate(games):
            assert fingerprint(batch.game(i)) == fingerprint(game)
            assert batch.player[i] == (-1 if game.player is None else game.player)
            assert batch.action_masks[i].tobytes() == game.action_mask().tobytes()
            seen = game.observation(0 if game.player is None else game.player)
            assert batch.observations[i].tobytes() == seen.tobytes()
            assert batch.scores[i].tolist() == game.scores() and batch.points[i].tolist() == game.points()
            assert (batch.terminated[i], batch.stalled[i]) == (game.terminated, game.stalled)
        actions = random_actions(batch, rng)
        batch.step(actions)
        for action, game in zip(actions, games, strict=True):
            if not game.terminated:
                game.step(action)


@some
@given(rules(), BATCH_SEEDS)
def test_a_seed_is_the_same_game_at_any_index(rule_set: Rules, seed: int) -> None:
    first = Batch(rule_set, num_games=1, seed=seed + 4)
    fifth = Batch(rule_set, num_games=7, seed=seed)
    given_seeds = Batch(rule_set, num_games=3, seed=0)
    given_seeds.reset(seeds=[1, 2, seed + 4])
    given_seeds.reset(which=[1], seeds=[seed + 4])
    row = first.get_state()["rows"][0].tobytes()
    assert fifth.get_state()["rows"][4].tobytes() == row
    assert given_seeds.get_state()["rows"][1].tobytes() == row
    assert given_seeds.get_state()["rows"][2].tobytes() == row


@pytest.mark.parametrize("rule_set", [SHORT, Rules(), Rules.small()], ids=["short", "published", "small"])
def test_any_number_of_threads_gives_the_same_bytes(rule_set: Rules) -> None:
    digests = {threads: batch_digest(rule_set.to_dict(), seed=5, threads=threads) for threads in (1, 2, 3, 8)}
    assert len(set(digests.values())) == 1, digests


def test_more_threads_than_games() -> None:
    assert batch_fingerprint(played(Batch(SHORT, 2, seed=1, threads=5), 30)) == batch_fingerprint(
        played(Batch(SHORT, 2, seed=1), 30)
    )


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_another_process_gives_the_same_bytes(method: str) -> None:
    """A two-thread batch runs in the parent first: what a forked child inherits must not break it."""
    if method not in multiprocessing.get_all_start_methods():
        method = "spawn"
    expected = batch_digest(SHORT.to_dict(), 9, 2)
    with multiprocessing.get_context(method).Pool(1) as pool:
        for threads in (1, 2):
            assert pool.apply_async(batch_digest, (SHORT.to_dict(), 9, threads)).get(timeout=120) == expected


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_batch_with_threads_goes_on_in_a_forked_child() -> None:
    """The very batch whose threads ran in the parent, inherited with the parent's memory."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return
    batch = played(Batch(SHORT, 4, seed=3, threads=2), 10)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send(batch_fingerprint(played(batch, 10, seed=8))))
    child.start()
    assert receiver.poll(60), "the forked child hangs"
    there = receiver.recv()
    child.join()
    assert there == batch_fingerprint(played(batch, 10, seed=8))


# -- illegal actions


@settings(deadline=None, max_examples=10)
@given(rules(max_count=2), BATCH_SEEDS, st.integers(0, 40), st.integers(0, 2))
def test_an_illegal_action_raises_and_no_game_changes(rule_set: Rules, seed: int, steps: int, wrong: int) -> None:
    batch = played(Batch(rule_set, num_games=3, seed=seed), steps)
    before = batch_fingerprint(batch)
    good = random_actions(batch, np.random.default_rng(seed))
    if batch.terminated[wrong]:
        return
    size = rule_set.num_actions
    for action in [*np.flatnonzero(batch.action_masks[wrong] == 0).tolist(), -1, size, size + 1, 2**63 - 1, -(2**63)]:
        actions = good.copy()
        actions[wrong] = action
        with pytest.raises(IllegalAction, match=f"game {wrong}: "):
            batch.step(actions)
        assert batch_fingerprint(batch) == before, action
    batch.step(good)


BAD_ACTIONS = {
    "floats": np.zeros(3),
    "float32": np.zeros(3, np.float32),
    "NaN": np.full(3, np.nan),
    "bools": np.zeros(3, bool),
    "strings": np.array(["0", "0", "0"]),
    "objects": np.array([0, 0, 0], object),
    "None": None,
    "a number": 0,
    "a string": "000",
    "too few": [0, 0],
    "too many": np.zeros(4, int),
    "a column": np.zeros((3, 1), int),
    "empty": [],
    "None inside": [0, None, 0],
    "complex": np.zeros(3, complex),
}


@pytest.mark.parametrize("actions", BAD_ACTIONS.values(), ids=BAD_ACTIONS)
def test_what_are_no_actions_is_refused_and_no_game_changes(actions: Any) -> None:
    batch = played(Batch(SHORT, num_games=3, seed=1), 5)
    before = batch_fingerprint(batch)
    with pytest.raises(ValueError, match=r"actions must be whole numbers of shape \(3,\)"):
        batch.step(actions)
    assert batch_fingerprint(batch) == before


def test_ragged_lists_are_refused_in_our_words() -> None:
    batch = played(Batch(SHORT, num_games=3, seed=1), 5)
    before, ragged = batch_fingerprint(batch), [[1], [1, 2], 3]
    for call in (batch.step, batch.observe, batch.reset, batch.end, lambda value: setattr(batch, "controllers", value)):
        with pytest.raises(
            ValueError, match=r"must be .*whole numbers, as many in each row, got \[\[1\], \[1, 2\], 3\]"
        ):
            call(ragged)  # type: ignore[operator]
        assert batch_fingerprint(batch) == before


def test_actions_of_any_whole_dtype_and_layout_are_the_same() -> None:
    expected = batch_fingerprint(played(Batch(SHORT, 3, seed=1), 1))
    actions = random_actions(Batch(SHORT, 3, seed=1), np.random.default_rng(0))
    wide = np.zeros((3, 2), np.int64)
    wide[:, 1] = actions
    for given_actions in (actions.tolist(), actions.astype(np.uint16), actions.astype(">i4"), wide[:, 1]):
        batch = Batch(SHORT, 3, seed=1)
        batch.step(given_actions)
        assert batch_fingerprint(batch) == expected


def test_an_unsigned_action_beyond_all_ids_is_illegal() -> None:
    batch = Batch(SHORT, 1, seed=1)
    with pytest.raises(IllegalAction, match="game 0"):
        batch.step(np.array([2**64 - 1], np.uint64))


def test_writing_into_the_arrays_does_not_make_an_action_legal() -> None:
    batch = Batch(SHORT, num_games=2, seed=1)
    illegal = int(np.flatnonzero(batch.action_masks[1] == 0)[0])
    with pytest.raises(ValueError):
        batch.action_masks[1, illegal] = 1
    with pytest.raises(IllegalAction, match="game 1"):
        batch.step([0, illegal])


# -- the end, and resets


def test_finished_games_stay_finished_and_their_actions_are_ignored() -> None:
    batch = Batch(SHORT, num_games=4, seed=1)
    batch.controllers[1:] = 0  # games 1 to 3 are played to the end by bots
    batch.reset()
    batch.controllers[:] = -1
    assert batch.terminated.tolist() == [False, True, True, True]
    assert batch.player[1:].tolist() == [-1] * 3 and not batch.action_masks[1:].any()
    finished = batch.get_state()["rows"][1:].tobytes()
    for action in (0, -1, 10**9, -(2**63)):
        batch.step([np.flatnonzero(batch.action_masks[0])[0], action, action, action])
        assert batch.get_state()["rows"][1:].tobytes() == finished
    play_out(batch)
    before = batch_fingerprint(batch)
    batch.step([77, -5, 0, 3])
    assert batch_fingerprint(batch) == before


@pytest.mark.parametrize("which", [np.array([False, True, False, True]), [1, 3], np.array([1, 3], np.uint8), (1, 3)])
def test_reset_of_some_games_leaves_the_others(which: Any) -> None:
    batch = played(Batch(SHORT, num_games=4, seed=1), 7)
    before = batch.get_state()["rows"]
    seen = batch.observations.copy()
    batch.reset(which=which, seeds=[50, 60])
    after = batch.get_state()["rows"]
    for i in (0, 2):
        assert after[i].tobytes() == before[i].tobytes()
        assert batch.observations[i].tobytes() == seen[i].tobytes()
    for i, seed in ((1, 50), (3, 60)):
        assert after[i].tobytes() == Game(SHORT, seed=seed).__getstate__()["row"].tobytes()


def test_seeds_go_to_the_games_in_the_order_of_mention() -> None:
    batch = Batch(SHORT, num_games=3, seed=1)
    batch.reset(which=[2, 0], seeds=[50, 60])
    rows = batch.get_state()["rows"]
    assert rows[2].tobytes() == Game(SHORT, seed=50).__getstate__()["row"].tobytes()
    assert rows[0].tobytes() == Game(SHORT, seed=60).__getstate__()["row"].tobytes()


@pytest.mark.parametrize(
    "form",
    [iter, tuple, np.array, lambda seeds: (seed for seed in seeds)],
    ids=["iterator", "tuple", "array", "generator"],
)
def test_seeds_come_in_any_form(form: Any) -> None:
    batch = Batch(SHORT, num_games=3, seed=1)
    batch.reset(which=[2, 0], seeds=form([50, 60]))
    assert fingerprint(batch.game(2))[-300:] == fingerprint(Game(SHORT, seed=50))[-300:]
    assert fingerprint(batch.game(0))[-300:] == fingerprint(Game(SHORT, seed=60))[-300:]


def test_a_single_seed_counts_on_by_game() -> None:
    batch = played(Batch(SHORT, num_games=3, seed=1), 5)
    batch.reset(seeds=np.int64(70))
    assert batch.get_state()["rows"].tobytes() == Batch(SHORT, 3, seed=70).get_state()["rows"].tobytes()
    batch.reset(which=[2], seeds=70)
    assert fingerprint(batch.game(2))[-300:] == fingerprint(Game(SHORT, seed=72))[-300:]


@pytest.mark.parametrize("which", [[], np.zeros(3, bool), np.zeros(0, int)], ids=["list", "mask", "array"])
def test_reset_of_no_game_does_nothing(which: Any) -> None:
    batch = played(Batch(SHORT, num_games=3, seed=1), 5)
    before = batch_fingerprint(batch)
    batch.reset(which=which)
    assert batch_fingerprint(batch) == before


def test_a_reset_without_seeds_goes_on_in_its_own_stream() -> None:
    batch = played(Batch(SHORT, num_games=20, seed=1), 9)
    deals = [{(tuple(game.population_deck), tuple(game.technology_deck)) for game in all_games(Batch(SHORT, 40, 0))}]
    alone = [Game(SHORT, seed=1 + i) for i in range(20)]
    for _ in range(3):
        batch.reset()
        for game in alone:
            game.reset()  # has never played: play does not move the deck stream
        assert [g.population_deck for g in all_games(batch)] == [g.population_deck for g in alone]
        deals.append({(tuple(game.population_deck), tuple(game.technology_deck)) for game in all_games(batch)})
    assert len(set.union(*deals)) == sum(len(deal) for deal in deals) == 40 + 3 * 20


def all_games(batch: Batch) -> list[Game]:
    return [batch.game(i) for i in range(batch.num_games)]


BAD_WHICH = ([3], [-1], [0, 0], [0.0], [True], np.zeros(2, bool), np.zeros((3, 1), int), "0", [None], np.nan, [2**63])


@pytest.mark.parametrize("which", BAD_WHICH, ids=repr)
def test_what_are_no_games_is_refused_and_nothing_changes(which: Any) -> None:
    batch = played(Batch(SHORT, num_games=3, seed=1), 5)
    before = batch_fingerprint(batch)
    with pytest.raises(ValueError, match="which must be"):
        batch.reset(which=which)
    assert batch_fingerprint(batch) == before


BAD_SEEDS = (
    [1, 2],
    [1, 2, 3, 4],
    [],
    [1, 2, -1],
    [1, 2, 2**63],
    [1.0, 2, 3],
    [1, 2, np.nan],
    [True, 1, 2],
    ["1", 2, 3],
    [1, 2, None],
    itertools.count(),
    "123",
    b"123",
    {1: 1, 2: 2, 3: 3},
)
BAD_SINGLE = (-1, 2**63, 2**63 - 2, 1.0, float("nan"), True, "7", [[1, 2, 3]], np.zeros((3, 2), int))


@pytest.mark.parametrize("seeds", BAD_SEEDS + BAD_SINGLE, ids=repr)
def test_what_are_no_seeds_is_refused_and_nothing_changes(seeds: Any) -> None:
    batch = played(Batch(SHORT, num_games=3, seed=1), 5)
    before = batch_fingerprint(batch)
    with pytest.raises(ValueError, match="seed"):
        batch.reset(seeds=seeds)
    assert batch_fingerprint(batch) == before


@pytest.mark.parametrize("seed", BAD_SINGLE[:-2], ids=repr)
def test_what_is_no_seed_of_a_batch_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed must be"):
        Batch(SHORT, num_games=3, seed=seed)


def test_the_last_seed_there_is() -> None:
    batch = Batch(SHORT, num_games=3, seed=2**63 - 3)
    assert fingerprint(batch.game(2)) == fingerprint(Game(SHORT, seed=2**63 - 1))
    batch = Batch(SHORT, num_games=2)
    assert batch_fingerprint(Batch(SHORT, num_games=2, seed=batch.seed)) == batch_fingerprint(batch)


BAD_NUMBERS = (0, -1, 1.0, "2", None, True, float("nan"))


@pytest.mark.parametrize("number", BAD_NUMBERS, ids=repr)
def test_what_is_no_number_of_games_or_threads_is_refused(number: Any) -> None:
    with pytest.raises(ValueError, match="num_games must be"):
        Batch(SHORT, num_games=number, seed=0)
    with pytest.raises(ValueError, match="threads must be"):
        Batch(SHORT, num_games=2, seed=0, threads=number)


@pytest.mark.parametrize("index", [2, -1, 0.0, None, True, "0"], ids=repr)
def test_what_is_no_game_of_the_batch_is_refused(index: Any) -> None:
    with pytest.raises(ValueError, match="game must be"):
        Batch(SHORT, num_games=2, seed=0).game(index)


def test_a_game_of_the_batch_is_a_copy() -> None:
    batch = Batch(SHORT, num_games=2, seed=0)
    before = batch_fingerprint(batch)
    game = batch.game(1)
    game.step(game.legal_actions()[-1])
    assert batch_fingerprint(batch) == before


def test_observe_shows_any_seat() -> None:
    batch = played(Batch(SHORT, num_games=4, seed=0), 6)
    seen = batch.observe([0, 1, 2, 0])
    for i, seat in enumerate([0, 1, 2, 0]):
        assert seen[i].tobytes() == batch.game(i).observation(seat).tobytes()
    for seats in ([0, 1, 2], [0, 1, 2, 3], [0, 1, -1, 2], [0.0, 1, 2, 0], None, [True] * 4):
        with pytest.raises(ValueError, match="seats must be"):
            batch.observe(seats)  # type: ignore[arg-type]


def test_ended_games_are_over_where_they_stood() -> None:
    """The others go on, no stream of the ended ones has moved, and they stay over until they are reset."""
    batch, plain = (Batch(num_games=4, seed=3, controllers=[[-1, 0, 0, 0]]) for _ in range(2))
    rows = batch.get_state()["rows"]
    for _ in range(2):  # again: they are over already
        batch.end([2, 0])
        assert batch.terminated.tolist() == [True, False, True, False]
        assert batch.player.tolist() == [-1, plain.player[1], -1, plain.player[3]]
        assert not batch.action_masks[[0, 2]].any()
        assert batch.observations.tobytes() == batch.observe([0, batch.player[1], 0, batch.player[3]]).tobytes()
    changed = np.flatnonzero((batch.get_state()["rows"] != rows).any(axis=0))
    assert len(changed) == 3  # phase, active, player
    for _ in range(5):
        actions = batch.action_masks.argmax(axis=1)
        batch.step(actions)
        plain.step(np.where([True, False, True, False], plain.action_masks.argmax(axis=1), actions))
        assert batch.observations[[1, 3]].tobytes() == plain.observations[[1, 3]].tobytes()
    batch.reset(np.array([True, False, False, False]))
    assert batch.terminated.tolist() == [False, False, True, False]
    batch.end(np.ones(4, bool))
    assert batch.terminated.all()
    with pytest.raises(ValueError, match="which must be"):
        batch.end([4])
