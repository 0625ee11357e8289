"""Whom the learner meets: scripted players, past selves and the present self, the hard ones more often.

At each deal of each game the league draws who sits at the table. Most tables have the same opponent in all other seats,
as in the arena; at the others (`mixed`) each seat is drawn by itself. A category is drawn first (the present self, past
selves, fixed opponents, by their shares of the tables), then one in it, in proportion to f(p), where p is how often the
learner has lately scored more than it: prioritised fictitious self-play, with the weights of Vinyals et al. 2019
("Grandmaster level in StarCraft II using multi-agent reinforcement learning", https://doi.org/10.1038/s41586-019-1724-z):
"hard" (1 - p)^2, "variance" p (1 - p). A tenth is shared evenly, so that nobody is forgotten.

The learner's seat is drawn anew for each game (`seat=None` of the environment).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.networks import Network
from respublica_env import Rules
from respublica_env.envs.rewards import win_shares
from respublica_env.envs.vector import Step
from respublica_env.opponents import find
from respublica_env.sb3 import ResPublicaVecEnv

PRIORITIES: dict[str, Callable[[float], float]] = {
    "hard": lambda beaten: (1 - beaten) ** 2,
    "variance": lambda beaten: beaten * (1 - beaten),
    "even": lambda _: 1.0,
}
EVEN = 0.1  # share of a category that is spread evenly
WINDOW = 500  # games over which results are remembered
PRESENT = "present self"

# Rows that go through a network at once: with more, its values no longer stay in the processor's caches.
_ROWS = 128


class Sampled:
    """A policy that plays as it learns: every action with its probability.

    Attributes:
        name: how the league names it.
        network: its logits; may be replaced.
    """

    def __init__(self, name: str, network: Network) -> None:
        self.name = name
        self.network = network

    def act(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """One action for each row: the first whose cumulative probability exceeds a draw."""
        draws = rng.random((len(observations), 1))
        actions = np.empty(len(observations), np.int64)
        for first in range(0, len(observations), _ROWS):
            part = slice(first, first + _ROWS)
            logits = np.where(action_masks[part] != 0, self.network(observations[part]), -np.inf)
            logits -= logits.max(axis=1, keepdims=True)
            cumulative = np.exp(logits, out=logits).cumsum(axis=1)
            total = cumulative[:, -1:]
            # The second condition holds at the last legal action: a draw times the total may be rounded up to it.
            actions[part] = ((cumulative > draws[part] * total) | (cumulative == total)).argmax(axis=1)
        return actions


@dataclass
class Member:
    """An opponent and how the learner fared against it lately.

    Attributes:
        name: how it is shown.
        player: the name of a compiled bot, or an agent.
        key: the number of the compiled bot, or the agent's name: as games know it.
        games, beaten: games against it, and how many of them the learner scored more (a draw is half of one).
        tables, shares: games in which it had all other seats, and the learner's shares of the win in them.
    """

    name: str
    player: object
    key: int | str
    games: float = 0.0
    beaten: float = 0.0
    tables: float = 0.0
    shares: float = 0.0

    @property
    def beaten_rate(self) -> float:
        """How often the learner scores more, from 0 to 1; 0.5 while nothing is known."""
        return (self.beaten + 1) / (self.games + 2)

    @property
    def win_share(self) -> float | None:
        """The learner's share of the win at tables full of it; None before the first."""
        return self.shares / self.tables if self.tables else None

    def record(self, beaten: float) -> None:
        """A game against it."""
        keep = 1 - 1 / WINDOW
        self.games, self.beaten = keep * self.games + 1, keep * self.beaten + beaten

    def record_table(self, share: float) -> None:
        """A game in which it had all other seats."""
        keep = 1 - 1 / WINDOW
        self.tables, self.shares = keep * self.tables + 1, keep * self.shares + share


class League:
    """The pool, and the draw (`lineup`).

    Args:
        rules: what is played.
        fixed: opponents by name, in any form that `respublica_env.opponents.find` knows.
        present, past: shares of the tables against the present self and against past selves; the fixed have the rest.
            Until there is a past self its share is the present one's.
        mixed: share of the tables at which each seat is drawn by itself.
        size: past selves that are kept. The easiest one leaves when there is one too many.
        at_once: past selves that are met at the same time: each is asked for all its games at once, so that few of
            them are asked more cheaply than many.
        priority: "hard", "variance" or "even".
        seed: of the choice of those.
    """

    def __init__(
        self,
        rules: Rules,
        fixed: Sequence[str],
        present: float = 0.0,
        past: float = 0.0,
        mixed: float = 0.25,
        size: int = 16,
        at_once: int = 3,
        priority: str = "hard",
        seed: int = 0,
    ) -> None:
        self.rules, self.mixed, self.size, self.at_once, self.priority = rules, mixed, size, at_once, priority
        self.chances = {"present": present, "past": past, "fixed": 1 - present - past}
        self.fixed = [_member(name, rules) for name in dict.fromkeys(fixed)]
        self.past: list[Member] = []
        self.present = Member(PRESENT, None, PRESENT)
        self._met: list[Member] = []  # past selves that are met at present
        self._rng = np.random.default_rng((seed, 1))
        self.redraw()

    def update(self, network: Network) -> None:
        """The present self plays with these weights from now on."""
        if self.present.player is None:
            self.present.player = Sampled(PRESENT, network)
            self.redraw()
        self.present.player.network = network  # type: ignore[attr-defined]

    def add(self, name: str, network: Network) -> None:
        """A past self."""
        self.past.append(Member(name, Sampled(name, network), name))
        self._let_go()
        self.redraw()

    def resize(self, size: int) -> None:
        """Keep so many past selves from now on."""
        self.size = size
        if len(self.past) > size:
            self._let_go()
            self.redraw()

    def _let_go(self) -> None:
        while len(self.past) > self.size:
            easiest = max(self.past[:-1] or self.past, key=lambda member: member.beaten_rate)  # the newest is untried
            self.past.remove(easiest)

    def redraw(self) -> None:
        """Choose the past selves that are met for some time, and how likely everybody is."""
        count = min(self.at_once, len(self.past))
        if count:
            chances = self._weights(self.past)
            some = self._rng.choice(len(self.past), count, replace=False, p=chances)
            self._met = [self.past[i] for i in sorted(some)]
        chances = dict(self.chances)
        if not self._met:
            chances["present"] += chances.pop("past")
        if self.present.player is None:
            chances.pop("present")
        groups = {"present": [self.present], "past": self._met, "fixed": self.fixed}
        self._drawn: list[Member] = []
        weights: list[float] = []
        for name, chance in chances.items():
            self._drawn += groups[name]
            weights += (chance * self._weights(groups[name])).tolist()
        self._cumulative = np.cumsum(weights) / sum(weights)

    def _weights(self, members: Sequence[Member]) -> NDArray[np.float64]:
        """How likely each member of a category is, float64 `(k,)`."""
        weights = np.array([PRIORITIES[self.priority](member.beaten_rate) for member in members])
        return (1 - EVEN) * weights / weights.sum() + EVEN / len(members)

    def lineup(self, rng: np.random.Generator) -> list[object]:
        """Who plays the other seats of a game that begins."""
        others = self.rules.num_players - 1
        draws = rng.random(others + 1)
        if draws[0] >= self.mixed:
            draws[1:] = draws[1]
        return [self._drawn[i].player for i in self._cumulative.searchsorted(draws[1:], side="right").tolist()]

    def record(self, keys: Sequence[int | str], scores: Sequence[int], own: int, share: float) -> None:
        """A game that has ended.

        keys, scores: of the other seats; own, share: the learner's score and share of the win.
        """
        members = self.members
        known = [members.get(key) for key in keys]  # one that has left the league since is not
        for member, points in zip(known, scores, strict=True):
            if member is not None:
                member.record(1.0 if own > points else 0.5 * (own == points))
        if known[0] is not None and len(set(keys)) == 1:
            known[0].record_table(share)

    @property
    def members(self) -> Mapping[int | str, Member]:
        """Everybody, by key."""
        return {member.key: member for member in (*self.fixed, *self.past, self.present)}


def _member(name: str, rules: Rules) -> Member:
    found = find(name)
    if isinstance(found, int):
        return Member(name, name, found)
    check = getattr(found.agent, "check", None)
    if check is not None:
        check(rules)
    return Member(name, found.agent, found.name)


class LeagueGames(ResPublicaVecEnv):
    """Games against whom a league draws; it is told how they end.

    Attributes:
        league: the league.
        trades: answers that the learner has taken, over `finished` games.
    """

    def __init__(self, num_envs: int, league: League, **keywords: Any) -> None:
        super().__init__(num_envs, league, rules=league.rules, **keywords)
        self.league = league

    def _write_infos(self, step: Step, infos: list[dict[str, Any]]) -> None:
        super()._write_infos(step, infos)
        games = self.games
        scores = games.batch.scores
        shares = win_shares(scores[step.ended])
        for game, share in zip(step.ended.tolist(), shares, strict=True):
            if game in step.illegal:
                continue
            seat = int(games.seats[game])
            others = [other for other in range(self.rules.num_players) if other != seat]
            keys = [self._key(game, other) for other in others]
            self.league.record(keys, scores[game, others].tolist(), int(scores[game, seat]), float(share[seat]))

    def _key(self, game: int, seat: int) -> int | str:
        bot = int(self.games.batch.controllers[game, seat])
        return bot if bot >= 0 else self.games._others.seated[game, seat].name
