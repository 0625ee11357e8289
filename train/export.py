"""A trained policy as an ONNX file, which needs no PyTorch and no Python to be computed.

    python -m train.export runs/ppo policy.onnx
    python -m train.export model.zip policy.onnx --rules standard --players 4

agents/onnx_policy.py says what the file holds. The graph is built layer by layer from the weights: what it computes is
seen at a glance, and does not depend on which exporter a release of PyTorch has. Policies of Stable-Baselines3 are
exported where their network is a stack of linear layers with known functions between them, as MlpPolicy makes it; for
the policy of train.ppo that shares its weights, train/onnx_graph.py writes the network down.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray

import respublica_env
from agents.networks import CRITIC, layers_of
from agents.onnx_policy import ACTION_VALUES, FORMAT, INPUT, LOGITS, METADATA, OUTPUT, VALUES
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
class Network:
    """A network as ONNX takes it.

    Attributes:
        nodes: make `OUTPUT` of `INPUT`, and `VALUES` where they are known.
        num_inputs: how many numbers it takes.
        rules: what it was trained on.
        scores: what its scores are, `LOGITS` or `ACTION_VALUES`.
        reward: what it learnt from, as environments name it; None where it is not known.
    """

    nodes: Nodes
    num_inputs: int
    rules: Rules
    scores: str = LOGITS
    reward: str | None = None


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


def read_network(checkpoint: Path, rules: Rules | None = None) -> Network:
    """The network of a checkpoint; ValueError when it has none that can be written down, or the rules are not known."""
    if is_sb3(checkpoint):
        if rules is None:
            raise ValueError(f"{checkpoint} does not say under which rules it was trained: name them with --rules")
        return sb3_network(checkpoint, rules)
    metadata, weights = read_checkpoint(checkpoint)
    own, reward = Rules.from_dict(metadata["rules"]), metadata.get("settings", {}).get("reward")
    if rules not in (None, own):
        raise ValueError(f"{checkpoint} was trained on other rules than --rules names: it needs no such option")
    if metadata.get("network", {}).get("name") == "shared":
        from train.onnx_graph import shared_nodes

        sizes = {name: size for name, size in metadata["network"].items() if name != "name"}
        return Network(shared_nodes(SharedNet(own, **sizes), weights), own.observation_size, own, reward=reward)
    actor, critic = (_with_tanh(layers_of(weights, prefix)) for prefix in ("", CRITIC))
    return Network([*_nodes(actor, OUTPUT), *_nodes(critic, VALUES)], own.observation_size, own, reward=reward)


def _with_tanh(layers: Sequence[Layer]) -> list[Layer]:
    return [one for layer in layers for one in (("Tanh", {}), layer)][1:]


def sb3_network(file: Path, rules: Rules) -> Network:
    """The network of a model of Stable-Baselines3; ValueError when it is not a stack of layers, or of another size."""
    from agents.sb3_policy import Sb3Agent

    agent = Sb3Agent(file)
    agent.check(rules)
    policy = agent.policy
    extractor = getattr(policy, "features_extractor", None) or policy.q_net.features_extractor
    if type(extractor).__name__ != "FlattenExtractor":
        raise ValueError(f"{file} cannot be exported: its features are extracted by {type(extractor).__name__}")
    if hasattr(policy, "action_net"):
        actor, critic = policy.mlp_extractor.policy_net, policy.mlp_extractor.value_net
        stacks = {OUTPUT: [*actor, policy.action_net], VALUES: [*critic, policy.value_net]}
    elif hasattr(policy, "q_net"):
        stacks = {OUTPUT: list(policy.q_net.q_net)}
    else:
        raise ValueError(f"{file} cannot be exported: it holds a {type(policy).__name__}")
    scores = LOGITS if VALUES in stacks else ACTION_VALUES
    return Network(nodes_of_modules(file, stacks), agent.num_inputs, rules, scores)


def nodes_of_modules(file: Path, stacks: Mapping[str, Iterable[Any]]) -> Nodes:
    """Modules of PyTorch, one after the other, that make each output; ValueError, naming the file, for unknown ones."""
    return [
        node
        for output, modules in stacks.items()
        for node in _nodes([_layer(file, module) for module in modules], output)
    ]


def _layer(file: Path, module: Any) -> Layer:
    name = type(module).__name__
    if name == "Linear":
        weight, bias = (part.detach().cpu().numpy() for part in (module.weight, module.bias))
        return weight, bias
    if name not in FUNCTIONS:
        raise ValueError(f"{file} cannot be exported: there is a {name} between its layers, not {', '.join(FUNCTIONS)}")
    settings = {"ELU": "alpha", "LeakyReLU": "negative_slope"}
    return FUNCTIONS[name], {"alpha": getattr(module, settings[name])} if name in settings else {}


def to_onnx(network: Network) -> bytes:
    """The network as the content of an ONNX file."""
    from onnx import TensorProto, checker, helper

    rules, nodes = network.rules, [node for node, _ in network.nodes]
    shapes = {INPUT: ["batch", network.num_inputs], OUTPUT: ["batch", rules.num_actions], VALUES: ["batch"]}
    given, *found = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items())
    made = {name for node in nodes for name in node.output}
    graph = helper.make_graph(
        nodes,
        "policy",
        [given],
        [output for output in found if output.name in made],
        initializer=[array for _, arrays in network.nodes for array in arrays],
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
        OUTPUT: network.scores,
        "reward": network.reward,
    }
    helper.set_model_props(model, {METADATA: json.dumps(metadata)})
    checker.check_model(model, full_check=True)
    content: bytes = model.SerializeToString()
    return content


def _nodes(layers: Sequence[Layer], output: str) -> Iterator[tuple[Any, list[Any]]]:
    """A node for each layer, with its arrays, from `INPUT` to `output`; `VALUES` are `(B,)`, not `(B, 1)`."""
    from onnx import helper, numpy_helper

    names = [
        INPUT,
        *(f"{output}_{i}" for i in range(1, len(layers))),
        f"{output}_column" if output == VALUES else output,
    ]
    for i, layer in enumerate(layers):
        ends = names[i], names[i + 1]
        if isinstance(layer[0], str):
            yield helper.make_node(layer[0], [ends[0]], [ends[1]], **layer[1]), []
            continue
        own = f"{output}_weight_{i}", f"{output}_bias_{i}"
        arrays = [numpy_helper.from_array(array, name) for array, name in zip(layer, own, strict=True)]
        yield helper.make_node("Gemm", [ends[0], *own], [ends[1]], transB=1), arrays
    if layers and output == VALUES:
        axis = numpy_helper.from_array(np.array([1]), f"{output}_axis")
        yield helper.make_node("Squeeze", [names[-1], axis.name], [output]), [axis]


def export(checkpoint: Path, out: Path, rules: Rules | None = None) -> TrainedAgent:
    """Write a policy to an ONNX file, whole or not at all, and return it as the agent that plays from it.

    rules: what it was trained on, for a file that does not say.

    Raises ValueError, naming what was wrong, before anything is written; OSError when it cannot be written.
    """
    from agents.onnx_policy import OnnxAgent

    if out.suffix != ".onnx":
        raise ValueError(f"the file to write must have a name that ends in .onnx, got {out}")
    check_target("the file to write", out)
    write_whole(out, to_onnx(read_network(checkpoint, rules)))
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
