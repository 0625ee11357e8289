"""The network that shares its weights, exported: onnxruntime computes what NumPy does."""

from pathlib import Path

import numpy as np
import pytest

import agents
from agents.onnx_policy import INPUT, OUTPUT, VALUES, OnnxAgent
from respublica_env import Rules
from respublica_env.sb3 import ResPublicaVecEnv
from tests.train.test_shared_policy import RULES, logits_of, policy_of, values_of
from train.export import Network, export, to_onnx
from train.onnx_graph import shared_nodes
from train.ppo import main


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_onnxruntime_computes_the_same(rules: Rules) -> None:
    import onnxruntime

    policy = policy_of(rules, width=24, pair_width=8)
    observations = np.random.default_rng(2).random((50, rules.observation_size), np.float32)
    expected = {OUTPUT: logits_of(policy, observations), VALUES: values_of(policy, observations)}
    for weights, names in ((policy.arrays() | policy.value_arrays(), [OUTPUT, VALUES]), (policy.arrays(), [OUTPUT])):
        content = to_onnx(Network(shared_nodes(policy._net, weights), rules.observation_size, rules))
        session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
        assert [output.name for output in session.get_outputs()] == names
        for name, found in zip(names, session.run(None, {INPUT: observations}), strict=True):
            np.testing.assert_allclose(found, expected[name], rtol=1e-5, atol=1e-5)


def test_a_run_is_exported_and_plays_alike(tmp_path: Path) -> None:
    run = ["--policy", "shared", "--width", "16", "--games", "8", "--rollout", "16", "--steps", "256", "--deals", "0"]
    main(["--out", str(tmp_path / "run"), *run])
    exported, agent = export(tmp_path / "run", tmp_path / "policy.onnx"), agents.load(tmp_path / "run")
    assert isinstance(exported, OnnxAgent)
    env = ResPublicaVecEnv(50, "greedy", seed=3)
    observations, masks = env.reset(), np.asarray(env.action_masks(), np.int8)
    found = [who.act(observations, masks, np.random.default_rng(0)) for who in (exported, agent)]
    assert (found[0] == found[1]).mean() > 0.9  # rounding may decide between actions that are equally good
    both = [who.values(observations) for who in (exported, agent)]
    np.testing.assert_allclose(*both, rtol=1e-5, atol=1e-5)
    assert np.ptp(both[0]) > 0
