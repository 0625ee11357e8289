"""The page as text: whole in one file, small, and with nothing in it that a record could bring to run."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from respublica_env import Rules
from respublica_env.envs.picture.symbols import SYMBOLS
from respublica_env.record import Record
from respublica_env.replay import page, tell
from tests.replayed import Weigher, played

RULES = Rules(num_players=3, copies=7, set_size=3)
HOSTILE = (
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">{{script}}",
    "<!--<script>&quot;\\u2028\u2028'\"` ${alert(1)}",
)


def data_of(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_a_page_holds_the_story() -> None:
    record = played(RULES, agents=("a", "b", "c"))
    for viewer in (None, 2, "spectator"):
        data, story = data_of(page(record, viewer)), tell(record, viewer)
        assert data["frames"] == story.frames and data["events"] == story.events
        assert data["viewer"] == viewer and data["agents"] == ["a", "b", "c"]


def test_a_seat_is_sent_nothing_that_it_may_not_know() -> None:
    """The page of a seat is the same whatever the order of the cards that are never drawn."""
    record = played(RULES, decisions=40)
    deck = list(record.technology_deck)
    first = len(deck) - len(record.at(40).technology_deck)  # of those not drawn
    last = next(place for place in range(first, len(deck)) if deck[place] != deck[first])
    deck[first], deck[last] = deck[last], deck[first]
    other = replace(record, technology_deck=tuple(deck))
    assert page(record) != page(other)
    assert page(record, 1) == page(other, 1) and page(record, "spectator") == page(other, "spectator")


def test_an_agents_thoughts_are_in_their_frames() -> None:
    record = played(RULES)
    story = tell(record)
    data = data_of(page(record, agent=Weigher()))
    assert data["adviser"] == "weigher" and sum(map(len, data["advice"].values())) == len(record)
    for number, place in enumerate(story.places):
        game = record.at(number)
        shown = data["advice"][str(place)][story.places[:number].count(place)]
        assert (shown["seat"], shown["phase"], shown["taken"]) == (game.player, game.phase, record.actions[number])
        for action, _ in shown["likely"]:
            assert data["words"][str(action)] == game.describe(action)
    seat = data_of(page(record, 1, Weigher()))
    assert {one["seat"] for frame in seat["advice"].values() for one in frame} == {1}


@pytest.mark.parametrize("rules", [Rules(), Rules(num_players=6, population_types=8, technology_types=8)])
def test_a_page_is_whole_and_small(rules: Rules) -> None:
    record = played(rules, bot="random")
    text = page(record, agent=Weigher())
    assert len(record) > 400 and len(text) < 1_500_000
    # Nothing is loaded: no address but the names of XML's own vocabularies, no import, no font, no picture.
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(|\ssrc=|<link(?! rel=\"icon\" href=\"data:,\")", text)
    for k, name in enumerate(rules.type_names):
        assert f'id="card-{k}"' in text and f">{name}</text>" in text
        assert name in SYMBOLS or re.search(rf'id="kind-{k}"[^>]*>.*?>{name.split()[-1]}</text>', text)


def test_the_policy_lets_only_this_script_and_style_work() -> None:
    text = page(played(RULES, decisions=3))
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', text)
    assert policy and "default-src 'none'" in policy[1] and "unsafe" not in policy[1]
    for tag in ("script", "style"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy[1]
    assert not re.search(r'\sstyle="|\son\w+="', text)  # the policy would not let them work


def hostile(record: Record) -> str:
    return page(replace(record, agents=HOSTILE))


def test_names_are_data() -> None:
    text = hostile(played(RULES, decisions=3))
    assert text.count("<script") == 2 and text.count("</script") == 2 and "<img" not in text and "<!--" not in text
    assert data_of(text)["agents"][0] == "</script><script>document.title='owned'…"
    assert data_of(text)["agents"][1].endswith("…") and len(text) < 200_000
    assert "<title>Res Publica: &lt;/script&gt;" in text
