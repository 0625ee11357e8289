"""What an agent thinks of the decisions of a record: its probabilities and its value, where it offers them."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from respublica_env.envs.view import Viewer
from respublica_env.opponents import find
from respublica_env.record import Record
from respublica_env.rules import shown

MOST_SHOWN = 8  # actions at a decision, the likeliest first
LEAST_SHOWN = 0.005  # below this only the action that was taken is shown


class Advisor(Protocol):
    """An agent that says how likely it would take each action.

    It may also have `values(observations)`, float32 `(B, D)` to `(B,)`: what it expects the game to bring to the seats
    that decide, or None where it does not know; `value_unit`, what that counts in words, such as "points to come"; and
    `check(rules)`, which raises ValueError when it cannot play under the rules.
    """

    name: str

    def probabilities(self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]) -> NDArray[np.floating]:
        """How likely each action is: float32 `(B, D)` and int8 `(B, A)` to `(B, A)`, 0 where it is illegal."""


@dataclass(frozen=True)
class Decision:
    """What an agent thinks of one decision.

    Attributes:
        number: which decision of the record.
        seat: who decides.
        phase: in which phase.
        likely: actions with their probabilities, the likeliest first; the one that was taken is among them.
        taken: the action that was taken.
        value: what the agent expects; None where it does not say.
    """

    number: int
    seat: int
    phase: str
    likely: tuple[tuple[int, float], ...]
    taken: int
    value: float | None


def advisor(name: str) -> Advisor:
    """An agent by the name or path under which `respublica_env.opponents` knows it.

    Raises ValueError for an unknown name, and for an agent that has no `probabilities`.
    """
    found = find(name)
    agent = None if isinstance(found, int) else found.agent
    if not callable(getattr(agent, "probabilities", None)):
        raise ValueError(
            f"the agent {shown(name)} does not say how likely its actions are: it needs "
            "probabilities(observations (B, D), action_masks (B, A)) -> (B, A)"
        )
    return agent  # type: ignore[return-value]  # as just seen


def advise(record: Record, agent: Advisor, viewer: Viewer = None) -> list[Decision]:
    """What the agent thinks of each decision, or, for one seat as the viewer, of that seat's only.

    Raises ValueError when the agent cannot play under the record's rules or does not answer with probabilities.
    """
    check = getattr(agent, "check", None)
    if check is not None:
        check(record.rules)
    game = record.start()
    seen: list[tuple[int, int, str]] = []
    rows: list[tuple[NDArray[Any], NDArray[Any]]] = []
    for number, (player, action) in enumerate(zip(record.players, record.actions, strict=True)):
        if viewer in (None, player):
            seen.append((number, player, game.phase))
            rows.append((game.observation(player), game.action_mask()))
        game.step(action)
    if not rows:
        return []
    observations = np.stack([observation for observation, _ in rows])  # (B, D)
    masks = np.stack([mask for _, mask in rows])  # (B, A)
    likely = _checked(agent.probabilities(observations, masks), masks)
    values = _values(agent, observations)
    return [
        Decision(*place, _likeliest(likely[row], record.actions[place[0]]), record.actions[place[0]], values[row])
        for row, place in enumerate(seen)
    ]


def _checked(answer: Any, masks: NDArray[np.int8]) -> NDArray[np.float64]:
    given = np.asarray(answer, np.float64)
    legal = masks != 0
    if (
        given.shape != masks.shape
        or not np.isfinite(given).all()
        or (given < 0).any()
        or (given[~legal] > 1e-6).any()  # a softmax in float32 over masked logits leaves no more
        or not np.allclose(given.sum(axis=1), 1, atol=1e-3)
    ):
        raise ValueError(
            f"probabilities must be of the shape {masks.shape}, 0 for illegal actions, and add up to 1 in each row, "
            f"got {shown(given)}"
        )
    return given


def _values(agent: Advisor, observations: NDArray[np.float32]) -> list[float | None]:
    ask = getattr(agent, "values", None)
    answer = None if ask is None else ask(observations)
    if answer is None:
        return [None] * len(observations)
    given = np.asarray(answer, np.float64)
    if given.shape != (len(observations),) or not np.isfinite(given).all():
        raise ValueError(f"values must be {len(observations)} numbers, one for each row, got {shown(given)}")
    return [float(value) for value in given]


def _likeliest(row: NDArray[np.float64], taken: int) -> tuple[tuple[int, float], ...]:
    order = np.argsort(-row, kind="stable")[:MOST_SHOWN].tolist()
    shown_ones = [action for action in order if row[action] >= LEAST_SHOWN or action == taken]
    if taken not in shown_ones:
        shown_ones = [*shown_ones[: MOST_SHOWN - 1], taken]
    return tuple((action, float(row[action])) for action in shown_ones)
