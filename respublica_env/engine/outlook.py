"""How a position looks for each seat, when a playout stops before the end: the chance to win.

Each seat's *prospect* is a number of points: what it has built, what its hand is worth on the trader's curves, and what
its cities will still draw. The chance to win is the softmax of the prospects, the flatter the more rounds are left.
The weights were fitted by `train/fit_outlook.py` to the ends of games among traders. At the end of the game it is the
share of the win itself.

The search looks at positions that it has dealt itself, so all hands may be read.
"""

import math

import numpy as np

from respublica_env.engine._jit import jit
from respublica_env.engine.bots import TRADER
from respublica_env.engine.moves import PLAYOUT
from respublica_env.engine.room import ROUNDS
from respublica_env.engine.state import (
    ACTIVE,
    CITIES,
    HANDS,
    MAX_DRAW,
    MAX_RUNS,
    OVER,
    PHASE,
    PLAYERS,
    SET_SIZE,
    TYPES,
)
from respublica_env.engine.strips import address, floats
from respublica_env.engine.turn import score
from respublica_env.engine.worth import monument_worth, on_curve, points, sit_down

POINTS, HAND, CARDS_TO_COME, ROUNDS_LEFT, PARTS = range(5)  # what a prospect is made of
HAND_WEIGHT, CARDS_WEIGHT = 0.95, 0.60  # of a point of each part
WAIT_WEIGHT = 0.58  # points that it costs to wait for one's turn, for each player before
SPREAD, SPREAD_BY_ROUNDS = 1.41, 0.40  # of the softmax, in points: at the end, and for the root of the rounds left


@jit
def look(spec, row, room, out):
    """Write the parts of the prospect of each seat, float64 `(n, PARTS)`, behind the first `n` entries of `out`."""
    desk = floats(room, 2 * MAX_RUNS)
    for q in range(spec[PLAYERS]):
        sit_down(spec, row, q, desk, PLAYOUT - TRADER)
        hand, at = 0.0, spec[PLAYERS] + PARTS * q
        for k in range(spec[TYPES]):
            hand += on_curve(desk, k, np.int64(row[HANDS + q * spec[TYPES] + k]) * 1.0)
        cards = min(np.int64(row[spec[CITIES] + q]), spec[MAX_DRAW]) * desk[ROUNDS]
        out[at + POINTS] = points(spec, row, q)
        out[at + HAND] = hand
        out[at + CARDS_TO_COME] = cards * monument_worth(spec, row, desk, 0) / spec[SET_SIZE]
        out[at + ROUNDS_LEFT] = desk[ROUNDS]


@jit
def chances(spec, row, room, out):
    """Write the chance of each seat to win, float64 `(n,)`; behind them, unless the game is over, their parts."""
    players = spec[PLAYERS]
    most = total = 0.0
    if row[PHASE] == OVER:
        for q in range(players):
            out[q] = score(spec, row, q)
            most = max(most, out[q])
        for q in range(players):
            out[q] = 1.0 if out[q] == most else 0.0
    else:
        look(spec, row, room, out)
        most = -1.0e30
        for q in range(players):
            at = players + PARTS * q
            prospect = out[at + POINTS] + HAND_WEIGHT * out[at + HAND] + CARDS_WEIGHT * out[at + CARDS_TO_COME]
            wait = (q - np.int64(row[ACTIVE]) + players) % players
            out[q] = (prospect - WAIT_WEIGHT * wait) / (SPREAD + SPREAD_BY_ROUNDS * math.sqrt(out[at + ROUNDS_LEFT]))
            most = max(most, out[q])
        for q in range(players):
            out[q] = math.exp(out[q] - most)
    for q in range(players):
        total += out[q]
    for q in range(players):
        out[q] /= total


@jit
def chances_rows(spec, rows, room, out):
    """The chances of each seat in every row, and behind them their parts, float64 `(B, n + n * PARTS)`."""
    for b in range(rows.shape[0]):
        chances(address(spec, 0), address(rows, b), address(room, 0), address(out, b))
