"""Where compiled code is kept: an edit of one chapter is seen through its callers, and nothing compiles too early."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

# One small compiled function (`score_rows`, of batch.py) that calls another chapter (`score`, of turn.py). Seat 0 holds
# 6 cards of type 0: three pairs.
SCORE = """
import numpy as np
from respublica_env import Rules
from respublica_env.engine import _jit
from respublica_env.engine.batch import score_rows
from respublica_env.engine.state import HANDS, ROW_SIZE, make_spec

spec = make_spec(Rules(num_players=2))
rows = np.zeros((1, spec[ROW_SIZE]), np.int16)
rows[0, HANDS] = 6
out = np.zeros((1, 2), np.int64)
score_rows(spec, rows, out)
print(out[0, 0], _jit.CACHE_FOLDER, sum(score_rows.stats.cache_hits.values()))
"""


def run(script: str, folder: Path, cache: Path | str, *options: str) -> subprocess.CompletedProcess[str]:
    """A fresh Python in `folder`, with the cache folder `cache`."""
    done = subprocess.run(
        [sys.executable, *options, "-c", script],
        cwd=folder,
        env=os.environ | {"RESPUBLICA_ENV_CACHE": str(cache), "PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_an_edit_of_one_chapter_is_seen_in_functions_of_another(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "respublica_env", tmp_path / "respublica_env")
    cache = tmp_path / "cache"
    points, folder, hits = run(SCORE, tmp_path, cache).stdout.split()
    assert (points, hits) == ("3", "0")
    assert Path(folder).parent == cache and list(Path(folder).rglob("*.nbi"))
    # Once more: from the cache.
    assert run(SCORE, tmp_path, cache).stdout.split() == ["3", folder, "1"]
    chapter = tmp_path / "respublica_env" / "engine" / "turn.py"
    source = chapter.read_text()
    assert source.count("row[hand + k] // 2") == 1
    chapter.write_text(source.replace("row[hand + k] // 2", "row[hand + k] // 3"))
    points, new_folder, hits = run(SCORE, tmp_path, cache).stdout.split()
    assert (points, hits) == ("2", "0")
    assert new_folder != folder and Path(new_folder).parent == cache


def test_a_folder_that_cannot_be_written_gives_one_warning_and_no_cache(tmp_path: Path) -> None:
    """A file stands where the folder should be, which stops root as well."""
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    done = run(SCORE, ROOT, in_the_way, "-W", "always")
    assert done.stdout.split() == ["3", "None", "0"]
    warnings = [line for line in done.stderr.splitlines() if "Warning" in line]
    assert len(warnings) == 1, done.stderr
    assert "RuntimeWarning: respublica_env keeps no compiled code" in warnings[0]
    assert "RESPUBLICA_ENV_CACHE" in warnings[0]


def test_the_cache_can_be_turned_off() -> None:
    done = run(SCORE, ROOT, "", "-W", "error")
    assert done.stdout.split() == ["3", "None", "0"]
    assert done.stderr == ""


# Every compiled function of a loaded module, and how many versions of it have been compiled.
IMPORT = """
import sys
import respublica_env
assert "numba" not in sys.modules, "importing the package loads the compiler"
import respublica_env.batch, respublica_env.game, respublica_env.opponents
from numba.core.dispatcher import Dispatcher
found = {
    id(value): value
    for name, module in list(sys.modules.items()) if name.startswith("respublica_env")
    for value in vars(module).values() if isinstance(value, Dispatcher)
}
print(len(found), sum(len(function.signatures) for function in found.values()))
"""


def test_importing_compiles_nothing(tmp_path: Path) -> None:
    functions, compiled = run(IMPORT, ROOT, tmp_path, "-W", "error").stdout.split()
    assert int(functions) > 50
    assert compiled == "0"
    assert not list(tmp_path.rglob("*.nb?"))
