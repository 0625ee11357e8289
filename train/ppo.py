"""The main job: MaskablePPO learns Res Publica against compiled opponents.

    python -m train.ppo [--steps N] [--out DIR] [--resume]

Rewards are undiscounted over about 130 decisions of a player a game, so gamma is 1 or close to it. SB3's default batch
of 64 with 10 epochs would spend nearly all the time in tiny gradient steps: here batches are large and epochs few.
In the folder of a run: `last.zip` (the checkpoint, written whole or not at all), `config.json`, TensorBoard's logs and
`evaluation.json`.
"""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback, CallbackList

from agents.checkpoint import read_checkpoint, write_checkpoint
from agents.files import write_whole
from agents.policy import PolicyAgent
from respublica_env import Rules, warm_up
from respublica_env.opponents import bot_number
from respublica_env.sb3 import ResPublicaVecEnv
from train.evaluate import Result, evaluate, print_table

# Weight of the value's squared error: returns in points are some ten times as large as shares and margins.
VALUE_WEIGHT = {"win": 0.5, "points": 0.005, "margin": 0.5}


@dataclass
class Config:
    """Train MaskablePPO against compiled opponents."""

    steps: int = 800_000
    """Decisions of the learner in all, those of a resumed run included."""
    out: Path = Path("runs/ppo")
    """Folder of the run."""
    resume: bool = False
    """Go on from the checkpoint in that folder."""
    seed: int = 0
    """Seed of deals, opponents and learner."""
    num_players: int = 4
    """Players of the published game."""
    opponents: tuple[str, ...] = ("greedy",)
    """Each collection of experience meets others drawn from these."""
    reward: str = "points"
    """win, points or margin; points come early enough to learn from within minutes."""
    num_envs: int = 256
    """Games played at the same time."""
    rollout: int = 64
    """Decisions collected in each game before the policy is updated."""
    batch_size: int = 2048
    """Decisions in each gradient step."""
    epochs: int = 4
    """Passes over what was collected."""
    learning_rate: float = 1e-3
    """At the start; falls to a tenth in a straight line."""
    entropy: float = 0.005
    """Weight of the entropy bonus."""
    gamma: float = 1.0
    """Discount; rewards come late."""
    gae_lambda: float = 0.95
    """Of generalised advantage estimation."""
    width: int = 64
    """Units in each of the two hidden layers."""
    checkpoint_every: int = 250_000
    """Decisions between checkpoints."""
    deals: int = 100
    """Deals of each evaluation at the end, each in every seating; 0: none."""
    threads: int = 1
    """Threads of PyTorch."""


class DrawOpponents(BaseCallback):
    """Before each collection of experience, draw who plays the other seats of the games that begin in it."""

    def __init__(self, names: Sequence[str], others: int, seed: int) -> None:
        super().__init__()
        self.names, self.others = list(names), others
        self.rng = np.random.default_rng(seed)

    def _on_rollout_start(self) -> None:
        self.training_env.set_attr("opponents", [str(name) for name in self.rng.choice(self.names, self.others)])

    def _on_step(self) -> bool:
        return True


class WriteCheckpoints(BaseCallback):
    """A checkpoint every so many decisions, after the policy's update."""

    def __init__(self, path: Path, rules: Rules, every: int) -> None:
        super().__init__()
        self.path, self.rules, self.every = path, rules, every
        self.written = 0

    def _on_training_start(self) -> None:
        self.written = self.model.num_timesteps

    def _on_rollout_start(self) -> None:
        if self.model.num_timesteps - self.written >= self.every:
            write_checkpoint(self.path, self.model, self.rules)
            self.written = self.model.num_timesteps

    def _on_step(self) -> bool:
        return True


def falling(start: float) -> Any:
    """A learning rate that falls in a straight line to a tenth of `start`, by what remains of the run (1 to 0)."""
    return lambda remaining: start * (0.1 + 0.9 * remaining)


def make_model(config: Config, env: ResPublicaVecEnv) -> MaskablePPO:
    """A new learner."""
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=falling(config.learning_rate),
        n_steps=config.rollout,
        batch_size=min(config.batch_size, config.num_envs * config.rollout),
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        ent_coef=config.entropy,
        vf_coef=VALUE_WEIGHT[config.reward],
        policy_kwargs={"net_arch": [config.width, config.width]},
        tensorboard_log=str(config.out / "tensorboard"),
        seed=config.seed % 2**32,
        device="cpu",
    )


def train(config: Config) -> MaskablePPO:
    """Train until `config.steps` decisions are reached, and write the checkpoint.

    Raises ValueError for a setting that cannot be, a missing checkpoint to resume from, or one of other rules; OSError
    when the folder cannot be written.
    """
    rules = Rules(num_players=config.num_players)
    last = config.out / "last.zip"
    if not config.resume and last.exists():
        raise ValueError(f"{last} exists: go on from it with --resume, or name another folder with --out")
    for name in ("steps", "num_envs", "rollout", "batch_size", "epochs", "checkpoint_every", "threads"):
        if getattr(config, name) < 1:
            raise ValueError(f"{name} must be at least 1, got {getattr(config, name)}")
    if not config.opponents:
        raise ValueError("opponents must name at least one")
    for name in config.opponents:
        bot_number(name)
    torch.set_num_threads(config.threads)
    env = ResPublicaVecEnv(
        config.num_envs, opponents=config.opponents[0], rules=rules, reward=config.reward, seed=config.seed
    )
    if config.resume:
        trained_rules, model = read_checkpoint(last, env)
        if trained_rules != rules:
            raise ValueError(f"{last} was trained under other rules: {trained_rules}")
        # What has been met shall not come again: the deals go on behind those of the steps so far.
        env.seed(config.seed + config.num_envs * (1 + model.num_timesteps))
        model.set_env(env)
    else:
        model = make_model(config, env)
    settings = json.dumps({**asdict(config), "out": str(config.out)}, indent=2)
    write_whole(config.out / "config.json", lambda path: path.write_text(settings))
    callbacks: list[BaseCallback] = [
        DrawOpponents(config.opponents, rules.num_players - 1, config.seed + model.num_timesteps),
        WriteCheckpoints(last, rules, config.checkpoint_every),
    ]
    left = config.steps - model.num_timesteps
    if left > 0:
        model.learn(
            left,
            callback=CallbackList(callbacks),
            progress_bar=sys.stderr.isatty(),
            reset_num_timesteps=not config.resume,
            tb_log_name="ppo",
        )
        write_checkpoint(last, model, rules)
    return model


def judge(config: Config) -> list[Result]:
    """The policy against three random and against three greedy players; the results also go to a file."""
    last = config.out / "last.zip"
    rules = Rules(num_players=config.num_players)
    players: Any = {"ppo": PolicyAgent(last)}
    others = rules.num_players - 1
    results = [
        evaluate(["ppo", *[name] * others], rules, config.deals, seed=1_000_000, players=players)
        for name in ("random", "greedy")
    ]
    text = json.dumps([asdict(result) for result in results], indent=2)
    write_whole(config.out / "evaluation.json", lambda path: path.write_text(text))
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns the exit status: 2 for bad input, with one line on stderr."""
    import tyro

    config = tyro.cli(Config, args=arguments, prog="python -m train.ppo")
    started = time.perf_counter()
    try:
        warm_up()
        model = train(config)
        print(f"{model.num_timesteps:,} decisions in {time.perf_counter() - started:.0f} s: {config.out / 'last.zip'}")
        if config.deals:
            print_table(f"Par is {1 / config.num_players:.2f}", judge(config))
    except (ValueError, OSError) as error:
        print(f"train.ppo: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
