"""A canvas that draws smoothly: everything is drawn at twice the size and averaged down at the end."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

SCALE = 2
SMALLEST_TEXT = 6

Point = tuple[float, float]
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@lru_cache(maxsize=64)
def _font(size: int) -> Font:
    """Pillow's own font, in pixels of the large drawing."""
    return ImageFont.load_default(size)


class Canvas:
    """Shapes and text in pixels of the finished picture; later ones cover earlier ones.

    Args:
        width, height: size of the picture.
        ground: its colour.
    """

    def __init__(self, width: int, height: int, ground: str) -> None:
        self.width, self.height = width, height
        self._image = Image.new("RGB", (width * SCALE, height * SCALE), ground)
        self._draw = ImageDraw.Draw(self._image)

    def array(self) -> NDArray[np.uint8]:
        """The finished picture, uint8 (H, W, 3)."""
        return np.array(self._image.reduce(SCALE))

    def box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: str | None,
        radius: float = 0,
        edge: str = "",
        line: float = 1,
        flat_foot: bool = False,
    ) -> None:
        """A rectangle with round corners, only the upper ones with `flat_foot`.

        `edge` is the colour of its outline, inside, `line` wide.
        """
        place = (x * SCALE, y * SCALE, (x + w) * SCALE - 1, (y + h) * SCALE - 1)
        width = round(line * SCALE) if edge else 0
        corners = (True, True, False, False) if flat_foot else None
        self._draw.rounded_rectangle(place, radius * SCALE, fill, edge or None, width, corners=corners)

    def cut_box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: str,
        cut: float,
        edge: str = "",
        line: float = 1,
        flat_foot: bool = False,
    ) -> None:
        """A rectangle whose corners are cut off; `edge` and `flat_foot` as in `box`."""
        if edge:
            self.shape(_octagon(x, y, w, h, cut, flat_foot), edge)
            x, y, w, h, cut = x + line, y + line, w - 2 * line, h - 2 * line, cut - line * 0.6
        self.shape(_octagon(x, y, w, h, cut, flat_foot), fill)

    def cut_outline(self, x: float, y: float, w: float, h: float, cut: float, colour: str, line: float) -> None:
        """The outline of a rectangle whose corners are cut off."""
        corners = _octagon(x + line / 2, y + line / 2, w - line, h - line, cut)
        self.path([*corners, corners[0]], colour, line)

    def shape(self, points: Iterable[Point], fill: str) -> None:
        """A filled polygon."""
        self._draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill)

    def path(self, points: Iterable[Point], colour: str, line: float) -> None:
        """Straight lines through the points, with round ends."""
        places = [(x * SCALE, y * SCALE) for x, y in points]
        thick = max(1, round(line * SCALE))
        self._draw.line(places, colour, thick, joint="curve")
        half = thick / 2 - 0.5
        for x, y in (places[0], places[-1]):
            self._draw.ellipse((x - half, y - half, x + half, y + half), colour)

    def disc(self, x: float, y: float, radius: float, fill: str | None, edge: str = "", line: float = 1) -> None:
        """A disc around (x, y); `edge` as in `box`."""
        corners = ((x - radius) * SCALE, (y - radius) * SCALE, (x + radius) * SCALE, (y + radius) * SCALE)
        self._draw.ellipse(corners, fill, edge or None, round(line * SCALE) if edge else 0)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        colour: str,
        anchor: str = "lm",
        room: float | None = None,
        bold: bool = False,
    ) -> float:
        """Text in one line at (x, y), which is its `anchor` as Pillow names them; made smaller to fit into `room`.

        Returns its width.
        """
        if room is not None:
            size = fitting(words, size, room, bold)
        self._draw.text(
            (x * SCALE, y * SCALE), words, colour, _font(_pixels(size)), anchor, stroke_width=1 if bold else 0
        )
        return text_width(words, size, bold)


def _octagon(x: float, y: float, w: float, h: float, cut: float, flat_foot: bool = False) -> list[Point]:
    right, low = x + w - 1 / SCALE, y + h - 1 / SCALE  # the last pixels inside, because Pillow draws the edge as well
    upper = [(x, y + cut), (x + cut, y), (right - cut, y), (right, y + cut)]
    if flat_foot:
        return [*upper, (right, low), (x, low)]
    return [*upper, (right, low - cut), (right - cut, low), (x + cut, low), (x, low - cut)]


def _pixels(size: float) -> int:
    return max(1, round(size * SCALE))


def text_width(words: str, size: float, bold: bool = False) -> float:
    """Width of a line of text in pixels of the finished picture."""
    return (_font(_pixels(size)).getlength(words) + (2 if bold else 0)) / SCALE


def fitting(words: str, size: float, room: float, bold: bool = False) -> float:
    """The largest size up to `size`, in half pixels, at which the words fit; never below SMALLEST_TEXT."""
    while size > SMALLEST_TEXT and text_width(words, size, bold) > room:
        size -= 0.5
    return size


def shifted(points: Sequence[Point], x: float, y: float, scale: float) -> list[Point]:
    """Points of a unit drawing, scaled and moved to (x, y)."""
    return [(x + scale * px, y + scale * py) for px, py in points]
