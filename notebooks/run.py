"""Runs the notebooks from the first cell to the last, each in a fresh kernel, and keeps what they show.

    python -m notebooks.run
    python -m notebooks.run notebooks/1_rules_by_playing.ipynb

A notebook is written only when nothing in it is wrong (see `problems`). `tests/test_notebooks.py` runs them too and
compares: a cell whose text may differ from run to run (times, what PyTorch rounds in another way on another machine)
has the tag "changes".
"""

import argparse
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from matplotlib import font_manager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from respublica_env.commands import refuse
from respublica_env.files import write_whole

PROG = "notebooks.run"
FOLDER = Path(__file__).resolve().parent
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
CHANGES = "changes"  # the tag of cells whose text may differ from run to run
SECONDS = 600  # for one cell: the first use of the engine on a machine compiles it
MOST_BYTES = 400_000  # of a notebook, pictures included

# What a text says about the machine that it was made on.
_MACHINE = re.compile(r"/tmp\b|/work\b|/home\b|/root\b|/Users\b|[A-Z]:\\|site-packages|ipykernel_|\bat 0x[0-9a-f]+")


def read(path: Path) -> NotebookNode:
    """A notebook from its file."""
    return nbformat.read(path, as_version=4)


def execute(path: Path) -> NotebookNode:
    """The notebook with the outputs of a fresh run; the file stays as it is.

    Raises CellExecutionError for the first cell that fails.
    """
    font_manager.get_font_names()  # where matplotlib must look for fonts first, it says so: not in a notebook
    notebook = read(path)
    # The kernel works in the notebook's folder, as Jupyter's does, with this clone before all others.
    paths = [str(FOLDER.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    environment.pop("MPLBACKEND", None)  # figures are to be shown in the notebook
    NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        coalesce_streams=True,
        record_timing=False,
        resources={"metadata": {"path": str(FOLDER)}},
    ).execute(env=environment)
    return normalised(notebook)


def normalised(notebook: NotebookNode) -> NotebookNode:
    """The notebook without what differs from machine to machine: of metadata, only the tags are kept."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata = nbformat.from_dict({"kernelspec": kernel, "language_info": {"name": "python"}})
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {})
        for output in cell.get("outputs", []):
            if "metadata" in output:
                output.metadata = nbformat.from_dict({})
    return notebook


def problems(notebook: NotebookNode) -> list[str]:
    """What is wrong with a notebook that is to be kept, each in a sentence; nothing when all is well.

    Every code cell has been run, in order; none has failed or has said anything on stderr, a warning for example; no
    output tells of the machine; the whole is small.
    """
    found = []
    for number, cell in enumerate(_code(notebook), 1):
        if cell.execution_count != number:
            found.append(f"code cell {number} has the execution count {cell.execution_count}")
        for output in cell.outputs:
            if output.output_type == "error":
                found.append(f"code cell {number} has failed: {output.ename}: {output.evalue}")
            if output.get("name") == "stderr":
                found.append(f"code cell {number} has written to stderr: {output.text}")
            told = filter(None, map(_MACHINE.search, _texts(output)))
            found += [f"code cell {number} shows {match[0]!r}, which tells of a machine" for match in told]
    if (size := len(nbformat.writes(notebook).encode())) > MOST_BYTES:
        found.append(f"the notebook has {size:,} bytes, at most {MOST_BYTES:,} are wanted: make its pictures smaller")
    return found


def differences(kept: NotebookNode, fresh: NotebookNode) -> list[str]:
    """In which code cells the plain text of two runs differs, each in a sentence; cells that say so are left out."""
    return [
        f"code cell {number} showed {before!r}, now {after!r}"
        for number, (old, new) in enumerate(zip(_code(kept), _code(fresh), strict=True), 1)
        if CHANGES not in old.metadata.get("tags", []) and (before := _plain(old)) != (after := _plain(new))
    ]


def _code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _texts(output: Any) -> Iterator[str]:
    """All that an output holds but pictures."""
    yield output.get("text", "")
    for kind, value in output.get("data", {}).items():
        if not kind.startswith("image/") or kind == "image/svg+xml":
            yield str(value)


def _plain(cell: NotebookNode) -> list[str]:
    """What a cell shows as plain text."""
    return [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command: run the notebooks that are named, or all."""
    parser = argparse.ArgumentParser(f"python -m {PROG}", description="Run notebooks and keep what they show.")
    parser.add_argument("notebooks", nargs="*", type=Path, default=NOTEBOOKS, help="default: all")
    for path in parser.parse_args(arguments).notebooks:
        if path.resolve() not in NOTEBOOKS:
            refuse(PROG, f"there are {', '.join(known.name for known in NOTEBOOKS)}; got {path}")
        try:
            notebook = execute(path)
        except CellExecutionError as error:
            raise SystemExit(f"{path.name}: {error}") from None
        if found := problems(notebook):
            raise SystemExit("\n".join(f"{path.name}: {problem}" for problem in found))
        write_whole(path, nbformat.writes(notebook).encode())
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
