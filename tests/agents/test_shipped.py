"""The trained baseline that comes with the clone: by its name, in every install, from any folder."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import agents
from agents.onnx_policy import OnnxAgent
from agents.play import main as play
from agents.policy import SHIPPED, PolicyAgent, load_policy
from agents.shipped import shipped_file
from agents.web import Table
from respublica_env import Game, Rules, opponents
from respublica_env.record import read_record
from respublica_env.replay.__main__ import main as replay
from respublica_env.replay.policy import advise
from respublica_env.sb3 import ResPublicaVecEnv
from tests.agents.test_play import terminal
from train import evaluate
from train.journal import settings_of
from train.lineups import one_table

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def met() -> tuple[np.ndarray, np.ndarray]:
    """Positions that it comes to among traders: float32 `(3840, D)` and int8 `(3840, A)`."""
    env, agent = ResPublicaVecEnv(64, "trader", seed=3), agents.load("ppo")
    observations, seen = env.reset(), []
    for _ in range(60):
        masks = env.action_masks().astype(np.int8)
        seen.append((observations.copy(), masks))
        observations, *_ = env.step(agent.act(observations, masks))
    return np.concatenate([row for row, _ in seen]), np.concatenate([mask for _, mask in seen])


def test_the_checkpoint_and_the_export_are_the_same_policy(met: tuple[np.ndarray, np.ndarray]) -> None:
    observations, masks = met
    agent, exported = agents.load("ppo"), agents.load(SHIPPED.with_suffix(".onnx"))
    assert isinstance(agent, PolicyAgent) and isinstance(exported, OnnxAgent)
    assert agent.rules == exported.rules == Rules()
    np.testing.assert_allclose(agent.scores(observations), exported.scores(observations), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(agent.values(observations), exported.values(observations), rtol=1e-4, atol=1e-4)
    assert agent.value_unit == exported.value_unit is not None
    chosen = agent.act(observations, masks), exported.act(observations, masks)
    likely = np.sort(agent.probabilities(observations, masks), axis=1)
    clear = likely[:, -1] - likely[:, -2] > 1e-4  # rounding may decide between actions that are equally good
    assert (chosen[0] == chosen[1])[clear].all() and clear.mean() > 0.99
    assert len(set(chosen[0].tolist())) > 10


def test_it_needs_no_library_and_no_folder(met: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    np.savez(tmp_path / "met.npz", observations=met[0][::50], masks=met[1][::50])
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('torch', 'stable_baselines3', 'onnxruntime', 'onnx')));"
        "import agents, numpy; met = numpy.load('met.npz'); agent = agents.load('ppo');"
        "print(agent.name, *agent.act(met['observations'], met['masks']))"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    chosen = agents.load("ppo").act(*met)[::50]
    assert (done.returncode, done.stdout.split()) == (0, ["ppo", *map(str, chosen)]), done.stderr


def test_it_is_an_opponent_by_name() -> None:
    assert "ppo" in agents.names() and "ppo" in opponents.known_names()
    env = gymnasium.make("respublica/ResPublica-v0", opponents=["greedy", "ppo", "random"])
    observation, info = env.reset(seed=5)
    for _ in range(30):
        observation, *_, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
    assert observation.any()
    with pytest.raises(ValueError, match=r"^ppo was trained on other rules: num_players 4 there, 6 here$"):
        gymnasium.make("respublica/ResPublica-v0", opponents="ppo", rules={"num_players": 6})
    with pytest.raises(ValueError, match=r"^ppo was trained on other rules: set_size 5 there, 4 here$"):
        agents.load("ppo").check(Rules(set_size=4))
    with pytest.raises(ValueError, match=r"^ppo was trained on other rules: copies 12 there, 9 here$"):
        agents.load("ppo").check(Rules(num_players=3, copies=9))


@pytest.mark.parametrize("players", [3, 4, 5])
def test_it_plays_with_three_to_five(players: int) -> None:
    rules, agent = Rules(num_players=players), agents.load("ppo")
    agent.check(rules)
    own = PolicyAgent.load(shipped_file(players))
    assert own.rules == rules and agents.file_of("ppo", rules) == shipped_file(players)
    env = ResPublicaVecEnv(8, "trader", rules=rules, seed=3)
    observations = env.reset()
    for _ in range(40):
        masks = env.action_masks().astype(np.int8)
        assert (agent.act(observations, masks) == own.act(observations, masks)).all()
        np.testing.assert_array_equal(agent.probabilities(observations, masks), own.probabilities(observations, masks))
        np.testing.assert_array_equal(agent.values(observations), own.values(observations))
        observations, *_ = env.step(own.act(observations, masks))


def test_a_clone_without_it_says_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("agents.shipped.SHIPPED", tmp_path / "ppo.zip")
    with pytest.raises(ValueError, match=r"the trained baseline 'ppo' is not in this clone: there is no .*ppo\.zip"):
        opponents.find("ppo")
    with pytest.raises(SystemExit, match="2"):
        evaluate.main(["--agents", "ppo", "random", "random", "random", "--deals", "1"])
    error = capsys.readouterr().err
    assert error.startswith("train.evaluate: the trained baseline") and error.count("\n") == 1


def test_results_know_its_file() -> None:
    """A run that was killed does not go on with another baseline."""
    lineup = ["ppo", "random", "random", "random"]
    known = settings_of(one_table(lineup, Rules(), 1, 0), None)["agents"]
    assert known["random"] is None
    assert (
        known["ppo"] == settings_of(one_table([str(SHIPPED), *lineup[1:]], Rules(), 1, 0), None)["agents"][str(SHIPPED)]
    )


def test_commands_know_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, page = tmp_path / "game.jsonl", tmp_path / "game.html"
    play(["--agents", "ppo", "trader", "trader", "ppo", "--seed", "7", "--record", str(game)])
    assert "The game is over after" in capsys.readouterr().out
    record = read_record(game)
    assert (record.status, record.agents) == ("finished", ("ppo", "trader", "trader", "ppo"))
    agent = agents.load("ppo")
    own = [one for one in advise(record, agent) if one.seat in (0, 3)]
    assert len(own) > 100 and all(one.taken == one.likely[0][0] for one in own)  # it does what it finds likeliest
    replay([str(game), "--html", str(page), "--agent", "ppo"])
    text = page.read_text(encoding="utf-8")
    assert '"adviser":"ppo"' in text and f'"valueUnit":"{agent.value_unit}"' in text
    evaluate.main(["--agents", "ppo", "random", "random", "random", "--deals", "2"])
    assert "ppo" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        play(["--agents", "ppo", "trader", "ppo", "random", "ppo", "ppo"])
    assert capsys.readouterr().err == "agents.play: ppo was trained on other rules: num_players 4 there, 6 here\n"
    play(["--agents", "trader", "trader", "ppo", "--seed", "7"])
    assert "The game is over after" in capsys.readouterr().out


def test_a_person_plays_against_it() -> None:
    """In the terminal and in the browser."""
    with terminal("--agents", "ppo", "trader", "ppo", "--human", "1", "--seed", "7") as shown:
        said = shown.answer()
        assert "player_0: ppo\nplayer_1: human\nplayer_2: trader\nplayer_3: ppo\nseed: 7\n" in said
        for _ in range(5):
            assert "is illegal" not in said
            shown.type("0\n")  # to pass
            said = shown.answer()
    table = Table(Game(seed=7), ["human", "ppo", "trader", "ppo"], [None, *map(agents.load, ("ppo", "trader", "ppo"))])
    for _ in range(20):
        live = table.state(0)["live"]
        table.act(live["moves"][0]["id"], live["at"])
    assert len(set(table.record().players)) == 4


def test_files_are_few_and_name_no_machine() -> None:
    files = {path.name: path.read_bytes() for path in SHIPPED.parent.iterdir()}
    assert sorted(files) == [
        "curve.csv",
        "curve.png",
        "dqn.onnx",
        "last.zip",
        "ppo-3.zip",
        "ppo-5.zip",
        "ppo.onnx",
        "ppo.zip",
    ]
    assert sum(map(len, files.values())) <= 20_000_000
    for name in ("last.zip", "ppo-3.zip", "ppo-5.zip", "ppo.zip"):
        assert isinstance(load_policy(SHIPPED.with_name(name)), PolicyAgent)
        with zipfile.ZipFile(SHIPPED.with_name(name)) as archive:
            members = {member: archive.read(member) for member in archive.namelist()}
        assert ("training.pkl" in members) == (name == "last.zip")
        for member, content in members.items():
            assert not any(place in content for place in (b"/tmp/", b"/home/", b"/work/", b"Linux")), member
