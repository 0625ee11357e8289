"""The same bytes for any number of processes, and for a run that was killed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from respublica_env import Rules
from respublica_env.record import read_record
from tests.players import Drawing, FirstLegal, Looking
from train.evaluate import evaluate, main
from train.journal import Journal
from train.lineups import Chunk

ROOT = Path(__file__).parent.parent.parent

# 2,000 games in 4 chunks; and the start of a run that is killed when `argv[1]` chunks are kept.
ARGUMENTS = ["--agents", "greedy", "random", "--rules", "small", "--deals", "1000", "--seed", "5"]
KILLED = """
import os, signal, sys
from train import evaluate, journal

if __name__ == "__main__":
    add, kept = journal.Journal.add, []

    def add_and_die(self, chunk, games):
        add(self, chunk, games)
        kept.append(chunk)
        if len(kept) == int(sys.argv[1]):
            os.kill(os.getpid(), signal.SIGKILL)

    journal.Journal.add = add_and_die
    evaluate.main(sys.argv[2:])
"""


def killed(chunks: int, arguments: list[str]) -> None:
    """Begin a run, and kill it; returns when its other processes, which hold the pipes too, have ended."""
    start = [sys.executable, "-c", KILLED, str(chunks), *arguments]
    ended = subprocess.run(start, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == -9, ended.stderr


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The result of a run that nothing disturbs."""
    target = tmp_path_factory.mktemp("whole") / "result.json"
    main([*ARGUMENTS, "--json", str(target)])
    return target.read_bytes()


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_killed_run_goes_on_and_gives_the_same_bytes(processes: str, whole: bytes, tmp_path: Path) -> None:
    target, part = tmp_path / "result.json", tmp_path / "result.json.part"
    arguments = [*ARGUMENTS, "--processes", processes, "--json", str(target)]
    killed(1, arguments)
    assert not target.exists()
    assert len(part.read_bytes().splitlines()) == 2  # what the run is, and a chunk
    killed(2, arguments)
    assert len(part.read_bytes().splitlines()) == 4
    with part.open("ab") as file:
        file.write(part.read_bytes().splitlines(keepends=True)[-1][:-30])  # the kill fell into a line
    main(arguments)
    assert target.read_bytes() == whole
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_finished_chunks_are_not_played_again(whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "result.json"
    killed(3, [*ARGUMENTS, "--json", str(target)])
    played = []
    monkeypatch.setattr(Journal, "add", lambda *added: played.append(added[1]))
    main([*ARGUMENTS, "--json", str(target)])
    assert played == [Chunk(0, 1536, 2000)]
    assert target.read_bytes() == whole


def test_a_damaged_chunk_is_played_again(whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, part = tmp_path / "result.json", tmp_path / "result.json.part"
    killed(3, [*ARGUMENTS, "--json", str(target)])
    lines = part.read_bytes().splitlines(keepends=True)
    place = lines[2].index(b'"scores":[[') + 11
    part.write_bytes(b"".join([*lines[:2], lines[2][:place] + b"9" + lines[2][place:], *lines[3:]]))
    played, add = [], Journal.add
    monkeypatch.setattr(Journal, "add", lambda *added: (played.append(added[1]), add(*added)))
    main([*ARGUMENTS, "--json", str(target)])
    assert [chunk.first for chunk in played] == [512, 1024, 1536]
    assert target.read_bytes() == whole


def test_a_side_file_of_another_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, part = tmp_path / "result.json", tmp_path / "result.json.part"
    killed(1, [*ARGUMENTS, "--json", str(target)])
    kept = part.read_bytes()
    for change, reason in (
        (["--seed", "6"], "(seed: 5, now 6)"),
        (["--deals", "9"], "(lineups: [[[0, 1], 1000]], now"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main([*ARGUMENTS, *change, "--json", str(target)])
        said = capsys.readouterr().err
        assert reason in said and "finish that run, or delete the file" in said and said.count("\n") == 1
        assert part.read_bytes() == kept
    part.write_bytes(b"my notes\n")
    with pytest.raises(SystemExit, match="2"):
        main([*ARGUMENTS, "--json", str(target)])
    assert "is no side file of this command" in capsys.readouterr().err
    assert part.read_bytes() == b"my notes\n"


def test_two_processes_say_what_one_says(whole: bytes, tmp_path: Path) -> None:
    target = tmp_path / "result.json"
    main([*ARGUMENTS, "--processes", "2", "--json", str(target)])
    assert target.read_bytes() == whole


def test_agents_in_python_play_the_same_in_other_processes() -> None:
    players, rules = [FirstLegal(), Drawing(), Looking()], Rules(num_players=3, max_turns=4)
    here = evaluate(players, rules, deals=2, seed=3)
    assert evaluate(players, rules, deals=2, seed=3, processes=2, most_games=5) == here


def test_records_of_all_games(tmp_path: Path) -> None:
    arguments = ["--agents", "greedy", "random", "random", "--deals", "2", "--seed", "4"]
    for processes, folder in (("1", "one"), ("2", "two")):
        main([*arguments, "--processes", processes, "--record", str(tmp_path / folder), "--json", str(tmp_path / "a")])
    result = json.loads((tmp_path / "a").read_text())
    names = [f"deal-{deal}-seating-{seating}.jsonl" for deal in (4, 5) for seating in range(3)]
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == names
    points = []
    for name in names:
        record = read_record(tmp_path / "one" / name)
        assert record.status == "finished"
        points += [score for score, who in zip(record.scores, record.agents, strict=True) if who == "greedy"]
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert result["agents"][0]["mean_points"] == pytest.approx(sum(points) / 6)


def test_records_of_a_killed_run_go_on(tmp_path: Path) -> None:
    folder, target = tmp_path / "games", tmp_path / "result.json"
    arguments = ["--agents", "greedy", "random", "--rules", "mini", "--deals", "260", "--record", str(folder)]
    killed(1, [*arguments, "--json", str(target)])
    assert len(list(folder.iterdir())) == 512
    (folder / "deal-0-seating-0.jsonl").unlink()  # one that is kept is not written again
    main([*arguments, "--json", str(target)])
    assert len(list(folder.iterdir())) == 519
    with pytest.raises(SystemExit, match="2"):
        main([*arguments, "--json", str(target)])
