"""The observation as a table of named blocks: where each begins, how it is scaled, what it means, who may know it.

An observation is float32 `(D,)` in [0, 1], seen by one seat `o`. "Seat i" is the player `i` seats after `o`; seat 0 is
`o` itself. Every number is a count over its divisor, the correctly rounded float32 quotient. This table is the one
place that says so: the engine writes by it, and the README's table is generated from it.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from respublica_env.rules import Rules

# The phases that have decisions, in the order of the phase block; a game that is over is in none of them.
PHASES = ("ANNOUNCE", "EXTEND", "RESPOND", "ACCEPT", "HAND_OVER", "CONVERT", "DRAW", "FINAL_CONVERT")
PHASE_NAMES = (*PHASES, "OVER")


class Block(NamedTuple):
    """One block of the observation.

    Attributes:
        name: its name, unique.
        start: index of its first number.
        length: how many numbers it has.
        scale: what its numbers are divided by, in words.
        divisors: the same as numbers, one for each of the block's `length` entries (1 for marks, which are 0 or 1).
        meaning: what the numbers say.
        private: whether it may depend on what only the seat itself knows; the others hold public facts.
    """

    name: str
    start: int
    length: int
    scale: str
    divisors: tuple[int, ...]
    meaning: str
    private: bool

    @property
    def stop(self) -> int:
        """Index after its last number."""
        return self.start + self.length

    @property
    def divisor(self) -> int | None:
        """The one divisor of all its numbers; None where they differ."""
        return self.divisors[0] if len(set(self.divisors)) == 1 else None


def blocks(rules: Rules | Mapping[str, Any] | str | None = None) -> tuple[Block, ...]:
    """The blocks of an observation under `rules` (whatever `Rules.of` takes), in order; they leave no gap."""
    return _blocks(Rules.of(rules))


def observation_layout(rules: Rules | Mapping[str, Any] | str | None = None) -> dict[str, slice]:
    """Where each block lies in an observation under `rules` (whatever `Rules.of` takes): name to slice, in order."""
    return {block.name: slice(block.start, block.stop) for block in blocks(rules)}


@lru_cache(maxsize=256)
def _blocks(rules: Rules) -> tuple[Block, ...]:
    placed: list[Block] = []
    for name, scale, divisors, meaning in _table(rules):
        start = placed[-1].stop if placed else 0
        placed.append(Block(name, start, len(divisors), scale, divisors, meaning, name in _PRIVATE))
    return tuple(placed)


_PRIVATE = frozenset({"hand", "chosen", "known"})


def _table(rules: Rules) -> tuple[tuple[str, str, tuple[int, ...], str], ...]:
    """Name, scale, divisors and meaning of each block, in order."""
    n, types, copies = rules.num_players, rules.num_types, rules.copies
    population, technology = rules.population_types * copies, rules.technology_types * copies
    monuments = len(rules.monument_points)
    most_points = rules.num_cities * rules.city_points + sum(rules.monument_points)
    kinds = (rules.max_count,) * rules.num_kinds
    two_marks = (1, 1)
    seats = (1,) * n
    one_hot = "one-hot"
    by_back = "population cards / (population_types * copies), technology cards / (technology_types * copies)"
    words = "marks; count of each kind / max_count; marks"
    description = "the count of each kind named, both terms; marks for and, or"
    return (
        ("phase", one_hot, (1,) * len(PHASES), f"{', '.join(PHASES)}; all 0 when the game is over"),
        ("active", one_hot, seats, "seat of the active player (in FINAL_CONVERT, who converts); all 0 when over"),
        ("to_act", one_hot, seats, "seat of the player to decide; all 0 when over"),
        ("hand", "copies", (copies,) * types, "own cards by type"),
        ("hand_sizes", by_back, (population, technology) * n, "cards in hand of each seat by back, side by side"),
        ("cities", "num_cities", (rules.num_cities,) * n, "cities of each seat"),
        ("monuments", "len(monument_points)", (monuments,) * n, "number of monuments of each seat"),
        (
            "points",
            "num_cities * city_points + sum(monument_points)",
            (most_points,) * n,
            "points of cities and monuments of each seat",
        ),
        ("spent", "copies", (copies,) * types, "cards out of the game by type"),
        ("decks", by_back, (population, technology), "cards left in the two decks"),
        (
            "next_monument",
            "monument_points[0]",
            (rules.monument_points[0],),
            "points of the top monument of the pile; 0 when none is left",
        ),
        (
            "final_round",
            "mark; turns / num_players",
            (1, n),
            "1 from the moment the final round has begun, to the end; turns of it not yet completed",
        ),
        ("turn", "max_turns, at most 1", (rules.max_turns,), "turns completed"),
        ("announcement", words, two_marks + kinds + two_marks, f"marks for offer, seek; {description}"),
        (
            "answers",
            words,
            (two_marks + kinds + two_marks) * n,
            f"each seat: marks for passed, answered (neither: not yet, or the active player); {description}",
        ),
        ("partner", one_hot, seats, "seat of the player whose answer was taken, during HAND_OVER; else all 0"),
        ("chosen", "copies", (copies,) * types, "cards by type that the seat itself has chosen to give so far"),
        (
            "known",
            "copies",
            (copies,) * ((n - 1) * types),
            "cards by type that the seat can be sure of in the hands of seats 1, 2, ...",
        ),
    )
