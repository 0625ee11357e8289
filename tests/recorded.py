"""Recorded games from an independent implementation, as the tests read them."""

import base64
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "data" / "conformance"
FILES = sorted(path.name for path in FOLDER.glob("*.jsonl.gz"))


@dataclass
class RecordedGame:
    """`start` (rules and decks), a state for each decision with the action taken, and `end`."""

    start: dict[str, Any]
    decisions: list[dict[str, Any]]
    end: dict[str, Any]


def recorded_games(name: str) -> Iterator[RecordedGame]:
    """The games of one file."""
    with gzip.open(FOLDER / name, "rt") as file:
        lines = [json.loads(line) for line in file]
    start: dict[str, Any] = {}
    decisions: list[dict[str, Any]] = []
    for line in lines:
        if "rules" in line:
            start, decisions = line, []
        elif "over" in line:
            yield RecordedGame(start, decisions, line)
        else:
            decisions.append(line)


def observation(text: str) -> np.ndarray:
    """An observation as recorded: base64 of little-endian float32."""
    return np.frombuffer(base64.b64decode(text), "<f4")
