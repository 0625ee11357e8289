"""The terminal: whole games through a pseudo-terminal, and the person and the session by themselves."""

import fcntl
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from agents import load
from agents.human import Leave, Person, Undo
from agents.play import LEFT, Session, main, run
from respublica_env import Game, Rules
from respublica_env.record import Record, read_record

ROOT = Path(__file__).parent.parent.parent
PROMPT = b"? for help)> "
PATIENCE = 300  # seconds until a program that says nothing has failed; compiling the engine takes some

# A child cannot be given a controlling terminal from outside (os.forkpty warns where there are threads): it takes it.
# Where the tests run in the background, they and their children ignore Ctrl-C: at a terminal a program does not.
LAUNCH = (
    "import fcntl, runpy, signal, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "signal.signal(signal.SIGINT, signal.default_int_handler); "
    "sys.argv[0] = 'play'; runpy.run_module('agents.play', run_name='__main__')"
)


class Terminal:
    """`python -m agents.play` on a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self._screen, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, b"\x18\x00\x50\x00" + b"\x00" * 4)  # 24 by 80
        self.process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, *arguments],
            stdin=end,
            stdout=end,
            stderr=end,
            cwd=ROOT,
            start_new_session=True,
        )
        os.close(end)
        self._said = b""

    def answer(self, again: str = "") -> str:
        """What is said up to the next prompt, or to the end of the program.

        again: typed again whenever nothing is said for a while, as people do: an interrupt that comes just before
        Python's readline begins to wait for keys is noticed with the next key only.
        """
        deadline = time.monotonic() + PATIENCE
        while PROMPT not in self._said:
            left = deadline - time.monotonic()
            assert left > 0, self._said
            if not select.select([self._screen], [], [], min(left, 10 if again else left))[0]:
                self.type(again)
                continue
            try:
                more = os.read(self._screen, 65536)
            except OSError:  # Linux says so when the other end is closed
                more = b""
            if not more:
                break
            self._said += more
        part, prompt, self._said = self._said.partition(PROMPT)
        return (part + prompt).decode().replace("\r\n", "\n")

    def type(self, keys: str) -> None:
        os.write(self._screen, keys.encode())

    def end(self) -> int:
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        os.close(self._screen)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


@contextmanager
def terminal(*arguments: str) -> Iterator[Terminal]:
    shown = Terminal(*arguments)
    try:
        yield shown
    finally:
        shown.close()


def reply(shown: str) -> str:
    """What the scripted person types: words where it can, the first number listed where the words were refused."""
    if "is illegal" in shown or "is no move" in shown or "no card" in shown:
        numbers = re.findall(r"(?:Legal: |, )(\d+) \"", shown)
        return numbers[-1]
    for asked, words in (
        ("Your turn.", "seek 1 any technology or 1 rom"),
        ("Your answer:", "1 any card and 1 greek"),
        ("Take an answer", "accept player_0"),
        ("Choose the cards", "finish"),
        ("Build, or stop", "stop"),
        ("Draw.", "draw 1 population"),
    ):
        if asked in shown:
            return words
    return "0"


def test_a_whole_game_by_a_scripted_person(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    with terminal("--agents", "greedy", "random", "--seed", "7", "--human", "1", "--record", str(file)) as shown:
        first = shown.answer()
        assert "player_0: greedy\nplayer_1: human\nplayer_2: random\nseed: 7\n" in first
        shown.type("?\n")
        assert "Say the number of a move, or say it in words" in shown.answer()
        whole, part = first, first
        while True:
            shown.type(reply(part) + "\n")
            part = shown.answer()
            whole += part
            if PROMPT.decode() not in part:
                break
        assert shown.end() == 0
    record = read_record(file)
    assert (record.status, record.agents) == ("finished", ("greedy", "human", "random"))
    assert sum(player == 1 for player in record.players) > 30
    assert f"The game is over after {record.at(len(record)).turn} turns" in part
    assert f"the record is in {file}" in part
    for words in ("is illegal for player 1", "player_1 seeks 1 Roman or 1 any technology", "player_1 would give"):
        assert words in whole
    # What was shown on the way: no hand but the person's own, and cards of trades only to those who traded.
    assert all("player_1" in line for line in whole.splitlines() if " gives " in line or re.search("draws .*:", line))
    assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]


@pytest.mark.parametrize("keys", ["\x03", "\x04", "quit\n", "seek 1 Rom\x03"])
def test_a_game_that_is_left_is_recorded_as_aborted(keys: str, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    with terminal("--agents", "greedy", "--human", "0", "--seed", "3", "--record", str(file)) as shown:
        shown.answer()
        shown.type("seek 1 Wheel\n")
        shown.answer()
        shown.type(keys)
        said = shown.answer(again=keys)
        assert shown.end() == LEFT
    assert "the game was left" in said and "Traceback" not in said
    record = read_record(file)
    assert record.aborted and record.status.startswith("aborted after")
    assert [record.start().describe(action) for action in record.actions[:2]] == ["seek 1 Wheel", "pass"]
    assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]


# -- without a terminal


def test_agents_among_themselves_are_told_and_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--agents", "greedy", "random", "random", "--seed", "5", "--record", str(tmp_path / "a.jsonl")]
    main(arguments)
    told = capsys.readouterr().out
    record = read_record(tmp_path / "a.jsonl")
    end = record.at(len(record))
    assert record.status == "finished" and record.start().hands.tolist() == Game(Rules(num_players=3), 5).hands.tolist()
    assert told.count("\nTurn ") == end.turn and " exchange " not in told
    assert f"won with {max(record.scores)} points" in told
    main(arguments)  # the same seed is the same game
    assert capsys.readouterr().out == told
    assert read_record(tmp_path / "a.jsonl") == record


def played(
    replies: Callable[[Game, int], str], undo: bool = False, seed: int = 11
) -> tuple[Session, list[str], Record]:
    """A game of a person in seat 0, whose replies are `replies(game, number)`, against greedy."""
    said: list[str] = []
    session = Session(Game(Rules(num_players=2, max_turns=12), seed), ["human", "greedy"], 0)
    count = iter(range(10**6))
    person = Person(0, undo, lambda _: replies(session.game, next(count)), said.append)
    run(session, [None, load("greedy")], person, said.append)
    return session, said, session.record()


def first_legal(game: Game, _: int) -> str:
    return str(game.legal_actions()[-1])


def test_undo_goes_back_to_the_last_own_decision() -> None:
    """Once or several times, and before a line of two decisions to where it was said."""
    rng, answered, expected, undone = np.random.default_rng(0), [], [], 0

    def wavering(game: Game, _: int) -> str:
        nonlocal undone
        while expected:
            assert game.to_dict() == expected.pop()
        if answered and rng.random() < 0.35:
            undone += 1
            expected.append(answered.pop())
            return "undo"
        answered.append(game.to_dict())
        if game.phase == "ANNOUNCE" and rng.random() < 0.5:
            return "seek 2 any card or 1 Wheel"
        return str(rng.choice(game.legal_actions()))

    session, said, record = played(wavering, undo=True)
    assert undone > 10 and any("Back to your last decision" in text for text in said)
    assert record.status == "finished" and record.at(len(record)).to_dict()["hands"] == session.game.hands.tolist()


def test_after_undo_the_same_decision_is_answered_in_the_same_way() -> None:
    _, _, expected = played(first_legal)
    _, _, record = played(lambda game, n: "undo" if n in (3, 7, 8) else first_legal(game, n), undo=True)
    assert record == expected


def test_undo_is_off_unless_it_is_asked_for_and_ends_at_the_first_decision() -> None:
    _, said, _ = played(lambda game, n: "undo" if n == 4 else first_legal(game, n))
    assert "undo is off; the option --undo turns it on" in said
    _, said, _ = played(lambda game, n: "undo" if n == 0 else first_legal(game, n), undo=True)
    assert "there is nothing to take back" in said


def asked(game: Game, *lines: str, undo: bool = False) -> tuple[tuple[int, ...] | type, list[str]]:
    """What a person decides who says these lines, and what it is shown after the first question."""
    said: list[str] = []
    left = iter(lines)

    def read(_: str) -> str:
        line = next(left, None)
        if line is None:
            raise EOFError
        return line

    try:
        moves: tuple[int, ...] | type = Person(game.player, undo, read, said.append).ask(game)
    except (Leave, Undo) as stop:
        moves = type(stop)
    return moves, said[2:]


def test_what_a_person_may_say() -> None:
    game = Game(seed=7)
    assert asked(game, "1")[0] == (1,)
    assert asked(game, "offer 1 Roman")[0] == (1, 0)
    assert asked(game, "", "  ", "0")[0] == (0,)
    assert asked(game)[0] is Leave
    assert asked(game, "QUIT", "0")[0] is Leave
    assert asked(game, "undo", undo=True)[0] is Undo
    moves, said = asked(game, "2", "9999", "²", "offer 4 Wheel", "hello", "?", "rules", "table", "moves", "pass")
    assert moves == (0,)
    assert 'action 2, "offer 2 Roman", is illegal for player 0 in ANNOUNCE' in said[0]
    assert "action 9999 does not exist" in said[1]
    assert "? for help" in said[2] and '"offer 4 Wheel", is illegal' in said[3] and "? for help" in said[4]
    assert "seek 1 Metalworking" in said[5] and "Res Publica, 4 players" in said[6]
    assert "Turn 1, player_0 is active" in said[7] and "any card" in said[8]


def test_lines_that_are_no_text_or_have_no_end_are_asked_for_again() -> None:
    game, lines = Game(seed=7), iter(["1" * 100_000, "x" * 100_000, "0"])
    said: list[str] = []

    def read(_: str) -> str:
        if not said[2:]:
            said.append("once")
            raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
        return next(lines)

    assert Person(0, read=read, write=said.append).ask(game) == (0,)
    assert "that was no text" in said and max(map(len, said)) < 3_000


def test_a_person_is_shown_nothing_that_is_hidden() -> None:
    game, rng, phases = Game(Rules(num_players=3, max_turns=40), seed=1), np.random.default_rng(1), set()
    while not game.terminated:
        phases.add(game.phase)
        for world in range(2):
            shown = []
            for one in (game, game.determinize(game.player, np.random.default_rng(world))):
                said: list[str] = []
                Person(game.player, read=lambda _: str(game.legal_actions()[0]), write=said.append).ask(one)
                shown.append(said)
            assert shown[0] == shown[1]
        legal = game.legal_actions()
        game.step(int(rng.choice(legal[1:] if len(legal) > 1 and rng.random() < 0.7 else legal)))
    assert len(phases) >= 6


def test_ctrl_c_between_a_decision_and_its_note_leaves_a_record_that_can_be_read() -> None:
    """Wherever it comes: the list of decisions is all that the record is made from."""

    class Stopped(Session):
        def step(self, action: int) -> None:
            self.decisions.append(action)
            if len(self.decisions) == 5:
                raise KeyboardInterrupt
            self.game.step(action)

    session = Stopped(Game(seed=1), ["greedy"] * 4, None)
    with pytest.raises(KeyboardInterrupt):
        run(session, [load("greedy")] * 4, None, lambda _: None)
    record = session.record()
    assert len(record) == 5 and record.aborted
    record.at(5)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agents", "nobody", "greedy"], "no agent is named 'nobody'; there are: random, greedy"),
        (["--agents", "greedy"], "a game has 2 to 6 players, got 1"),
        (["--agents", *["greedy"] * 6, "--human", "0"], "a game has 2 to 6 players, got 7"),
        (["--agents", "greedy", "greedy", "--human", "3"], "--human must be a seat from 0 to 2, got 3"),
        (["--agents", "greedy", "greedy", "--human", "-1"], "--human must be a seat from 0 to 2, got -1"),
        (["--agents", "greedy", "greedy", "--seed", "-1"], "seed must be from 0 to 2**63 - 1, got -1"),
        (["--agents", "greedy", "greedy", "--seed", "x"], "--seed"),
        (["--agents", "greedy", "greedy", "--record", "nowhere/x.jsonl"], "--record must name a file"),
        (["--agents", "greedy", "greedy", "--recrod", "x.jsonl"], "--recrod"),
        ([], "--agents"),
    ],
)
def test_bad_input_is_refused_in_one_line_and_writes_nothing(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    shown = capsys.readouterr()
    assert said in shown.err and shown.err.startswith("agents.play: ") and shown.err.count("\n") == 1
    assert shown.out == "" and not list(tmp_path.iterdir())


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    command = [
        sys.executable,
        "-m",
        "agents.play",
        "--agents",
        "greedy",
        "greedy",
        "--seed",
        "1",
        "--record",
        str(file),
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        error = process.stderr.read()
        assert process.wait(PATIENCE) == LEFT
    assert error == b""
    assert read_record(file).aborted
