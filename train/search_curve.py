"""What a budget buys: the win share of tree searches of several budgets against the same opponents.

    python -m train.search_curve --budgets 10 50 200 --opponent trader --deals 20 --json curve.json

Every budget plays the same deals in all seatings, one seat against all others. A budget is what follows "search:", a
number of simulations or of milliseconds ("20ms").
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from respublica_env.commands import parse, refuse
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
        results = curve(options)
        Console().print(table(results))
        if options.json is not None:
            write_whole(options.json, (json.dumps(results, indent=2) + "\n").encode())
    except (ValueError, OSError, MemoryError) as error:
        refuse(PROG, str(error))


if __name__ == "__main__":
    main()
