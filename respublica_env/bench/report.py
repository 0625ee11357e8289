"""What was measured as a table and as JSON."""

import json
import os
import platform
import sys
from dataclasses import asdict
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from respublica_env.bench.measure import Row, Settings
from respublica_env.files import write_whole

FORMAT = "respublica-bench/1"
LIBRARIES = (
    "numpy",
    "numba",
    "pettingzoo",
    "gymnasium",
    "open_spiel",
    "rlcard",
    "stable_baselines3",
    "sb3_contrib",
    "torch",
)
HEADINGS = ("budget", "subject", "figure", "peer", "figure", "ratio", "wanted", "")


def machine_facts() -> dict[str, Any]:
    """What the figures depend on: processor, cores, load, versions. Nothing that names the machine or its user."""
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "cores_of_this_process": affinity,
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "compiled": import_module("respublica_env.engine._jit").COMPILED,  # False under NUMBA_DISABLE_JIT=1
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {library: _version(library) for library in LIBRARIES},
    }


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _version(library: str) -> str | None:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def as_json(rows: list[Row], settings: Settings, facts: dict[str, Any]) -> dict[str, Any]:
    """Everything measured, of JSON types only."""
    from respublica_env import __version__

    return {
        "format": FORMAT,
        "version": __version__,
        "machine": facts,
        "settings": asdict(settings),
        "rows": [asdict(row) for row in rows],
    }


def write_json(path: Path, report: dict[str, Any]) -> None:
    """Write the whole file or none of it."""
    text = json.dumps(report, indent=2) + "\n"
    write_whole(path, text.encode())


def _number(figure: float | None) -> str:
    if figure is None:
        return ""
    return f"{figure:,.0f}" if figure >= 1000 else f"{figure:.3g}"


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table, under HEADINGS."""
    wanted = ""
    if row.budget is not None:
        wanted = f"{'at most' if row.at_most else 'at least'} {_number(row.budget)}{' x' if row.peer else ''}"
    figure = f"{_number(row.value)} {row.unit}" if row.value is not None else ""
    peer_figure = f"{_number(row.peer_value)}" if row.peer_value is not None else ""
    ratio = f"{row.ratio:.3g}" if row.ratio is not None else ""
    verdict = f"{row.status}: {row.note}" if row.note else row.status
    return row.name, row.subject, figure, row.peer, peer_figure, ratio, wanted, verdict


def print_table(rows: list[Row], facts: dict[str, Any]) -> None:
    """The table, and below it the machine and a count."""
    try:
        _print_rich(rows)
    except ImportError:
        _print_plain(rows)
    versions = ", ".join(f"{library} {version}" for library, version in facts["versions"].items() if version)
    print(f"{facts['cpu']}, {facts['cores_of_this_process']} cores, load {facts['load_average']}; {versions}")
    counts = {status: sum(row.status == status for row in rows) for status in dict.fromkeys(row.status for row in rows)}
    print("; ".join(f"{count} {status}" for status, count in counts.items()))


def _print_rich(rows: list[Row]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(*HEADINGS, show_lines=True)
    colours = {"pass": "green", "fail": "red"}
    for row in rows:
        *texts, verdict = (escape(cell) for cell in cells(row))
        colour = colours.get(row.status, "yellow")
        table.add_row(*texts, f"[{colour}]{verdict}[/{colour}]")
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def _print_plain(rows: list[Row]) -> None:
    lines = [HEADINGS, *(cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADINGS) - 1)]
    for line in lines:
        padded = [text.ljust(width) for text, width in zip(line, widths, strict=False)]
        print("  ".join([*padded, line[-1]]).rstrip())
