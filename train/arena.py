"""Plays many games of given agents at once, in one batch, and counts what is said and built in them.

Every decision passes through here, those of compiled bots too: so that trades can be counted, and games recorded. A
bot draws from its seat's own random stream, as it does inside `Batch.step`: the games are the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from agents import Agent, ObservationAgent
from respublica_env import Batch, Rules, observation_layout
from respublica_env.actions import action_table
from respublica_env.record import Record, decks_before_deal
from train.bots import choose_rows

Counts = NDArray[np.int64]
KeepRecord = Callable[[int, Record], None]


@dataclass(frozen=True)
class Games:
    """What G games came to: int64 `(G, n)` by seat, but for `turns` and `stalled`, int64 `(G,)`.

    A trade is made, or refused, by whoever announced it in its own turn.

    Attributes:
        scores: final scores.
        cities: points of cities.
        monuments: points of monuments.
        announced: offers and searches that the seat announced in its own turns.
        made: those of them after which it took an answer.
        answered: answers that the seat gave in others' turns.
        taken: those of them that were taken.
        turns: turns completed.
        stalled: 1 when the game stalled.
    """

    scores: Counts
    cities: Counts
    monuments: Counts
    announced: Counts
    made: Counts
    answered: Counts
    taken: Counts
    turns: Counts
    stalled: Counts

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def pairs(self) -> Counts:
        """Points of pairs in hand at the end."""
        return self.scores - self.cities - self.monuments

    @property
    def refused(self) -> Counts:
        """Announcements that led to no trade: all others passed, or the seat took none of their answers."""
        return self.announced - self.made

    @classmethod
    def joined(cls, parts: Sequence["Games"]) -> "Games":
        """All games of the parts, in their order."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    def to_lists(self) -> dict[str, list[int] | list[list[int]]]:
        """The same as JSON types."""
        return {field.name: getattr(self, field.name).tolist() for field in fields(self)}

    @classmethod
    def from_lists(cls, lists: dict[str, list[int] | list[list[int]]]) -> "Games":
        """Back from `to_lists`."""
        return cls(**{field.name: np.array(lists[field.name], np.int64) for field in fields(cls)})


def play(
    rules: Rules,
    agents: Sequence[Agent],
    seats: NDArray[np.int64],
    seeds: Sequence[int],
    keep: KeepRecord | None = None,
) -> Games:
    """Play one game for each row of `seats`.

    Args:
        rules: of all games.
        agents: who plays.
        seats: int64 `(G, n)`, which of the agents sits where.
        seeds: G seeds; game `g` is dealt as `Game(rules, seed=seeds[g])`. An agent that uses chance has a generator
            of its own for each game and seat, made from the seed and the seat.
        keep: called with each game's number and its record, when all are over.
    """
    batch = _Batch(rules, len(seats), seed=0)
    batch.reset(seeds=seeds)
    bots = np.array([-1 if agent.bot is None else agent.bot for agent in agents], np.int8)[seats]
    players = [_Player(agent, seats == i, seeds) for i, agent in enumerate(agents) if agent.bot is None]
    words = _Words(rules, len(seats))
    moves: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    actions = np.zeros(len(seats), np.int64)
    while (batch.player >= 0).any():
        batch.ask(bots, actions)
        for player in players:
            player.decide(batch, actions)
        words.hear(batch, actions)
        if keep is not None:
            moves.append((batch.player.copy(), actions.copy()))
        batch.step(actions)
    ended = [batch.game(game) for game in range(len(seats))]
    if keep is not None:
        for number, game in enumerate(ended):
            names = tuple(agents[i].name for i in seats[number])
            said = [(int(who[number]), int(what[number])) for who, what in moves if who[number] >= 0]
            who, what = zip(*said, strict=True) if said else ((), ())
            keep(number, Record(rules, *decks_before_deal(game), names, who, what, tuple(game.scores()), game.stalled))
    announced, made, answered, taken = words.counts
    cities = rules.city_points * np.array([game.cities for game in ended], np.int64)
    turns = np.array([game.turn for game in ended], np.int64)
    stalled = batch.stalled.astype(np.int64)
    return Games(batch.scores, cities, batch.points - cities, announced, made, answered, taken, turns, stalled)


class _Batch(Batch):
    """A batch in which the bots can be asked one decision at a time."""

    def ask(self, bots: NDArray[np.int8], actions: NDArray[np.int64]) -> None:
        """Write what compiled bots do into `actions`, `(B,)`; bots: `(B, n)`, who plays each seat, -1 for others."""
        running = np.flatnonzero(self.player >= 0)
        deciding = bots[running, self.player[running]]
        waiting = running[deciding >= 0]
        choose_rows(self._spec, self._rows, self._runs[0], waiting, deciding[deciding >= 0], actions)


class _Words:
    """Counts announcements, trades, and answers, by game and seat.

    With `Rules.auto_forced` the engine takes decisions without a choice by itself; such a one is never an announcement,
    an answer, or a trade, for each of those can be passed.
    """

    def __init__(self, rules: Rules, games: int) -> None:
        table = action_table(rules)
        self._said = range(table.offer.start, table.seek.stop)
        self._accept = table.accept
        self._own_turn = observation_layout(rules)["active"].start  # seat 0 of the observation is the observer
        self.counts = np.zeros((4, games, rules.num_players), np.int64)  # announced, made, answered, taken

    def hear(self, batch: Batch, actions: NDArray[np.int64]) -> None:
        """Count what is about to be done in the games that are not over."""
        announced, made, answered, taken = self.counts
        acting = batch.player >= 0
        said = np.flatnonzero(acting & (actions >= self._said.start) & (actions < self._said.stop))
        own = batch.observations[said, self._own_turn] == 1
        for counts, games in ((announced, said[own]), (answered, said[~own])):
            counts[games, batch.player[games]] += 1
        games = np.flatnonzero(acting & (actions >= self._accept.start) & (actions < self._accept.stop))
        seats_on = actions[games] - self._accept.start + 1
        made[games, batch.player[games]] += 1
        taken[games, (batch.player[games] + seats_on) % batch.rules.num_players] += 1


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
        if not isinstance(self._agent, ObservationAgent):
            for game in waiting:
                seat = int(batch.player[game])
                actions[game] = self._agent.choose(batch.game(game), seat, self._generator(int(game), seat))
        elif self._agent.deterministic:
            seen, legal = batch.observations[waiting], batch.action_masks[waiting]
            actions[waiting] = self._agent.act(seen, legal, self._unused)
        else:
            for game in waiting:
                rng = self._generator(int(game), int(batch.player[game]))
                rows = slice(game, game + 1)
                actions[game] = self._agent.act(batch.observations[rows].copy(), batch.action_masks[rows], rng)[0]

    def _generator(self, game: int, seat: int) -> np.random.Generator:
        if (game, seat) not in self._generators:
            self._generators[game, seat] = np.random.default_rng((self._seeds[game], seat))
        return self._generators[game, seat]
