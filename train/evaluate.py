"""How good agents are against each other: every deal is played in every distinct seating.

    python -m train.evaluate --agents runs/ppo-1 greedy greedy greedy --deals 250 --seed 0 --json result.json

A deal is a pair of shuffled decks. Playing it once in every order in which the agents can sit takes the luck of the
deal and of the seat out of the comparison. The share of the win of an agent is 1 for the only best score, 1/k for each
of k equal best ones, so that par is 1/n for n players. Intervals hold with 95 % confidence: percentile bootstrap over
deals, for games of the same deal are not independent. Policies play their likeliest action.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from openskill.models import PlackettLuce
from rich.console import Console
from rich.table import Table
from scipy.stats import bootstrap

import respublica_env
from agents import Agent, load
from respublica_env import Rules
from respublica_env.commands import parse, refuse
from respublica_env.envs.rewards import win_shares
from respublica_env.files import check_target, write_whole
from respublica_env.seeding import check_seed
from train import arena
from train.cli import read_rules

PROG = "train.evaluate"
CONFIDENCE = 0.95
RESAMPLES = 9_999


@dataclass(frozen=True)
class Evaluate:
    """Play agents against each other, every deal in every distinct seating; a table with 95 % intervals."""

    agents: tuple[str, ...]
    """As many as players: random, greedy, or the path of a checkpoint (the file or the folder of a run)."""
    rules: str = "standard"
    """standard, mini, small, or a JSON file with the fields of Rules that differ from the published game."""
    deals: int = 250
    """Pairs of shuffled decks; deal d has the seed SEED + d."""
    seed: int = 0
    """Seed of the first deal."""
    json: Path | None = None
    """Write the result to this file too."""


def evaluate(
    agents: Sequence[str | Agent],
    rules: Rules | None = None,
    deals: int = 250,
    seed: int = 0,
    most_games: int = arena.MOST_GAMES,
) -> dict[str, Any]:
    """Play and count.

    Args:
        agents: one for each player, by name, by path, or as an agent; those with the same name are the same agent.
        rules: None is the published game, for as many players as there are agents (2 to 6).
        deals: at least 1.
        seed: of the first deal; the others follow it.
        most_games: how many games are in memory at once; the result does not depend on it.

    Returns what INTERFACE's JSON holds: "deals", "games", "agents" (one entry for each distinct agent, its win share
    per seat that it plays), and with them "par", "seatings", "seed", "rules" and "version". With one deal there is
    nothing to estimate an interval from: it is then 0 to 1.

    Raises ValueError, naming what is accepted, before anything is played.
    """
    rules = Rules(num_players=len(agents)) if rules is None else rules
    if len(agents) != rules.num_players:
        raise ValueError(f"agents must be as many as players, {rules.num_players}, got {len(agents)}")
    if isinstance(deals, bool) or not isinstance(deals, int) or deals < 1:
        raise ValueError(f"deals must be a whole number of at least 1, got {deals!r}")
    seed = check_seed(seed, deals)
    names = [agent if isinstance(agent, str) else agent.name for agent in agents]
    distinct = list(dict.fromkeys(names))
    players = [_agent(name, agents, names, rules) for name in distinct]
    seatings = _seatings([distinct.index(name) for name in names])  # (S, n)
    seats = np.tile(seatings, (deals, 1))  # (deals * S, n), all seatings of a deal together
    seeds = [seed + deal for deal in range(deals) for _ in seatings]
    scores, stalled = arena.play(rules, players, seats, seeds, most_games)
    shares = win_shares(scores)
    ratings = _ratings(seats, scores, len(distinct))
    rng = np.random.default_rng(seed)
    entries = []
    for i, name in enumerate(distinct):
        sits = seats == i
        per_deal = np.where(sits, shares, 0).reshape(deals, -1).sum(axis=1) / (sits.sum() / deals)
        low, high = _interval(per_deal, rng)
        entries.append(
            {
                "name": name,
                "seats": names.count(name),
                "win_share": float(per_deal.mean()),
                "low": low,
                "high": high,
                "mean_points": float(scores[sits].mean()),
                "rating": ratings[i],
            }
        )
    return {
        "deals": deals,
        "games": len(seats),
        "agents": entries,
        "par": 1 / rules.num_players,
        "seatings": len(seatings),
        "stalled": int(stalled.sum()),
        "confidence": CONFIDENCE,
        "seed": seed,
        "rules": rules.to_dict(),
        "version": respublica_env.__version__,
    }


def _agent(name: str, agents: Sequence[str | Agent], names: Sequence[str], rules: Rules) -> Agent:
    """The one agent of a name, able to play under the rules; ValueError otherwise."""
    given = [agent for agent, its_name in zip(agents, names, strict=True) if its_name == name]
    if any(agent is not given[0] and agent != given[0] for agent in given):
        raise ValueError(f"two different agents are named {name!r}: give them names of their own")
    agent = load(given[0]) if isinstance(given[0], str) else given[0]
    agent.check(rules)
    return agent


def _seatings(players: Sequence[int]) -> NDArray[np.int64]:
    """All distinct orders of the players, int64 `(S, n)`, sorted."""
    return np.array(sorted(set(permutations(players))), np.int64)


def _interval(per_deal: NDArray[np.float64], rng: np.random.Generator) -> tuple[float, float]:
    """Percentile bootstrap of the mean over deals, float64 `(deals,)`."""
    if len(per_deal) < 2:
        return 0.0, 1.0
    found = bootstrap(
        (per_deal,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=max(1, 2_000_000 // len(per_deal)),
        confidence_level=CONFIDENCE,
        method="percentile",
        random_state=rng,
    ).confidence_interval
    return float(found.low), float(found.high)


def _ratings(seats: NDArray[np.int64], scores: NDArray[np.int64], num_agents: int) -> list[float]:
    """The mean of each agent's Plackett-Luce rating after all games, in their order, all starting at 25.

    An agent that plays several seats of a game is rated in each, and takes the mean of what it then has.
    """
    model = PlackettLuce()
    ratings = [model.rating() for _ in range(num_agents)]
    for sitting, points in zip(seats.tolist(), scores.tolist(), strict=True):
        rated = model.rate([[ratings[i]] for i in sitting], scores=points)
        for i in set(sitting):
            own = [team[0] for team, j in zip(rated, sitting, strict=True) if j == i]
            mu, sigma = (sum(getattr(rating, part) for rating in own) / len(own) for part in ("mu", "sigma"))
            ratings[i] = model.rating(mu=mu, sigma=sigma)
    return [rating.mu for rating in ratings]


def table(result: dict[str, Any]) -> Table:
    """The result of `evaluate` for people."""
    heading = f"games: {result['games']:,}; deals: {result['deals']:,}; seatings of each: {result['seatings']}"
    shown = Table(title=heading, caption=f"par is {result['par']:.3f}; intervals hold with 95 % confidence")
    shown.add_column("agent", overflow="fold")
    for column in ("seats", "win share", "95 % interval", "mean points", "rating"):
        shown.add_column(column, justify="right")
    for entry in sorted(result["agents"], key=lambda entry: -entry["win_share"]):
        shown.add_row(
            entry["name"],
            str(entry["seats"]),
            f"{entry['win_share']:.3f}",
            f"{entry['low']:.3f} to {entry['high']:.3f}",
            f"{entry['mean_points']:.1f}",
            f"{entry['rating']:.1f}",
        )
    return shown


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = parse(Evaluate, PROG, arguments, extra="train")
    try:
        if options.json is not None:
            check_target("--json", options.json)
        if options.rules == "standard" and not 2 <= len(options.agents) <= 6:
            raise ValueError(f"--agents must name one for each of 2 to 6 players, got {len(options.agents)}")
        rules = read_rules(options.rules, len(options.agents))
        result = evaluate(options.agents, rules, options.deals, options.seed)
        Console().print(table(result))
        if options.json is not None:
            write_whole(options.json, (json.dumps(result, indent=2) + "\n").encode())
    except (ValueError, OSError, MemoryError) as error:
        refuse(PROG, str(error))


if __name__ == "__main__":
    main()
