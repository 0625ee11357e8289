"""The network that learns: SB3's masked actor and critic, computed with less work.

`sb3_contrib` builds a distribution object for every batch, which normalises the logits several times over. With some
240 actions of which few are legal that is most of the time of a training run; this class computes the same numbers
once and trains about twice as fast.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.networks import CRITIC

Masks = NDArray[np.bool_] | torch.Tensor

ILLEGAL = -1e8  # as in sb3_contrib: so low that the probability is exactly 0, yet finite


class MaskedPolicy(MaskableActorCriticPolicy):
    """`MaskableActorCriticPolicy` for one discrete action and a mask at every decision."""

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: Masks | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions `(B,)`, values `(B, 1)` and log-probabilities `(B,)` for observations `(B, D)`."""
        logits, values = self.logits_and_values(obs, action_masks)
        probabilities = logits.softmax(1)
        if deterministic:
            actions = logits.argmax(1)
        else:
            # The first action whose cumulative probability exceeds a draw: a legal one, for the others add nothing.
            cumulative = probabilities.cumsum(1)
            draws = torch.rand(len(logits), 1, device=logits.device) * cumulative[:, -1:]
            actions = torch.searchsorted(cumulative, draws, right=True)[:, 0]
        return actions, values, probabilities.gather(1, actions[:, None])[:, 0].log()

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: Masks | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Values `(B, 1)`, log-probabilities of the actions `(B,)` and entropies `(B,)`."""
        logits, values = self.logits_and_values(obs, action_masks)
        logs = logits.log_softmax(1)
        entropies = -(logits.softmax(1) * logs).sum(1)
        return values, logs.gather(1, actions[:, None])[:, 0], entropies

    def logits_and_values(self, obs: torch.Tensor, action_masks: Masks | None) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits `(B, A)`, those of illegal actions far below the others, and values `(B, 1)`."""
        actor, critic = self.mlp_extractor(self.extract_features(obs))
        logits = self.action_net(actor)
        if action_masks is not None:
            legal = torch.as_tensor(action_masks, dtype=torch.bool, device=logits.device).view_as(logits)
            logits = torch.where(legal, logits, ILLEGAL)
        return logits, self.value_net(critic)

    def description(self) -> dict[str, Any]:
        """The network for `make_network` of agents/networks.py."""
        return {"name": "mlp"}

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Weights and biases of the actor's layers, copies, `weight_0`, `bias_0` and so on, for `make_network`."""
        return _arrays([*self.mlp_extractor.policy_net, self.action_net])

    def value_arrays(self, unit: float = 1.0) -> dict[str, NDArray[np.float32]]:
        """What `make_network` needs beside `arrays` to compute values too, copies.

        unit: what a value of 1 stands for; the values of these weights are in units of 1.
        """
        return _arrays([*self.mlp_extractor.value_net, self.value_net], CRITIC, unit)


def _arrays(modules: Iterable[Any], prefix: str = "", unit: float = 1.0) -> dict[str, NDArray[np.float32]]:
    """Weights and biases of the linear layers among modules, those of the last one times `unit`."""
    found = {}
    layers = [module for module in modules if hasattr(module, "weight")]
    for i, layer in enumerate(layers):
        factor = np.float32(unit if layer is layers[-1] else 1.0)
        for name in ("weight", "bias"):
            found[f"{prefix}{name}_{i}"] = getattr(layer, name).detach().cpu().numpy() * factor
    return found
