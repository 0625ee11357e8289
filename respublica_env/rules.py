"""The rules object: everything that sets one game of Res Publica apart from another, with presets and card names."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np

# Whole numbers that the rules leave without an upper limit end here: the engine keeps them in 30 bits.
LARGEST = 1_000_000_000

POPULATION_NAMES = ("Roman", "Babylonian", "Egyptian", "Atlantean", "Greek")
TECHNOLOGY_NAMES = ("Metalworking", "Wheel", "Architecture", "Chemistry", "Navigation")
WILDCARD_NAMES = ("any population", "any technology", "any card")


@dataclass(frozen=True)
class Rules:
    """One set of rules; the defaults are the published game for 4. Immutable and hashable.

    A card type is a whole number below `num_types`: population types first, then technology types. A *kind* is what a
    description may name: a single type, or (with `wildcards`) any population, any technology, or any card.

    Attributes:
        num_players: 2 to 6 (the published game: 3 to 5).
        population_types: 1 to 8.
        technology_types: 1 to 8.
        copies: cards of each type, 2 to 24.
        hand_size: population cards dealt to each player, at least 1, no more than the population deck can give all.
        set_size: identical cards that make a city or a monument, 2 to `copies`.
        city_points: points of every city, at least 0.
        monument_points: the pile of monuments, top first: at least one, never increasing, none below 0, the first at
            least 1. A list is taken as a tuple.
        num_cities: city cards in the supply, at least 1.
        pair_points: points for each pair of identical cards in hand at the end, at least 0.
        max_draw: cards drawn at the end of a turn, at most; at least 1.
        max_count: the largest count one term of a description may name, 1 to `copies`.
        max_terms: terms in one description, 1 or 2.
        wildcards: whether descriptions may also name "any population", "any technology" and "any card".
        optional_draw: whether a player may draw fewer cards than it is entitled to.
        max_turns: player turns after which a game that has not reached its final round stalls; at least 1.
        auto_forced: whether the engine itself takes a decision that leaves exactly one legal action.

    Whole numbers are int or numpy integers, the three switches bool. A number without an upper limit above
    (`city_points`, `monument_points`, `num_cities`, `pair_points`, `max_draw`, `max_turns`) is at most 1,000,000,000,
    because the engine keeps these in 30 bits.

    Raises:
        ValueError: for the first field, in this order, that holds anything else; it names the field, the value and
            what is accepted.
    """

    num_players: int = 4
    population_types: int = 5
    technology_types: int = 5
    copies: int = 12
    hand_size: int = 4
    set_size: int = 5
    city_points: int = 3
    monument_points: tuple[int, ...] = (9, 8, 8, 7, 7, 6, 6, 5, 5, 4)
    num_cities: int = 10
    pair_points: int = 1
    max_draw: int = 3
    max_count: int = 4
    max_terms: int = 2
    wildcards: bool = True
    optional_draw: bool = False
    max_turns: int = 200
    auto_forced: bool = True

    def __post_init__(self) -> None:
        self._check_whole("num_players", 2, 6)
        self._check_whole("population_types", 1, 8)
        self._check_whole("technology_types", 1, 8)
        self._check_whole("copies", 2, 24)
        self._check_hand_size()
        self._check_whole("set_size", 2, self.copies, " (copies)")
        self._check_whole("city_points", 0, LARGEST)
        self._check_monument_points()
        self._check_whole("num_cities", 1, LARGEST)
        self._check_whole("pair_points", 0, LARGEST)
        self._check_whole("max_draw", 1, LARGEST)
        self._check_whole("max_count", 1, self.copies, " (copies)")
        self._check_whole("max_terms", 1, 2)
        self._check_switch("wildcards")
        self._check_switch("optional_draw")
        self._check_whole("max_turns", 1, LARGEST)
        self._check_switch("auto_forced")

    def _check_whole(self, name: str, low: int, high: int, why: str = "") -> None:
        value = getattr(self, name)
        if not _is_whole(value) or not low <= value <= high:
            raise ValueError(f"{name} must be a whole number from {low} to {high}{why}, got {shown(value)}")
        self._set(name, operator.index(value))

    def _check_hand_size(self) -> None:
        cards = self.population_types * self.copies
        most = cards // self.num_players
        if most == 0:
            raise ValueError(
                f"hand_size must be at least 1, but {cards} population cards (population_types * copies) do not give "
                f"{self.num_players} players one each, got {shown(self.hand_size)}"
            )
        self._check_whole("hand_size", 1, most, f" ({self.num_players} players share {cards} population cards)")

    def _check_monument_points(self) -> None:
        value = self.monument_points
        accepted = (
            f"monument_points must be a list or tuple of at least one whole number from 0 to {LARGEST}, "
            f"never increasing, the first at least 1"
        )
        if not isinstance(value, (list, tuple)) or len(value) == 0:
            raise ValueError(f"{accepted}, got {shown(value)}")
        for place, points in enumerate(value):
            if not _is_whole(points) or not 0 <= points <= LARGEST:
                raise ValueError(f"{accepted}, got {shown(points)} at place {place}")
            if place == 0 and points < 1:
                raise ValueError(f"{accepted}, got {shown(points)} as the first")
            if place > 0 and points > value[place - 1]:
                raise ValueError(f"{accepted}, got {shown(points)} after {shown(value[place - 1])} at place {place}")
        self._set("monument_points", tuple(operator.index(points) for points in value))

    def _check_switch(self, name: str) -> None:
        value = getattr(self, name)
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{name} must be True or False, got {shown(value)}")
        self._set(name, bool(value))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)  # the class is frozen; fields are normalised once, here

    # -- from and to other forms

    @classmethod
    def of(cls, value: "Rules | Mapping[str, Any] | str | None", num_players: int | None = None) -> "Rules":
        """The rules that a user may mean by a `rules=` keyword.

        Args:
            value: a Rules, a mapping of its fields, or a preset's name; None is the published game.
            num_players: used only where `value` is None: rules that are given decide the number of players.

        Raises:
            ValueError: when `value` is none of these.
        """
        if value is None:
            return cls() if num_players is None else cls(num_players=num_players)
        if isinstance(value, Rules):
            return value
        if isinstance(value, Mapping):
            return cls.from_dict(value)
        if isinstance(value, str) and value in PRESETS:
            return PRESETS[value]()
        raise ValueError(
            f"rules must be a Rules, a dict of its fields, or a preset's name ({', '.join(PRESETS)}), "
            f"got {shown(value)}"
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rules from field names and values; a field left out has its default.

        Raises:
            ValueError: when `values` is no mapping, names an unknown field, or a value is refused.
        """
        if not isinstance(values, Mapping):
            raise ValueError(f"rules must be a dict of the fields {', '.join(_FIELDS)}; got {shown(values)}")
        return cls._from_fields(values)

    @classmethod
    def _from_fields(cls, values: Mapping[str, Any]) -> Self:
        unknown = [shown(name) for name in values if name not in _FIELDS]
        if unknown:
            raise ValueError(f"rules have no field {', '.join(unknown)}; there are: {', '.join(_FIELDS)}")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Every field by name, of JSON types only (`monument_points` as a list)."""
        values = {name: getattr(self, name) for name in _FIELDS}
        return values | {"monument_points": list(self.monument_points)}

    # -- presets

    @classmethod
    def standard(cls, **changes: Any) -> Self:
        """The published game for 4; keywords change fields."""
        return cls._from_fields(changes)

    @classmethod
    def mini(cls, **changes: Any) -> Self:
        """A game small enough for exact solvers: 46,000 decision nodes over its 20 deals; trade and cities.

        Keywords change fields.
        """
        return cls._from_fields(_MINI | changes)

    @classmethod
    def small(cls, **changes: Any) -> Self:
        """`mini` with 2 copies and 3 turns: 3.8 million decision nodes over its 6 deals.

        It has trade, cities, monuments and the final round. Keywords change fields.
        """
        return cls._from_fields(_MINI | {"copies": 2, "max_turns": 3} | changes)

    # -- sizes and names

    @property
    def num_types(self) -> int:
        """Card types, K: population types, then technology types."""
        return self.population_types + self.technology_types

    @property
    def num_kinds(self) -> int:
        """Kinds that a description may name, S: the types, and with `wildcards` three more."""
        return self.num_types + (len(WILDCARD_NAMES) if self.wildcards else 0)

    @cached_property
    def type_names(self) -> tuple[str, ...]:
        """Names of the K card types, by index."""
        return (
            *_names(POPULATION_NAMES, "Population", self.population_types),
            *_names(TECHNOLOGY_NAMES, "Technology", self.technology_types),
        )

    @cached_property
    def kind_names(self) -> tuple[str, ...]:
        """Names of the S kinds, by index."""
        return self.type_names + (WILDCARD_NAMES if self.wildcards else ())

    @cached_property
    def num_actions(self) -> int:
        """Size of the action space, A."""
        from respublica_env.actions import action_table  # it needs this module first

        return action_table(self).size

    @cached_property
    def observation_size(self) -> int:
        """Length of an observation, D."""
        from respublica_env.observation import blocks  # it needs this module first

        return blocks(self)[-1].stop


_FIELDS = tuple(field.name for field in fields(Rules))

_MINI: dict[str, Any] = {
    "num_players": 2,
    "population_types": 2,
    "technology_types": 1,
    "copies": 3,
    "hand_size": 2,
    "set_size": 2,
    "monument_points": (2,),
    "num_cities": 2,
    "max_draw": 1,
    "max_count": 1,
    "max_terms": 1,
    "wildcards": False,
    "max_turns": 2,
}

# Presets by name; each takes keywords that change fields.
PRESETS: dict[str, Callable[..., Rules]] = {"standard": Rules.standard, "mini": Rules.mini, "small": Rules.small}


def shown(value: object, width: int = 100) -> str:
    """`value` as an error message shows it: its repr in one line, cut to `width` characters."""
    try:
        text = re.sub(r"\s*\n\s*", " ", repr(value))
    except Exception:  # noqa: BLE001 - the message must come out whatever a repr does (that of a huge int raises)
        text = f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= width else text[: width - 3] + "..."


def whole(value: Any) -> int:
    """A whole number as an int; TypeError for anything else, and for bools, which would pass for 0 and 1."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{value} is no whole number")
    return operator.index(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _names(known: tuple[str, ...], other: str, size: int) -> tuple[str, ...]:
    """The first `size` names: the known ones, then "Population 6" and so on."""
    return known[:size] + tuple(f"{other} {number}" for number in range(len(known) + 1, size + 1))
