"""Checks train.rllib_ppo on a Ray cluster of two nodes on this machine, one of which is killed during training.

python -m train.check_rllib     (in an environment with RLlib; train/check_rllib.sh makes one)
"""

import tempfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import ray
from ray.cluster_utils import Cluster
from ray.rllib.core.rl_module.rl_module import RLModule

from train.rllib_ppo import RllibPpo, check, train

ITERATIONS, KILLED_AFTER, REPLACED_AFTER = 16, 2, 4


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two modules act alike: their value functions may differ, past selves need none."""
    actor = [name for name in one if name in other and name.startswith(("pi.net", "encoder.actor"))]
    assert actor, f"no weights of an actor among {', '.join(one)}"
    return all(np.array_equal(one[name], other[name]) for name in actor)


def main() -> None:
    """Three env runners on two nodes of two processors each: one node is killed, later another takes its place."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    lost = cluster.add_node(num_cpus=2)
    ray.init(address=cluster.address, log_to_driver=False)
    lines: list[dict[str, Any]] = []

    def say(line: dict[str, Any]) -> None:
        print(line, flush=True)
        lines.append(line)
        if len(lines) == KILLED_AFTER:
            cluster.remove_node(lost, allow_graceful=False)
            print("a node is killed", flush=True)
        if len(lines) == REPLACED_AFTER:
            cluster.add_node(num_cpus=2)
            print("another takes its place", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        options = RllibPpo(
            num_env_runners=3,
            iterations=ITERATIONS,
            rules="small",
            batch=600,
            minibatch=200,
            layers=(32,),
            past_every=1,
            league=2,
            out=Path(folder),
        )
        checkpoint = train(options, check(options), say)
        modules = {
            name: RLModule.from_checkpoint(checkpoint / "learner_group" / "learner" / "rl_module" / name).get_state()
            for name in ("main", "past_0", "past_1")
        }
    assert [line["iteration"] for line in lines] == list(range(1, ITERATIONS + 1))
    assert lines[0]["env_runners"] == 3, "all env runners begin, on both nodes"
    assert min(line["env_runners"] for line in lines[KILLED_AFTER:]) < 3, "the node that was killed had some"
    assert lines[-1]["env_runners"] == 3, "they begin anew where there is room"
    assert same(modules["past_1"], modules["main"]), "the last past self is the present one"
    assert not same(modules["past_0"], modules["main"]), "the one before it has learnt less"
    steps = [line["steps"] for line in lines]
    assert all(after > before for before, after in pairwise(steps)), "it goes on playing"
    ray.shutdown()
    cluster.shutdown()
    print(f"RLlib on a cluster: {ITERATIONS} iterations, {steps[-1]} decisions, a node lost after {KILLED_AFTER}")


if __name__ == "__main__":
    main()
