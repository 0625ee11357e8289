"""Information-set Monte Carlo tree search as an agent; what it does is told in respublica_env/engine/search.py."""

import re
import time

import numpy as np

from agents.base import GameAgent
from respublica_env import Game, Rules
from respublica_env.rules import shown

PREFIX = "search:"
NAMES = "search:N"  # as messages list them
_NAME = re.compile(PREFIX + r"([1-9][0-9]{0,6})(ms)?")

ROUNDS_AHEAD = 1  # turns of each player that a playout goes on for after the present one
_SLICE = 16  # simulations between two looks at the clock
_MOST_NODES = 100_000  # of one tree


class SearchAgent(GameAgent):
    """Tree search with a budget for each decision: a number of simulations, or of milliseconds.

    With a number of simulations its choice depends on what the seat sees and on `rng` alone; with milliseconds also on
    the speed of the machine. Nothing is remembered from one decision to the next: in EXTEND it thinks anew about what
    may follow the term that has been said.

    Args:
        name: "search:200", or "search:20ms".

    Raises ValueError for another name.
    """

    def __init__(self, name: str) -> None:
        match = _NAME.fullmatch(name)
        if match is None:
            raise ValueError(
                f"a search is named search:N (simulations) or search:Nms, N from 1 to 9999999, got {shown(name)}"
            )
        self.name = name
        budget = int(match[1])
        self._simulations = None if match[2] else budget
        self._seconds = budget / 1000 if match[2] else 0.0
        self._tree: Tree | None = None

    def choose(self, game: Game, seat: int, rng: np.random.Generator) -> int:
        """The action most visited. Of the game itself nothing is read but a determinization for the seat."""
        if self._tree is None or self._tree.rules != game.rules:
            self._tree = Tree(game.rules, min(_MOST_NODES, 1 + (self._simulations or _MOST_NODES)))
        world = game.determinize(seat, rng)
        word = int(rng.integers(2**63))
        if self._tree.begin(world) > 1:
            if self._simulations is not None:
                self._tree.grow(word, self._simulations)
            else:
                end = time.perf_counter() + self._seconds
                self._tree.grow(word, _SLICE)
                while time.perf_counter() < end:
                    self._tree.grow(word, _SLICE)
        return self._tree.best_move() % game.rules.num_actions


class Tree:
    """A search tree and the compiled loops that work on it (compiled at the first use, apart from the rules engine).

    Args:
        rules: of the games.
        most_nodes: room for nodes; a full tree is searched on without new ones.
    """

    def __init__(self, rules: Rules, most_nodes: int) -> None:
        from respublica_env.engine import search
        from respublica_env.engine.state import make_spec

        self.rules = rules
        self._loops = search
        self._spec = make_spec(rules)
        self.desk = search.make_desk(rules, most_nodes)

    def begin(self, world: Game) -> int:
        """Begin anew for the player to decide in a determinization; the number of moves that will be compared."""
        desk = self.desk
        desk.rows[0] = world.__getstate__()["row"]
        return int(
            self._loops.begin(
                self._spec, desk.rows, desk.room, desk.nodes, desk.values, desk.menu, desk.scores, desk.counters
            )
        )

    def grow(self, word: int, simulations: int) -> None:
        """Run some simulations; all their chance comes from `word`, a whole number of 64 bits."""
        desk = self.desk
        self._loops.grow(
            self._spec,
            desk.rows,
            desk.room,
            desk.nodes,
            desk.values,
            desk.menu,
            desk.path,
            desk.ends,
            desk.counters,
            np.uint64(word),
            simulations,
            ROUNDS_AHEAD,
        )

    def best_move(self) -> int:
        """The move most visited: an action, plus `num_actions` times the second term's when it says two in one go.

        Before any simulation it is that of the bot which plays the playouts.
        """
        desk = self.desk
        if desk.counters[self._loops.SIMULATIONS] == 0:
            return int(desk.menu[0])
        return int(self._loops.best_move(desk.rows, desk.nodes, desk.values))
