"""What the policy made for this game buys over a plain network: both learn for the same time, several seeds each.

    python -m train.compare_policies --minutes 10 --seeds 3

Every run is a run of train.ppo in a folder of its own under `--out` (so that a comparison that was broken off goes on
where it stood); runs take turns, so that each has the machine for itself. Then each policy plays against each judge.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from agents.policy import CHECKPOINT, PolicyAgent
from respublica_env.commands import parse, refuse
from respublica_env.files import write_whole
from train import ppo
from train.checkpoint import read_settings
from train.config import JUDGES, POLICIES, Train, check
from train.evaluate import evaluate

PROG = "train.compare_policies"
ENDLESS = 10**12  # steps: the time ends a run


@dataclass(frozen=True)
class Compare:
    """Train every kind of policy for the same time, and play what it learnt against fixed opponents."""

    minutes: float = 10.0
    """Of each run."""
    seeds: int = 3
    """Runs of each policy."""
    out: Path = Path("runs/compare")
    """Folder of the runs, and of `compare.json`."""
    opponents: tuple[str, ...] = JUDGES
    """Whom they learn against; the league prefers the hard ones."""
    judges: tuple[str, ...] = JUDGES
    """Whom they are played against."""
    deals: int = 250
    """Deals against each judge, every one in all seatings."""
    width: int = Train.width
    """Of the policy that shares its weights."""
    learning_rate: float = Train.learning_rate
    """Of all."""
    batch_size: int = Train.batch_size
    """Of all."""


def run_options(options: Compare, policy: str, seed: int) -> Train:
    """The options of one run."""
    return Train(
        steps=ENDLESS,
        minutes=options.minutes,
        out=options.out / f"{policy}-{seed}",
        policy=policy,
        seed=seed,
        opponents=options.opponents,
        judges=options.judges,
        width=options.width,
        learning_rate=options.learning_rate,
        batch_size=options.batch_size,
    )


def compare(options: Compare, console: Console) -> dict[str, Any]:
    """Train what is not trained yet, and play; returns an entry for each run: steps and shares of the win by judge."""
    runs = [run_options(options, policy, seed) for seed in range(options.seeds) for policy in POLICIES]
    for run in runs:
        check(run)
    results = []
    for run in runs:
        folder = run.out
        assert folder is not None
        checkpoint = folder / CHECKPOINT
        if not checkpoint.exists():
            ppo.train(run, console)
        elif read_settings(checkpoint)[2] < 60 * options.minutes:
            ppo.train(replace(run, resume=True), console, given=("minutes",))
        agent = PolicyAgent.load(folder)
        agent.name = run.policy
        others = agent.rules.num_players - 1
        shares = {}
        for judge in options.judges:
            found = evaluate([agent, *[judge] * others], agent.rules, options.deals, ppo.JUDGES_SEED)
            shares[judge] = next(entry for entry in found["agents"] if entry["name"] == run.policy)["win_share"]
        _, steps, seconds = read_settings(checkpoint)
        results.append({"policy": run.policy, "seed": run.seed, "steps": steps, "seconds": seconds, "shares": shares})
        content = {"minutes": options.minutes, "deals": options.deals, "runs": results}
        write_whole(options.out / "compare.json", (json.dumps(content, indent=2) + "\n").encode())
    return content


def table(result: dict[str, Any]) -> Table:
    """The mean over seeds, and each seed, for people."""
    shown = Table(title=f"{result['minutes']:g} minutes each; share of the win: mean (each seed)")
    shown.add_column("policy")
    shown.add_column("steps", justify="right")
    judges = list(result["runs"][0]["shares"])
    for judge in judges:
        shown.add_column(f"against {judge}", justify="right")
    for policy in POLICIES:
        runs = [run for run in result["runs"] if run["policy"] == policy]
        cells = []
        for judge in judges:
            shares = [run["shares"][judge] for run in runs]
            cells.append(f"{np.mean(shares):.3f} ({', '.join(f'{share:.3f}' for share in shares)})")
        shown.add_row(policy, f"{np.mean([run['steps'] for run in runs]):,.0f}", *cells)
    return shown


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = parse(Compare, PROG, arguments, extra="train")
    console = Console()
    try:
        for name in ("seeds", "deals"):
            if getattr(options, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(options, name)}")
        console.print(table(compare(options, console)))
    except (ValueError, OSError, MemoryError) as error:
        refuse(PROG, str(error))


if __name__ == "__main__":
    main()
