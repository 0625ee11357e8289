"""Results of the arena for people: tables for a terminal."""

from typing import Any

from rich.console import Group
from rich.table import Table


def table(result: dict[str, Any]) -> Group:
    """The result of `evaluate`."""
    parts = [_shares(result), _details(result), _seats(result)]
    if "cross_play" in result:
        parts.insert(0, cross_table(result))
    return Group(*parts)


def _columns(title: str, caption: str, *names: str) -> Table:
    shown = Table(title=title, caption=caption)
    shown.add_column(names[0], overflow="fold")
    for name in names[1:]:
        shown.add_column(name, justify="right")
    return shown


def _sorted(result: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(result["agents"], key=lambda entry: -entry["win_share"])


def _shares(result: dict[str, Any]) -> Table:
    heading = f"games: {result['games']:,}; deals: {result['deals']:,}; seatings of each: {result['seatings']}"
    caption = f"par is {result['par']:.3f}; intervals hold with 95 % confidence"
    ratios = [f"{entry['name']} {ratio:.2f}" for entry in result["agents"] if (ratio := entry["variance_ratio"])]
    if ratios:
        caption += f"\nvariance of it, as a share of that of as many games of a deal each: {', '.join(ratios)}"
    names = ("agent", "seats", "win share", "95 % interval", "mean points", "rating")
    shown = _columns(heading, caption, *names)
    for entry in _sorted(result):
        shown.add_row(
            entry["name"],
            str(entry["seats"]),
            f"{entry['win_share']:.3f}",
            f"{entry['low']:.3f} to {entry['high']:.3f}",
            f"{entry['mean_points']:.1f}",
            f"{entry['rating']:.1f}",
        )
    return shown


def _details(result: dict[str, Any]) -> Table:
    caption = f"turns in a game: {result['turns']:.1f}; trades: {result['trades']:.1f}; stalled: {result['stalled']:,}"
    names = ("agent", "cities", "monuments", "pairs", "announced", "traded", "refused")
    shown = _columns("points by source, and announcements, in each game and seat", caption, *names)
    for entry in _sorted(result):
        figures = (*entry["points"].values(), *(entry["trades"][name] for name in ("announced", "made", "refused")))
        shown.add_row(entry["name"], *(f"{figure:.1f}" for figure in figures))
    return shown


def _seats(result: dict[str, Any]) -> Table:
    shown = _columns("whoever sits there (seat 0 begins)", "", "seat", "win share", "95 % interval", "mean points")
    for entry in result["by_seat"]:
        shown.add_row(
            str(entry["seat"]),
            f"{entry['win_share']:.3f}",
            f"{entry['low']:.3f} to {entry['high']:.3f}",
            f"{entry['mean_points']:.1f}",
        )
    return shown


def cross_table(result: dict[str, Any]) -> Table:
    """The matrix of a cross-play."""
    cross = result["cross_play"]
    caption = f"par is {result['par']:.3f}; intervals hold with 95 % confidence"
    shown = _columns("win share of one (row) among all others (column)", caption, "", *cross["agents"])
    for i, name in enumerate(cross["agents"]):
        cells = zip(cross["win_share"][i], cross["low"][i], cross["high"][i], strict=True)
        shown.add_row(name, *(f"{share:.3f}\n{low:.2f}-{high:.2f}" for share, low, high in cells))
    return shown
