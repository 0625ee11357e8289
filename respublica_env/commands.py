"""What all commands have in common: options from a dataclass, and one line on stderr for what cannot be."""

import contextlib
import io
import sys
from collections.abc import Sequence
from typing import NoReturn, TypeVar

Options = TypeVar("Options")


def refuse(prog: str, message: str) -> NoReturn:
    """Say what was wrong in one line on stderr; exit status 2."""
    print(f"{prog}: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(2)


def parse(options: type[Options], prog: str, arguments: Sequence[str] | None, extra: str) -> Options:
    """The options of a dataclass from the command line (None: this process's); bad ones are refused.

    extra: the extra of this distribution that brings tyro, for those who do not have it.
    """
    try:
        import tyro
    except ImportError:
        refuse(prog, f"the command line needs tyro: pip install 'respublica-env[{extra}]'")
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            found: Options = tyro.cli(
                options,
                prog=f"python -m {prog}",
                args=None if arguments is None else list(arguments),
                config=(tyro.conf.FlagCreatePairsOff,),
            )
            return found
    except SystemExit as stop:
        if not stop.code:
            raise
        refuse(prog, one_line(said.getvalue()))


def one_line(box: str) -> str:
    """The message in tyro's box, which may be broken into lines, without its heading and the help below it.

    Where the terminal knows no frames, the heading stands above a rule of its own.
    """
    parts: list[list[str]] = [[]]
    for line in box.splitlines():
        text = line.strip("│ ")
        if text and not text.strip("─-"):
            parts.append([])
        elif text and not line.startswith(("╭", "╰")):
            parts[-1].append(text)
    place = 0 if "╭" in box else 1
    message = " ".join(parts[place]) if place < len(parts) else ""
    return message.partition(" Got errors:")[0] or "wrong arguments: --help names the right ones"
