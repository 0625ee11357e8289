"""The truth about small games: OpenSpiel's solvers on the whole tree, and how exploitable agents are beside them.

    python -m train.solve_mini --plot mini.png --json mini.json
    python -m train.solve_mini --rules train/rules/monuments.json --agents random greedy runs/monuments

On `mini` it takes a minute. A policy that `train.ppo` has learnt on the same rules can be judged against the truth:

    python -m train.ppo --rules train/rules/monuments.json --opponents random --reward win --out runs/monuments

The games are for two, have hidden hands and trade, and at most 300,000 nodes: `mini` has cities, `monuments.json`
cities and monuments, `one_turn.json` both in a single turn. What exploitability is, and how an agent becomes a table,
is in train/exact.py. Seconds in the curves are those of the solvers alone, the bounds of --seconds as well.
"""

import io
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import respublica_env
from agents import Agent, load
from respublica_env.commands import parse, refuse
from respublica_env.files import check_target, write_whole
from respublica_env.rules import shown
from train.cli import read_rules
from train.exact import SAMPLES, SOLVERS, ExactGame, check_exact, open_spiel, policies_of
from train.plots import check_plot

PROG = "train.solve_mini"
MOST_SAMPLES = 10_000
STEPS_OF_TEN = (1, 2, 5)  # exploitability is computed after 1, 2, 5, 10, 20, 50, ... iterations,
DECADES = 1000  # but not before this part of all: a sampled iteration is far quicker than its computation


@dataclass(frozen=True)
class SolveMini:
    """Solve a small game, and show how exploitable solvers and agents are."""

    rules: str = "mini"
    """mini, or a JSON file with the fields of Rules that differ, such as train/rules/monuments.json: for two players,
    and small."""
    reward: str = "win"
    """win or margin."""
    solvers: tuple[str, ...] = ("cfr", "cfr+", "mccfr")
    """Of cfr, cfr+, mccfr (external sampling), mccfr-outcome."""
    agents: tuple[str, ...] = ("random", "greedy")
    """Names, or paths of checkpoints (the file or the folder of a run)."""
    iterations: int = 100
    """Of the solvers that go through the whole tree."""
    sampled: int = 50_000
    """Iterations of the solvers that sample."""
    seconds: float = 60.0
    """A solver ends after so many, if not by its iterations."""
    samples: int = SAMPLES
    """How often an agent is asked at each information set, where it leaves something to chance."""
    seed: int = 0
    """Of the solvers that sample, and of the agents' chance."""
    json: Path | None = None
    """Write the result to this file too, anew with every point of a curve."""
    plot: Path | None = None
    """Draw the curves: a .png, .svg or .pdf file."""


def check(options: SolveMini) -> None:
    """ValueError names the first option that cannot be, and what is accepted; nothing is written."""
    for name, most in (("iterations", 10**9), ("sampled", 10**9), ("samples", MOST_SAMPLES)):
        if not 1 <= getattr(options, name) <= most:
            raise ValueError(f"{name} must be from 1 to {most:,}, got {getattr(options, name)}")
    if not options.seconds > 0:
        raise ValueError(f"seconds must be above 0, got {options.seconds}")
    if not 0 <= options.seed < 2**31:
        raise ValueError(f"seed must be from 0 to 2**31 - 1 (OpenSpiel takes no other), got {options.seed}")
    for name in options.solvers:
        if name not in SOLVERS:
            raise ValueError(f"solvers must be of {', '.join(SOLVERS)}, got {shown(name)}")
    for name in ("solvers", "agents"):
        if len(set(getattr(options, name))) != len(getattr(options, name)):
            raise ValueError(f"{name} must name each once, got {', '.join(getattr(options, name))}")
    if not options.solvers:
        raise ValueError("solvers must name at least one")
    if options.json is not None:
        check_target("--json", options.json)
    if options.plot is not None:
        check_plot(options.plot)
    if options.json is not None and options.plot is not None and options.json.absolute() == options.plot.absolute():
        raise ValueError("--json and --plot must name different files")
    open_spiel()


def sizes(last: int) -> Iterator[int]:
    """The iterations after which exploitability is computed, the last one included."""
    ten = 1
    while ten < last:
        yield from (step * ten for step in STEPS_OF_TEN if last / DECADES <= step * ten < last)
        ten *= 10
    yield last


def solve(
    exact: ExactGame, name: str, iterations: int, seconds: float, seed: int, point: Callable[[dict[str, Any]], None]
) -> Any:
    """Run a solver by its name; `point` is told "iterations", "seconds", "exploitability". Returns the solver."""
    kind = SOLVERS[name]
    solver = kind.make(exact.game, seed)
    step, done, spent = getattr(solver, kind.step), 0, 0.0
    for size in sizes(iterations):
        started = time.perf_counter()
        while done < size and spent + time.perf_counter() - started < seconds:
            step()
            done += 1
        spent += time.perf_counter() - started
        exploitability = exact.exploitability(solver.average_policy())
        point({"iterations": done, "seconds": round(spent, 4), "exploitability": exploitability})
        if spent >= seconds:
            break
    return solver


def run(options: SolveMini, console: Console) -> dict[str, Any]:
    """Solve, judge the agents, write what is asked for, and return the result."""
    check(options)
    rules = read_rules(options.rules, 2)
    check_exact(rules, options.reward)
    agents: list[Agent] = [load(name) for name in options.agents]
    for agent in agents:
        agent.check(rules)
    with console.status("walking the whole tree (up to half a minute; the first time on a machine a minute)"):
        exact = ExactGame(rules, options.reward)
    result: dict[str, Any] = {
        "rules": rules.to_dict(),
        "reward": options.reward,
        "nodes": exact.tree.nodes,
        "decisions": exact.tree.decisions,
        "information_sets": len(exact.moments),
        "seed": options.seed,
        "solvers": {},
        "agents": [],
        "solution": None,
        "version": respublica_env.__version__,
        "open_spiel": version("open_spiel"),
    }
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=None), TextColumn("{task.fields[found]}"))
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as bar:
        best = _solve_all(options, exact, result, bar)
        solution = best.average_policy()
        result["solution"]["value"] = exact.value(solution)
        task = bar.add_task("agents", total=len(agents), found="")
        for agent in agents:
            for name, probabilities in policies_of(agent, options.samples, options.seed).items():
                table = exact.table(probabilities)
                figures = {
                    "exploitability": exact.exploitability(table),
                    "against_solution": exact.value_against(table, solution),
                }
                result["agents"].append({"name": name, **figures})
            bar.advance(task)
    _write(options, result)
    if options.plot is not None:
        write_whole(options.plot, plot(result, options.plot.suffix))
    return result


def _solve_all(options: SolveMini, exact: ExactGame, result: dict[str, Any], bar: Progress) -> Any:
    """Run the solvers; returns the one that is least exploitable, which "solution" tells about."""
    found = {}
    for name in options.solvers:
        last = options.iterations if SOLVERS[name].whole else options.sampled
        task = bar.add_task(SOLVERS[name].words, total=last, found="")
        points: list[dict[str, Any]] = []
        result["solvers"][name] = points

        def point(values: dict[str, Any], points: list[dict[str, Any]] = points, task: Any = task) -> None:
            points.append(values)
            bar.update(task, completed=values["iterations"], found=f"exploitability {values['exploitability']:.5f}")
            _write(options, result)

        found[name] = solve(exact, name, last, options.seconds, options.seed, point)
        bar.update(task, total=points[-1]["iterations"])
    best = min(found, key=lambda name: result["solvers"][name][-1]["exploitability"])
    result["solution"] = {"solver": best, **result["solvers"][best][-1]}
    return found[best]


def _write(options: SolveMini, result: dict[str, Any]) -> None:
    if options.json is not None:
        write_whole(options.json, (json.dumps(result, indent=2, allow_nan=False) + "\n").encode())


def table(result: dict[str, Any]) -> Group:
    """The result for a terminal."""
    game = f"{result['nodes']:,} nodes, {result['decisions']:,} decisions in {result['information_sets']:,} sets"
    solvers = Table(title=game)
    for heading in ("solver", "iterations", "seconds", "exploitability"):
        solvers.add_column(heading, justify="left" if heading == "solver" else "right")
    for name, points in result["solvers"].items():
        last = points[-1]
        figures = (f"{last['iterations']:,}", f"{last['seconds']:.1f}", f"{last['exploitability']:.5f}")
        solvers.add_row(SOLVERS[name].words, *figures)
    unit = "shares of the win" if result["reward"] == "win" else "margin"
    caption = f"{unit}, on average over both seats; value of the game for seat 0: {result['solution']['value']:+.4f}"
    agents = Table(title=f"agents, and the solution of {SOLVERS[result['solution']['solver']].words}", caption=caption)
    for heading in ("agent", "exploitability", "against the solution"):
        agents.add_column(heading, justify="left" if heading == "agent" else "right", overflow="fold")
    for entry in result["agents"]:
        agents.add_row(entry["name"], f"{entry['exploitability']:.5f}", f"{entry['against_solution']:+.5f}")
    return Group(solvers, agents)


def plot(result: dict[str, Any], suffix: str) -> bytes:
    """Exploitability over the seconds of each solver, with a line for each agent that is not far below them.

    Drawn without a display.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.5), dpi=150)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for place, (name, points) in enumerate(result["solvers"].items()):
        seconds = [max(point["seconds"], 1e-4) for point in points]
        heights = [point["exploitability"] for point in points]
        label = f"{SOLVERS[name].words} ({points[-1]['iterations']:,} iterations)"
        axes.plot(seconds, heights, "o-", markersize=3, color=f"C{place}", label=label)
    for place, entry in enumerate(result["agents"], len(result["solvers"])):
        label = f"{entry['name']} ({entry['exploitability']:.3f})"
        axes.axhline(entry["exploitability"], color=f"C{place}", linestyle="--", linewidth=1, label=label)
    axes.set(xscale="log", yscale="log", xlabel="seconds of the solver", ylabel=f"exploitability ({result['reward']})")
    axes.set_ylim(bottom=min(line.get_ydata()[-1] for line in axes.lines[: len(result["solvers"])]) / 2)
    axes.set_title(f"{result['nodes']:,} nodes, {result['information_sets']:,} information sets", fontsize=10)
    axes.grid(color="0.92")
    axes.legend(fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    file = io.BytesIO()
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}[suffix]
    with mpl.rc_context({"svg.hashsalt": "respublica"}):
        figure.savefig(file, format=suffix[1:], metadata=undated)
    return file.getvalue()


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = parse(SolveMini, PROG, arguments, extra="train")
    try:
        result = run(options, Console(stderr=True))
    except (ValueError, OSError, MemoryError) as error:
        refuse(PROG, str(error))
    except KeyboardInterrupt:
        Console(stderr=True).print("stopped; --json has the curves so far" if options.json else "stopped")
        raise SystemExit(130) from None
    Console().print(table(result))


if __name__ == "__main__":
    main()
