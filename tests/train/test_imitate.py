"""The warm start: what is learnt is what the bot does, and what it earns."""

from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console

from respublica_env import Batch, Rules
from respublica_env.opponents import BOTS
from train.config import Train
from train.imitate import collect, imitate
from train.ppo import main, make_model, new_games, read_settings

RULES = Rules(num_players=3)


def test_decisions_are_those_of_games_that_the_bot_plays() -> None:
    """Played to the end without going astray, the games are the bot's own; so are the decisions that follow."""
    games = Batch(RULES, 8, seed=5, controllers=np.full((8, 3), BOTS["greedy"], np.int8))
    found = collect(RULES, "greedy", "win", seed=5, games=8, stray=0.0)
    best = games.scores == games.scores.max(axis=1, keepdims=True)
    shares = best / best.sum(axis=1, keepdims=True) - 1 / 3
    assert set(found.returns.tolist()) == set(shares.astype(np.float32).ravel().tolist())
    assert found.masks[np.arange(len(found.actions)), found.actions].all()
    # The first row of each game is the first decision there is.
    first = Batch(RULES, 8, seed=5)
    assert (found.observations[:8] == first.observations).all()


def test_returns_in_points_are_what_is_still_to_come() -> None:
    """At the first decision of a game: the final score of the seat that decides."""
    found = collect(RULES, "greedy", "points", seed=5, games=8, stray=0.0)
    games = Batch(RULES, 8, seed=5, controllers=np.full((8, 3), BOTS["greedy"], np.int8))
    seats = Batch(RULES, 8, seed=5).player
    assert found.returns[:8].tolist() == games.scores[np.arange(8), seats].tolist()
    assert found.returns.min() >= 0


def test_going_astray_changes_games_and_no_labels() -> None:
    straight, astray = (collect(RULES, "greedy", "win", seed=5, games=8, stray=stray) for stray in (0.0, 0.5))
    assert len(straight.actions) != len(astray.actions)
    assert (straight.actions[:8] == astray.actions[:8]).all()


@pytest.mark.parametrize("policy", ["mlp", "shared"])
def test_the_policy_does_what_the_bot_does(policy: str) -> None:
    """Far more often than by chance; greedy leaves some of its decisions to chance itself."""
    torch.set_num_threads(1)
    options = Train(games=8, rollout=16, batch_size=256, policy=policy, width=32)
    model = make_model(options, new_games(options, Rules()))
    right = imitate(model.policy, Rules(), "greedy", 50_000, "points", 0.1, 3e-3, 256, 0, Console(quiet=True))
    assert right > 0.5
    fresh = collect(Rules(), "greedy", "points", seed=10**6, games=32)
    with torch.no_grad():
        logits, values = model.policy.logits_and_values(torch.from_numpy(fresh.observations), fresh.masks)
    assert (logits.argmax(1).numpy() == fresh.actions).mean() > 0.5
    assert np.corrcoef(values[:, 0].numpy(), fresh.returns)[0, 1] > 0.5


def test_a_run_begins_where_imitation_ended(tmp_path: Path) -> None:
    arguments = ["--rules", "small", "--games", "8", "--rollout", "16", "--batch-size", "64", "--layers", "16"]
    imitation = ["--imitate", "random", "--imitate-steps", "300", "--minutes", "1e-9", "--deals", "0"]
    main(["--out", str(tmp_path / "run"), *arguments, *imitation])
    assert read_settings(tmp_path / "run" / "last.zip")[1] == 0
    main(["--out", str(tmp_path / "run"), "--resume", "--minutes", "9", "--steps", "128"])
    assert read_settings(tmp_path / "run" / "last.zip")[1] == 128
