"""`LearnerBatch`: what the environments for one learner have in common and do not show each by themselves."""

import pickle
from typing import Any

import numpy as np
import pytest

from respublica_env import IllegalAction
from respublica_env.envs.vector import LearnerBatch
from tests.plain_learner import some_actions


def test_it_deals_nothing_before_it_is_reset() -> None:
    games = LearnerBatch(3, seed=1)
    assert games.over.all() and games.batch.terminated.all()
    games.reset(np.array([1]))
    assert games.over.tolist() == [True, False, True]
    assert games.num_over == 2


def test_the_learner_is_to_decide_wherever_a_game_goes_on() -> None:
    games = LearnerBatch(50, ["random", "greedy", "random"], seed=1)
    games.reset()
    rng = np.random.default_rng(0)
    for step_number in range(200):
        running = ~games.over
        assert np.array_equal(games.batch.player[running], games.seats[running])
        assert (games.batch.player[games.over] == -1).all() and games.num_over == games.over.sum()
        step = games.step(some_actions(games.action_masks(), rng))
        assert games.over[step.ended].all()
        assert not step.rewards[games.over & ~np.isin(np.arange(50), step.ended)].any()
        if step_number % 20 == 0 and games.num_over:
            games.reset(np.flatnonzero(games.over))


@pytest.mark.parametrize("wrong", [None, "warn", np.zeros(3), ["end"], "end\n" * 200])
def test_what_is_no_way_to_take_an_illegal_action_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="on_illegal must be one of 'end', 'raise', got ") as error:
        LearnerBatch(1, on_illegal=wrong)
    assert len(str(error.value)) < 200 and "\n" not in str(error.value)


def test_ragged_actions_are_refused_and_nothing_changes() -> None:
    games = LearnerBatch(2, seed=0)
    games.reset()
    before = pickle.dumps(games.batch.get_state())
    with pytest.raises(ValueError, match=r"actions must be whole numbers, as many in each row, got \[\[1"):
        games.step([[1], [1, 2]])
    assert pickle.dumps(games.batch.get_state()) == before


def test_games_have_the_seeds_that_they_were_given_last() -> None:
    games = LearnerBatch(3, seed=5)
    games.reset(np.array([1]), np.array([80], np.uint64))
    assert games.batch.seeds.tolist() == [5, 80, 7]
    failing = LearnerBatch(2, lambda *_: 1 // 0, seat=1, seed=0)
    with pytest.raises(ZeroDivisionError):
        failing.reset(seeds=np.array([1, 2], np.uint64))
    assert failing.batch.seeds.tolist() == [0, 1]  # nothing has changed


def test_several_illegal_actions_at_once() -> None:
    games, plain = (LearnerBatch(5, seed=1, reward="points") for _ in range(2))
    for each in (games, plain):
        each.reset()
    legal = games.action_masks().argmax(axis=1)
    seen = games.observations()
    step = games.step(np.where([True, False, True, False, False], [-7, 0, 999, 0, 0], legal))
    expected = plain.step(legal)
    assert step.ended.tolist() == [0, 2] and set(step.illegal) == {0, 2}
    assert "-7" in step.illegal[0] and "999" in step.illegal[2]
    assert step.rewards[[0, 2]].tolist() == [-1, -1]
    assert games.observations()[[0, 2]].tobytes() == seen[[0, 2]].tobytes()
    assert games.action_masks()[[0, 2]].all()
    others = [1, 3, 4]
    assert step.rewards[others].tobytes() == expected.rewards[others].tobytes()
    assert games.observations()[others].tobytes() == plain.observations()[others].tobytes()
    games.step(np.where(games.over, -7, games.action_masks().argmax(axis=1)))  # what is over ignores its action


def test_an_illegal_action_in_a_running_game_beside_one_that_is_over() -> None:
    games = LearnerBatch(3, seed=1, on_illegal="raise")
    games.reset()
    games.batch.end([0])
    games.over[0], games.num_over = True, 1
    with pytest.raises(IllegalAction, match="game 2"):
        games.step(np.array([-1, games.action_masks()[1].argmax(), -1]))
