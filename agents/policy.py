"""Trained policies from checkpoints.

A checkpoint is the zip file that `MaskablePPO.save` writes, with two members more: `respublica.json` says what was
trained on which rules, `policy.npz` holds the weights of the policy as plain arrays. An agent reads these two only:
it needs no PyTorch, and a checkpoint from elsewhere cannot run code here.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import ObservationAgent
from respublica_env import Rules
from respublica_env.observation import blocks

CHECKPOINT = "last.zip"  # its name in the folder of a run
FORMAT = "respublica-checkpoint/1"
METADATA, WEIGHTS = "respublica.json", "policy.npz"

# Rows that go through the network at once. The size is always the same, so that a row's result does not depend on how
# many others there are: matrix products of other sizes may round otherwise.
_ROWS = 128


def observation_hash(rules: Rules) -> str:
    """A hash of the layout of the observation: two rule sets with the same hash can share a policy's weights."""
    layout = [[block.name, block.start, *block.divisors] for block in blocks(rules)]
    return hashlib.sha256(json.dumps(layout).encode()).hexdigest()


def read_checkpoint(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[np.float32]]]:
    """Metadata and weights of a checkpoint, given as the file or its folder.

    Raises ValueError, naming the file, when it is no checkpoint of this project or was trained on another observation.
    """
    file = Path(path)
    if file.is_dir():
        file = file / CHECKPOINT
    try:
        with zipfile.ZipFile(file) as archive:
            metadata = json.loads(archive.read(METADATA))
            with np.load(io.BytesIO(archive.read(WEIGHTS)), allow_pickle=False) as arrays:
                weights = dict(arrays)
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"{file} is no checkpoint of train.ppo: {error}") from None
    if metadata.get("format") != FORMAT:
        raise ValueError(f"{file} has the format {metadata.get('format')!r}, this version reads {FORMAT!r}")
    if metadata["observation"] != observation_hash(Rules.from_dict(metadata["rules"])):
        raise ValueError(f"{file} was trained on another observation, by version {metadata['version']} of this package")
    return metadata, weights


class PolicyAgent(ObservationAgent):
    """A trained policy that always plays its likeliest action.

    Args:
        name: how tables name it.
        rules: what it was trained on.
        layers: weights float32 `(out, in)` and biases `(out,)` of each layer; tanh between them, one output for each
            action.
    """

    deterministic = True

    def __init__(
        self, name: str, rules: Rules, layers: Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]
    ) -> None:
        self.name = name
        self.rules = rules
        self._layers = [(np.ascontiguousarray(weight.T), bias) for weight, bias in layers]

    @classmethod
    def load(cls, path: str | Path) -> "PolicyAgent":
        """From a checkpoint, given as the file or its folder; ValueError when it is none."""
        metadata, weights = read_checkpoint(path)
        layers = [(weights[f"weight_{i}"], weights[f"bias_{i}"]) for i in range(len(weights) // 2)]
        return cls(str(path), Rules.from_dict(metadata["rules"]), layers)

    def check(self, rules: Rules) -> None:
        """Raise ValueError when the observation or the actions under `rules` are not those it was trained on."""
        if rules.num_actions != self.rules.num_actions or observation_hash(rules) != observation_hash(self.rules):
            raise ValueError(f"{self.name} was trained on other rules: {self.rules.to_dict()}")

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator | None = None,
    ) -> NDArray[np.int64]:
        """The likeliest legal action of each row; the first of several that are equally likely."""
        del rng
        actions = np.empty(len(observations), np.int64)
        block = np.zeros((_ROWS, observations.shape[1]), np.float32)
        for first in range(0, len(observations), _ROWS):
            part = slice(first, min(first + _ROWS, len(observations)))
            size = part.stop - part.start
            block[:size] = observations[part]
            logits = self._logits(block)[:size]
            actions[part] = np.where(action_masks[part] != 0, logits, -np.inf).argmax(axis=1)
        return actions

    def _logits(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """The network: float32 `(B, D)` to `(B, A)`."""
        values = observations
        for i, (weight, bias) in enumerate(self._layers):
            values = (np.tanh(values) if i else values) @ weight + bias
        return values
