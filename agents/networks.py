"""The networks of train.ppo's policies, computed with NumPy alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.shared_net import NumPyOperations, SharedNet
from respublica_env import Rules

# Logits float32 `(B, A)` from observations float32 `(B, D)`.
Network = Callable[[NDArray[np.float32]], NDArray[np.float32]]

Weights = Mapping[str, NDArray[np.float32]]


class Mlp:
    """Linear layers with tanh between them, the last one giving the logits.

    layers: weights float32 `(out, in)` and biases `(out,)` of each.
    """

    def __init__(self, layers: Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]) -> None:
        self._layers = [(np.ascontiguousarray(weight.T), bias) for weight, bias in layers]

    def __call__(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """The logits."""
        values = inputs
        for i, (weight, bias) in enumerate(self._layers):
            values = (np.tanh(values) if i else values) @ weight + bias
        return values


class Shared:
    """The network of agents/shared_net.py."""

    def __init__(self, rules: Rules, weights: Weights, width: int, pair_width: int) -> None:
        self._net, self._operations = SharedNet(rules, width, pair_width), NumPyOperations(weights)

    def __call__(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """The logits."""
        logits: NDArray[np.float32] = self._net.logits(self._operations, inputs)
        return logits


def layers_of(weights: Weights) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """The layers of an MLP, whose weights are named `weight_0`, `bias_0` and so on."""
    return [(weights[f"weight_{i}"], weights[f"bias_{i}"]) for i in range(len(weights) // 2)]


def make_network(description: Mapping[str, Any], rules: Rules, weights: Weights) -> Network:
    """A network from its weights.

    description: its "name", mlp or shared, and the sizes that its weights do not say.

    Raises ValueError for a name that this version does not know.
    """
    sizes = {key: value for key, value in description.items() if key != "name"}
    match description["name"]:
        case "mlp":
            return Mlp(layers_of(weights))
        case "shared":
            return Shared(rules, weights, **sizes)
    raise ValueError(f"this version knows the networks mlp and shared, not {description['name']!r}")
