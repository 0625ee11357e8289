"""The whole position as one vector, for centralised critics: hidden cards included, random streams not.

Built from what all seats see, so that nothing is computed twice: first what is public, as seat 0 sees it ("seat i" is
then `player_i`), then the private blocks of every seat, then what no seat knows. All numbers lie in [0, 1].
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from respublica_env.game import Game
from respublica_env.observation import blocks
from respublica_env.rules import Rules


class _Plan(NamedTuple):
    """Where each block lies, and which entries of all observations, seat after seat, the vector begins with."""

    layout: dict[str, slice]
    seen: NDArray[np.int64]
    size: int


def state_layout(rules: Rules | Mapping[str, Any] | str | None = None) -> dict[str, slice]:
    """Where each block lies in `state()` under `rules` (whatever `Rules.of` takes): name to slice, in order.

    - the public blocks of the observation under their own names, as seat 0 sees them;
    - "hands", "chosen", "known": these blocks of the observation of seats 0, 1, ... one after another;
    - "public_known": what everybody knows that everybody knows of each hand, by seat and type, / copies;
    - "decks_by_type": cards left in the decks by type, / copies;
    - "population_order", "technology_order": the decks, next card first: the type's place among those of its back,
      counted from 1, / their number; 0 where no card is left.
    """
    return dict(_plan(Rules.of(rules)).layout)


def global_state_size(rules: Rules) -> int:
    """Length of the vector."""
    return _plan(rules).size


@lru_cache(maxsize=64)
def _plan(rules: Rules) -> _Plan:
    n, types = rules.num_players, rules.num_types
    table = {block.name: np.arange(block.start, block.stop) for block in blocks(rules)}
    seats = rules.observation_size * np.arange(n)[:, None]
    parts = {block.name: table[block.name] for block in blocks(rules) if not block.private}
    for name, private in (("hands", "hand"), ("chosen", "chosen"), ("known", "known")):
        parts[name] = (seats + table[private]).ravel()
    sizes = {name: len(part) for name, part in parts.items()} | {
        "public_known": n * types,
        "decks_by_type": types,
        "population_order": rules.population_types * rules.copies,
        "technology_order": rules.technology_types * rules.copies,
    }
    ends = np.cumsum(list(sizes.values())).tolist()
    layout = {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}
    return _Plan(layout, np.concatenate(list(parts.values())), ends[-1])


def global_state(game: Game) -> NDArray[np.float32]:
    """The whole position, float32 `(S,)`."""
    rules, plan = game.rules, _plan(game.rules)
    population, technology = np.array(game.population_deck, int), np.array(game.technology_deck, int)
    out = np.zeros(plan.size, np.float32)
    seen = np.concatenate([game.observation(seat) for seat in range(rules.num_players)])
    out[: len(plan.seen)] = seen[plan.seen]
    copies = np.float32(rules.copies)
    out[plan.layout["public_known"]] = game.known(None).ravel().astype(np.float32) / copies
    left = np.bincount(np.concatenate([population, technology]), minlength=rules.num_types)
    out[plan.layout["decks_by_type"]] = left.astype(np.float32) / copies
    for name, deck, before, types in (
        ("population_order", population, 0, rules.population_types),
        ("technology_order", technology, rules.population_types, rules.technology_types),
    ):
        first = plan.layout[name].start
        out[first : first + len(deck)] = (deck - before + 1).astype(np.float32) / np.float32(types)
    return out
