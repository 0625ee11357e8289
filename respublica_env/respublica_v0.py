"""The PettingZoo environment: `respublica_v0.env(...)`, and `raw_env` without the checks around it.

    from respublica_env import respublica_v0

    env = respublica_v0.env(num_players=4)
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if termination or truncation:
            action = None  # every agent takes its leave with one last step
        else:
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

The same agent may be selected several times in a row, because a turn is several decisions. `play_episode` is this loop
for policies that are at hand. The game is no parallel one: where a library wants PettingZoo's parallel API, convert
with `pettingzoo.utils.turn_based_aec_to_parallel`; where it wants many games at once, take `respublica_env.Batch`.
"""

from collections.abc import Callable, Mapping
from typing import Any, SupportsIndex

from respublica_env.envs.aec import CheckedEnv, OutOfBounds, RawEnv, make_env
from respublica_env.envs.global_state import state_layout

__all__ = ["CheckedEnv", "OutOfBounds", "RawEnv", "env", "play_episode", "raw_env", "state_layout"]

env = make_env
raw_env = RawEnv

Policy = Callable[[dict[str, Any]], SupportsIndex]


def play_episode(
    env: RawEnv | CheckedEnv, policies: Policy | Mapping[str, Policy], seed: SupportsIndex | None = None
) -> dict[str, float]:
    """Play one whole game, from `reset(seed)` until every agent has taken its leave.

    Args:
        env: an environment of this module, or one with the same API around it.
        policies: what each agent plays by, or one for all of them: it takes the agent's observation (a dict with
            "observation" and "action_mask") and returns the action.
        seed: as for `reset`.

    Returns:
        The sum of each agent's rewards.
    """
    env.reset(seed=seed)
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        returns[agent] += reward
        policy = policies[agent] if isinstance(policies, Mapping) else policies
        env.step(None if observation is None or termination or truncation else policy(observation))
    return returns
