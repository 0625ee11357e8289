"""How much can be won from an agent: a policy is trained against it alone, and then plays it.

    python -m train.best_response --agent runs/ppo --minutes 30
    python -m train.best_response --agent runs/ppo --out runs/best-response --resume --minutes 60

The agent sits in all other seats and does not change. What the learner wins beyond par is a lower bound of what a best
response would: a better learner, or a longer run, may win more, and a learner that stays below par shows nothing. (On
games that are small enough `python -m train.solve_mini` tells the whole truth.) Such approximate best responses are how
Lanctot et al. 2017 ("A unified game-theoretic approach to multiagent reinforcement learning") and Timbers et al. 2022
("Approximate exploitability: learning a best response", https://doi.org/10.24963/ijcai.2022/484) judge agents.

The folder is that of a run of train.ppo, which does the learning and keeps its checkpoints; `frozen.*` is the agent as
it was when the run began, `best_response.json` what was found. A run that was stopped goes on with --resume.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from agents import file_of, load
from agents.policy import CHECKPOINT, PolicyAgent, read_checkpoint
from respublica_env.commands import parse, refuse
from respublica_env.envs.rewards import check_mode
from respublica_env.files import write_whole
from respublica_env.seeding import check_seed
from train import ppo
from train.cli import read_rules
from train.evaluate import evaluate, table

PROG = "train.best_response"
RESULT = "best_response.json"
JUDGE_SEED = 3 * 10**6  # of the first deal that is played in the end
MOST_DEALS = 10**6


@dataclass(frozen=True)
class BestResponse:
    """Train a policy against one agent in all other seats; what it wins beyond par is what the agent can lose."""

    agent: str
    """A name, or the path of a checkpoint (the file or the folder of a run); with --resume the same again."""
    steps: int | None = None
    """Decisions of the learner in all, those before --resume included. [default: 800000; with --resume, what the run
    was meant to have]"""
    minutes: float | None = None
    """End after so many minutes of training in all, if not by the steps."""
    out: Path = Path("runs/best-response")
    """Folder of the run."""
    resume: bool = False
    """Go on from the checkpoint in the folder, with the rules and settings of that run."""
    rules: str = "standard"
    """standard (for PLAYERS), mini, small, or a JSON file with the fields of Rules that differ."""
    players: int = 4
    """Players of the standard rules."""
    reward: str = "points"
    """What the learner learns from: win, points or margin. It is judged by games won."""
    config: Path | None = None
    """A file with further options of train.ppo by their names, such as the network and its learning rate."""
    seed: int = 0
    """Of the deals and the learner."""
    deals: int = 250
    """Deals that are played in the end, every one in all seatings."""


def check(options: BestResponse) -> None:
    """ValueError for the first option that cannot be, or an agent that cannot play under them."""
    if not 1 <= options.deals <= MOST_DEALS:
        raise ValueError(f"deals must be from 1 to {MOST_DEALS:,}, got {options.deals}")
    if options.steps is not None and options.steps < 1:
        raise ValueError(f"steps must be at least 1, got {options.steps}")
    check_mode(options.reward)
    check_seed(options.seed)
    checkpoint = options.out / CHECKPOINT
    if options.resume and not checkpoint.exists():
        raise ValueError(f"there is nothing to resume: {checkpoint} does not exist")
    if not options.resume and checkpoint.exists():
        raise ValueError(f"{checkpoint} exists: go on from it with --resume, or choose another --out")
    rules = PolicyAgent.load(checkpoint).rules if options.resume else read_rules(options.rules, options.players)
    load(options.agent).check(rules)


def frozen(options: BestResponse) -> str:
    """The agent that is met: its name, or the path of a copy of its file in the folder, made when the run begins."""
    source = file_of(options.agent, read_rules(options.rules, options.players))
    if source is None:
        return options.agent
    copy = options.out / f"frozen{source.suffix}"
    if not (options.resume and copy.exists()):
        options.out.mkdir(parents=True, exist_ok=True)
        write_whole(copy, source.read_bytes())
    return str(copy)


def learn(options: BestResponse, opponent: str) -> None:
    """Let train.ppo learn against it, unless it has."""
    arguments = ["--out", str(options.out), "--deals", "0"]
    if options.resume:
        metadata, _ = read_checkpoint(options.out)
        settings = metadata["settings"]
        if list(settings["opponents"]) != [opponent]:
            raise ValueError(f"the run in {options.out} is against {', '.join(settings['opponents'])}, not {opponent}")
        minutes = options.minutes or settings.get("minutes")
        if metadata["steps"] >= (options.steps or settings["steps"]) or (
            minutes is not None and metadata["seconds"] >= 60 * minutes
        ):
            return
        arguments.append("--resume")
    else:
        arguments += ["--opponents", opponent, "--rules", options.rules, "--players", str(options.players)]
        arguments += ["--reward", options.reward, "--seed", str(options.seed)]
        arguments += [] if options.config is None else ["--config", str(options.config)]
    for name in ("steps", "minutes"):
        if getattr(options, name) is not None:
            arguments += [f"--{name}", str(getattr(options, name))]
    ppo.main(arguments)


def judge(options: BestResponse, opponent: str) -> dict[str, Any]:
    """Play the learner against the agent, and write what it wins."""
    learner, met = PolicyAgent.load(options.out), load(opponent)
    learner.name, met.name = "best response", options.agent
    others = [met] * (learner.rules.num_players - 1)
    result = evaluate([learner, *others], learner.rules, options.deals, JUDGE_SEED)
    own, theirs = result["agents"]
    found = {
        "agent": options.agent,
        "par": result["par"],
        **{name: own[name] for name in ("win_share", "low", "high")},
        "gain": own["win_share"] - result["par"],
        "gain_low": own["low"] - result["par"],
        "gain_high": own["high"] - result["par"],
        "points_more": own["mean_points"] - theirs["mean_points"],
        "evaluation": result,
    }
    write_whole(options.out / RESULT, (json.dumps(found, indent=2, allow_nan=False) + "\n").encode())
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = parse(BestResponse, PROG, arguments, extra="train")
    console = Console()
    try:
        check(options)
        opponent = frozen(options)
        learn(options, opponent)
        found = judge(options, opponent)
    except (ValueError, OSError, MemoryError) as error:
        refuse(PROG, str(error))
    except KeyboardInterrupt:
        console.print("stopped; --resume goes on")
        raise SystemExit(130) from None
    console.print(table(found["evaluation"]))
    interval = f"{found['gain_low']:+.3f} to {found['gain_high']:+.3f}"
    console.print(
        f"against {options.agent} a policy was found that wins {found['win_share']:.3f} of a game, "
        f"{found['gain']:+.3f} ({interval}) beyond par, with {found['points_more']:+.2f} points more than each of them"
    )


if __name__ == "__main__":
    main()
