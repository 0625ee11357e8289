"""Checkpoints of a run, written whole or not at all.

The file is what `MaskablePPO.save` writes, so that `MaskablePPO.load` reads it, with what agents/policy.py reads beside
it, and all that a resumed run needs to go on as if it had never stopped: the games with their league, the counters, the
states of the random generators and what the run knows about itself. That last part is a pickle: resume only from files
you trust.
"""

import io
import json
import pickle
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

import respublica_env
from agents.policy import FORMAT, METADATA, WEIGHTS, observation_hash, read_checkpoint
from respublica_env.files import write_whole
from train.config import REWARD_FACTORS
from train.league import LeagueGames
from train.policy import MaskedPolicy
from train.progress import Progress

TRAINING = "training.pkl"
# What a learner knows beside its networks and its settings.
COUNTERS = (
    "num_timesteps",
    "_n_updates",
    "_episode_num",
    "_last_obs",
    "_last_episode_starts",
    "ep_info_buffer",
    "ep_success_buffer",
)


def write_checkpoint(
    path: Path, model: MaskablePPO, games: LeagueGames, settings: Mapping[str, Any], progress: Progress
) -> None:
    """Write `model`, which learns in `games`, and the settings of its run (of JSON types).

    Raises OSError, which says so in words, when it cannot be written; the file is then as it was.
    """
    assert isinstance(model.policy, MaskedPolicy)
    file = io.BytesIO()
    model.save(file, exclude=["_last_obs", "_last_episode_starts"])
    weights = io.BytesIO()
    # Values in the reward's own units: the learner saw it times a factor.
    unit = 1 / REWARD_FACTORS[settings["reward"]]
    arrays: dict[str, Any] = model.policy.arrays() | model.policy.value_arrays(unit)
    np.savez(weights, **arrays)
    metadata = {
        "format": FORMAT,
        "version": respublica_env.__version__,
        "rules": games.rules.to_dict(),
        "observation": observation_hash(games.rules),
        "network": model.policy.description(),
        "steps": model.num_timesteps,
        "seconds": progress.seconds,
        "settings": dict(settings),
    }
    training = {
        "games": games,
        "progress": progress,
        "counters": {name: getattr(model, name) for name in COUNTERS},
        "torch": torch.get_rng_state(),
        "numpy": np.random.get_state(),  # noqa: NPY002 (SB3 shuffles its batches with the global generator)
    }
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(METADATA, json.dumps(metadata, indent=2))
        archive.writestr(WEIGHTS, weights.getvalue())
        archive.writestr(TRAINING, pickle.dumps(training))
    try:
        write_whole(path, file.getvalue())
    except OSError as error:
        standing = "the one before it is whole: --resume goes on from it" if path.exists() else "there is none yet"
        raise OSError(f"the checkpoint {path} cannot be written ({error.strerror or error}); {standing}") from None


def read_settings(path: Path) -> tuple[dict[str, Any], int, float]:
    """Settings, steps and seconds of the run that wrote a checkpoint.

    Raises ValueError when it is none, or was written by another version, whose games may be kept in another way.
    """
    metadata, _ = read_checkpoint(path)
    if metadata["version"] != respublica_env.__version__:
        raise ValueError(
            f"{path} can only be resumed by version {metadata['version']} of this package, "
            f"not by {respublica_env.__version__}"
        )
    return metadata["settings"], metadata["steps"], metadata["seconds"]


def read_games(path: Path) -> tuple[LeagueGames, Progress]:
    """The games of a checkpoint, as they stood, and what the run knew about itself."""
    training = _read_training(path)
    return training["games"], training["progress"]


def restore(path: Path, model: MaskablePPO) -> None:
    """Make `model`, which was built with the same settings, the learner that wrote the checkpoint."""
    training = _read_training(path)
    model.set_parameters(str(path), device=model.device)
    for name, value in training["counters"].items():
        setattr(model, name, value)
    torch.set_rng_state(training["torch"])
    np.random.set_state(training["numpy"])  # noqa: NPY002


def _read_training(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        training: dict[str, Any] = pickle.loads(archive.read(TRAINING))
    return training
