"""Who meets whom, and how a set of games is cut into chunks.

A lineup is played over a number of deals, each in every distinct seating. A match is a list of lineups under the same
rules, with the same deals. Nothing of a game's result depends on the others, on the chunk that it is in, or on who
plays it where.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents import Agent, GameAgent, load
from respublica_env import Rules
from respublica_env.seeding import check_seed

# Games in a chunk: of agents that play many games at once, and of those that are asked game by game.
FAST, SLOW = 512, 4
MOST = 10**8  # games of a match: their results are all in memory at the end


@dataclass(frozen=True)
class Lineup:
    """Who sits at a table, and how often.

    Attributes:
        players: for each of the n players the index of an agent; the order says nothing.
        deals: how many; deal `d` has the match's seed + `d`.
    """

    players: tuple[int, ...]
    deals: int

    @cached_property
    def seatings(self) -> NDArray[np.int64]:
        """All distinct orders of the players, int64 `(S, n)`, sorted."""
        return np.array(sorted(set(permutations(self.players))), np.int64)

    @property
    def games(self) -> int:
        """Game `g` is deal `g // S` in the seating `g % S`."""
        return self.deals * len(self.seatings)

    def seats(self, first: int = 0, end: int | None = None) -> NDArray[np.int64]:
        """Which agent sits where in the games `first` to `end - 1`, int64 `(G, n)`."""
        return self.seatings[np.arange(first, self.games if end is None else end) % len(self.seatings)]


class Chunk(NamedTuple):
    """Games `first` to `end - 1` of a lineup, given by its place in the match."""

    lineup: int
    first: int
    end: int


@dataclass(frozen=True)
class Match:
    """All that decides a set of games.

    Attributes:
        rules: of all games.
        agents: by name, by path, or as agents.
        lineups: in the order in which they are played.
        seed: of the first deal of each lineup.
    """

    rules: Rules
    agents: tuple[str | Agent, ...]
    lineups: tuple[Lineup, ...]
    seed: int

    @cached_property
    def names(self) -> list[str]:
        """How tables name the agents."""
        return [agent if isinstance(agent, str) else agent.name for agent in self.agents]

    @cached_property
    def players(self) -> list[Agent]:
        """The agents, able to play under the rules; ValueError otherwise."""
        loaded = [load(agent) if isinstance(agent, str) else agent for agent in self.agents]
        for agent in loaded:
            agent.check(self.rules)
        return loaded

    @property
    def games(self) -> int:
        """In all lineups."""
        return sum(lineup.games for lineup in self.lineups)

    def chunks(self, most_games: int | None = None) -> Iterator[Chunk]:
        """All games in their order; most_games: in a chunk, None leaves it to the agents."""
        for number, lineup in enumerate(self.lineups):
            size = most_games or (SLOW if any(is_slow(self.players[i]) for i in lineup.players) else FAST)
            for first in range(0, lineup.games, size):
                yield Chunk(number, first, min(first + size, lineup.games))


def is_slow(agent: Agent) -> bool:
    """Whether it is asked game by game."""
    return agent.bot is None and isinstance(agent, GameAgent)


def distinct(agents: Sequence[str | Agent]) -> tuple[str | Agent, ...]:
    """Each agent once, in the order of first mention; ValueError for two that share a name."""
    found: dict[str, str | Agent] = {}
    for agent in agents:
        name = agent if isinstance(agent, str) else agent.name
        if found.setdefault(name, agent) is not agent and found[name] != agent:
            raise ValueError(f"two different agents are named {name!r}: give them names of their own")
    return tuple(found.values())


def one_table(agents: Sequence[str | Agent], rules: Rules, deals: int, seed: int) -> Match:
    """All agents at one table; ValueError unless they are as many as players."""
    if len(agents) != rules.num_players:
        raise ValueError(f"agents must be as many as players, {rules.num_players}, got {len(agents)}")
    once = distinct(agents)
    names = [agent if isinstance(agent, str) else agent.name for agent in once]
    players = tuple(names.index(agent if isinstance(agent, str) else agent.name) for agent in agents)
    return _checked(Match(rules, once, (Lineup(players, deals),), seed))


def cross_play(agents: Sequence[str | Agent], rules: Rules, deals: int, seed: int) -> Match:
    """Every agent in one seat, every agent in all others: lineup `i * m + j` is agent `i` among agents `j`."""
    once = distinct(agents)
    if len(once) < 2 or len(once) != len(agents):
        raise ValueError(f"cross-play is for at least two agents, each named once, got {_listed(agents)}")
    others = rules.num_players - 1
    lineups = tuple(Lineup((i, *[j] * others), deals) for i in range(len(once)) for j in range(len(once)))
    return _checked(Match(rules, once, lineups, seed))


def _listed(agents: Sequence[str | Agent]) -> str:
    return ", ".join(agent if isinstance(agent, str) else agent.name for agent in agents) or "none"


def _checked(match: Match) -> Match:
    for lineup in match.lineups:
        if isinstance(lineup.deals, bool) or not isinstance(lineup.deals, int) or lineup.deals < 1:
            raise ValueError(f"deals must be a whole number of at least 1, got {lineup.deals!r}")
        check_seed(match.seed, lineup.deals)
    if match.games > MOST:
        raise ValueError(f"deals make {match.games:,} games, at most {MOST:,} can be counted: ask for fewer")
    assert match.players
    return match
