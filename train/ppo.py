"""The main job: MaskablePPO learns Res Publica against a league of opponents.

    python -m train.ppo [--config FILE] [--steps N] [--out DIR] [--resume]

It learns from points when they are made, which come early enough to see what led to them, and is judged by games won.
Rewards are undiscounted over about 130 decisions of a player a game, so gamma is 1. SB3's default batch of 64 with 10
epochs would spend its time in tiny gradient steps: here batches are large and epochs few.

The folder of a run holds `config.json` (the options; `--config` runs them again), `about.json` (version, commit,
libraries), `last.zip` (the checkpoint, see train/checkpoint.py), `best.zip` (the one that did best in a check),
TensorBoard logs in `tensorboard/`, and at the end `curve.json`, `curve.png` and `evaluation.json`.
`python -m train.evaluate --agents DIR greedy greedy greedy` plays the policy again.
"""

import json
import time
from collections.abc import Collection, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import VecEnvWrapper

from agents.networks import Network, make_network
from agents.policy import BEST, CHECKPOINT, PolicyAgent
from respublica_env import Rules
from respublica_env.commands import refuse
from respublica_env.files import check_target, write_whole
from respublica_env.sb3 import ResPublicaVecEnv
from train.callbacks import Check, Clock, LeadLeague, SaveRegularly, TimeIsUpError, Watch
from train.checkpoint import read_games, read_settings, restore, write_checkpoint
from train.cli import read_rules
from train.config import (
    FREE_ON_RESUME,
    PROG,
    REWARD_FACTORS,
    STEPS,
    Train,
    check,
    read_options,
    settings_of,
    write_config,
)
from train.evaluate import evaluate, table
from train.imitate import imitate
from train.league import League, LeagueGames
from train.policy import MaskedPolicy
from train.progress import Progress
from train.shared_policy import SharedPolicy

RUNS = Path("runs")
JUDGES_SEED = 10**6  # of their first deal at the end
CHECK_SEED = 2 * 10**6  # of the first deal of a check: all checks play the same deals
CHECK_SECONDS = 120.0
CHECK_PARTS = 10


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


class Decay:
    """A learning rate that falls to a tenth, with the steps or with the time, whichever are nearer to their end.

    Attributes:
        time: share of the time that has gone by.
    """

    def __init__(self, first: float) -> None:
        self.first, self.time = first, 0.0

    def __call__(self, steps_left: float) -> float:
        """The rate, when this share of the steps is left."""
        return self.first * (1 - 0.9 * max(1 - steps_left, self.time))

    def note(self, time: float) -> None:
        """So much of the time has gone by."""
        self.time = time


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


def resumed(options: Train, given: Collection[str], checkpoint: Path) -> Train:
    """The options of the run that goes on; ValueError where those `given` contradict it, or it is at its end."""
    settings, steps, seconds = read_settings(checkpoint)
    saved = {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}
    for name in set(given) - set(FREE_ON_RESUME):
        if getattr(options, name) != saved[name]:
            raise ValueError(
                f"a resumed run keeps its settings: {name} is {saved[name]!r}, got {getattr(options, name)!r}"
            )
    new = {name: getattr(options, name) for name in (*set(given) & set(FREE_ON_RESUME), "config", "out", "resume")}
    options = Train(**{**saved, **new})
    if steps >= (options.steps or STEPS):
        raise ValueError(
            f"{checkpoint} has {steps:,} steps already: ask for more than {options.steps or STEPS:,} with --steps"
        )
    if options.minutes is not None and seconds >= 60 * options.minutes:
        raise ValueError(f"{checkpoint} has had its {options.minutes:g} minutes: ask for more with --minutes")
    return options


def make_model(options: Train, games: LeagueGames) -> MaskablePPO:
    """A learner that has learnt nothing."""
    policy: type[MaskedPolicy] = MaskedPolicy
    sizes: dict[str, Any] = {"net_arch": list(options.layers)}
    if options.policy == "shared":
        policy = SharedPolicy
        sizes = {"rules": games.rules.to_dict(), "width": options.width, "pair_width": options.pair_width}
    return MaskablePPO(
        policy,
        ScaledRewards(games, REWARD_FACTORS[options.reward]),
        learning_rate=Decay(options.learning_rate),
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


def new_games(options: Train, rules: Rules) -> LeagueGames:
    """The games of a run that begins."""
    league = League(
        rules,
        options.opponents,
        present=options.present,
        past=options.past,
        mixed=options.mixed,
        size=options.pool,
        priority=options.priority,
        seed=options.seed,
    )
    return LeagueGames(options.games, league, reward=options.reward, seed=options.seed)


class Run:
    """A run: its folder, its games, its learner, and what it knows about itself."""

    def __init__(self, options: Train, folder: Path, rules: Rules | None) -> None:
        self.folder, self.progress = folder, Progress()
        checkpoint = folder / CHECKPOINT
        if rules is None:
            self.games, self.progress = read_games(checkpoint)
            self.games.league.resize(options.pool)
        else:
            self.games = new_games(options, rules)
        self.model = make_model(options, self.games)
        if rules is None:
            restore(checkpoint, self.model)
        self.options = options
        self.total = options.steps or STEPS
        self.settings = {**settings_of(options), "out": str(folder), "steps": self.total}

    def network(self) -> Network:
        """The network that computes logits, with the weights as they are now."""
        policy = self.model.policy
        assert isinstance(policy, MaskedPolicy)
        return make_network(policy.description(), self.games.rules, policy.arrays())

    def save(self, name: str = CHECKPOINT) -> None:
        """Write a checkpoint."""
        write_checkpoint(self.folder / name, self.model, self.games, self.settings, self.progress)

    def check(self) -> dict[str, Any]:
        """Play the policy against the judges, in parts, until the deals or the time are up."""
        agent = PolicyAgent("ppo", self.games.rules, self.network())
        others, deals = self.games.rules.num_players - 1, self.options.check_deals
        bounds = np.unique(np.linspace(0, deals, CHECK_PARTS + 1).astype(int)).tolist()
        started, played, sums = time.perf_counter(), 0, dict.fromkeys(self.options.judges, 0.0)
        for first, end in pairwise(bounds):
            for judge in sums:
                result = evaluate([agent, *[judge] * others], agent.rules, end - first, CHECK_SEED + first)
                own = next(entry for entry in result["agents"] if entry["name"] == agent.name)
                sums[judge] += (end - first) * own["win_share"]
            played = end
            if (time.perf_counter() - started) * (end + bounds[1]) > CHECK_SECONDS * end:
                break  # another part would take too long
        return {"shares": {judge: round(total / played, 4) for judge, total in sums.items()}, "deals": played}

    def imitate(self, console: Console) -> None:
        """Learn from a bot first; the policy is then the run's first checkpoint."""
        options, policy = self.options, self.model.policy
        if options.imitate is None:
            return
        assert isinstance(policy, MaskedPolicy)
        imitate(
            policy,
            self.games.rules,
            options.imitate,
            options.imitate_steps,
            options.reward,
            REWARD_FACTORS[options.reward],
            options.learning_rate,
            options.batch_size,
            options.seed,
            console,
        )
        self.save()

    def learn(self, console: Console) -> None:
        """Learn until the steps or the minutes are up; the last checkpoint is written then."""
        options, model, games, progress = self.options, self.model, self.games, self.progress
        done = model.num_timesteps
        update = options.rollout * options.games
        watch = Watch(console, progress, games, -(-self.total // update) * update, options.minutes)
        checks = Check(progress, self.check, lambda: self.save(BEST), options.check_every)
        callbacks = [
            Clock(progress, options.minutes, model.learning_rate.note),
            checks,
            SaveRegularly(progress, self.save, options.save_every),
            LeadLeague(progress, games, self.network, options.past_every, options.rollout),
            watch,
        ]
        try:
            model.learn(self.total - done, callbacks, reset_num_timesteps=done == 0)
        except TimeIsUpError:
            pass
        finally:
            watch.stop()
        if options.check_every and progress.checked_at < model.num_timesteps:
            checks.run()
        self.save()
        progress.write(self.folder, 1 / games.rules.num_players)


def train(options: Train, console: Console, given: Collection[str] = ()) -> tuple[Path, Train]:
    """Train until the run has its steps or minutes; returns its folder, and its options, which --resume may decide.

    given: the options that are not just what they are by default.

    Raises ValueError for options that cannot be, before anything else; OSError when a file cannot be written.
    """
    check(options)
    folder = run_folder(options)
    if options.resume:
        options = resumed(options, given, folder / CHECKPOINT)
    rules = read_rules(options.rules, options.players) if not options.resume else None
    torch.set_num_threads(options.threads)
    started = time.perf_counter()
    compiling = "compiling the rules engine (the first time on a machine: up to half a minute)"
    if not console.is_terminal:  # a status is for terminals only: a log must not stay empty meanwhile
        console.print(compiling)
    with console.status(compiling):
        run = Run(options, folder, rules)
    console.print(f"the rules engine is ready after {time.perf_counter() - started:.1f} s")
    prepare(folder)
    write_config(folder, run.options)
    run.model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))
    started, done = time.perf_counter(), run.model.num_timesteps
    if not options.resume:
        run.imitate(console)
    run.learn(console)
    seconds, steps = time.perf_counter() - started, run.model.num_timesteps
    rate = (steps - done) / seconds
    console.print(f"{steps:,} steps; {seconds:.0f} s, {rate:,.0f} steps/s; the policy is in {folder / CHECKPOINT}")
    return folder, options


def prepare(folder: Path) -> None:
    """Make the folder, able to take a checkpoint (ValueError if not), without what a killed run has left unfinished."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be made: {error.strerror}") from None
    check_target("the checkpoint", folder / CHECKPOINT)
    for unfinished in folder.glob(".*.*.tmp"):
        unfinished.unlink()


def judge(folder: Path, judges: Sequence[str], deals: int, console: Console) -> dict[str, Any]:
    """Play the policy (the best, where there were checks) against each judge, show it, and write `evaluation.json`."""
    policy = PolicyAgent.load(folder / BEST if (folder / BEST).exists() else folder)
    policy.name = "ppo"
    others = policy.rules.num_players - 1
    results = {name: evaluate([policy, *[name] * others], policy.rules, deals, JUDGES_SEED) for name in judges}
    for result in results.values():
        console.print(table(result))
    write_whole(folder / "evaluation.json", (json.dumps(results, indent=2) + "\n").encode())
    return results


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    console = Console()
    try:
        options, given = read_options(arguments, Train, PROG)
        folder, options = train(options, console, given)
        if options.deals:
            judge(folder, options.judges, options.deals, console)
    except (ValueError, OSError, MemoryError) as error:
        refuse(PROG, str(error))
    except KeyboardInterrupt:
        console.print("stopped; --resume goes on from the last checkpoint, if there is one yet")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
