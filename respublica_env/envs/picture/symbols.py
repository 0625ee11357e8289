"""Small drawings of our own, one for each named card type, as shapes around (0, 0) in a square from -1 to 1.

A shape is ("fill", points), ("hole", points) (in the colour of the ground), ("line", points, width) or
("disc", x, y, radius) or ("ring", x, y, radius, width).
"""

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from respublica_env.envs.picture.canvas import Canvas

Point = tuple[float, float]
Shape = tuple[Any, ...]


def _arc(radius: float, start: float, stop: float, x: float = 0, y: float = 0) -> list[Point]:
    """Points of an arc, angles in degrees clockwise from the right."""
    angles = [math.radians(start + (stop - start) * i / 16) for i in range(17)]
    return [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles]


def _bar(x: float, y: float, right: float, low: float) -> Shape:
    return ("fill", [(x, y), (right, y), (right, low), (x, low)])


def _spoke(degrees: float, near: float, far: float) -> list[Point]:
    a = math.radians(degrees)
    return [(near * math.cos(a), near * math.sin(a)), (far * math.cos(a), far * math.sin(a))]


def _star(points: int, far: float, near: float) -> list[Point]:
    """A star that points up."""
    radii = [far, near] * points
    angles = [math.pi * i / points - math.pi / 2 for i in range(2 * points)]
    return [(r * math.cos(a), r * math.sin(a)) for r, a in zip(radii, angles, strict=True)]


SYMBOLS: dict[str, list[Shape]] = {
    "Roman": [  # a column
        _bar(-0.7, -0.95, 0.7, -0.7),
        _bar(-0.5, -0.66, 0.5, -0.5),
        *(_bar(x, -0.46, x + 0.18, 0.6) for x in (-0.42, -0.09, 0.24)),
        _bar(-0.55, 0.64, 0.55, 0.78),
        _bar(-0.75, 0.82, 0.75, 0.98),
    ],
    "Babylonian": [  # a stepped tower
        _bar(-1, 0.5, 1, 0.95),
        _bar(-0.72, 0.06, 0.72, 0.46),
        _bar(-0.46, -0.38, 0.46, 0.02),
        _bar(-0.2, -0.82, 0.2, -0.42),
        ("hole", [(-0.12, 0.95), (-0.12, 0.62), (0.12, 0.62), (0.12, 0.95)]),
    ],
    "Egyptian": [  # a pyramid with its side in the shade, and the sun
        ("fill", [(-1, 0.85), (-0.2, -0.55), (0.32, 0.85)]),
        ("fill", [(-0.1, -0.45), (0.42, 0.85), (1, 0.4)]),
        ("disc", 0.68, -0.62, 0.26),
    ],
    "Atlantean": [  # a trident
        ("line", [(0, -0.95), (0, 0.95)], 0.2),
        ("line", [(-0.62, -0.8), *_arc(0.62, 180, 0, 0, -0.2), (0.62, -0.8)], 0.2),
        ("fill", [(-0.62, -1), (-0.85, -0.55), (-0.39, -0.55)]),
        ("fill", [(0.62, -1), (0.85, -0.55), (0.39, -0.55)]),
        ("fill", [(0, -1.05), (-0.25, -0.58), (0.25, -0.58)]),
    ],
    "Greek": [  # an amphora
        _bar(-0.32, -0.98, 0.32, -0.82),
        ("fill", [(-0.18, -0.82), (0.18, -0.82), (0.18, -0.5), (0.52, -0.2), (0.5, 0.2), (0.16, 0.78), (0.3, 0.95)]),
        ("fill", [(-0.18, -0.82), (0.18, -0.82), (0.3, 0.95), (-0.3, 0.95), (-0.16, 0.78), (-0.5, 0.2), (-0.52, -0.2)]),
        ("fill", [(-0.18, -0.82), (0.18, -0.5), (0.52, -0.2), (-0.52, -0.2), (-0.18, -0.5)]),
        ("line", [(-0.22, -0.72), (-0.6, -0.66), (-0.66, -0.3), (-0.46, -0.08)], 0.13),
        ("line", [(0.22, -0.72), (0.6, -0.66), (0.66, -0.3), (0.46, -0.08)], 0.13),
        ("hole", [(-0.52, -0.02), (0.52, -0.02), (0.51, 0.12), (-0.51, 0.12)]),
    ],
    "Metalworking": [  # an anvil
        ("fill", [(-0.45, -0.5), (0.95, -0.5), (0.95, -0.25), (0.4, -0.02), (0.3, 0.4), (-0.35, 0.4), (-0.45, -0.02)]),
        ("fill", [(-0.5, -0.42), (-1, -0.38), (-0.8, -0.12), (-0.45, -0.02)]),
        _bar(-0.62, 0.46, 0.6, 0.75),
    ],
    "Wheel": [
        ("ring", 0, 0, 0.95, 0.2),
        *(("line", _spoke(45 * i, 0.2, 0.85), 0.12) for i in range(8)),
        ("disc", 0, 0, 0.26),
    ],
    "Architecture": [  # an arch
        ("line", [(-0.62, 0.7), *_arc(0.62, 180, 360, 0, -0.1), (0.62, 0.7)], 0.34),
        _bar(-0.98, 0.68, -0.26, 0.92),
        _bar(0.26, 0.68, 0.98, 0.92),
        ("fill", [(-0.2, -1), (0.2, -1), (0.12, -0.5), (-0.12, -0.5)]),
    ],
    "Chemistry": [  # a flask
        _bar(-0.34, -0.98, 0.34, -0.82),
        ("fill", [(-0.2, -0.82), (0.2, -0.82), (0.2, -0.3), (0.85, 0.78), (0.72, 0.95), (-0.72, 0.95), (-0.85, 0.78)]),
        ("fill", [(-0.2, -0.82), (0.2, -0.3), (0.85, 0.78), (-0.85, 0.78), (-0.2, -0.3)]),
        ("hole", [(-0.09, -0.72), (0.09, -0.72), (0.09, -0.26), (0.32, 0.14), (-0.32, 0.14), (-0.09, -0.26)]),
    ],
    "Navigation": [  # a compass rose
        ("ring", 0, 0, 0.72, 0.1),
        ("fill", _star(4, 1.05, 0.24)),
        ("hole", _star(4, 0.42, 0.1)),
    ],
}

TEMPLE: list[Shape] = [
    ("fill", [(-1, -0.35), (0, -1), (1, -0.35)]),
    _bar(-0.88, -0.28, 0.88, -0.1),
    *(_bar(x, -0.04, x + 0.24, 0.66) for x in (-0.78, -0.34, 0.1, 0.54)),
    _bar(-1, 0.72, 1, 0.95),
]

CITY: list[Shape] = [
    ("fill", [(-0.95, 0.9), (-0.95, -0.3), (-0.65, -0.75), (-0.35, -0.3), (-0.35, 0.9)]),
    ("fill", [(0.35, 0.9), (0.35, -0.5), (0.65, -0.95), (0.95, -0.5), (0.95, 0.9)]),
    _bar(-0.4, 0.1, 0.4, 0.9),
    *(_bar(x, -0.1, x + 0.16, 0.12) for x in (-0.32, -0.08, 0.16)),
    ("hole", [(-0.16, 0.9), (-0.16, 0.5), (0.16, 0.5), (0.16, 0.9)]),
]


def draw_symbol(
    canvas: "Canvas", shapes: list[Shape], x: float, y: float, scale: float, colour: str, ground: str
) -> None:
    """Draw shapes around (x, y), `scale` being half their height; holes show the `ground`."""
    from respublica_env.envs.picture.canvas import shifted  # the replay page uses the shapes without Pillow

    for form, *details in shapes:
        if form == "disc" or form == "ring":
            at, down, radius = details[:3]
            edge = {"edge": colour, "line": details[3] * scale} if form == "ring" else {}
            canvas.disc(x + at * scale, y + down * scale, radius * scale, None if edge else colour, **edge)
        elif form == "line":
            canvas.path(shifted(details[0], x, y, scale), colour, details[1] * scale)
        else:
            canvas.shape(shifted(details[0], x, y, scale), ground if form == "hole" else colour)
