"""The room that each thread brings for one decision: the legal actions, and the desk at which a trader thinks.

One row is int64 `(ROOM,)`. First come the runs of legal ids (see `legal`). The rest is the *desk*, read as float64:
the weights of the traders, and what a trader works out anew at each decision. Compiled functions make no arrays; and
a batch may be given other weights, which is how they are tuned.
"""

import numpy as np
from numpy.typing import NDArray

from respublica_env.engine.state import MAX_RUNS
from respublica_env.engine.weights import NUM_WEIGHTS, TRADER_NAMES, trader_weights

MOST_TYPES, MOST_COPIES, MOST_PLAYERS = 16, 24, 6  # that Rules accepts
MOST_SETS = MOST_COPIES // 2

# Places on the desk.
TABLES = NUM_WEIGHTS  # behind the weights in use
CURVES = TABLES + NUM_WEIGHTS * len(TRADER_NAMES)  # by back and sets spent: the worth of 0, 1, 2, ... cards of a type
CURVE_OF = CURVES + 2 * (MOST_SETS + 1) * (MOST_COPIES + 1)  # by type: where its curve begins
IN_PLAY = CURVE_OF + MOST_TYPES  # by type: copies not spent
SHARE = IN_PLAY + MOST_TYPES  # by type: share of the cards of its back that are hidden from the seat
GIVEN = SHARE + MOST_TYPES  # by type: cards counted as given
MENU = GIVEN + MOST_TYPES  # by kind: the score of the best term, and its count
PLACES = MENU + 2 * (MOST_TYPES + 3)  # by seat and back: cards in hand of which nothing is known
BELIEF = PLACES + 2 * MOST_PLAYERS  # by seat and type: cards that it is believed to hold
FIRST = BELIEF + MOST_PLAYERS * MOST_TYPES  # by seat: the term already said (see `bargain.weigh_first`)
RIVALRY = FIRST + 4 * MOST_PLAYERS  # by seat: what a point of its gain costs
AVERAGE = RIVALRY + MOST_PLAYERS  # by back, and of both: worth of one more card
MINE = AVERAGE + 3  # what answers start from: what the announcement means for the seat that answers,
THEIRS = MINE + 1  # and for the active player
ROUNDS = THEIRS + 1  # rounds left
DESK = ROUNDS + 1

ROOM = 2 * MAX_RUNS + DESK

_ROW = np.zeros((1, ROOM), np.int64)
_ROW[:, 2 * MAX_RUNS :].view(np.float64)[:, TABLES:CURVES] = trader_weights().ravel()


def room_for_runs(threads: int = 1) -> NDArray[np.int64]:
    """Room for one decision, for each of some threads: int64 `(threads, ROOM)`."""
    return np.repeat(_ROW, threads, axis=0)


def weights_of_room(room: NDArray[np.int64]) -> NDArray[np.float64]:
    """The weights that the traders in it play with, float64 `(threads, 3, NUM_WEIGHTS)`, a view that can be written."""
    tables = room[:, 2 * MAX_RUNS :].view(np.float64)[:, TABLES:CURVES]
    return tables.reshape(len(room), len(TRADER_NAMES), NUM_WEIGHTS)
