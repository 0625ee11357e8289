"""AgileRL: one masked DQN for all seats, over PettingZoo's AEC loop as in AgileRL's own lesson on turn games.

It shows `get_action(..., action_mask=)`, which masks the best action and exploration alike, and when the transition of
a seat is complete: at its next decision or the end, for only then is it known what the decision has earned. AgileRL's
DQN does not mask its targets. (Its PPO keeps masks for the loss too, but is for environments of one learner.)

    python -m venv .venv && . .venv/bin/activate && pip install -e . agilerl==2.58.0 peft
    python -m train.recipes.agilerl --steps 2000

Tested with agilerl 2.58.0, pettingzoo 1.26.1 (AgileRL pins it below 1.27), gymnasium 1.4.0, tensordict 0.13.0 (pinned,
older than what TorchRL needs) and torch 2.13.0. It imports peft without requiring it, hence the second package.
"""

import numpy as np
from agilerl.algorithms import DQN
from agilerl.components import ReplayBuffer
from agilerl.components.data import Transition, transition_to_tensordict
from numpy.typing import NDArray
from tensordict import TensorDict

from train.recipes.counted import CountedEnv, check, steps_wanted

Vector = NDArray[np.float32]

BATCH = 128
EVERY = 10  # decisions between updates


def main() -> None:
    """Train, then check what was sent."""
    steps = steps_wanted()
    env = CountedEnv(reward="points")
    seat = env.possible_agents[0]
    spaces = env.observation_space(seat)["observation"], env.action_space(seat)
    agent = DQN(*spaces, batch_size=BATCH, lr=1e-3, gamma=0.999)
    memory = ReplayBuffer(max_size=50_000)
    updates = 0
    while CountedEnv.sent < steps:
        env.reset()
        waiting = {}  # each seat's last observation and action
        for seat in env.agent_iter():
            seen, reward, over, _, _ = env.last()
            vector, mask = seen["observation"], seen["action_mask"]
            if seat in waiting:
                memory.add(transition(*waiting[seat], vector, reward, over))
            if over:
                env.step(None)
                continue
            action = int(agent.get_action(vector, epsilon=0.3, action_mask=mask)[0])
            waiting[seat] = vector, action
            env.step(action)
            if len(memory) >= BATCH and CountedEnv.sent % EVERY == 0:
                agent.learn(memory.sample(BATCH))
                updates += 1
    check("AgileRL", steps, updates)


def transition(vector: Vector, action: int, following: Vector, reward: float, over: bool) -> TensorDict:
    """What a seat saw, did, saw next and earned in between, as a row of AgileRL's memory."""
    row = Transition(obs=vector, action=action, next_obs=following, reward=reward, done=float(over))
    return transition_to_tensordict(row).unsqueeze(0)


if __name__ == "__main__":
    main()
