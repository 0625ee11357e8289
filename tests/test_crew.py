"""The threads that share a batch: every row once, workers asleep or awake, late or stopped."""

import gc
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from respublica_env import Batch, IllegalAction, Rules
from respublica_env.bench.kernels import Sampler
from respublica_env.engine import crew
from respublica_env.engine._jit import COMPILED
from respublica_env.engine.crew import CHUNKS, Crew

pytestmark = pytest.mark.skipif(not COMPILED, reason="plain Python has no crew: Batch steps in the caller's thread")


SHORT = Rules(num_players=3, copies=6, set_size=2, max_turns=8)


def workers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "respublica-batch"}


def at_last(true: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


@pytest.mark.parametrize("pause", [0.0, 0.003], ids=["workers awake", "workers asleep"])
@pytest.mark.parametrize("size", [2, 5])
def test_every_row_is_done_once_in_every_order(size: int, pause: float) -> None:
    masks = np.ones((100, 24), np.int8)
    masks[7] = 0
    alone, shared = Sampler(masks, seed=3), Sampler(masks, seed=3, crew=Crew(size))
    for _ in range(40 if pause else 2000):
        time.sleep(pause)
        assert alone.choose().tolist() == shared.choose().tolist()
    assert alone.decisions == shared.decisions


def test_fewer_rows_than_chunks() -> None:
    rows = 3
    assert rows < 4 * CHUNKS
    masks = np.eye(rows, 24, dtype=np.int8)
    sampler = Sampler(masks, seed=0, crew=Crew(4))
    for _ in range(300):
        assert sampler.choose().tolist() == [0, 1, 2]
    assert sampler.decisions == 900


def test_two_crews_take_turns() -> None:
    masks = np.ones((64, 24), np.int8)
    first, second = (Sampler(masks, seed=1, crew=Crew(3)) for _ in range(2))
    for _ in range(300):
        assert first.choose().tolist() == second.choose().tolist()


def test_workers_end_with_their_batch() -> None:
    before = workers()
    batch = Batch(SHORT, num_games=8, seed=0, threads=4)
    own = workers() - before
    assert len(own) == 3
    del batch
    gc.collect()
    assert at_last(lambda: not own & workers())


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_first_illegal_action_is_named_whoever_finds_it(threads: int) -> None:
    batch = Batch(SHORT, num_games=50, seed=0, threads=threads)
    actions = batch.action_masks.argmax(axis=1)
    actions[[17, 40]] = -1
    before = batch.get_state()["rows"]
    for _ in range(20):
        with pytest.raises(IllegalAction, match="game 17: "):
            batch.step(actions)
    assert batch.get_state()["rows"].tobytes() == before.tobytes()


def test_a_wrong_controller_in_any_part_is_refused() -> None:
    batch = Batch(SHORT, num_games=50, seed=0, threads=3)
    batch.controllers[49, 0] = 77
    with pytest.raises(ValueError, match="got 77"):
        batch.step(batch.action_masks.argmax(axis=1))


def test_traders_that_sit_in_one_part_only_play() -> None:
    outcomes = []
    for threads in (1, 3):
        batch = Batch(SHORT, num_games=30, seed=0, threads=threads)
        batch.controllers[29] = 2
        for _ in range(40):
            batch.step(batch.action_masks.argmax(axis=1))
        outcomes.append(batch.get_state()["rows"].tobytes())
    assert outcomes[0] == outcomes[1]


def test_an_interrupted_order_is_carried_out_before_the_interrupt_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*order: Any) -> tuple[int, bool]:
        crew.give_order(*order)
        raise KeyboardInterrupt

    masks = np.ones((64, 24), np.int8)
    alone, shared = Sampler(masks, seed=1), Sampler(masks, seed=1, crew=Crew(3))
    for _ in range(20):
        alone.choose()
        with monkeypatch.context() as patched:
            patched.setattr(crew, "share_order", interrupted)
            with pytest.raises(KeyboardInterrupt):
                shared.choose()
        assert alone.actions.tolist() == shared.actions.tolist()
        assert alone.choose().tolist() == shared.choose().tolist()


def test_a_worker_whose_waking_was_interrupted_comes_back_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    before = workers()
    masks = np.ones((64, 24), np.int8)
    own_crew = Crew(2)
    sampler = Sampler(masks, seed=1, crew=own_crew)
    sampler.choose()
    desk, asleep = own_crew.desk, crew.thread_at(1) + crew.ASLEEP
    assert at_last(lambda: desk[asleep] == 1)

    def interrupted(*order: Any) -> tuple[int, bool]:
        assert crew.give_order(*order) == 1
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(crew, "share_order", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sampler.choose()
    assert desk[crew.thread_at(1) + crew.WAKE] == 0
    assert at_last(lambda: desk[asleep] == 1)  # it was woken, found nothing more to do, and sleeps again
    own = workers() - before
    del sampler, own_crew
    gc.collect()
    assert at_last(lambda: not own & workers())


def test_threads_that_cannot_be_started_are_an_error_and_leave_none_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, begun = workers(), []

    def start(thread: threading.Thread, begin: Callable[[threading.Thread], None] = threading.Thread.start) -> None:
        begun.append(thread)
        if len(begun) == 3:
            raise RuntimeError("can't start new thread")
        begin(thread)

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", start)
        with pytest.raises(RuntimeError, match="starts no 5 threads: can't start new thread"):
            Batch(SHORT, num_games=8, seed=0, threads=5)
    assert len(begun) == 3 and at_last(lambda: workers() <= before)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_at_work_refuses_a_second_caller(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = Batch(SHORT, num_games=4, seed=0, threads=threads)
    errors = []

    def first_illegal(*_: Any) -> tuple[int, int]:
        for call in (batch.reset, lambda: batch.step([0] * 4), lambda: batch.end([0]), lambda: batch.set_state(state)):
            with pytest.raises(RuntimeError, match="at work already") as caught:
                call()
            errors.append(caught)
        return -1, -1

    state, legal = batch.get_state(), batch.action_masks.argmax(axis=1)
    with monkeypatch.context() as patched:
        patched.setattr(batch, "_first_illegal", first_illegal)
        batch.step(legal)
    assert len(errors) == 4
    batch.step(batch.action_masks.argmax(axis=1))  # and goes on


def test_more_threads_than_games_are_not_started() -> None:
    before = workers()
    batch = Batch(SHORT, num_games=2, seed=0, threads=64)
    assert batch.threads == 64 and len(workers() - before) == 1
