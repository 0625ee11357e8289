"""A second family of algorithms, to compare with train.ppo: Tianshou's DQN, masked, against compiled opponents.

    pip install -e ".[dqn]"     (in an environment of its own: Tianshou pins older releases of what others use)
    python -m train.dqn [--config FILE] [--steps N] [--out DIR]

Double Q-learning from replayed decisions; the mask counts for the best action, for exploration and for the targets.
Rewards are undiscounted over about 130 decisions of a player a game: gamma is 1, and a target adds up the rewards of
several decisions (`--horizon`) before it asks the network, because one decision at a time would carry the points of the
end back too slowly. What it learns from are points when they are made; it is judged by games won.

The folder of a run holds `config.json` (the options; `--config` runs them again), `about.json` (version, commit,
libraries), `policy.onnx` (which needs no Tianshou and no PyTorch to play), `progress.json` and at the end
`evaluation.json`. `python -m train.evaluate --agents DIR/policy.onnx greedy greedy greedy` plays the policy again. A
run that was stopped leaves the policy that was written last, and cannot be resumed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from respublica_env import Rules
from respublica_env.commands import refuse
from respublica_env.envs.rewards import check_mode
from respublica_env.files import check_target, write_whole
from respublica_env.opponents import find
from respublica_env.seeding import check_seed
from train.cli import read_rules
from train.config import JUDGES, check_numbers, read_options, write_config
from train.evaluate import evaluate, table

PROG = "train.dqn"
POLICY, PROGRESS, EVALUATION = "policy.onnx", "progress.json", "evaluation.json"  # in the folder of a run
JUDGES_SEED = 10**6  # of their first deal at the end, as in train.ppo
LIBRARIES = ("numpy", "numba", "torch", "tianshou", "gymnasium", "onnx")


@dataclass(frozen=True)
class Dqn:
    """Train a masked double DQN against compiled opponents, then play it against fixed ones."""

    config: Path | None = None
    """A JSON or TOML file with options by their names here, `config.json` of a run among them; options on the command
    line go before those of the file."""
    steps: int = 800_000
    """Decisions of the learner in all."""
    minutes: float | None = None
    """End the run after so many minutes of training, if not by its steps; exploration and learning rate fall by
    whichever is nearer to its end."""
    out: Path = Path("runs/dqn")
    """Folder of the run; one that holds a policy already is refused."""
    rules: str = "standard"
    """standard (for PLAYERS), mini, small, or a JSON file with the fields of Rules that differ."""
    players: int = 4
    """Players of the standard rules."""
    opponents: tuple[str, ...] = JUDGES
    """Each game draws one of them for all other seats, or, at a MIXED share of the tables, one for each seat."""
    mixed: float = 0.25
    """Share of the tables at which each other seat is drawn by itself."""
    reward: str = "points"
    """win, points or margin."""
    seed: int = 0
    """Of the deals, the opponents, exploration, what is replayed, and the network."""
    games: int = 64
    """Games played at once."""
    rollout: int = 16
    """Decisions in each game between two phases of learning."""
    replay: int = 200_000
    """Decisions that are kept to learn from; each takes about 2 kB."""
    batch_size: int = 256
    """Decisions in one gradient step."""
    gradient_steps: float = 0.1
    """Gradient steps for each decision played."""
    horizon: int = 10
    """Decisions whose rewards a target adds up before it asks the network."""
    gamma: float = 1.0
    """Discount."""
    learning_rate: float = 5e-4
    """At the beginning; it falls to a tenth."""
    target_every: int = 500
    """Gradient steps between copies of the network that targets ask."""
    explore: float = 0.5
    """Share of random decisions at the beginning."""
    explore_last: float = 0.02
    """That share after EXPLORE_UNTIL of the run."""
    explore_until: float = 0.3
    """Share of the run over which exploration falls."""
    layers: tuple[int, ...] = (128, 128)
    """Hidden layers."""
    save_every: int = 100_000
    """Decisions between policies written to the folder."""
    judges: tuple[str, ...] = JUDGES
    """Opponents of the evaluation at the end, each in all other seats."""
    deals: int = 100
    """Deals of each evaluation at the end, every one in all seatings; 0: none."""
    threads: int = 1
    """Threads of PyTorch; more seldom help with networks of this size."""


LEAST = {
    **dict.fromkeys(
        ("steps", "games", "rollout", "replay", "batch_size", "horizon", "target_every", "save_every", "threads"), 1
    ),
    "deals": 0,
}
SHARES = ("mixed", "gamma", "learning_rate", "explore", "explore_last", "explore_until")


def check(options: Dqn) -> Rules:
    """The rules; ValueError names the first option that cannot be, and what is accepted."""
    check_numbers(options, LEAST, SHARES)
    per_game = options.replay / options.games
    if per_game < options.rollout + options.horizon:
        raise ValueError(
            f"replay must be at least {options.games * (options.rollout + options.horizon)} "
            f"(games * (rollout + horizon)), got {options.replay}"
        )
    least = 1 / (options.games * options.rollout)
    if not least <= options.gradient_steps <= 100:
        raise ValueError(
            f"gradient_steps must be from {least:g} (1 / (games * rollout)) to 100, got {options.gradient_steps}"
        )
    for name in ("opponents", "judges"):
        if not getattr(options, name):
            raise ValueError(f"{name} must name at least one")
        for player in getattr(options, name):
            find(player)
    check_mode(options.reward)
    check_seed(options.seed, options.games)
    if not 0 <= options.seed < 2**32 - options.games:
        raise ValueError(
            f"seed must be from 0 to {2**32 - 1 - options.games} (Tianshou takes no other), got {options.seed}"
        )
    if (options.out / POLICY).exists():
        raise ValueError(f"{options.out / POLICY} exists: choose another --out")
    return read_rules(options.rules, options.players)


def prepare(folder: Path) -> None:
    """Make the folder, able to take a policy; ValueError when it cannot."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be made: {error.strerror}") from None
    check_target("the policy", folder / POLICY)


def judge(options: Dqn, console: Console) -> None:
    """Play the policy against each judge, show it, and write `evaluation.json`."""
    from agents.onnx_policy import OnnxAgent

    policy = OnnxAgent(options.out / POLICY)
    policy.name = "dqn"
    assert policy.rules is not None
    others = policy.rules.num_players - 1
    results = {
        name: evaluate([policy, *[name] * others], policy.rules, options.deals, JUDGES_SEED) for name in options.judges
    }
    for result in results.values():
        console.print(table(result))
    write_whole(options.out / EVALUATION, (json.dumps(results, indent=2) + "\n").encode())


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    console = Console()
    try:
        options, _ = read_options(arguments, Dqn, PROG, extra="dqn")
        rules = check(options)
        try:
            import onnx  # noqa: F401

            from train.dqn_learner import Learner
        except ImportError as error:
            raise ValueError(
                f"it needs {(error.name or str(error)).partition('.')[0]}: pip install 'respublica-env[dqn]'"
            ) from None
        prepare(options.out)
        write_config(options.out, options, LIBRARIES)
        Learner(options, rules).learn(console)
        if options.deals:
            judge(options, console)
    except (ValueError, OSError, MemoryError) as error:
        refuse(PROG, str(error))
    except KeyboardInterrupt:
        console.print("stopped; the folder of the run has the policy that was written last, if there is one yet")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
