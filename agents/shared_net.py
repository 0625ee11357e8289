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

VALUE_HEAD = "value_net"  # the layer that makes the value `(B, 1)`; SB3 keeps it apart, and calls it so

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

    def has(self, name: str) -> bool:
        """Whether there are weights for a layer."""
        return name in self._layers

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
        people, types = rules.population_types, rules.num_types
        # Where the kinds of each sort lie among all, and how many numbers a token of each sort is given.
        self._sorts = {"population": slice(0, people), "technology": slice(people, types)}
        if rules.wildcards:
            self._sorts |= {name: slice(types + i, types + i + 1) for i, name in enumerate(WILDCARDS)}
        self._inputs = {name: 2 if name in WILDCARDS else 5 + self._levels for name in self._sorts} | {"seat": 11}
        table, pools = 18, len(self._sorts) + 1
        wide = 2 * width
        self.layers: dict[str, tuple[int, int]] = {
            **{f"{name}_pair": (size, pair_width) for name, size in self._inputs.items()},
            **{f"{name}_own": (size, width) for name, size in self._inputs.items()},
            "pair": (2, pair_width),
            "kind_pairs": (pair_width, width),
            "seat_pairs": (pair_width, width),
            "table": (table + self._inputs["seat"] + pools * width, wide),
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

    def _tokens(self, ops: Operations, seen: Any) -> tuple[list[Any], Any, Any]:
        """Kinds of each sort `(B, k, width)`, other seats `(B, n - 1, width)`, and the table `(B, 2 width)`.

        Kinds stay apart by their sorts: to cut arrays that are being learnt is slow.
        """
        kinds, seats, others = self._kinds(ops, seen), self._seats(ops, seen), self.rules.num_players - 1
        own, seats = seats[:, 0], seats[:, 1:]
        of_seat = ops.linear("seat_pair", seats)[:, :, None]
        of_kinds, of_seats = [], 0.0
        for (name, given), known in zip(kinds.items(), self._pairs(ops, seen), strict=True):
            pairs = ops.linear("pair", known)  # (B, n - 1, k, pair width)
            pairs += ops.linear(f"{name}_pair", given)[:, None]
            pairs += of_seat
            pairs = ops.relu(pairs)
            # Sums are scaled so that numbers stay of the size of those that are summed.
            of_kinds.append(pairs.sum(axis=1) * others**-0.5)
            of_seats = pairs.sum(axis=2) * self.rules.num_kinds**-0.5 + of_seats
        first = [
            ops.relu(ops.linear(f"{name}_own", given) + ops.linear("kind_pairs", summed))
            for (name, given), summed in zip(kinds.items(), of_kinds, strict=True)
        ]
        seats = ops.relu(ops.linear("seat_own", seats) + ops.linear("seat_pairs", of_seats))
        sizes = [sort.stop - sort.start for sort in self._sorts.values()]
        pools = [group.sum(axis=1) * size**-0.5 for group, size in zip([*first, seats], [*sizes, others], strict=True)]
        table = ops.relu(ops.linear("table", ops.concatenate([self._table(ops, seen), own, *pools], 1)))
        of_table = ops.linear("kind_table", table)[:, None]
        second = [ops.relu(ops.linear("kind_again", group) + of_table) for group in first]
        seats = ops.relu(ops.linear("seat_again", seats) + ops.linear("seat_table", table)[:, None])
        return second, seats, table

    def _logits(self, ops: Operations, kinds: list[Any], seats: Any, table: Any) -> Any:
        rules = self.rules
        terms = ops.concatenate([ops.linear("terms", group) for group in kinds], 1)  # (B, S, 4 * max_count)
        terms = terms.reshape(-1, rules.num_kinds, 4, rules.max_count).swapaxes(1, 2)  # offer, seek, and, or
        cards = ops.concatenate([ops.linear("cards", group) for group in kinds[:2]], 1)  # (B, K, 2)
        cards = cards.reshape(-1, rules.num_types, 2).swapaxes(1, 2)  # give, convert
        accept = ops.linear("accept", seats).reshape(-1, rules.num_players - 1)
        rest = ops.linear("pass_draw", ops.relu(ops.linear("table_again", table)))
        flat = [
            group.reshape(-1, size)
            for group, size in ((terms, 4 * rules.num_kinds * rules.max_count), (cards, 2 * rules.num_types))
        ]
        return ops.concatenate([rest[:, :1], flat[0], accept, flat[1], rest[:, 1:]], 1)

    def _kinds(self, ops: Operations, seen: Any) -> dict[str, Any]:
        """What is seen of the kinds of each sort: `(B, k, 5 + levels)`, of a wildcard `(B, 1, 2)`."""
        rules, at = self.rules, self._at
        types, end = rules.num_types, 2 + rules.num_kinds
        cards = seen[:, at["hand"]] * float(rules.copies)
        levels = [(cards - float(level)).clip(0, 1) for level in range(self._levels)]
        scale = rules.copies / rules.set_size
        said = seen[:, at["announcement"]][:, 2:end], seen[:, at["answers"]][:, 2:end]  # by all kinds; by the seat
        own = [cards * (1 / rules.set_size), *levels, seen[:, at["spent"]], seen[:, at["chosen"]] * scale]
        own += [words[:, :types] for words in said]
        of_types = ops.concatenate([part[:, :, None] for part in own], 2)
        words = ops.concatenate([part[:, :, None] for part in said], 2)
        return {name: (words if name in WILDCARDS else of_types)[:, sort] for name, sort in self._sorts.items()}

    def _pairs(self, ops: Operations, seen: Any) -> list[Any]:
        """Cards that a seat is known to hold of a kind, and how many it names: `(B, n - 1, k, 2)` by sort."""
        rules, at = self.rules, self._at
        n, types, kinds = rules.num_players, rules.num_types, rules.num_kinds
        known = seen[:, at["known"]].reshape(-1, n - 1, types) * (rules.copies / rules.set_size)
        named = seen[:, at["answers"]].reshape(-1, n, kinds + 4)[:, 1:, 2 : kinds + 2]
        if rules.wildcards:
            known = ops.concatenate([known, named[:, :, types:] * 0.0], 2)
        both = ops.concatenate([known[:, :, :, None], named[:, :, :, None]], 3)
        return [both[:, :, sort] for sort in self._sorts.values()]

    def _seats(self, ops: Operations, seen: Any) -> Any:
        """What everybody sees of each seat, the own one first: `(B, n, 11)`."""
        rules, at, n = self.rules, self._at, self.rules.num_players
        sizes = rules.population_types, rules.technology_types
        hands = seen[:, at["hand_sizes"]].reshape(-1, n, 2)
        answers = seen[:, at["answers"]].reshape(-1, n, rules.num_kinds + 4)
        single = [seen[:, at[name]][:, :, None] for name in ("active", "cities", "monuments", "points", "partner")]
        scaled = [hands[:, :, i : i + 1] * (types * rules.copies / 10) for i, types in enumerate(sizes)]
        return ops.concatenate([*single, *scaled, answers[:, :, :2], answers[:, :, -2:]], 2)

    def _table(self, ops: Operations, seen: Any) -> Any:
        """What is known of the table: `(B, 18)`."""
        announcement = seen[:, self._at["announcement"]]
        public = [seen[:, self._at[name]] for name in ("phase", "decks", "next_monument", "final_round", "turn")]
        return ops.concatenate([*public, announcement[:, :2], announcement[:, -2:]], 1)
