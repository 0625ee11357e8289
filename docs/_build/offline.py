"""A hook of MkDocs: no page may load anything from another site (links that a reader follows are no matter)."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

ELSEWHERE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
IN_STYLES = re.compile(r"(?:url\(|@import)\s*[\"']?\s*(?:https?:)?//[^\s\"')]+", re.IGNORECASE)
IN_SCRIPTS = re.compile(r"[\"'`](?:https?:)?//[^\"'`]+", re.IGNORECASE)
LOADED = ("src", "srcset", "poster", "data")  # attributes whose address a browser loads by itself
LINKS_ONLY = {"canonical", "alternate", "next", "prev", "author", "license", "help", "search"}  # rel of such a <link>


class _Page(HTMLParser):
    """Collects what a page loads from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        given = {name: value or "" for name, value in attrs}
        addresses = [given[name] for name in LOADED if name in given]
        if tag == "link" and not set(given.get("rel", "").split()) <= LINKS_ONLY:
            addresses.append(given.get("href", ""))
        self.found += [f"<{tag}> {address}" for address in addresses if ELSEWHERE.match(address)]
        self.found += IN_STYLES.findall(given.get("style", ""))
        if "mermaid" in given.get("class", "").split():
            self.found.append("a Mermaid diagram, which the theme draws with a script from a CDN")

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the name is the library's
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in ("style", "script"):
            self.found += (IN_STYLES if self._inside == "style" else IN_SCRIPTS).findall(data)


def loaded_from_elsewhere(name: str, text: str) -> list[str]:
    """What a file of the site makes a browser load from other sites; scripts of the theme are not looked into."""
    if name.endswith(".css"):
        return IN_STYLES.findall(text)
    page = _Page()
    page.feed(text)
    return page.found


def found_in(site: Path) -> Iterator[str]:
    """One line for each thing that a built site loads from elsewhere."""
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".css"):
            for found in loaded_from_elsewhere(path.name, path.read_text(encoding="utf-8")):
                yield f"{path.relative_to(site)} loads {found}"


def on_post_build(config: Any) -> None:
    """End the build when the site needs a network."""
    if lines := list(found_in(Path(config.site_dir))):
        raise SystemExit("\n".join(["the site must load nothing from elsewhere:", *lines]))
