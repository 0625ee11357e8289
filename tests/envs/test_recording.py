"""Games of environments are recorded as they were played, whoever plays and whatever wrappers stand around."""

import copy
import pickle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils import wrappers

import respublica_env  # noqa: F401 - registers the environment
from respublica_env import IllegalAction, Rules, respublica_v0
from respublica_env.envs.recording import record_games
from respublica_env.record import Record, read_record
from tests.aec_play import SMALL, illegal_action, play

ID = "respublica/ResPublica-v0"
RULES = Rules(num_players=3, **SMALL)


def records(folder: Path) -> list[Record]:
    return [read_record(path) for path in sorted(folder.iterdir())]


def first_legal(observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    del observations, rng
    return masks.argmax(axis=1)


class Chooser:
    """Draws, so that its random stream matters."""

    name = "chooser"

    def choose(self, game: Any, seat: int, rng: np.random.Generator) -> int:
        del seat
        return int(rng.choice(game.legal_actions()))


class Lineups:
    def lineup(self, rng: np.random.Generator) -> Any:
        return [("random", "greedy", first_legal, Chooser())[k] for k in rng.integers(4, size=2)]


@pytest.mark.parametrize("make", [respublica_v0.env, respublica_v0.raw_env])
@pytest.mark.parametrize("wrapped", [False, True])
def test_aec_games(make: Any, wrapped: bool, tmp_path: Path) -> None:
    env = make(rules=RULES)
    if wrapped:
        env = wrappers.BaseWrapper(env)
    assert record_games(env, tmp_path / "new" / "games", ["a", "b", "c"]) is env
    ends = []
    for seed in (3, None):
        env.reset(seed=seed)
        play(env, np.random.default_rng(0))
        ends.append(env.unwrapped.game.copy())
    env.reset(seed=9)
    play(env, np.random.default_rng(0), 10)
    env.close()
    written = records(tmp_path / "new" / "games")
    assert [record.status for record in written] == ["finished", "finished", "aborted after 10 decisions"]
    for record, end in zip(written, ends, strict=False):
        assert record.at(len(record)).hands.tolist() == end.hands.tolist()
        assert record.scores == tuple(end.scores()) and record.agents == ("a", "b", "c")


def test_an_aec_game_that_is_left_or_goes_on(tmp_path: Path) -> None:
    env = record_games(respublica_v0.env(rules=RULES), tmp_path)
    env.reset(seed=1)
    env.reset(seed=2)  # no decision: nothing to write
    play(env, np.random.default_rng(0), 7)
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=-1)  # nothing has changed
    play(env, np.random.default_rng(0), 5)
    env.step(illegal_action(env))
    env.reset(seed=4)
    raw = record_games(respublica_v0.raw_env(rules=RULES), tmp_path, name="raw")
    raw.reset(seed=5)
    with pytest.raises(IllegalAction):
        raw.step(illegal_action(raw))
    play(raw, np.random.default_rng(0), 3)
    raw.close()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["game-000000.jsonl", "raw-000000.jsonl"]
    assert [record.status for record in records(tmp_path)] == [
        "aborted after 12 decisions",
        "aborted after 3 decisions",
    ]


def test_files_that_are_there_stay(tmp_path: Path) -> None:
    (tmp_path / "game-000000.jsonl").write_text("mine")
    for _ in range(2):
        env = record_games(respublica_v0.raw_env(rules=RULES), tmp_path)
        env.reset(seed=1)
        play(env, np.random.default_rng(0))
    names = [path.name for path in sorted(tmp_path.iterdir())]
    assert names == ["game-000000.jsonl", "game-000001.jsonl", "game-000002.jsonl"]
    assert (tmp_path / "game-000000.jsonl").read_text() == "mine"


@pytest.mark.parametrize(
    "opponents",
    ["random", ["greedy", "random"], first_legal, [Chooser(), "random"], Lineups()],
    ids=["random", "two bots", "function", "mixed", "lineup"],
)
@pytest.mark.parametrize("rules", [RULES, Rules.mini(num_players=3, hand_size=1, max_turns=4)], ids=["small", "mini"])
def test_gymnasium_games(opponents: Any, rules: Rules, tmp_path: Path) -> None:
    """The record is the game, and recording changes nothing in it."""
    plain = gymnasium.make(ID, opponents=opponents, rules=rules)
    env = record_games(gymnasium.make(ID, opponents=opponents, rules=rules), tmp_path)
    ends: list[tuple[Any, int]] = []
    for episode in range(4):
        seen = [one.reset(seed=5 if episode == 0 else None)[0].tolist() for one in (env, plain)]
        rng, over = np.random.default_rng(episode), False
        seat = env.unwrapped.seat
        while not over:
            assert seen[0] == seen[1]
            action = rng.choice(np.flatnonzero(env.unwrapped.action_masks()))
            steps = [one.step(action) for one in (env, plain)]
            seen, over = [step[0].tolist() for step in steps], steps[0][2]
        ends.append((env.unwrapped.game, seat))
    env.close()
    played = [record for record in records(tmp_path) if "learner" in record.agents]
    finished = [record for record in played if any(record.agents[p] == "learner" for p in record.players)]
    assert len(finished) == len(ends)
    for record, (end, seat) in zip(finished, ends, strict=True):
        assert record.agents.index("learner") == seat and record.status == "finished"
        again = record.at(len(record))
        assert again.hands.tolist() == end.hands.tolist() and record.scores == tuple(end.scores())
        assert again.population_deck == end.population_deck and again.technology_deck == end.technology_deck


def test_gymnasium_names_and_what_is_left(tmp_path: Path) -> None:
    env = record_games(
        gymnasium.make(ID, opponents=["greedy", Chooser()], rules=RULES, seat=1), tmp_path, agents="me", name="left"
    )
    env.reset(seed=3)
    mask = env.unwrapped.action_masks()
    env.step(np.flatnonzero(mask)[0])
    env.step(np.flatnonzero(~env.unwrapped.action_masks())[0])  # illegal: the game ends
    env.reset(seed=4)
    env.step(np.flatnonzero(env.unwrapped.action_masks())[0])
    env.close()
    first, second = records(tmp_path)
    assert first.agents == second.agents == ("chooser", "me", "greedy")
    assert first.aborted and second.aborted and 1 in first.players


def test_an_opponent_that_fails_leaves_the_record_where_it_was(tmp_path: Path) -> None:
    fails = [False]

    def moody(observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        del observations, rng
        if fails[0]:
            raise RuntimeError("not now")
        return masks.argmax(axis=1)

    env = record_games(gymnasium.make(ID, opponents=["random", moody], rules=RULES, seat=0), tmp_path)
    env.reset(seed=3)
    over, steps = False, 0
    while not over:
        action, fails[0] = np.flatnonzero(env.unwrapped.action_masks())[-1], steps % 3 == 0
        steps += 1
        try:
            over = env.step(action)[2]
        except RuntimeError:
            continue
    (record,) = records(tmp_path)
    assert record.status == "finished" and record.scores == tuple(env.unwrapped.game.scores())


def test_copies_record_nothing(tmp_path: Path) -> None:
    raw = record_games(respublica_v0.raw_env(rules=RULES), tmp_path)
    env = record_games(gymnasium.make(ID, opponents=first_legal, rules=RULES), tmp_path).unwrapped
    raw.reset(seed=1)
    env.reset(seed=1)
    for twin in (copy.deepcopy(raw), pickle.loads(pickle.dumps(raw))):
        play(twin, np.random.default_rng(0))
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        over = False
        while not over:
            over = twin.step(np.flatnonzero(twin.action_masks())[0])[2]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("env", "keywords", "words"),
    [
        (gymnasium.make("CartPole-v1"), {}, "games are recorded of"),
        (None, {}, "games are recorded of"),
        (respublica_v0.env(rules=RULES), {"agents": ["one"]}, "agents must be 3 names"),
        (respublica_v0.env(rules=RULES), {"name": "a/b"}, "name must begin"),
        (gymnasium.make(ID, rules=RULES), {"agents": ["a", "b", "c"]}, "the learner's name"),
    ],
)
def test_what_cannot_be_recorded(env: Any, keywords: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=words):
        record_games(env, tmp_path / "games", **keywords)
    assert list(tmp_path.iterdir()) == []
