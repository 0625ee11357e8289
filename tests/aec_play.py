"""How the tests of the PettingZoo environment play it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from respublica_env import respublica_v0

MODES = ("win", "points", "margin")
MAKERS = [respublica_v0.env, respublica_v0.raw_env]
SMALL = {"max_turns": 40, "copies": 6, "set_size": 3}


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def play(env: Any, rng: np.random.Generator, decisions: int = 10**9) -> None:
    """Random legal actions until the game is over, or so many."""
    while decisions > 0 and not env.terminations[env.agent_selection]:
        env.step(choose(env.last()[0]["action_mask"], rng))
        decisions -= 1


def started(make: Callable[..., Any] = respublica_v0.env, decisions: int = 0, seed: int = 5, **keywords: Any) -> Any:
    env = make(**keywords)
    env.reset(seed=seed)
    play(env, np.random.default_rng(seed), decisions)
    return env


def illegal_action(env: Any) -> int:
    return int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])
