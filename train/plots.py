"""Results of the arena as figures. Drawn without a display, whatever matplotlib is set to."""

import io
from pathlib import Path
from typing import Any

import numpy as np

from respublica_env.files import check_target

SUFFIXES = (".png", ".svg", ".pdf")


def check_plot(path: Path) -> None:
    """ValueError unless a figure can be written there."""
    if path.suffix not in SUFFIXES:
        raise ValueError(f"--plot must name a file that ends in {', '.join(SUFFIXES)}, got {path}")
    check_target("--plot", path)


def plot(result: dict[str, Any], suffix: str) -> bytes:
    """A figure of the result of `evaluate`: win shares with their intervals, or the matrix of a cross-play.

    The same result gives the same bytes.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    cross = "cross_play" in result
    size = len(result["agents"])
    figure = Figure(figsize=(3.5 + 0.9 * size, 2.5 + 0.7 * size) if cross else (7, 1.6 + 0.45 * size), dpi=150)
    FigureCanvasAgg(figure)
    (_matrix if cross else _shares)(figure, result)
    figure.tight_layout()
    file = io.BytesIO()
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}[suffix]
    with mpl.rc_context({"svg.hashsalt": "respublica"}):
        figure.savefig(file, format=suffix[1:], metadata=undated)
    return file.getvalue()


def _shares(figure: Any, result: dict[str, Any]) -> None:
    """A point and its interval for each agent, the best on top."""
    axes = figure.add_subplot()
    entries = sorted(result["agents"], key=lambda entry: entry["win_share"])
    for place, entry in enumerate(entries):
        share, low, high = entry["win_share"], entry["low"], entry["high"]
        axes.plot([low, high], [place, place], color="C0", linewidth=2.5, solid_capstyle="butt")
        axes.plot(share, place, "o", color="C0", markersize=7)
        axes.annotate(f"{share:.3f}", (share, place), (0, 7), textcoords="offset points", ha="center", fontsize=8)
    axes.axvline(result["par"], color="0.5", linestyle="--", linewidth=1, zorder=0)
    axes.text(result["par"], len(entries) - 0.45, " par", color="0.4", fontsize=8, va="top")
    axes.set_yticks(range(len(entries)), [f"{entry['name']} ({entry['seats']})" for entry in entries])
    axes.set_ylim(-0.6, len(entries) - 0.4)
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("win share of a seat, with its 95 % interval")
    axes.set_title(f"{result['games']:,} games: {result['deals']:,} deals, all seatings", fontsize=10)
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _matrix(figure: Any, result: dict[str, Any]) -> None:
    """A cell for each pair, blue above par and red below."""
    from matplotlib.colors import TwoSlopeNorm

    axes = figure.add_subplot()
    cross, par = result["cross_play"], result["par"]
    shares = np.array(cross["win_share"])
    norm = TwoSlopeNorm(par, 0, 1)
    image = axes.imshow(shares, cmap="RdBu", norm=norm)
    for (i, j), share in np.ndenumerate(shares):
        dark = not 0.15 < norm(share) < 0.85
        text = f"{share:.2f}" if i == j else f"{share:.2f}\n{cross['low'][i][j]:.2f}-{cross['high'][i][j]:.2f}"
        axes.text(j, i, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
    names = cross["agents"]
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("in all other seats")
    axes.set_ylabel("in one seat")
    axes.set_title(f"win share of the one (par {par:.2f}), {result['deals']:,} deals, all seatings", fontsize=10)
    figure.colorbar(image, ax=axes, shrink=0.8)
