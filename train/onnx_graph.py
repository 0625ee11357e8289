"""Writes a network of agents/shared_net.py down as nodes of ONNX, instead of computing it.

`Values` stand for arrays; what is done with them becomes nodes, as far as the network does it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from agents.onnx_policy import INPUT, OUTPUT, VALUES
from agents.shared_net import VALUE_HEAD, SharedNet

Nodes = list[tuple[Any, list[Any]]]  # each node, and the arrays that come with it

_TO_THE_END = 2**31 - 1  # ONNX stops at the end of an axis by itself


class Values:
    """What an array would be when the network is computed."""

    def __init__(self, graph: "Graph", name: str, ndim: int | None = None) -> None:
        self._graph, self.name, self._ndim = graph, name, ndim  # the number of axes is known after a reshape

    def __getitem__(self, key: tuple[slice | int | None, ...]) -> "Values":
        starts, ends, axes, single, new = [], [], [], [], []
        for place, part in enumerate(key):
            axis = place - sum(other is None for other in key[:place])  # among those of the array itself
            if part is None:
                new.append(place - sum(isinstance(other, int) for other in key[:place]))
            elif isinstance(part, int) or part != slice(None):
                bounds = (part, part + 1) if isinstance(part, int) else (part.start, part.stop)
                starts.append(bounds[0] or 0)
                ends.append(_TO_THE_END if bounds[1] is None else bounds[1])
                axes.append(axis)
                single += [axis] if isinstance(part, int) else []
        found = self
        if axes:
            found = self._graph.add("Slice", found, *(np.array(numbers) for numbers in (starts, ends, axes)))
        if single:
            found = self._graph.add("Squeeze", found, np.array(single))
        return self._graph.add("Unsqueeze", found, np.array(new)) if new else found

    def __add__(self, other: "Values | float") -> "Values":
        return self._graph.add("Add", self, np.float32(other) if isinstance(other, float) else other)

    def __sub__(self, other: float) -> "Values":
        return self._graph.add("Sub", self, np.float32(other))

    def __mul__(self, other: float) -> "Values":
        return self._graph.add("Mul", self, np.float32(other))

    def clip(self, least: float, most: float) -> "Values":
        """As an array's."""
        return self._graph.add("Clip", self, np.float32(least), np.float32(most))

    def sum(self, axis: int) -> "Values":
        """As an array's."""
        return self._graph.add("ReduceSum", self, np.array([axis]), keepdims=0)

    def reshape(self, *shape: int) -> "Values":
        """As an array's."""
        return Values(self._graph, self._graph.add("Reshape", self, np.array(shape)).name, len(shape))

    def swapaxes(self, one: int, other: int) -> "Values":
        """As an array's."""
        assert self._ndim is not None
        order = list(range(self._ndim))
        order[one], order[other] = other, one
        return self._graph.add("Transpose", self, perm=order)


class Graph:
    """The nodes so far, as `Operations` of agents/shared_net.py that add to them.

    weights: of the layers, by name.
    """

    def __init__(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        self.nodes: Nodes = []
        self._weights = weights

    def add(self, kind: str, *inputs: Any, name: str | None = None, **attributes: Any) -> Values:
        """A node; inputs are values or constants."""
        name = name or f"step_{len(self.nodes)}"
        arrays, names = [], []
        for i, given in enumerate(inputs):
            names.append(given.name if isinstance(given, Values) else f"{name}_{i}")
            if not isinstance(given, Values):
                arrays.append(numpy_helper.from_array(np.asarray(given), names[-1]))
        self.nodes.append((helper.make_node(kind, names, [name], **attributes), arrays))
        return Values(self, name)

    def linear(self, name: str, values: Values) -> Values:
        """The layer of a name on the last axis."""
        product = self.add("MatMul", values, self._weights[f"{name}.weight"].T)
        return self.add("Add", product, self._weights[f"{name}.bias"])

    def relu(self, values: Values) -> Values:
        """The positive part."""
        return self.add("Relu", values)

    def concatenate(self, parts: list[Values], axis: int) -> Values:
        """Values side by side."""
        return self.add("Concat", *parts, axis=axis)


def shared_nodes(net: SharedNet, weights: Mapping[str, NDArray[np.float32]]) -> Nodes:
    """The nodes that make `OUTPUT` of `INPUT`, and `VALUES` where there are weights for them."""
    graph = Graph(weights)
    logits, features = net(graph, Values(graph, INPUT))
    graph.add("Identity", logits, name=OUTPUT)
    if f"{VALUE_HEAD}.weight" in weights:
        graph.add("Squeeze", graph.linear(VALUE_HEAD, features), np.array([1]), name=VALUES)
    return graph.nodes
