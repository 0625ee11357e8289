"""Plays many games of given agents at once, in one batch."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents import Agent, ObservationAgent
from respublica_env import Batch, Rules

MOST_GAMES = 2048  # in one batch; the results do not depend on it


def play(
    rules: Rules,
    agents: Sequence[Agent],
    seats: NDArray[np.int64],
    seeds: Sequence[int],
    most_games: int = MOST_GAMES,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Play one game for each row of `seats`.

    Args:
        rules: of all games.
        agents: who plays.
        seats: int64 `(G, n)`, which of the agents sits where.
        seeds: G seeds; game `g` is dealt as `Game(rules, seed=seeds[g])`. An agent that uses chance has a generator
            of its own for each game and seat, made from the seed and the seat.
        most_games: how many games are in memory at once.

    Returns final scores, int64 `(G, n)`, and whether the games stalled, bool `(G,)`.
    """
    parts = [
        _play_at_once(rules, agents, seats[first : first + most_games], seeds[first : first + most_games])
        for first in range(0, len(seats), most_games)
    ]
    return np.concatenate([scores for scores, _ in parts]), np.concatenate([stalled for _, stalled in parts])


def _play_at_once(
    rules: Rules, agents: Sequence[Agent], seats: NDArray[np.int64], seeds: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    bots = np.array([-1 if agent.bot is None else agent.bot for agent in agents], np.int8)
    batch = Batch(rules, len(seats), seed=0, controllers=bots[seats])
    batch.reset(seeds=seeds)
    players = [_Player(agent, seats == i, seeds) for i, agent in enumerate(agents) if agent.bot is None]
    actions = np.zeros(len(seats), np.int64)
    while (batch.player >= 0).any():
        for player in players:
            player.decide(batch, actions)
        batch.step(actions)
    return batch.scores, batch.stalled


class _Player:
    """An agent in all the games and seats that it plays."""

    def __init__(self, agent: Agent, sits: NDArray[np.bool_], seeds: Sequence[int]) -> None:
        self._agent = agent
        self._sits = sits  # (G, n)
        self._seeds = seeds
        self._generators: dict[tuple[int, int], np.random.Generator] = {}
        self._unused = np.random.default_rng(0)

    def decide(self, batch: Batch, actions: NDArray[np.int64]) -> None:
        """Write the actions of the games that wait for this agent into `actions`, `(G,)`."""
        running = np.flatnonzero(batch.player >= 0)
        waiting = running[self._sits[running, batch.player[running]]]
        if waiting.size == 0:
            return
        if isinstance(self._agent, ObservationAgent):
            if self._agent.deterministic:
                seen, legal = batch.observations[waiting], batch.action_masks[waiting]
                actions[waiting] = self._agent.act(seen, legal, self._unused)
                return
            for game in waiting:
                rng = self._generator(int(game), int(batch.player[game]))
                rows = slice(game, game + 1)
                actions[game] = self._agent.act(batch.observations[rows].copy(), batch.action_masks[rows], rng)[0]
            return
        for game in waiting:
            seat = int(batch.player[game])
            actions[game] = self._agent.choose(batch.game(game), seat, self._generator(int(game), seat))

    def _generator(self, game: int, seat: int) -> np.random.Generator:
        if (game, seat) not in self._generators:
            self._generators[game, seat] = np.random.default_rng((self._seeds[game], seat))
        return self._generators[game, seat]
