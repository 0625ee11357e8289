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
from agents.networks import Function, Network, make_network
from respublica_env import Rules
from respublica_env.observation import blocks

CHECKPOINT, BEST = "last.zip", "best.zip"  # their names in the folder of a run
SHIPPED = Path(__file__).resolve().with_name("weights") / "ppo.zip"  # the baseline that comes with the clone
FORMAT = "respublica-checkpoint/1"
METADATA, WEIGHTS = "respublica.json", "policy.npz"

# What a value counts, by the reward that was learnt from.
VALUE_UNITS = {"win": "wins above par", "points": "points to come", "margin": "of margin to come"}

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
        logits: whether its scores are logits, from which probabilities follow; None where its file does not say.
        value_unit: what its values count, in words; None where its file does not say.
    """

    deterministic = True
    rules: Rules | None
    num_inputs: int
    num_actions: int
    logits: bool | None = True
    value_unit: str | None = None
    _critic: Function | None = None  # values float32 `(B,)` from float32 `(B, num_inputs)`, where it has them

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
        return self._legal_scores(observations, action_masks).argmax(axis=1)

    def probabilities(self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]) -> NDArray[np.float32]:
        """How likely it was to take each action as it learnt: float32 `(B, A)`, 0 where it is illegal.

        observations, action_masks: float32 `(B, D)` and 0 or 1 `(B, A)`, with a legal action in each row.

        Raises ValueError as `act` does, and where scores are no logits.
        """
        if not self.logits:
            why = "its file does not say: export it anew" if self.logits is None else "its scores are action values"
            raise ValueError(f"{self.name} does not say how likely its actions are: {why}")
        scores = self._legal_scores(observations, action_masks)
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores

    def values(self, observations: NDArray[np.float32]) -> NDArray[np.float32] | None:
        """What it expects the rest of the game to bring, in the reward that it learnt from: float32 `(B, D)` to `(B,)`.

        None where its file holds no such estimate, or where that needs the action mask.

        Raises ValueError for observations of another size than it was trained on.
        """
        self._check_sizes(observations.shape[1], self.num_actions)
        if self._critic is None or self.num_inputs > observations.shape[1]:
            return None
        return _in_blocks(self._critic, observations)

    def _legal_scores(self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]) -> NDArray[np.float32]:
        """The scores `(B, A)`, an array of their own; of illegal actions minus infinity."""
        self._check_sizes(observations.shape[1], action_masks.shape[1])
        seen = observations
        if self.num_inputs > observations.shape[1]:
            seen = np.concatenate((observations, action_masks), axis=1, dtype=np.float32)
        scores = _in_blocks(self.scores, seen)
        scores[action_masks == 0] = -np.inf
        return scores


def _in_blocks(function: Function, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """What a network makes of rows, asked for as many at a time as it always is; an array of its own."""
    block = np.zeros((_ROWS, rows.shape[1]), np.float32)
    found = []
    for first in range(0, max(1, len(rows)), _ROWS):  # once without any rows: the result has the right shape then
        part = rows[first : first + _ROWS]
        block[: len(part)] = part
        found.append(function(block)[: len(part)])
    return np.concatenate(found)


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
        self.network, self._critic = network, network.values

    @classmethod
    def load(cls, path: str | Path) -> "PolicyAgent":
        """From a checkpoint, given as the file or its folder; ValueError when it is none."""
        metadata, weights = read_checkpoint(path)
        rules = Rules.from_dict(metadata["rules"])
        agent = cls(str(path), rules, make_network(metadata.get("network", {"name": "mlp"}), rules, weights))
        agent.value_unit = VALUE_UNITS.get(metadata.get("settings", {}).get("reward"))
        return agent

    def scores(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """The logits, float32 `(B, A)`."""
        return self.network(inputs)


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
