"""The action table: what each action id means, where each type of action lies, and the words for both directions.

One discrete action space serves every decision. A *term* is a count and a kind ("2 Roman", "1 any card"); the N terms
are numbered kind by kind, count by count within each. `ActionTable` is the one place where ids are computed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, SupportsIndex

from respublica_env.rules import Rules, shown, whole

# Types of action in the order of their ids; the names are those of the ranges in `ActionTable`.
TYPES = ("pass_", "offer", "seek", "and_", "or_", "accept", "give", "convert", "draw")

# The types of action that speak a term, by the word they begin with.
_SPOKEN = {"offer": "offer", "seek": "seek", "and": "and_", "or": "or_"}

# Other words for action 0.
PASS_WORDS = ("pass", "nothing", "nothing more", "decline", "finish", "stop", "done")

_NUMBER = "([0-9]{1,10})"  # no count that rules allow is longer
# Either part may be missing; what comes second follows a plus.
_DRAW = re.compile(rf"(?:{_NUMBER} population)?(?:(?:^| \+ ){_NUMBER} technology)?")


class IllegalAction(ValueError):  # noqa: N818 - the public name that the interface promises
    """An action that may not be taken, or that does not exist; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Action:
    """What an id means; a field that its type of action has no use for keeps its default.

    Attributes:
        type: one of `TYPES`.
        count: how many cards a term names (offer, seek, and, or).
        kind: the kind that a term names; the card type of give and convert.
        player: seats after the active player (accept).
        population: population cards to draw (draw).
        technology: technology cards to draw (draw).
    """

    type: str
    count: int = 0
    kind: int = -1
    player: int = 0
    population: int = 0
    technology: int = 0


@dataclass(frozen=True)
class ActionTable:
    """All action ids under one set of rules: one range for each type of action, side by side from 0 to `size`.

    Attributes:
        rules: the rules.
        size: number of actions, A.
        terms: number of terms, N = kinds * max_count.
        pass_: nothing, nothing more, decline, finish, stop: id 0 alone.
        offer: "I would give", by term.
        seek: "I would like", by term.
        and_: the second term of a description, joined by and, by term.
        or_: the second term of a description, joined by or, by term.
        accept: take the answer of the player 1, 2, ... seats after the active one.
        give: choose one card to hand over, by type.
        convert: turn a set into a city or a monument, by type.
        draw: by population cards (0 or 1), then technology cards (0 to max_draw).
    """

    rules: Rules
    size: int
    terms: int
    pass_: range
    offer: range
    seek: range
    and_: range
    or_: range
    accept: range
    give: range
    convert: range
    draw: range

    @property
    def spans(self) -> dict[str, range]:
        """The range of each type of action by name, in the order of ids."""
        return {name: getattr(self, name) for name in TYPES}

    def term(self, count: int, kind: int) -> int:
        """The number of a term, from 0 to N - 1."""
        return kind * self.rules.max_count + count - 1

    def decode(self, action: SupportsIndex) -> Action:
        """What an id means.

        Raises:
            IllegalAction: when there is no such action.
        """
        number = self._check(action)
        name, span = next((name, span) for name, span in self.spans.items() if number in span)
        place = number - span.start
        match name:
            case "offer" | "seek" | "and_" | "or_":
                kind, counted = divmod(place, self.rules.max_count)
                return Action(name, count=counted + 1, kind=kind)
            case "accept":
                return Action(name, player=place + 1)
            case "give" | "convert":
                return Action(name, kind=place)
            case "draw":
                population, technology = divmod(place, self.rules.max_draw + 1)
                return Action(name, population=population, technology=technology)
        return Action(name)

    def describe(self, action: SupportsIndex) -> str:
        """An action in words, such as "offer 2 Roman"; `parse` reads them back.

        Raises:
            IllegalAction: when there is no such action.
        """
        meaning = self.decode(action)
        word = meaning.type.rstrip("_")
        match meaning.type:
            case "offer" | "seek" | "and_" | "or_":
                return f"{word} {meaning.count} {self.rules.kind_names[meaning.kind]}"
            case "accept":
                return f"{word} player +{meaning.player}"
            case "give" | "convert":
                return f"{word} {self.rules.type_names[meaning.kind]}"
            case "draw":
                return f"{word} {meaning.population} population + {meaning.technology} technology"
        return word

    def parse(self, words: str) -> int:
        """The id of an action in words: whatever `describe` says, in any case and spacing.

        Besides, action 0 has the names in `PASS_WORDS`, and a draw may leave out what it does not draw
        ("draw 1 population", "draw nothing").

        Raises:
            ValueError: for other words; it says what is accepted.
        """
        if not isinstance(words, str):
            raise ValueError(f"an action in words is a string, got {shown(words)}")
        text = " ".join(words.replace("+", " + ").casefold().split())
        if text in PASS_WORDS:
            return self.pass_.start
        word, _, rest = text.partition(" ")
        if word in _SPOKEN:
            return self._parse_term(words, word, rest)
        if word in ("give", "convert"):
            span: range = getattr(self, word)
            return span[_place_of(rest, self.rules.type_names, words)]
        if word == "accept":
            return self._parse_accept(words, rest)
        if word == "draw":
            return self._parse_draw(words, rest)
        raise ValueError(f"no action is called {shown(words)}; {self._forms()}")

    def _check(self, action: SupportsIndex) -> int:
        try:
            number = whole(action)
        except TypeError:
            number = -1
        if not 0 <= number < self.size:
            raise IllegalAction(f"an action is a whole number from 0 to {self.size - 1}, got {shown(action)}")
        return number

    def _parse_term(self, words: str, word: str, rest: str) -> int:
        match = re.fullmatch(rf"{_NUMBER} (.+)", rest)
        if match is None:
            raise ValueError(
                f'{shown(words)} needs a count and a kind, such as "{word} 1 {self.rules.kind_names[0]}"; '
                f"counts go from 1 to {self.rules.max_count}, kinds are: {', '.join(self.rules.kind_names)}"
            )
        count, kind = int(match[1]), _place_of(match[2], self.rules.kind_names, words)
        if not 1 <= count <= self.rules.max_count:
            raise ValueError(f"counts go from 1 to {self.rules.max_count}, got {count} in {shown(words)}")
        span: range = getattr(self, _SPOKEN[word])
        return span[self.term(count, kind)]

    def _parse_accept(self, words: str, rest: str) -> int:
        match = re.fullmatch(rf"player \+ {_NUMBER}", rest)
        if match is None or not 1 <= int(match[1]) <= len(self.accept):
            raise ValueError(
                f'an answer is taken with "accept player +1" to "accept player +{len(self.accept)}" '
                f"(so many seats after the active player), got {shown(words)}"
            )
        return self.accept[int(match[1]) - 1]

    def _parse_draw(self, words: str, rest: str) -> int:
        rest = "0 population" if rest == "nothing" else rest
        match = _DRAW.fullmatch(rest)
        if match is None or match.lastindex is None:
            raise ValueError(
                f'cards are drawn with "draw 1 population + 2 technology" or "draw nothing", got {shown(words)}'
            )
        population, technology = (int(number or 0) for number in match.groups())
        if population > 1 or technology > self.rules.max_draw:
            raise ValueError(
                f"population cards drawn go from 0 to 1 and technology cards from 0 to {self.rules.max_draw}, "
                f"got {shown(words)}"
            )
        return self.draw[population * (self.rules.max_draw + 1) + technology]

    def _forms(self) -> str:
        kind, card = self.rules.kind_names[-1], self.rules.type_names[0]
        return (
            f'forms are "pass", "offer 1 {kind}", "seek 1 {kind}", "and 1 {kind}", "or 1 {kind}", '
            f'"accept player +1", "give {card}", "convert {card}", "draw 1 population + 0 technology"'
        )


def action_table(rules: Rules | Mapping[str, Any] | str | None = None) -> ActionTable:
    """The action table under `rules` (whatever `Rules.of` takes); equal rules share one."""
    return _action_table(Rules.of(rules))


@lru_cache(maxsize=256)
def _action_table(rules: Rules) -> ActionTable:
    terms = rules.num_kinds * rules.max_count
    sizes = {
        "pass_": 1,
        "offer": terms,
        "seek": terms,
        "and_": terms,
        "or_": terms,
        "accept": rules.num_players - 1,
        "give": rules.num_types,
        "convert": rules.num_types,
        "draw": 2 * (rules.max_draw + 1),
    }
    bounds = [0]
    for name in TYPES:
        bounds.append(bounds[-1] + sizes[name])
    spans = {name: range(*between) for name, between in zip(TYPES, pairwise(bounds), strict=True)}
    return ActionTable(rules=rules, size=bounds[-1], terms=terms, **spans)


def _place_of(name: str, names: tuple[str, ...], words: str) -> int:
    """Where `name`, in lower case, stands among `names`."""
    for place, known in enumerate(names):
        if known.casefold() == name:
            return place
    raise ValueError(f"no card {shown(name)} in {shown(words)}; cards are: {', '.join(names)}")
