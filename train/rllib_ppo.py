"""PPO on many machines: RLlib's current API stack, masked, in self-play with a league of past selves.

    pip install -e . "ray[rllib]==2.60.0" torch tyro     (in an environment of its own: RLlib pins gymnasium)
    python -m train.rllib_ppo --num-env-runners 8
    python -m train.rllib_ppo --num-env-runners 64 --address auto     (on the head of a cluster that `ray start` made)

One module plays all seats, or one seat of a game at whose other seats past selves sit. The league is a fixed number of
modules that do not learn; now and then the present self takes the place of the oldest. Which module sits where depends
on the game's id alone, so that an env runner that is started anew, on whatever machine, needs to be told nothing but
weights. When a machine is lost the others go on; its env runners are started where there is room.

The folder of a run has RLlib's checkpoint, `checkpoint/`, which `Algorithm.from_checkpoint` reads, and `progress.json`,
a line for each iteration. Masking is that of RLlib's `ActionMaskingTorchRLModule`; see train/recipes/rllib.py.
"""

import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import ray
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from respublica_env import Rules
from respublica_env.commands import parse, refuse
from respublica_env.envs.rewards import check_mode
from respublica_env.files import write_whole
from respublica_env.respublica_v0 import RawEnv
from respublica_env.rules import shown
from train.cli import read_rules
from train.recipes.rllib import Renamed

PROG = "train.rllib_ppo"
MAIN = "main"


@dataclass(frozen=True)
class RllibPpo:
    """Train PPO with RLlib, in self-play with a league of past selves, on one machine or a cluster."""

    num_env_runners: int = 2
    """Processes that play; 0: this one plays."""
    address: str | None = None
    """Of a Ray cluster that runs already ("auto" finds it). [default: a cluster of this machine alone]"""
    iterations: int = 100
    """Of playing and learning."""
    rules: str = "standard"
    """standard (for PLAYERS), mini, small, or a JSON file with the fields of Rules that differ."""
    players: int = 4
    """Players of the standard rules."""
    reward: str = "points"
    """win, points or margin."""
    batch: int = 8192
    """Decisions of the learning seats in one iteration."""
    minibatch: int = 1024
    """Decisions in one gradient step."""
    epochs: int = 4
    """Passes over the decisions of an iteration."""
    learning_rate: float = 3e-4
    """Of all gradient steps."""
    entropy: float = 0.005
    """Weight of the entropy of the policy."""
    layers: tuple[int, ...] = (128, 128)
    """Hidden layers."""
    past: float = 0.5
    """Share of the games against past selves, from 0 to 1; in the others the present self has all seats."""
    league: int = 4
    """Past selves that are kept, at least 1."""
    past_every: int = 10
    """Iterations between past selves."""
    save_every: int = 10
    """Iterations between checkpoints; the last is always kept."""
    out: Path = Path("runs/rllib")
    """Folder of the run; what another run has left there is replaced."""
    seed: int = 0
    """Of the players' chance."""


def check(options: RllibPpo) -> Rules:
    """The rules; ValueError names the first option that cannot be."""
    for name in ("iterations", "batch", "minibatch", "epochs", "league", "past_every", "save_every"):
        if getattr(options, name) < 1:
            raise ValueError(f"{name} must be at least 1, got {getattr(options, name)}")
    if options.num_env_runners < 0:
        raise ValueError(f"num_env_runners must be at least 0, got {options.num_env_runners}")
    for name in ("past", "entropy", "learning_rate"):
        if not 0 <= getattr(options, name) <= 1:
            raise ValueError(f"{name} must be from 0 to 1, got {getattr(options, name)}")
    if not options.layers or min(options.layers) < 1:
        raise ValueError(f"layers must be at least one whole number of at least 1, got {options.layers}")
    check_mode(options.reward)
    if options.out.exists() and not options.out.is_dir():
        raise ValueError(f"out must be a folder, got {shown(str(options.out))}")
    return read_rules(options.rules, options.players)


def past_self(number: int) -> str:
    """The module of a past self."""
    return f"past_{number}"


def seats(agents: int, league: int, past: float, agent: str, episode: Any, **_: Any) -> str:
    """The module that plays for an agent (`player_0` and so on): decided by the id of the game alone."""
    rng = random.Random(str(episode.id_))
    learner = rng.randrange(agents)
    opponent = past_self(rng.randrange(league)) if rng.random() < past else MAIN
    return MAIN if agent == f"player_{learner}" else opponent


class League(RLlibCallback):
    """The present self takes the place of the oldest past self, every so many iterations."""

    def __init__(self, size: int, every: int) -> None:
        super().__init__()
        self._size, self._every = size, every

    def on_train_result(self, *, algorithm: Algorithm, result: dict[str, Any], **_: Any) -> None:
        """After an iteration."""
        if algorithm.iteration % self._every == 0:
            place = past_self((algorithm.iteration // self._every - 1) % self._size)
            state = algorithm.get_module(MAIN).get_state()
            algorithm.set_state({"learner_group": {"learner": {"rl_module": {place: state}}}})
            self._send(algorithm, [place])
        result["past_selves"] = min(self._size, algorithm.iteration // self._every)

    def on_env_runners_recreated(self, *, algorithm: Algorithm, **_: Any) -> None:
        """Env runners that were started anew are sent the past selves too: RLlib itself sends who learns."""
        self._send(algorithm, [past_self(number) for number in range(self._size)])

    @staticmethod
    def _send(algorithm: Algorithm, modules: list[str]) -> None:
        algorithm.env_runner_group.sync_weights(
            from_worker_or_learner_group=algorithm.learner_group, policies=modules, inference_only=True
        )


def configured(options: RllibPpo, rules: Rules) -> PPOConfig:
    """RLlib's own configuration."""
    fields, reward = rules.to_dict(), options.reward
    register_env("respublica", lambda _: PettingZooEnv(Renamed(RawEnv(rules=fields, reward=reward))))
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [*options.layers]})
    names = [MAIN, *map(past_self, range(options.league))]
    return (
        PPOConfig()
        .environment("respublica", disable_env_checking=True)  # the check plays without regard to the mask
        .env_runners(num_env_runners=options.num_env_runners, sample_timeout_s=120)
        .fault_tolerance(restart_failed_env_runners=True, ignore_env_runner_failures=False)
        .multi_agent(
            policies=set(names),
            policy_mapping_fn=partial(seats, rules.num_players, options.league, options.past),
            policies_to_train=[MAIN],
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=dict.fromkeys(names, module)))
        .callbacks(partial(League, options.league, options.past_every))
        .training(
            gamma=1.0,
            lr=options.learning_rate,
            entropy_coeff=options.entropy,
            train_batch_size_per_learner=options.batch,
            minibatch_size=min(options.minibatch, options.batch),
            num_epochs=options.epochs,
        )
        .debugging(seed=options.seed, log_level="ERROR")
    )


def train(options: RllibPpo, rules: Rules, say: Callable[[dict[str, Any]], None]) -> Path:
    """Train on the cluster that Ray is connected to; `say` is told about each iteration. Returns the checkpoint."""
    options.out.mkdir(parents=True, exist_ok=True)
    checkpoint, lines = options.out.absolute() / "checkpoint", []
    algorithm = configured(options, rules).build_algo()
    try:
        for iteration in range(1, options.iterations + 1):
            result = algorithm.train()
            played = result.get("env_runners", {})
            line = {
                "iteration": iteration,
                "steps": int(played.get("num_env_steps_sampled_lifetime", 0)),
                "env_runners": algorithm.env_runner_group.num_healthy_remote_workers(),
                "return": _finite(played.get("module_episode_returns_mean", {}).get(MAIN)),
                "past_selves": result["past_selves"],
                "seconds": round(result["time_total_s"], 1),
            }
            lines.append(json.dumps(line))
            write_whole(options.out / "progress.json", ("\n".join(lines) + "\n").encode())
            if iteration % options.save_every == 0 or iteration == options.iterations:
                algorithm.save_to_path(str(checkpoint))
            say(line)
    finally:
        algorithm.stop()
    return checkpoint


def _finite(value: Any) -> float | None:
    """A mean as JSON knows it; None before the first game has ended."""
    return round(float(value), 4) if value is not None and math.isfinite(value) else None


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = parse(RllibPpo, PROG, arguments, extra="train")
    try:
        rules = check(options)
        ray.init(address=options.address, ignore_reinit_error=True, log_to_driver=False)
        checkpoint = train(options, rules, lambda line: print(line, flush=True))
    except (ValueError, OSError) as error:
        refuse(PROG, str(error))
    print(f"the policy is in {checkpoint}")


if __name__ == "__main__":
    main()
