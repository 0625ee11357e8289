"""What the README and the pages in docs/ show: their code blocks, and the commands in them."""

import re
import shlex
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

FENCE = re.compile(r"^( *)```(\S*)[^\n]*\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`(python -m [^`]+)`")
SETTING = re.compile(r"[A-Z][A-Z_]*=\S*")
ENDS = {"&&", "||", "|", ";", "&"}


class Block(NamedTuple):
    """A code block.

    Attributes:
        page: the file, from the root of the repository.
        line: of the page, where the code begins.
        language: as the fence names it.
        code: without the indentation of the fence.
    """

    page: str
    line: int
    language: str
    code: str

    @property
    def name(self) -> str:
        """How a test's report names it."""
        return f"{self.page}:{self.line}"


class Command(NamedTuple):
    """One command of a shell.

    Attributes:
        page: the file that it stands in.
        words: without settings of the environment before it, and without redirections.
    """

    page: str
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """How a test's report names it."""
        return f"{self.page}: {shlex.join(self.words)}"


def blocks() -> Iterator[Block]:
    """Every code block of every page."""
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for found in FENCE.finditer(text):
            line = text.count("\n", 0, found.start(3)) + 1
            yield Block(str(path.relative_to(ROOT)), line, found[2], textwrap.dedent(found[3]))


def commands() -> list[Command]:
    """Every command, once for each page: those of shell blocks, and `python -m ...` in the text."""
    found = [
        Command(block.page, words) for block in blocks() if block.language == "bash" for words in split(block.code)
    ]
    for path in PAGES:
        text = FENCE.sub("", path.read_text(encoding="utf-8"))
        for said in INLINE.findall(text):
            line = re.sub(r"[\[\]]|\s+", " ", said)  # brackets stand around what may be left out
            mentioned = line if line.count(" ") > 2 else f"{line} --help"  # a name, not a call
            found += [Command(str(path.relative_to(ROOT)), words) for words in split(mentioned)]
    return list(dict.fromkeys(found))


def split(script: str) -> Iterator[tuple[str, ...]]:
    """The commands of a piece of shell, as words."""
    for line in script.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words: list[str] = []
        for word in [*lexer, ";"]:
            if word in ENDS:
                if words:
                    yield _bare(words)
                words = []
            else:
                words.append(word)


def _bare(words: list[str]) -> tuple[str, ...]:
    """Without settings of the environment before the command, and without a redirection behind it."""
    first = next((place for place, word in enumerate(words) if not SETTING.fullmatch(word)), len(words))
    last = words.index(">") if ">" in words else len(words)
    return tuple(words[first:last])
