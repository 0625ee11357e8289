"""Batch: against the writing ceiling and OpenSpiel's C++ loop; two threads; whole games by compiled bots."""

import os
import time
from collections.abc import Callable
from functools import partial

from respublica_env.bench.measure import Measure, Row, Settings, available, library, take_turns

FEATURES, LEGAL = 60, 30  # what the ceiling scatters into each row
STEPS_BETWEEN_RESETS = 16  # finished games wait this long at most: under 2 % of a game's decisions
AGES = 40  # times STEPS_BETWEEN_RESETS is about the decisions of a game
BOT_GAMES = 256
OPEN_SPIEL = {"hearts": "hearts", "bridge": "bridge(use_double_dummy_result=false)"}
TRADER_BUDGET = 500_000


class RandomPlay:
    """A Batch in which every decision is a random legal action; finished games begin anew.

    Counted are the rows in which the sampler found a legal action: live games, whose player takes a decision.
    """

    def __init__(self, games: int, threads: int, seed: int = 0) -> None:
        from respublica_env.batch import Batch
        from respublica_env.bench.kernels import Sampler

        self.batch = Batch(num_games=games, seed=seed, threads=threads)
        # The same threads take both: two crews would wait for each other's cores.
        self._sampler = Sampler(self.batch.action_masks, seed + 1, self.batch._crew if self.batch._shared else None)
        for part in range(AGES):  # restarts in turn, so that games of every age run side by side
            self._advance()
            if part < games:
                self.batch.reset(range(part, games, AGES))

    def step(self) -> None:
        """One decision in every game."""
        self.batch.step(self._sampler.choose())

    def _advance(self) -> None:
        for _ in range(STEPS_BETWEEN_RESETS):
            self.step()
        self.batch.reset(self.batch.terminated)

    def rate(self, seconds: float) -> float:
        """Decisions a second."""
        before, start = self._sampler.decisions, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            self._advance()
        return (self._sampler.decisions - before) / spent


class Ceiling:
    """The least that writing an observation and a mask can cost: both rows zeroed, a few entries set."""

    def __init__(self, games: int) -> None:
        import numpy as np

        from respublica_env.rules import Rules

        rules, rng = Rules(), np.random.default_rng(0)
        self._observations = np.zeros((games, rules.observation_size), np.float32)
        self._masks = np.zeros((games, rules.num_actions), np.int8)
        self._features = np.sort(rng.choice(rules.observation_size, FEATURES, replace=False))
        self._legal = np.sort(rng.choice(rules.num_actions, LEGAL, replace=False))
        self.rate(0.001)  # compiles

    def rate(self, seconds: float) -> float:
        """Rows a second."""
        import numpy as np

        from respublica_env.bench.kernels import write_rows

        rows, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            for _ in range(STEPS_BETWEEN_RESETS):
                write_rows(self._observations, self._masks, self._features, self._legal, np.float32(0.5))
            rows += STEPS_BETWEEN_RESETS * len(self._masks)
        return rows / spent


def open_spiel_rate(name: str, seconds: float) -> Measure:
    """Decisions a second of OpenSpiel's C++ loop with its uniform random bots.

    `evaluate_bots` plays in the state it is given, so the decisions of each episode are read off that state's history
    (moves that are not chance's) afterwards, outside the timed part.
    """
    pyspiel = library("pyspiel", "open_spiel")
    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(game.num_players())]
    episode = 0

    def rate() -> float:
        nonlocal episode
        decisions, spent = 0, 0.0
        while spent < seconds:
            start = time.perf_counter()
            states = [game.new_initial_state() for _ in range(100)]
            for state in states:
                episode += 1
                pyspiel.evaluate_bots(state, bots, episode)
            spent += time.perf_counter() - start
            decisions += sum(move.player >= 0 for state in states for move in state.full_history())
        return decisions / spent

    return rate


class BotGames:
    """Whole games in which one compiled bot plays every seat, inside one call; an observation is written at the end.

    A Batch says nothing of the decisions within a call. The same games (same seeds) are therefore played once decision
    by decision with `Game.play_bot`, which takes the bot's next random numbers as the batch does, and counted there.
    """

    def __init__(self, bot: str, games: int) -> None:
        from respublica_env.batch import Batch
        from respublica_env.engine.bots import BOT_NAMES

        self._batch = Batch(num_games=games, seed=0, controllers=BOT_NAMES.index(bot))
        self._decisions = sum(self._count(bot, seed) for seed in range(games))

    @staticmethod
    def _count(bot: str, seed: int) -> int:
        from respublica_env.game import Game

        game, decisions = Game(seed=seed), 0
        while not game.terminated:
            game.play_bot(bot)
            decisions += 1
        return decisions

    def rate(self, seconds: float) -> float:
        """Decisions a second."""
        calls, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            self._batch.reset(seeds=0)
            calls += 1
        return calls * self._decisions / spent


def rows() -> list[Row]:
    """The rows, unmeasured."""
    subject = "Batch, random legal actions, observation and mask at every decision"
    unit = "decisions/s"
    return [
        Row("batch-ceiling", subject, unit, "writing ceiling", 0.2),
        Row("batch-hearts", subject, unit, "OpenSpiel hearts, C++ random loop", 1.5),
        Row("batch-bridge", subject, unit, "OpenSpiel bridge, C++ random loop", 1.5),
        Row("batch-threads", "the same with 2 threads", unit, "1 thread", 1.7),
        Row("bots-random", "whole games by `random`, no observation", unit, "the Batch of the first rows", 1.5),
        Row("bots-greedy", "whole games by `greedy`, no observation", unit, "the Batch of the first rows"),
        Row("bots-trader", "whole games by `trader`, no observation", unit, budget=TRADER_BUDGET),
    ]


def measure(wanted: list[Row], settings: Settings) -> None:
    """Fill the rows of `wanted`; all take turns with the same Batch."""
    from respublica_env.engine.bots import BOT_NAMES

    names = {row.name for row in wanted}
    bots = [bot for bot in ("random", "greedy", "trader") if f"bots-{bot}" in names and bot in BOT_NAMES]
    makers: dict[str, Callable[[], Measure]] = {"batch": partial(_play, settings, 1)}
    if "batch-ceiling" in names:
        makers["batch-ceiling"] = lambda: partial(Ceiling(settings.games).rate, settings.seconds)
    for key, name in OPEN_SPIEL.items():
        if f"batch-{key}" in names:
            makers[f"batch-{key}"] = partial(open_spiel_rate, name, settings.seconds)
    if "batch-threads" in names and _free_cores() >= 2:
        makers["batch-threads"] = partial(_play, settings, 2)
    for bot in bots:
        makers[f"bots-{bot}"] = partial(_whole_games, bot, settings)
    made, missing = available(makers)
    figures = take_turns(made, settings.repetitions)
    for row in wanted:
        _fill(row, figures, missing)


def _play(settings: Settings, threads: int) -> Measure:
    return partial(RandomPlay(settings.games, threads).rate, settings.seconds)


def _whole_games(bot: str, settings: Settings) -> Measure:
    return partial(BotGames(bot, 16 if settings.quick else BOT_GAMES).rate, settings.seconds)


def _free_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _fill(row: Row, figures: dict[str, list[float]], missing: dict[str, str]) -> None:
    batch, own = figures["batch"], figures.get(row.name)
    if row.name in missing:
        row.fill(batch).without("peer missing", missing[row.name])
    elif row.name == "batch-threads" and own is None:
        row.without("not measured", "this process has one core")
    elif own is None:
        row.without("not built yet", "")
    elif not row.peer:
        row.fill(own)
    elif row.name in ("batch-ceiling", "batch-hearts", "batch-bridge"):
        row.fill(batch, own)
    else:
        row.fill(own, batch)
