"""The drawings of the page as SVG symbols, from the same shapes and colours as the picture."""

from html import escape

from respublica_env.envs.picture.palette import (
    BACK_LINES,
    BACKS,
    PAPER,
    POPULATION_HUES,
    TECHNOLOGY_GROUND,
    TECHNOLOGY_HUES,
)
from respublica_env.envs.picture.symbols import CITY, SYMBOLS, TEMPLE, Point, Shape
from respublica_env.rules import Rules

WIDTH, HEIGHT, STRIP = 70, 94, 22  # of a card, and of the strip with its name
CUT = 11  # of the corners of technology cards


def symbols(rules: Rules) -> str:
    """All symbols, in an SVG that shows nothing itself.

    Faces are #card-0, #card-1 and so on by type, backs #back-0 and #back-1, empty places #place-0 and #place-1; signs,
    in a square, are #kind-0 and so on; #city and #temple are drawings alone.
    """
    drawn = [_symbol(f"back-{back}", _back(back)) for back in (0, 1)]
    drawn += [_symbol(f"place-{back}", _place(back)) for back in (0, 1)]
    for k, name in enumerate(rules.type_names):
        drawn += [_symbol(f"card-{k}", _face(rules, k, name)), _symbol(f"kind-{k}", _sign(rules, k, name), 32, 32)]
    for wild, backs in enumerate(((0,), (1,), (0, 1))):  # any population, any technology, any card
        drawn.append(_symbol(f"kind-{rules.num_types + wild}", _signs(backs), 32, 32))
    for name, shapes in (("city", CITY), ("temple", TEMPLE)):
        drawn.append(_symbol(name, _shapes(shapes, 16, 16, 14, "currentColor", "var(--hole)"), 32, 32))
    return f'<svg width="0" height="0" class="symbols" aria-hidden="true">{"".join(drawn)}</svg>'


def hue(rules: Rules, k: int) -> str:
    """The colour of a card type."""
    population = rules.population_types
    return POPULATION_HUES[k] if k < population else TECHNOLOGY_HUES[k - population]


def _symbol(name: str, inside: str, width: float = WIDTH, height: float = HEIGHT) -> str:
    return f'<symbol id="{name}" viewBox="0 0 {width} {height}">{inside}</symbol>'


def _face(rules: Rules, k: int, name: str) -> str:
    colour, population = hue(rules, k), k < rules.population_types
    ground, ink = (PAPER, "#ffffff") if population else (TECHNOLOGY_GROUND, TECHNOLOGY_GROUND)
    inner = HEIGHT - STRIP - 2
    if population:
        body = _box(0, 0, WIDTH, HEIGHT, colour, 9)
        body += f'<path d="M2 {inner + 2}V9a7 7 0 0 1 7-7h{WIDTH - 18}a7 7 0 0 1 7 7v{inner - 7}z" fill="{ground}"/>'
    else:
        body = _path(_octagon(0, 0, WIDTH, HEIGHT, CUT), colour)
        right, low = WIDTH - 2, inner + 2
        corners: list[Point] = [
            (2, low),
            (2, 2 + CUT - 1),
            (1 + CUT, 2),
            (right - CUT + 1, 2),
            (right, 1 + CUT),
            (right, low),
        ]
        body += _path(corners, ground)
    sign = f'<g class="sign">{_type(name, WIDTH / 2, (HEIGHT - STRIP) / 2, 23, colour, ground)}</g>'
    # Fonts differ: long names are made to fit.
    fit = f' textLength="{min(6.4 * len(name), WIDTH - 7):g}" lengthAdjust="spacingAndGlyphs"' if len(name) > 7 else ""
    words = (
        f'<text class="name" x="{WIDTH / 2}" y="{HEIGHT - 7.5}" text-anchor="middle" font-size="11.5" '
        f'fill="{ink}"{fit}>'
        f"{escape(name)}</text>"
    )
    return body + sign + words


def _back(back: int) -> str:
    fill, lines = BACKS[back], BACK_LINES[back]
    middle, centre = WIDTH / 2, HEIGHT / 2
    if back == 0:
        return (
            _box(0, 0, WIDTH, HEIGHT, PAPER, 9)
            + _box(2, 2, WIDTH - 4, HEIGHT - 4, fill, 7)
            + f'<rect x="7" y="7" width="{WIDTH - 14}" height="{HEIGHT - 14}" rx="5" fill="none" stroke="{lines}" '
            f'stroke-width="1.5"/><circle cx="{middle}" cy="{centre - 9}" r="8" fill="{lines}"/>'
            + _box(middle - 14, centre + 2, 28, 20, lines, 10)
        )
    inner = _octagon(7, 7, WIDTH - 14, HEIGHT - 14, 8)
    return (
        _path(_octagon(0, 0, WIDTH, HEIGHT, CUT), PAPER)
        + _path(_octagon(2, 2, WIDTH - 4, HEIGHT - 4, CUT - 1), fill)
        + f'<path d="{_line(inner)}z" fill="none" stroke="{lines}" stroke-width="1.5"/>'
        + _shapes(SYMBOLS["Wheel"], middle, centre, 16, lines, fill)
    )


def _place(back: int) -> str:
    """The outline of a place where no card lies."""
    outline = 'fill="none" stroke="currentColor" stroke-width="1.5"'
    if back == 0:
        return f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="8" {outline}/>'
    return f'<path d="{_line(_octagon(1, 1, WIDTH - 2, HEIGHT - 2, CUT))}z" {outline}/>'


def _sign(rules: Rules, k: int, name: str) -> str:
    """A small sign for a kind that words name."""
    colour = hue(rules, k)
    if k < rules.population_types:
        return (
            f'<rect x="1.5" y="1.5" width="29" height="29" rx="7" fill="{PAPER}" stroke="{colour}" stroke-width="2.5"/>'
            + _type(name, 16, 16, 10, colour, PAPER)
        )
    return _path(_octagon(0, 0, 32, 32, 7), TECHNOLOGY_GROUND) + _type(name, 16, 16, 11, colour, TECHNOLOGY_GROUND)


def _signs(backs: tuple[int, ...]) -> str:
    """Backs of cards side by side, for the kinds that are not one type."""
    parts = []
    for place, back in enumerate(backs):
        x = 5 if len(backs) == 1 else 1 + 8 * place
        parts.append(f'<svg x="{x}" y="1" width="22" height="30" viewBox="0 0 {WIDTH} {HEIGHT}">{_back(back)}</svg>')
    return "".join(parts)


def _type(name: str, x: float, y: float, scale: float, colour: str, ground: str) -> str:
    """The symbol of a card type; for those without, their number."""
    if name in SYMBOLS:
        return _shapes(SYMBOLS[name], x, y, scale, colour, ground)
    number = escape(name.rsplit(maxsplit=1)[-1])
    return (
        f'<text x="{x}" y="{_short(y + scale * 0.7)}" text-anchor="middle" font-size="{_short(scale * 2)}" '
        f'font-weight="700" fill="{colour}">{number}</text>'
    )


def _shapes(shapes: list[Shape], x: float, y: float, scale: float, colour: str, ground: str) -> str:
    """Shapes around (x, y), `scale` being half their height; holes show the `ground`."""
    parts = []
    for form, *details in shapes:
        if form in ("disc", "ring"):
            at, down, radius = details[:3]
            place = f'cx="{_short(x + at * scale)}" cy="{_short(y + down * scale)}"'
            if form == "disc":
                parts.append(f'<circle {place} r="{_short(radius * scale)}" fill="{colour}"/>')
            else:  # the line lies inside
                wide = details[3] * scale
                parts.append(
                    f'<circle {place} r="{_short(radius * scale - wide / 2)}" fill="none" stroke="{colour}" '
                    f'stroke-width="{_short(wide)}"/>'
                )
            continue
        points = [(x + scale * px, y + scale * py) for px, py in details[0]]
        if form == "line":
            parts.append(
                f'<path d="{_line(points)}" fill="none" stroke="{colour}" stroke-width="{_short(details[1] * scale)}" '
                'stroke-linecap="round" stroke-linejoin="round"/>'
            )
        else:
            parts.append(_path(points, ground if form == "hole" else colour))
    return "".join(parts)


def _box(x: float, y: float, w: float, h: float, fill: str, radius: float) -> str:
    return f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="{radius}" fill="{fill}"/>'


def _path(points: list[Point], fill: str) -> str:
    return f'<path d="{_line(points)}z" fill="{fill}"/>'


def _line(points: list[Point]) -> str:
    return "M" + "L".join(f"{_short(x)} {_short(y)}" for x, y in points)


def _octagon(x: float, y: float, w: float, h: float, cut: float) -> list[Point]:
    right, low = x + w, y + h
    upper = [(x, y + cut), (x + cut, y), (right - cut, y), (right, y + cut)]
    return [*upper, (right, low - cut), (right - cut, low), (x + cut, low), (x, low - cut)]


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
