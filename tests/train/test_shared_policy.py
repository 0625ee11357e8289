"""The network that shares its weights: what is alike is treated alike, and every number that is seen counts."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.networks import make_network
from respublica_env import Rules, observation_layout
from respublica_env.actions import action_table
from respublica_env.sb3 import ResPublicaVecEnv
from train.policy import MaskedPolicy
from train.shared_policy import SharedPolicy

RULES = {
    "standard": Rules(),
    "mini": Rules.mini(),
    "six": Rules(num_players=6, population_types=3, technology_types=8, copies=20, set_size=12, max_count=2),
    "plain": Rules(num_players=3, population_types=6, technology_types=2, wildcards=False, max_terms=1),
}


def policy_of(rules: Rules, kind: type[MaskedPolicy] = SharedPolicy, **keywords: object) -> MaskedPolicy:
    """A policy whose weights are far from any symmetry but what its network has."""
    torch.manual_seed(0)
    if kind is SharedPolicy:
        keywords["rules"] = rules.to_dict()
    box = spaces.Box(0, 1, (rules.observation_size,), np.float32)
    policy = kind(box, spaces.Discrete(rules.num_actions), lambda _: 1e-3, **keywords)
    with torch.no_grad():
        for weights in policy.parameters():
            weights.add_(torch.randn_like(weights) * 0.1)
    return policy


def logits_of(policy: MaskedPolicy, observations: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        return policy.logits_and_values(torch.from_numpy(observations), None)[0].numpy()


def values_of(policy: MaskedPolicy, observations: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        return policy.predict_values(torch.from_numpy(observations))[:, 0].numpy()


def permuted_types(rules: Rules, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Where each number of the observation, and each logit, comes from when types change places in their classes."""
    people, types, kinds, n = rules.population_types, rules.num_types, rules.num_kinds, rules.num_players
    order = np.concatenate((rng.permutation(people), people + rng.permutation(types - people), np.arange(types, kinds)))
    at, table = observation_layout(rules), action_table(rules)
    seen, actions = np.arange(rules.observation_size), np.arange(rules.num_actions)
    for name in ("hand", "spent", "chosen"):
        seen[at[name]] = seen[at[name]][order[:types]]
    seen[at["known"]] = seen[at["known"]].reshape(n - 1, types)[:, order[:types]].ravel()
    for name, rows in (("announcement", 1), ("answers", n)):
        block = seen[at[name]].reshape(rows, kinds + 4)
        seen[at[name]] = np.concatenate((block[:, :2], block[:, 2:-2][:, order], block[:, -2:]), axis=1).ravel()
    for span in (table.offer, table.seek, table.and_, table.or_):
        actions[span] = actions[span].reshape(kinds, rules.max_count)[order].ravel()
    for span in (table.give, table.convert):
        actions[span] = actions[span][order[:types]]
    return seen, actions


def permuted_seats(rules: Rules, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The same when opponents change places."""
    n, types = rules.num_players, rules.num_types
    order = rng.permutation(n - 1)
    at, table = observation_layout(rules), action_table(rules)
    seen, actions = np.arange(rules.observation_size), np.arange(rules.num_actions)
    for name in ("active", "to_act", "hand_sizes", "cities", "monuments", "points", "answers", "partner"):
        block = seen[at[name]].reshape(n, -1)
        seen[at[name]] = np.concatenate((block[:1], block[1:][order])).ravel()
    seen[at["known"]] = seen[at["known"]].reshape(n - 1, types)[order].ravel()
    actions[table.accept] = actions[table.accept][order]
    return seen, actions


@pytest.mark.parametrize("permuted", [permuted_types, permuted_seats])
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_what_is_alike_is_treated_alike(
    rules: Rules, permuted: Callable[[Rules, np.random.Generator], tuple[np.ndarray, np.ndarray]]
) -> None:
    rng = np.random.default_rng(1)
    policy = policy_of(rules)
    observations = rng.random((64, rules.observation_size), np.float32)
    before = logits_of(policy, observations)
    for _ in range(5):
        seen, actions = permuted(rules, rng)
        after = logits_of(policy, observations[:, seen])
        np.testing.assert_allclose(after, before[:, actions], rtol=0, atol=1e-5)


def test_a_plain_network_does_not_treat_alike() -> None:
    """The permutations of the test above do change something."""
    rng = np.random.default_rng(1)
    policy = policy_of(Rules(), MaskedPolicy, net_arch=[32])
    observations = rng.random((64, 191), np.float32)
    for permuted in (permuted_types, permuted_seats):
        seen, actions = permuted(Rules(), rng)
        assert abs(logits_of(policy, observations[:, seen]) - logits_of(policy, observations)[:, actions]).max() > 0.1


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_every_number_that_is_seen_counts(rules: Rules) -> None:
    """All but who is to act, for that is the seat itself whenever it decides."""
    policy = policy_of(rules)
    torch.manual_seed(1)
    observations = torch.rand(256, rules.observation_size)
    observations[:, observation_layout(rules)["hand"]] *= 0.5 / rules.copies * rules.set_size
    observations.requires_grad_()
    logits, values = policy.logits_and_values(observations, None)
    for found in (logits @ torch.randn(rules.num_actions), values[:, 0]):
        (slopes,) = torch.autograd.grad(found.sum(), observations, retain_graph=True)
        silent = np.flatnonzero((slopes == 0).all(0).numpy())
        assert silent.tolist() == np.arange(rules.observation_size)[observation_layout(rules)["to_act"]].tolist()


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_numpy_computes_the_same(rules: Rules) -> None:
    policy = policy_of(rules, width=24, pair_width=8)
    arrays = policy.arrays()
    network = make_network(policy.description(), rules, arrays)
    observations = np.random.default_rng(2).random((100, rules.observation_size), np.float32)
    kept = observations.copy()
    np.testing.assert_allclose(network(observations), logits_of(policy, observations), rtol=1e-5, atol=1e-5)
    assert (observations == kept).all()
    assert network.values is None
    values = make_network(policy.description(), rules, arrays | policy.value_arrays(unit=4.0)).values
    assert values is not None
    np.testing.assert_allclose(values(observations), 4 * values_of(policy, observations), rtol=1e-5, atol=1e-5)


def test_sb3_asks_it_as_any_other() -> None:
    """What SB3 itself calls agrees with what training calls; and a copy from its constructor's parameters is equal."""
    policy = policy_of(Rules())
    env = ResPublicaVecEnv(32, seed=0)
    observations, masks = env.reset(), np.asarray(env.action_masks())
    seen = torch.from_numpy(observations)
    logits, values = policy.logits_and_values(seen, masks)
    slow = MaskableActorCriticPolicy.get_distribution(policy, seen, masks).distribution
    torch.testing.assert_close(slow.probs, logits.softmax(1))
    torch.testing.assert_close(policy.predict_values(seen), values)
    parameters = policy._get_constructor_parameters()
    again = SharedPolicy(**parameters)
    again.load_state_dict(policy.state_dict())
    chosen = [which.predict(observations, action_masks=masks, deterministic=True)[0] for which in (policy, again)]
    assert chosen[0].tolist() == chosen[1].tolist() == logits.argmax(1).tolist()
