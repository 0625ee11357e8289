"""Compiling ahead of the first use."""

import sys
import time


def warm_up(*, verbose: bool = True) -> float:
    """Compile what a first use of `Game` and `Batch` would, or load it from the cache; the seconds it took.

    Says on stderr what it does and how long that took (not with `verbose=False`). After the first time on a machine
    compiled code comes from the cache and this takes about a second.
    """
    started = time.perf_counter()
    if verbose:
        print("respublica_env: compiling the rules engine (once per machine, up to a minute) ...", file=sys.stderr)
    import numpy as np

    from respublica_env.batch import Batch
    from respublica_env.engine.bots import BOT_NAMES
    from respublica_env.game import Game

    game = Game(seed=0)
    game.step(game.legal_actions()[0])
    game.determinize(0, np.random.default_rng(0))
    for bot in ("greedy", "trader"):
        game.play_bot(bot)
    Game.from_dict(game.to_dict()).scores()
    for threads in (1, 2):
        batch = Batch(num_games=2, seed=0, threads=threads)
        batch.step(batch.action_masks.argmax(axis=1))
    batch.observe([0, 0])
    Batch(num_games=1, seed=0, controllers=BOT_NAMES.index("trader"))
    seconds = time.perf_counter() - started
    if verbose:
        print(f"respublica_env: ready after {seconds:.1f} s", file=sys.stderr)
    return seconds
