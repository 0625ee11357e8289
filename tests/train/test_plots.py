"""Figures of results."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from train.evaluate import evaluate, main
from train.plots import plot


def words(svg: bytes) -> str:
    """All that is written in a figure: matplotlib puts each text into a comment beside its outlines."""
    parser = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))
    return " | ".join((node.text or "").strip() for node in ET.fromstring(svg, parser).iter(ET.Comment))


@pytest.mark.parametrize("crossed", [False, True])
def test_the_figure_shows_names_and_numbers(crossed: bool) -> None:
    result = evaluate(["greedy", "random"], None, 8, cross_play=crossed)
    drawn = plot(result, ".svg")
    assert drawn == plot(result, ".svg")
    text = words(drawn)
    shares = result["cross_play"]["win_share"][0] if crossed else [agent["win_share"] for agent in result["agents"]]
    for wanted in ("greedy", "random", "par", *(f"{share:.{2 if crossed else 3}f}" for share in shares)):
        assert wanted in text


def test_the_command_draws(tmp_path: Path) -> None:
    for suffix, start in ((".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")):
        main(
            ["--agents", "greedy", "random", "--rules", "mini", "--deals", "2", "--plot", str(tmp_path / f"p{suffix}")]
        )
        assert (tmp_path / f"p{suffix}").read_bytes().startswith(start)
