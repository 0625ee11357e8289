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
"""

from respublica_env.envs.aec import CheckedEnv, OutOfBounds, RawEnv, make_env
from respublica_env.envs.global_state import state_layout

__all__ = ["CheckedEnv", "OutOfBounds", "RawEnv", "env", "raw_env", "state_layout"]

env = make_env
raw_env = RawEnv
