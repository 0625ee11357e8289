"""What a budget buys: the win share of tree searches of several budgets against the same opponents.

    python -m train.search_curve --budgets 10 50 200 --opponent trader --deals 20 --json curve.json

Every budget plays the same deals in all seatings, one seat against all others. A budget is what follows "search:", a
number of simulations or of milliseconds ("20ms"). With `--speed` nobody wins: the searches think about positions of one
game among traders, and the command says how long they take and how many decisions of playouts that is a second.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from agents.search import Tree
from respublica_env import Game, Rules
from respublica_env.commands import parse, refuse
from respublica_env.engine.search import PLAYED
from respublica_env.files import check_target, write_whole
from train.cli import read_rules
from train.evaluate import evaluate

PROG = "train.search_curve"


@dataclass(frozen=True)
class SearchCurve:
    """Win share of tree searches against the same opponents, by budget."""

    budgets: tuple[str, ...] = ("10", "25", "50", "100", "200")
    """Simulations a decision, or milliseconds (20ms)."""
    opponent: str = "trader"
    """Who plays all other seats, by name or path."""
    rules: str = "standard"
    """standard, mini, small, or a JSON file with the fields of Rules that differ from the published game."""
    deals: int = 20
    """Pairs of shuffled decks; deal d has the seed SEED + d."""
    seed: int = 0
    """Seed of the first deal."""
    json: Path | None = None
    """Write the results to this file too."""
    speed: bool = False
    """Measure how fast the searches are, by numbers of simulations, instead of how well they play."""


def speed(budget: int, rules: Rules, seed: int) -> dict[str, float]:
    """How fast a search is, over every fifth decision of a game; of each the best of three runs."""
    game, tree, rng = Game(rules, seed=seed), Tree(rules, 1 + budget), np.random.default_rng(seed)
    spent, played, passed = [], 0, 0
    while not game.terminated:
        if passed % 5 == 0 and game.player is not None and tree.begin(world := game.determinize(game.player, rng)) > 1:
            tree.grow(seed, budget)  # the first of all compiles
            times = []
            for _ in range(3):
                tree.begin(world)
                started = time.perf_counter()
                tree.grow(seed, budget)
                times.append(time.perf_counter() - started)
            spent.append(min(times))
            played += int(tree.desk.counters[PLAYED])
        game.play_bot("trader")
        passed += 1
    if not spent:
        raise ValueError(f"--speed found nothing to think about in the game of seed {seed}")
    total = sum(spent)
    return {
        "mean_ms": 1000 * total / len(spent),
        "most_ms": 1000 * max(spent),
        "playout_decisions_per_s": played / total,
    }


def curve(options: SearchCurve) -> list[dict[str, Any]]:
    """One result of `train.evaluate` for each budget; ValueError for what cannot be played."""
    rules = read_rules(options.rules, 4)
    others = [options.opponent] * (rules.num_players - 1)
    return [evaluate([f"search:{budget}", *others], rules, options.deals, options.seed) for budget in options.budgets]


def table(results: Sequence[dict[str, Any]]) -> Table:
    """The results for people."""
    shown = Table(title=f"games of each: {results[0]['games']:,}", caption=f"par is {results[0]['par']:.3f}")
    for column in ("search", "win share", "95 % interval", "mean points", "of the others"):
        shown.add_column(column, justify="right")
    for result in results:
        entry, other = result["agents"]
        shown.add_row(
            entry["name"],
            f"{entry['win_share']:.3f}",
            f"{entry['low']:.3f} to {entry['high']:.3f}",
            f"{entry['mean_points']:.1f}",
            f"{other['mean_points']:.1f}",
        )
    return shown


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = parse(SearchCurve, PROG, arguments, extra="train")
    try:
        if options.json is not None:
            check_target("--json", options.json)
        if options.speed:
            rules = read_rules(options.rules, 4)
            for budget in options.budgets:
                if not budget.isdigit() or int(budget) < 1:
                    raise ValueError(f"--speed needs --budgets in simulations, got {budget!r}")
                found = speed(int(budget), rules, options.seed)
                Console().print(
                    f"search:{budget}: {found['mean_ms']:.1f} ms a decision, at most {found['most_ms']:.1f} ms; "
                    f"{found['playout_decisions_per_s']:,.0f} playout decisions/s"
                )
            return
        results = curve(options)
        Console().print(table(results))
        if options.json is not None:
            write_whole(options.json, (json.dumps(results, indent=2) + "\n").encode())
    except (ValueError, OSError, MemoryError) as error:
        refuse(PROG, str(error))


if __name__ == "__main__":
    main()
