"""The options of a run: from the command line, from a file, and as the folder of a run keeps them."""

import json
import platform
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, TypeVar

import respublica_env
from agents import load
from respublica_env.arguments import number_of_threads
from respublica_env.commands import parse
from respublica_env.envs.rewards import check_mode
from respublica_env.files import write_whole
from respublica_env.opponents import BOTS, find
from respublica_env.rules import shown
from respublica_env.seeding import check_seed
from train.league import PRIORITIES

PROG = "train.ppo"
STEPS = 800_000
POLICIES = ("mlp", "shared")
JUDGES = tuple(name for name in ("random", "greedy", "trader") if name in BOTS)
# The learner sees rewards times these: returns of a few units, as games won and margins are, are learnt fastest.
REWARD_FACTORS = {"win": 1.0, "points": 0.1, "margin": 4.0}
WIDEST = 65_536  # neurons in a layer
LIBRARIES = ("numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "gymnasium")

ROOT = Path(__file__).parents[1]
CONFIG, ABOUT, CHANGES = "config.json", "about.json", "changes.diff"  # in the folder of a run


@dataclass(frozen=True)
class Train:
    """Train MaskablePPO against a league of opponents, then play it against fixed ones."""

    config: Path | None = None
    """A JSON or TOML file with options by their names here, `config.json` of a run among them; options on the command
    line go before those of the file."""
    steps: int | None = None
    """Decisions of the learner in all, those before --resume included. [default: 800000; with --resume, what the run
    was meant to have]"""
    minutes: float | None = None
    """End the run after so many minutes of training in all, those before --resume included, if not by its steps."""
    out: Path | None = None
    """Folder of the run. [default: runs/ppo, or the first of runs/ppo-2, ... that is free; with --resume, the last]"""
    resume: bool = False
    """Go on from the checkpoint in the folder, with the settings of that run."""
    rules: str = "standard"
    """standard (for PLAYERS), mini, small, or a JSON file with the fields of Rules that differ."""
    players: int = 4
    """Players of the standard rules."""
    opponents: tuple[str, ...] = JUDGES
    """The league's fixed opponents."""
    present: float = 0.0
    """Share of the tables against the present self, from 0 to 1."""
    past: float = 0.0
    """Share of the tables against past selves; the fixed opponents have what is left."""
    mixed: float = 0.25
    """Share of the tables at which each other seat is drawn by itself; at the rest all have the same opponent."""
    priority: str = "hard"
    """Whom the league draws more often: hard (those who are beaten least), variance (equals), even (nobody)."""
    past_every: int = 200_000
    """Steps between past selves."""
    pool: int = 16
    """Past selves that are kept."""
    reward: str = "points"
    """win, points or margin."""
    seed: int = 0
    """Of the deals, the opponents, the league and the learner."""
    games: int = 256
    """Games played at once."""
    rollout: int = 32
    """Decisions in each game between two updates."""
    batch_size: int = 1024
    """Decisions in one gradient step."""
    epochs: int = 4
    """Passes over the decisions of an update."""
    learning_rate: float = 1e-3
    """At the beginning; it falls to a tenth with the last step (or minute)."""
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
    imitate: str | None = None
    """A compiled bot whose decisions the policy learns before anything else."""
    imitate_steps: int = 1_000_000
    """How many decisions of it."""
    save_every: int = 200_000
    """Steps between checkpoints."""
    check_every: int = 0
    """Steps between checks against the judges, the best of which is kept as best.zip; 0: none."""
    check_deals: int = 100
    """Deals of a check against each judge, every one in all seatings; a check ends after two minutes in any case."""
    judges: tuple[str, ...] = JUDGES
    """Opponents of the checks and of the evaluation at the end, each in all other seats. The last one decides which
    policy is best."""
    deals: int = 250
    """Deals of each evaluation at the end, every one in all seatings; 0: none."""
    threads: int = 1
    """Threads of PyTorch; more seldom help with networks of this size."""


class Options(Protocol):
    """Options of a training command: a frozen dataclass with these fields among others."""

    @property
    def config(self) -> Path | None:
        """A file of options."""

    @property
    def seed(self) -> int:
        """Of everything."""


Kind = TypeVar("Kind", bound=Options)


# What a resumed run may be told anew; what it is not told stays as it was.
FREE_ON_RESUME = (
    *("config", "steps", "minutes", "out", "resume"),
    *("pool", "save_every", "check_every", "check_deals", "judges", "deals", "threads"),
)

LEAST = {
    **dict.fromkeys(("games", "rollout", "batch_size", "epochs", "save_every", "threads", "width", "pair_width"), 1),
    **dict.fromkeys(("past_every", "pool", "imitate_steps", "check_deals"), 1),
    **dict.fromkeys(("check_every", "deals"), 0),
}
SHARES = ("learning_rate", "entropy", "gamma", "gae_lambda", "present", "past", "mixed")


def read_options(
    arguments: Sequence[str] | None, kind: type[Kind], prog: str, extra: str = "train"
) -> tuple[Kind, frozenset[str]]:
    """The options from the command line, over those of the file that it names, and which of them were given there.

    kind, prog, extra: the dataclass of options, the command, and the extra that brings what it needs.

    Bad ones end the process in one line, those of a file raise ValueError.
    """
    line = list(sys.argv[1:] if arguments is None else arguments)
    options = parse(kind, prog, line, extra)
    if options.config is not None:
        line = [*_from_file(options.config, kind), *line]
        options = parse(kind, prog, line, extra)
    words = {word[2:].partition("=")[0].replace("-", "_") for word in line if word.startswith("--")}
    return options, frozenset(words & {field.name for field in fields(kind)})


def _from_file(path: Path, kind: type[Any]) -> list[str]:
    """A file of options as arguments of the command line, which are checked in one place; ValueError for others."""
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"--config must name a JSON or TOML file of options, got {path}: {error}") from None
    names = [field.name for field in fields(kind) if field.name not in ("config", "out", "resume")]
    if not isinstance(values, Mapping) or not set(values) <= set(names):
        unknown = (
            ", ".join(map(shown, sorted(set(values) - set(names)))) if isinstance(values, Mapping) else "no object"
        )
        raise ValueError(f"{path} must hold options by name ({', '.join(names)}), it holds {unknown}")
    arguments = []
    for name, value in values.items():
        if value is not None:
            parts = value if isinstance(value, list) else [value]
            arguments += ["--" + name.replace("_", "-"), *map(str, parts)]
    return arguments


def check_numbers(options: Any, least: Mapping[str, int], shares: Sequence[str]) -> None:
    """What the commands that train have in common; ValueError names the first option that cannot be.

    least: the least that whole numbers may be, by name. shares: names of options from 0 to 1.
    """
    for name, lowest in least.items():
        if getattr(options, name) < lowest:
            raise ValueError(f"{name} must be at least {lowest}, got {getattr(options, name)}")
    if options.steps is not None and options.steps < 1:
        raise ValueError(f"steps must be at least 1, got {options.steps}")
    if options.minutes is not None and not 0 < options.minutes < 1e6:
        raise ValueError(f"minutes must be above 0 and below a million, got {options.minutes}")
    for name in shares:
        if not 0 <= getattr(options, name) <= 1:
            raise ValueError(f"{name} must be from 0 to 1, got {getattr(options, name)}")
    if not options.layers or min(options.layers) < 1 or max(options.layers) > WIDEST:
        raise ValueError(f"layers must be at least one whole number from 1 to {WIDEST}, got {options.layers}")
    number_of_threads(options.threads)  # where more cannot be had, OpenMP ends the process without a word


def check(options: Train) -> None:
    """ValueError names the first option that cannot be, and what is accepted."""
    check_numbers(options, LEAST, SHARES)
    if options.present + options.past > 1:
        raise ValueError(f"present and past must be at most 1 together, got {options.present} and {options.past}")
    if max(options.width, options.pair_width) > WIDEST:
        raise ValueError(f"width and pair_width must be at most {WIDEST}, got {options.width} and {options.pair_width}")
    for name, accepted in (("policy", POLICIES), ("priority", PRIORITIES)):
        if getattr(options, name) not in accepted:
            raise ValueError(f"{name} must be one of {', '.join(accepted)}, got {getattr(options, name)!r}")
    _check_players(options)
    check_mode(options.reward)
    check_seed(options.seed, options.games)
    if not 0 <= options.seed < 2**32:
        raise ValueError(f"seed must be from 0 to 2**32 - 1 (PyTorch and SB3 take no other), got {options.seed}")


def _check_players(options: Train) -> None:
    for name in ("opponents", "judges"):
        if not getattr(options, name):
            raise ValueError(f"{name} must name at least one")
    for opponent in options.opponents:
        find(opponent)
    for judge in options.judges:
        load(judge)
    if options.imitate is not None and options.imitate not in BOTS:
        raise ValueError(f"imitate must name a compiled bot ({', '.join(BOTS)}), got {options.imitate!r}")


def settings_of(options: Any) -> dict[str, Any]:
    """The options of JSON types."""
    return {name: str(value) if isinstance(value, Path) else value for name, value in asdict(options).items()}


def write_config(folder: Path, options: Options, libraries: Sequence[str] = LIBRARIES) -> None:
    """Write what it takes to run it again: `config.json`, for --config, and `about.json` with what ran.

    libraries: those whose versions matter.

    `about.json` has an entry for each time that the run was begun or resumed: version, commit and which files have
    changed since, libraries. The changes to files of the commit are in `changes.diff`.
    """
    settings = {name: value for name, value in settings_of(options).items() if name not in ("config", "out", "resume")}
    write_whole(folder / CONFIG, _json(settings))
    resumed = getattr(options, "resume", False)
    commit, status, changes = _git("rev-parse", "HEAD"), _git("status", "--porcelain"), _git("diff", "HEAD")
    about = {
        "version": respublica_env.__version__,
        "commit": commit.strip() or None,
        "changed": status.splitlines(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "seed": options.seed,
        "resume": resumed,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "libraries": {name: version(name) for name in libraries},
    }
    path = folder / ABOUT
    before = json.loads(path.read_text(encoding="utf-8")) if resumed and path.exists() else []
    write_whole(path, _json([*before, about]))
    if changes:
        write_whole(folder / CHANGES, changes.encode())


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode()


def _git(*arguments: str) -> str:
    """What git says about this clone; nothing where there is none."""
    try:
        found = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout
