"""A budget's row, measuring in turns, and how to say that something cannot be measured."""

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

Status = Literal["pass", "fail", "no budget", "not built yet", "peer missing", "library missing", "not measured"]


@dataclass(frozen=True)
class Settings:
    """How much is measured; `quick` and `full` are explained in `--help`."""

    games: int = 1024
    repetitions: int = 7
    seconds: float = 0.4
    quick: bool = False
    full: bool = False


@dataclass
class Row:
    """One budget and what was measured of it.

    Attributes:
        name: unique, for `--only` and the JSON.
        subject: what is measured.
        unit: of `value` and `peer_value`.
        peer: what it is measured against; "" for a budget in absolute figures.
        budget: the bound on `ratio` where there is a peer, on `value` where there is none; None: a figure only.
        at_most: whether the budget is the most allowed, instead of the least.
        value, peer_value: medians over the repetitions; None: not measured.
        ratio: the median of the ratios of each repetition; None: not measured.
        status: "pass" and "fail" only where everything was measured.
        note: how, or why not.
        values, peer_values: one for each repetition.
    """

    name: str
    subject: str
    unit: str
    peer: str = ""
    budget: float | None = None
    at_most: bool = False
    value: float | None = None
    peer_value: float | None = None
    ratio: float | None = None
    status: Status = "not measured"
    note: str = ""
    values: list[float] = field(default_factory=list)
    peer_values: list[float] = field(default_factory=list)

    def fill(self, values: list[float], peer_values: list[float] | None = None) -> "Row":
        """Enter what was measured and judge it; without `peer_values` a row with a peer stays unjudged."""
        self.values, self.peer_values = values, peer_values or []
        self.value = statistics.median(values)
        judged: float | None = self.value
        if self.peer:
            judged = None
            if peer_values:
                self.peer_value = statistics.median(peer_values)
                judged = self.ratio = statistics.median(a / b for a, b in zip(values, peer_values, strict=True))
        if judged is not None:
            self.status = self._judge(judged)
        return self

    def _judge(self, figure: float) -> Status:
        if self.budget is None:
            return "no budget"
        holds = figure <= self.budget if self.at_most else figure >= self.budget
        return "pass" if holds else "fail"

    def without(self, status: Status, note: str) -> "Row":
        """Say why the row is not judged."""
        self.status, self.note = status, note
        return self


class MissingError(Exception):
    """A peer, or a library that the subject needs, is not installed; the message says how to install it."""


def library(name: str, install: str) -> Any:
    """The module `name`; MissingError says `install` where it, or what it needs, is not there."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingError(f"pip install {install}") from None


Measure = Callable[[], float]


def take_turns(measures: Mapping[str, Measure], repetitions: int) -> dict[str, list[float]]:
    """Call each measure once in each repetition, in turn; the figures of each by its name."""
    figures: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(repetitions):
        for name, measure in measures.items():
            figures[name].append(measure())
    return figures


def available(makers: Mapping[str, Callable[[], Measure]]) -> tuple[dict[str, Measure], dict[str, str]]:
    """Make the measures of peers that can be made; of the others, what is missing."""
    made, missing = {}, {}
    for name, make in makers.items():
        try:
            made[name] = make()
        except MissingError as reason:
            missing[name] = str(reason)
    return made, missing
