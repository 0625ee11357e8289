"""Random rules, random play and random positions for the property tests; digests of whole games for the pinned ones."""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

from respublica_env import Batch, Game, Rules

SEEDS = st.integers(0, 2**63 - 1)
Choose = Callable[[Game], int]


@st.composite
def rules(draw: st.DrawFn, **fixed: Any) -> Rules:
    """Any rule set that `Rules` accepts, of a size that can be played; `fixed` fields are kept.

    Games are short (max_turns), and half of the sets are small, so that cities, monuments and ends come about.
    """
    small = draw(st.booleans())
    num_players = fixed.get("num_players") or draw(st.integers(2, 6))
    copies = draw(st.integers(2, 4) if small else st.integers(2, 24))
    least_types = -(-num_players // copies)
    population_types = draw(st.integers(least_types, max(least_types, 3 if small else 8)))
    piles = st.lists(st.integers(0, 9) | st.just(10**9), min_size=0, max_size=11)
    values = {
        "num_players": num_players,
        "population_types": population_types,
        "technology_types": draw(st.integers(1, 2 if small else 8)),
        "copies": copies,
        "hand_size": draw(st.integers(1, population_types * copies // num_players)),
        "set_size": 2 if small else draw(st.integers(2, copies)),
        "city_points": draw(st.integers(0, 5) | st.just(10**9)),
        "monument_points": sorted([draw(st.integers(1, 9)), *draw(piles)], reverse=True),
        "num_cities": draw(st.integers(1, 12) | st.just(10**9)),
        "pair_points": draw(st.integers(0, 3)),
        "max_draw": draw(st.integers(1, 6)),
        "max_count": draw(st.integers(1, copies)),
        "max_terms": draw(st.integers(1, 2)),
        "wildcards": draw(st.booleans()),
        "optional_draw": draw(st.booleans()),
        "max_turns": draw(st.integers(1, 30)),
        "auto_forced": draw(st.booleans()),
    }
    return Rules.from_dict(values | fixed)


def eager(rng: np.random.Generator) -> Choose:
    """A player at random who seldom passes, so that trades, cities and the final round come about."""

    def choose(game: Game) -> int:
        legal = game.legal_actions()
        if len(legal) > 1 and legal[0] == 0 and rng.random() < 0.8:
            legal = legal[1:]
        return int(rng.choice(legal))

    return choose


def play(game: Game, choose: Choose, most_decisions: int = 100_000) -> Iterator[Game]:
    """The game at each of its decisions, and once more at the end (or where `most_decisions` are over)."""
    for _ in range(most_decisions):
        yield game
        if game.terminated:
            return
        game.step(choose(game))


@st.composite
def positions(draw: st.DrawFn, over: bool = True, **fixed: Any) -> Game:
    """A game somewhere on its way, as likely in one phase as in another; `over`: or at its end."""
    game = Game(draw(rules(**fixed)), seed=draw(SEEDS))
    phases: dict[str, list[Game]] = {}
    for moment in play(game, eager(np.random.default_rng(draw(SEEDS))), 200):
        phases.setdefault(moment.phase, []).append(moment.copy())
    if not over:
        phases.pop("OVER", None)
    if not phases:  # auto_forced played it to the end
        return game
    moments = phases[draw(st.sampled_from(sorted(phases)))]
    return moments[draw(st.integers(0, len(moments) - 1))]


def fingerprint(game: Game) -> bytes:
    """Everything that a game is: its row with the random streams, player, mask, and every seat's observation."""
    parts = [repr((game.seed, game.player)).encode(), game.__getstate__()["row"].tobytes()]
    parts += [game.action_mask().tobytes(), game.legal_actions().tobytes()]
    parts += [game.observation(seat).tobytes() for seat in range(game.rules.num_players)]
    return b"|".join(parts)


def batch_fingerprint(batch: Batch) -> bytes:
    """Everything that a batch is."""
    state = batch.get_state()
    arrays = (state["rows"], state["controllers"], batch.player, batch.observations, batch.action_masks)
    return b"|".join([repr((state["rules"], state["seed"])).encode(), *(array.tobytes() for array in arrays)])


def random_actions(batch: Batch, rng: np.random.Generator) -> np.ndarray:
    """A legal action for every game that is not over, int64 `(B,)`; for the others one that no game has."""
    actions = np.full(batch.num_games, -7, np.int64)
    for b, mask in enumerate(batch.action_masks):
        if mask.any():
            actions[b] = rng.choice(np.flatnonzero(mask))
    return actions


def counted(seed: int) -> Choose:
    """A player that depends on no library's random numbers, for digests that are kept: a congruential generator."""
    state = seed

    def choose(game: Game) -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        legal = game.legal_actions()
        first = 1 if len(legal) > 1 and legal[0] == 0 and state >> 61 else 0  # passes one time in eight
        return int(legal[first + (state >> 33) % (len(legal) - first)])

    return choose


def game_digest(rules: Rules, seed: int) -> str:
    """sha256 of a whole game: every action, mask and observation of every seat, then the scores."""
    digest = hashlib.sha256()
    game, choose = Game(rules, seed=seed), counted(seed)
    while True:
        digest.update(game.action_mask().tobytes())
        for seat in range(rules.num_players):
            digest.update(game.observation(seat).astype("<f4").tobytes())
        if game.terminated:
            break
        action = choose(game)
        digest.update(repr((game.phase, game.player, action)).encode())
        game.step(action)
    digest.update(repr((game.scores(), game.stalled, game.turn)).encode())
    return digest.hexdigest()


def batch_digest(rules: dict[str, Any], seed: int, threads: int = 1, num_games: int = 5, steps: int = 80) -> str:
    """sha256 of a batch over some steps of random play, with a bot of each kind at the table; resets included."""
    digest = hashlib.sha256()
    batch = Batch(rules, num_games=num_games, seed=seed, threads=threads)
    batch.controllers[num_games // 2, 0] = 0
    batch.controllers[num_games - 1, 1] = 1
    rng = np.random.default_rng(0)
    for _ in range(steps):
        digest.update(batch_fingerprint(batch))
        batch.step(random_actions(batch, rng))
        batch.reset(which=batch.terminated)
    digest.update(batch_fingerprint(batch))
    digest.update(batch.scores.tobytes())
    return digest.hexdigest()
