"""Where everything lies on the picture, in pixels; it depends on the rules only, so that films keep their size."""

from dataclasses import dataclass

from respublica_env.rules import Rules

MARGIN = 14
HEADER = 86
SUPPLY = 150
HEADS = 72
FOOTER = 30
ROW_HEIGHTS = {2: 170, 3: 158, 4: 144, 5: 136, 6: 136}  # by players

NAME = 172
BUBBLE = 226
BACK = 70
LEAST_COLUMN, MOST_COLUMN = 86, 124
BUILT = 236
LEAST_WIDTH = 1280


@dataclass(frozen=True)
class Layout:
    """The left edge of each column, and the upper edge of each row of the table.

    Attributes:
        width, height: of the picture, both even (many film formats want that).
        column: width of the column of one card type.
        bubble, backs, cards, built: left edges of what a seat says, its cards face down, its cards by type, and what it
            has built.
        supply, heads, rows: upper edges of the supply, the heads of the columns, and the first seat.
        row: height of a seat's row.
    """

    width: int
    height: int
    column: int
    bubble: int
    backs: int
    cards: int
    built: int
    supply: int
    heads: int
    rows: int
    row: int

    @classmethod
    def of(cls, rules: Rules) -> "Layout":
        """The layout for some rules."""
        types, row = rules.num_types, ROW_HEIGHTS[rules.num_players]
        others = 2 * MARGIN + NAME + BUBBLE + 2 * BACK + BUILT
        column = min(MOST_COLUMN, max(LEAST_COLUMN, (LEAST_WIDTH - others) // types))
        bubble = MARGIN + NAME
        backs = bubble + BUBBLE
        cards = backs + 2 * BACK
        supply = HEADER + 8
        rows = supply + SUPPLY + HEADS
        width = max(LEAST_WIDTH, others + types * column)
        return cls(
            width=width + width % 2,
            height=rows + row * rules.num_players + FOOTER,  # even, as all of these are
            column=column,
            bubble=bubble,
            backs=backs,
            cards=cards,
            built=cards + types * column,
            supply=supply,
            heads=supply + SUPPLY,
            rows=rows,
            row=row,
        )
