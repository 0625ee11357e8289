"""Evaluation: every deal is played in every distinct seating of the agents.

    python -m train.evaluate --agents runs/ppo/last.zip greedy greedy greedy --deals 250 --seed 0 --json result.json

Deal `d` has the decks of `Game(rules, seed=seed + d)` in each of its seatings, so that luck with the cards and the seat
cancels out. The intervals are bootstrapped over deals (games of one deal hang together): `scipy.stats.bootstrap`,
percentile method. Ratings are those of Weng and Lin's Plackett-Luce model (JMLR 2011, by `openskill`): the cautious
`mu - 3 sigma`, after all games in order.
"""

import itertools
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents.base import Agent
from agents.files import write_whole
from respublica_env import Batch, Rules
from respublica_env.envs.rewards import win_shares
from respublica_env.seeding import check_seed

GAMES_AT_ONCE = 4096
RESAMPLES = 2000


@dataclass(frozen=True)
class AgentResult:
    """One distinct agent: per seat that it has, win share with its 95 % interval, mean points, rating."""

    name: str
    seats: int
    win_share: float
    low: float
    high: float
    mean_points: float
    rating: float


@dataclass(frozen=True)
class Result:
    """What an evaluation found. `games` = deals times distinct seatings."""

    deals: int
    games: int
    seed: int
    rules: dict[str, Any]
    stalled: float
    agents: list[AgentResult]


def seatings(names: Sequence[str]) -> list[tuple[str, ...]]:
    """The distinct orders of the agents around the table, sorted."""
    return sorted(set(itertools.permutations(names)))


def play(
    rules: Rules, players: dict[str, Agent], games: list[tuple[int, tuple[str, ...]]]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Play games, each a seed and the names by seat: scores int64 `(G, n)` and which stalled, bool `(G,)`."""
    names = list(players)
    seats = np.array([[names.index(name) for name in order] for _, order in games])  # (G, n)
    bots = np.array([-1 if player.bot is None else player.bot for player in players.values()], np.int8)
    batch = Batch(rules, len(games), seed=0, controllers=bots[seats])
    batch.reset(seeds=[seed for seed, _ in games])
    # One generator a game: what an agent does must not depend on how many are played at once.
    generators = [
        np.random.default_rng([seed, *map(int, order)]) for (seed, _), order in zip(games, seats, strict=True)
    ]
    actions = np.zeros(len(games), np.int64)
    while (waiting := np.flatnonzero(batch.player >= 0)).size:
        turn = seats[waiting, batch.player[waiting]]
        for number in np.unique(turn):
            rows = waiting[turn == number]
            actions[rows] = _choose(players[names[number]], batch, rows, generators)
        batch.step(actions)
    return batch.scores, batch.stalled


def _choose(
    player: Agent, batch: Batch, rows: NDArray[np.int64], generators: list[np.random.Generator]
) -> NDArray[np.int64]:
    """The actions of one agent in all games that wait for it."""
    if not player.draws:
        return player.act(batch.observations[rows], batch.action_masks[rows], generators[0])
    return np.array([player.choose(batch.game(b), int(batch.player[b]), generators[b]) for b in rows], np.int64)


def evaluate(
    names: Sequence[str],
    rules: Rules,
    deals: int = 250,
    seed: int = 0,
    players: dict[str, Agent] | None = None,
    progress: Callable[[int], object] | None = None,
) -> Result:
    """Play every deal in every distinct seating of the agents.

    names: as many as there are players; each is a name or path for `agents.load`, or a key of `players`.
    progress: called with the number of games of each part that has been played.

    Raises ValueError for a wrong number of agents, an unknown one, or one that cannot play under the rules.
    """
    if len(names) != rules.num_players:
        raise ValueError(f"the rules have {rules.num_players} players, got {len(names)} agents")
    if deals < 2:
        raise ValueError(f"deals must be at least 2 (an interval needs two), got {deals}")
    check_seed(seed, deals)
    table = {name: (players or {}).get(name) or agents.load(name) for name in dict.fromkeys(names)}
    for player in table.values():
        player.check(rules)
    orders = seatings(names)
    games = [(seed + deal, order) for deal in range(deals) for order in orders]
    scores, stalled = [], []
    for start in range(0, len(games), GAMES_AT_ONCE):
        part = games[start : start + GAMES_AT_ONCE]
        part_scores, part_stalled = play(rules, table, part)
        scores.append(part_scores)
        stalled.append(part_stalled)
        if progress is not None:
            progress(len(part))
    return _summary(names, rules, deals, seed, orders, np.concatenate(scores), np.concatenate(stalled))


def _summary(
    names: Sequence[str],
    rules: Rules,
    deals: int,
    seed: int,
    orders: list[tuple[str, ...]],
    scores: NDArray[np.int64],
    stalled: NDArray[np.bool_],
) -> Result:
    """Means and intervals from the scores `(deals * orders, n)`, games of one deal side by side."""
    from scipy.stats import bootstrap

    shares = win_shares(scores).reshape(deals, len(orders), -1)  # (deals, orders, n)
    points = scores.reshape(deals, len(orders), -1)
    ratings = _ratings(orders, scores)
    results = []
    for name in dict.fromkeys(names):
        mine = np.array([[seat == name for seat in order] for order in orders])  # (orders, n)
        by_deal = shares[:, mine].mean(axis=1)  # (deals,)
        low, high = by_deal[0], by_deal[0]
        if np.ptp(by_deal) > 0:
            interval = bootstrap(
                (by_deal,), np.mean, n_resamples=RESAMPLES, method="percentile", rng=np.random.default_rng(seed)
            ).confidence_interval
            low, high = interval.low, interval.high
        results.append(
            AgentResult(
                name=name,
                seats=list(names).count(name),
                win_share=float(by_deal.mean()),
                low=float(low),
                high=float(high),
                mean_points=float(points[:, mine].mean()),
                rating=ratings[name],
            )
        )
    return Result(deals, len(scores), seed, rules.to_dict(), float(stalled.mean()), results)


def _ratings(orders: list[tuple[str, ...]], scores: NDArray[np.int64]) -> dict[str, float]:
    """The rating of each agent after all games; one that has several seats learns from their mean."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    table = {name: model.rating(name=name) for name in sorted(set(orders[0]))}
    for game, row in enumerate(scores.tolist()):
        order = orders[game % len(orders)]
        rated = model.rate([[table[name]] for name in order], scores=row)
        for name in table:
            seats = [team[0] for team, seat in zip(rated, order, strict=True) if seat == name]
            table[name] = model.rating(
                name=name,
                mu=sum(rating.mu for rating in seats) / len(seats),
                sigma=sum(rating.sigma for rating in seats) / len(seats),
            )
    return {name: float(rating.ordinal()) for name, rating in table.items()}


def print_table(title: str, results: Sequence[Result]) -> None:
    """A table on the terminal: a row for each distinct agent of each evaluation."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title)
    for column in ("agents", "agent", "seats", "win share", "95 % interval", "mean points", "rating", "games"):
        table.add_column(column, justify="left" if column.startswith("agent") else "right")
    for result in results:
        lineup = " ".join(f"{agent.seats} x {Path(agent.name).stem}" for agent in result.agents)
        for agent in result.agents:
            table.add_row(
                lineup,
                Path(agent.name).stem,
                str(agent.seats),
                f"{agent.win_share:.3f}",
                f"{agent.low:.3f} to {agent.high:.3f}",
                f"{agent.mean_points:.1f}",
                f"{agent.rating:.1f}",
                str(result.games),
            )
    Console().print(table)


@dataclass
class Arguments:
    """Play agents against one another: every deal in every distinct seating."""

    agents: tuple[str, ...]
    """As many as players: names (random, greedy) or paths of checkpoints."""
    rules: str = "standard"
    """A preset (standard, mini, small) or a JSON file with the fields of the rules."""
    deals: int = 250
    """Deals, each played in every distinct seating."""
    seed: int = 0
    """Deal d is dealt as Game(seed=seed + d)."""
    json: Path | None = None
    """Write the result to this file."""


def read_rules(text: str, num_players: int) -> Rules:
    """Rules from a preset's name (the standard game is for as many players as there are agents) or a JSON file."""
    if text == "standard":
        return Rules(num_players=num_players)
    if not Path(text).is_file():
        return Rules.of(text)
    try:
        return Rules.of(json.loads(Path(text).read_text()))
    except json.JSONDecodeError as error:
        raise ValueError(f"{text} is not JSON: {error}") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns the exit status: 2 for bad input, with one line on stderr and nothing written."""
    import tyro
    from tqdm import tqdm

    given = tyro.cli(Arguments, args=arguments, prog="python -m train.evaluate")
    try:
        rules = read_rules(given.rules, len(given.agents))
        total = given.deals * len(seatings(given.agents))
        with tqdm(total=total, unit="game", disable=None) as bar:
            result = evaluate(given.agents, rules, given.deals, given.seed, progress=bar.update)
        if given.json is not None:
            text = json.dumps(asdict(result), indent=2)
            write_whole(given.json, lambda path: path.write_text(text))
    except (ValueError, OSError) as error:
        print(f"train.evaluate: {error}", file=sys.stderr)
        return 2
    print_table("Evaluation", [result])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
