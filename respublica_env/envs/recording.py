"""Records of the games that an environment plays: one file for each, in the format of `respublica_env.record`.

    env = record_games(respublica_v0.env(), "games")           # PettingZoo
    env = record_games(gymnasium.make("respublica/ResPublica-v0"), "games")

The games are noted in the innermost environment, so that it makes no difference which wrappers stand around it, and
what these do to actions is done before. A copy of an environment (for a search, or pickled) records nothing.
"""

import copy
import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from respublica_env.engine.bots import BOT_NAMES
from respublica_env.game import Game
from respublica_env.record import Recorder, write_record
from respublica_env.rules import Rules, shown

if TYPE_CHECKING:
    from respublica_env.envs.vector import LearnerBatch

Env = TypeVar("Env")


def record_games(env: Env, folder: str | os.PathLike[str], agents: Sequence[str] | str = (), name: str = "game") -> Env:
    """Record every game from the next reset on; the environment itself is returned.

    A game is written when it ends, and one that is left (by a reset, an illegal action, or `close`) as far as it went.

    Args:
        env: `respublica_v0.env()` or `raw_env()`, or Gymnasium's single environment, with or without wrappers.
        folder: where the files go, NAME-000000.jsonl and so on; it is made when it is missing, and files that are
            there already stay.
        agents: names of those who play. PettingZoo: by seat, or none. Gymnasium: the learner's name, "learner" by
            default; opponents have theirs.
        name: how the files' names begin.

    Raises ValueError for another environment, or the wrong number of names, and OSError where no file can be written.
    """
    from respublica_env.envs.aec import RawEnv
    from respublica_env.envs.single_agent import ResPublicaEnv

    inner = getattr(env, "unwrapped", env)
    if isinstance(inner, RawEnv):
        inner.log = GameLog(inner.rules, folder, name, agents)
    elif isinstance(inner, ResPublicaEnv):
        inner.games.log = LearnerLog(inner.rules, folder, name, agents or "learner")
    else:
        raise ValueError(
            f"games are recorded of respublica_v0.env(), raw_env(), or Gymnasium's single environment, got {shown(env)}"
        )
    return env


class GameLog:
    """Notes the games of one environment and writes their records.

    Args:
        rules: of the games.
        folder, name: where the files go, and how their names begin.
        agents: names of those who play, by seat, or none.

    Raises ValueError for the wrong number of names, OSError where the folder cannot be made.
    """

    def __init__(self, rules: Rules, folder: str | os.PathLike[str], name: str, agents: Sequence[str] | str) -> None:
        if not isinstance(name, str) or not name or Path(name).name != name:
            raise ValueError(f"name must begin a file's name, got {shown(name)}")
        self._check(rules, agents)
        self.agents = agents
        self._folder, self._name = Path(folder), name
        self._folder.mkdir(parents=True, exist_ok=True)
        self._recorder: Recorder | None = None
        self._path: Path | None = None  # of the present game, once it has been written

    def _check(self, rules: Rules, agents: Sequence[str] | str) -> None:
        Recorder(Game(rules, 0), agents)

    def dealt(self, game: Game) -> None:
        """A new game, at its start; it may be played on, each decision being told to `decided` as well."""
        self._begin(game, self.agents)

    def _begin(self, game: Game, agents: Sequence[str]) -> None:
        self._recorder, self._path = Recorder(game, agents), None

    def decided(self, player: int, action: int) -> None:
        """A decision that has just been played."""
        if self._recorder is not None:
            self._recorder.note(player, int(action))
            if self._recorder.game.terminated:
                self._write()

    def leave(self) -> None:
        """The present game may not go on: it is written as it stands, once there is a decision in it."""
        if self._recorder is not None and len(self._recorder) and not self._recorder.game.terminated:
            self._write()

    def _write(self) -> None:
        assert self._recorder is not None
        if self._path is None:
            self._path = self._claim()
        write_record(self._path, self._recorder.record())

    def _claim(self) -> Path:
        """The first free name, claimed by an empty file: others may write into the same folder."""
        for number in itertools.count():
            path = self._folder / f"{self._name}-{number:06d}.jsonl"
            try:
                path.open("xb").close()
            except FileExistsError:
                continue
            return path
        raise AssertionError  # it counts without an end

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return type(None), ()  # copies of an environment record nothing


class LearnerLog(GameLog):
    """Notes the games of a `LearnerBatch` of one game.

    Compiled opponents decide inside the batch's own loop. They are asked again here, in a game of the log's own that
    has the same random streams.
    """

    def _check(self, rules: Rules, agents: Sequence[str] | str) -> None:
        del rules
        if not isinstance(agents, str):
            raise ValueError(f"agents must be the learner's name here, a string, got {shown(agents)}")

    _bots: list[int]  # by seat, the number of the compiled bot or -1

    def deal(self, games: "LearnerBatch") -> None:
        """A game is about to be dealt; its streams stand where the deal will find them."""
        game = games.batch.game(0)
        game.reset()
        self._bots = games.batch.controllers[0].tolist()
        self._begin(game, [self._name_of(games, seat) for seat in range(games.rules.num_players)])

    def _name_of(self, games: "LearnerBatch", seat: int) -> str:
        if seat == games.seats[0]:
            return str(self.agents)
        return BOT_NAMES[self._bots[seat]] if self._bots[seat] >= 0 else str(games.opponent(0, seat).name)

    def play(self, action: int) -> None:
        """What the learner or an opponent that is not compiled has decided."""
        if self._recorder is not None:
            self._bots_play()
            self._recorder.step(action)

    def caught_up(self) -> None:
        """The batch waits for its learner, or its game is over."""
        if self._recorder is not None:
            self._bots_play()
            if self._recorder.game.terminated and self._path is None:
                self._write()

    def _bots_play(self) -> None:
        assert self._recorder is not None
        game = self._recorder.game
        while (player := game.player) is not None and self._bots[player] >= 0:
            self._recorder.note(player, game.play_bot(BOT_NAMES[self._bots[player]]))

    def state(self) -> Any:
        """What `go_back` takes, for a step that may fail."""
        return copy.deepcopy(self._recorder), self._path

    def go_back(self, state: Any) -> None:
        """To where `state` was asked for."""
        self._recorder, self._path = state
