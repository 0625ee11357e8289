"""What may import what, tier by tier from the rules to the notebooks, and nothing heavy."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Tiers from left to right, each with its modules (and whatever lies below them). A module may import from its own tier
# and from those before it. A new module must be given a place here.
TIERS = {
    "rules": (
        "respublica_env.rules",
        "respublica_env.actions",
        "respublica_env.observation",
        "respublica_env.seeding",
        "respublica_env.arguments",
        "respublica_env.decks",
        "respublica_env.files",
    ),
    "engine": ("respublica_env.engine",),
    "game": (
        "respublica_env.game",
        "respublica_env.batch",
        "respublica_env.rows",
        "respublica_env.position",
        "respublica_env.position_reader",
        "respublica_env.position_values",
        "respublica_env.explain",
        "respublica_env.warm",
        "respublica_env.opponents",
    ),
    "records": ("respublica_env.record",),
    "envs": ("respublica_env.envs",),
    "doors": (
        "respublica_env",  # the package itself: its public names; "respublica_env.x" stands under its own name
        "respublica_env.respublica_v0",
        "respublica_env.sb3",
        "respublica_env.open_spiel",
        "respublica_env.registration",
        "respublica_env.replay",
        "respublica_env.testing",
        "respublica_env.bench",
        "respublica_env.commands",
        "respublica_env.tables",
    ),
    "agents": ("agents",),
    "train": ("train",),
    "notebooks": ("notebooks",),
}
ORDER = list(TIERS)
OURS = ("respublica_env", "agents", "train", "notebooks")

# The tiers that need no library but these, besides the standard library.
LIBRARIES = {
    "rules": {"numpy"},
    "engine": {"numpy", "numba", "llvmlite"},  # llvmlite is the compiler below numba: it names the CPU
    "game": {"numpy", "numba"},
    "records": {"numpy", "numba"},
}

# Libraries that the package imports only inside the functions that need them.
HEAVY = {"torch", "matplotlib"}


@dataclass(frozen=True)
class Import:
    """One imported module; `when_loaded` is False inside functions and under `if TYPE_CHECKING`."""

    name: str
    when_loaded: bool


def modules() -> dict[str, Path]:
    """Every module of ours by its full name."""
    found = {}
    for path in sorted(file for folder in OURS for file in (ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(source: str, package: str) -> Iterator[Import]:
    """Every import statement in `source`; relative ones start from `package`."""

    def walk(node: ast.AST, when_loaded: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, when_loaded)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                yield Import(whole if whole in MODULES else base, when_loaded)
        elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            for child in node.body:
                yield from walk(child, False)
            for child in node.orelse:
                yield from walk(child, when_loaded)
        else:
            inside = when_loaded and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            for child in ast.iter_child_nodes(node):
                yield from walk(child, inside)

    return walk(ast.parse(source), True)


def tier(module: str) -> str | None:
    """The tier of a module of ours by its longest listed name; None when it has none."""
    if module == "respublica_env":
        return "doors"
    for name, members in TIERS.items():
        for member in members:
            if member != "respublica_env" and (module == member or module.startswith(f"{member}.")):
                return name
    return None


def wrong_imports(module: str, source: str, is_package: bool = False) -> list[str]:
    """The imports of a module that the order of tiers, or the weight of a library, forbids; each in a sentence."""
    own = tier(module)
    assert own is not None
    wrong = []
    for imported in imports(source, module if is_package else module.rpartition(".")[0]):
        library = imported.name.partition(".")[0]
        if library in OURS:
            other = tier(imported.name)
            if other is None or ORDER.index(other) > ORDER.index(own):
                wrong.append(f"{module} ({own}) imports {imported.name} ({other})")
        elif own in LIBRARIES and library not in LIBRARIES[own] | sys.stdlib_module_names:
            wrong.append(f"{module} ({own}) needs {library}")
        elif library in HEAVY and imported.when_loaded and module.startswith("respublica_env"):
            wrong.append(f"{module} loads {library} when it is imported")
    return wrong


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_to_the_left(module: str) -> None:
    assert tier(module), f"{module} has no place in TIERS"
    path = MODULES[module]
    assert wrong_imports(module, path.read_text(encoding="utf-8"), path.name == "__init__.py") == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("respublica_env.rules", "import respublica_env.engine.state"),
        ("respublica_env.rules", "def f():\n    from respublica_env.game import Game"),
        ("respublica_env.actions", "import numba"),
        ("respublica_env.engine.turn", "from respublica_env import Rules"),
        ("respublica_env.engine.turn", "from respublica_env import game"),
        ("respublica_env.engine.turn", "from ..game import Game"),
        ("respublica_env.engine.turn", "from .. import game"),
        ("respublica_env.engine.turn", "if True:\n    import gymnasium.spaces"),
        ("respublica_env.game", "from respublica_env.envs import aec"),
        ("respublica_env.game", "import respublica_env.nowhere"),
        ("respublica_env.record", "import typing\nif typing.TYPE_CHECKING:\n    import respublica_env.envs"),
        ("respublica_env.envs.aec", "import agents"),
        ("respublica_env.envs.aec", "class A:\n    import torch.nn"),
        ("respublica_env.bench", "def f():\n    import train.ppo"),
        ("respublica_env.bench", "try:\n    from matplotlib import pyplot\nexcept ImportError:\n    pass"),
        ("agents.play", "import train"),
    ],
)
def test_an_import_that_points_to_the_right_is_found(module: str, source: str) -> None:
    assert len(wrong_imports(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("respublica_env.rules", "import json\nimport numpy as np\nfrom respublica_env.actions import action_table"),
        ("respublica_env.engine.turn", "from .state import HANDS\nfrom respublica_env.rules import Rules"),
        ("respublica_env.envs.aec", "def f():\n    import torch"),
        ("respublica_env.sb3", "from respublica_env import Batch"),
        ("agents.play", "import torch\nimport respublica_env"),
        ("train.ppo", "import agents.policy, matplotlib"),
    ],
)
def test_an_import_that_points_to_the_left_is_not(module: str, source: str) -> None:
    assert wrong_imports(module, source) == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ("torch", "matplotlib", "numba", "pandas", "pygame")
    code = f"import sys, respublica_env; print(*[name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
