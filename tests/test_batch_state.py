"""The state of a `Batch`: everything is in it, it pickles, and one that does not fit is refused."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respublica_env import Batch, Rules
from tests.strategies import batch_fingerprint, rules
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


def test_a_pickled_batch_keeps_its_threads() -> None:
    batch = played(Batch(SHORT, num_games=4, seed=0, threads=2), 3)
    again = pickle.loads(pickle.dumps(batch))
    assert (again.threads, again.num_games, again.rules, again.seed) == (2, 4, SHORT, 0)
    assert batch_fingerprint(played(again, 5)) == batch_fingerprint(played(batch, 5))


def state_of(rule_set: Rules, num_games: int) -> dict[str, Any]:
    return Batch(rule_set, num_games, seed=5).get_state()


BAD_STATES: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "other rules": (lambda: state_of(Rules(), 2), "the state is of other rules"),
    "another size": (lambda: state_of(SHORT, 3), "the state has rows"),
    "another dtype": (lambda: {"rows": state_of(SHORT, 2)["rows"].astype(np.int64)}, "the state has rows"),
    "other controllers": (lambda: {"controllers": np.zeros((2, 4), np.int8)}, "controllers must have the shape"),
    "no such bot": (lambda: {"controllers": np.full((2, 3), 9, np.int8)}, "controllers must be -1"),
    "no seed": (lambda: {"seed": -1}, "seed must be"),
}


@pytest.mark.parametrize(("change", "message"), BAD_STATES.values(), ids=BAD_STATES)
def test_a_state_that_does_not_fit_is_refused_and_nothing_changes(change: Any, message: str) -> None:
    batch = played(Batch(SHORT, num_games=2, seed=1), 4)
    before = batch_fingerprint(batch)
    with pytest.raises(ValueError, match=message):
        batch.set_state(state_of(SHORT, 2) | change())
    assert batch_fingerprint(batch) == before


def test_a_state_with_a_part_missing_is_refused() -> None:
    batch = Batch(SHORT, num_games=2, seed=1)
    for key in batch.get_state():
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
