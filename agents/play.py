"""One game in the terminal, told in words: agents among themselves, or with a person at the keyboard.

    python -m agents.play --agents greedy random runs/ppo --seed 7
    python -m agents.play --agents greedy greedy greedy --human 0 --record game.jsonl
    python -m agents.play --agents greedy greedy greedy --human 0 --web

Without a person everything is told; a person is told what its seat may know. What others do is told together when the
person is to decide, so that not even the time they took tells who had a choice.

A game that is left (Ctrl-C, Ctrl-D, "quit") ends with exit status 130, and its record says so. The choice of an agent
depends on the seed, its seat and the number of decisions before it: the same command plays the same game, and after
`undo` the others answer the same decision in the same way.
"""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agents import Agent, load
from agents.human import Leave, Person, Undo
from agents.narrator import Narrator
from respublica_env import Game, Rules, warm_up
from respublica_env.commands import parse, refuse
from respublica_env.envs.ansi import ansi_view
from respublica_env.envs.view import AGENT_NAMES
from respublica_env.files import check_target
from respublica_env.record import Record, Recorder, write_record
from respublica_env.seeding import check_seed

if TYPE_CHECKING:
    from agents.web import Table

PROG = "agents.play"
HUMAN = "human"  # its name in records
LEFT = 130  # exit status of a game that was left, as shells have it for Ctrl-C


@dataclass(frozen=True)
class Play:
    """Play one game of Res Publica in the terminal, or, with --web, in the browser."""

    agents: tuple[str, ...]
    """Who plays, in the order of seats: random, greedy, trader, search:200, ppo, or the path of a checkpoint. As many
    as players; with --human one fewer."""
    seed: int | None = None
    """Of the deal and of all chance; without it, one is drawn and shown."""
    human: int | None = None
    """The seat that you play, 0 to the number of agents."""
    record: Path | None = None
    """Write a record of the game to this file (JSON lines)."""
    undo: bool = False
    """Let the person take decisions back ("undo"); the cards to come stay as they are. In the terminal only."""
    web: bool = False
    """Play in the browser: serve the game as a page on this machine alone."""
    port: int = 0
    """Of the page; 0 takes a free one."""


@dataclass
class Session:
    """A game, the decisions that led to it, and what is to be told of it.

    Attributes:
        start: the game as it was dealt.
        names: who plays, by seat.
        viewer: whose view is told; None tells everything.
        decisions: all decisions so far.
        asked: how many decisions there were whenever the person was asked, and answered.
        told: lines that have not been shown yet.
    """

    start: Game
    names: Sequence[str]
    viewer: int | None
    decisions: list[int] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.game = self.start.copy()
        self._narrator = Narrator(self.game, self.viewer)
        self.told = self._narrator.begin()

    def step(self, action: int) -> None:
        """Play one decision. Ctrl-C may come at any moment: `record` needs no more than the list of decisions."""
        self.decisions.append(action)
        self.game.step(action)
        self.told += self._narrator.step(action)

    def undo(self) -> bool:
        """Back to where the person was asked last; False when it was not asked before."""
        if not self.asked:
            return False
        kept = self.decisions[: self.asked.pop()]
        self.decisions = []
        self._begin()
        for action in kept:
            self.step(action)
        self.told = ["", "Back to your last decision"]
        return True

    def record(self) -> Record:
        """The game so far, played again from its deal."""
        recorder = Recorder(self.start.copy(), self.names)
        for action in list(self.decisions):
            recorder.step(action)
        return recorder.record()


def run(
    session: Session, agents: Sequence[Agent | None], person: Person | None, write: Callable[[str], object] = print
) -> None:
    """Play a session to its end; Leave when the person left.

    agents: by seat; None where the person sits.
    """
    while not session.game.terminated:
        seat = session.game.player
        assert seat is not None  # it is not over
        agent = agents[seat]
        if agent is None:
            assert person is not None
            _ask(session, person, write)
        else:
            rng = np.random.default_rng((session.start.seed, seat, len(session.decisions)))
            session.step(agent.choose(session.game.copy(), seat, rng))
        if person is None:
            _show(session, write)
    _show(session, write)
    write("\n" + ansi_view(session.game, session.viewer).rstrip())


def _ask(session: Session, person: Person, write: Callable[[str], object]) -> None:
    """One answer of the person, which may be several decisions."""
    news = bool(session.told)
    _show(session, write)
    try:
        moves = person.ask(session.game, show_table=news)
    except Undo:
        if not session.undo():
            write("there is nothing to take back")
        return
    session.asked.append(len(session.decisions))
    for action in moves:
        session.step(action)


def _show(session: Session, write: Callable[[str], object]) -> None:
    if session.told:
        write("\n".join(session.told))
    session.told = []


def seated(options: Play) -> tuple[list[Agent | None], Rules]:
    """The agents by seat, None where the person sits, and the rules; ValueError for what cannot be."""
    players = len(options.agents) + (options.human is not None)
    if not 2 <= players <= len(AGENT_NAMES):
        raise ValueError(f"a game has 2 to {len(AGENT_NAMES)} players, got {players} (with --human one is you)")
    if options.human is not None and not 0 <= options.human < players:
        raise ValueError(f"--human must be a seat from 0 to {players - 1}, got {options.human}")
    rules = Rules(num_players=players)
    agents: list[Agent | None] = [load(name) for name in options.agents]
    for agent in agents:
        assert agent is not None  # only the person is
        agent.check(rules)
    if options.human is not None:
        agents.insert(options.human, None)
    return agents, rules


def serve(session: Session, agents: Sequence[Agent | None], options: Play, played: list["Session | Table"]) -> None:
    """Play in the browser until Ctrl-C, by which a game that is over has not been left.

    played: the table is put there, so that its record can be written however this ends.
    """
    from agents.web import Server, Table

    table = Table(session.start, session.names, agents)
    played.append(table)

    def ended() -> None:
        if options.record is not None:
            with suppress(OSError):  # it is written once more at the end, where what is wrong can be said
                write_record(options.record, table.record())

    try:
        server = Server(table, options.port, ended)
    except ValueError as error:
        refuse(PROG, f"--port: {error}")
    with server:
        print(f"the game is at {server.address} (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            if not table.over:
                raise


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = parse(Play, PROG, arguments, extra="train")
    played: list[Session | Table] = []
    left = False
    try:
        try:
            agents, rules = seated(options)
            if options.record is not None:
                check_target("--record", options.record)
            if not 0 <= options.port < 2**16:
                raise ValueError(f"--port must be from 0 to {2**16 - 1}, got {options.port}")
            seed = check_seed(options.seed)
        except (ValueError, OSError) as error:
            refuse(PROG, str(error))
        warm_up(verbose=sys.stderr.isatty())  # the first time on a machine takes long: whoever waits is told why
        game = Game(rules, seed)
        names = [HUMAN if agent is None else agent.name for agent in agents]
        session = Session(game, names, options.human)
        played.append(session)
        print("\n".join(f"{AGENT_NAMES[seat]}: {name}" for seat, name in enumerate(names)))
        print(f"seed: {game.seed}")
        if options.web:
            played.clear()
            serve(session, agents, options, played)
        else:
            run(session, agents, None if options.human is None else Person(options.human, options.undo))
    except (KeyboardInterrupt, Leave):
        left = True
        print("\nthe game was left")
    except BrokenPipeError:  # whoever read has gone: nothing more can be said, not even by Python at its end
        left = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if options.record is not None and played:
        try:
            write_record(options.record, played[0].record())
        except OSError as error:
            refuse(PROG, f"--record: {error}")
        print(f"the record is in {options.record}")
    if left:
        raise SystemExit(LEFT)


if __name__ == "__main__":
    main()
