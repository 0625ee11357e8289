"""Which `Door` an environment has; a library is only looked at where it has been imported already."""

import sys
from typing import Any

from respublica_env.batch import Batch
from respublica_env.game import Game
from respublica_env.rules import shown
from respublica_env.testing.door import Door, MakeEnv

ACCEPTED = (
    "respublica_v0.env or raw_env, the environment of Gymnasium, single or vector, ResPublicaVecEnv, the game "
    "python_respublica of OpenSpiel or its initial state, a Game, a Batch, or a wrapper or variant of one of these"
)


def open_door(make_env: MakeEnv, **keywords: Any) -> Door:
    """The door to a new environment. Raises ValueError for what is none of ours."""
    if not callable(make_env):
        raise ValueError(f"make_env must be a function that makes a new environment, got {shown(make_env)}")
    env = make_env(**keywords)
    inner = getattr(env, "unwrapped", env)
    if isinstance(inner, Game):
        from respublica_env.testing.plain import GameDoor

        return GameDoor(inner)
    if isinstance(inner, Batch):
        from respublica_env.testing.plain import BatchDoor

        return BatchDoor(inner)
    if _is(inner, "aec", "RawEnv"):
        from respublica_env.testing.aec import AECDoor

        return AECDoor(env)
    for module, name, door in (
        ("single_agent", "ResPublicaEnv", "SingleDoor"),
        ("gymnasium_vector", "ResPublicaVectorEnv", "VectorDoor"),
        ("sb3", "ResPublicaVecEnv", "SB3Door"),
    ):
        if _is(inner, module, name):
            from respublica_env.testing import learner

            opened: Door = getattr(learner, door)(env)
            return opened
    if _is(env, "open_spiel", "ResPublicaGame") or _is(env, "open_spiel", "ResPublicaState"):
        from respublica_env.testing.spiel import OpenSpielDoor

        return OpenSpielDoor(env)
    raise ValueError(f"make_env must make {ACCEPTED}; got {shown(env)}")


def _is(env: Any, module: str, name: str) -> bool:
    """Whether `env` is an instance of a class of `respublica_env.envs`; False where that was never imported."""
    loaded = sys.modules.get(f"respublica_env.envs.{module}")
    return loaded is not None and isinstance(env, getattr(loaded, name))
