"""Checks train.dqn: the games that Tianshou sees, what it learns, and that the same seed gives the same policy.

python -m train.check_dqn     (in an environment with Tianshou; train/check_dqn.sh makes one)
"""

import json
import tempfile
from pathlib import Path

import gymnasium
import numpy as np
import torch
from rich.console import Console

from agents.onnx_policy import OnnxAgent
from respublica_env import IllegalAction
from train import dqn
from train.config import CONFIG
from train.dqn_learner import Learner
from train.tianshou_games import TianshouGames

ONE_TURN = Path(__file__).parent / "rules" / "one_turn.json"
GAMES, SEED, STEPS = 3, 11, 400


def same_games() -> None:
    """Each row is what a Gymnasium environment of its own would be: through ends, and resets of some games only."""
    keywords = {"opponents": "greedy", "rules": "small", "reward": "points"}
    games = TianshouGames(GAMES, SEED, reward_factor=0.5, **keywords)
    single = [gymnasium.make("respublica/ResPublica-v0", **keywords) for _ in range(GAMES)]
    firsts = [env.reset(seed=SEED + i) for i, env in enumerate(single)]
    seen, _ = games.reset()
    assert np.array_equal(seen.obs, [observation for observation, _ in firsts])
    assert np.array_equal(seen.mask, [info["action_mask"] for _, info in firsts])
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(STEPS):
        actions = [int(rng.choice(np.flatnonzero(mask))) for mask in seen.mask]
        seen, rewards, over, cut, infos = games.step(actions, np.arange(GAMES))
        results = [env.step(action) for env, action in zip(single, actions, strict=True)]
        assert np.array_equal(seen.obs, [result[0] for result in results])
        assert np.array_equal(seen.mask, [result[4]["action_mask"] for result in results])
        assert rewards.tolist() == [0.5 * result[1] for result in results]
        assert over.tolist() == [result[2] for result in results]
        assert not cut.any()
        assert len(infos) == GAMES
        which = np.flatnonzero(over)
        if which.size:
            begun, _ = games.reset(which)
            firsts = [single[i].reset() for i in which]
            assert np.array_equal(begun.obs, [observation for observation, _ in firsts])
            assert np.array_equal(begun.mask, [info["action_mask"] for _, info in firsts])
            seen.mask[which] = begun.mask
            ended += len(which)
    assert ended > GAMES, "there were ends to compare"
    refused(games)


def refused(games: TianshouGames) -> None:
    """What is illegal is not played, and Tianshou cannot step some of the games without the others."""
    seen, _ = games.reset()
    for actions, rows, kind in (
        ([int(mask.argmin()) for mask in seen.mask], None, IllegalAction),
        ([0], [1], ValueError),
    ):
        try:
            games.step(actions, rows)
        except kind:
            continue
        raise AssertionError(f"{actions} in the games {rows} were played")


def learns(folder: Path) -> None:
    """It wins more than chance against random players on a game of one turn, and the file plays what it has learnt."""
    shares, contents = [], []
    for run in ("one", "same"):
        out = folder / run
        again = ["--config", str(folder / "one" / CONFIG)]
        small = ["--rules", str(ONE_TURN), "--opponents", "random", "--judges", "random", "--reward", "win"]
        size = ["--steps", "12000", "--games", "32", "--rollout", "8", "--batch-size", "64", "--layers", "32"]
        first = [*small, *size, "--deals", "100", "--save-every", "6000"]
        dqn.main([*(first if run == "one" else again), "--out", str(out)])
        evaluation = json.loads((out / dqn.EVALUATION).read_text())
        shares.append(next(entry for entry in evaluation["random"]["agents"] if entry["name"] == "dqn")["low"])
        contents.append((out / dqn.POLICY).read_bytes())
        rows = json.loads((out / dqn.PROGRESS).read_text())
        assert rows[-1]["steps"] >= 12000
        assert rows[-1]["exploration"] == 0.02
    assert shares[0] > 0.55, f"par is 0.5, the lower end of the interval is {shares[0]}"
    assert contents[0] == contents[1], "the same seed, the same policy"


def masked(folder: Path) -> None:
    """Exploration and targets stay within the mask, and the file's scores are the network's values."""
    small = {"rules": "small", "games": 4, "rollout": 50, "steps": 200, "batch_size": 16, "gradient_steps": 0.01}
    options = dqn.Dqn(**small, explore=1.0, horizon=1, learning_rate=0.0, out=folder / "network")
    options.out.mkdir()
    learner = Learner(options, dqn.check(options))
    learner.learn(Console(quiet=True))  # an illegal action would be an error
    agent = OnnxAgent(options.out / dqn.POLICY)
    batch, indices = learner.replay.sample(0)
    values = learner.net(batch.obs_next.obs)[0].detach().numpy()
    np.testing.assert_allclose(agent.scores(batch.obs_next.obs), values, atol=1e-5)
    legal = np.where(batch.obs_next.mask, values, -np.inf).max(axis=1)
    assert (values.max(axis=1) > legal).any(), "an illegal action looks best somewhere"
    # Nothing was learnt: the network that targets ask is the same one.
    with torch.no_grad():
        targets = learner.algorithm._target_q(learner.replay, indices).numpy()
    np.testing.assert_allclose(targets, legal, atol=1e-5)


def main() -> None:
    """All checks."""
    same_games()
    with tempfile.TemporaryDirectory() as folder:
        masked(Path(folder))
        learns(Path(folder))
    print("Tianshou: the same games, masked everywhere, a policy that learns, and the same one twice")


if __name__ == "__main__":
    main()
