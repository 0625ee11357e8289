"""Reward modes, the same behind every door. Undiscounted.

- `"win"`: at the end only, the share of the win minus 1/n. Equal best scores share the win; the rewards sum to 0.
- `"points"`: points of cities and monuments when they are made, pairs in hand at the end; sums to the final score.
- `"margin"`: at the end only, own score minus the mean of the others', over the most points that cities and
  monuments give.
"""

import numpy as np
from numpy.typing import NDArray

from respublica_env.rules import Rules, shown

REWARD_MODES = ("win", "points", "margin")


def check_mode(mode: str) -> str:
    """The mode, or ValueError that names the three."""
    if not isinstance(mode, str) or mode not in REWARD_MODES:
        raise ValueError(f"reward must be one of {', '.join(map(repr, REWARD_MODES))}, got {shown(mode)}")
    return mode


def win_shares(scores: NDArray[np.int64]) -> NDArray[np.float64]:
    """Shares of the win from final scores `(..., n)`: 1 over the number of best scores, 0 for the others."""
    best = scores == scores.max(axis=-1, keepdims=True)
    shares: NDArray[np.float64] = best / best.sum(axis=-1, keepdims=True)
    return shares


def final_rewards(mode: str, rules: Rules, scores: NDArray[np.int64], points: NDArray[np.int64]) -> NDArray[np.float64]:
    """What each seat earns when the game ends, float64 `(..., n)`.

    scores, points: int64 `(..., n)`, final scores, and the points of cities and monuments among them (in mode
    "points" these were earned when they were made).
    """
    if mode == "win":
        return win_shares(scores) - 1 / rules.num_players
    if mode == "points":
        return (scores - points).astype(np.float64)
    others = (scores.sum(axis=-1, keepdims=True) - scores) / (rules.num_players - 1)
    most = rules.num_cities * rules.city_points + sum(rules.monument_points)
    return (scores - others) / most
