"""Multi-player ratings: Plackett-Luce, as openskill implements it."""

from collections.abc import Iterable, Sequence

from openskill.models import PlackettLuce


def ratings(tables: Iterable[tuple[Sequence[int], Sequence[int]]], num_agents: int) -> list[tuple[float, float]]:
    """Mean and standard deviation of each agent's rating after all games, in their order, all starting at 25.

    An agent that plays several seats of a game is rated in each, and takes the mean of what it then has.

    Args:
        tables: for each game the agents by seat, and their scores.
        num_agents: how many there are.
    """
    model = PlackettLuce()
    found = [model.rating() for _ in range(num_agents)]
    for sitting, points in tables:
        rated = model.rate([[found[i]] for i in sitting], scores=list(points))
        for i in set(sitting):
            own = [team[0] for team, j in zip(rated, sitting, strict=True) if j == i]
            mu, sigma = (sum(getattr(rating, part) for rating in own) / len(own) for part in ("mu", "sigma"))
            found[i] = model.rating(mu=mu, sigma=sigma)
    return [(rating.mu, rating.sigma) for rating in found]
