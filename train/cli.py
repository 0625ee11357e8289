"""What the commands have in common: options from dataclasses, refusals of one line, files written whole or not."""

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

import tyro

from respublica_env import Rules
from respublica_env.rules import PRESETS

Options = TypeVar("Options")


def refuse(prog: str, message: str) -> NoReturn:
    """Say what was wrong in one line on stderr; exit status 2."""
    print(f"{prog}: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(2)


def parse(options: type[Options], prog: str, arguments: Sequence[str] | None) -> Options:
    """The options of a dataclass from the command line (None: this process's); bad ones are refused."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            return tyro.cli(options, prog=f"python -m {prog}", args=arguments, config=(tyro.conf.FlagCreatePairsOff,))
    except SystemExit as stop:
        if not stop.code:
            raise
        refuse(prog, _first_message(said.getvalue()))


def _first_message(boxed: str) -> str:
    """What tyro says in the top part of its box, without the frame."""
    top = re.split(r"\n│ ─+ │", boxed)[0]
    lines = [line.strip("│ ") for line in top.splitlines() if not line.startswith(("╭", "╰"))]
    return " ".join(filter(None, lines)) or "wrong arguments; --help names the right ones"


def read_rules(text: str, num_players: int) -> Rules:
    """A preset by name ("standard" for `num_players`), or a JSON file of fields."""
    if text == "standard":
        return Rules(num_players=num_players)
    if text in PRESETS:
        return Rules.of(text)
    try:
        fields = json.loads(Path(text).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(
            f"rules must be a preset ({', '.join(PRESETS)}) or a JSON file, got {text!r}: {error}"
        ) from None
    if not isinstance(fields, dict):
        raise ValueError(f"{text} must hold a JSON object of the fields of Rules, it holds {type(fields).__name__}")
    return Rules.from_dict(fields)


def check_target(option: str, path: Path) -> None:
    """ValueError unless a file can be written at `path`; nothing is left behind."""
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise ValueError(f"{option} must name a file in a folder that exists and can be written, got {path}")
