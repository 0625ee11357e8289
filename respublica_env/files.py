"""Files that are written whole or not at all."""

import contextlib
import errno
import os
from pathlib import Path

from respublica_env.rules import shown


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that whoever reads it finds the old content or all of the new; OSError leaves it as it was.

    What is no plain file (a pipe, /dev/stdout) is written to, not replaced.
    """
    if path.exists() and not path.is_file():
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
        path.write_bytes(content)
        return
    temporary = _beside(path)
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def check_target(option: str, path: Path) -> None:
    """ValueError, now and not after minutes of work, unless a file can be written at `path`; leaves nothing behind."""
    try:
        with contextlib.suppress(FileNotFoundError):
            os.lstat(path)  # a name that is too long, or that holds a null character, is found here
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        if path.exists() and not path.is_file():
            return
        temporary = _beside(path)
        temporary.open("wb").close()
        temporary.unlink()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error  # without the temporary file's name
        raise ValueError(f"{option} must name a file that can be written, got {shown(str(path))}: {why}") from None


def _beside(path: Path) -> Path:
    """A name for what is not finished; short, for a long name may leave no room for more."""
    return path.with_name(f".{path.name[:32]}.{os.getpid()}.tmp")
