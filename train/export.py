"""A trained policy as an ONNX file, which needs no PyTorch and no Python to be computed.

    python -m train.export runs/ppo policy.onnx
    python -m train.export model.zip policy.onnx --rules standard --players 4

agents/onnx_policy.py says what the file holds. The graph is built layer by layer from the weights: what it computes is
seen at a glance, and does not depend on which exporter a release of PyTorch has. Policies of Stable-Baselines3 are
exported where their network is a stack of linear layers with known functions between them, as MlpPolicy makes it; for
the policy of train.ppo that shares its weights, train/onnx_graph.py writes the network down.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray

import respublica_env
from agents.networks import layers_of
from agents.onnx_policy import FORMAT, INPUT, METADATA, OUTPUT
from agents.policy import TrainedAgent, is_sb3, observation_hash, read_checkpoint
from agents.shared_net import SharedNet
from respublica_env import Rules
from respublica_env.commands import parse, refuse
from respublica_env.files import check_target, write_whole
from train.cli import read_rules

PROG = "train.export"

# Old enough for runtimes of years ago.
IR_VERSION, OPSET = 8, 17

# Functions between layers, by the name of the class in PyTorch.
FUNCTIONS = {"Tanh": "Tanh", "ReLU": "Relu", "Sigmoid": "Sigmoid", "ELU": "Elu", "LeakyReLU": "LeakyRelu"}

Nodes = list[tuple[Any, list[Any]]]  # each node of ONNX, and the arrays that come with it

# A linear layer (weight `(out, in)`, bias `(out,)`), or a function: ONNX's name and its attributes.
Layer = tuple[NDArray[np.float32], NDArray[np.float32]] | tuple[str, dict[str, float]]


@dataclass(frozen=True)
class Export:
    """Write a trained policy to an ONNX file."""

    checkpoint: tyro.conf.Positional[Path]
    """Of train.ppo (the file or the folder of a run), or what Stable-Baselines3 saved."""
    out: tyro.conf.Positional[Path]
    """The file to write; its name ends in .onnx."""
    rules: str | None = None
    """Only for a file of Stable-Baselines3, which does not say them: standard (for PLAYERS), mini, small, or a JSON
    file with the fields of Rules that differ."""
    players: int = 4
    """Players of the standard rules."""


def policy_nodes(checkpoint: Path, rules: Rules | None) -> tuple[Nodes, int, Rules]:
    """The network of a checkpoint, how many numbers it takes, and the rules it was trained on.

    Raises ValueError when any of them cannot be found.
    """
    if is_sb3(checkpoint):
        if rules is None:
            raise ValueError(f"{checkpoint} does not say under which rules it was trained: name them with --rules")
        return *in_line(sb3_layers(checkpoint, rules)), rules
    metadata, weights = read_checkpoint(checkpoint)
    own = Rules.from_dict(metadata["rules"])
    if rules not in (None, own):
        raise ValueError(f"{checkpoint} was trained on other rules than --rules names: it needs no such option")
    if metadata.get("network", {}).get("name") == "shared":
        from train.onnx_graph import shared_nodes

        sizes = {name: size for name, size in metadata["network"].items() if name != "name"}
        return shared_nodes(SharedNet(own, **sizes), weights), own.observation_size, own
    layers: list[Layer] = []
    for i, layer in enumerate(layers_of(weights)):
        layers += [("Tanh", {})] if i else []
        layers.append(layer)
    return *in_line(layers), own


def sb3_layers(file: Path, rules: Rules) -> list[Layer]:
    """The network of a model of Stable-Baselines3; ValueError when it is not a stack of layers, or of another size."""
    from agents.sb3_policy import Sb3Agent

    agent = Sb3Agent(file)
    agent.check(rules)
    policy = agent.policy
    extractor = getattr(policy, "features_extractor", None) or policy.q_net.features_extractor
    if type(extractor).__name__ != "FlattenExtractor":
        raise ValueError(f"{file} cannot be exported: its features are extracted by {type(extractor).__name__}")
    if hasattr(policy, "action_net"):
        modules = [*policy.mlp_extractor.policy_net, policy.action_net]
    elif hasattr(policy, "q_net"):
        modules = list(policy.q_net.q_net)
    else:
        raise ValueError(f"{file} cannot be exported: it holds a {type(policy).__name__}")
    return layers_of_modules(file, modules)


def layers_of_modules(file: Path, modules: Iterable[Any]) -> list[Layer]:
    """Modules of PyTorch, one after the other; ValueError, naming the file, when one of them cannot be written."""
    return [_layer(file, module) for module in modules]


def _layer(file: Path, module: Any) -> Layer:
    name = type(module).__name__
    if name == "Linear":
        weight, bias = (part.detach().cpu().numpy() for part in (module.weight, module.bias))
        return weight, bias
    if name not in FUNCTIONS:
        raise ValueError(f"{file} cannot be exported: there is a {name} between its layers, not {', '.join(FUNCTIONS)}")
    settings = {"ELU": "alpha", "LeakyReLU": "negative_slope"}
    return FUNCTIONS[name], {"alpha": getattr(module, settings[name])} if name in settings else {}


def to_onnx(nodes: Nodes, num_inputs: int, rules: Rules) -> bytes:
    """The network as the content of an ONNX file."""
    from onnx import TensorProto, checker, helper

    ends = {INPUT: num_inputs, OUTPUT: rules.num_actions}
    graph = helper.make_graph(
        [node for node, _ in nodes],
        "policy",
        *([helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", size])] for name, size in ends.items()),
        initializer=[array for _, arrays in nodes for array in arrays],
    )
    model = helper.make_model(
        graph,
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="respublica-env",
        producer_version=respublica_env.__version__,
    )
    metadata = {
        "format": FORMAT,
        "version": respublica_env.__version__,
        "rules": rules.to_dict(),
        "observation": observation_hash(rules),
    }
    helper.set_model_props(model, {METADATA: json.dumps(metadata)})
    checker.check_model(model, full_check=True)
    content: bytes = model.SerializeToString()
    return content


def in_line(layers: Sequence[Layer]) -> tuple[Nodes, int]:
    """A node for each layer, and how many numbers the first one takes."""
    return list(_nodes(layers)), next(layer[0].shape[1] for layer in layers if not isinstance(layer[0], str))


def _nodes(layers: Sequence[Layer]) -> Iterator[tuple[Any, list[Any]]]:
    """A node for each layer, with its arrays."""
    from onnx import helper, numpy_helper

    for i, layer in enumerate(layers):
        ends = INPUT if i == 0 else f"values_{i}", OUTPUT if i == len(layers) - 1 else f"values_{i + 1}"
        if isinstance(layer[0], str):
            yield helper.make_node(layer[0], [ends[0]], [ends[1]], **layer[1]), []
            continue
        names = f"weight_{i}", f"bias_{i}"
        arrays = [numpy_helper.from_array(array, name) for array, name in zip(layer, names, strict=True)]
        yield helper.make_node("Gemm", [ends[0], *names], [ends[1]], transB=1), arrays


def export(checkpoint: Path, out: Path, rules: Rules | None = None) -> TrainedAgent:
    """Write a policy to an ONNX file, whole or not at all, and return it as the agent that plays from it.

    rules: what it was trained on, for a file that does not say.

    Raises ValueError, naming what was wrong, before anything is written; OSError when it cannot be written.
    """
    from agents.onnx_policy import OnnxAgent

    if out.suffix != ".onnx":
        raise ValueError(f"the file to write must have a name that ends in .onnx, got {out}")
    check_target("the file to write", out)
    write_whole(out, to_onnx(*policy_nodes(checkpoint, rules)))
    return OnnxAgent(out)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = parse(Export, PROG, arguments, extra="train")
    try:
        try:
            import onnx  # noqa: F401
        except ImportError:
            raise ValueError("it needs onnx: pip install 'respublica-env[onnx]'") from None
        rules = None if options.rules is None else read_rules(options.rules, options.players)
        agent = export(options.checkpoint, options.out, rules)
    except (ValueError, OSError) as error:
        refuse(PROG, str(error))
    print(f"{options.out}: {agent.num_inputs} numbers in, scores of {agent.num_actions} actions out")


if __name__ == "__main__":
    main()
