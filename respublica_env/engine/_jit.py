"""How the engine is compiled, and where compiled code is kept.

`jit` is the only door to Numba. Three things are decided here and nowhere else:

*The cache folder.* Numba notices an edit only in the file of the cached function itself, so an edit of one
chapter would go on running stale rules through its callers. The folder's name therefore carries a hash of every
file of `engine/`, Numba's version and the CPU. `RESPUBLICA_ENV_CACHE` names another parent folder; set to the
empty string it turns the cache off. Where no folder can be written there is one warning and no cache.

*Plain Python.* With `NUMBA_DISABLE_JIT=1` the same functions run uncompiled.

*Wrapping arithmetic.* `wrapping` marks the few functions whose uint64 arithmetic overflows on purpose: plain
NumPy warns about it, compiled code does not.
"""

import hashlib
import os
import platform
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.options import DefaultOptions

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED = not numba.config.DISABLE_JIT


def _parent_folder() -> Path | None:
    """Where the cache folders live, or None when the user turned the cache off."""
    chosen = os.environ.get("RESPUBLICA_ENV_CACHE")
    if chosen is not None:
        return Path(chosen) if chosen else None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "respublica_env"


def _fingerprint() -> str:
    """Hash of the engine's sources, Numba's version and the CPU."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    for fact in (numba.__version__, np.__version__, sys.version, platform.machine(), _cpu_name()):
        digest.update(fact.encode())
    return digest.hexdigest()[:16]


def _cpu_name() -> str:
    import llvmlite.binding as llvm

    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


def _cache_folder() -> str | None:
    """A folder that can be written, or None (with one warning) when there is none."""
    if not COMPILED:
        return None
    try:
        parent = _parent_folder()
        if parent is None:
            return None
        folder = parent / _fingerprint()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError) as error:
        warnings.warn(
            f"respublica_env keeps no compiled code, each process compiles anew: no cache folder can be written "
            f"({error}). Set RESPUBLICA_ENV_CACHE to a folder that can be, or to '' to turn the cache off.",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return str(folder)


CACHE_FOLDER = _cache_folder()


# Without Numba's reference counts (which functions that make no arrays do not need) the engine runs several times
# as fast: each small function would otherwise count up and down for each array it is handed. A Numba without this
# option still gives the same results.
_UNCOUNTED = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}


def jit(function: Function) -> Function:
    """Compile `function` on first use (nogil, cached); uncompiled under NUMBA_DISABLE_JIT=1.

    The function may make views, but no arrays: see `allocating_jit`.
    """
    return _compile(function, _UNCOUNTED)


def inline_jit(function: Function) -> Function:
    """`jit` for the small functions that everything asks: their code is put in place of each call."""
    return _compile(function, {**_UNCOUNTED, "forceinline": True})


def allocating_jit(function: Function) -> Function:
    """`jit` for the few functions that make arrays."""
    return _compile(function, {})


def _compile(function: Function, options: dict[str, bool]) -> Function:
    if not COMPILED:
        return function
    with _cache_place():
        compiled: Function = numba.njit(
            cache=CACHE_FOLDER is not None, nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options
        )(function)
        return compiled


_CACHE_PLACE = threading.RLock()


@contextmanager
def _cache_place() -> Iterator[None]:
    """Numba settles the cache's place while it decorates, from a global that is the user's too: put it back."""
    with _CACHE_PLACE:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = CACHE_FOLDER or before
        try:
            yield
        finally:
            numba.config.CACHE_DIR = before


class Task:
    """A function that the threads of a crew call by its address: `(desk, thread, chunk, first, end)`, see `crew`.

    It is compiled when its address is asked for, for most programs never need it.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        self._function = function
        self._compiled: Any = None

    @property
    def address(self) -> int:
        """Where its compiled code is."""
        if self._compiled is None:
            number = numba.types.int64
            signature = numba.types.void(numba.types.CPointer(number), number, number, number, number)
            options = {"cache": CACHE_FOLDER is not None, "error_model": "numpy", **_UNCOUNTED}
            with _cache_place():
                if self._compiled is None:  # another thread may have been faster
                    self._compiled = numba.cfunc(signature, **options)(self._function)
        address: int = self._compiled.address
        return address


def wrapping(function: Function) -> Function:
    """Keep NumPy quiet about uint64 overflow that is meant; compiled code needs no such thing."""
    if COMPILED:
        return function
    return np.errstate(over="ignore")(function)
