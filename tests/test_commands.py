"""The one line with which every command refuses what cannot be."""

import io
import sys
from dataclasses import dataclass

import pytest

from respublica_env.commands import one_line, parse, refuse

FRAMED = "╭─ Value error ──╮\n│ Error parsing  │\n│ --games: 'x'   │\n│ ────────────── │\n│ For full help  │\n╰─────╯\n"
PLAIN = " Value error    \n -------------- \n  Error parsing \n  --games: 'x'  \n  --------------\n  For full help \n\n"


@dataclass(frozen=True)
class Options:
    """Some options."""

    games: int = 1
    steps: int | None = None


@pytest.mark.parametrize("box", [FRAMED, PLAIN], ids=["framed", "plain"])
def test_a_broken_message_is_put_together(box: str) -> None:
    assert one_line(box) == "Error parsing --games: 'x'"


def test_no_message_is_still_a_line() -> None:
    assert one_line("") == one_line("Oh") == "wrong arguments: --help names the right ones"


@pytest.mark.parametrize("terminal", ["utf-8", "ascii"])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--games", "x"], "Error parsing --games: invalid literal for int() with base 10: 'x'"),
        (["--steps", "x"], "Error parsing --steps: no type matching {None}|INT could be instantiated from ['x']."),
        (["--fast"], "Unrecognized options: --fast"),
        (["--games"], "Missing value for argument '--games'. Expected 1 values."),
    ],
)
def test_a_command_line_is_refused_in_one_line(
    arguments: list[str], said: str, terminal: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On every terminal: tyro draws its box by what stdout can show."""
    if terminal == "ascii":
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    with pytest.raises(SystemExit) as stop:
        parse(Options, "some.command", arguments, extra="train")
    assert stop.value.code == 2
    assert capsys.readouterr().err == f"some.command: {said}\n"


def test_a_refusal_of_several_lines_becomes_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        refuse("some.command", "one\n  two")
    assert stop.value.code == 2 and capsys.readouterr().err == "some.command: one two\n"


def test_without_tyro_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tyro", None)
    with pytest.raises(SystemExit) as stop:
        parse(Options, "some.command", [], extra="train")
    assert stop.value.code == 2 and "pip install 'respublica-env[train]'" in capsys.readouterr().err
