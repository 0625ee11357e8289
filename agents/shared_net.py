"""A network that knows what is alike in this game, written once for whatever computes it.

Card types are interchangeable within population and within technology, and so are opponents. Every kind of card that
words can name is a token (the types, and the wildcards), every other seat is one, and the table is one; tokens of one
sort share their weights and meet in sums, as in Deep Sets (Zaheer et al. 2017, https://arxiv.org/abs/1703.06114):

    what a seat has said or is known to hold of a kind   (n - 1) x S pairs, summed over seats and over kinds
    kinds S, other seats n - 1                            each with its sum of pairs; summed over all
    the table                                             sees these sums, is shown to every kind and seat
    heads                                                 four sorts of terms, give and convert from the kinds;
                                                          accept from the seats; pass and draw from the table

To permute types within a class, or opponents, in the observation permutes the logits. (That seats sit in order is not
lost on the game, but on this network.)
"""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from respublica_env import Rules
from respublica_env.observation import observation_layout

MOST_LEVELS = 6  # "at least 1 in hand", "at least 2", ..., up to a set

# Wildcards have a first layer each, in the order of their kinds.
WILDCARDS = ("any_population", "any_technology", "any_card")


class Operations(Protocol):
    """What computes the network: NumPy, PyTorch, or whatever writes it down. Values are arrays of its own kind."""

    def linear(self, name: str, values: Any) -> Any:
        """The layer of a name on the last axis."""

    def relu(self, values: Any) -> Any:
        """The positive part."""

    def concatenate(self, parts: list[Any], axis: int) -> Any:
        """Arrays side by side."""


class NumPyOperations:
    """Operations on float32 arrays, with weights `(out, in)` and biases `(out,)` under "<layer>.weight", ".bias"."""

    def __init__(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        names = [name.removesuffix(".weight") for name in weights if name.endswith(".weight")]
        self._layers = {name: (weights[f"{name}.weight"].T.copy(), weights[f"{name}.bias"]) for name in names}

    def linear(self, name: str, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """One product of matrices, whatever the number of axes."""
        weight, bias = self._layers[name]
        flat = values.reshape(-1, weight.shape[0]) @ weight
        flat += bias
        return flat.reshape(*values.shape[:-1], -1)

    def relu(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """In place: what it is given is never used again."""
        return np.maximum(values, 0, out=values)

    def concatenate(self, parts: list[Any], axis: int) -> NDArray[np.float32]:
        """As NumPy does."""
        return np.concatenate(parts, axis)


class SharedNet:
    """The network for one set of rules: its layers, and how they are put together.

    Attributes:
        rules: the rules.
        width, pair_width: features of a token, and of a pair.
        layers: inputs and outputs of each linear layer, by name.
        heads: the layers that logits come from.
    """

    heads = ("terms", "cards", "accept", "pass_draw")

    def __init__(self, rules: Rules, width: int = 64, pair_width: int = 16) -> None:
        self.rules, self.width, self.pair_width = rules, width, pair_width
        self._at = observation_layout(rules)
        self._levels = min(MOST_LEVELS, rules.set_size)
        self._classes = rules.population_types, rules.technology_types
        kind, seat, table = 5 + self._levels, 11, 18  # numbers that each token is given
        pools = 4 if rules.wildcards else 3
        wide = 2 * width
        self.layers: dict[str, tuple[int, int]] = {
            "population": (kind, pair_width + width),
            "technology": (kind, pair_width + width),
            **(dict.fromkeys(WILDCARDS, (2, pair_width + width)) if rules.wildcards else {}),
            "seat": (seat, pair_width + width),
            "pair": (2, pair_width),
            "kind_pairs": (pair_width, width),
            "seat_pairs": (pair_width, width),
            "table": (table + seat + pools * width, wide),
            "kind_again": (width, width),
            "kind_table": (wide, width),
            "seat_again": (width, width),
            "seat_table": (wide, width),
            "terms": (width, 4 * rules.max_count),
            "cards": (width, 2),
            "accept": (width, 1),
            "table_again": (wide, width),
            "pass_draw": (width, 1 + 2 * (rules.max_draw + 1)),
            "value": (wide, width),
        }

    def __call__(self, ops: Operations, seen: Any) -> tuple[Any, Any]:
        """Logits `(B, A)` and what the value is made of `(B, width)`, from observations `(B, D)`."""
        kinds, seats, table = self._tokens(ops, seen)
        return self._logits(ops, kinds, seats, table), ops.relu(ops.linear("value", table))

    def logits(self, ops: Operations, seen: Any) -> Any:
        """The logits alone."""
        return self._logits(ops, *self._tokens(ops, seen))

    def _tokens(self, ops: Operations, seen: Any) -> tuple[Any, Any, Any]:
        """Kinds `(B, S, width)`, other seats `(B, n - 1, width)`, and the table `(B, 2 width)`."""
        rules, people, types = self.rules, self.rules.population_types, self.rules.num_types
        kinds, seats, pair_width = self._kinds(ops, seen), self._seats(ops, seen), self.pair_width
        own, others = seats[:, 0], ops.linear("seat", seats[:, 1:])  # (B, n - 1, pair width + width)
        pairs = ops.linear("pair", self._pairs(ops, seen))  # (B, n - 1, S, pair width)
        pairs += kinds[:, None, :, :pair_width]
        pairs += others[:, :, None, :pair_width]
        pairs = ops.relu(pairs)
        # Sums are scaled so that numbers stay of the size of those that are summed.
        of_kinds = pairs.sum(axis=1) * (rules.num_players - 1) ** -0.5
        of_seats = pairs.sum(axis=2) * rules.num_kinds**-0.5
        kinds = ops.relu(kinds[:, :, pair_width:] + ops.linear("kind_pairs", of_kinds))  # (B, S, width)
        seats = ops.relu(others[:, :, pair_width:] + ops.linear("seat_pairs", of_seats))  # (B, n - 1, width)
        groups = [(kinds[:, :people], people), (kinds[:, people:types], types - people), (seats, rules.num_players - 1)]
        if rules.wildcards:
            groups.append((kinds[:, types:], len(WILDCARDS)))
        pools = [group.sum(axis=1) * size**-0.5 for group, size in groups]
        table = ops.relu(ops.linear("table", ops.concatenate([self._table(ops, seen), own, *pools], 1)))  # (B, 2 width)
        kinds = ops.relu(ops.linear("kind_again", kinds) + ops.linear("kind_table", table)[:, None])
        seats = ops.relu(ops.linear("seat_again", seats) + ops.linear("seat_table", table)[:, None])
        return kinds, seats, table

    def _logits(self, ops: Operations, kinds: Any, seats: Any, table: Any) -> Any:
        rules = self.rules
        terms, most = ops.linear("terms", kinds), rules.max_count  # (B, S, 4 * max_count)
        size = rules.num_kinds * most
        spoken = [terms[:, :, i * most : (i + 1) * most].reshape(-1, size) for i in range(4)]
        cards = ops.linear("cards", kinds[:, : rules.num_types])  # (B, K, 2)
        accept = ops.linear("accept", seats).reshape(-1, rules.num_players - 1)
        rest = ops.linear("pass_draw", ops.relu(ops.linear("table_again", table)))
        return ops.concatenate([rest[:, :1], *spoken, accept, cards[:, :, 0], cards[:, :, 1], rest[:, 1:]], 1)

    def _kinds(self, ops: Operations, seen: Any) -> Any:
        """What is known of each kind, through its first layer: `(B, S, pair width + width)`."""
        rules, at = self.rules, self._at
        types, people, end = rules.num_types, rules.population_types, 2 + rules.num_kinds
        cards = seen[:, at["hand"]] * float(rules.copies)
        levels = [(cards - float(level)).clip(0, 1) for level in range(self._levels)]
        scale = rules.copies / rules.set_size
        said = seen[:, at["announcement"]][:, 2:end], seen[:, at["answers"]][:, 2:end]  # by all kinds; by the seat
        own = [cards * (1 / rules.set_size), *levels, seen[:, at["spent"]], seen[:, at["chosen"]] * scale]
        own += [words[:, :types] for words in said]
        features = ops.concatenate([part[:, :, None] for part in own], 2)  # (B, K, kind)
        first = [("population", features[:, :people]), ("technology", features[:, people:])]
        if rules.wildcards:
            words = ops.concatenate([part[:, types:, None] for part in said], 2)  # (B, 3, 2)
            first += [(name, words[:, i : i + 1]) for i, name in enumerate(WILDCARDS)]
        return ops.concatenate([ops.linear(name, values) for name, values in first], 1)

    def _pairs(self, ops: Operations, seen: Any) -> Any:
        """Cards that a seat is known to hold of a kind, and how many it names: `(B, n - 1, S, 2)`."""
        rules, at = self.rules, self._at
        n, types, kinds = rules.num_players, rules.num_types, rules.num_kinds
        known = seen[:, at["known"]].reshape(-1, n - 1, types) * (rules.copies / rules.set_size)
        named = seen[:, at["answers"]].reshape(-1, n, kinds + 4)[:, 1:, 2 : kinds + 2]
        if rules.wildcards:
            known = ops.concatenate([known, named[:, :, types:] * 0.0], 2)
        return ops.concatenate([known[:, :, :, None], named[:, :, :, None]], 3)

    def _seats(self, ops: Operations, seen: Any) -> Any:
        """What everybody sees of each seat, the own one first: `(B, n, 11)`."""
        rules, at, n = self.rules, self._at, self.rules.num_players
        hands = seen[:, at["hand_sizes"]].reshape(-1, n, 2)
        answers = seen[:, at["answers"]].reshape(-1, n, rules.num_kinds + 4)
        single = [seen[:, at[name]][:, :, None] for name in ("active", "cities", "monuments", "points", "partner")]
        scaled = [hands[:, :, i : i + 1] * (types * rules.copies / 10) for i, types in enumerate(self._classes)]
        return ops.concatenate([*single, *scaled, answers[:, :, :2], answers[:, :, -2:]], 2)

    def _table(self, ops: Operations, seen: Any) -> Any:
        """What is known of the table: `(B, 18)`."""
        announcement = seen[:, self._at["announcement"]]
        public = [seen[:, self._at[name]] for name in ("phase", "decks", "next_monument", "final_round", "turn")]
        return ops.concatenate([*public, announcement[:, :2], announcement[:, -2:]], 1)
