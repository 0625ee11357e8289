"""The command: checks a record, sums it up in one line, writes the page; bad input in one line, exit status 2."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from respublica_env import Rules, opponents
from respublica_env.record import read_record, write_record
from respublica_env.replay.__main__ import main
from tests.replayed import Weigher, played

RULES = Rules(num_players=3, copies=7, set_size=3)
AGENTS = ("one", "two", "three")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_record(tmp_path / "game.jsonl", played(RULES, agents=AGENTS))
    return tmp_path / "game.jsonl"


def refused(arguments: list[Any], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    assert stop.value.code == 2 and said.out == ""
    assert said.err.startswith("respublica_env.replay: ") and said.err.count("\n") == 1 and len(said.err) < 600
    return said.err


def test_a_record_is_summed_up(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = read_record(file)
    main([str(file)])
    scores = ", ".join(map(str, record.scores))
    expected = f"A game of one, two, three: finished after {len(record)} decisions, scores {scores}\n"
    assert capsys.readouterr().out == expected
    assert [path.name for path in file.parent.iterdir()] == ["game.jsonl"]


@pytest.mark.parametrize(("lines", "cut"), [(8, 0), (8, 5), (1, 0)])
def test_a_record_that_breaks_off_is_no_error(
    lines: int, cut: int, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "".join(file.read_text().splitlines(keepends=True)[:lines])
    file.write_text(text[: len(text) - cut])
    main([str(file), "--html", str(file.with_suffix(".html"))])
    assert f"unfinished after {lines - 1 - bool(cut)} decisions" in capsys.readouterr().out
    assert "broken" in file.with_suffix(".html").read_text()


def test_the_first_line_that_does_not_fit_is_named(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = file.read_text().splitlines()
    lines[5] = json.dumps({"player": 0, "action": 10**6})
    lines[7] = "not even JSON"
    file.write_text("\n".join(lines) + "\n")
    assert f"{file}, line 6: " in refused([file], capsys)
    assert f"{file}, line 6: " in refused([file, "--html", file.with_suffix(".html")], capsys)
    assert [path.name for path in file.parent.iterdir()] == ["game.jsonl"]


def test_a_page_is_written(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = file.with_name("page.html")
    main([str(file), "--html", str(page), "--seat", "1"])
    assert capsys.readouterr().out.endswith(f"The page: {page}\n")
    assert page.read_text().startswith("<!doctype html>") and '"viewer":1,' in page.read_text()
    main([str(file), "--html", str(page), "--seat", "spectator"])
    assert '"viewer":"spectator",' in page.read_text()


def test_an_agent_is_asked(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponents, "_REGISTRY", dict(opponents._REGISTRY))
    opponents.register("weigher", lambda _: Weigher())
    main([str(file), "--html", str(file.with_suffix(".html")), "--agent", "weigher"])
    assert '"adviser":"weigher"' in file.with_suffix(".html").read_text()


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (["--seat", "3", "--html", "p.html"], "--seat must be None (everything), a seat from 0 to 2"),
        (["--seat", "x", "--html", "p.html"], "--seat must be"),
        (["--seat", "9" * 5000, "--html", "p.html"], ""),
        (["--agent", "nobody", "--html", "p.html"], "no opponent is named 'nobody'"),
        (["--agent", "greedy", "--html", "p.html"], "does not say how likely its actions are"),
        (["--agent", "greedy"], "--seat and --agent are for the page"),
        (["--html", "nowhere/p.html"], "--html must name a file that can be written"),
        (["--html", "."], "--html must name a file that can be written"),
        (["--html", "game.jsonl"], "--html must not be the record itself"),
        (["--fast"], "unrecognized arguments: --fast"),
    ],
)
def test_bad_options_are_refused(
    extra: list[str], words: str, file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(file.parent)
    before = file.read_bytes()
    assert words in refused([file, *extra], capsys)
    assert [path.name for path in file.parent.iterdir()] == ["game.jsonl"] and file.read_bytes() == before


def test_files_that_are_no_records_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "No such file" in refused([tmp_path / "nowhere.jsonl"], capsys)
    assert "directory" in refused([tmp_path], capsys)
    for content in (
        b"",
        b"\x00" * 1000,
        b"PK\x03\x04",
        b"<html>\n" * 9,
        b'{"a": 1}\n',
        b"[" * 3_000_000,
        b"9" * 3_000_000,
    ):
        (tmp_path / "foreign").write_bytes(content)
        assert f"{tmp_path / 'foreign'}, line 1: " in refused([tmp_path / "foreign"], capsys)


def test_hostile_lines_are_refused_or_shown_small(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, *moves = [json.loads(line) for line in file.read_text().splitlines()]
    million = "x" * 2**20
    for wrong in ({"player": 0, "action": million}, {million: 1}, {"player": million, "action": 0}, [million], million):
        file.write_text("\n".join(map(json.dumps, [head, moves[0], wrong, *moves[1:]])) + "\n")
        assert f"{file}, line 3: " in refused([file], capsys)
    head["agents"] = [million, "a\x1b[31m\nb", "\u202e"]
    file.write_text("\n".join(map(json.dumps, [head, *moves])) + "\n")
    main([str(file), "--html", str(file.with_suffix(".html"))])
    said = capsys.readouterr().out
    assert said.count("\n") == 2 and len(said) < 500 and "\x1b" not in said
    text = file.with_suffix(".html").read_text()
    assert len(text) < 500_000 and "x" * 41 not in text and "\x1b" not in text and "\u202e" not in text


def test_a_page_that_cannot_be_made_is_refused(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.setattr("respublica_env.replay.story.MOST_DECISIONS", 10)
    assert "games of up to 10 decisions are shown" in refused([file, "--html", file.with_suffix(".html")], capsys)
    main([str(file)])
    assert [path.name for path in file.parent.iterdir()] == ["game.jsonl"]


def test_as_a_command_it_needs_no_extra(file: Path) -> None:
    """Neither tyro nor Pillow nor PyTorch, which a plain install does not bring."""
    code = (
        "import sys, runpy; sys.modules.update(dict.fromkeys(('tyro', 'PIL', 'torch', 'rich'))); "
        "runpy.run_module('respublica_env.replay', run_name='__main__')"
    )
    write_record(file, replace(read_record(file), agents=()))
    done = subprocess.run(
        [sys.executable, "-c", code, file, "--html", file.with_suffix(".html")],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent.parent,
    )
    assert done.stderr == "" and done.stdout.startswith("A game of 3 players: finished after")


def test_in_a_clone_its_agents_are_known_by_name(file: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "respublica_env.replay", file, "--html", file.with_suffix(".html"), "--agent", "nobody"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent.parent,
    )
    assert done.returncode == 2 and "no opponent is named 'nobody'" in done.stderr
    assert "the path of a checkpoint" in done.stderr  # which `agents` brings, and the package alone does not
