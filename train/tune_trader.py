"""Finds the weights of the compiled `trader` by playing it.

    nice python -m train.tune_trader --seed 0

An evolution strategy: each generation draws candidates around the present weights, plays all of them on the same deals,
and moves to the weighted mean of the better half. (Rechenberg's and Schwefel's (mu/mu, lambda) strategy; Hansen, "The
CMA Evolution Strategy: A Tutorial", 2016, describes the weights.) The fitness of a candidate is its mean win share, one
seat against three, every deal in all four seats, against each of: itself with the rival terms at 0, the trader as it
was at the start of the generation, the same at the start of the search, and greedy. Above a ceiling a share counts no
more, so that none of them is beaten at the cost of the others. Four candidates among themselves must also build most of
the monuments and trade in enough of their turns: without that, players who refuse to trade with each other can be hard
to beat and no fun.

The weights found are printed after every generation; those of the last are the table in
`respublica_env/engine/weights.py`, from which the next search starts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from respublica_env import Batch, Game, Rules
from respublica_env.commands import parse
from respublica_env.engine.room import weights_of_room
from respublica_env.engine.state import BUILT
from respublica_env.engine.weights import LIMITS, RIVAL_TERMS, WEIGHTS, trader_weights
from respublica_env.envs.rewards import win_shares
from respublica_env.opponents import bot_number

PROG = "train.tune_trader"
CANDIDATE, OTHER, GREEDY = bot_number("trader"), bot_number("trader:selfish"), bot_number("greedy")
ENOUGH = (0.32, 0.35, 0.45, 0.85)  # win share against each kind of opponent; more counts no more
MONUMENTS = 9.3  # built by four candidates on average; fewer are paid for
COUNTS = (3, 1, 1, 1)  # how much each of them counts: the first is the hardest
PRICE = 0.25  # of each monument missing, in win share
TRADES = 0.45  # share of turns with a trade between four candidates; less is paid for
TRADE_PRICE = 1.0  # of all trades, in win share
FIRST_STEP, LAST_STEP = 0.06, 0.02  # standard deviation of a weight, as a share of its range

Weights = NDArray[np.float64]  # (NUM_WEIGHTS,)


@dataclass(frozen=True)
class TuneTrader:
    """Find the weights of the compiled trader by playing it."""

    generations: int = 26
    """How often the weights move."""
    candidates: int = 12
    """Candidates of each generation."""
    deals: int = 60
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


def trades_in_turns(weights: Weights, games: int, seed: int) -> float:
    """The share of turns with a trade in games of four."""
    turns = trades = 0
    for number in range(games):
        game = Game(seed=seed + number)
        weights_of_room(game._runs[None])[:, 0] = weights
        while not game.terminated:
            phase = game.phase
            action = game.play_bot("trader")
            turns += phase == "ANNOUNCE"
            trades += phase == "ACCEPT" and action > 0
    return trades / turns


def fitness(candidate: Weights, present: Weights, start: Weights, deals: int, seed: int, threads: int) -> list[float]:
    """The fitness, the win share against each kind of opponents, monuments and trades of four candidates."""
    selfish = candidate.copy()
    selfish[[WEIGHTS.index(name) for name in RIVAL_TERMS]] = 0
    shares = []
    for other, bot in ((selfish, OTHER), (present, OTHER), (start, OTHER), (present, GREEDY)):
        batch = play(candidate, other, [CANDIDATE, bot, bot, bot], deals, seed, threads)
        own = batch.controllers == CANDIDATE
        shares.append(float(win_shares(batch.scores)[own].mean()))
    alone = play(candidate, present, [CANDIDATE] * 4, deals, seed, threads)
    monuments = float(alone.get_state()["rows"][:, BUILT].mean())
    counted = float(np.average(np.minimum(shares, ENOUGH), weights=COUNTS))
    trades = trades_in_turns(candidate, deals // 4, seed)
    paid = PRICE * max(0.0, MONUMENTS - monuments) + TRADE_PRICE * max(0.0, TRADES - trades)
    return [counted - paid, *shares, monuments, trades]


def tune(options: TuneTrader) -> Weights:
    """The search; prints what it finds."""
    rng = np.random.default_rng(options.seed)
    low, high = np.array(LIMITS).T
    present = start = trader_weights()[0]
    better = options.candidates // 2
    pull = np.log(better + 0.5) - np.log(np.arange(1, better + 1))
    pull /= pull.sum()
    for generation in range(options.generations):
        done = generation / max(1, options.generations - 1)
        step = FIRST_STEP * (LAST_STEP / FIRST_STEP) ** done
        draws = step * rng.standard_normal((options.candidates, len(WEIGHTS)))
        tried = np.clip(present + draws * (high - low), low, high)
        seed = (options.seed + generation) * options.deals
        found = [fitness(weights, present, start, options.deals, seed, options.threads) for weights in tried]
        best = np.argsort([-figures[0] for figures in found], kind="stable")[:better]
        figures = " ".join(f"{figure:.3f}" for figure in np.mean([found[i] for i in best], axis=0))
        present = pull @ tried[best]
        print(f"generation {generation + 1}: {figures}", flush=True)
        print(" ".join(f"{name}={weight:.3g}" for name, weight in zip(WEIGHTS, present, strict=True)), flush=True)
    return present


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    weights = tune(parse(TuneTrader, PROG, arguments, extra="train"))
    for name, weight in zip(WEIGHTS, weights, strict=True):
        print(f"{name:10} {weight:.3g}")


if __name__ == "__main__":
    main()
