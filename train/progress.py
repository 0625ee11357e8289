"""What a run knows about itself: how long it has run, what its checks found, and the curve to draw from that."""

import csv
import io
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from respublica_env.files import write_whole

CURVE, PICTURE = "curve.json", "curve.png"  # in the folder of a run


@dataclass
class Progress:
    """Kept in checkpoints.

    Attributes:
        seconds: time in training.
        rows: every few updates: "steps", "seconds", "rate" (steps a second), "return", "entropy" (nats), "trades"
            (answers taken a game), "against" (the learner's share of the win by opponent, as it plays in training).
        checks: "steps", "seconds", "shares" (share of the win by judge, playing the likeliest actions), "deals".
        best: the share against the last judge of the policy in best.zip; None before the first check.
        past_at, checked_at, saved_at: steps at the last past self, check and checkpoint.
    """

    seconds: float = 0.0
    rows: list[dict[str, Any]] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    best: float | None = None
    past_at: int = 0
    checked_at: int = 0
    saved_at: int = 0

    def write(self, folder: Path, par: float) -> None:
        """Write `curve.json` and `curve.png`."""
        content = {"par": par, **asdict(self)}
        write_whole(folder / CURVE, (json.dumps(content, indent=1) + "\n").encode())
        write_whole(folder / PICTURE, picture(self, par))


def table(progress: Progress) -> bytes:
    """The checks as CSV: decisions of the learner, seconds of training, deals, and the share of the win by judge."""
    judges = sorted({name for check in progress.checks for name in check["shares"]})
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["decisions", "seconds", "deals", *judges])
    for check in progress.checks:
        shares = (check["shares"].get(judge, "") for judge in judges)
        rows.writerow([check["steps"], round(check["seconds"]), check["deals"], *shares])
    return text.getvalue().encode()


def picture(progress: Progress, par: float) -> bytes:
    """The learning curve as a PNG: shares of the win by opponent, and returns, over steps and time."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 7), layout="constrained")
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, sharex=True)
    names = {name for row in progress.rows for name in row["against"]} | {
        name for check in progress.checks for name in check["shares"]
    }
    for i, name in enumerate(sorted(names)):
        points = [(row["steps"], row["against"][name]) for row in progress.rows if name in row["against"]]
        found = [(check["steps"], check["shares"][name]) for check in progress.checks if name in check["shares"]]
        if points:
            above.plot(*zip(*points, strict=True), color=f"C{i}", alpha=0.5, label=f"{name}, in training")
        if found:
            above.plot(*zip(*found, strict=True), "o-", color=f"C{i}", markersize=3, label=f"{name}, in checks")
    _clock(above, [(0, 0.0), *((point["steps"], point["seconds"]) for point in [*progress.rows, *progress.checks])])
    above.axhline(par, color="grey", linewidth=0.8, linestyle="--", label="par")
    above.set(ylabel="share of the win against", ylim=(-0.02, 1.02), xlim=(0, None))
    above.legend(fontsize="small")
    below.plot([row["steps"] for row in progress.rows], [row["return"] for row in progress.rows], color="black")
    below.set(xlabel="decisions of the learner", ylabel="return of a game in training")
    for axes in (above, below):
        axes.grid(alpha=0.3)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=120, metadata={"Software": None})
    return content.getvalue()


def _clock(axes: Any, times: list[tuple[int, float]]) -> None:
    """A second scale, above: the time in training at which the run had so many steps."""
    from matplotlib.ticker import MaxNLocator

    steps, seconds = zip(*sorted(times), strict=True)
    unit, length = ("hours", 3600) if seconds[-1] > 3 * 3600 else ("minutes", 60)
    marks = [mark for mark in MaxNLocator(8).tick_values(0, seconds[-1] / length) if mark * length <= seconds[-1]]
    upper = axes.secondary_xaxis("top")
    upper.set_xticks(np.interp([mark * length for mark in marks], seconds, steps), [f"{mark:g}" for mark in marks])
    upper.set_xlabel(f"{unit} of training")
