"""Where a check is, for its messages."""

from dataclasses import dataclass
from typing import NoReturn

from respublica_env.testing.door import Door


@dataclass
class Place:
    """A decision of a game that a check plays.

    Attributes:
        check: name of the check.
        door: the environment.
        seed: what it was seeded with.
        decision: how many steps have been taken since then.
    """

    check: str
    door: Door
    seed: int
    decision: int = 0

    def wrong(self, what: str, row: int | None = None, seat: int | None = None) -> NoReturn:
        """Raise AssertionError that says what is wrong, and where."""
        places = [f"seed {self.seed}", f"decision {self.decision}"]
        if row is not None and self.door.size > 1:
            places.append(f"game {row}")
        if seat is not None:
            places.append(f"seat {seat}")
        raise AssertionError(f"{self.check} of {self.door.name}, {', '.join(places)}: {what}")
