"""The main job: MaskablePPO learns Res Publica against compiled opponents.

    python -m train.ppo [--steps N] [--out DIR] [--resume]

It learns from points when they are made, which come early enough to see what led to them, and is judged by games won.
Rewards are undiscounted over about 130 decisions of a player a game, so gamma is 1. SB3's default batch of 64 with 10
epochs would spend its time in tiny gradient steps: here batches are large and epochs few.

The folder of a run holds `last.zip` (the checkpoint, see train/checkpoint.py), TensorBoard logs in `tensorboard/`, and
at the end `evaluation.json`. `python -m train.evaluate --agents DIR greedy greedy greedy` plays the policy again.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnvWrapper

from agents.policy import CHECKPOINT, PolicyAgent
from respublica_env import Rules
from respublica_env.commands import parse, refuse
from respublica_env.envs.rewards import check_mode
from respublica_env.files import write_whole
from respublica_env.opponents import bot_number
from respublica_env.sb3 import ResPublicaVecEnv
from respublica_env.seeding import check_seed
from train.callbacks import ChangeOpponents, SaveRegularly, ShowProgress
from train.checkpoint import read_games, read_settings, restore, write_checkpoint
from train.cli import read_rules
from train.evaluate import evaluate, table
from train.policy import MaskedPolicy
from train.shared_policy import SharedPolicy

PROG = "train.ppo"
STEPS = 800_000
RUNS = Path("runs")
JUDGES = ("random", "greedy")  # each in all other seats, at the end
JUDGES_SEED = 10**6  # of their first deal
WIDEST = 65_536  # neurons in a layer
POLICIES = {"mlp": MaskedPolicy, "shared": SharedPolicy}
MOST_THREADS = 1_024  # where more cannot be had, OpenMP ends the process without a word

# Returns of a few units are learnt fastest; games won and margins are that already.
REWARD_FACTORS = {"win": 1.0, "points": 0.1, "margin": 4.0}


@dataclass(frozen=True)
class Train:
    """Train MaskablePPO against compiled opponents, then play it against random and greedy players."""

    steps: int | None = None
    """Decisions of the learner in all, those before --resume included. [default: 800000; with --resume, what the run
    was meant to have]"""
    out: Path | None = None
    """Folder of the run. [default: runs/ppo, or the first of runs/ppo-2, ... that is free; with --resume, the last]"""
    resume: bool = False
    """Go on from the checkpoint in the folder, with the settings of that run."""
    rules: str = "standard"
    """standard (for PLAYERS), mini, small, or a JSON file with the fields of Rules that differ."""
    players: int = 4
    """Players of the standard rules."""
    opponents: tuple[str, ...] = ("greedy", "random")
    """Who plays the other seats: one after the other, each for one rollout."""
    reward: str = "points"
    """win, points or margin."""
    seed: int = 0
    """Of the deals, the opponents and the learner."""
    games: int = 256
    """Games played at once."""
    rollout: int = 32
    """Decisions in each game between two updates."""
    batch_size: int = 2048
    """Decisions in one gradient step."""
    epochs: int = 4
    """Passes over the decisions of an update."""
    learning_rate: float = 1e-3
    """At the beginning; it falls to a tenth with the last step."""
    entropy: float = 0.005
    """Weight of the entropy of the policy."""
    gamma: float = 1.0
    """Discount."""
    gae_lambda: float = 0.95
    """Of generalised advantage estimation."""
    policy: str = "mlp"
    """mlp, or shared: its weights are shared by all types of a class and by all opponents."""
    layers: tuple[int, ...] = (128, 128)
    """mlp: hidden layers of the actor, and the same again of the critic."""
    width: int = 64
    """shared: features of each type, of each other seat, and half of those of the table."""
    pair_width: int = 16
    """shared: features of what is known between a seat and a type."""
    save_every: int = 200_000
    """Steps between checkpoints."""
    deals: int = 250
    """Deals of each evaluation at the end, every one in all seatings; 0: none."""
    threads: int = 1
    """Threads of PyTorch; more seldom help with networks of this size."""


# What a resumed run may be told anew.
FREE_ON_RESUME = ("steps", "out", "resume", "save_every", "deals", "threads")


class ScaledRewards(VecEnvWrapper):
    """Rewards times a factor, for the learner's eyes; the episodes in the infos keep their own."""

    def __init__(self, games: ResPublicaVecEnv, factor: float) -> None:
        super().__init__(games)
        self._factor = np.float32(factor)

    def reset(self) -> Any:
        """As the games do."""
        return self.venv.reset()

    def step_wait(self) -> Any:
        """As the games do, with other rewards."""
        observations, rewards, dones, infos = self.venv.step_wait()
        return observations, rewards * self._factor, dones, infos


def check(options: Train) -> None:
    """ValueError names the first option that cannot be, and what is accepted."""
    for name in ("games", "rollout", "batch_size", "epochs", "save_every", "threads"):
        if getattr(options, name) < 1:
            raise ValueError(f"{name} must be at least 1, got {getattr(options, name)}")
    if options.steps is not None and options.steps < 1:
        raise ValueError(f"steps must be at least 1, got {options.steps}")
    if options.deals < 0:
        raise ValueError(f"deals must be at least 0, got {options.deals}")
    for name, low, high in (("learning_rate", 0, 1), ("entropy", 0, 1), ("gamma", 0, 1), ("gae_lambda", 0, 1)):
        if not low <= getattr(options, name) <= high:
            raise ValueError(f"{name} must be from {low} to {high}, got {getattr(options, name)}")
    if not options.layers or min(options.layers) < 1 or max(options.layers) > WIDEST:
        raise ValueError(f"layers must be at least one whole number from 1 to {WIDEST}, got {options.layers}")
    if options.policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}, got {options.policy!r}")
    for name in ("width", "pair_width"):
        if not 1 <= getattr(options, name) <= WIDEST:
            raise ValueError(f"{name} must be from 1 to {WIDEST}, got {getattr(options, name)}")
    if options.threads > MOST_THREADS:
        raise ValueError(f"threads must be at most {MOST_THREADS}, got {options.threads}")
    if not options.opponents:
        raise ValueError("opponents must name at least one")
    for opponent in options.opponents:
        bot_number(opponent)
    check_mode(options.reward)
    check_seed(options.seed, options.games)
    if not 0 <= options.seed < 2**32:
        raise ValueError(f"seed must be from 0 to 2**32 - 1 (PyTorch and SB3 take no other), got {options.seed}")


def run_folder(options: Train) -> Path:
    """Where the run is, or will be; ValueError when it may not be there."""
    folder = options.out
    if folder is None:
        number = 1
        while (_numbered(number) / CHECKPOINT).exists():
            number += 1
        folder = _numbered(max(1, number - 1) if options.resume else number)
    checkpoint = folder / CHECKPOINT
    if options.resume and not checkpoint.exists():
        raise ValueError(f"there is nothing to resume: {checkpoint} does not exist")
    if not options.resume and checkpoint.exists():
        raise ValueError(f"{checkpoint} exists: go on from it with --resume, or choose another --out")
    return folder


def _numbered(number: int) -> Path:
    return RUNS / ("ppo" if number == 1 else f"ppo-{number}")


def resumed(options: Train, checkpoint: Path) -> tuple[Train, int]:
    """The options of the run that goes on, and the steps it has; ValueError where those given contradict it."""
    settings, steps = read_settings(checkpoint)
    saved: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()
    }
    default = Train()
    for field in fields(Train):
        given = getattr(options, field.name)
        if field.name in FREE_ON_RESUME or given in (getattr(default, field.name), saved[field.name]):
            continue
        raise ValueError(f"a resumed run keeps its settings: {field.name} is {saved[field.name]!r}, got {given!r}")
    total = options.steps or saved["steps"]
    if steps >= total:
        raise ValueError(f"{checkpoint} has {steps:,} steps already: ask for more than {total:,} with --steps")
    kept = {name: value for name, value in saved.items() if name not in FREE_ON_RESUME}
    return replace(options, **kept, steps=total), steps


def make_model(options: Train, games: ResPublicaVecEnv) -> MaskablePPO:
    """A learner that has learnt nothing."""
    sizes: dict[str, Any] = {"net_arch": list(options.layers)}
    if options.policy == "shared":
        sizes = {"rules": games.rules.to_dict(), "width": options.width, "pair_width": options.pair_width}
    return MaskablePPO(
        POLICIES[options.policy],
        ScaledRewards(games, REWARD_FACTORS[options.reward]),
        learning_rate=LinearSchedule(options.learning_rate, options.learning_rate / 10, 1.0),
        n_steps=options.rollout,
        batch_size=min(options.batch_size, options.rollout * options.games),
        n_epochs=options.epochs,
        gamma=options.gamma,
        gae_lambda=options.gae_lambda,
        ent_coef=options.entropy,
        policy_kwargs=sizes,
        seed=options.seed,
        device="cpu",
    )


def train(options: Train, console: Console) -> Path:
    """Train until the run has its steps; returns its folder. ValueError for options that cannot be, before anything."""
    check(options)
    folder = run_folder(options)
    checkpoint = folder / CHECKPOINT
    done = 0
    if options.resume:
        options, done = resumed(options, checkpoint)
    total = options.steps or STEPS
    rules = read_rules(options.rules, options.players) if not options.resume else None
    torch.set_num_threads(options.threads)
    started = time.perf_counter()
    compiling = "compiling the rules engine (the first time on a machine: up to half a minute)"
    if not console.is_terminal:  # a status is for terminals only: a log must not stay empty meanwhile
        console.print(compiling)
    with console.status(compiling):
        games = read_games(checkpoint) if rules is None else new_games(options, rules)
    console.print(f"the rules engine is ready after {time.perf_counter() - started:.1f} s")
    model = make_model(options, games)
    if options.resume:
        restore(checkpoint, model)
    folder.mkdir(parents=True, exist_ok=True)
    model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))
    settings = {**asdict(options), "out": str(folder), "steps": total}
    update = options.rollout * options.games
    progress = ShowProgress(console, -(-total // update) * update)  # a run ends with a whole update
    callbacks = [
        ChangeOpponents(games, options.opponents, options.rollout),
        SaveRegularly(lambda: write_checkpoint(checkpoint, model, games, settings), options.save_every),
        progress,
    ]
    started = time.perf_counter()
    try:
        model.learn(total - done, callbacks, reset_num_timesteps=not options.resume)
    finally:
        progress.stop()
    write_checkpoint(checkpoint, model, games, settings)
    seconds = time.perf_counter() - started
    rate = (model.num_timesteps - done) / seconds
    console.print(f"{model.num_timesteps:,} steps; {seconds:.0f} s, {rate:,.0f} steps/s; the policy is in {checkpoint}")
    return folder


def new_games(options: Train, rules: Rules) -> ResPublicaVecEnv:
    """The games of a run that begins."""
    return ResPublicaVecEnv(options.games, options.opponents[0], rules=rules, reward=options.reward, seed=options.seed)


def judge(folder: Path, deals: int, console: Console) -> dict[str, Any]:
    """Play the policy against each of the judges, show it, and write `evaluation.json`."""
    policy = PolicyAgent.load(folder)
    policy.name = "ppo"
    others = policy.rules.num_players - 1
    results = {name: evaluate([policy, *[name] * others], policy.rules, deals, JUDGES_SEED) for name in JUDGES}
    for result in results.values():
        console.print(table(result))
    write_whole(folder / "evaluation.json", (json.dumps(results, indent=2) + "\n").encode())
    return results


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = parse(Train, PROG, arguments, extra="train")
    console = Console()
    try:
        folder = train(options, console)
        if options.deals:
            judge(folder, options.deals, console)
    except (ValueError, OSError, MemoryError) as error:
        refuse(PROG, str(error))
    except KeyboardInterrupt:
        console.print("stopped; --resume goes on from the last checkpoint, if there is one yet")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
