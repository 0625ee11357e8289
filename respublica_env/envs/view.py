"""What a viewer may see of a game: the one place that says so, for text and picture alike.

A viewer is None (everything is shown), a seat (its own hand, what it can be sure of in the others', and all that is
public), or "spectator" (what is public, and what everybody knows that everybody knows).
"""

import operator
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np

from respublica_env.game import Game
from respublica_env.rules import Rules, shown

AGENT_NAMES = tuple(f"player_{seat}" for seat in range(6))  # by seat, for as many players as rules may have

SPECTATOR = "spectator"

Viewer = int | str | None


@dataclass(frozen=True)
class View:
    """A game as one viewer sees it. Nothing here depends on what the viewer cannot know.

    A seat for which the engine passed because it had no choice reads as one that passed by choice. At the end the
    scores are public, and with them the points of the pairs in hand; the hands themselves stay as they were.

    Attributes:
        rules, viewer: whose game, and who looks.
        phase, active, player, turn, final_round, stalled: as in `Game`.
        final_turns_left: turns of the final round not yet completed.
        hands: cards by seat and type (n, K): all of them where `whole`, else those the viewer can be sure of.
        whole: whether the viewer sees the whole hand, by seat (n).
        backs: population cards and technology cards in hand, by seat (n, 2).
        cities, monuments, points: as in `Game`, by seat (n).
        scores: final scores by seat (n); None before the end.
        spent: cards out of the game by type (K).
        decks: cards left in the population and in the technology deck.
        cities_left, pile: cities in the supply, and the points of the monuments left, top first.
        deck_cards: cards left in the decks by type (K); None where the viewer may not know them.
        next_cards: the type of the next card of each deck, None for an empty one; None where it may not be known.
        said: by seat (n), as in `Game.to_dict`: None, "pass", or form, terms and link.
        partner: seat of the player whose answer was taken, during HAND_OVER.
        chosen: by seat (n), the cards by type that it has chosen to give; None for those who give nothing now or whose
            choice the viewer may not see.
    """

    rules: Rules
    viewer: Viewer
    phase: str
    active: int | None
    player: int | None
    turn: int
    final_round: bool
    final_turns_left: int
    stalled: bool
    hands: list[list[int]]
    whole: list[bool]
    backs: list[list[int]]
    cities: list[int]
    monuments: list[list[int]]
    points: list[int]
    scores: list[int] | None
    spent: list[int]
    decks: tuple[int, int]
    cities_left: int
    pile: tuple[int, ...]
    deck_cards: list[int] | None
    next_cards: tuple[int | None, int | None] | None
    said: list[Any]
    partner: int | None
    chosen: list[list[int] | None]

    @property
    def seats(self) -> range:
        """All seats."""
        return range(self.rules.num_players)

    @property
    def winners(self) -> list[int]:
        """The seats that share the win; none before the end."""
        return [seat for seat in self.seats if self.scores and self.scores[seat] == max(self.scores)]


def see(game: Game, viewer: SupportsIndex | str | None = None) -> View:
    """The game as `viewer` sees it. Changes nothing and touches no random stream. ValueError for no such viewer."""
    rules, position = game.rules, game.to_dict()
    who = check_viewer(viewer, rules.num_players)
    decks = (position["population_deck"], position["technology_deck"])
    hands, whole = _hands(game, who)
    backs = np.add.reduceat(game.hands, [0, rules.population_types], axis=1)
    return View(
        rules=rules,
        viewer=who,
        phase=game.phase,
        active=game.active,
        player=game.player,
        turn=game.turn,
        final_round=game.final_round,
        final_turns_left=position["final_turns_left"],
        stalled=game.stalled,
        hands=hands,
        whole=whole,
        backs=backs.tolist(),
        cities=game.cities,
        monuments=game.monuments,
        points=game.points(),
        scores=game.scores() if game.terminated else None,
        spent=position["spent"],
        decks=(len(decks[0]), len(decks[1])),
        cities_left=rules.num_cities - sum(game.cities),
        pile=rules.monument_points[sum(map(len, game.monuments)) :],
        deck_cards=np.bincount(decks[0] + decks[1], minlength=rules.num_types).tolist() if who is None else None,
        next_cards=(_first(decks[0]), _first(decks[1])) if who is None else None,
        said=position["said"],
        partner=position["partner"],
        chosen=_chosen(position, who),
    )


def check_viewer(viewer: SupportsIndex | str | None, num_players: int, name: str = "seat") -> Viewer:
    """The viewer, a seat as an int; ValueError, calling the argument `name`, for anything else."""
    if viewer is None or (isinstance(viewer, str) and viewer == SPECTATOR):
        return viewer
    try:
        if isinstance(viewer, (bool, np.bool_)):
            raise TypeError
        seat = operator.index(viewer)  # type: ignore[arg-type]  # a string is refused below
    except TypeError:
        seat = -1
    if not 0 <= seat < num_players:
        raise ValueError(
            f"{name} must be None (everything), a seat from 0 to {num_players - 1}, or {SPECTATOR!r} (what is public), "
            f"got {shown(viewer)}"
        )
    return seat


def _hands(game: Game, viewer: Viewer) -> tuple[list[list[int]], list[bool]]:
    """What the viewer sees of each hand, and whether that is all of it."""
    if viewer is None:
        return game.hands.tolist(), [True] * game.rules.num_players
    seat = viewer if isinstance(viewer, int) else None
    hands: list[list[int]] = game.known(seat).tolist()
    if seat is not None:
        hands[seat] = game.hands[seat].tolist()
    return hands, [other == seat for other in range(game.rules.num_players)]


def _chosen(position: dict[str, Any], viewer: Viewer) -> list[list[int] | None]:
    """By seat, the cards that the viewer sees chosen."""
    chosen: list[list[int] | None] = [None] * len(position["hands"])
    if position["partner"] is not None:
        for giver, cards in zip((position["active"], position["partner"]), position["chosen"], strict=True):
            if viewer is None or viewer == giver:
                chosen[giver] = cards
    return chosen


def _first(deck: list[int]) -> int | None:
    return deck[0] if deck else None
