"""The state of a `Batch`: everything is in it, it pickles, and one that does not fit is refused."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respublica_env import Batch, Game, Rules
from respublica_env.engine.batch import step_rows
from respublica_env.engine.state import (
    ACTIVE,
    AND,
    BACKS,
    BUILT,
    CHOSEN,
    CITIES,
    HAND_OVER,
    HANDS,
    KIND,
    KNOWN,
    OFFERED,
    OVER,
    PARTNER,
    PHASE,
    PLAYER,
    POPULATION_DRAWN,
    SAID,
    SAID_SIZE,
    STANDING,
    STREAMS,
    TECHNOLOGY_DRAWN,
    TURN_HIGH,
    make_spec,
)
from tests.strategies import batch_fingerprint, fingerprint, rules
from tests.test_batch import BATCH_SEEDS, SHORT, play_out, played

some = settings(deadline=None, max_examples=25)


@some
@given(rules(), BATCH_SEEDS, st.integers(0, 30))
def test_a_state_holds_everything(rule_set: Rules, seed: int, steps: int) -> None:
    """Random streams too: bots play on, and unseeded resets deal on, as if nothing had happened."""
    batch = Batch(rule_set, num_games=3, seed=seed)
    batch.controllers[:, 1] = [0, 1, -1]
    played(batch, steps)
    state = batch.get_state()
    restored = Batch(rule_set, num_games=3, seed=0)
    restored.set_state(state)
    pickled = pickle.loads(pickle.dumps(batch))
    here = batch_fingerprint(batch)
    for other in (restored, pickled):
        assert batch_fingerprint(other) == here
    for one in (batch, restored, pickled):
        play_out(one, seed=1)
        one.reset()
        played(one, 10)
    assert batch_fingerprint(restored) == batch_fingerprint(pickled) == batch_fingerprint(batch)
    batch.set_state(state)
    assert batch_fingerprint(batch) == here


def test_more_threads_than_any_machine_has_are_refused() -> None:
    for threads in (1025, 10**9, 10**5000):
        with pytest.raises(ValueError, match="threads must be at most 1024, got ") as error:
            Batch(SHORT, num_games=2, seed=0, threads=threads)
        assert len(str(error.value)) < 200
    assert Batch(SHORT, num_games=2, seed=0, threads=1024).threads == 1024


def test_a_pickled_batch_keeps_its_threads() -> None:
    batch = played(Batch(SHORT, num_games=4, seed=0, threads=2), 3)
    again = pickle.loads(pickle.dumps(batch))
    assert (again.threads, again.num_games, again.rules, again.seed) == (2, 4, SHORT, 0)
    assert batch_fingerprint(played(again, 5)) == batch_fingerprint(played(batch, 5))


def test_a_game_has_the_seed_that_its_row_was_given_last() -> None:
    batch = Batch(SHORT, num_games=3, seed=7)
    assert [batch.game(i).seed for i in range(3)] == batch.seeds.tolist() == [7, 8, 9]
    batch.reset(which=[2, 0], seeds=[50, 2**63 - 1])
    assert batch.seeds.tolist() == [2**63 - 1, 8, 50]
    assert fingerprint(batch.game(0)) == fingerprint(Game(SHORT, seed=2**63 - 1))
    played(batch, 4).reset()  # goes on in the streams of these seeds
    assert [batch.game(i).seed for i in range(3)] == [2**63 - 1, 8, 50]
    game = Game(SHORT, seed=50)
    game.reset()
    assert batch.game(2).population_deck == game.population_deck and batch.game(2).seed == game.seed
    with pytest.raises(ValueError, match="seed"):
        batch.reset(seeds=[1, 2, -1])
    batch.seeds[:] = 0  # a copy
    assert batch.seeds.tolist() == [2**63 - 1, 8, 50]
    batch.reset(seeds=70)
    assert [batch.game(i).seed for i in range(3)] == [70, 71, 72]


def test_a_state_holds_the_seeds_of_its_games() -> None:
    batch = Batch(SHORT, num_games=2, seed=3)
    batch.reset(which=[1], seeds=[90])
    restored = Batch(SHORT, num_games=2, seed=0)
    restored.set_state(batch.get_state())
    for other in (restored, pickle.loads(pickle.dumps(batch))):
        assert other.seeds.tolist() == [3, 90] and other.game(1).seed == 90


def state_of(rule_set: Rules, num_games: int) -> dict[str, Any]:
    return Batch(rule_set, num_games, seed=5).get_state()


BAD_STATES: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "other rules": (lambda: state_of(Rules(), 2), "the state is of other rules"),
    "another size": (lambda: state_of(SHORT, 3), "the state has rows"),
    "another dtype": (lambda: {"rows": state_of(SHORT, 2)["rows"].astype(np.int64)}, "the state has rows"),
    "other controllers": (
        lambda: {"controllers": np.zeros((2, 4), np.int8)},
        "controllers must be whole numbers",
    ),
    "no such bot": (lambda: {"controllers": np.full((2, 3), 9, np.int8)}, "controllers must be -1"),
    "controllers that are no numbers": (lambda: {"controllers": np.zeros((2, 3))}, "controllers must be whole numbers"),
    "no seed": (lambda: {"seed": -1}, "seed must be"),
    "no seeds": (lambda: {"seeds": [1, -2]}, "seed must be"),
    "too few seeds": (lambda: {"seeds": [1]}, "one seed for each of the 2 games"),
    "an unknown seed": (lambda: {"seed": None}, "seed must be"),
    "rules of no kind": (lambda: {"rules": 7}, "rules must be"),
}


@pytest.mark.parametrize(("change", "message"), BAD_STATES.values(), ids=BAD_STATES)
def test_a_state_that_does_not_fit_is_refused_and_nothing_changes(change: Any, message: str) -> None:
    batch = played(Batch(SHORT, num_games=2, seed=1), 4)
    before = batch_fingerprint(batch)
    with pytest.raises(ValueError, match=message):
        batch.set_state(state_of(SHORT, 2) | change())
    assert batch_fingerprint(batch) == before


@pytest.mark.parametrize("state", [None, 3, [], "state", [[1]], np.zeros(4), object], ids=repr)
def test_what_is_no_state_is_refused(state: Any) -> None:
    batch = Batch(SHORT, num_games=2, seed=1)
    with pytest.raises(ValueError, match="a state is a dict of rules, seed, rows and controllers, got"):
        batch.set_state(state)


SPEC = make_spec(SHORT)
BAD_FIELDS: dict[str, tuple[int, int, str]] = {
    "no such phase": (PHASE, 9, "phase is not from 0 to 8"),
    "over, with a player": (PHASE, OVER, "a player is active"),
    "nobody active": (ACTIVE, -1, "a player is active"),
    "no such player": (PLAYER, 3, "player is not from -1 to 2"),
    "another player": (PLAYER, 1, "another than the active player decides"),
    "a partner": (PARTNER, 1, "a partner exactly in HAND_OVER"),
    "a turn without end": (TURN_HIGH, 32767, "turn"),
    "more monuments than cards": (BUILT, 30000, "monuments built"),
    "a deck below its end": (POPULATION_DRAWN, 1000, "population cards drawn"),
    "a deck longer than it is": (TECHNOLOGY_DRAWN, -1, "technology cards drawn"),
    "a hand out of nothing": (HANDS, 12, "the cards of the game"),
    "a negative hand": (HANDS + 1, -1, "a count of cards is negative"),
    "hand sizes": (int(SPEC[BACKS]), 300, "hand sizes"),
    "words of no kind": (int(SPEC[SAID]) + KIND, 9999, "words are none"),
    "cities for nothing": (int(SPEC[CITIES]), 1, "spent cards are not those of cities"),
    "points for nothing": (int(SPEC[STANDING]), 1, "what the seats have built"),
    "knowledge of nothing": (int(SPEC[KNOWN]), 100, "known holdings"),
    "a choice of nothing": (int(SPEC[CHOSEN]), 1, "chosen cards"),
    "a card of no type": (int(SPEC[STREAMS]) - 1, 77, "the cards of the game|other cards"),
}


@pytest.mark.parametrize(("place", "value", "message"), BAD_FIELDS.values(), ids=BAD_FIELDS)
def test_rows_that_are_no_games_are_refused_and_nothing_changes(place: int, value: int, message: str) -> None:
    """Compiled code looks up whatever stands in a row."""
    batch = played(Batch(SHORT, num_games=4, seed=1), 4)
    before = batch_fingerprint(batch)
    state = Batch(SHORT, num_games=4, seed=5).get_state()
    state["rows"][2, place] = value
    with pytest.raises(ValueError, match=f"impossible game 2: .*({message})"):
        batch.set_state(state)
    assert batch_fingerprint(batch) == before


def test_a_row_in_which_nobody_can_act_is_refused() -> None:
    batch = Batch(Rules(num_players=3, auto_forced=False), num_games=2, seed=1)
    while not (batch.get_state()["rows"][:, PHASE] == HAND_OVER).any():
        batch.step([np.flatnonzero(mask)[-1] for mask in batch.action_masks])
    state = batch.get_state()
    game = int((state["rows"][:, PHASE] == HAND_OVER).argmax())
    spec = make_spec(batch.rules)
    said = int(spec[SAID]) + SAID_SIZE * state["rows"][game, ACTIVE]
    state["rows"][game, said : said + SAID_SIZE] = [OFFERED, AND, 4, 5, 4, 6]  # technology, of which there is none yet
    with pytest.raises(ValueError, match=f"impossible game {game}: nobody can act"):
        batch.set_state(state)


@some
@given(rules(), BATCH_SEEDS, st.integers(0, 30), st.data())
def test_whatever_stands_in_the_rows_is_refused_or_can_be_played(
    rule_set: Rules, seed: int, steps: int, data: st.DataObject
) -> None:
    batch = played(Batch(rule_set, num_games=2, seed=seed), steps)
    state, before = batch.get_state(), batch_fingerprint(batch)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, int(make_spec(rule_set)[STREAMS]) - 1))
        state["rows"][1, place] = data.draw(st.integers(-2, 8) | st.integers(-32768, 32767))
    try:
        batch.set_state(state)
    except ValueError:
        assert batch_fingerprint(batch) == before
    else:
        batch.controllers[:] = 0
        batch.step([0, 0])
        assert batch.observations.min() >= 0
        batch.game(1).to_dict()


def test_a_state_with_a_part_missing_is_refused() -> None:
    batch = Batch(SHORT, num_games=2, seed=1)
    batch.set_state({key: part for key, part in batch.get_state().items() if key != "seeds"})  # they count on from seed
    assert batch.seeds.tolist() == [1, 2]
    for key in batch.get_state().keys() - {"seeds"}:
        state = batch.get_state()
        del state[key]
        with pytest.raises(ValueError, match=f"missing: {key}"):
            batch.set_state(state)


def test_a_state_is_a_copy() -> None:
    batch = Batch(SHORT, num_games=2, seed=1)
    before = batch_fingerprint(batch)
    state = batch.get_state()
    state["rows"][:] = 0
    state["controllers"][:] = 1
    assert batch_fingerprint(batch) == before


def test_what_the_engine_writes_to_cannot_be_exchanged() -> None:
    batch = Batch(SHORT, num_games=2, seed=0)
    for name in ("player", "observations", "action_masks"):
        with pytest.raises(AttributeError):
            setattr(batch, name, getattr(batch, name).astype(np.float64))


def test_actions_that_cannot_be_written_or_lie_apart_are_taken() -> None:
    batch, other = (Batch(SHORT, num_games=3, seed=0) for _ in range(2))
    actions = batch.action_masks.argmax(axis=1)
    fixed = np.repeat(actions, 2)[::2]
    fixed.setflags(write=False)
    signatures = len(getattr(step_rows, "signatures", ()))
    batch.step(actions)
    other.step(fixed)
    assert batch.get_state()["rows"].tobytes() == other.get_state()["rows"].tobytes()
    frozen = other.action_masks.argmax(axis=1)
    frozen.setflags(write=False)
    other.step(frozen)
    assert len(getattr(step_rows, "signatures", ())) == signatures  # nothing was compiled for them


@pytest.mark.parametrize("threads", [0, 1025, "2"])
def test_a_pickled_state_with_impossible_threads_is_refused(threads: Any) -> None:
    state = {**Batch(SHORT, num_games=2, seed=0).__getstate__(), "threads": threads}
    with pytest.raises(ValueError, match="threads must be"):
        Batch.__new__(Batch).__setstate__(state)
