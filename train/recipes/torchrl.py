"""TorchRL: PPO with one network for all seats, through `PettingZooWrapper`.

It shows the wrapper's two masks: `action_mask` (what the seat to decide may do) goes to `MaskedCategorical`, and `mask`
(who is to decide) goes to the loss, because TorchRL samples an action for every seat at each step and sends one. The
wrapper fails where both an observation and an info hold a mask, so it gets `FlatEnv`, with the mask in `infos` only.

    python -m venv .venv && . .venv/bin/activate && pip install -e . torchrl==0.14.1
    python -m train.recipes.torchrl --steps 2000

Tested with torchrl 0.14.1, tensordict 0.14.3, pettingzoo 1.27.0 (TorchRL warns that it is itself tested with 1.24.3),
gymnasium 1.4.0 and torch 2.13.0.
"""

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from respublica_env.envs.flat import FlatEnv
from train.recipes.counted import CountedEnv, check, steps_wanted

FRAMES = 500  # between updates
SEEN = ("players", "observation")


def main() -> None:
    """Train, then check what was sent."""
    steps = steps_wanted()
    game = CountedEnv(reward="points")
    env = PettingZooWrapper(FlatEnv(game), use_mask=True, group_map={"players": game.possible_agents})
    size = game.rules.observation_size
    actor = ProbabilisticActor(
        TensorDictModule(net(size, game.rules.num_actions), in_keys=[SEEN], out_keys=[("players", "logits")]),
        spec=env.full_action_spec,
        in_keys={"logits": ("players", "logits"), "mask": ("players", "action_mask")},
        out_keys=[("players", "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=("players", "log_prob"),
    )
    critic = ValueOperator(net(size, 1), in_keys=[SEEN], out_keys=[("players", "value")])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, reduction="none")
    keys = {key: ("players", key) for key in ("reward", "done", "terminated", "value", "advantage", "value_target")}
    loss.set_keys(action=("players", "action"), sample_log_prob=("players", "log_prob"), **keys)
    gae = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    gae.set_keys(**keys)
    optimiser = torch.optim.Adam(loss.parameters(), lr=3e-4)
    updates = 0
    for batch in Collector(env, actor, frames_per_batch=FRAMES, total_frames=steps, **COLLECT):
        gae(batch)
        decides = batch["players", "mask"]
        for _ in range(4):
            terms = loss(batch)
            total = sum(terms[name].reshape(decides.shape)[decides].mean() for name in LOSSES)
            optimiser.zero_grad()
            total.backward()
            optimiser.step()
            updates += 1
    check("TorchRL", steps, updates)


COLLECT = {"auto_register_policy_transforms": True}
LOSSES = ("loss_objective", "loss_critic", "loss_entropy")


def net(inputs: int, outputs: int) -> nn.Module:
    """A small network over the last axis."""
    return nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, outputs))


if __name__ == "__main__":
    main()
