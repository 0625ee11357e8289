"""Agents: who can sit at the table. `agents.load(name)` finds one by name or loads a checkpoint."""

from pathlib import Path

from agents.base import Agent
from agents.scripted import CompiledAgent
from respublica_env.opponents import BOTS

__all__ = ["Agent", "load"]


def load(name: str) -> Agent:
    """The agent of that name ("random", "greedy"), or the policy of a checkpoint file.

    Raises ValueError, naming the known ones, for anything else.
    """
    if name in BOTS:
        return CompiledAgent(name)
    if isinstance(name, str) and Path(name).is_file():
        from agents.policy import PolicyAgent  # needs torch, the others do not

        return PolicyAgent(Path(name))
    raise ValueError(f"no agent is named {name!r}: there are {', '.join(BOTS)}, or the path of a checkpoint (.zip)")
