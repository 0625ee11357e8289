"""A game in the browser: the replay page, served on this machine alone, in which a person plays.

    python -m agents.play --agents greedy greedy greedy --human 0 --web

The game is kept here, not in the page: a second tab or a reload shows it as it stands. A decision names the position
that it was made for, so that one from a tab that is behind changes nothing. What others do is sent together when the
person is to decide, as in the terminal. Requests that come by another name than this machine's own, or from another
page, are refused.
"""

import json
import threading
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np

from agents.base import Agent
from agents.human import ASKED
from agents.words import describe
from respublica_env import Game, IllegalAction
from respublica_env.actions import action_table
from respublica_env.record import Record, Recorder
from respublica_env.replay.page import assemble, chunk, head
from respublica_env.replay.story import Teller
from respublica_env.rules import shown

LOOPBACK = "127.0.0.1"
MOST_BYTES = 1_000  # of a request's body: a decision takes less than a hundred


class Table:
    """A game at which a person sits, or at which agents play among themselves.

    Args:
        start: the game as it was dealt.
        names: who plays, by seat.
        agents: by seat; None where the person sits.

    All methods may be called from several threads.
    """

    def __init__(self, start: Game, names: Sequence[str], agents: Sequence[Agent | None]) -> None:
        self.names, self.agents = tuple(names), agents
        self.human = agents.index(None) if None in agents else None
        self._seed = start.seed
        self._recorder = Recorder(start.copy(), names)
        self._teller = Teller(start, self.human)
        self._lock = threading.Lock()
        self._others_play()

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._recorder.game.terminated

    def record(self) -> Record:
        """The game so far."""
        with self._lock:
            return self._recorder.record()

    def page(self) -> str:
        """The page, with the game as it stands."""
        with self._lock:
            data = head(self._recorder.game.rules, self.names, self.human) | chunk(self._teller.story)
            return assemble(self._recorder.game.rules, data | {"live": self._live()})

    def state(self, frames: int) -> dict[str, Any]:
        """What has happened, for a page that has so many frames, and what is to be decided."""
        with self._lock:
            # The last frame that a page has may have been of words that have gone on since.
            first = min(max(frames - 1, 0), len(self._teller.story.frames) - 1)
            return chunk(self._teller.story, first) | {"live": self._live()}

    def act(self, action: Any, at: Any) -> None:
        """A decision of the person, made when `at` decisions had been taken.

        Raises Behind when these were others, IllegalAction for one that cannot be taken; nothing has changed.
        """
        with self._lock:
            if type(at) is not int or at != len(self._recorder) or self._recorder.game.player != self.human:
                raise Behind("The game has gone on since, in another tab: here is how it stands.")
            self._step(action)
            self._others_play()

    def _step(self, action: Any) -> None:
        self._recorder.step(action)
        self._teller.step(int(action))

    def _others_play(self) -> None:
        """On to the person's next decision, or to the end."""
        game = self._recorder.game
        while (seat := game.player) is not None:
            agent = self.agents[seat]
            if agent is None:
                break
            rng = np.random.default_rng((self._seed, seat, len(self._recorder)))
            self._step(agent.choose(game.copy(), seat, rng))
        self._teller.show()

    def _live(self) -> dict[str, Any]:
        """What the person is to decide."""
        game = self._recorder.game
        if game.player is None or game.player != self.human:
            return {"over": True, "moves": [], "asked": "", "at": len(self._recorder)}
        asked = ASKED[game.phase][0]
        return {"over": False, "moves": self._moves(game), "asked": asked, "at": len(self._recorder)}

    def _moves(self, game: Game) -> list[dict[str, Any]]:
        table, n = action_table(game.rules), game.rules.num_players
        moves = []
        for action in game.legal_actions().tolist():
            meaning = table.decode(action)
            one: dict[str, Any] = {"id": action, "type": meaning.type.rstrip("_"), "words": describe(game, action)}
            if meaning.kind >= 0:
                one |= {"kind": meaning.kind, "count": meaning.count}
            if meaning.type == "accept":
                assert game.active is not None
                one["seat"] = (game.active + meaning.player) % n
            moves.append(one)
        return moves


class Behind(Exception):  # noqa: N818 - not an error: somebody looks at an old page
    """A decision for a position that is past."""


class _Handler(BaseHTTPRequestHandler):
    """GET / is the page, GET /state?frames=N what is new, POST /act a decision."""

    server: "Server"
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if not self._is_ours():
            return
        if address.path == "/":
            self._send(HTTPStatus.OK, self.server.table.page().encode(), "text/html; charset=utf-8")
        elif address.path == "/state":
            frames = parse_qs(address.query).get("frames", ["0"])[0]
            known = int(frames) if frames.isdecimal() and len(frames) < 9 else 0
            self._answer(HTTPStatus.OK, self.server.table.state(known))
        else:
            self._answer(HTTPStatus.NOT_FOUND, {"problem": "there is no such page here"})

    def do_POST(self) -> None:
        if not self._is_ours():
            return
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal() or not 0 < int(size[:9]) <= MOST_BYTES:
            self.close_connection = True
            self._answer(HTTPStatus.BAD_REQUEST, {"problem": f"a decision has up to {MOST_BYTES} bytes"})
            return
        try:
            asked = json.loads(self.rfile.read(int(size)))
            action, at, frames = (asked[key] for key in ("action", "at", "frames"))
            if type(frames) is not int:
                raise TypeError
        except (ValueError, KeyError, TypeError, RecursionError):
            self._answer(HTTPStatus.BAD_REQUEST, {"problem": "a decision is an object with action, at and frames"})
            return
        if self.path != "/act":
            self._answer(HTTPStatus.NOT_FOUND, {"problem": "there is no such page here"})
            return
        status, problem = HTTPStatus.OK, {}
        try:
            self.server.table.act(action, at)
        except Behind as error:
            status, problem = HTTPStatus.CONFLICT, {"problem": str(error)}
        except IllegalAction as error:
            status, problem = HTTPStatus.BAD_REQUEST, {"problem": str(error)}
        self._answer(status, self.server.table.state(frames) | problem)
        if self.server.table.over:
            self.server.ended()

    def _is_ours(self) -> bool:
        """Whether the request came by this machine's own name, and from no other page; else it has been refused."""
        hosts = {f"{name}:{self.server.server_port}" for name in (LOOPBACK, "localhost")}
        origin = self.headers.get("Origin")
        if self.headers.get("Host") in hosts and (origin is None or origin in {f"http://{host}" for host in hosts}):
            return True
        self.close_connection = True
        self._answer(HTTPStatus.FORBIDDEN, {"problem": f"this game is at http://{LOOPBACK}:{self.server.server_port}/"})
        return False

    def _answer(self, status: HTTPStatus, values: dict[str, Any]) -> None:
        self._send(status, json.dumps(values).encode(), "application/json")

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the base class names it so
        """The terminal is not for requests."""


class Server(ThreadingHTTPServer):
    """Serves a table on this machine alone.

    Args:
        table: the game.
        port: 0 takes a free one.
        ended: called, perhaps more than once, after the game has ended.

    Raises ValueError for a port that cannot be had.
    """

    daemon_threads = True

    def __init__(self, table: Table, port: int = 0, ended: Callable[[], object] = lambda: None) -> None:
        self.table, self.ended = table, ended
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except (OSError, OverflowError) as error:
            raise ValueError(f"no page can be served at port {shown(port)}: {error}") from None

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.server_port}/"
