"""Tianshou: a masked DQN for each seat, through `PettingZooEnv` and `MultiAgentOffPolicyAlgorithm`.

It shows that Tianshou's Q-learning takes the mask as it is, for the best action, for exploration and for targets. Two
things to know. In its buffer a seat's next observation is that of whoever decides next: so the return here runs to the
end of the game, where no such observation is asked. And it explores with `eps_inference` when there are several agents.

    python -m venv .venv && . .venv/bin/activate && pip install -e . tianshou==2.0.1
    python -m train.recipes.tianshou --steps 2000

Tested with tianshou 2.0.1, pettingzoo 1.27.0, gymnasium 1.4.0 and torch 2.13.0.
"""

from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from respublica_env import Rules
from train.recipes.counted import CountedEnv, check, steps_wanted

WHOLE_GAME = 2000  # more decisions of all seats than a game has


def main() -> None:
    """Train, then check what was sent."""
    steps = steps_wanted()
    envs = DummyVectorEnv([lambda: PettingZooEnv(CountedEnv(reward="points"))] * 2)
    env = PettingZooEnv(CountedEnv())
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[learner(env) for _ in env.agents], env=env)
    collector = Collector(algorithm, envs, VectorReplayBuffer(20_000, len(envs)), exploration_noise=True)
    collector.reset()
    result = algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            show_progress=False,
            epoch_num_steps=steps,
            collection_step_num_env_steps=None,
            collection_step_num_episodes=len(envs),
            update_step_num_gradient_steps_per_sample=0.01,
            batch_size=64,
            multi_agent_return_reduction=lambda returns: returns.mean(axis=1),
        )
    )
    check("Tianshou", steps, result.update_step)


def learner(env: PettingZooEnv) -> DQN:
    """One seat's network and what trains it."""
    rules = Rules()
    net = Net(state_shape=rules.observation_size, action_shape=rules.num_actions, hidden_sizes=(128,))
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_inference=0.3)
    return DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=WHOLE_GAME,
        target_update_freq=100,
    )


if __name__ == "__main__":
    main()
