"""Trained policies from files.

`load_policy` tells the kinds of file apart by what they hold:

- a checkpoint of train.ppo: the zip file that `MaskablePPO.save` writes, with two members more. `respublica.json` says
  what was trained on which rules, `policy.npz` holds the weights of the policy as plain arrays. An agent reads these
  two only: it needs no PyTorch, and a checkpoint from elsewhere cannot run code here.
- what `model.save` of Stable-Baselines3 or sb3-contrib writes (agents/sb3_policy.py).
- an ONNX file that train.export wrote (agents/onnx_policy.py).
"""

import hashlib
import io
import json
import zipfile
from abc import abstractmethod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import ObservationAgent
from agents.networks import Network, make_network
from respublica_env import Rules
from respublica_env.observation import blocks

CHECKPOINT, BEST = "last.zip", "best.zip"  # their names in the folder of a run
FORMAT = "respublica-checkpoint/1"
METADATA, WEIGHTS = "respublica.json", "policy.npz"

# Rows that go through the network at once. The size is always the same, so that a row's result does not depend on how
# many others there are: matrix products of other sizes may round otherwise. Larger blocks make many games a little
# faster, and one game alone much slower.
_ROWS = 32


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
    check_metadata(file, metadata, FORMAT)
    return metadata, weights


def check_metadata(file: Path, metadata: dict[str, Any], expected: str) -> Rules:
    """The rules that a policy was trained on; ValueError, naming the file, for another format or observation."""
    if metadata.get("format") != expected:
        raise ValueError(f"{file} has the format {metadata.get('format')!r}, this version reads {expected!r}")
    rules = Rules.from_dict(metadata["rules"])
    if metadata["observation"] != observation_hash(rules):
        raise ValueError(f"{file} was trained on another observation, by version {metadata['version']} of this package")
    return rules


class TrainedAgent(ObservationAgent):
    """A trained policy that always plays its best legal action, whatever its network is computed with.

    A policy's result for a position does not depend on how many others it is asked about at once.

    Attributes:
        rules: what it was trained on; None where its file does not say.
        num_inputs: what its network takes, D; or D + A where the action mask is appended to the observation.
        num_actions: A.
    """

    deterministic = True
    rules: Rules | None
    num_inputs: int
    num_actions: int

    @abstractmethod
    def scores(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """The network: float32 `(B, num_inputs)` to `(B, A)`; the best action has the highest score."""

    def check(self, rules: Rules) -> None:
        """Raise ValueError, naming what differs, when it was trained on other rules; who takes forced moves is free."""
        there, here = ({} if given is None else given.to_dict() for given in (self.rules, rules))
        differing = [
            f"{name} {there[name]} there, {here[name]} here"
            for name in there
            if there[name] != here[name] and name != "auto_forced"
        ]
        if differing:
            raise ValueError(f"{self.name} was trained on other rules: {'; '.join(differing)}")
        self._check_sizes(rules.observation_size, rules.num_actions)

    def _check_sizes(self, observation: int, actions: int) -> None:
        if self.num_actions != actions:
            raise ValueError(f"{self.name} was trained on {self.num_actions} actions, here are {actions}")
        if self.num_inputs not in (observation, observation + actions):
            raise ValueError(
                f"{self.name} was trained on another observation, of {self.num_inputs} numbers; here are {observation} "
                f"({observation + actions} with the mask)"
            )

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator | None = None,
    ) -> NDArray[np.int64]:
        """The best legal action of each row; the first of several that are equally good.

        Raises ValueError for observations or masks of another size than it was trained on.
        """
        del rng
        self._check_sizes(observations.shape[1], action_masks.shape[1])
        seen = observations
        if self.num_inputs > observations.shape[1]:
            seen = np.concatenate((observations, action_masks), axis=1, dtype=np.float32)
        actions = np.empty(len(seen), np.int64)
        block = np.zeros((_ROWS, self.num_inputs), np.float32)
        for first in range(0, len(seen), _ROWS):
            part = slice(first, min(first + _ROWS, len(seen)))
            size = part.stop - part.start
            block[:size] = seen[part]
            scores = self.scores(block)[:size]
            actions[part] = np.where(action_masks[part] != 0, scores, -np.inf).argmax(axis=1)
        return actions


class PolicyAgent(TrainedAgent):
    """A policy of train.ppo, computed with NumPy alone.

    Args:
        name: how tables name it.
        rules: what it was trained on.
        network: see agents/networks.py.
    """

    rules: Rules

    def __init__(self, name: str, rules: Rules, network: Network) -> None:
        self.name = name
        self.rules = rules
        self.num_inputs, self.num_actions = rules.observation_size, rules.num_actions
        self._network = network

    @classmethod
    def load(cls, path: str | Path) -> "PolicyAgent":
        """From a checkpoint, given as the file or its folder; ValueError when it is none."""
        metadata, weights = read_checkpoint(path)
        rules = Rules.from_dict(metadata["rules"])
        return cls(str(path), rules, make_network(metadata.get("network", {"name": "mlp"}), rules, weights))

    def scores(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """The logits, float32 `(B, A)`."""
        return self._network(inputs)


def load_policy(path: str | Path) -> TrainedAgent:
    """A trained policy from its file, or from the folder of a run of train.ppo.

    Raises ValueError, naming the file, when it is no policy that can be read here, and says what is missing for it.
    """
    file = Path(path)
    if file.suffix == ".onnx" and file.is_file():
        from agents.onnx_policy import OnnxAgent

        return OnnxAgent(file)
    if is_sb3(file):
        from agents.sb3_policy import Sb3Agent

        return Sb3Agent(file)
    return PolicyAgent.load(path)


def is_sb3(file: Path) -> bool:
    """Whether a file is what `model.save` of Stable-Baselines3 writes, and no checkpoint of train.ppo."""
    try:
        with zipfile.ZipFile(file) as archive:
            members = set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False
    return {"data", "policy.pth"} <= members and METADATA not in members
