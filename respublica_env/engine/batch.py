"""Loops over rows: play on until a caller's seat must decide, step, observe.

Nothing here knows a rule. `controllers` says who plays a seat: -1 a caller, else the number of a bot. Every loop runs
over a part `first..end-1` of the rows, so that several threads can share the work; games never touch one another.
`runs`, int64 `(2 * MAX_RUNS,)`, is room for the legal actions of one decision; each thread brings its own.
"""

import numpy as np

from respublica_env.engine._jit import Task, inline_jit, jit
from respublica_env.engine.atomics import data_of, matrix_at, vector_at
from respublica_env.engine.bots import NUM_BOTS, bot_action
from respublica_env.engine.crew import ARGUMENTS, CHUNKS, SIZE, chunk_at
from respublica_env.engine.deal import random_below, seat_stream, seed_streams, set_up, shuffle_decks
from respublica_env.engine.legal import legal_runs, write_mask
from respublica_env.engine.observe import observe
from respublica_env.engine.state import (
    AUTO_FORCED,
    NUM_ACTIONS,
    OVER,
    PHASE,
    PLAYER,
    PLAYERS,
)
from respublica_env.engine.strips import address, prefetch
from respublica_env.engine.turn import apply, cities_and_monuments, score, show_standing

# What `step_rows` does with a row.
STEP, BEGIN, SHOW = range(3)

OFTEN_READ = 192  # fields at the front of a row that nearly every decision reads (more than those of most rules)
CACHE_LINE = 32  # fields


@inline_jit
def play_on(spec, row, bots, runs, move, traders):
    """Take forced decisions and those of bots until a caller's seat must decide or the game is over.

    bots: the controllers of the row. move: False takes none. traders: see `bot_action`. Returns the number of legal
    runs left in `runs`.
    """
    while True:
        size = legal_runs(spec, row, runs)
        if size == 0 or not move:
            return size
        if spec[AUTO_FORCED] == 1 and size == 1 and runs[1] - runs[0] == 1:
            action = runs[0]
        elif bots[row[PLAYER]] >= 0:
            action = bot_action(spec, row, np.int64(bots[row[PLAYER]]), runs, size, traders)
        else:
            return size
        apply(spec, row, action)


@jit
def first_illegal(spec, rows, masks, controllers, actions, first, end):
    """The first game of `first..end-1` whose action is illegal, and the highest controller there.

    Instead of the game -1 when there is none, and -2 when a controller is no bot's number.

    Finished games, and games in which a bot is to act, take any action. masks: the engine's own, which nobody else
    can write.
    """
    least, most = np.int8(0), np.int8(0)
    for controller in controllers[first:end].flat:
        least, most = min(least, controller), max(most, controller)
    if least < -1 or most >= NUM_BOTS:
        return -2, most
    for b in range(first, end):
        row, mask = address(rows, b), address(masks, b)
        if row[PHASE] == OVER or address(controllers, b)[row[PLAYER]] >= 0:
            continue
        if not 0 <= actions[b] < spec[NUM_ACTIONS] or mask[actions[b]] == 0:
            return b, most
    return -1, most


@jit
def step_rows(spec, shares, rows, runs, controllers, actions, players, observations, masks, traders, mode, first, end):
    """Bring rows to the next decision of a caller's seat, and write its player, observation and mask.

    mode: STEP carries out `actions`, legal ones, in the games that are not over; BEGIN plays on from the set-up in the
    games with a 1 in `actions`; SHOW only writes what stands, in all. (One function, for it is what takes longest to
    compile.) traders: see `bot_action`.
    """
    rules, quotients, room = address(spec, 0), address(shares, 0), address(runs, 0)
    for b in range(first, end):
        row, bots = address(rows, b), address(controllers, b)
        for at in range(0, OFTEN_READ if b + 2 < end else 0, CACHE_LINE):
            prefetch(address(rows, b + 2), at)
        if mode == STEP:
            if row[PHASE] == OVER:
                continue
            if bots[row[PLAYER]] < 0:
                apply(rules, row, actions[b])
        elif mode == BEGIN and actions[b] == 0:
            continue
        size = play_on(rules, row, bots, room, mode != SHOW, traders)
        players[b] = row[PLAYER]
        observe(rules, quotients, row, max(0, np.int64(row[PLAYER])), address(observations, b))
        write_mask(rules, room, size, address(masks, b))


# The same for the threads of a crew, which read their arguments from its desk: where each array begins, its length and
# that of its rows, in the order of the arguments of `lay_out`.
(
    SPEC_ARGUMENT,
    SHARES_ARGUMENT,
    ROWS_ARGUMENT,
    RUNS_ARGUMENT,
    CONTROLLERS_ARGUMENT,
    ACTIONS_ARGUMENT,
    PLAYERS_ARGUMENT,
    OBSERVATIONS_ARGUMENT,
    MASKS_ARGUMENT,
    MODE_ARGUMENT,
) = range(ARGUMENTS, ARGUMENTS + 30, 3)


@jit
def put_array(desk, at, array):
    desk[at], desk[at + 1], desk[at + 2] = data_of(array), array.shape[0], array.shape[-1]


@jit
def lay_out(desk, spec, shares, rows, runs, controllers, actions, players, observations, masks, mode):
    """Put the arguments of `check_chunk` and `step_chunk` on the desk; the arrays must live until they are done."""
    put_array(desk, SPEC_ARGUMENT, spec)
    put_array(desk, SHARES_ARGUMENT, shares)
    put_array(desk, ROWS_ARGUMENT, rows)
    put_array(desk, RUNS_ARGUMENT, runs)
    put_array(desk, CONTROLLERS_ARGUMENT, controllers)
    put_array(desk, ACTIONS_ARGUMENT, actions)
    put_array(desk, PLAYERS_ARGUMENT, players)
    put_array(desk, OBSERVATIONS_ARGUMENT, observations)
    put_array(desk, MASKS_ARGUMENT, masks)
    desk[MODE_ARGUMENT] = mode


@Task
def check_chunk(desk, _thread, chunk, first, end):
    """`first_illegal`; what it finds goes to the chunk's line of the desk."""
    wrong, most = first_illegal(
        vector_at(desk, SPEC_ARGUMENT, np.int64),
        matrix_at(desk, ROWS_ARGUMENT, np.int16),
        matrix_at(desk, MASKS_ARGUMENT, np.int8),
        matrix_at(desk, CONTROLLERS_ARGUMENT, np.int8),
        vector_at(desk, ACTIONS_ARGUMENT, np.int64),
        first,
        end,
    )
    desk[chunk_at(desk, chunk)], desk[chunk_at(desk, chunk) + 1] = wrong, most


@jit
def first_found(desk):
    """What `first_illegal` has found in all chunks."""
    wrong, most = -1, np.int64(-1)
    for chunk in range(desk[SIZE] * CHUNKS):
        at = chunk_at(desk, chunk)
        most = max(most, desk[at + 1])
        if wrong == -1 or desk[at] == -2:
            wrong = desk[at]
    return wrong, most


@jit
def step_chunk_with(desk, thread, first, end, traders):
    step_rows(
        vector_at(desk, SPEC_ARGUMENT, np.int64),
        vector_at(desk, SHARES_ARGUMENT, np.float32),
        matrix_at(desk, ROWS_ARGUMENT, np.int16),
        matrix_at(desk, RUNS_ARGUMENT, np.int64)[thread],
        matrix_at(desk, CONTROLLERS_ARGUMENT, np.int8),
        vector_at(desk, ACTIONS_ARGUMENT, np.int64),
        vector_at(desk, PLAYERS_ARGUMENT, np.int64),
        matrix_at(desk, OBSERVATIONS_ARGUMENT, np.float32),
        matrix_at(desk, MASKS_ARGUMENT, np.int8),
        traders,
        desk[MODE_ARGUMENT],
        first,
        end,
    )


@Task
def step_chunk(desk, thread, _chunk, first, end):
    """`step_rows` without traders."""
    step_chunk_with(desk, thread, first, end, None)


@Task
def step_chunk_with_traders(desk, thread, _chunk, first, end):
    """`step_rows` with traders."""
    step_chunk_with(desk, thread, first, end, True)


@jit
def seed_rows(spec, rows, which, seeds):
    """Start all streams of the rows of `which`, int64 `(k,)`, from `seeds`, uint64 `(k,)`."""
    for i in range(which.shape[0]):
        seed_streams(address(spec, 0), address(rows, which[i]), seeds[i])


@jit
def shuffle_rows(spec, rows, which):
    """Shuffle both decks of the rows of `which`, int64 `(k,)`, from the rows' own streams."""
    for i in range(which.shape[0]):
        shuffle_decks(address(spec, 0), address(rows, which[i]))


@jit
def set_up_rows(spec, rows, which):
    """Begin games with the decks that lie in the rows of `which`, int64 `(k,)`."""
    for i in range(which.shape[0]):
        set_up(address(spec, 0), address(rows, which[i]))


@jit
def observe_rows(spec, shares, rows, seats, observations):
    """Write the observation of seat `seats[b]` in every row."""
    for b in range(rows.shape[0]):
        observe(address(spec, 0), address(shares, 0), address(rows, b), seats[b], address(observations, b))


@jit
def score_rows(spec, rows, out):
    """Scores, with the pairs in hand as they stand, int64 `(B, n)`."""
    for b in range(rows.shape[0]):
        for seat in range(spec[PLAYERS]):
            out[b, seat] = score(address(spec, 0), address(rows, b), seat)


@jit
def points_rows(spec, rows, out):
    """Points of cities and monuments, int64 `(B, n)`."""
    for b in range(rows.shape[0]):
        for seat in range(spec[PLAYERS]):
            out[b, seat] = cities_and_monuments(address(spec, 0), address(rows, b), seat)


@jit
def show_standings(spec, rows):
    """Keep anew what every seat has built, in every row."""
    for b in range(rows.shape[0]):
        for seat in range(spec[PLAYERS]):
            show_standing(address(spec, 0), address(rows, b), seat)


@jit
def choose_row(spec, row, runs, bot, traders):
    """The action that a bot chooses for the player to decide; its seat's stream moves on. traders: see `bot_action`."""
    rules, position, room = address(spec, 0), address(row, 0), address(runs, 0)
    return bot_action(rules, position, bot, room, legal_runs(rules, position, room), traders)


@jit
def draw_seats(spec, rows, which, seats):
    """A random seat for each of the rows of `which`, from the row's own stream, into `seats`, int64 `(B,)`."""
    for i in range(which.shape[0]):
        b = which[i]
        seats[b] = random_below(address(rows, b), seat_stream(address(spec, 0)), spec[PLAYERS])
