"""Cards as the picture shows them: faces, backs, cities and monuments, and piles of them.

Population cards are light with round corners, technology cards dark with cut corners, so that the two are told apart
without their colours; each type has its name and a symbol besides.
"""

from respublica_env.envs.picture.canvas import Canvas, text_width
from respublica_env.envs.picture.palette import (
    BACK_LINES,
    BACKS,
    BRONZE,
    EMPTY,
    INK,
    PAPER,
    POPULATION_HUES,
    TECHNOLOGY_GROUND,
    TECHNOLOGY_HUES,
)
from respublica_env.envs.picture.symbols import SYMBOLS, Shape, draw_symbol
from respublica_env.rules import Rules

CARD_W, CARD_H = 70, 94
BEHIND, STEP = 3, 3  # cards drawn behind the top one of a pile, at most, and by how much each stands out


def hue(rules: Rules, k: int) -> str:
    """The colour of a card type."""
    population = rules.population_types
    return POPULATION_HUES[k] if k < population else TECHNOLOGY_HUES[k - population]


def draw_face(canvas: Canvas, x: float, y: float, rules: Rules, k: int, size: float = 1, faint: bool = False) -> None:
    """The face of a card of type `k`, its upper left corner at (x, y); `faint`: known, but not seen."""
    w, h, name, colour = CARD_W * size, CARD_H * size, rules.type_names[k], hue(rules, k)
    strip = h * 0.24
    inner = (x + 2, y + 2, w - 4, h - strip - 2)
    if k < rules.population_types:
        ground, ink = ("#f1ece0" if faint else PAPER), "#ffffff"
        canvas.box(x, y, w, h, colour, 9 * size)
        canvas.box(*inner, ground, 7 * size, flat_foot=True)
    else:
        ground, ink = ("#5d6b7a" if faint else TECHNOLOGY_GROUND), TECHNOLOGY_GROUND
        canvas.cut_box(x, y, w, h, colour, 11 * size)
        canvas.cut_box(*inner, ground, 10 * size, flat_foot=True)
    draw_type(canvas, x + w / 2, y + (h - strip) / 2, h * 0.25, name, colour, ground)
    canvas.text(x + w / 2, y + h - strip / 2 - 0.5, name, 12 * size, ink, "mm", w - 6 * size)


def draw_type(canvas: Canvas, x: float, y: float, scale: float, name: str, colour: str, ground: str) -> None:
    """The symbol of a card type; for those without, their number."""
    if name in SYMBOLS:
        draw_symbol(canvas, SYMBOLS[name], x, y, scale, colour, ground)
    else:
        canvas.text(x, y, name.rsplit(maxsplit=1)[-1], scale * 2, colour, "mm", bold=True)


def draw_back(canvas: Canvas, x: float, y: float, back: int, size: float = 1) -> None:
    """The back of a population (0) or technology (1) card."""
    w, h, fill, lines = CARD_W * size, CARD_H * size, BACKS[back], BACK_LINES[back]
    middle, centre = x + w / 2, y + h / 2
    if back == 0:
        canvas.box(x, y, w, h, fill, 9 * size, PAPER, 2)
        canvas.box(x + 6 * size, y + 6 * size, w - 12 * size, h - 12 * size, None, 6 * size, lines, 1.5)
        canvas.disc(middle, centre - 9 * size, 7 * size, lines)
        canvas.box(middle - 13 * size, centre + 1 * size, 26 * size, 18 * size, lines, 9 * size)
    else:
        canvas.cut_box(x, y, w, h, fill, 11 * size, PAPER, 2)
        inset = 6 * size
        canvas.cut_box(x + inset, y + inset, w - 2 * inset, h - 2 * inset, fill, 8 * size, lines, 1.5)
        draw_symbol(canvas, SYMBOLS["Wheel"], middle, centre, 15 * size, lines, fill)


def draw_edges(canvas: Canvas, x: float, y: float, count: int, cut: bool, size: float = 1) -> None:
    """What shows of the cards behind the top one of a pile of `count`."""
    for i in range(min(count - 1, BEHIND), 0, -1):
        place = (x + STEP * i, y - STEP * i, CARD_W * size, CARD_H * size)
        if cut:
            canvas.cut_box(*place, "#8794a1", 11 * size, INK, 1)
        else:
            canvas.box(*place, "#e9e2d2", 9 * size, "#a89f8b", 1)


def draw_badge(canvas: Canvas, x: float, y: float, words: str, fill: str = INK, ink: str = "#ffffff") -> None:
    """A number or a word in a small capsule around (x, y)."""
    w = max(22.0, text_width(words, 14) + 12)
    canvas.box(x - w / 2, y - 11, w, 22, fill, 11, INK if fill == PAPER else PAPER, 1.5)
    canvas.text(x, y, words, 14, ink, "mm")


def draw_pile(canvas: Canvas, x: float, y: float, rules: Rules, k: int, count: int, sure: bool = False) -> None:
    """Cards of one type in hand, with their number; `sure`: at least that many, known but not seen."""
    draw_edges(canvas, x, y, count, k >= rules.population_types)
    draw_face(canvas, x, y, rules, k, faint=sure)
    if sure:
        draw_badge(canvas, x + CARD_W - 6, y + 2, f"{count}+", PAPER, INK)
    elif count > 1:
        draw_badge(canvas, x + CARD_W - 6, y + 2, str(count))


def draw_backs(canvas: Canvas, x: float, y: float, back: int, count: int, size: float = 1, edge: str = EMPTY) -> None:
    """A pile of cards face down, with their number; an empty place for none."""
    if count == 0:
        draw_place(canvas, x, y, back == 1, size, edge)
        canvas.text(x + CARD_W * size / 2, y + CARD_H * size / 2, "0", 22 * size, edge, "mm", bold=True)
        return
    draw_edges(canvas, x, y, count, back == 1, size)
    draw_back(canvas, x, y, back, size)
    draw_badge(canvas, x + CARD_W * size - 6, y + 2, str(count))


def draw_place(canvas: Canvas, x: float, y: float, cut: bool, size: float = 1, edge: str = EMPTY) -> None:
    """The outline of a place where no card lies."""
    w, h = CARD_W * size, CARD_H * size
    if cut:
        canvas.cut_outline(x, y, w, h, 11 * size, edge, 1.5)
    else:
        canvas.box(x, y, w, h, None, 9 * size, edge, 1.5)


def draw_kind(canvas: Canvas, x: float, y: float, size: float, rules: Rules, k: int) -> None:
    """A small sign for a kind that words name, in a square of `size`: a type's symbol, or backs for the wild ones."""
    if k < rules.num_types:
        population = k < rules.population_types
        ground = PAPER if population else TECHNOLOGY_GROUND
        if population:
            canvas.box(x, y, size, size, ground, 5, hue(rules, k), 1.5)
        else:
            canvas.cut_box(x, y, size, size, ground, 5)
        draw_type(canvas, x + size / 2, y + size / 2, size * 0.33, rules.type_names[k], hue(rules, k), ground)
        return
    wild = k - rules.num_types  # any population, any technology, any card
    small = size / CARD_H
    for back in (0, 1):
        if wild in (back, 2):
            shift = (back - 0.5) * 6 if wild == 2 else 0
            draw_back(canvas, x + (size - CARD_W * small) / 2 + shift, y, back, small)


def draw_tile(canvas: Canvas, x: float, y: float, w: float, h: float, shapes: list[Shape], words: str) -> None:
    """A city or a monument: its drawing above a number."""
    canvas.box(x, y, w, h, PAPER, 5, "#8a7a55", 1.5)
    draw_symbol(canvas, shapes, x + w / 2, y + h * 0.34, min(w, h) * 0.29, BRONZE, PAPER)
    canvas.text(x + w / 2, y + h * 0.8, words, h * 0.3, INK, "mm", w - 5, bold=True)
