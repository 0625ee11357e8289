"""Checkpoints: a policy, its optimiser and counters, and the rules that it belongs to, in one file."""

import json
import zipfile
from pathlib import Path

from sb3_contrib import MaskablePPO

import respublica_env
from agents.files import write_whole
from respublica_env import Rules

CARD = "respublica.json"  # what the checkpoint is of, beside SB3's own entries of the zip


def write_checkpoint(path: Path, model: MaskablePPO, rules: Rules) -> None:
    """Write the model and its rules to one zip, whole or not at all."""

    def write(temporary: Path) -> None:
        model.save(temporary)
        card = {
            "format": "respublica-checkpoint/1",
            "version": respublica_env.__version__,
            "rules": rules.to_dict(),
            "steps": model.num_timesteps,
        }
        with zipfile.ZipFile(temporary, "a") as archive:
            archive.writestr(CARD, json.dumps(card))

    write_whole(path, write)


def read_checkpoint(path: Path, env: object = None) -> tuple[Rules, MaskablePPO]:
    """The rules and the model, on the CPU; with `env` the model is ready to go on learning in it.

    Raises ValueError when the file is not a checkpoint, or was made for another observation or action space.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            card = json.loads(archive.read(CARD))
        rules = Rules.from_dict(card["rules"])
        model = MaskablePPO.load(path, env=env, device="cpu")
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is not a checkpoint of train.ppo ({type(error).__name__}: {error})") from None
    if model.observation_space.shape != (rules.observation_size,) or model.action_space.n != rules.num_actions:
        raise ValueError(f"{path} was made for another observation: {model.observation_space}, {model.action_space}")
    return rules, model
