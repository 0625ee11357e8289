"""What the README shows is what the code does."""

import re
from pathlib import Path

import pytest

from respublica_env.tables import SHOWN_SEED, SHOWN_TURNS, spaces_in_markdown, turns_in_words

README = (Path(__file__).parent.parent / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def test_tables_of_spaces_are_generated() -> None:
    assert f"\n\n{spaces_in_markdown()}\n\n<!-- end -->" in README


def test_game_in_words_is_a_real_one() -> None:
    assert f"```text\n{turns_in_words(SHOWN_SEED, SHOWN_TURNS)}\n```" in README


def test_the_loop_is_as_short_as_promised() -> None:
    assert len([line for line in BLOCKS[0].splitlines() if line]) <= 12


@pytest.mark.parametrize("code", BLOCKS, ids=lambda code: code.split("\n")[-2][:40])
def test_python_blocks_run(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})
