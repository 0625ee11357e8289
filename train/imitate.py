"""A warm start: the policy learns the decisions of a compiled bot, and what they earn, before it plays for itself.

Games are played by the bot in all seats. Now and then a random action is played in its place, so that the policy also
sees what the bot does in positions that it would not get into by itself; what is learnt is always the bot's choice.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from torch.nn import functional

from respublica_env import Batch, Rules
from respublica_env.engine.bots import traders_among
from respublica_env.envs.rewards import final_rewards
from respublica_env.opponents import BOTS
from train.bots import choose_rows
from train.policy import MaskedPolicy

GAMES = 256  # played to their ends before their decisions are learnt
STRAY = 0.05  # how often a random action is played
VALUE_WEIGHT = 0.5  # as in PPO


class Decisions(NamedTuple):
    """What seats saw, what the bot chose for them, and what they then earned: one row for each decision.

    Attributes:
        observations: float32 `(N, D)`.
        masks: bool `(N, A)`.
        actions: int64 `(N,)`.
        returns: float32 `(N,)`, the rewards of the seat from this decision to the end, undiscounted.
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    returns: NDArray[np.float32]


def collect(rules: Rules, bot: str, reward: str, seed: int, games: int = GAMES, stray: float = STRAY) -> Decisions:
    """All decisions of `games` games, dealt from `seed` on."""
    rng = np.random.default_rng((seed, 2))
    batch = Batch(rules, games, seed)
    number = BOTS[bot]
    chosen: NDArray[np.int64] = np.zeros(games, np.int64)  # (B,)
    seen, masks, actions, who, made = [], [], [], [], []
    while (running := np.flatnonzero(batch.player >= 0)).size:
        bots = np.full(len(running), number, np.int8)
        choose_rows(batch._spec, batch._rows, batch._runs[0], running, bots, chosen, traders_among(number))
        seats = batch.player[running]
        seen.append(batch.observations[running])
        masks.append(batch.action_masks[running] != 0)
        actions.append(chosen[running])
        who.append((running, seats))
        made.append(batch.points[running, seats])
        played = chosen.copy()
        astray = running[rng.random(len(running)) < stray]
        legal = batch.action_masks[astray]
        played[astray] = (rng.random(legal.shape) * legal).argmax(axis=1)
        batch.step(played)
    scores, points = batch.scores, batch.points
    earned = final_rewards(reward, rules, scores, points)
    if reward == "points":
        earned = earned + points  # those made before a decision are taken off again
    at = tuple(np.concatenate(parts) for parts in zip(*who, strict=True))
    returns = earned[at] - (np.concatenate(made) if reward == "points" else 0)
    return Decisions(np.concatenate(seen), np.concatenate(masks), np.concatenate(actions), returns.astype(np.float32))


def imitate(
    policy: MaskedPolicy,
    rules: Rules,
    bot: str,
    steps: int,
    reward: str,
    factor: float,
    learning_rate: float,
    batch_size: int,
    seed: int,
    console: Console,
) -> float:
    """Learn `steps` decisions of `bot`, each once; returns how often the last 10,000 or so were the likeliest ones.

    factor: of the rewards, in the learner's eyes.
    """
    for group in policy.optimizer.param_groups:
        group["lr"] = learning_rate
    done, right = 0, 0.0
    keep = max(0.0, 1 - batch_size / 10_000)
    with console.status("") as status:
        for part in _parts(rules, bot, reward, steps, batch_size, seed):
            right = keep * right + (1 - keep) * _learn(policy, part, factor) if done else _learn(policy, part, factor)
            done += len(part.actions)
            status.update(f"imitating {bot}: {done:,} of {steps:,} decisions, {right:.1%} as it would")
    console.print(f"imitated {bot}: {done:,} decisions, {right:.1%} as it would")
    return right


def _parts(rules: Rules, bot: str, reward: str, steps: int, batch_size: int, seed: int) -> Iterator[Decisions]:
    """Fresh decisions in random order, `batch_size` at a time."""
    rng = np.random.default_rng((seed, 3))
    left, first = steps, seed
    while left > 0:
        found = collect(rules, bot, reward, first)
        first += GAMES
        order = rng.permutation(len(found.actions))[:left]
        left -= len(order)
        for start in range(0, len(order), batch_size):
            some = order[start : start + batch_size]
            yield Decisions(*(values[some] for values in found))


def _learn(policy: MaskedPolicy, part: Decisions, factor: float) -> float:
    """One gradient step; returns how often the likeliest action was the bot's before it."""
    seen, actions = torch.from_numpy(part.observations), torch.from_numpy(part.actions)
    logits, values = policy.logits_and_values(seen, part.masks)
    loss = functional.cross_entropy(logits, actions)
    loss = loss + VALUE_WEIGHT * functional.mse_loss(values[:, 0], factor * torch.from_numpy(part.returns))
    policy.optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
    policy.optimizer.step()
    return float((logits.argmax(1) == actions).float().mean())
