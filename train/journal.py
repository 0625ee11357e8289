"""What a run has finished, kept beside its result, so that a killed run goes on where it stood.

A side file of lines. Each is the CRC-32 of what follows, eight hexadecimal digits, a space, and JSON: first the format
and all that decides the run's games, then one line for each finished chunk of games. A line is appended when its chunk
is finished; one that broke off, or was damaged, ends what is read, and its chunk is played again.
"""

import hashlib
import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

import agents
import respublica_env
import train
from respublica_env.rules import Rules, shown
from train.arena import Games
from train.lineups import Chunk, Match

FORMAT = "respublica-arena/1"


class Journal:
    """The side file of one run.

    Args:
        result: where the run's result will be; the side file stands beside it, with `.part` at its name's end.
        settings: all that decides the run's games, of JSON types (see `settings_of`).

    Attributes:
        path: of the side file.
        found: whether there was one already.
        finished: the chunks in it.

    Raises ValueError for a side file of a run with other settings, and for a file that is none.
    """

    def __init__(self, result: Path, settings: dict[str, Any]) -> None:
        self.path = result.with_name(f"{result.name}.part")
        self._head = _line({"format": FORMAT, "settings": settings})
        self._good = 0  # bytes that were read without fault
        self.finished: dict[Chunk, Games] = {}
        self.found = self.path.exists()
        if self.found:
            self._read(json.loads(json.dumps(settings)))

    def _read(self, settings: dict[str, Any]) -> None:
        lines = self.path.read_bytes().splitlines(keepends=True)
        if not lines or (self._head.startswith(lines[0]) and lines[0] != self._head):
            return  # it was killed before its first line was whole
        head = _content(lines[0])
        if head is None or head.get("format") != FORMAT:
            raise ValueError(f"{self.path} is no side file of this command: move it away, or choose another --json")
        wrong = [name for name in settings if head["settings"].get(name) != settings[name]]
        if wrong:
            was, now = (shown(values.get(wrong[0])) for values in (head["settings"], settings))
            raise ValueError(
                f"{self.path} holds an unfinished run with other settings ({wrong[0]}: {was}, now {now}): "
                "finish that run, or delete the file"
            )
        self._good = len(lines[0])
        for line in lines[1:]:
            content = _content(line)
            if content is None:
                break
            self.finished[Chunk(*content["chunk"])] = Games.from_lists(content["games"])
            self._good += len(line)

    def begin(self) -> None:
        """Create the file, or cut off what cannot be read."""
        with self.path.open("ab") as file:
            file.truncate(self._good)
        if self._good == 0:
            self._append(self._head)

    def add(self, chunk: Chunk, games: Games) -> None:
        """Keep a chunk that is finished."""
        self._append(_line({"chunk": chunk, "games": games.to_lists()}))

    def _append(self, line: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def remove(self) -> None:
        """The result is written: nothing more to keep."""
        self.path.unlink(missing_ok=True)


def _line(content: dict[str, Any]) -> bytes:
    text = json.dumps(content, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _content(line: bytes) -> dict[str, Any] | None:
    """What a line holds; None for one that is broken."""
    text = line[9:-1]
    if not line.endswith(b"\n") or line[:9] != b"%08x " % zlib.crc32(text):
        return None
    content: dict[str, Any] = json.loads(text)
    return content


def settings_of(match: Match, record: Path | None) -> dict[str, Any]:
    """All that decides a match's games, of JSON types: options, files of agents, versions and sources."""
    return {
        "agents": {name: _content_of(name, match.rules) for name in match.names},
        "lineups": [[list(lineup.players), lineup.deals] for lineup in match.lineups],
        "seed": match.seed,
        "rules": match.rules.to_dict(),
        "record": None if record is None else str(record.absolute()),
        "version": respublica_env.__version__,
        "numpy": np.__version__,
        "sources": _sources(),
    }


def _content_of(name: str, rules: Rules) -> str | None:
    """A hash of the file behind an agent's name; None where there is none."""
    file = agents.file_of(name, rules)
    return None if file is None else hashlib.sha256(file.read_bytes()).hexdigest()


def _sources() -> str:
    """A hash of the code that plays."""
    digest = hashlib.sha256()
    for package in (respublica_env, agents, train):
        folder = Path(str(package.__file__)).parent
        for source in sorted(folder.rglob("*.py")):
            digest.update(source.relative_to(folder.parent).as_posix().encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()
