"""What an agent thinks of the decisions of a record."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from respublica_env import Rules, opponents
from respublica_env.replay import advisor
from respublica_env.replay.policy import LEAST_SHOWN, MOST_SHOWN, advise
from tests.replayed import Weigher, played

RULES = Rules(num_players=3, copies=7, set_size=3)


@pytest.fixture
def named() -> Iterator[None]:
    before = dict(opponents._REGISTRY)
    opponents.register("weigher", lambda _: Weigher())
    opponents.register("mute", lambda _: lambda *seen: seen[1].argmax(axis=1))
    yield
    opponents._REGISTRY.clear()
    opponents._REGISTRY.update(before)


@pytest.mark.parametrize("viewer", [None, 1])
def test_probabilities_and_values_are_those_of_the_agent(viewer: int | None) -> None:
    record, agent = played(RULES, bot="random"), Weigher()
    decisions = advise(record, agent, viewer)
    assert [one.number for one in decisions] == [k for k, seat in enumerate(record.players) if viewer in (None, seat)]
    for one in decisions:
        game = record.at(one.number)
        row = agent.probabilities(game.observation(one.seat)[None], game.action_mask()[None])[0]
        assert (one.seat, one.phase, one.taken) == (game.player, game.phase, record.actions[one.number])
        assert one.value == pytest.approx(game.observation(one.seat).sum())
        assert [chance for _, chance in one.likely] == pytest.approx([row[action] for action, _ in one.likely])
        assert one.taken in [action for action, _ in one.likely] and 1 <= len(one.likely) <= MOST_SHOWN
        others = [chance for action, chance in one.likely if action != one.taken]
        assert others == sorted(others, reverse=True) and all(chance >= LEAST_SHOWN for chance in others)
        left_out = np.delete(row, [action for action, _ in one.likely])
        assert not others or left_out.max(initial=0) <= min(others) + 1e-9


@pytest.mark.usefixtures("named")
def test_an_agent_by_name() -> None:
    assert isinstance(advisor("weigher"), Weigher)
    for name in ("mute", "greedy"):
        with pytest.raises(ValueError, match=f"the agent '{name}' does not say how likely its actions are"):
            advisor(name)
    with pytest.raises(ValueError, match="no opponent is named 'nobody'"):
        advisor("nobody")


def test_values_are_optional() -> None:
    class Quiet(Weigher):
        values = None  # type: ignore[assignment]

    class Unsure(Weigher):
        def values(self, observations: np.ndarray) -> Any:
            del observations

    for agent in (Quiet(), Unsure()):
        assert {one.value for one in advise(played(RULES, decisions=5), agent)} == {None}
    assert advise(played(RULES, decisions=0), Weigher()) == []


@pytest.mark.parametrize(
    "answer",
    [
        lambda masks: masks[0],
        lambda masks: masks * np.nan,
        lambda masks: np.full(masks.shape, 1 / masks.shape[1]),
        lambda masks: masks * 1.0,
        lambda _: "all",
    ],
    ids=["shape", "nan", "illegal", "sum", "words"],
)
def test_answers_that_are_no_probabilities_are_refused(answer: Any) -> None:
    class Wrong(Weigher):
        def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> Any:
            del observations
            return answer(action_masks)

    with pytest.raises(ValueError, match=r"probabilities must be|could not convert"):
        advise(played(RULES, decisions=9), Wrong())


def test_values_that_are_none_and_rules_that_do_not_suit_are_refused() -> None:
    class Wrong(Weigher):
        def values(self, observations: np.ndarray) -> Any:
            return observations

    class Picky(Weigher):
        def check(self, rules: Rules) -> None:
            raise ValueError(f"not with {rules.num_players} players")

    with pytest.raises(ValueError, match="values must be 4 numbers"):
        advise(played(RULES, decisions=4), Wrong())
    with pytest.raises(ValueError, match="not with 3 players"):
        advise(played(RULES, decisions=4), Picky())
