"""The page: one file with everything in it, that needs no network and runs nothing but its own script.

What is shown is decided by `tell`; the page's script only draws it. Names come from records, which anybody can write:
they are data, never markup, and a content security policy lets nothing run but what this package ships.
"""

import base64
import hashlib
import json
import re
from dataclasses import asdict
from html import escape
from importlib.resources import files
from typing import Any

from respublica_env.envs.view import AGENT_NAMES, SPECTATOR, Viewer, check_viewer
from respublica_env.record import Record
from respublica_env.replay.drawing import hue, symbols
from respublica_env.replay.policy import Advisor, Decision, advise
from respublica_env.replay.story import Story, tell
from respublica_env.rules import Rules

SCRIPTS = ("story.js", "table.js", "talk.js", "chart.js", "flights.js", "player.js")
LONGEST_NAME = 40


def page(record: Record, viewer: Viewer = None, agent: Advisor | None = None) -> str:
    """A page that shows a game, as HTML.

    Args:
        record: the game.
        viewer: a seat, or "spectator", whose view is shown; None shows everything.
        agent: one that says what it thinks of each decision, or of each of the viewer's.

    Raises ValueError for no such viewer, a game too long to show, or an agent that does not answer.
    """
    who = check_viewer(viewer, record.rules.num_players)
    story = tell(record, who)
    decisions = [] if agent is None else advise(record, agent, who)
    data = head(record.rules, record.agents, who) | chunk(story)
    if agent is not None:
        unit = getattr(agent, "value_unit", None)
        data |= {"adviser": _name(agent.name), "valueUnit": None if unit is None else _name(unit)}
        data |= _advice(record, story, decisions)
    return assemble(record.rules, data)


def head(rules: Rules, agents: tuple[str, ...], viewer: Viewer) -> dict[str, Any]:
    """What stays the same during a game."""
    return {
        "players": list(AGENT_NAMES[: rules.num_players]),
        "agents": [_name(name) for name in agents],
        "types": list(rules.type_names),
        "kinds": list(rules.kind_names),
        "hues": [hue(rules, k) for k in range(rules.num_types)],
        "population": rules.population_types,
        "cityPoints": rules.city_points,
        "numCities": rules.num_cities,
        "numMonuments": len(rules.monument_points),
        "setSize": rules.set_size,
        "viewer": viewer,
        "spectator": viewer == SPECTATOR,
    }


def chunk(story: Story, first: int = 0) -> dict[str, Any]:
    """A story from a frame on: for a page that shows the frames before it."""
    events = [event for event in story.events if event["f"] >= first]
    return {"from": first, "frames": story.frames[first:], "events": events}


def assemble(rules: Rules, data: dict[str, Any]) -> str:
    """The page around its data. With the key "live" it can be played in, and asks the server that it came from."""
    live = "live" in data
    style, script = _asset("page.css"), "".join(map(_asset, (*SCRIPTS, *(["live.js"] if live else []))))
    script = f'"use strict";(() => {{\n{script}}})();'
    title = "Res Publica: " + ", ".join(data["agents"] or ["a game"])
    values = {
        "policy": f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        f"connect-src '{'self' if live else 'none'}'; base-uri 'none'; form-action 'none'",
        "title": escape(title),
        "style": style,
        "symbols": symbols(rules),
        "data": _as_data(data),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return files("respublica_env.replay").joinpath("assets", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _as_data(values: Any) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(values, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _name(name: object) -> str:
    """A name as it is shown: one line, without control characters, not too long."""
    text = " ".join("".join(c if c.isprintable() else " " for c in str(name)[: 10 * LONGEST_NAME]).split())
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def _advice(record: Record, story: Story, decisions: list[Decision]) -> dict[str, Any]:
    """What the agent thinks, by frame, and the words for the actions in it."""
    advice: dict[int, list[dict[str, Any]]] = {}
    game = record.start()
    words: dict[int, str] = {}
    for decision in decisions:
        for action, _ in decision.likely:
            words.setdefault(action, game.describe(action))
        shown = asdict(decision) | {
            "likely": [[action, round(chance, 3)] for action, chance in decision.likely],
            "value": None if decision.value is None else round(decision.value, 3),
        }
        del shown["number"]
        advice.setdefault(story.places[decision.number], []).append(shown)
    return {"advice": advice, "words": words}
