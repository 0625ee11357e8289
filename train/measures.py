"""What the games of a match say: win shares with intervals, points by source, trades, seats, ratings.

The share of the win of a seat is 1 for the only best score, 1/k for each of k equal best ones; par is 1/n.
Games of one deal are not independent: intervals come from a percentile bootstrap over deals, in which all games of a
deal stay together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap

import respublica_env
from respublica_env.envs.rewards import win_shares
from train.arena import Games
from train.lineups import Lineup, Match
from train.ratings import ratings

CONFIDENCE = 0.95
RESAMPLES = 9_999
TRADES = ("announced", "made", "refused", "answered", "taken")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """Games of one lineup, and which seats in them are looked at: bool `(G, n)`, as many in each game."""

    lineup: Lineup
    games: Games
    sits: NDArray[np.bool_]

    def shares(self) -> Floats:
        """Win share of a seat that is looked at, by deal and seating: `(D, S)`."""
        shares = np.where(self.sits, win_shares(self.games.scores), 0).sum(axis=1) / self.sits[0].sum()
        return shares.reshape(self.lineup.deals, -1)


def of_one_table(match: Match, played: Sequence[Games]) -> dict[str, Any]:
    """What `train.evaluate` writes for a single lineup."""
    (lineup,), (games,) = match.lineups, played
    views = [[Part(lineup, games, lineup.seats() == i)] for i in range(len(match.names))]
    return _result(match, played, views)


def of_cross_play(match: Match, played: Sequence[Games]) -> dict[str, Any]:
    """What `train.evaluate --cross-play` writes. An agent's own entry is about the seat in which it meets others."""
    size = len(match.names)
    cells = [Part(lineup, games, lineup.seats() == i) for (i, _), lineup, games in _cells(size, match.lineups, played)]
    views = [[cells[i * size + j] for j in range(size) if j != i] for i in range(size)]
    result = _result(match, played, views)
    shares = np.array([cell.shares().mean(axis=1) for cell in cells])
    low, high = intervals(shares, match.seed)
    points = [float(cell.games.scores[cell.sits].mean()) for cell in cells]
    figures = (("win_share", shares.mean(axis=1)), ("low", low), ("high", high), ("mean_points", np.array(points)))
    matrices = {name: values.reshape(size, size).tolist() for name, values in figures}
    return {**result, "cross_play": {"agents": match.names, **matrices}}


def _cells(
    size: int, lineups: Sequence[Lineup], played: Sequence[Games]
) -> Iterator[tuple[tuple[int, int], Lineup, Games]]:
    places = ((i, j) for i in range(size) for j in range(size))
    yield from zip(places, lineups, played, strict=True)


def _result(match: Match, played: Sequence[Games], views: Sequence[Sequence[Part]]) -> dict[str, Any]:
    """All figures; views: for each agent the games and seats that its entry is about."""
    shares = [np.concatenate([part.shares() for part in parts], axis=1) for parts in views]  # (D, S) each
    seats = _shares_by_seat(match, played)  # (n, D)
    low, high = intervals(np.array([*(each.mean(axis=1) for each in shares), *seats]), match.seed)
    rated = ratings(_tables(match, played), len(match.names))
    agents = [
        {
            "name": name,
            "seats": int(parts[0].sits[0].sum()),
            "win_share": float(share.mean()),
            "low": float(low[i]),
            "high": float(high[i]),
            "mean_points": _mean("scores", parts),
            "rating": rated[i][0],
            "rating_sigma": rated[i][1],
            "variance_ratio": variance_ratio(share),
            **_details(parts),
        }
        for i, (name, parts, share) in enumerate(zip(match.names, views, shares, strict=True))
    ]
    scores = np.concatenate([games.scores for games in played])
    everything = Games.joined(played)
    return {
        "deals": match.lineups[0].deals,
        "games": match.games,
        "agents": agents,
        "by_seat": [
            {
                "seat": seat,
                "win_share": float(seats[seat].mean()),
                "low": float(low[len(shares) + seat]),
                "high": float(high[len(shares) + seat]),
                "mean_points": float(scores[:, seat].mean()),
            }
            for seat in range(match.rules.num_players)
        ],
        "par": 1 / match.rules.num_players,
        "seatings": max(len(lineup.seatings) for lineup in match.lineups),
        "stalled": int(everything.stalled.sum()),
        "turns": float(everything.turns.mean()),
        "trades": float(everything.made.sum(axis=1).mean()),
        "confidence": CONFIDENCE,
        "seed": match.seed,
        "rules": match.rules.to_dict(),
        "version": respublica_env.__version__,
    }


def _mean(figure: str, parts: Sequence[Part]) -> float:
    """By game and seat that is looked at; parts weigh the same."""
    return float(np.mean([getattr(part.games, figure)[part.sits].mean() for part in parts]))


def _details(parts: Sequence[Part]) -> dict[str, Any]:
    """Points by source, trades, and seats, by game and seat that is looked at."""
    by_seat = [
        {"seat": seat, "win_share": float(np.mean(shares)), "mean_points": float(np.mean(points))}
        for seat in range(parts[0].sits.shape[1])
        for shares, points in [_in_seat(parts, seat)]
    ]
    return {
        "points": {source: _mean(source, parts) for source in ("cities", "monuments", "pairs")},
        "trades": {name: _mean(name, parts) for name in TRADES},
        "by_seat": by_seat,
    }


def _in_seat(parts: Sequence[Part], seat: int) -> tuple[list[float], list[float]]:
    """Win share and points where a seat is looked at, for each part."""
    sitting = [(part.games.scores, part.sits[:, seat]) for part in parts]
    shares = [float(win_shares(scores)[sits, seat].mean()) for scores, sits in sitting]
    return shares, [float(scores[sits, seat].mean()) for scores, sits in sitting]


def _shares_by_seat(match: Match, played: Sequence[Games]) -> Floats:
    """Win share of each seat in each deal, whoever sits there: `(n, D)`; lineups weigh the same."""
    by_lineup = [
        win_shares(games.scores).reshape(lineup.deals, -1, match.rules.num_players).mean(axis=1)
        for lineup, games in zip(match.lineups, played, strict=True)
    ]
    return np.mean(by_lineup, axis=0).T


def _tables(match: Match, played: Sequence[Games]) -> Iterator[tuple[list[int], list[int]]]:
    """Who sat where and the scores of all games in which agents met others, deal by deal."""
    deals = match.lineups[0].deals
    meetings = [
        (lineup.seats().reshape(deals, -1, match.rules.num_players), games.scores.reshape(deals, -1, lineup_size))
        for lineup, games in zip(match.lineups, played, strict=True)
        for lineup_size in [match.rules.num_players]
        if len(match.lineups) == 1 or len(lineup.seatings) > 1
    ]
    for deal in range(deals):
        yield from chain.from_iterable(
            zip(seats[deal].tolist(), scores[deal].tolist(), strict=True) for seats, scores in meetings
        )


def variance_ratio(shares: Floats) -> float | None:
    """Variance of the mean of `shares`, `(D, S)`, over that of as many independent games, from the same data.

    The independent games would have a deal each, and every seating equally often. The variance of the mean is then that
    between deals, within each seating, over D * S; as the games were played, it is that of the means of deals, over D.
    None where there is nothing to compare: a single deal or seating, or no variance.
    """
    deals, seatings = shares.shape
    alone = shares.var(axis=0, ddof=1).mean() / seatings if deals > 1 and seatings > 1 else 0.0
    return float(shares.mean(axis=1).var(ddof=1) / alone) if alone > 1e-12 else None  # less is rounding


def intervals(per_deal: Floats, seed: int) -> tuple[Floats, Floats]:
    """Percentile bootstrap of the means over deals, `(k, D)`: lower and upper ends, `(k,)` each.

    With one deal there is nothing to estimate an interval from: it is then 0 to 1.
    """
    figures, deals = per_deal.shape
    if deals < 2:
        return np.zeros(figures), np.ones(figures)
    found = bootstrap(
        (per_deal,),
        np.mean,
        axis=1,
        n_resamples=RESAMPLES,
        batch=max(1, 4_000_000 // per_deal.size),
        confidence_level=CONFIDENCE,
        method="percentile",
        random_state=np.random.default_rng(seed),
    ).confidence_interval
    return found.low, found.high
