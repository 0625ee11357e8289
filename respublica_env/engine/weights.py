"""The weights of the compiled traders, by name, with what each is for.

`python -m train.tune_trader --seed 0` found them, rounded as they stand; its search began from what an earlier one had
found, and the next begins from these. Points are the unit where nothing else is said.
"""

import numpy as np

_TRADER = (
    # name, weight, least and most that the tuning tries, what it is
    ("CHANCE", 0.85, 0.2, 0.97, "that one missing card comes in time, with many left and much time"),
    (
        "PATIENCE",
        0.717,
        0.05,
        4.0,
        "rounds left at which that chance has halved; for a second card missing twice as many, and so on",
    ),
    ("PLENTY", 1.09, 0.5, 4.0, "copies left for each missing card from which on a type is not scarce"),
    ("CARD", 0.667, 0.0, 1.5, "worth of one technology card drawn, as a share of its part in the next monument"),
    ("FALL", 0.552, 0.0, 2.0, "monuments that others build for each card that one of mine still misses"),
    ("PAIR", 0.348, 0.0, 1.0, "share of a pair's points that counts long before the end; all of it counts at the end"),
    ("GROWTH", 1.71, 0.2, 3.0, "cities that each player will have soon, beyond those that stand: how fast cards go"),
    ("ANY", 1.25, 0.1, 1.5, "worth of a card that its giver picks, as a share of an average card's"),
    (
        "SPARE",
        0.352,
        0.05,
        1.0,
        "what the first such card costs another giver, as a share of an average card's worth",
    ),
    ("HIDDEN", 0.757, 0.0, 1.5, "share of the unseen cards that others are believed to hold on average"),
    ("CLUSTER", 0.447, 0.3, 4.0, "how much likelier than by chance it is that somebody has what I ask for"),
    ("SEEKING", 1.85, 0.0, 3.0, "cards by which a player who seeks still misses the set after getting what it seeks"),
    ("SCALE", 1.07, 0.1, 4.0, "their gain that raises the chance of a yes from one half to seven eighths"),
    ("KEEP", 0.494, 0.1, 0.9, "my share of what a trade brings, as long as nothing is said about the price"),
    ("LUCK", 0.135, 0.0, 2.5, "cards of what I offer that the keenest of the others holds, beyond what is believed"),
    ("OFFERING", 3.12, 0.2, 6.0, "how readily it offers rather than seeks"),
    ("PLAIN", 1.65, 1.4, 3.0, "how much more two terms, or a wildcard, must promise than one term of a single type"),
    ("NOISE", 0.0736, 0.05, 1.0, "chance in what it says, so that it does not say the same again and again"),
    ("MARGIN", 0.0486, 0.0, 0.5, "least gain for which it trades"),
    ("HURRY", 0.0357, 0.0, 0.3, "worth of a technology card drawn for each point of lead: it brings the end nearer"),
    ("RIVAL", 0.0905, 0.0, 1.0, "rival term: cost of each point that a trade brings its partner"),
    ("LEADER", 0.00355, 0.0, 0.2, "rival term: the same, added for each point that the partner is ahead of me"),
    ("CLOSE", 0.33, 0.0, 1.5, "rival term: the same, added when my cards may complete a set of the partner's"),
)
WEIGHTS = tuple(name for name, *_ in _TRADER)
LIMITS = tuple((least, most) for _, _, least, most, _ in _TRADER)
RIVAL_TERMS = ("RIVAL", "LEADER", "CLOSE")
NUM_WEIGHTS = len(WEIGHTS)
(
    CHANCE,
    PATIENCE,
    PLENTY,
    CARD,
    FALL,
    PAIR,
    GROWTH,
    ANY,
    SPARE,
    HIDDEN,
    CLUSTER,
    SEEKING,
    SCALE,
    KEEP,
    LUCK,
    OFFERING,
    PLAIN,
    NOISE,
    MARGIN,
    HURRY,
    RIVAL,
    LEADER,
    CLOSE,
) = range(NUM_WEIGHTS)

HOARDER_MARGIN = 2.0  # it trades for a gain of points only

TRADER_NAMES = ("trader", "trader:selfish", "trader:hoarder")


def trader_weights() -> np.ndarray:
    """The weights of the traders in the order of `TRADER_NAMES`, float64 `(3, NUM_WEIGHTS)`, a new array."""
    tables = np.array([[weight for _, weight, *_ in _TRADER]] * len(TRADER_NAMES), np.float64)
    tables[1, [RIVAL, LEADER, CLOSE]] = 0
    tables[2, MARGIN] = HOARDER_MARGIN
    return tables
