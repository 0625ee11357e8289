"""Players by name: scripted ones, and policies that were trained.

An agent either acts from what its seat sees, many games at once (`act`), or looks at one game through what its seat may
see (`choose`); see agents/base.py. `load` finds one by name. Importing this package makes the
names known to the environments too, for their `opponents`.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from agents.base import Agent, GameAgent, ObservationAgent
from agents.policy import CHECKPOINT, PolicyAgent, load_policy
from agents.scripted import CompiledAgent, RandomAgent
from agents.search import NAMES, PREFIX, SearchAgent
from agents.shipped import ShippedAgent, shipped_file
from respublica_env import Rules, opponents
from respublica_env.rules import shown

__all__ = [
    "Agent",
    "CompiledAgent",
    "GameAgent",
    "ObservationAgent",
    "PolicyAgent",
    "RandomAgent",
    "SearchAgent",
    "file_of",
    "load",
    "names",
]

_BY_NAME: dict[str, Callable[[], Agent]] = {
    **{name: partial(CompiledAgent, name) for name in opponents.BOTS},
    "random": RandomAgent,
    "ppo": ShippedAgent,
}


def names() -> list[str]:
    """The names that `load` knows, apart from "search:N" for any N."""
    return list(_BY_NAME)


def load(name: str | Path) -> Agent:
    """An agent by its name, or from the path of a checkpoint: the file, or the folder that `train.ppo` wrote it to.

    A checkpoint is one of `train.ppo`, what Stable-Baselines3 saves, or an export to ONNX; see agents/policy.py.
    "ppo" is the trained baseline that comes with the clone, for 3, 4 and 5 players; it needs nothing but NumPy.
    "search:200" is a tree search of 200 simulations for each decision, "search:20ms" one of 20 milliseconds.

    Raises ValueError for a name that is neither, and for a file that is no checkpoint or is missing.
    """
    if isinstance(name, str) and name in _BY_NAME:
        return _BY_NAME[name]()
    if isinstance(name, str) and _is_search(name):
        return SearchAgent(name)
    if isinstance(name, (str, Path)) and _is_path(str(name)):
        return load_policy(name)
    said, known = shown(str(name) if isinstance(name, Path) else name), ", ".join([*names(), NAMES])
    raise ValueError(f"no agent is named {said}; there are: {known}, and the path of a checkpoint")


def file_of(name: str | Path, rules: Rules) -> Path | None:
    """The file that `load` reads an agent from, with which its play under these rules changes; or None."""
    if name == "ppo":
        return shipped_file(rules.num_players)
    path = Path(name)
    file = path / CHECKPOINT if path.is_dir() else path
    return file if name not in _BY_NAME and file.is_file() else None


def _is_search(name: str) -> bool:
    return name.startswith(PREFIX)


def _is_path(name: str) -> bool:
    try:
        return bool(name) and Path(name).exists()
    except OSError:  # no path can be so long
        return False


for _name in _BY_NAME:
    if _name not in opponents.BOTS:
        opponents.register(_name, load)
opponents.register(NAMES, load, knows=_is_search)
opponents.register("the path of a checkpoint", load, knows=_is_path)
