"""Plays a match chunk by chunk, in one process or several, and goes on where a killed run stood.

The result does not depend on the number of processes, nor on how often it was killed: games are independent, and are
put in order at the end.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

from respublica_env.record import Record, write_record
from train import arena
from train.arena import Games
from train.journal import Journal
from train.lineups import Chunk, Match

MOST_PROCESSES = 256
Progress = Callable[[int], None]


def play_match(
    match: Match,
    processes: int = 1,
    journal: Journal | None = None,
    record: Path | None = None,
    progress: Progress | None = None,
    most_games: int | None = None,
) -> list[Games]:
    """Play all lineups; returns the games of each, in order.

    Args:
        match: what is played.
        processes: how many play at the same time.
        journal: keeps what is finished, and has what was finished before.
        record: a folder for a record of each game, made when there is none.
        progress: called with a number of games, whenever so many more are finished.
        most_games: in a chunk; the result does not depend on it. None leaves it to the agents.
    """
    chunks = list(match.chunks(most_games))
    before = journal.finished if journal else {}
    finished = {chunk: before[chunk] for chunk in chunks if chunk in before}
    left = [chunk for chunk in chunks if chunk not in finished]
    if journal:
        journal.begin()
    if record is not None:
        record.mkdir(exist_ok=True)
    if progress:
        progress(sum(map(len, finished.values())))
    for chunk, games in _played(match, left, min(processes, len(left)), record):
        finished[chunk] = games
        if journal:
            journal.add(chunk, games)
        if progress:
            progress(len(games))
    return [
        Games.joined([finished[chunk] for chunk in chunks if chunk.lineup == number])
        for number in range(len(match.lineups))
    ]


def check_processes(processes: int) -> None:
    """ValueError unless so many can be."""
    if not 1 <= processes <= MOST_PROCESSES:
        raise ValueError(f"processes must be from 1 to {MOST_PROCESSES}, got {processes}")


def check_record(record: Path, goes_on: bool) -> None:
    """ValueError unless `record` can be a folder for the records of a run; one that goes on has it already."""
    if record.is_dir():
        if not goes_on and any(record.iterdir()):
            raise ValueError(f"--record must name a folder that is new or empty, got {record}")
    elif record.exists() or not record.parent.is_dir():
        raise ValueError(f"--record must name a folder, new or empty, inside one that exists, got {record}")
    if not os.access(record if record.is_dir() else record.parent, os.W_OK):
        raise ValueError(f"--record must name a folder that can be written, got {record}")


def _played(match: Match, chunks: list[Chunk], processes: int, record: Path | None) -> Iterator[tuple[Chunk, Games]]:
    """The chunks with their games, as they are finished."""
    if processes <= 1:
        for chunk in chunks:
            yield chunk, _play(match, chunk, record)
        return
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, _begin, (replace(match), record))  # without what it has cached
    try:
        waiting = {pool.submit(_play_here, chunk): chunk for chunk in chunks}
        for future in as_completed(waiting):
            yield waiting.pop(future), future.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    pool.shutdown()


def _play(match: Match, chunk: Chunk, record: Path | None) -> Games:
    lineup = match.lineups[chunk.lineup]
    seatings = len(lineup.seatings)
    seeds = [match.seed + game // seatings for game in range(chunk.first, chunk.end)]

    def keep(number: int, played: Record) -> None:
        game = chunk.first + number
        place = f"lineup-{chunk.lineup}-" if len(match.lineups) > 1 else ""
        name = f"{place}deal-{match.seed + game // seatings}-seating-{game % seatings}.jsonl"
        assert record is not None
        write_record(record / name, played)

    seats = lineup.seats(chunk.first, chunk.end)
    return arena.play(match.rules, match.players, seats, seeds, keep if record is not None else None)


# -- in the other processes

_work: dict[str, Any] = {}


def _begin(match: Match, record: Path | None) -> None:
    """Get ready; end with the parent, however it ends, and leave Ctrl-C to it."""
    _work.update(match=match, record=record)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _play_here(chunk: Chunk) -> Games:
    return _play(_work["match"], chunk, _work["record"])
