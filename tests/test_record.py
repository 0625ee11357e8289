"""Records: written and read back, replayed, and each wrong line refused with its number."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from respublica_env import Game, IllegalAction, Rules
from respublica_env.record import Record, Recorder, RecordError, decks_before_deal, read_record, write_record
from tests.recorded import FILES, recorded_games

RULES = Rules.small(num_players=2)
AGENTS = ("random", "trader")


def played(rules: Rules = RULES, seed: int = 3, decisions: int = 10**9) -> Record:
    """A record of random play, whole or left after so many decisions."""
    recorder, rng = Recorder(Game(rules, seed), ["random"] * rules.num_players), np.random.default_rng(seed)
    while not recorder.game.terminated and len(recorder.record()) < decisions:
        recorder.step(rng.choice(recorder.game.legal_actions()))
    return recorder.record()


def write_lines(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


@pytest.mark.parametrize("rules", [RULES, Rules.mini(), Rules(num_players=5, max_turns=10), Rules(auto_forced=False)])
@pytest.mark.parametrize("decisions", [0, 1, 7, 10**9])
def test_written_and_read_back(rules: Rules, decisions: int, tmp_path: Path) -> None:
    record = played(rules, decisions=decisions)
    write_record(tmp_path / "game.jsonl", record)
    again = read_record(str(tmp_path / "game.jsonl"))
    assert again == record
    assert again.status == ("finished" if record.scores else f"aborted after {len(record)} decisions")
    assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]


@pytest.mark.parametrize("name", FILES)
def test_recorded_games_as_records(name: str, tmp_path: Path) -> None:
    for recorded in recorded_games(name):
        decks = {deck: recorded.start[deck] for deck in ("population_deck", "technology_deck")}
        rules = Rules.from_dict(recorded.start["rules"])
        recorder = Recorder(Game(rules, 99, **decks))
        for line in recorded.decisions:
            recorder.step(line["action"])
        record = recorder.record()
        assert [list(record.population_deck), list(record.technology_deck)] == list(decks.values())
        assert record.players == tuple(line["player"] for line in recorded.decisions)
        assert record.actions == tuple(line["action"] for line in recorded.decisions)
        assert list(record.scores or ()) == recorded.end["scores"]
        assert record.stalled is recorded.end["stalled"]
        write_record(tmp_path / name, record)
        assert read_record(tmp_path / name) == record
        middle = len(record) // 2
        assert record.at(middle).hands.tolist() == recorded.decisions[middle]["hands"]
        assert record.at(middle).phase == recorded.decisions[middle]["phase"]
        assert record.at(len(record)).hands.tolist() == recorded.end["hands"]


def test_lines_are_those_of_the_interface(tmp_path: Path) -> None:
    record = played()
    write_record(tmp_path / "game.jsonl", record)
    head, *moves, last = [json.loads(line) for line in (tmp_path / "game.jsonl").read_text().splitlines()]
    assert list(head) == ["format", "rules", "population_deck", "technology_deck", "agents"]
    assert head["format"] == "respublica-record/1"
    assert Rules.from_dict(head["rules"]) == RULES and len(head["rules"]) == len(RULES.to_dict())
    game = Game(RULES, population_deck=head["population_deck"], technology_deck=head["technology_deck"])
    for move in moves:
        assert move == {"player": game.player, "action": move["action"]}
        game.step(move["action"])
    assert last == {"scores": game.scores(), "stalled": game.stalled}


def test_positions() -> None:
    record = played()
    game = record.start()
    for k, action in enumerate(record.actions):
        assert record.at(k).to_dict() == game.to_dict()
        assert game.player == record.players[k]
        game.step(action)
    assert record.at(len(record)).terminated
    for wrong in (-1, len(record) + 1, True):
        with pytest.raises(ValueError, match=f"positions 0 to {len(record)}"):
            record.at(wrong)


def test_cards_that_were_swapped_are_recorded_as_drawn(tmp_path: Path) -> None:
    game = Game(Rules(num_players=3), 5)
    recorder, rng = Recorder(game), np.random.default_rng(0)
    for k in range(120):
        if k % 10 == 0:
            game.set_next("population", game.population_deck[-1])
        recorder.step(rng.choice(game.legal_actions()))
    write_record(tmp_path / "game.jsonl", recorder.record())
    record = read_record(tmp_path / "game.jsonl")
    assert record.at(len(record)).hands.tolist() == game.hands.tolist()
    assert record.at(len(record)).population_deck == game.population_deck


# -- recording


def test_only_a_fresh_game_can_be_recorded() -> None:
    game = Game(RULES, 1)
    Recorder(game.copy())
    with pytest.raises(ValueError, match="fresh"):
        Recorder(Game.from_dict(game.to_dict()))
    game.step(game.legal_actions()[0])
    with pytest.raises(ValueError, match="fresh"):
        Recorder(game)


@pytest.mark.parametrize("agents", [["one"], ["a", "b", "c"], [1, 2]])
def test_one_name_for_each_seat(agents: Any) -> None:
    with pytest.raises(ValueError, match="agents must be 2 names"):
        Recorder(Game(RULES, 1), agents)


def test_an_illegal_action_is_not_recorded() -> None:
    recorder = Recorder(Game(RULES, 1))
    recorder.step(0)
    before = recorder.record()
    with pytest.raises(IllegalAction):
        recorder.step(RULES.num_actions - 1)
    assert recorder.record() == before


def test_decks_before_the_deal() -> None:
    game = Game(RULES, 8)
    again = Game(RULES, 0, **dict(zip(("population_deck", "technology_deck"), decks_before_deal(game), strict=True)))
    assert again.hands.tolist() == game.hands.tolist() and again.technology_deck == game.technology_deck


# -- whole or not at all


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_record(tmp_path / "game.jsonl", played(decisions=2))
    before = (tmp_path / "game.jsonl").read_bytes()

    def fail(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_record(tmp_path / "game.jsonl", played())
    assert (tmp_path / "game.jsonl").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write_record(tmp_path / "nowhere" / "game.jsonl", played())
    with pytest.raises(FileNotFoundError):
        read_record(tmp_path / "nowhere.jsonl")


# -- records that break off


def test_broken_off_at_every_byte(tmp_path: Path) -> None:
    """Replayed to where it breaks off, wherever that is after the first line."""
    record = played()
    whole = "".join(json.dumps(line) + "\n" for line in record.lines())
    head = whole.index("\n")
    path, seen = tmp_path / "game.jsonl", set()
    for size in range(head, len(whole)):
        path.write_text(whole[:size])
        broken = read_record(path)
        lines = whole[:size].count("\n") + (whole[size] == "\n") - 1  # a line is whole without its end, too
        if size == len(whole) - 1:
            assert broken == record
            continue
        assert broken.status == f"unfinished after {lines} decisions"
        assert broken.actions == record.actions[:lines]
        assert broken.scores is None and broken.stalled is None
        seen.add(lines)
    assert seen == set(range(len(record) + 1))
    for size in (0, 1, head // 2, head - 1):
        path.write_text(whole[:size])
        with pytest.raises(RecordError, match=r"game\.jsonl, line 1: .*(empty|breaks off)"):
            read_record(path)


# -- wrong lines

Lines = list[Any]


def change(number: int, **values: Any) -> Callable[[Lines], None]:
    """Change values of a line, counted from 1 (or back from -1); None takes a key away."""

    def do(lines: Lines) -> None:
        place = number - 1 if number > 0 else number
        lines[place] = {key: value for key, value in (lines[place] | values).items() if value is not None}

    return do


def put(number: int, line: Any) -> Callable[[Lines], None]:
    """Put a line in the place of another."""

    def do(lines: Lines) -> None:
        lines[number - 1 if number > 0 else number] = line

    return do


WRONG: list[tuple[Callable[[Lines], None], int, str]] = [
    (change(1, format="respublica-record/2"), 1, "respublica-record/1"),
    (change(1, format=None), 1, "format"),
    (change(1, agents=None), 1, "agents missing"),
    (change(1, extra=1), 1, "unknown 'extra'"),
    (change(1, **{"k" * 10_000: 1}), 1, "unknown 'kkk"),
    (change(1, **{"a\nb": 1}), 1, "unknown 'a\\nb'"),
    (change(1, population_deck=["x" * 10_000]), 1, "population_deck must hold card types 0 to 1"),
    (change(1, technology_deck=[True, 2, 2]), 1, "technology_deck must hold card types 2 to 2"),
    (change(1, agents=["one"]), 1, "agents must be 2 names"),
    (change(1, agents="random"), 1, "agents must be a list"),
    (change(1, rules="mini"), 1, "rules must be a dict"),
    (change(1, rules={"num_players": 9}), 1, "num_players"),
    (change(1, rules={"players": 2}), 1, "no field"),
    (change(1, population_deck=[0, 0, 0, 1]), 1, "population_deck"),
    (change(1, population_deck=[0, 0, 1, 1, 1]), 1, "population_deck"),
    (change(1, technology_deck=["Wheel", 2]), 1, "technology_deck"),
    (change(1, technology_deck=7), 1, "technology_deck must be a list"),
    (put(1, [1, 2]), 1, "must be a JSON object"),
    (put(2, "{player: 0}"), 2, "not JSON"),
    (put(2, ""), 2, "not JSON"),
    (put(2, "17"), 2, "must be a JSON object"),
    (put(2, "[" * 100_000), 2, "not JSON"),
    (put(2, {}), 2, "must be"),
    (put(2, {"move": 3}), 2, "must be"),
    (change(2, player=1), 2, "player 0 is to decide, got 1"),
    (change(2, player="0"), 2, "player 0 is to decide, got '0'"),
    (change(2, player=False), 2, "player 0 is to decide, got False"),
    (change(2, player=None), 2, "player missing"),
    (change(2, action=None), 2, "action missing"),
    (change(2, time=3), 2, "unknown 'time'"),
    (change(2, action=10**4000), 2, "does not exist"),
    (put(2, '{"player": 1, "player": 0, "action": 0}'), 2, "the key 'player' stands twice"),
    (put(2, '{"player": 0, "action": {"a": 1, "a": 1}}'), 2, "the key 'a' stands twice"),
    (change(2, action=-1), 2, "action -1 does not exist"),
    (change(2, action=RULES.num_actions - 1), 2, "is illegal for player 0 in ANNOUNCE"),
    (change(2, action=1.0), 2, "whole number"),
    (change(2, action=True), 2, "whole number"),
    (change(2, action=[0]), 2, "whole number"),
    (put(3, {"aborted": False}), 3, "aborted must be true"),
    (put(3, {"scores": [0, 0], "stalled": False}), 3, "not over: player"),
    (put(3, {"aborted": True}), 4, "has ended on the line before"),
    (change(-1, scores=[0, 99]), -1, "scores must be"),
    (change(-1, scores=[1]), -1, "scores must be"),
    (change(-1, scores=None), -1, "scores missing"),
    (change(-1, stalled=None), -1, "stalled missing"),
    (change(-1, stalled=1), -1, "stalled must be"),
    (put(-1, {"aborted": True}), -1, "not over"),
    (put(-1, {"player": 0, "action": 0}), -1, "the game is over"),
    (lambda lines: lines.append({"aborted": True}), -1, "has ended on the line before"),
    (lambda lines: lines.append(""), -1, "not JSON"),
    (lambda lines: lines.pop(0), 1, "format"),
]


@pytest.mark.parametrize(("spoil", "number", "words"), WRONG)
def test_a_wrong_line_is_named(spoil: Callable[[Lines], None], number: int, words: str, tmp_path: Path) -> None:
    lines: Lines = played().lines()
    spoil(lines)
    path = write_lines(tmp_path / "game.jsonl", lines)
    with pytest.raises(RecordError) as refused:
        read_record(path)
    message = str(refused.value)
    assert message.startswith(f"{path}, line {number if number > 0 else len(lines)}: ")
    assert words in message and "\n" not in message and len(message) < len(str(path)) + 400


@pytest.mark.parametrize("value", [None, 3, "game", [], object], ids=["None", "3", "game", "list", "class"])
def test_what_is_no_game_no_record_and_no_place_in_it_is_refused(value: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a Game is recorded, got"):
        Recorder(value)
    with pytest.raises(ValueError, match="a Record is written, got"):
        write_record(tmp_path / "game.jsonl", value)
    if value not in ([], 3):
        with pytest.raises(ValueError, match="agents must be 2 names"):
            Recorder(Game(RULES, 2), value)
    with pytest.raises(ValueError, match="the record has positions 0 to 2, got"):
        Record(RULES, (), (), players=(0, 0), actions=(0, 0)).at(value)
    assert list(tmp_path.iterdir()) == []


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "game.jsonl", played().lines())
    first, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(first + b"\n\xff\xfe\n" + rest)
    with pytest.raises(RecordError, match="line 2: not JSON"):
        read_record(path)


def test_a_file_that_is_no_record_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_lines(tmp_path / "game.jsonl", played().lines())
    monkeypatch.setattr("respublica_env.record.MOST_BYTES", 100)
    with pytest.raises(RecordError, match=r"game\.jsonl is no record: it has more than 0 MiB"):
        read_record(path)


def test_a_line_with_very_many_keys_is_refused_as_fast_as_it_is_read(tmp_path: Path) -> None:
    """A search that grows with the square of the keys would take hours here."""
    line = "{" + ", ".join(f'"{key}": 0' for key in range(300_000)) + ', "299999": 0}'
    path = write_lines(tmp_path / "game.jsonl", [*played().lines()[:1], line])
    with pytest.raises(RecordError, match=r"line 2: not JSON .the key '299999' stands twice"):
        read_record(path)


def test_decisions_that_others_play_can_be_noted() -> None:
    game = Game(RULES, 4)
    recorder = Recorder(game)
    while not game.terminated:
        player, action = game.player, int(game.legal_actions()[-1])
        assert player is not None
        game.step(action)
        recorder.note(player, action)
    assert len(recorder) == len(recorder.record()) and recorder.record().at(len(recorder)).scores() == game.scores()


@pytest.mark.parametrize(
    "end", ["hello", "17", '{"player": 0, "action": }', '{"player" 0', "[1, 2", '{"aborted": true}]']
)
def test_a_wrong_line_without_an_end_is_not_taken_for_one_that_breaks_off(end: str, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "game.jsonl", played().lines()[:2])
    path.write_text(path.read_text() + end)
    with pytest.raises(RecordError, match="line 3: "):
        read_record(path)


def test_any_line_ends_and_names_are_read(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    recorder = Recorder(Game(RULES, 2), ["Émilie", "“quoted” \n"])
    recorder.step(0)
    write_record(path, recorder.record())
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_record(path) == recorder.record()


def test_a_wrong_scored_record_is_that_of_another_game(tmp_path: Path) -> None:
    """The result line is checked against the play, and not taken at its word."""
    records = [played(seed=seed) for seed in range(20)]
    first = records[0]
    other = next(record for record in records if record.scores != first.scores)
    path = write_lines(tmp_path / "game.jsonl", [*first.lines()[:-1], other.lines()[-1]])
    with pytest.raises(RecordError, match="scores must be"):
        read_record(path)
