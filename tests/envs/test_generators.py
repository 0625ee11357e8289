"""Generators by game, and how one act of many games draws from them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from respublica_env.envs.generators import CannotSplit, ManyGenerators, Streams


def generators(count: int) -> list[np.random.Generator]:
    return [np.random.default_rng(seed) for seed in range(count)]


def many(count: int) -> tuple[ManyGenerators, list[np.random.Generator]]:
    own = generators(count)
    return ManyGenerators(lambda: own, count), own


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, rows: rng.random((len(rows), 4)),
        lambda rng, rows: rng.random(len(rows)),
        lambda rng, rows: rng.random(size=(len(rows), 2), dtype=np.float32),
        lambda rng, rows: rng.random((len(rows), 2), np.float32),
        lambda rng, rows: rng.integers(rows),
        lambda rng, rows: rng.integers(0, rows),
        lambda rng, rows: rng.integers(0, rows.tolist(), endpoint=True),
        lambda rng, rows: rng.integers(3, size=(len(rows), 2)),
        lambda rng, rows: rng.normal(rows[:, None], 2.0, (len(rows), 3)),
        lambda rng, rows: rng.uniform(-1, rows),
        lambda rng, rows: rng.gumbel(size=(len(rows), 5)),
        lambda rng, rows: rng.standard_normal((len(rows), 2)) + rng.standard_exponential(size=(len(rows), 1)),
        lambda rng, rows: rng.exponential(rows.astype(float)),
    ],
)
def test_rows_draw_what_each_would_alone(draw: Callable[..., Any]) -> None:
    rows = np.array([5, 2, 9, 4, 7, 3, 8])
    rng, own = many(7)
    alone = generators(7)
    for _ in range(3):
        drawn = draw(rng, rows)
        expected = np.concatenate([draw(one, rows[i : i + 1]) for i, one in enumerate(alone)])
        assert drawn.dtype == expected.dtype
        assert drawn.tobytes() == expected.tobytes()
    assert [one.bit_generator.state for one in own] == [one.bit_generator.state for one in alone]


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.random(),
        lambda rng: rng.random(4),
        lambda rng: rng.random((2, 3)),
        lambda rng: rng.random(()),
        lambda rng: rng.integers(5),
        lambda rng: rng.integers([1, 2]),
        lambda rng: rng.normal(np.zeros(3), size=(3, 3)),
        lambda rng: rng.choice(3),
        lambda rng: rng.choice(3, size=3),
        lambda rng: rng.permutation(3),
        lambda rng: rng.shuffle([1, 2, 3]),
        lambda rng: rng.spawn(3),
        lambda rng: rng.bit_generator,
    ],
)
def test_what_belongs_to_no_row_cannot_be_split(draw: Callable[..., Any]) -> None:
    rng, own = many(3)
    before = [one.bit_generator.state for one in own]
    rng.random((3, 2))
    with pytest.raises(CannotSplit):
        draw(rng)
    rng.take_back()
    assert [one.bit_generator.state for one in own] == before
    assert isinstance(rng, np.random.Generator)


def test_no_method_of_a_generator_is_forgotten() -> None:
    """Whatever NumPy adds must not draw from the one that nobody may draw from."""
    inherited = [name for name in dir(np.random.Generator) if not name.startswith("_")]
    assert set(inherited) <= set(vars(ManyGenerators))


def test_streams_start_from_seed_and_number() -> None:
    streams = Streams(np.array([4, 5], np.uint64))
    assert streams.of(1, 2).random() == np.random.default_rng((5, 2)).random()
    assert streams.of(1, 2) is streams.of(1, 2)
    streams.of(0, 2).random()
    streams.restart(np.array([1]), np.array([2**63 + 1], np.uint64))
    assert streams.of(1, 2).random() == np.random.default_rng((2**63 + 1, 2)).random()
    expected = np.random.default_rng((4, 2))
    expected.random()
    assert streams.of(0, 2).random() == expected.random()


def test_streams_go_back_to_where_they_were_marked() -> None:
    streams = Streams(np.array([4, 5], np.uint64))
    streams.of(0, 0).random()
    streams.of(1, 0).random()
    streams.mark()
    first = [streams.of(0, 0).random(), streams.of(0, 0).random(), streams.of(0, 1).random(), streams.of(1, 0).random()]
    streams.undo()
    streams.mark()
    streams.restart(np.array([0, 1]), np.array([8, 9], np.uint64))
    streams.of(1, 0).random()
    streams.undo()
    again = [streams.of(0, 0).random(), streams.of(0, 0).random(), streams.of(0, 1).random(), streams.of(1, 0).random()]
    assert first == again
