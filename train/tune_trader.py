"""Finds the weights of the compiled `trader` by playing it.

    nice python -m train.tune_trader --generations 60 --seed 0

An evolution strategy: each generation draws candidates around the present weights, plays all of them on the same deals,
and moves to the weighted mean of the better half. (Rechenberg's and Schwefel's (mu/mu, lambda) strategy; Hansen, "The
CMA Evolution Strategy: A Tutorial", 2016, describes the weights.) The fitness of a candidate is its mean win share, one
seat against three (above 0.35 it counts no more), every deal in all four seats, against each of: the trader as it
was at the start of the generation, the same with the rival terms at 0, the same trading rarely, and greedy. Four
candidates among themselves must also build most of the monuments: without that, players who refuse to trade with each
other can be hard to beat and no fun.

The weights found are printed as lines of the table in `respublica_env/engine/weights.py`, after every generation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from respublica_env import Batch, Rules
from respublica_env.engine.room import weights_of_room
from respublica_env.engine.state import BUILT
from respublica_env.engine.weights import HOARDER_MARGIN, LIMITS, MARGIN, RIVAL_TERMS, WEIGHTS, trader_weights
from respublica_env.envs.rewards import win_shares
from respublica_env.opponents import bot_number
from train.cli import parse

PROG = "train.tune_trader"
CANDIDATE, OTHER, GREEDY = bot_number("trader"), bot_number("trader:selfish"), bot_number("greedy")
ENOUGH = 0.35  # win share against one kind of opponent; more counts no more
MONUMENTS = 9.3  # built by four candidates on average; fewer are paid for
PRICE = 0.25  # of each monument missing, in win share
FIRST_STEP, LAST_STEP = 0.06, 0.02  # standard deviation of a weight, as a share of its range

Weights = NDArray[np.float64]  # (NUM_WEIGHTS,)


@dataclass(frozen=True)
class TuneTrader:
    """Find the weights of the compiled trader by playing it."""

    generations: int = 60
    """How often the weights move."""
    candidates: int = 12
    """Candidates of each generation."""
    deals: int = 100
    """Deals that each candidate plays against each kind of opponent, in all four seats."""
    threads: int = 1
    """Threads that share the games."""
    seed: int = 0
    """Seed of the search and of the first deal; every generation has deals of its own."""


def play(candidate: Weights, other: Weights, seats: Sequence[int], deals: int, seed: int, threads: int) -> Batch:
    """Games in which two tables of weights play: `CANDIDATE` and `OTHER` in `seats`, turned to all four places."""
    places = np.array([np.roll(seats, turn) for turn in range(len(seats))], np.int8)
    batch = Batch(Rules(), deals * len(seats), seed=0, threads=threads)
    tables = weights_of_room(batch._runs)
    tables[:, CANDIDATE - CANDIDATE], tables[:, OTHER - CANDIDATE] = candidate, other
    batch.controllers = np.tile(places, (deals, 1))
    batch.reset(seeds=seed + np.arange(deals).repeat(len(seats)))
    return batch


def fitness(candidate: Weights, present: Weights, deals: int, seed: int, threads: int) -> tuple[float, ...]:
    """The fitness, the win share against each kind of opponents, and the monuments of four candidates."""
    selfish, hoarder = present.copy(), present.copy()
    selfish[[WEIGHTS.index(name) for name in RIVAL_TERMS]] = 0
    hoarder[MARGIN] = HOARDER_MARGIN
    shares = []
    for other, bot in ((present, OTHER), (selfish, OTHER), (hoarder, OTHER), (present, GREEDY)):
        batch = play(candidate, other, [CANDIDATE, bot, bot, bot], deals, seed, threads)
        own = batch.controllers == CANDIDATE
        shares.append(float(win_shares(batch.scores)[own].mean()))
    alone = play(candidate, present, [CANDIDATE] * 4, deals, seed, threads)
    monuments = float(alone.get_state()["rows"][:, BUILT].mean())
    return (float(np.minimum(shares, ENOUGH).mean()) - PRICE * max(0.0, MONUMENTS - monuments), *shares, monuments)


def tune(options: TuneTrader) -> Weights:
    """The search; prints what it finds."""
    rng = np.random.default_rng(options.seed)
    low, high = np.array(LIMITS).T
    present = trader_weights()[0]
    better = options.candidates // 2
    pull = np.log(better + 0.5) - np.log(np.arange(1, better + 1))
    pull /= pull.sum()
    for generation in range(options.generations):
        done = generation / max(1, options.generations - 1)
        step = FIRST_STEP * (LAST_STEP / FIRST_STEP) ** done
        draws = step * rng.standard_normal((options.candidates, len(WEIGHTS)))
        tried = np.clip(present + draws * (high - low), low, high)
        seed = (options.seed + generation) * options.deals
        found = [fitness(weights, present, options.deals, seed, options.threads) for weights in tried]
        best = np.argsort([-figures[0] for figures in found], kind="stable")[:better]
        figures = " ".join(f"{figure:.3f}" for figure in np.mean([found[i] for i in best], axis=0))
        present = pull @ tried[best]
        print(f"generation {generation + 1}: {figures}", flush=True)
        print(" ".join(f"{name}={weight:.3g}" for name, weight in zip(WEIGHTS, present, strict=True)), flush=True)
    return present


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    weights = tune(parse(TuneTrader, PROG, arguments))
    for name, weight in zip(WEIGHTS, weights, strict=True):
        print(f"{name:10} {weight:.3g}")


if __name__ == "__main__":
    main()
