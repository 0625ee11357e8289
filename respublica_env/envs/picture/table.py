"""Draws a view: what is to be decided, the supply, and below them a row for each seat with all that it has and says."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from respublica_env.envs.ansi import counted, joined
from respublica_env.envs.picture.canvas import Canvas, text_width
from respublica_env.envs.picture.cards import (
    CARD_H,
    CARD_W,
    draw_backs,
    draw_face,
    draw_place,
    draw_tile,
)
from respublica_env.envs.picture.layout import HEADER, MARGIN, SUPPLY, Layout
from respublica_env.envs.picture.palette import GOLD, GROUND, INK, TABLE
from respublica_env.envs.picture.seat import draw_capsule, draw_heads, draw_seat
from respublica_env.envs.picture.symbols import CITY, TEMPLE, Shape
from respublica_env.envs.view import AGENT_NAMES, SPECTATOR, View
from respublica_env.observation import PHASES

CHALK = "#dfeee8"
PLACE = "#7fae9f"
DECK_W = CARD_W + 46


def draw_view(view: View) -> NDArray[np.uint8]:
    """The picture of a view, uint8 (H, W, 3)."""
    layout = Layout.of(view.rules)
    canvas = Canvas(layout.width, layout.height, GROUND)
    _draw_header(canvas, view)
    _draw_supply(canvas, layout, view)
    draw_heads(canvas, layout, view)
    for seat in view.seats:
        draw_seat(canvas, layout, view, seat)
    canvas.text(MARGIN + 4, layout.height - 15, _legend(view), 13, "#5c5443", room=layout.width - 2 * MARGIN - 8)
    return canvas.array()


def _draw_header(canvas: Canvas, view: View) -> None:
    """Turn, whose decision it is, and the phases in their order."""
    canvas.box(0, 0, canvas.width, HEADER, INK)
    right = float(canvas.width - MARGIN)
    for words in _marks(view):
        right -= draw_capsule(canvas, right, 27, words, "#d55e00", "#ffffff", 15, from_right=True) + 8
    x = MARGIN + 4.0
    title = _title(view)
    to_decide = None if view.player is None else f"{AGENT_NAMES[view.player]} is to decide"
    x += canvas.text(x, 27, title, 25, "#ffffff", room=right - x - (190 if to_decide else 0), bold=True)
    if to_decide:
        draw_capsule(canvas, x + 18, 27, to_decide, GOLD, INK, 15)
    x = MARGIN + 4.0
    for phase in PHASES:
        now = phase == view.phase
        ink = INK if now else "#9fb0bd"
        x += draw_capsule(canvas, x, 64, phase.replace("_", " ").lower(), GOLD if now else "#33454f", ink, 14)
        if phase != PHASES[-1]:
            canvas.path([(x + 7, 60), (x + 11, 64), (x + 7, 68)], "#9fb0bd", 1.5)
        x += 18


def _title(view: View) -> str:
    after = f"after {counted(view.turn, 'turn')}"
    if view.scores is not None:
        best = [AGENT_NAMES[seat] for seat in view.winners]
        return f"The game is over {after}: {joined(best)} won with {counted(max(view.scores), 'point')}"
    assert view.active is not None  # as always before the end
    turn = after.capitalize() if view.phase == "FINAL_CONVERT" else f"Turn {view.turn + 1}"
    return f"{turn}: {AGENT_NAMES[view.active]} is active"


def _marks(view: View) -> list[str]:
    """What is out of the ordinary."""
    if view.stalled:
        return ["stalled"]
    if view.final_round and view.final_turns_left:
        return [f"final round, {counted(view.final_turns_left, 'turn')} left"]
    return ["final round"] if view.final_round else []


def _draw_supply(canvas: Canvas, layout: Layout, view: View) -> None:
    """Both decks with the next cards where they are shown, the cities, and the monument pile."""
    rules, top = view.rules, layout.supply
    canvas.box(MARGIN, top, layout.width - 2 * MARGIN, SUPPLY - 14, TABLE, 14)
    y, low = top + 16, top + SUPPLY - 28
    x = MARGIN + 24.0
    for back, name in enumerate(("population deck", "technology deck")):
        draw_backs(canvas, x, y, back, view.decks[back], 1, PLACE)
        canvas.text(x, low, name, 13, CHALK)
        x += DECK_W
        following = view.next_cards[back] if view.next_cards else None
        if following is not None:
            draw_face(canvas, x, y, rules, following)
            canvas.text(x, low, "next card", 13, CHALK)
        x += CARD_W + 34 if view.next_cards else 0
    cities = f"{view.cities_left} of {counted(rules.num_cities, 'city', 'cities')} left"
    points = [rules.city_points] if view.cities_left else []
    x = max(_draw_supplied(canvas, x, y, CITY, points, x), x + canvas.text(x, low, cities, 13, CHALK)) + 34
    monuments = f"{len(view.pile)} of {counted(len(rules.monument_points), 'monument')} left"
    canvas.text(x, low, monuments, 13, CHALK)
    _draw_supplied(canvas, x, y, TEMPLE, view.pile, layout.width - MARGIN - 24)


def _draw_supplied(
    canvas: Canvas, x: float, y: float, shapes: list[Shape], points: Sequence[int], right: float
) -> float:
    """The first city or monument in full, those that follow smaller, as far as there is room; returns where it ends."""
    if not points:
        draw_place(canvas, x, y, False, 1, PLACE)
        return x + CARD_W
    draw_tile(canvas, x, y, CARD_W, CARD_H, shapes, str(points[0]))
    x += CARD_W
    h = CARD_H * 0.76
    for i, words in enumerate(map(str, points[1:]), 1):
        w = max(CARD_W * 0.76, text_width(words, 16, bold=True) + 10)
        if x + 8 + w + (60 if i + 1 < len(points) else 0) > right:
            canvas.text(x + 12, y + CARD_H - h / 2, f"+ {len(points) - i}", 17, CHALK, bold=True)
            break
        draw_tile(canvas, x + 8, y + CARD_H - h, w, h, shapes, words)
        x += 8 + w
    return x


def _legend(view: View) -> str:
    cards = (
        "Light cards with round corners: population. Dark cards with cut corners: technology. "
        "Cities and monuments bear their points."
    )
    if view.viewer is None:
        return f"{cards} All hands are shown."
    who = "a spectator" if view.viewer == SPECTATOR else AGENT_NAMES[int(view.viewer)]
    return f"Seen by {who}: of other hands, only the cards that are surely held (2+: at least 2). {cards}"
