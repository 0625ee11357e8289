"""The command: `python -m respublica_env.replay F.jsonl [--html F.html] [--seat SEAT] [--agent NAME]`."""

import argparse
import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from respublica_env.commands import refuse
from respublica_env.envs.view import SPECTATOR, Viewer, check_viewer
from respublica_env.files import check_target, write_whole
from respublica_env.record import Record, read_record
from respublica_env.replay import advisor, page
from respublica_env.rules import shown

PROG = "respublica_env.replay"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        refuse(PROG, message)


def main(arguments: Sequence[str] | None = None) -> None:
    """Check a record, sum it up, write the page; bad input is refused in one line, and nothing is written."""
    options = _parser().parse_args(arguments)
    try:
        if options.html is None and (options.seat is not None or options.agent is not None):
            raise ValueError("--seat and --agent are for the page: give --html F.html too")
        if options.html is not None:
            check_target("--html", options.html)
            if options.html.exists() and options.html.samefile(options.record):
                raise ValueError(f"--html must not be the record itself, got {shown(str(options.html))}")
        record = read_record(options.record)
        if options.html is not None:
            write_whole(options.html, _page(record, options.seat, options.agent).encode())
    except OSError as error:
        refuse(PROG, f"{error.filename or options.record}: {error.strerror or error}")
    except (ValueError, MemoryError) as error:
        refuse(PROG, str(error))
    print(summary(record))
    if options.html is not None:
        print(f"The page: {options.html}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(f"python -m {PROG}", description="Play a record again, check every decision, show it as a page.")
    parser.add_argument("record", type=Path, metavar="F.jsonl", help="the record")
    parser.add_argument("--html", type=Path, metavar="F.html", help="write a page that shows the game, one file")
    parser.add_argument("--seat", help="what this seat may know, or what is public (spectator); default: everything")
    parser.add_argument(
        "--agent", metavar="NAME", help="show what this agent thinks of each decision: a name or a path"
    )
    return parser


def _page(record: Record, seat: str | None, agent: str | None) -> str:
    viewer: Viewer = seat if seat in (None, SPECTATOR) else int(seat) if seat.isdecimal() else seat
    viewer = check_viewer(viewer, record.rules.num_players, "--seat")
    if agent is not None:
        _know_agents()
    return page(record, viewer, None if agent is None else advisor(agent))


def _know_agents() -> None:
    """In a clone, let `agents` make its names known; another package of that name is left alone."""
    clone = Path(__file__).resolve().parents[2]
    if not (clone / "agents" / "scripted.py").is_file():
        return
    spec = importlib.util.find_spec("agents")
    if spec is not None and spec.origin and Path(spec.origin).resolve() == clone / "agents" / "__init__.py":
        importlib.import_module("agents")


def summary(record: Record) -> str:
    """What the record holds, in one line."""
    names = [*record.agents] or [f"{record.rules.num_players} players"]
    who = ", ".join(shown(name, 40)[1:-1] for name in names) if record.agents else names[0]
    if record.scores is None:
        return f"A game of {who}: {record.status}"
    ended = f"finished after {len(record)} decisions{' (stalled)' if record.stalled else ''}"
    return f"A game of {who}: {ended}, scores {', '.join(map(str, record.scores))}"


if __name__ == "__main__":
    main()
