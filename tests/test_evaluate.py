"""The arena: every deal in every distinct seating, and numbers that can be trusted."""

import json
from pathlib import Path

import numpy as np
import pytest

import agents
from agents.base import Agent
from respublica_env import Batch, Game, Rules
from respublica_env.envs.rewards import win_shares
from train.evaluate import evaluate, main, play, seatings


class FirstLegal(Agent):
    """An agent in Python that does not draw."""

    name = "first"
    draws = False

    def act(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return action_masks.argmax(axis=1)


class Drawing(Agent):
    """An agent in Python that draws."""

    name = "drawing"

    def act(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.array([rng.choice(np.flatnonzero(mask)) for mask in action_masks])


def test_seatings_are_all_distinct_orders() -> None:
    assert seatings(["a", "b", "b", "b"]) == [
        ("a", "b", "b", "b"),
        ("b", "a", "b", "b"),
        ("b", "b", "a", "b"),
        ("b", "b", "b", "a"),
    ]
    assert len(seatings(["a", "b", "c", "d"])) == 24


def test_games_are_those_of_a_plain_loop() -> None:
    """Scores of the arena equal those of games that are played here, one by one, with the same players."""
    rules = Rules.small(max_turns=6)
    games = [(40 + deal, order) for deal in range(5) for order in seatings(["first", "greedy"])]
    players = {"first": FirstLegal(), "greedy": agents.load("greedy")}
    scores, stalled = play(rules, players, games)
    for (seed, order), score, stall in zip(games, scores, stalled, strict=True):
        game = Game(rules, seed=seed)
        while not game.terminated:
            if order[game.player] == "first":
                game.step(int(game.action_mask().argmax()))
            else:
                game.play_bot("greedy")
        assert game.scores() == score.tolist()
        assert game.stalled == stall


def test_a_drawing_agent_plays_the_same_however_many_games_there_are() -> None:
    rules = Rules.mini()
    games = [(deal, order) for deal in range(8) for order in seatings(["drawing", "random"])]
    players = {"drawing": Drawing(), "random": agents.load("random")}
    together, _ = play(rules, players, games)
    alone = np.concatenate([play(rules, players, [game])[0] for game in games])
    assert together.tolist() == alone.tolist()


def test_shares_of_all_seats_sum_to_one_and_points_are_means() -> None:
    result = evaluate(["greedy", "random", "random"], Rules(num_players=3), deals=6, seed=3)
    assert result.games == 18
    assert sum(agent.win_share * agent.seats for agent in result.agents) == pytest.approx(1)
    for agent in result.agents:
        assert agent.low <= agent.win_share <= agent.high
    greedy, random = result.agents
    assert (greedy.win_share > random.win_share) == (greedy.rating > random.rating)


def test_one_agent_in_every_seat_has_par() -> None:
    (agent,) = evaluate(["random"] * 4, Rules(), deals=5).agents
    assert (agent.seats, agent.win_share, agent.low, agent.high) == (4, 0.25, 0.25, 0.25)


def test_win_share_against_a_count_by_hand() -> None:
    batch = Batch(Rules(), num_games=6, seed=9, controllers=[0, 0, 0, 1])
    shares = win_shares(batch.scores)[:, 3].mean()
    players = {name: agents.load(name) for name in ("random", "greedy")}
    scores, _ = play(Rules(), players, [(9 + deal, ("random", "random", "random", "greedy")) for deal in range(6)])
    assert win_shares(scores)[:, 3].mean() == shares


def test_command_writes_the_json(tmp_path: Path) -> None:
    target = tmp_path / "result.json"
    arguments = ["--agents", "greedy", "random", "--rules", "mini", "--deals", "3", "--json", str(target)]
    assert main(arguments) == 0
    result = json.loads(target.read_text())
    assert (result["deals"], result["games"]) == (3, 6)
    assert [agent["name"] for agent in result["agents"]] == ["greedy", "random"]
    assert set(result["agents"][0]) == {"name", "seats", "win_share", "low", "high", "mean_points", "rating"}
    assert main(arguments) == 0
    assert json.loads(target.read_text()) == result


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (["--agents", "greedy"], "2 players, got 1 agents"),
        (["--agents", "greedy", "nobody"], "no agent is named 'nobody'"),
        (["--deals", "1"], "deals must be at least 2"),
        (["--seed", "-1"], "seed must be from 0"),
        (["--rules", "nothing"], "nothing"),
    ],
)
def test_bad_input_is_one_line_and_nothing_written(
    changes: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "result.json"
    arguments = ["--agents", "greedy", "random", "--rules", "mini", "--deals", "3", "--json", str(target), *changes]
    assert main(arguments) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert reason in error
    assert not target.exists()
