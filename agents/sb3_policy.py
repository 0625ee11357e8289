"""Policies that Stable-Baselines3 or sb3-contrib saved: `model.save(...)` of PPO, A2C, DQN, MaskablePPO and their like.

Such a file holds pickled Python objects, which run when they are read: load only files that you trust. It does not say
under which rules it was trained, so that no more than the sizes of the observation and the actions can be checked. Nor
does it hold what wrappers did (VecNormalize, stacked frames): the policy is given observations as they are.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.policy import TrainedAgent


class Sb3Agent(TrainedAgent):
    """A policy of Stable-Baselines3 that always plays its best legal action. Masks apply to every algorithm.

    Raises ValueError, naming the file, when the libraries are missing, or it holds no policy that takes one vector and
    gives one discrete action.
    """

    rules = None

    def __init__(self, path: str | Path) -> None:
        self.name = str(path)
        self.policy = read_sb3(Path(path))
        self.num_inputs = int(self.policy.observation_space.shape[0])
        self.num_actions = int(self.policy.action_space.n)
        self.logits = hasattr(self.policy, "get_distribution")
        self._critic = self._values if hasattr(self.policy, "predict_values") else None

    def scores(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """An actor's logits or a critic's action values, float32 `(B, A)`."""
        import torch

        with torch.no_grad():
            seen = torch.from_numpy(inputs)
            if hasattr(self.policy, "get_distribution"):
                found = self.policy.get_distribution(seen).distribution.logits
            elif hasattr(self.policy, "quantile_net"):
                found = self.policy.quantile_net(seen).mean(dim=1)
            else:
                found = self.policy.q_net(seen)
        scores: NDArray[np.float32] = found.numpy()
        return scores

    def _values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        import torch

        with torch.no_grad():
            values: NDArray[np.float32] = self.policy.predict_values(torch.from_numpy(inputs))[:, 0].numpy()
        return values


def read_sb3(file: Path) -> Any:
    """The `BasePolicy` in a file, on the CPU and not training; ValueError, naming the file, when it holds none."""
    try:
        import sb3_contrib  # noqa: F401  (so that its policies can be read)
        from stable_baselines3.common.save_util import load_from_zip_file
    except ImportError as error:
        raise ValueError(
            f"{file} was saved by Stable-Baselines3, which is not installed here ({error}): "
            "pip install 'respublica-env[train]'"
        ) from None
    try:
        data, parameters, _ = load_from_zip_file(file, device="cpu")
        assert data is not None  # it was asked for
        spaces = data["observation_space"], data["action_space"]
        _check_spaces(*spaces)
        policy = data["policy_class"](*spaces, lambda _: 0.0, **data["policy_kwargs"]).to("cpu")
        policy.load_state_dict(parameters["policy"])
    except Exception as error:  # noqa: BLE001 - whatever its pickles do
        raise ValueError(f"{file} holds no policy that can be read here: {type(error).__name__}: {error}") from None
    if not any(hasattr(policy, name) for name in ("get_distribution", "quantile_net", "q_net")) or hasattr(
        policy, "lstm_actor"
    ):
        raise ValueError(f"{file} holds a {type(policy).__name__}: it must score actions and have no memory")
    policy.set_training_mode(False)
    return policy


def _check_spaces(observation: Any, action: Any) -> None:
    if len(observation.shape or ()) != 1 or not hasattr(action, "n"):
        raise ValueError(f"it must take one vector and give one discrete action, it has {observation} and {action}")
