"""Game records: JSON lines that hold the rules, the decks and every decision, so that a game can be played again.

    {"format": "respublica-record/1", "rules": {...}, "population_deck": [...], "technology_deck": [...],
     "agents": [...]}                                              (in one line)
    {"player": 2, "action": 17}
    ...
    {"scores": [...], "stalled": false}

One file holds one game. Decisions that the engine took by itself are not in it. The last line is `{"aborted": true}`
for a game that was left; a file without a last line broke off. `Recorder` plays and records, `write_record` and
`read_record` go to files and back; `respublica_env.envs.recording` records the games of an environment. Reading plays
the game again: a record that has been read is one that can happen.
"""

import errno
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn, SupportsIndex

from respublica_env.actions import IllegalAction
from respublica_env.engine.state import DECKS, POPULATION_CARDS, STREAMS, make_spec
from respublica_env.files import write_whole
from respublica_env.game import Game
from respublica_env.rules import Rules, shown, whole

FORMAT = "respublica-record/1"
HEADER_KEYS = ("format", "rules", "population_deck", "technology_deck", "agents")
DECISION_KEYS = ("player", "action")
RESULT_KEYS = ("scores", "stalled")
MOST_BYTES = 64 * 2**20  # of a file: no game of sensible rules comes near it
LAST_LINES = '{"scores": [...], "stalled": true or false} or {"aborted": true}'


class RecordError(ValueError):
    """A record that cannot be; the message names the file, the line, and what was wrong."""


@dataclass(frozen=True)
class Record:
    """One game.

    Attributes:
        rules: its rules.
        population_deck, technology_deck: card types in the order of drawing, before the deal.
        agents: names of those who played, by seat; empty when unknown.
        players: the seat of each decision.
        actions: what it decided.
        scores: final scores by seat; None for a game that has not been played to its end.
        stalled: whether it stalled; None with `scores`.
        aborted: whether it was left before its end.
    """

    rules: Rules
    population_deck: tuple[int, ...]
    technology_deck: tuple[int, ...]
    agents: tuple[str, ...] = ()
    players: tuple[int, ...] = ()
    actions: tuple[int, ...] = ()
    scores: tuple[int, ...] | None = None
    stalled: bool | None = None
    aborted: bool = False

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def status(self) -> str:
        """One of "finished", "aborted after k decisions", "unfinished after k decisions" (the record broke off)."""
        if self.scores is not None:
            return "finished"
        return f"{'aborted' if self.aborted else 'unfinished'} after {len(self)} decisions"

    def start(self) -> Game:
        """The game as it was dealt, before the first decision."""
        return Game(self.rules, 0, population_deck=self.population_deck, technology_deck=self.technology_deck)

    def at(self, decisions: int) -> Game:
        """The position after so many decisions, 0 to `len(record)`; ValueError for another number."""
        try:
            number = whole(decisions)
        except TypeError:
            number = -1
        if not 0 <= number <= len(self):
            raise ValueError(f"the record has positions 0 to {len(self)}, got {shown(decisions)}")
        game = self.start()
        for action in self.actions[:number]:
            game.step(action)
        return game

    def lines(self) -> list[dict[str, Any]]:
        """The record as its lines: a dict of JSON types each."""
        head: dict[str, Any] = {
            "format": FORMAT,
            "rules": self.rules.to_dict(),
            "population_deck": list(self.population_deck),
            "technology_deck": list(self.technology_deck),
            "agents": list(self.agents),
        }
        moves = [{"player": i, "action": a} for i, a in zip(self.players, self.actions, strict=True)]
        if self.scores is not None:
            return [head, *moves, {"scores": list(self.scores), "stalled": self.stalled}]
        return [head, *moves, *([{"aborted": True}] if self.aborted else [])]


class Recorder:
    """Plays a game and records it.

    Args:
        game: a game at its start, fresh from its deal; `step` plays on in it.
        agents: names of those who play, by seat.

    Raises ValueError for a game that is under way, or the wrong number of names.
    """

    def __init__(self, game: Game, agents: Iterable[str] = ()) -> None:
        if not isinstance(game, Game):
            raise ValueError(f"a Game is recorded, got {shown(game)}")
        population, technology = decks_before_deal(game)
        names = _check_agents(agents, game.rules)
        self.game = game
        self._start = Record(game.rules, population, technology, names)
        if not _is_fresh(game, self._start):
            raise ValueError("only a game at its start, fresh from its deal, can be recorded")
        self._players: list[int] = []
        self._actions: list[int] = []

    def step(self, action: SupportsIndex) -> None:
        """Play a decision and note it; IllegalAction, and nothing noted, when it is illegal."""
        player = self.game.player
        self.game.step(action)
        assert player is not None  # a game that is over takes no action
        self.note(player, int(action))

    def note(self, player: int, action: int) -> None:
        """Note a decision that has been played in the game by other means than `step`."""
        self._players.append(player)
        self._actions.append(action)

    def __len__(self) -> int:
        return len(self._actions)

    def record(self) -> Record:
        """The record so far: of the whole game when it is over, else of a game that was left."""
        game = self.game
        # Decks as they are now: `Game.set_next` may have changed the order of cards not yet drawn.
        population, technology = decks_before_deal(game)
        over = game.terminated
        return replace(
            self._start,
            population_deck=population,
            technology_deck=technology,
            players=tuple(self._players),
            actions=tuple(self._actions),
            scores=tuple(game.scores()) if over else None,
            stalled=game.stalled if over else None,
            aborted=not over,
        )


def _is_fresh(game: Game, start: Record) -> bool:
    try:
        dealt = start.start()
    except ValueError:  # a position from a dict: it does not tell in which order its cards were drawn
        return False
    streams = {"seed": None, "streams": None}
    return dealt.to_dict() | streams == game.to_dict() | streams


def decks_before_deal(game: Game) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Both decks of a game, population first, with the cards that have been drawn: the row keeps them in their places.

    Not for a game made by `Game.from_dict`, which does not tell in which order its cards were drawn.
    """
    spec, row = make_spec(game.rules), game.__getstate__()["row"]
    middle = spec[DECKS] + spec[POPULATION_CARDS]
    return tuple(row[spec[DECKS] : middle].tolist()), tuple(row[middle : spec[STREAMS]].tolist())


def write_record(path: str | os.PathLike[str], record: Record) -> None:
    """Write a record to a file, whole or not at all: an existing file is replaced only by a finished one.

    Raises ValueError for what is no record, OSError when the file cannot be written.
    """
    if not isinstance(record, Record):
        raise ValueError(f"a Record is written, got {shown(record)}")
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(target.parent))
    text = "".join(json.dumps(line) + "\n" for line in record.lines())
    write_whole(target, text.encode("ascii"))


def read_record(path: str | os.PathLike[str]) -> Record:
    """Read a record, playing the game again.

    A record that breaks off, be it in the middle of a line, is returned as far as it goes (see `Record.status`).

    Raises:
        RecordError: a line is wrong.
        OSError: the file cannot be read.
    """
    source = Path(path)
    with source.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise RecordError(f"{source} is no record: it has more than {MOST_BYTES // 2**20} MiB")
    return _Reader(str(source)).read(data)


class _Reader:
    """Goes through the lines of one file with the game at its side."""

    def __init__(self, name: str) -> None:
        self.name, self.number = name, 0
        self.players: list[int] = []
        self.actions: list[int] = []

    def fail(self, wrong: str) -> NoReturn:
        raise RecordError(f"{self.name}, line {self.number}: {wrong}")

    def read(self, data: bytes) -> Record:
        lines = data.split(b"\n")
        broken = lines.pop()  # what follows the last line's end: nothing, unless the file breaks off there
        if broken.strip() and not _breaks_off(broken):
            lines.append(broken)
        self.number = 1
        if not lines:
            self.fail("the record breaks off in its first line" if broken else "the file is empty")
        record = self.head(self.parse(lines[0]))
        try:
            game = record.start()
        except ValueError as error:
            self.fail(str(error))
        last: dict[str, Any] = {}
        for self.number, line in enumerate(lines[1:], start=2):
            values = self.parse(line)
            if last:
                self.fail("the record has ended on the line before")
            if "action" in values or "player" in values:
                self.decision(game, values)
            else:
                last = self.last(game, values)
        return replace(record, players=tuple(self.players), actions=tuple(self.actions), **last)

    def parse(self, line: bytes) -> dict[str, Any]:
        try:
            values = json.loads(line, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            self.fail(f"not JSON ({error})")
        if not isinstance(values, dict):
            self.fail(f"must be a JSON object, got {shown(values)}")
        return values

    def keys(self, values: Mapping[str, Any], wanted: Sequence[str]) -> None:
        missing = [key for key in wanted if key not in values]
        unknown = [key for key in values if key not in wanted]
        if missing or unknown:
            what = f"{', '.join(missing)} missing" if missing else f"unknown {shown(unknown[0])}"
            self.fail(f"must have the keys {', '.join(wanted)}: {what}")

    def head(self, values: dict[str, Any]) -> Record:
        if values.get("format") != FORMAT:
            self.fail(f'the first line must have "format": "{FORMAT}", got {shown(values.get("format"))}')
        self.keys(values, HEADER_KEYS)
        for key in ("population_deck", "technology_deck", "agents"):
            if not isinstance(values[key], list):
                self.fail(f"{key} must be a list, got {shown(values[key])}")
        try:
            rules = Rules.from_dict(values["rules"])
            agents = _check_agents(values["agents"], rules)
        except ValueError as error:
            self.fail(str(error))
        return Record(rules, tuple(values["population_deck"]), tuple(values["technology_deck"]), agents)

    def decision(self, game: Game, values: dict[str, Any]) -> None:
        self.keys(values, DECISION_KEYS)
        if game.terminated:
            self.fail(f"the game is over, its last line must be {LAST_LINES}")
        player, action = values["player"], values["action"]
        if type(player) is not int or player != game.player:
            self.fail(f"player {game.player} is to decide, got {shown(player)}")
        try:
            game.step(action)
        except IllegalAction as error:
            self.fail(str(error))
        self.players.append(player)
        self.actions.append(action)

    def last(self, game: Game, values: dict[str, Any]) -> dict[str, Any]:
        if "aborted" in values:
            self.keys(values, ("aborted",))
            if values["aborted"] is not True or game.terminated:
                self.fail(f"aborted must be true, and only of a game that is not over, got {shown(values['aborted'])}")
            return {"aborted": True}
        if not values.keys() & set(RESULT_KEYS):
            self.fail(f'must be {{"player": ..., "action": ...}}, or at the end {LAST_LINES}, got {shown(values)}')
        self.keys(values, RESULT_KEYS)
        if not game.terminated:
            self.fail(f"the game is not over: player {game.player} is to decide")
        for key, value in (("scores", game.scores()), ("stalled", game.stalled)):
            if json.dumps(values[key]) != json.dumps(value):  # by type too: true is no 1
                self.fail(f"{key} must be {json.dumps(value)} for this game, got {shown(values[key])}")
        return {"scores": tuple(values["scores"]), "stalled": values["stalled"]}


def _breaks_off(line: bytes) -> bool:
    """Whether a line without an end is the beginning of a JSON object, and not all of one."""
    text = line.decode("utf-8", "ignore").strip()  # it may break off inside a character
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        rest = text[error.pos :]
        in_word = any(word.startswith(rest) for word in ("true", "false", "null", "-"))
        return text.startswith("{") and (in_word or "Unterminated" in error.msg)
    except (ValueError, RecursionError):
        return False
    return False


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, or ValueError when a key stands in it twice: a reader could take either value."""
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {shown(twice)} stands twice")
    return values


def _check_agents(agents: Iterable[Any], rules: Rules) -> tuple[str, ...]:
    """The names, or ValueError unless there is one for each seat or none at all."""
    names = list(agents) if isinstance(agents, Iterable) and not isinstance(agents, str) else [agents]
    if len(names) not in (0, rules.num_players) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"agents must be {rules.num_players} names, one for each seat, or none, got {shown(agents)}")
    return tuple(names)
