"""The arena: every deal in every distinct seating, and numbers that can be trusted."""

import json
from pathlib import Path

import numpy as np
import pytest

import agents
from respublica_env import Batch, Game, Rules
from respublica_env.envs.rewards import win_shares
from tests.players import Drawing, FirstLegal
from train import arena
from train.evaluate import evaluate, main


def test_results_do_not_depend_on_how_many_games_are_played_at_once() -> None:
    players = ["random", Drawing(), FirstLegal()]
    rules = Rules(num_players=3, max_turns=5)
    assert evaluate(players, rules, deals=4, seed=9) == evaluate(players, rules, deals=4, seed=9, most_games=7)


def test_every_deal_is_played_in_every_distinct_seating(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {}
    play = arena.play

    def watch(rules: Rules, players: list, seats: np.ndarray, seeds: list, keep: None) -> arena.Games:
        seen["games"] = [(seed, *seating) for seed, seating in zip(seeds, seats.tolist(), strict=True)]
        return play(rules, players, seats, seeds, keep)

    monkeypatch.setattr(arena, "play", watch)
    result = evaluate(["greedy", "random", "random", "random"], deals=2, seed=5)
    assert sorted(seen["games"]) == [(s, *(int(i != first) for i in range(4))) for s in (5, 6) for first in range(4)]
    assert (result["games"], result["seatings"], result["par"]) == (8, 4, 0.25)
    assert evaluate(["greedy", "random"], Rules.mini(), deals=3)["games"] == 6


def test_win_share_and_points_against_a_count_by_hand() -> None:
    rules = Rules(num_players=3)
    result = evaluate(["greedy", "random", "random"], rules, deals=6, seed=3)
    shares, points = [], []
    for seat in range(3):
        batch = Batch(rules, 6, seed=3, controllers=[int(i == seat) for i in range(3)])  # 1 greedy, 0 random
        shares.append(win_shares(batch.scores)[:, seat].mean())
        points.append(batch.scores[:, seat].mean())
    greedy, random = result["agents"]
    assert greedy["win_share"] == pytest.approx(np.mean(shares))
    assert greedy["mean_points"] == pytest.approx(np.mean(points))
    assert greedy["win_share"] + 2 * random["win_share"] == pytest.approx(1)
    assert (greedy["seats"], random["seats"]) == (1, 2)
    for agent in result["agents"]:
        assert 0 <= agent["low"] <= agent["win_share"] <= agent["high"] <= 1
    assert greedy["rating"] > random["rating"]


def test_one_agent_in_every_seat_has_par_exactly() -> None:
    (agent,) = evaluate(["random"] * 4, deals=5)["agents"]
    assert (agent["seats"], agent["win_share"], agent["low"], agent["high"]) == (4, 0.25, 0.25, 0.25)


def test_the_interval_of_an_equal_player_holds_par() -> None:
    """A second random player, in Python: same play, other name. Of 20 such intervals one misses, by definition."""
    two = agents.RandomAgent()
    two.name, two.bot = "other", None
    result = evaluate([two, "random"], Rules.small(), deals=60, seed=2)
    other, random = result["agents"]
    assert other["low"] < 0.5 < other["high"]
    assert 0.02 < other["high"] - other["low"] < 0.3
    assert other["low"] == pytest.approx(1 - random["high"], abs=0.03)


def test_one_deal_says_nothing_about_the_interval() -> None:
    for agent in evaluate(["greedy", "random"], Rules.mini(), deals=1)["agents"]:
        assert (agent["low"], agent["high"]) == (0, 1)


def test_agents_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="as many as players, 4, got 3"):
        evaluate(["random"] * 3, Rules())
    with pytest.raises(ValueError, match="two different agents are named 'first'"):
        evaluate([FirstLegal(), FirstLegal()], Rules.mini())
    assert len(evaluate([agent := FirstLegal(), agent], Rules.mini(), deals=2)["agents"]) == 1


def test_scripted_agents_play_legal_actions_one_at_a_time() -> None:
    rng = np.random.default_rng(4)
    for name in [name for name in agents.names() if name != "ppo"]:  # which was trained, for four players
        game, agent = Game(Rules(num_players=3), seed=6), agents.load(name)
        agent.check(game.rules)
        for _ in range(80):
            before = game.to_dict()
            action = agent.choose(game, game.player, rng)
            assert game.to_dict() == before
            game.step(action)
            if game.terminated:
                game.reset()


def test_random_agent_reaches_every_legal_action() -> None:
    mask = np.zeros((2000, 9), np.int8)
    mask[:, [2, 5, 8]] = 1
    actions = agents.RandomAgent().act(np.zeros((2000, 1), np.float32), mask, np.random.default_rng(0))
    counts = np.bincount(actions, minlength=9)
    assert counts[[2, 5, 8]].min() > 550  # 667 each, standard deviation 21
    assert counts.sum() == counts[[2, 5, 8]].sum()


def test_load_names_what_there_is(tmp_path: Path) -> None:
    for wrong in ("nobody", "", str(tmp_path / "none.zip")):
        with pytest.raises(ValueError, match=r"there are: random, greedy, .*, and the path of a checkpoint"):
            agents.load(wrong)
    for strange in ("x\n" * 300, "x" * 5_000, "a\0b", np.zeros(300), None):
        with pytest.raises(ValueError, match="no agent is named ") as error:
            agents.load(strange)  # type: ignore[arg-type]
        assert len(str(error.value)) < 300 and "\n" not in str(error.value)
    text = tmp_path / "text.zip"
    text.write_text("not a zip")
    for wrong in (text, tmp_path):
        with pytest.raises(ValueError, match="is no checkpoint"):
            agents.load(wrong)


def test_command_writes_the_json_and_says_the_same_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    rules, target = tmp_path / "rules.json", tmp_path / "result.json"
    rules.write_text(json.dumps({"num_players": 3, "max_turns": 4}))
    arguments = ["--agents", "greedy", "random", "random", "--rules", str(rules), "--deals", "3", "--seed", "5"]
    main([*arguments, "--json", str(target)])
    shown, said = capsys.readouterr()
    assert said == ""  # no progress bar where there is no terminal
    result = json.loads(target.read_text())
    assert (result["deals"], result["games"], result["seed"], result["stalled"]) == (3, 9, 5, 9)
    assert Rules.from_dict(result["rules"]) == Rules(num_players=3, max_turns=4)
    assert [agent["name"] for agent in result["agents"]] == ["greedy", "random"]
    promised = {"name", "seats", "win_share", "low", "high", "mean_points", "rating"}
    assert promised <= set(result["agents"][0])
    for agent in result["agents"]:
        assert f"{agent['win_share']:.3f}" in shown and f"{agent['mean_points']:.1f}" in shown
    main([*arguments, "--json", str(target)])
    assert json.loads(target.read_text()) == result
    assert sorted(path.name for path in tmp_path.iterdir()) == ["result.json", "rules.json"]


def test_a_file_of_rules_nested_without_end_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with pytest.raises(SystemExit):
        main(["--agents", "greedy", "random", "--rules", str(tmp_path / "deep.json")])
    said = capsys.readouterr().err
    assert "must be a preset (standard, mini, small) or a JSON file" in said and said.count("\n") == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (["--agents", "greedy"], "must be as many as players, 2, got 1"),
        (["--agents", "greedy", "nobody"], "no agent is named 'nobody'; there are: random, greedy"),
        (["--rules", "nothing"], "must be a preset (standard, mini, small) or a JSON file"),
        (["--rules", "{folder}"], "must be a preset"),
        (["--rules", "standard", "--agents", "greedy"], "--agents must name one for each of 2 to 6 players, got 1"),
        (["--json", "{folder}/a\0b"], "--json must name a file"),
        (["--deals", "0"], "deals must be a whole number of at least 1, got 0"),
        (["--deals", "many"], "--deals"),
        (["--seed", "-1"], "seed must be from 0"),
        (["--json", "{folder}"], "--json must name a file"),
        (["--json", "{folder}/none/result.json"], "--json must name a file"),
        (["--nonsense"], "--nonsense"),
        (["--deals", "90000000000"], "at most 100,000,000 can be counted"),
        (["--processes", "0"], "processes must be from 1 to 256, got 0"),
        (["--plot", "{folder}/plot.gif"], "--plot must name a file that ends in .png, .svg, .pdf"),
        (["--plot", "{folder}/none/plot.png"], "--plot must name a file that can be written"),
        (["--plot", "{folder}/result.json"], "--json, --plot and --record must name different files"),
        (["--record", "{folder}/result.json"], "--json, --plot and --record must name different files"),
        (["--record", "{folder}/none/games"], "--record must name a folder, new or empty, inside one that exists"),
        (["--record", "tests"], "--record must name a folder that is new or empty, got tests"),
        (["--cross-play", "--agents", "greedy"], "for at least two agents, each named once, got greedy"),
        (["--cross-play", "--agents", "greedy", "greedy"], "each named once, got greedy, greedy"),
        (["--players", "3"], "--players must be 2 with these agents and rules, got 3"),
        (["--cross-play", "--rules", "standard", "--players", "7"], "--players must be 2 to 6 players, got 7"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    changes: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--agents", "greedy", "random", "--rules", "mini", "--deals", "3"]
    if "--json" not in changes:
        arguments += ["--json", str(tmp_path / "result.json")]
    with pytest.raises(SystemExit) as stop:
        main([*arguments, *(change.format(folder=tmp_path) for change in changes)])
    said = capsys.readouterr()
    assert stop.value.code == 2
    assert reason in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert list(tmp_path.iterdir()) == []
