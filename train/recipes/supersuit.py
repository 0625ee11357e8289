"""SuperSuit: wrappers over the AEC environment, four games at once through `vectorize_aec_env_v0`, and REINFORCE.

SuperSuit has no learner, so a small one stands here. Its wrappers of rewards and actions take the environment as it
is. Those of observations (`frame_stack_v1`, `flatten_v0`, `dtype_v0`, `normalize_obs_v0`, `reshape_v0`,
`max_observation_v0`, `agent_indicator_v0`, `pad_observations_v0`) refuse Dict observations and want `FlatEnv`, with
the mask in `infos`, and `delay_observations_v0` delays the mask in a Dict. `sticky_actions_v0` and `frame_skip_v0`
repeat actions unasked, mostly illegal ones. `black_death_v3` and `pettingzoo_env_to_vec_env_v1` are for parallel
environments.

    python -m venv .venv && . .venv/bin/activate && pip install -e . supersuit==3.11.0 torch
    python -m train.recipes.supersuit --steps 2000

Tested with supersuit 3.11.0, torch 2.13.0, pettingzoo 1.27.0 and gymnasium 1.4.0.
"""

import numpy as np
import supersuit
import torch
from torch import nn

from respublica_env.envs.flat import FlatEnv
from train.recipes.counted import CountedEnv, check, steps_wanted

GAMES = 4


def main() -> None:
    """Train, then check what was sent."""
    steps = steps_wanted()
    env = supersuit.frame_stack_v1(FlatEnv(CountedEnv(reward="points")), 2)
    envs = supersuit.vectorize_aec_env_v0(env, GAMES)
    seats = envs.possible_agents
    size, actions = envs.observation_space(seats[0]).shape[0], envs.action_space(seats[0]).n
    policy = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, actions))
    optimiser = torch.optim.Adam(policy.parameters(), lr=1e-3)
    played = [
        [] for _ in range(GAMES)
    ]  # of each game: the seat, what it saw and could do, what it did, what all earned
    updates = 0
    envs.reset(seed=0)
    while CountedEnv.sent < steps or not updates:
        seat = envs.agent_selection
        seen, _, over, _, _, _, passes, infos = envs.last()
        masks = torch.as_tensor(np.stack([info["action_mask"] for info in infos]), dtype=torch.bool)
        with torch.no_grad():
            chosen = choices(policy, torch.as_tensor(seen), masks | ~masks.any(1, keepdim=True)).sample()
        envs.step(chosen.tolist())
        for game in np.flatnonzero(~passes.astype(bool) & ~over.astype(bool)):
            earned = [envs.rewards[one][game] for one in seats]
            played[game].append((seats.index(seat), seen[game], masks[game], chosen[game], earned))
            if envs.terminations[seat][game]:
                learn(policy, optimiser, played[game])
                played[game] = []
                updates += 1
    check("SuperSuit", steps, updates)


def choices(policy: nn.Module, seen: torch.Tensor, masks: torch.Tensor) -> torch.distributions.Categorical:
    """The policy's distribution over what the masks allow."""
    return torch.distributions.Categorical(logits=policy(seen).masked_fill(~masks, -torch.inf), validate_args=False)


def learn(policy: nn.Module, optimiser: torch.optim.Optimizer, game: list) -> None:
    """One step along the policy's gradient: what each seat earned from its decision to the end, whoever moved."""
    seats, seen, masks, chosen, earned = zip(*game, strict=True)
    to_come = np.cumsum(np.array(earned)[::-1], axis=0)[::-1]
    returns = torch.as_tensor(to_come[np.arange(len(game)), seats].copy(), dtype=torch.float32)
    logs = choices(policy, torch.as_tensor(np.stack(seen)), torch.stack(masks)).log_prob(torch.stack(chosen))
    loss = -(logs * (returns - returns.mean()) / (returns.std() + 1e-6)).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


if __name__ == "__main__":
    main()
