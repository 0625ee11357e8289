"""Files that are written whole or not at all, and the places where none can be written."""

import os
import threading
from pathlib import Path

import pytest

from respublica_env.files import check_target, write_whole


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    for content in (b"first", b"second, longer", b""):
        write_whole(file, content)
        assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


def test_the_longest_name_that_a_folder_takes(tmp_path: Path) -> None:
    """The name of the unfinished file needs no more room."""
    file = tmp_path / ("n" * 255)
    check_target("--json", file)
    write_whole(file, b"content")
    assert file.read_bytes() == b"content"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_target("--json", pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"content")
    reader.join(timeout=30)
    assert read == [b"content"] and pipe.is_fifo()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_whole(tmp_path, b"content")


NO_FILES = ("", ".", "nowhere/file", "file/below", "n" * 300, "a\0b", "n" * 100 + "\0", "/proc/none/file", "/proc/file")


@pytest.mark.parametrize("name", NO_FILES)
def test_where_no_file_can_be_written_it_is_said_before_the_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("content")
    with pytest.raises(ValueError, match="--json must name a file that can be written, got ") as refused:
        check_target("--json", Path(name))
    assert len(str(refused.value)) < 300 and ".tmp" not in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert Path("file").read_text() == "content"
