"""What only a fresh process shows: memory of many games, time to import, time to the first step."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from respublica_env.bench.measure import Row, Settings

GIB = 2**30
LIVE_GAMES = 1_000_000
IMPORT_SECONDS, COLD_SECONDS, WARM_SECONDS = 0.5, 25.0, 2.0

_IMPORT = """
import time
start = time.perf_counter()
import respublica_env
print(time.perf_counter() - start)
"""

_FIRST_STEP = """
import time
from respublica_env import Batch
start = time.perf_counter()
batch = Batch(num_games=4, seed=0)
batch.step(batch.action_masks.argmax(axis=1))
print(time.perf_counter() - start)
"""

_MEMORY = """
import gc, json, os, sys
import numpy as np
from respublica_env import Batch

def resident():
    try:
        with open("/proc/self/statm") as facts:
            return int(facts.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None

def play(batch):
    for _ in range(5):
        batch.step(batch.action_masks.argmax(axis=1))

games = int(sys.argv[1])
play(Batch(num_games=2, seed=0))
gc.collect()
before = resident()
batch = Batch(num_games=games, seed=0)
play(batch)
gc.collect()
after = resident()
blocks = {}
for array in vars(batch).values():
    if isinstance(array, np.ndarray):
        while isinstance(array.base, np.ndarray):
            array = array.base
        blocks[id(array)] = array.nbytes
resident_bytes = None if before is None else after - before
print(json.dumps({"arrays": sum(blocks.values()), "resident": resident_bytes, "live": int((~batch.terminated).sum())}))
"""


def run(code: str, *arguments: str, cache: Path | None = None) -> Any:
    """Run `code` in a fresh process, with a cache folder of its own if given; the JSON that it prints."""
    root = str(Path(__file__).parents[2])
    inherited = os.environ.get("PYTHONPATH")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, inherited] if inherited else [root])}
    if cache is not None:
        environment["RESPUBLICA_ENV_CACHE"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)


def rows() -> list[Row]:
    """The rows, unmeasured."""
    games = f"{LIVE_GAMES:,} live default games"
    return [
        Row("memory", f"{games}: state, observations, masks", "bytes/game", budget=2 * GIB / LIVE_GAMES, at_most=True),
        Row("import", "import respublica_env", "s", budget=IMPORT_SECONDS, at_most=True),
        Row("first-step-cold", "Batch and its first step, nothing compiled", "s", budget=COLD_SECONDS, at_most=True),
        Row("first-step-warm", "the same with what was compiled before", "s", budget=WARM_SECONDS, at_most=True),
    ]


def measure(wanted: list[Row], settings: Settings) -> None:
    """Fill the rows of `wanted`."""
    named = {row.name: row for row in wanted}
    if "memory" in named:
        # Below some 150,000 games, freed scratch space that the allocator keeps shows in the size of the process.
        _memory(named["memory"], 10_000 if settings.quick else 300_000)
    if "import" in named:
        named["import"].fill([run(_IMPORT) for _ in range(3)])
    if "first-step-cold" in named or "first-step-warm" in named:
        _first_steps(named, settings)


def _memory(row: Row, games: int) -> None:
    found = run(_MEMORY, str(games))
    row.fill([found["arrays"] / games])
    resident = "" if found["resident"] is None else f"; the process grew by {found['resident'] / games:,.0f} a game"
    row.note = f"all arrays of a Batch of {games:,}, {found['live']:,} of them live{resident}"


def _first_steps(named: dict[str, Row], settings: Settings) -> None:
    if settings.quick:  # from the usual cache
        run(_FIRST_STEP)
        figures = {"first-step-warm": [run(_FIRST_STEP) for _ in range(2)]}
    else:
        with tempfile.TemporaryDirectory() as folder:
            cold = [run(_FIRST_STEP, cache=Path(folder))]
            figures = {
                "first-step-cold": cold,
                "first-step-warm": [run(_FIRST_STEP, cache=Path(folder)) for _ in range(3)],
            }
    for name in ("first-step-cold", "first-step-warm"):
        if name not in named:
            continue
        if name in figures:
            named[name].fill(figures[name])
        else:
            named[name].without("not measured", "compiles for many seconds: run without --quick")
