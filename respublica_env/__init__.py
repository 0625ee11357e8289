"""Res Publica, Reiner Knizia's card game of trade, as a reference environment for learning to trade.

An unofficial implementation for research. The names below are loaded when they are first used, so that importing
the package compiles nothing and loads nothing heavy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from respublica_env.actions import IllegalAction, action_table
from respublica_env.observation import observation_layout
from respublica_env.registration import register
from respublica_env.rules import Rules

if TYPE_CHECKING:
    from respublica_env import respublica_v0
    from respublica_env.batch import Batch
    from respublica_env.game import Game
    from respublica_env.warm import warm_up

__version__ = "0.1.0"

__all__ = [
    "Batch",
    "Game",
    "IllegalAction",
    "Rules",
    "action_table",
    "observation_layout",
    "respublica_v0",
    "warm_up",
]

_LAZY = {
    "Batch": "respublica_env.batch",
    "Game": "respublica_env.game",
    "warm_up": "respublica_env.warm",
}


register()


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if name == "respublica_v0":
        return import_module("respublica_env.respublica_v0")
    raise AttributeError(f"module 'respublica_env' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
