"""Compiled bots, asked for one decision in many games."""

from respublica_env.engine._jit import jit
from respublica_env.engine.batch import choose_row


@jit
def choose_rows(spec, rows, runs, waiting, bots, actions):
    """Write what bots choose into `actions`, int64 `(B,)`, in the rows of `waiting`, int64 `(k,)`.

    bots: int8 `(k,)`, the number of the bot in each of them. The streams of their seats move on.
    """
    for i in range(waiting.shape[0]):
        b = waiting[i]
        actions[b] = choose_row(spec, rows[b], runs, bots[i])
