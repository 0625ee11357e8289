"""Whole game trees in Gambit's EFG format, which OpenSpiel reads as `efg_game`: exact solvers run on them in C++.

    python -m respublica_env.envs.efg mini.efg preset=mini
    python -m respublica_env.envs.efg monuments.efg preset=mini copies=4 hand_size=4

Some that are small enough, all of them with hidden hands and trade:

| rules | nodes | decisions | information sets | what there is |
| --- | --- | --- | --- | --- |
| preset=mini | 96,489 | 45,042 | 14,389 | cities |
| preset=mini copies=4 hand_size=4 max_turns=1 max_draw=2 | 8,701 | 3,784 | 917 | one turn; cities, monuments |
| preset=mini hand_size=3 | 62,711 | 29,758 | 11,706 | cities, now and then a monument |
| preset=mini copies=4 hand_size=4 | 294,849 | 125,740 | 28,621 | cities, monuments |

The tree is that of `python_respublica`: nature deals and draws card by card, and information sets are its information
state strings, numbered for each player from 1 as they are first met. Utilities are written with all their digits, so
that values agree to the last bit. OpenSpiel numbers the actions of a tree anew, but they come in the same order.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from respublica_env.envs.chance import NATURE, Moment, nodes
from respublica_env.envs.parameters import rules_from, value_of
from respublica_env.envs.rewards import REWARD_MODES, check_mode
from respublica_env.files import write_whole
from respublica_env.rules import Rules

MOST_NODES = 1_000_000


class Tree(NamedTuple):
    """A game tree as text, and what is in it.

    Attributes:
        text: the tree in EFG format.
        decisions, chances, ends: how many nodes there are of each kind.
        information_sets: for each player, its information state strings; the one numbered i is at place i - 1.
        moments: for each player, a node of each information set, in the same order.
    """

    text: str
    decisions: int
    chances: int
    ends: int
    information_sets: tuple[tuple[str, ...], ...]
    moments: tuple[tuple[Moment, ...], ...]

    @property
    def nodes(self) -> int:
        """All nodes."""
        return self.decisions + self.chances + self.ends


def game_tree(
    rules: Rules | Mapping[str, Any] | str | None = None,
    reward: str = "win",
    names: bool = False,
    most_nodes: int = MOST_NODES,
) -> Tree:
    """The whole tree of a game.

    Args:
        rules: whatever `Rules.of` takes; the published game is far too large.
        reward: the reward mode of the utilities.
        names: whether each decision node bears its information state string; the text is several times as long.
        most_nodes: a larger tree is refused.

    Raises ValueError for an argument's value that is not accepted, and for a tree that is too large.
    """
    rules = Rules.of(rules)
    check_mode(reward)
    writer = _Writer(rules, reward, names)
    for count, moment in enumerate(nodes(Moment.first(rules)), 1):
        if count > most_nodes:
            raise ValueError(f"the tree has more than {most_nodes:,} nodes: choose smaller rules")
        writer.add(moment)
    return writer.tree()


class _Writer:
    """Writes a tree node by node, each before those below it."""

    def __init__(self, rules: Rules, reward: str, names: bool) -> None:
        self.reward, self.names = reward, names
        players = " ".join(f'"player {seat}"' for seat in range(rules.num_players))
        self.lines = [f'EFG 2 R "Res Publica" {{ {players} }}']
        self.sets: list[dict[str, int]] = [{} for _ in range(rules.num_players)]
        self.moments: list[list[Moment]] = [[] for _ in range(rules.num_players)]
        self.outcomes: dict[str, int] = {}
        self.decisions = self.chances = self.ends = 0
        self.types = [f'"{name}"' for name in rules.type_names]
        self.words: dict[int, str] = {}

    def add(self, moment: Moment) -> None:
        if moment.player >= 0:
            self.decisions += 1
            self.lines.append(self.decision(moment))
        elif moment.player == NATURE:
            self.chances += 1
            self.lines.append(self.chance(moment))
        else:
            self.ends += 1
            self.lines.append(self.end(moment))

    def decision(self, moment: Moment) -> str:
        """Player, information set, actions."""
        told, sets = moment.told(moment.player), self.sets[moment.player]
        number = sets.setdefault(told, len(sets) + 1)
        if number > len(self.moments[moment.player]):
            self.moments[moment.player].append(moment)
        name = told if self.names else ""
        actions = " ".join(self.action(moment, action) for action in moment.legal)
        return f'p "" {moment.player + 1} {number} "{name}" {{ {actions} }} 0'

    def action(self, moment: Moment, action: int) -> str:
        if action not in self.words:
            self.words[action] = f'"{moment.setting.table.describe(action)}"'
        return self.words[action]

    def chance(self, moment: Moment) -> str:
        """An information set of its own, card types with their probabilities as fractions."""
        outcomes = moment.outcomes()
        left = sum(count for _, count in outcomes)
        cards = " ".join(f"{self.types[card]} {count}/{left}" for card, count in outcomes)
        return f'c "" {self.chances} "" {{ {cards} }} 0'

    def end(self, moment: Moment) -> str:
        """Equal utilities are one outcome."""
        utilities = " ".join(map(repr, moment.returns(self.reward)))
        number = self.outcomes.setdefault(utilities, len(self.outcomes) + 1)
        return f't "" {number} "" {{ {utilities} }}'

    def tree(self) -> Tree:
        text = "\n".join(self.lines) + "\n"
        sets, moments = tuple(map(tuple, self.sets)), tuple(map(tuple, self.moments))
        return Tree(text, self.decisions, self.chances, self.ends, sets, moments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write a tree to a file; with bad input, one line on stderr and exit status 2, and nothing is written."""
    parser = argparse.ArgumentParser("python -m respublica_env.envs.efg", description="Write a game tree as EFG.")
    parser.add_argument("file", type=Path, help="where to write it")
    parser.add_argument("rules", nargs="*", metavar="field=value", help="fields of the rules, or preset=NAME")
    parser.add_argument("--reward", default="win", help=f"utilities: {', '.join(REWARD_MODES)} (default: win)")
    parser.add_argument("--names", action="store_true", help="write information state strings into the file")
    parser.add_argument("--most-nodes", type=int, default=MOST_NODES, help=f"refuse more (default: {MOST_NODES:,})")
    options = parser.parse_args(arguments)
    try:
        fields = dict(_field(words) for words in options.rules)
        tree = game_tree(rules_from(fields), options.reward, options.names, options.most_nodes)
        write_whole(options.file, tree.text.encode())
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
    sets = " + ".join(f"{len(sets):,}" for sets in tree.information_sets)
    print(
        f"{options.file}: {tree.nodes:,} nodes ({tree.decisions:,} decisions in {sets} information sets, "
        f"{tree.chances:,} of chance, {tree.ends:,} ends)"
    )


def _field(words: str) -> tuple[str, int | bool | str]:
    name, equals, text = words.partition("=")
    if not equals:
        raise ValueError(f'rules are given as field=value, such as preset=mini or "monument_points=3 2", got {words!r}')
    return name, value_of(name, text)


if __name__ == "__main__":
    main()
