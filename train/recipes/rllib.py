"""RLlib: PPO with one module for all seats, through `PettingZooEnv` and the new API stack.

It shows RLlib's own `ActionMaskingTorchRLModule` at work. That wants the vector under the key "observations", where
PettingZoo's environments say "observation": `Renamed` is all the help that is needed. RLlib's check of environments
must be off, because it plays an action without regard to the mask. A seat's reward reaches it with its next decision or
the end, whoever moved last.

    python -m venv .venv && . .venv/bin/activate && pip install -e . "ray[rllib]==2.60.0" torch
    python -m train.recipes.rllib --steps 2000

Tested with ray 2.60.0, gymnasium 1.2.2 (which it pins), pettingzoo 1.27.0 and torch 2.13.0. The module is one of
RLlib's examples, made for PPO.
"""

from typing import Any

from gymnasium.spaces import Dict
from pettingzoo.utils.wrappers import BaseWrapper
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from train.recipes.counted import CountedEnv, check, steps_wanted


class Renamed(BaseWrapper):
    """The observation under the name that RLlib's module looks for."""

    def observation_space(self, agent: str) -> Dict:
        """RLlib's names for PettingZoo's space."""
        space = super().observation_space(agent)
        return Dict({"observations": space["observation"], "action_mask": space["action_mask"]})

    def observe(self, agent: str) -> dict[str, Any]:
        """The same arrays under RLlib's names."""
        seen = super().observe(agent)
        return {"observations": seen["observation"], "action_mask": seen["action_mask"]}


def main() -> None:
    """Train, then check what was sent."""
    steps = steps_wanted()
    register_env("respublica", lambda _: PettingZooEnv(Renamed(CountedEnv(reward="points"))))
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [128]})
    config = (
        PPOConfig()
        .environment("respublica", disable_env_checking=True)
        .env_runners(num_env_runners=0)  # in this process, where the counters are
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
        .training(gamma=1.0, train_batch_size_per_learner=500, minibatch_size=125, num_epochs=4)
    )
    algorithm = config.build_algo()
    updates = 0
    while CountedEnv.sent < steps:
        learnt = algorithm.train()["learners"]["shared"]
        updates += learnt["module_train_batch_size_mean"] > 0
    algorithm.stop()
    check("RLlib", steps, updates)


if __name__ == "__main__":
    main()
