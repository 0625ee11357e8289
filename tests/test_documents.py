"""What the README and the documentation show is what the code does."""

import argparse
import ast
import importlib
import importlib.util
import json
import re
import runpy
import sys
import tomllib
from pathlib import Path
from typing import Any, NoReturn

import pytest
import tyro

import agents  # noqa: F401 - registers its names once, before the registry is put back behind each block
from respublica_env import opponents
from respublica_env.tables import SHOWN_SEED, SHOWN_TURNS, spaces_in_markdown, turns_in_words
from tests.documents import ROOT, Block, Command, blocks, commands
from train.results import markdown

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = list(blocks())
PYTHON = [block for block in BLOCKS if block.language == "python"]
COMMANDS = commands()
REFERENCE = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs/api").glob("*.md")))
ELSEWHERE = {"pytest", "venv"}  # modules of others that run as commands
OTHERS = {".", "jupyter", "mkdocs", "ray"}  # commands of others
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


class ParsedError(Exception):
    """A command line was understood; nothing is run."""


def test_tables_of_spaces_are_generated() -> None:
    assert f"\n\n{spaces_in_markdown()}\n\n<!-- end -->" in README


def test_results_are_those_that_were_played() -> None:
    figures = json.loads((ROOT / "train/results.json").read_text(encoding="utf-8"))
    assert f"\n\n{markdown(figures)}\n\n" in README


def test_game_in_words_is_a_real_one() -> None:
    assert f"```text\n{turns_in_words(SHOWN_SEED, SHOWN_TURNS)}\n```" in README


def test_the_loop_is_as_short_as_promised() -> None:
    loop = next(block.code for block in PYTHON if block.page == "README.md")
    assert len([line for line in loop.splitlines() if line]) <= 12


def test_every_block_has_a_test() -> None:
    """Blocks are in the languages that are tested here; what is included from a file is tested there."""
    for block in BLOCKS:
        included = block.code.startswith('--8<-- "')
        generated = (block.page, block.language) == ("README.md", "text")  # the game in words
        assert block.language in ("python", "bash") or included or generated, block.name


def test_no_block_is_missed() -> None:
    for page in {block.page for block in BLOCKS}:
        fences = re.findall(r"^ *(?:```|~~~)", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert len(fences) == 2 * sum(block.page == page for block in BLOCKS), page


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.name)
def test_python_blocks_run(block: Block, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(opponents, "_REGISTRY", dict(opponents._REGISTRY))
    script = tmp_path / f"{Path(block.page).stem}.py"
    script.write_text("\n" * (block.line - 1) + block.code, encoding="utf-8")  # a traceback names the line of the page
    runpy.run_path(str(script), run_name="__main__")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_commands_exist(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    match command.words:
        case ("python", "-m", module, *arguments) if module not in ELSEWHERE:
            understands(module, arguments, monkeypatch)
        case ("python", "-c", code):
            compile(code, command.page, "exec")
        case ("pip", "install", *wanted):
            for extra in re.findall(r"\[([\w,]+)\]", " ".join(word for word in wanted if word.startswith("."))):
                assert set(extra.split(",")) <= set(EXTRAS)
        case _:
            assert command.words[0] in OTHERS or command.words[2] in ELSEWHERE


def understands(module: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Assert that a command of ours takes these arguments, as far as it can be told without running it."""
    found = importlib.util.find_spec(module)
    assert found is not None, f"there is no module {module}"
    name = f"{module}.__main__" if found.submodule_search_locations is not None else module
    try:
        main = getattr(importlib.import_module(name), "main", None)
    except ModuleNotFoundError as error:
        main = str(error.name).partition(".")[0]
    if isinstance(main, str):  # a library that has an environment of its own, such as Ray
        assert importlib.util.find_spec(main) is None
        assert {word[2:].replace("-", "_") for word in arguments if word.startswith("--")} <= annotated(name) | {"help"}
        return
    monkeypatch.setattr(tyro, "cli", only_parses(tyro.cli))
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", only_parses(argparse.ArgumentParser.parse_args))
    if main is None:  # it reads sys.argv where it stands
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        monkeypatch.delitem(sys.modules, name)  # else runpy warns of a second copy
        runpy.run_module(name, run_name="__main__")
        return
    status: object = None
    try:
        main(arguments)
    except ParsedError:
        status = "parsed"
    except SystemExit as stop:
        status = stop.code or "helped"
    assert status == ("helped" if "--help" in arguments else "parsed"), f"python -m {module} refuses {arguments}"


def only_parses(parse: Any) -> Any:
    """A parser of command lines behind which nothing comes."""

    def parsed(*given: Any, **options: Any) -> NoReturn:
        parse(*given, **options)
        raise ParsedError

    return parsed


def annotated(name: str) -> set[str]:
    """Names of the options of a command that cannot be imported: the annotated names in its classes."""
    found = importlib.util.find_spec(name)
    assert found is not None and found.origin is not None
    tree = ast.parse(Path(found.origin).read_text(encoding="utf-8"))
    fields = (line for node in tree.body if isinstance(node, ast.ClassDef) for line in node.body)
    return {line.target.id for line in fields if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)}


@pytest.mark.parametrize(
    "module",
    [
        "respublica_env",
        "respublica_env.open_spiel",
        "respublica_env.replay",
        "respublica_env.respublica_v0",
        "respublica_env.sb3",
        "respublica_env.testing",
        "agents",
    ],
)
def test_reference_names_all_that_is_public(module: str) -> None:
    for name in importlib.import_module(module).__all__:
        assert re.search(rf"\b{name}\b", REFERENCE), f"{module}.{name} is not in docs/api"


@pytest.mark.parametrize(
    ("module", "members"), re.findall(r"^::: (\S+)\n(?: +.+\n)* +members: \[(.+)\]", REFERENCE, re.M)
)
def test_members_in_the_reference_exist(module: str, members: str) -> None:
    """Mkdocstrings leaves out, without a word, what does not exist."""
    found = importlib.util.find_spec(module)
    assert found is not None and found.origin is not None
    source = Path(found.origin).read_text(encoding="utf-8")
    for name in members.split(", "):
        assert re.search(rf"\b{name}\b", source), f"{module} has no {name}"


OFFLINE = runpy.run_path(str(ROOT / "docs/_build/offline.py"))


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/css">',
        '<link rel="preconnect" href="https://fonts.example">',
        '<img src="https://shields.example/badge.svg">',
        '<p style="background: url(https://pictures.example/x.png)">',
        "<style>@import 'https://fonts.example/css';</style>",
        '<script>import x from "https://cdn.example/x.js"</script>',
        '<pre class="mermaid"></pre>',
    ],
)
def test_site_that_loads_from_elsewhere_is_found(text: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"<html><body>{text}</body></html>", encoding="utf-8")
    assert len(list(OFFLINE["found_in"](tmp_path))) == 1


def test_fonts_in_style_sheets_are_found(tmp_path: Path) -> None:
    (tmp_path / "style.css").write_text("@font-face { src: url('https://fonts.example/x.woff2') }", encoding="utf-8")
    assert len(list(OFFLINE["found_in"](tmp_path))) == 1


def test_site_may_link_elsewhere(tmp_path: Path) -> None:
    text = (
        '<link rel="canonical" href="https://x.example/"><script src="a.js"></script><a href="https://x.example">x</a>'
    )
    (tmp_path / "page.html").write_text(f"{text}<code>https://x.example</code>", encoding="utf-8")
    assert list(OFFLINE["found_in"](tmp_path)) == []
