"""One row of the table: a seat with its points, what it says, its hand, and what it has built."""

from typing import Any

from respublica_env.envs.ansi import counted
from respublica_env.envs.picture.canvas import Canvas, text_width
from respublica_env.envs.picture.cards import (
    CARD_H,
    CARD_W,
    draw_backs,
    draw_badge,
    draw_kind,
    draw_pile,
    draw_place,
    draw_tile,
    hue,
)
from respublica_env.envs.picture.layout import BACK, BUBBLE, MARGIN, NAME, Layout
from respublica_env.envs.picture.palette import GOLD, INK, TECHNOLOGY_GROUND
from respublica_env.envs.picture.symbols import CITY, TEMPLE
from respublica_env.envs.view import AGENT_NAMES, View

PALE = "#8b8371"
VERBS = {  # what a speaker says, by form and whether it is the announcement
    ("offer", True): "I offer",
    ("seek", True): "I seek",
    ("offer", False): "I would give",
    ("seek", False): "I would like",
}
SPEAKING = ("ANNOUNCE", "EXTEND", "RESPOND")


def draw_capsule(
    canvas: Canvas, x: float, y: float, words: str, fill: str, ink: str, size: float = 12.5, from_right: bool = False
) -> float:
    """Words in a capsule, from its left (or right) end at x and around y; returns its width."""
    w, h = text_width(words, size) + size * 1.3, size * 1.7
    left = x - w if from_right else x
    canvas.box(left, y - h / 2, w, h, fill, h / 2)
    canvas.text(left + w / 2, y, words, size, ink, "mm")
    return w


def draw_heads(canvas: Canvas, layout: Layout, view: View) -> None:
    """The names of the types, and how many of each are out of the game and in the decks."""
    rules, y = view.rules, layout.heads
    first, lines = y + 12, (y + 36, y + 56)
    for line, words in zip(lines, ("out of the game", "in the decks"), strict=True):
        canvas.text(layout.backs - 10, line, words, 13, INK, "rm")
    middle = rules.population_types
    spent = (sum(view.spent[:middle]), sum(view.spent[middle:]))
    for back, name in enumerate(("population", "technology")):
        x = layout.backs + BACK * (back + 0.5)
        canvas.text(x, first, name, 12, INK, "mm", BACK - 4)
        for line, count in zip(lines, (spent[back], view.decks[back]), strict=True):
            canvas.text(x, line, str(count), 14, INK, "mm")
    for k, name in enumerate(rules.type_names):
        x, w = layout.cards + layout.column * k + 2, layout.column - 4
        if k < middle:
            canvas.box(x, first - 10, w, 20, hue(rules, k), 8)
        else:
            canvas.cut_box(x, first - 10, w, 20, TECHNOLOGY_GROUND, 6)
        ink = "#ffffff" if k < middle else hue(rules, k)
        canvas.text(x + w / 2, first, name, 13, ink, "mm", w - 8)
        left = "?" if view.deck_cards is None else str(view.deck_cards[k])
        for line, words in zip(lines, (str(view.spent[k]), left), strict=True):
            canvas.text(x + w / 2, line, words, 14, INK, "mm")
    canvas.text(layout.built + 10, first, "cities and monuments", 13, INK)


def draw_seat(canvas: Canvas, layout: Layout, view: View, seat: int) -> None:
    """The row of a seat, with a gold edge when it is to decide or has won."""
    y, h = layout.rows + layout.row * seat, layout.row - 8
    stands_out = view.player == seat or seat in view.winners
    fill = "#fff6dc" if view.active == seat else "#f6f0e2"
    edge, line = (GOLD, 3) if stands_out else ("#cbbfa3", 1)
    canvas.box(MARGIN, y, layout.width - 2 * MARGIN, h, fill, 12, edge, line)
    _draw_name(canvas, view, seat, y, h)
    _draw_words(canvas, layout, view, seat, y, h)
    _draw_hand(canvas, layout, view, seat, y + (h - CARD_H) / 2 + 4)
    points = str(view.rules.city_points)
    x, room = layout.built + 10, layout.width - MARGIN - layout.built - 20
    tall = min(58, (h - 18) / 2)
    _draw_tiles(canvas, x, y + h / 2 - tall - 2, room, tall, CITY, [points] * view.cities[seat], "no city yet")
    _draw_tiles(canvas, x, y + h / 2 + 2, room, tall, TEMPLE, [*map(str, view.monuments[seat])], "no monument yet")


def _draw_name(canvas: Canvas, view: View, seat: int, y: float, h: float) -> None:
    """Name, role and points."""
    x = MARGIN + 14.0
    left = x + canvas.text(x, y + 24, AGENT_NAMES[seat], 20, INK, bold=True)
    if view.viewer == seat:
        draw_capsule(canvas, left + 8, y + 24, "viewer", "#44618c", "#ffffff")
    left = x
    for words, fill, ink in _roles(view, seat):
        left += draw_capsule(canvas, left, y + 50, words, fill, ink) + 6
    scores = view.scores
    points = view.points[seat] if scores is None else scores[seat]
    canvas.text(x, y + h - 38, counted(points, "point"), 18, INK, room=NAME - 24, bold=True)
    detail = "of cities and monuments"
    if scores is not None:
        detail = f"{view.points[seat]} built, {scores[seat] - view.points[seat]} in pairs"
    canvas.text(x, y + h - 17, detail, 12, PALE, room=NAME - 24)


def _roles(view: View, seat: int) -> list[tuple[str, str, str]]:
    """What a seat is just now: words and colours."""
    roles = []
    if view.active == seat:
        roles.append(("active", INK, "#ffffff"))
    if view.partner == seat:
        roles.append(("trades", "#00805c", "#ffffff"))
    if view.player == seat:
        roles.append(("to decide", GOLD, INK))
    if seat in view.winners:
        roles.append(("winner" if len(view.winners) == 1 else "shares the win", GOLD, INK))
    return roles


def _draw_words(canvas: Canvas, layout: Layout, view: View, seat: int, y: float, h: float) -> None:
    """A bubble with what a seat has said this turn; dots where it is about to speak."""
    said, about_to = view.said[seat], view.player == seat and view.phase in SPEAKING
    if said is None and not about_to:
        return
    lines = _lines(said, view, seat == view.active)
    if about_to:
        lines.append(("...", "", None))
    x, w, tall = layout.bubble + 6, BUBBLE - 18, 24.0 * len(lines) + 14
    taken = view.partner is not None and seat in (view.partner, view.active)
    top, middle = y + (h - tall) / 2, y + h / 2
    edge, line = ("#00805c", 2.5) if taken else ("#9c9178", 1.5)
    canvas.box(x, top, w, tall, "#ffffff", 12, edge, line)
    canvas.shape([(x + 2, middle - 9), (x - 11, middle), (x + 2, middle + 9)], edge)
    canvas.shape(
        [(x + line + 1, middle - 9 + line), (x - 11 + 2 * line, middle), (x + line + 1, middle + 9 - line)], "#ffffff"
    )
    for i, (lead, words, kind) in enumerate(lines):
        _draw_line(canvas, view, x + 12, top + 19 + 24 * i, w - 22, lead, words, kind)


def _lines(said: Any, view: View, announced: bool) -> list[tuple[str, str, int | None]]:
    """What is said line by line: plain words, stressed words, and the kind of card that these name."""
    if said is None:
        return []
    if said == "pass":
        return [("I pass", "", None)]
    lines: list[tuple[str, str, int | None]] = [(VERBS[said["form"], announced], "", None)]
    for i, (count, kind) in enumerate(said["terms"]):
        lead = said["link"] if i else ""
        lines.append((lead, f"{count} {view.rules.kind_names[kind]}", kind))
    return lines


def _draw_line(
    canvas: Canvas, view: View, x: float, y: float, room: float, lead: str, words: str, kind: int | None
) -> None:
    left = x
    if lead:
        left += canvas.text(left, y, lead, 15, "#4a5560") + 7
    if kind is not None:
        draw_kind(canvas, left, y - 10, 20, view.rules, kind)
        canvas.text(left + 27, y, words, 16, INK, room=x + room - left - 27, bold=True)


def _draw_hand(canvas: Canvas, layout: Layout, view: View, seat: int, y: float) -> None:
    """Cards face down by their number, then by type as far as the viewer knows; those chosen to give are lifted."""
    rules, whole, chosen = view.rules, view.whole[seat], view.chosen[seat]
    for back, count in enumerate(view.backs[seat]):
        draw_backs(canvas, layout.backs + BACK * back + 4, y + 12, back, count, 0.74)
    for k, count in enumerate(view.hands[seat]):
        x = layout.cards + layout.column * k + (layout.column - CARD_W) / 2 - 3
        if count == 0:
            draw_place(canvas, x, y, k >= rules.population_types)
            if not whole:
                canvas.text(x + CARD_W / 2, y + CARD_H / 2, "?", 24, "#c9bfa8", "mm", bold=True)
            continue
        giving = chosen[k] if chosen else 0
        draw_pile(canvas, x, y - (8 if giving else 0), rules, k, count, sure=not whole)
        if giving:
            draw_badge(canvas, x + CARD_W / 2, y + CARD_H + 1, f"gives {giving}", GOLD, INK)


def _draw_tiles(
    canvas: Canvas, x: float, y: float, room: float, h: float, shapes: list[Any], labels: list[str], none: str
) -> None:
    """A row of cities or monuments; how many more where there is no room."""
    if not labels:
        canvas.text(x, y + h / 2, none, 13, "#a89f8b")
        return
    right = x + room
    for i, words in enumerate(labels):
        w = max(h * 0.68, text_width(words, 13, bold=True) + 10)
        more = len(labels) - i - 1
        if x + w + (34 if more else 0) > right:
            canvas.text(x + 2, y + h / 2, f"+ {more + 1}", 15, INK, bold=True)
            return
        draw_tile(canvas, x, y, w, h, shapes, words)
        x += w + 4
