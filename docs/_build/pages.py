"""A hook of MkDocs: what the pages take from elsewhere, so that it stands in one place only.

- `<!-- spaces: mini {"max_turns": 3} -->` in a page becomes the tables of both spaces under those rules: a preset
  ("standard", "mini", "small"), and the fields that differ from it as JSON.
- `<!-- readme: Speed -->` becomes what the README says under that heading.
- Each notebook becomes a page `tutorials/NAME.md` with the outputs that are saved in it; nothing is run.

A name that is not there ends the build.
"""

import json
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from nbconvert import MarkdownExporter

from respublica_env.rules import PRESETS
from respublica_env.tables import spaces_in_markdown

ROOT = Path(__file__).parents[2]
SPACES = re.compile(r"<!-- spaces: (\w+) (\{.*\}) -->")
README = re.compile(r"<!-- readme: (.+) -->")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the notebooks, and the pictures in their outputs."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        page, extracted = MarkdownExporter().from_filename(str(path), resources={"unique_key": path.stem})
        files.append(File.generated(config, f"tutorials/{path.stem}.md", content=page))
        for name, content in extracted["outputs"].items():
            files.append(File.generated(config, f"tutorials/{name}", content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put tables and sections in their places."""
    markdown = SPACES.sub(lambda found: spaces(found[1], json.loads(found[2])), markdown)
    return README.sub(lambda found: section(found[1]), markdown)


def spaces(preset: str, changes: dict[str, Any]) -> str:
    """Both tables under a preset with changed fields, in a box for docs/style.css."""
    tables = spaces_in_markdown(PRESETS[preset](**changes))
    return f'<div class="spaces" markdown="1">\n\n{tables}\n\n</div>'


def section(heading: str) -> str:
    """What stands in the README under a heading of the second level, with links as pages in docs/ write them."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    _, found, rest = text.partition(f"\n## {heading}\n")
    if not found:
        raise ValueError(f"README.md has no heading '## {heading}'")
    body = re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    return body.strip().replace("](docs/", "](")
