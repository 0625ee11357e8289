"""The notebooks run from the first cell to the last, and show what they showed when they were kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from notebooks.run import CHANGES, NOTEBOOKS, differences, execute, main, normalised, problems, read

by_name = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def notebook(*sources: str) -> NotebookNode:
    return normalised(new_notebook(cells=[new_markdown_cell("# Words"), *map(new_code_cell, sources)]))


def ran(text: str = "3\n", **values: Any) -> NotebookNode:
    """A notebook of one cell that has printed something."""
    found = notebook("print(1 + 2)")
    found.cells[1].execution_count = 1
    found.cells[1].outputs = [new_output("stream", **{"name": "stdout", "text": text, **values})]
    return found


def written(path: Path, *sources: str) -> Path:
    nbformat.write(notebook(*sources), path)
    return path


def test_there_are_four() -> None:
    assert [path.name[0] for path in NOTEBOOKS] == ["1", "2", "3", "4"]


@by_name
def test_what_is_kept_is_whole(path: Path) -> None:
    kept = read(path)
    nbformat.validate(kept)
    assert problems(kept) == []
    assert nbformat.writes(normalised(read(path))) == nbformat.writes(kept)


@by_name
def test_a_fresh_run_shows_the_same(path: Path) -> None:
    fresh = execute(path)
    assert problems(fresh) == []
    assert differences(read(path), fresh) == []


def test_a_cell_that_fails_is_told(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        execute(written(tmp_path / "a.ipynb", "1 / 0"))


def test_a_warning_is_a_problem(tmp_path: Path) -> None:
    path = written(tmp_path / "a.ipynb", "print(1)", "import warnings\n\nwarnings.warn('old', stacklevel=1)")
    found = problems(execute(path))
    assert any("code cell 2 has written to stderr" in problem and "old" in problem for problem in found)


def failed(kept: NotebookNode) -> None:
    kept.cells[1].outputs = [new_output("error", ename="ValueError", evalue="no", traceback=[])]


def not_run(kept: NotebookNode) -> None:
    kept.cells[1].execution_count = None


def too_large(kept: NotebookNode) -> None:
    kept.cells[1].outputs.append(new_output("display_data", {"image/png": "A" * 500_000}))


def names_a_path(kept: NotebookNode) -> None:
    kept.cells[1].outputs.append(new_output("execute_result", {"text/html": "<b>/tmp/x</b>"}, execution_count=1))


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (failed, "has failed: ValueError: no"),
        (not_run, "execution count None"),
        (too_large, "make its pictures smaller"),
        (names_a_path, "shows '/tmp'"),
    ],
)
def test_problems_are_told(spoil: Callable[[NotebookNode], None], told: str) -> None:
    kept = ran()
    assert problems(kept) == []
    spoil(kept)
    (problem,) = problems(kept)
    assert told in problem


@pytest.mark.parametrize(
    "text", ["/tmp/a", "/home/me", "lib/site-packages/x", "<object at 0x7f3a>", "file:///work/x", "C:\\Users"]
)
def test_words_that_tell_of_a_machine(text: str) -> None:
    (problem,) = problems(ran(text))
    assert "tells of a machine" in problem


def test_only_cells_that_say_so_may_differ() -> None:
    kept, fresh = ran("3\n"), ran("4\n")
    assert differences(kept, ran("3\n")) == []
    assert differences(kept, fresh) == ["code cell 1 showed ['3\\n'], now ['4\\n']"]
    kept.cells[1].metadata.tags = [CHANGES]
    assert differences(kept, fresh) == []


def test_of_metadata_only_tags_are_kept() -> None:
    kept = ran()
    kept.metadata.language_info = {"name": "python", "version": "3.99"}
    kept.cells[1].metadata = nbformat.from_dict({"tags": [CHANGES], "execution": {"started": "now"}})
    assert kept.cells[1].metadata == {"tags": [CHANGES], "execution": {"started": "now"}}
    assert normalised(kept).cells[1].metadata == {"tags": [CHANGES]}
    assert kept.metadata.language_info == {"name": "python"}


def test_the_command_refuses_other_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([str(tmp_path / "other.ipynb")])
    assert stop.value.code == 2
    assert "there are 1_rules_by_playing.ipynb, " in capsys.readouterr().err
