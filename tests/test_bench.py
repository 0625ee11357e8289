import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from respublica_env import Batch, Game
from respublica_env.bench import __main__ as command
from respublica_env.bench import batch_rows, env_rows, process_rows, report, train_rows
from respublica_env.bench.kernels import Sampler, sample_bits, sample_bytes
from respublica_env.bench.measure import MissingError, Row, Settings, library, take_turns
from respublica_env.engine.bots import BOT_NAMES
from respublica_env.engine.crew import Crew

TINY = Settings(games=8, repetitions=1, seconds=0.001, quick=True)
PEERS = {"pyspiel": "open_spiel", "pettingzoo.classic.texas_holdem_v4": "pettingzoo[classic]"}
BITS, BYTES = (64, 65, 200, 240, 255), (1, 13, 63, 256)  # numbers of actions that either kernel takes


@pytest.fixture
def no_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PEERS:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = {"arrays": 20_000_000, "resident": None, "live": 10_000}
    monkeypatch.setattr(process_rows, "run", lambda _code, *rest, **_cache: memory if rest else 0.25)


# -- the sampler


@pytest.mark.parametrize("size", BITS + BYTES)
def test_sampler_finds_the_only_legal_action(size: int) -> None:
    sampler = Sampler(np.eye(size, dtype=np.int8), seed=0)
    assert sampler._sample is (sample_bits if size in BITS else sample_bytes)
    assert sampler.choose().tolist() == list(range(size))
    assert sampler.decisions == size


@pytest.mark.parametrize("size", BITS + BYTES)
@pytest.mark.parametrize("density", [0.2, 1.0])
def test_sampler_picks_every_legal_action_equally_often(size: int, density: float) -> None:
    mask = np.random.default_rng(size).random(size) < density
    mask[-1] = True
    draws, rows = 80 * int(mask.sum()), 500
    sampler = Sampler(np.tile(mask.astype(np.int8), (rows, 1)), seed=1)
    counts = np.zeros(size, np.int64)
    for _ in range(draws // rows + 1):
        counts += np.bincount(sampler.choose(), minlength=size)
    assert counts[~mask].sum() == 0
    expected, freedom = counts.sum() / mask.sum(), mask.sum() - 1
    chi_square = ((counts[mask] - expected) ** 2 / expected).sum()
    assert chi_square <= freedom + 5 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("size", BITS + BYTES)
def test_sampler_leaves_rows_without_a_legal_action_at_0_and_does_not_count_them(size: int) -> None:
    masks = np.zeros((6, size), np.int8)
    masks[::2, size - 1] = 1
    sampler = Sampler(masks, seed=0)
    sampler.actions[:] = -1
    assert sampler.choose().tolist() == [size - 1, 0] * 3
    assert sampler.decisions == 3


@pytest.mark.parametrize("size", [240, 256])
def test_sampler_chooses_the_same_in_threads(size: int) -> None:
    masks = np.ones((50, size), np.int8)
    whole, shared = Sampler(masks, seed=3), Sampler(masks, seed=3, crew=Crew(2))
    for _ in range(3):
        assert whole.choose().tolist() == shared.choose().tolist()
    assert whole.decisions == shared.decisions == 150


def test_the_kernels_agree() -> None:
    masks = (np.random.default_rng(5).random((300, 240)) < 0.2).astype(np.int8)
    many, single = Sampler(masks, seed=9), Sampler(masks, seed=9)
    single._sample = sample_bytes
    assert many._sample is sample_bits
    assert many.choose().tolist() == single.choose().tolist()


def test_sampler_reads_the_masks_of_a_batch_anew() -> None:
    batch = Batch(num_games=5, seed=2)
    sampler = Sampler(batch.action_masks, seed=0)
    for _ in range(50):
        actions = sampler.choose()
        assert batch.action_masks[np.arange(5), actions].all()
        batch.step(actions)


# -- what is counted


def test_decisions_of_a_batch_are_those_of_its_live_games() -> None:
    play = batch_rows.RandomPlay(games=6, threads=1)
    for _ in range(900):
        live = int((~play.batch.terminated).sum())
        before = play._sampler.decisions
        play.step()
        assert play._sampler.decisions - before == live
    assert play.batch.terminated.any()


def test_games_of_every_age_run_side_by_side() -> None:
    play = batch_rows.RandomPlay(games=40, threads=1)
    turns = [play.batch.game(i).turn for i in range(40)]
    assert np.quantile(turns, 0.25) < 0.6 * np.quantile(turns, 0.75)


@pytest.mark.parametrize("bot", BOT_NAMES)
def test_games_that_bots_play_are_the_games_whose_decisions_are_counted(bot: str) -> None:
    games = batch_rows.BotGames(bot, 5)
    decisions = 0
    for seed in range(5):
        game = Game(seed=seed)
        while not game.terminated:
            game.play_bot(bot)
            decisions += 1
        assert game.scores() == games._batch.scores[seed].tolist()
    assert games._decisions == decisions > 500


def test_moves_of_chance_are_not_decisions_of_the_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(np.arange(0.0, 1000.0, 0.5))
    history = [SimpleNamespace(player=player) for player in (-1, 0, -1, 1, 1)]
    game = SimpleNamespace(
        num_players=lambda: 2, new_initial_state=lambda: SimpleNamespace(full_history=lambda: history)
    )
    peer = SimpleNamespace(
        load_game=lambda _: game, make_uniform_random_bot=lambda *_: None, evaluate_bots=lambda *_: None
    )
    monkeypatch.setitem(sys.modules, "pyspiel", peer)
    monkeypatch.setattr(batch_rows.time, "perf_counter", lambda: next(clock))
    assert batch_rows.open_spiel_rate("hearts", 0.5)() == 100 * 3 / 0.5


class CountingEnv:
    """An AEC environment of games with three decisions, after which both agents take their leave."""

    def __init__(self) -> None:
        self.seeds: list[int | None] = []
        self.actions: list[int | None] = []

    def reset(self, seed: int | None = None) -> None:
        self.seeds.append(seed)
        self.step_number = 0

    def agent_iter(self) -> list[str]:
        return ["a", "b", "a", "b", "a"]

    def last(self) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, object]]:
        return {"action_mask": np.array([0, 1], np.int8)}, 0.0, self.step_number >= 3, False, {}

    def step(self, action: int | None) -> None:
        self.actions.append(action)
        self.step_number += 1


@pytest.mark.parametrize("seeded", [True, False])
def test_last_steps_of_ended_agents_are_not_decisions(seeded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr(env_rows.time, "perf_counter", lambda: next(clock))
    env = CountingEnv()
    assert env_rows.aec_rate(env, 3, seeded) == 2 * 3 / 3  # two games within three seconds
    assert env.actions == [1, 1, 1, None, None] * 2
    assert env.seeds == ([1, 2] if seeded else [None, None])


# -- rows


def test_measures_take_turns() -> None:
    calls: list[str] = []
    measures = {name: lambda name=name: calls.append(name) or float(len(calls)) for name in "ab"}
    assert take_turns(measures, 3) == {"a": [1, 3, 5], "b": [2, 4, 6]}
    assert calls == ["a", "b"] * 3


def test_a_row_is_judged_by_the_median_of_the_ratios() -> None:
    row = Row("r", "s", "u", "p", budget=2.0).fill([2.0, 20.0, 3.0], [1.0, 20.0, 1.0])
    assert (row.value, row.peer_value, row.ratio, row.status) == (3.0, 1.0, 2.0, "pass")
    assert Row("r", "s", "u", "p", budget=2.5).fill([2.0], [1.0]).status == "fail"
    assert Row("r", "s", "u", "p").fill([2.0], [1.0]).status == "no budget"


@pytest.mark.parametrize(("value", "at_most", "status"), [(3, False, "pass"), (2, True, "pass"), (3, True, "fail")])
def test_a_row_without_a_peer_is_judged_by_its_figure(value: float, at_most: bool, status: str) -> None:
    assert Row("r", "s", "u", budget=2.5, at_most=at_most).fill([value]).status == status


def test_a_row_whose_peer_is_missing_is_not_judged() -> None:
    row = Row("r", "s", "u", "p", budget=2.0).fill([5.0])
    assert (row.value, row.ratio, row.status) == (5.0, None, "not measured")


def test_a_missing_library_is_named_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingError, match=r"^pip install open_spiel$"):
        library("pyspiel", "open_spiel")


@pytest.mark.usefixtures("no_peers", "no_processes")
def test_a_quick_run_gives_every_row_and_names_missing_peers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.json"
    command.main(["--quick", "--games", "8", "--repetitions", "1", "--seconds", "0.001", "--json", str(file)])
    found = json.loads(file.read_text())
    rows = {row["name"]: row for row in found["rows"]}
    assert list(rows) == [row.name for row in command.all_rows()]
    assert found["settings"] == {"games": 8, "repetitions": 1, "seconds": 0.001, "quick": True, "full": False}
    assert found["machine"]["versions"]["numpy"] == np.__version__
    for name in ("batch-ceiling", "bots-random", "bots-greedy", "aec-env", "memory", "import", "first-step-warm"):
        assert rows[name]["value"] > 0 and rows[name]["status"] in ("pass", "fail", "no budget"), name
    for name in ("batch-hearts", "batch-bridge", "aec-raw", "aec-raw-unseeded"):
        assert rows[name]["status"] == "peer missing" and rows[name]["value"] > 0, name
        assert rows[name]["note"].startswith("pip install "), name
    assert rows["batch-ceiling"]["ratio"] == rows["batch-ceiling"]["value"] / rows["batch-ceiling"]["peer_value"]
    assert rows["ppo-random"]["status"] == rows["first-step-cold"]["status"] == "not measured"
    printed = capsys.readouterr().out
    assert all(row.name in printed for row in command.all_rows())
    assert [path.name for path in tmp_path.iterdir()] == ["figures.json"]


def test_only_the_rows_that_are_asked_for_are_measured() -> None:
    assert [row.name for row in command.run(TINY, ["aec-env", "batch-ceiling"])] == ["batch-ceiling", "aec-env"]


def test_a_missing_library_of_the_subject_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sb3_contrib.common.maskable.utils", None)
    monkeypatch.setattr(train_rows.importlib.util, "find_spec", lambda _: "built")
    (row,) = command.run(TINY, ["vec-env"])
    assert (row.status, row.note) == ("library missing", "pip install 'respublica-env[train]'")


def test_what_is_not_built_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env_rows, "GYMNASIUM_ID", "respublica/Nothing-v0")
    monkeypatch.setattr("respublica_env.engine.bots.BOT_NAMES", ("random", "greedy"))
    for name in ("gymnasium", "bots-trader", "ppo-trader"):
        (row,) = command.run(TINY, [name])
        assert (row.status, row.value) == ("not built yet", None), name


def test_two_threads_need_two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_rows, "_free_cores", lambda: 1)
    (row,) = command.run(TINY, ["batch-threads"])
    assert (row.status, row.note) == ("not measured", "this process has one core")


def test_a_fresh_process_measures_the_memory_of_live_games() -> None:
    found = process_rows.run(process_rows._MEMORY, "50")
    batch = Batch(num_games=50)
    assert found["live"] == 50
    assert found["arrays"] >= batch.observations.nbytes + batch.action_masks.nbytes


def test_names_of_rows_are_unique() -> None:
    names = [row.name for row in command.all_rows()]
    assert len(set(names)) == len(names)


# -- the command line


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--json"], "--json"),
        (["--json", "nowhere/figures.json"], "No such file or directory"),
        (["--json", "."], "it is a folder"),
        (["--games", "many"], "'many'"),
        (["--games", "0"], "--games must be at least 1, got 0"),
        (["--repetitions", "0"], "--repetitions must be at least 1, got 0"),
        (["--seconds", "nan"], "--seconds must be above 0"),
        (["--quick", "--full"], "--quick and --full"),
        (["--games", str(10**12), "--only", "batch-ceiling"], "Unable to allocate"),
        (["--only", "speed"], "'speed'; there are: batch-ceiling"),
        (["--fast"], "--fast"),
        (["stray"], "stray"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    arguments: list[str],
    names: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        command.main(arguments)
    said = capsys.readouterr()
    assert stop.value.code == 2 and said.out == ""
    assert said.err.count("\n") == 1 and names in said.err
    assert list(tmp_path.iterdir()) == []


def test_without_tyro_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tyro", None)
    with pytest.raises(SystemExit) as stop:
        command.main([])
    assert stop.value.code == 2
    assert "pip install 'respublica-env[bench]'" in capsys.readouterr().err


def test_help_says_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        command.main(["--help"])
    assert not stop.value.code
    printed = capsys.readouterr().out
    assert all(option in printed for option in ("--json", "--quick", "--full", "--only", "--games"))


def test_the_json_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "figures.json"
    file.write_text("old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            report.write_json(file, {"rows": []})
    assert file.read_text() == "old" and len(list(tmp_path.iterdir())) == 1
    report.write_json(file, {"rows": []})
    assert json.loads(file.read_text()) == {"rows": []}


def test_the_table_needs_no_rich(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    rows = [Row("one", "a subject", "s", budget=2.0, at_most=True).fill([1.0])]
    report.print_table(rows, report.machine_facts())
    printed = capsys.readouterr().out
    assert "one" in printed and "a subject" in printed and "at most 2" in printed and "1 pass" in printed
