"""The networks of train.ppo's policies, computed with NumPy alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agents.shared_net import VALUE_HEAD, NumPyOperations, SharedNet
from respublica_env import Rules

Function = Callable[[NDArray[np.float32]], NDArray[np.float32]]
Weights = Mapping[str, NDArray[np.float32]]
Layers = Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]

CRITIC = "value_"  # how the names of an MLP's other weights begin


class Network(Protocol):
    """What a policy is computed with."""

    def __call__(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Logits float32 `(B, A)` from observations float32 `(B, D)`."""

    @property
    def values(self) -> Function | None:
        """Values float32 `(B,)` from observations float32 `(B, D)`; None where its weights came without them."""


class Mlp:
    """Linear layers with tanh between them, the last one giving the logits.

    layers: weights float32 `(out, in)` and biases `(out,)` of each.
    critic: the same of another stack, whose last layer gives the value; none where it is not known.
    """

    _critic: Layers = ()  # of networks that were pickled before there was one

    def __init__(self, layers: Layers, critic: Layers = ()) -> None:
        self._layers, self._critic = _ready(layers), _ready(critic)

    def __call__(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """The logits."""
        return _through(self._layers, inputs)

    @property
    def values(self) -> Function | None:
        """The values, where there is a critic."""
        return self._values if self._critic else None

    def _values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        return _through(self._critic, inputs)[:, 0]


def _ready(layers: Layers) -> Layers:
    return [(np.ascontiguousarray(weight.T), bias) for weight, bias in layers]


def _through(layers: Layers, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    values = inputs
    for i, (weight, bias) in enumerate(layers):
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

    @property
    def values(self) -> Function | None:
        """The values, where there is a layer for them."""
        return self._values if self._operations.has(VALUE_HEAD) else None

    def _values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        _, features = self._net(self._operations, inputs)
        return self._operations.linear(VALUE_HEAD, features)[:, 0]


def layers_of(weights: Weights, prefix: str = "") -> Layers:
    """The layers of an MLP, whose weights are named `weight_0`, `bias_0` and so on behind the prefix."""
    number = sum(name.startswith(f"{prefix}weight_") for name in weights)
    return [(weights[f"{prefix}weight_{i}"], weights[f"{prefix}bias_{i}"]) for i in range(number)]


def make_network(description: Mapping[str, Any], rules: Rules, weights: Weights) -> Network:
    """A network from its weights.

    description: its "name", mlp or shared, and the sizes that its weights do not say.

    Raises ValueError for a name that this version does not know.
    """
    sizes = {key: value for key, value in description.items() if key != "name"}
    match description["name"]:
        case "mlp":
            return Mlp(layers_of(weights), layers_of(weights, CRITIC))
        case "shared":
            return Shared(rules, weights, **sizes)
    raise ValueError(f"this version knows the networks mlp and shared, not {description['name']!r}")
