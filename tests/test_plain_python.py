"""The engine as plain Python (`NUMBA_DISABLE_JIT=1`) plays the same games, byte for byte."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from respublica_env import Game, Rules
from tests.strategies import batch_digest, eager, fingerprint, game_digest, play

ROOT = Path(__file__).parent.parent

RULE_SETS: dict[str, dict[str, Any]] = {
    "published": {"max_turns": 4},
    "mini": Rules.mini().to_dict(),
    "small": Rules.small().to_dict(),
    "six players, by hand, optional draw": {
        "num_players": 6,
        "copies": 4,
        "hand_size": 2,
        "set_size": 2,
        "max_count": 2,
        "optional_draw": True,
        "auto_forced": False,
        "max_turns": 7,
    },
    "eight types, no wildcards, one term": {
        "num_players": 2,
        "population_types": 8,
        "technology_types": 8,
        "copies": 24,
        "set_size": 2,
        "max_terms": 1,
        "wildcards": False,
        "max_turns": 8,
        "city_points": 10**9,
        "num_cities": 10**9,
    },
    "to the final round": {
        "num_players": 3,
        "population_types": 2,
        "technology_types": 1,
        "copies": 6,
        "set_size": 2,
        "max_turns": 40,
    },
}


def digests() -> dict[str, list[Any]]:
    """Of every rule set: a game, a batch with bots in it, worlds a seat believes in on the way, and what traders do."""
    out: dict[str, list[Any]] = {}
    for name, fields in RULE_SETS.items():
        rules = Rules.from_dict(fields)
        rng = np.random.default_rng(1)
        worlds = []
        for moment in play(Game(rules, seed=2**63 - 5), eager(np.random.default_rng(0)), 60):
            world = moment.determinize(int(rng.integers(rules.num_players)), rng)
            worlds.append(fingerprint(Game.from_dict(world.to_dict())).hex())
        trader = Game(rules, seed=3)
        choices = [trader.play_bot("trader") for _ in range(60) if not trader.terminated]
        out[name] = [game_digest(rules, 11), batch_digest(fields, 7, num_games=4, steps=50), worlds, choices]
    return out


def test_the_plain_engine_plays_the_same_games() -> None:
    script = (
        "import json; from respublica_env.engine import _jit; from tests.test_plain_python import digests; "
        "assert not _jit.COMPILED and _jit.CACHE_FOLDER is None; print(json.dumps(digests()))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr  # -W error: its wrapping arithmetic is quiet, too
    plain = json.loads(done.stdout)
    for name, expected in digests().items():
        assert plain[name] == expected, name


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_games_compared_are_more_than_passing(name: str) -> None:
    """Or the comparison would say little: somebody must trade (and where it is meant, the final round come)."""
    rules = Rules.from_dict(RULE_SETS[name])
    phases: set[str] = set()
    for moment in play(game := Game(rules, seed=2**63 - 5), eager(np.random.default_rng(0))):
        phases.add(moment.phase)
    assert {"ANNOUNCE", "OVER"} <= phases
    assert name == "mini" or name == "small" or "ACCEPT" in phases
    assert game.final_round or name != "to the final round"
