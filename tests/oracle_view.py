"""What a seat sees of a game of the oracle: the blocks of the rules' table, written out once more."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tests.oracle import Oracle, Words

PHASES = ("ANNOUNCE", "EXTEND", "RESPOND", "ACCEPT", "HAND_OVER", "CONVERT", "DRAW", "FINAL_CONVERT")


def quotient(count: int, whole: int) -> np.float32:
    """The float32 nearest to the exact quotient, the even one of two."""
    near = np.float32(count / whole)
    exact = Fraction(count, whole)
    candidates = [np.nextafter(near, np.float32(-1)), near, np.nextafter(near, np.float32(2))]
    return min(candidates, key=lambda x: (abs(Fraction(float(x)) - exact), int(x.view(np.int32)) % 2))


def observation(game: Oracle, seat: int) -> np.ndarray:
    rules, n, over = game.rules, game.n, game.phase == "OVER"
    seats = [(seat + i) % n for i in range(n)]
    population, technology = rules.population_types * rules.copies, rules.technology_types * rules.copies
    points = [game.cities[q] * rules.city_points + sum(game.monuments[q]) for q in seats]
    most_points = rules.num_cities * rules.city_points + sum(rules.monument_points)
    sizes = [
        part
        for q in seats
        for part in (
            quotient(sum(game.hands[q][: rules.population_types]), population),
            quotient(sum(game.hands[q][rules.population_types :]), technology),
        )
    ]
    announced = game.words.get(game.active) if not over else None
    forms = [announced is not None and announced.form == form for form in ("offer", "seek")]
    blocks: list[Sequence[float]] = [
        [game.phase == phase for phase in PHASES],
        [not over and q == game.active for q in seats],
        [not over and q == game.player for q in seats],
        [quotient(count, rules.copies) for count in game.hands[seat]],
        sizes,
        [quotient(game.cities[q], rules.num_cities) for q in seats],
        [quotient(len(game.monuments[q]), len(rules.monument_points)) for q in seats],
        [quotient(made, most_points) for made in points],
        [quotient(count, rules.copies) for count in game.spent],
        [quotient(len(game.population_deck), population), quotient(len(game.technology_deck), technology)],
        [quotient(game.pile[0], rules.monument_points[0]) if game.pile else 0],
        [game.final_round, quotient(game.turns_left, n)],
        [min(np.float32(1), quotient(game.turn, rules.max_turns))],
        [*forms, *_spoken(game, announced)],
    ]
    for q in seats:
        answer = game.words.get(q) if q != game.active and not over else None
        marks = [answer is not None and answer.form == "pass", answer is not None and answer.form != "pass"]
        blocks.append([*marks, *_spoken(game, answer)])
    blocks.append([not over and q == game.partner for q in seats])
    blocks.append([quotient(count, rules.copies) for count in game.chosen.get(seat, (0,) * game.types)])
    blocks += [[quotient(int(count), rules.copies) for count in game.known[seat, q]] for q in seats[1:]]
    return np.concatenate([np.array(block, np.float32) for block in blocks])


def _spoken(game: Oracle, said: Words | None) -> list[float]:
    """Counts by kind and marks of the connective."""
    counts: list[float] = [0.0] * game.kinds
    link = "" if said is None else said.link
    for count, kind in () if said is None else said.terms:
        counts[kind] = float(quotient(count, game.rules.max_count))
    return [*counts, link == "and", link == "or"]
