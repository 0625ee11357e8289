"""The policy made for this game: SB3's masked actor and critic on the network of agents/shared_net.py."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.shared_net import VALUE_HEAD, SharedNet
from respublica_env import Rules
from train.policy import MaskedPolicy


class SharedExtractor(nn.Module):
    """The layers, and what the network makes of observations with them."""

    def __init__(self, net: SharedNet) -> None:
        super().__init__()
        self.net = net
        self.layers = nn.ModuleDict({name: nn.Linear(*sizes) for name, sizes in net.layers.items()})
        self.latent_dim_pi, self.latent_dim_vf = net.rules.num_actions, net.layers["value"][1]

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits `(B, A)` and what the value is made of `(B, width)`."""
        return self.net(self, seen)

    def forward_actor(self, seen: torch.Tensor) -> torch.Tensor:
        """The logits alone."""
        return self.net.logits(self, seen)

    def forward_critic(self, seen: torch.Tensor) -> torch.Tensor:
        """What the value is made of alone."""
        return self(seen)[1]

    def linear(self, name: str, values: torch.Tensor) -> torch.Tensor:
        """As `Operations` of agents/shared_net.py, and so the others."""
        return self.layers[name](values)

    def relu(self, values: torch.Tensor) -> torch.Tensor:
        """The positive part."""
        return values.relu_()  # in place: what it is given is never used again

    def concatenate(self, parts: list[torch.Tensor], axis: int) -> torch.Tensor:
        """Tensors side by side."""
        return torch.cat(parts, axis)


class SharedPolicy(MaskedPolicy):
    """`MaskedPolicy` whose weights are shared by all types of a class and by all opponents.

    rules: what is played, as `Rules.of` takes it; the network is built for it.
    width, pair_width: features of a token, and of what is known between a seat and a kind.
    """

    def __init__(
        self,
        *arguments: Any,
        rules: Rules | Mapping[str, Any] | str | None = None,
        width: int = 64,
        pair_width: int = 16,
        **keywords: Any,
    ) -> None:
        self._net = SharedNet(Rules.of(rules), width, pair_width)
        super().__init__(*arguments, **keywords)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        own = {"rules": self._net.rules.to_dict(), "width": self._net.width, "pair_width": self._net.pair_width}
        return super()._get_constructor_parameters() | own

    def _build(self, lr_schedule: Any) -> None:
        self.mlp_extractor = SharedExtractor(self._net)
        self.action_net = nn.Identity()  # the logits come from the tokens
        self.value_net = nn.Linear(self.mlp_extractor.latent_dim_vf, 1)
        for name, layer in self.mlp_extractor.layers.items():
            gain = 0.01 if name in self._net.heads else 2**0.5
            layer.apply(partial(self.init_weights, gain=gain))
        self.value_net.apply(partial(self.init_weights, gain=1))
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

    def description(self) -> dict[str, Any]:
        """The network for `make_network` of agents/networks.py."""
        return {"name": "shared", "width": self._net.width, "pair_width": self._net.pair_width}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Weights and biases of the layers by name, copies, for `make_network` of agents/networks.py."""
        layers = self.mlp_extractor.layers.state_dict()
        return {name: values.detach().cpu().numpy().copy() for name, values in layers.items()}

    def value_arrays(self, unit: float = 1.0) -> dict[str, NDArray[Any]]:
        """As in `MaskedPolicy`: the last layer alone, for the others are among `arrays`."""
        layer = self.value_net.state_dict()
        return {f"{VALUE_HEAD}.{name}": values.cpu().numpy() * np.float32(unit) for name, values in layer.items()}
