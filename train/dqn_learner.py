"""What train.dqn learns with: Tianshou's collector, replay buffer and DQN, put together and watched."""

import json
import time
from collections import deque
from typing import Any

import numpy as np
import torch
from rich.console import Console
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory, LRSchedulerFactory
from tianshou.data import Collector, ReplayBuffer, ReplayBufferManager
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

from agents.onnx_policy import ACTION_VALUES, OUTPUT
from respublica_env import Rules
from respublica_env.files import write_whole
from train.dqn import POLICY, PROGRESS, Dqn
from train.export import Network, nodes_of_modules, to_onnx
from train.league import League
from train.ppo import REWARD_FACTORS
from train.tianshou_games import TianshouGames

ROW_EVERY = 20_000  # decisions between lines of progress
RETURNS = 500  # games over which returns are averaged


class LearningRate(LRSchedulerFactory):
    """A learning rate that falls to a tenth with the run."""

    def __init__(self, learner: "Learner") -> None:
        self._learner = learner

    def create_scheduler(self, optim: torch.optim.Optimizer) -> torch.optim.lr_scheduler.LRScheduler:
        """For Tianshou, which asks it after each gradient step."""
        return torch.optim.lr_scheduler.LambdaLR(optim, lambda _: 1 - 0.9 * self._learner.done)


class Learner:
    """A run: its games, its network, and what it knows about itself.

    Attributes:
        steps, seconds: decisions played so far, and how long it took to play and to learn.
        rows: what `progress.json` holds.
        net, algorithm, replay: the network of values, what trains it, and what was played lately.
    """

    def __init__(self, options: Dqn, rules: Rules) -> None:
        self.options, self.rules = options, rules
        self.steps, self.seconds = 0, 0.0
        self.rows: list[dict[str, Any]] = []
        torch.set_num_threads(options.threads)
        torch.manual_seed(options.seed)
        np.random.seed(options.seed)  # noqa: NPY002 (Tianshou explores with the global generator)
        league = League(rules, options.opponents, mixed=options.mixed, priority="even", seed=options.seed)
        factor = REWARD_FACTORS[options.reward]
        games = TianshouGames(options.games, options.seed, factor, opponents=league, rules=rules, reward=options.reward)
        self.net = Net(state_shape=rules.observation_size, action_shape=rules.num_actions, hidden_sizes=options.layers)
        self._policy = DiscreteQLearningPolicy(model=self.net, action_space=games.games.single_action_space)
        self.algorithm = DQN(
            policy=self._policy,
            optim=AdamOptimizerFactory(lr=options.learning_rate).with_lr_scheduler_factory(LearningRate(self)),
            gamma=options.gamma,
            n_step_return_horizon=options.horizon,
            target_update_freq=options.target_every,
        )
        # A buffer for each game, as Tianshou's VectorReplayBuffer has, but each with random numbers of its own.
        size = options.replay // options.games
        self.replay = ReplayBufferManager(
            [ReplayBuffer(size, random_seed=options.seed + i) for i in range(options.games)]
        )
        self._collector = Collector(
            self._policy, games, self.replay, exploration_noise=True, raise_on_nan_in_buffer=False
        )
        self._returns: deque[float] = deque(maxlen=RETURNS)
        self._loss = 0.0

    @property
    def done(self) -> float:
        """Share of the run that is done, by its steps or its minutes, from 0 to 1."""
        minutes = self.options.minutes
        return min(1.0, max(self.steps / self.options.steps, 0.0 if minutes is None else self.seconds / (60 * minutes)))

    @property
    def exploration(self) -> float:
        """Share of the decisions that are random now."""
        first, last, until = self.options.explore, self.options.explore_last, self.options.explore_until
        return last if self.done >= until else first + (last - first) * self.done / until

    def learn(self, console: Console) -> None:
        """Play and learn until the steps or the minutes are up; the policy is written then, and now and then before."""
        options = self.options
        started = time.perf_counter()
        console.print("compiling the rules engine (the first time on a machine: up to half a minute)")
        self._collector.reset()
        console.print(f"the rules engine is ready after {time.perf_counter() - started:.1f} s")
        started = time.perf_counter()
        told = saved = 0
        while self.done < 1:
            self._phase()
            self.seconds = time.perf_counter() - started
            ended = self.done >= 1
            if ended or self.steps - told >= ROW_EVERY:
                told = self.steps
                self._tell(console)
            if ended or self.steps - saved >= options.save_every:
                saved = self.steps
                self.save()
        console.print(
            f"{self.steps:,} steps; {self.seconds:.0f} s, {self.steps / self.seconds:,.0f} steps/s; "
            f"the policy is in {options.out / POLICY}",
            soft_wrap=True,
        )

    def _phase(self) -> None:
        """Play a little, then learn from what is kept."""
        options = self.options
        self._policy.set_eps_training(self.exploration)
        with policy_within_training_step(self._policy):
            played = self._collector.collect(n_step=options.games * options.rollout)
            losses = [
                self.algorithm.update(buffer=self.replay, sample_size=options.batch_size).loss
                for _ in range(round(options.gradient_steps * played.n_collected_steps))
            ]
        self.steps += played.n_collected_steps
        self._returns.extend((played.returns / REWARD_FACTORS[options.reward]).tolist())
        self._loss = float(np.mean(losses))

    def _tell(self, console: Console) -> None:
        row = {
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
            "rate": round(self.steps / self.seconds, 1),
            "return": round(float(np.mean(self._returns)), 3) if self._returns else None,
            "exploration": round(self.exploration, 4),
            "loss": round(self._loss, 5),
        }
        self.rows.append(row)
        write_whole(self.options.out / PROGRESS, (json.dumps(self.rows, indent=2) + "\n").encode())
        facts = "".join(f"; {name} {row[name]}" for name in ("return", "exploration", "loss") if row[name] is not None)
        console.print(
            f"{self.steps:,} of {self.options.steps:,} steps; {row['rate']:,.0f} steps/s{facts}", soft_wrap=True
        )

    def save(self) -> None:
        """Write the policy."""
        path = self.options.out / POLICY
        nodes = nodes_of_modules(path, {OUTPUT: self.net.model.model})
        network = Network(nodes, self.rules.observation_size, self.rules, ACTION_VALUES, self.options.reward)
        write_whole(path, to_onnx(network))
