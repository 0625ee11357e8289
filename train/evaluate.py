"""How good agents are against each other: every deal is played in every distinct seating.

    python -m train.evaluate --agents runs/ppo-1 greedy greedy greedy --deals 250 --seed 0 --json result.json
    python -m train.evaluate --agents random greedy runs/ppo-1 --cross-play --plot matrix.png

A deal is a pair of shuffled decks. Playing it once in every order in which the agents can sit takes the luck of the
deal and of the seat out of the comparison; the table says by how much that cuts the variance of a win share. Policies
play their likeliest action. What the figures mean is in train/measures.py and train/arena.py.

The result is the same for any number of processes. With --json, what is finished is kept in a side file beside it: the
same command goes on where a killed one stood, and ends with the same bytes.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents import Agent
from respublica_env import Rules
from respublica_env.commands import parse, refuse
from respublica_env.files import check_target, write_whole
from train import runner
from train.cli import read_rules
from train.journal import Journal, settings_of
from train.lineups import Match, cross_play, one_table
from train.plots import check_plot, plot
from train.show import table

__all__ = ["Evaluate", "evaluate", "main", "table"]

PROG = "train.evaluate"
PLAYERS = range(2, 7)


@dataclass(frozen=True)
class Evaluate:
    """Play agents against each other, every deal in every distinct seating; tables with 95 % intervals."""

    agents: tuple[str, ...]
    """As many as players: names (random, trader, search:200, ppo, ...), or the path of a checkpoint (the file or the
    folder of a run). With --cross-play at least two, each once."""
    rules: str = "standard"
    """standard, mini, small, or a JSON file with the fields of Rules that differ from the published game."""
    cross_play: bool = False
    """Play every agent in one seat against every agent in all others."""
    players: int | None = None
    """At a table. [default: as many as agents; with --cross-play 4, or what the rules say]"""
    deals: int = 250
    """Pairs of shuffled decks; deal d has the seed SEED + d."""
    seed: int = 0
    """Seed of the first deal."""
    processes: int = 1
    """How many play at the same time; the result does not depend on it."""
    json: Path | None = None
    """Write the result to this file too. While the games go on, JSON.part keeps what is finished: the same command
    goes on from there."""
    plot: Path | None = None
    """Draw the result: a .png, .svg or .pdf file."""
    record: Path | None = None
    """Write a record of every game to this folder, new or empty: JSON lines, deal-SEED-seating-K.jsonl."""


def evaluate(
    agents: Sequence[str | Agent],
    rules: Rules | None = None,
    deals: int = 250,
    seed: int = 0,
    *,
    cross_play: bool = False,
    processes: int = 1,
    most_games: int | None = None,
) -> dict[str, Any]:
    """Play and count.

    Args:
        agents: one for each player, by name, by path, or as an agent; those with the same name are the same agent.
            With `cross_play` at least two, each once.
        rules: None is the published game, for as many players as there are agents (2 to 6); with `cross_play` for 4.
        deals: at least 1.
        seed: of the first deal; the others follow it.
        cross_play: every agent in one seat against every agent in all others.
        processes: how many play at the same time; the result does not depend on it. Agents must then pickle.
        most_games: how many games are in memory at once; the result does not depend on it.

    Returns what INTERFACE's JSON holds: "deals", "games", "agents" (one entry for each distinct agent; win share,
    points and trades are means by game and seat that it plays; "variance_ratio" is what duplicate play makes of the
    variance of its win share), and with them "by_seat" (whoever sits there; seat 0 begins), "turns" and "trades" of a
    game, "par", "seatings", "stalled", "seed", "rules" and "version". With `cross_play` also the matrices "cross_play",
    by the one agent, then by the others; "agents" is then about an agent alone among others, whoever they are.
    With one deal there is nothing to estimate an interval from: it is then 0 to 1.

    Raises ValueError, naming what is accepted, before anything is played.
    """
    runner.check_processes(processes)
    if rules is None:
        rules = Rules() if cross_play else Rules(num_players=len(agents))
    match = match_of(agents, rules, deals, seed, cross_play)
    return measured(match, cross_play, runner.play_match(match, processes, most_games=most_games))


def match_of(agents: Sequence[str | Agent], rules: Rules, deals: int, seed: int, crossed: bool) -> Match:
    """What is played; ValueError for what cannot be."""
    return (cross_play if crossed else one_table)(agents, rules, deals, seed)


def measured(match: Match, crossed: bool, played: Sequence[Any]) -> dict[str, Any]:
    """The result of a match that was played."""
    from train import measures  # loads what only the first of several processes needs

    return (measures.of_cross_play if crossed else measures.of_one_table)(match, played)


@contextmanager
def progress_bar(games: int) -> Iterator[runner.Progress]:
    """A bar on stderr where that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("games"), BarColumn(bar_width=None), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("games", total=games)
        yield lambda more: bar.advance(task, more)


def prepare(options: Evaluate) -> tuple[Match, Journal | None]:
    """Everything is looked at, and nothing is written: ValueError for what cannot be."""
    runner.check_processes(options.processes)
    targets = [path.absolute() for path in (options.json, options.plot, options.record) if path is not None]
    if len(set(targets)) != len(targets):
        raise ValueError("--json, --plot and --record must name different files")
    if options.json is not None:
        check_target("--json", options.json)
    if options.plot is not None:
        check_plot(options.plot)
    players = (4 if options.players is None else options.players) if options.cross_play else len(options.agents)
    if options.rules == "standard" and players not in PLAYERS:
        what = "--players must be" if options.cross_play else "--agents must name one for each of"
        raise ValueError(f"{what} 2 to 6 players, got {players}")
    rules = read_rules(options.rules, players)
    if options.players not in (None, rules.num_players):
        raise ValueError(f"--players must be {rules.num_players} with these agents and rules, got {options.players}")
    match = match_of(options.agents, rules, options.deals, options.seed, options.cross_play)
    journal = None
    if options.json is not None and (options.json.is_file() or not options.json.exists()):
        journal = Journal(options.json, settings_of(match, options.record))
    if options.record is not None:
        runner.check_record(options.record, goes_on=journal is not None and journal.found)
    return match, journal


def run(options: Evaluate) -> dict[str, Any]:
    """Play, write what is asked for, and return the result."""
    match, journal = prepare(options)
    with progress_bar(match.games) as progress:
        played = runner.play_match(match, options.processes, journal, options.record, progress)
    result = measured(match, options.cross_play, played)
    if options.plot is not None:
        write_whole(options.plot, plot(result, options.plot.suffix))
    if options.json is not None:
        write_whole(options.json, (json.dumps(result, indent=2, allow_nan=False) + "\n").encode())
    if journal is not None:
        journal.remove()
    return result


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = parse(Evaluate, PROG, arguments, extra="train")
    try:
        Console().print(table(run(options)))
    except (ValueError, OSError, MemoryError) as error:
        refuse(PROG, str(error))
    except BrokenExecutor:
        raise SystemExit(f"{PROG}: a process died, perhaps for want of memory; the same command goes on") from None
    except KeyboardInterrupt:
        kept = "the same command goes on" if options.json is not None else "nothing is kept without --json"
        print(f"{PROG}: stopped; {kept}", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
