"""Finds the weights of the search's outlook: how likely each seat is to win, seen at the beginning of a turn.

    python -m train.fit_outlook --games 900 --seed 10000

Traders play each other; at the beginning of each turn the parts of every seat's prospect are noted (see
`respublica_env/engine/outlook.py`), and at the end who won. The weights are those under which what happened is
likeliest (multinomial logistic regression whose spread grows with the rounds left; Nelder and Mead's simplex search).
Two thirds of the games are fitted, the others say how good it is. Needed again when the trader's curves change.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from respublica_env import Game, Rules
from respublica_env.commands import parse, refuse
from respublica_env.engine import outlook
from respublica_env.engine.room import room_for_runs
from respublica_env.engine.state import make_spec
from respublica_env.envs.rewards import win_shares

PROG = "train.fit_outlook"
NAMES = ("HAND_WEIGHT", "CARDS_WEIGHT", "WAIT_WEIGHT", "SPREAD", "SPREAD_BY_ROUNDS")
PRESENT = np.array([getattr(outlook, name) for name in NAMES])

Weights = NDArray[np.float64]  # (5,), in the order of NAMES


@dataclass(frozen=True)
class FitOutlook:
    """Fit the weights of the search's outlook to games among traders."""

    games: int = 900
    """Games to learn from, at least 3."""
    seed: int = 10_000
    """Seed of the first game."""


def play(
    games: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Games among traders, at the beginnings of their turns.

    Returns the parts of the prospects, float64 `(T, n, PARTS)`; how many turns each seat waits for its own, int64
    `(T, n)`; the share of the win that each had in the end, float64 `(T, n)`; the number of the game, int64 `(T,)`.
    """
    rules = Rules()
    n = rules.num_players
    rows, active, shares, numbers = [], [], [], []
    for number in range(games):
        game, turn = Game(rules, seed=seed + number), -1
        while not game.terminated:
            if game.phase == "ANNOUNCE" and game.turn != turn:
                turn = game.turn
                rows.append(game.__getstate__()["row"])
                active.append(game.active)
            game.play_bot("trader")
        share = win_shares(np.array([game.scores()]))[0]
        shares += [share] * (len(rows) - len(shares))
        numbers += [number] * (len(rows) - len(numbers))
    out = np.zeros((len(rows), n + n * outlook.PARTS))
    outlook.chances_rows(make_spec(rules), np.array(rows), room_for_runs(), out)
    parts = out[:, n:].reshape(-1, n, outlook.PARTS)
    waits = (np.arange(n) - np.array(active)[:, None]) % n
    return parts, waits, np.array(shares), np.array(numbers)


def chances(weights: Weights, parts: NDArray[np.float64], waits: NDArray[np.int64]) -> NDArray[np.float64]:
    """The chance to win, `(T, n)`: what `respublica_env.engine.outlook.chances` says."""
    hand, cards, wait, spread, by_rounds = weights
    prospects = parts[..., outlook.POINTS] + hand * parts[..., outlook.HAND] + cards * parts[..., outlook.CARDS_TO_COME]
    flatness = np.maximum(spread + by_rounds * np.sqrt(parts[..., outlook.ROUNDS_LEFT]), 1e-3)
    scores = (prospects - wait * waits) / flatness
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def surprise(chance: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    """Mean cross entropy of what happened, in nats."""
    return float(-(shares * np.log(chance + 1e-12)).sum(axis=1).mean())


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = parse(FitOutlook, PROG, arguments, extra="train")
    if options.games < 3:
        refuse(PROG, f"--games must be at least 3, got {options.games}")
    parts, waits, shares, numbers = play(options.games, options.seed)
    kept = numbers % 3 == 0
    found = minimize(
        lambda weights: surprise(chances(weights, parts[~kept], waits[~kept]), shares[~kept]),
        PRESENT,
        method="Nelder-Mead",
        options={"maxiter": 2000},
    ).x
    for label, weights in (("as it stands", PRESENT), ("fitted", found)):
        known = surprise(chances(weights, parts[kept], waits[kept]), shares[kept])
        print(f"{label}: surprise {known:.4f} in games not fitted; of no knowledge {np.log(parts.shape[1]):.4f}")
    for name, weight in zip(NAMES, found, strict=True):
        print(f"{name} = {weight:.2f}")


if __name__ == "__main__":
    main()
