"""The page in a browser: each step shows the engine's hands and scores; buttons, keys, phone, dark; hostile names."""

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from respublica_env import Rules
from respublica_env.envs.view import see
from respublica_env.record import Record
from respublica_env.replay import page, tell
from tests.browser import DESKTOP, PHONE, console, resize, show
from tests.replayed import Weigher, played
from tests.test_replay_page import HOSTILE

RULES = Rules(num_players=3, copies=7, set_size=3)
GAMES = [(Rules(), "random", 5), (Rules(num_players=5), "greedy", 2), (RULES, "greedy", 3)]

# What the document shows, by what a person can see or a reader is told.
STATE = """
  const all = (query, root = document) => [...root.querySelectorAll(query)];
  const shown = () => ({
    frame: Number(app.dataset.frame), decision: Number(app.dataset.decision), phase: app.dataset.phase,
    hands: all('.seat').map((seat) => all('.slot', seat).map((slot) => {
      const count = slot.querySelector('.count').textContent;
      return slot.dataset.n === '0' ? 0 : count === '' ? 1 : parseInt(count);
    })),
    data: all('.seat').map((seat) => seat.dataset.hand.split(',').map(Number)),
    backs: all('.seat').map((seat) => all('.backs b', seat).map((b) => Number(b.textContent))),
    points: all('.seat .points b').map((b) => Number(b.textContent)),
    built: all('.seat').map((seat) => all('.built .tile', seat).reduce((sum, tile) => {
      const times = tile.querySelector('i');
      return sum + Number(tile.querySelector('b').textContent) * (times ? parseInt(times.textContent.slice(1)) : 1);
    }, 0)),
    decks: all('.felt .deck .slot .count').map((count) => Number(count.textContent)),
    caption: caption.textContent, lines: all('#talk > li:not([hidden])').length,
  });
"""


def step_through(browser: Any) -> list[dict[str, Any]]:
    """Everything that is shown, frame by frame, by clicks on the button."""
    return browser.execute_script(
        STATE
        + """
        const frames = [shown()];
        const next = document.querySelector('button.next');
        while (!next.disabled) { next.click(); frames.push(shown()); }
        return frames;"""
    )


def now(browser: Any) -> dict[str, Any]:
    return browser.execute_script(f"{STATE} return shown();")


def press(browser: Any, *keys: str) -> int:
    """Keys, then the frame that is shown."""
    from selenium.webdriver.common.by import By

    for key in keys:
        browser.find_element(By.TAG_NAME, "body").send_keys(key)
    return now(browser)["frame"]


@pytest.mark.parametrize(("rules", "bot", "seed"), GAMES)
def test_every_step_shows_hands_and_scores_of_the_engine(
    rules: Rules, bot: str, seed: int, browser: Any, tmp_path: Path
) -> None:
    record = played(rules, seed, bot)
    resize(browser, DESKTOP)
    show(browser, tmp_path / "page.html", page(record))
    frames = step_through(browser)
    assert [frame["frame"] for frame in frames] == list(range(len(tell(record).frames)))
    assert frames[0]["decision"] == 0 and frames[-1]["decision"] == len(record) and frames[-1]["phase"] == "OVER"
    place, game = 0, record.start()
    for number in range(len(record) + 1):
        while place + 1 < len(frames) and frames[place + 1]["decision"] <= number:
            place += 1
        shown = frames[place]
        assert shown["hands"] == shown["data"] == game.hands.tolist()
        assert shown["points"] == game.scores() and shown["built"] == game.points()
        assert shown["decks"] == [len(game.population_deck), len(game.technology_deck)]
        if number < len(record):
            game.step(record.actions[number])
    assert game.terminated and console(browser) == []
    told = {event["f"] for event in tell(record).events}
    for before, after in itertools.pairwise(frames):
        assert after["frame"] in told or after["caption"] == before["caption"]  # what happened last
    lines = [frame["lines"] for frame in frames]
    assert lines == sorted(lines) and lines[-1] == sum(event["e"] != "more" for event in tell(record).events)


@pytest.mark.parametrize("viewer", [1, "spectator"])
def test_a_view_shows_what_it_may(viewer: int | str, browser: Any, tmp_path: Path) -> None:
    record = played(RULES)
    resize(browser, DESKTOP)
    show(browser, tmp_path / "page.html", page(record, viewer))
    frames = step_through(browser)
    game = record.start()
    for place, action in zip(tell(record, viewer).places, record.actions, strict=True):
        view = see(game, viewer)
        assert frames[place]["hands"] == view.hands and frames[place]["points"] == view.points
        assert frames[place]["backs"] == view.backs
        game.step(action)
    assert frames[-1]["points"] == game.scores() and console(browser) == []


def test_keys_buttons_and_the_address(browser: Any, tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.wait import WebDriverWait

    record = played(RULES)
    story = tell(record)
    last = len(story.frames) - 1
    resize(browser, DESKTOP)
    show(browser, tmp_path / "page.html", page(record))
    assert press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT) == 3
    assert press(browser, Keys.ARROW_LEFT) == 2
    assert press(browser, Keys.END) == last and press(browser, Keys.ARROW_RIGHT) == last
    assert press(browser, Keys.HOME) == 0
    for key, kind in (("t", "trade"), ("c", "city"), ("m", "monument"), ("n", "turn")):
        frames = sorted({event["f"] for event in story.events if event["e"] == kind} - {0})
        press(browser, Keys.HOME)
        assert [press(browser, key) for _ in frames] == frames
        assert press(browser, key) == (frames[-1] if frames else 0)
        if len(frames) > 1:
            assert press(browser, key.upper()) == frames[-2]
    place = press(browser)
    assert place > 0
    # The place is in the address, a moment after the last step: browsers refuse many changes of it in a short time.
    WebDriverWait(browser, 30).until(lambda it: it.current_url.endswith(f"#{place}"))
    browser.refresh()
    assert now(browser)["frame"] == place
    browser.get(f"{browser.current_url.partition('#')[0]}#7")
    assert now(browser)["frame"] == 7
    browser.execute_script("scrub.value = 9; scrub.dispatchEvent(new Event('input'))")
    assert now(browser)["frame"] == 9
    for wrong, frame in (("#-5", 0), ("#99999999", last), ("#x", 0)):
        browser.get(f"{browser.current_url.partition('#')[0]}{wrong}")
        assert now(browser)["frame"] == frame
    assert console(browser) == []


def test_a_click_on_the_chart_goes_there(browser: Any, tmp_path: Path) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By

    record = played(RULES)
    resize(browser, DESKTOP)
    show(browser, tmp_path / "page.html", page(record))
    chart = browser.find_element(By.ID, "chart")
    ActionChains(browser).move_to_element(chart).click().perform()
    middle = (len(tell(record).frames) - 1) / 2
    assert abs(now(browser)["frame"] - middle) <= 1
    ends = browser.execute_script("return [...document.querySelectorAll('#chart path.score')].length")
    assert ends == RULES.num_players


def test_it_plays_by_itself_and_stops_at_the_end(browser: Any, tmp_path: Path) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    record = played(RULES)
    last = len(tell(record).frames) - 1
    resize(browser, DESKTOP)
    show(browser, tmp_path / "page.html", page(record), f"#{last - 2}")
    browser.execute_script(
        "const s = document.getElementById('speed'); s.value = 4; s.dispatchEvent(new Event('change'))"
    )
    assert press(browser, " ") >= last - 2
    play = browser.find_element(By.CSS_SELECTOR, "button.play")
    WebDriverWait(browser, 30).until(lambda _: now(browser)["frame"] == last)
    assert play.get_attribute("aria-pressed") == "false" and console(browser) == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE, (820, 1180)], ids=["desktop", "phone", "tablet"])
@pytest.mark.parametrize("rules", [Rules(), Rules(num_players=6, population_types=8, technology_types=8), Rules.mini()])
def test_nothing_lies_outside_the_screen(rules: Rules, size: tuple[int, int], browser: Any, tmp_path: Path) -> None:
    record = played(rules, bot="random", agents=("a rather long name of an agent",) * rules.num_players)
    resize(browser, size)
    show(browser, tmp_path / "page.html", page(record, agent=Weigher()), "#200")
    wide = browser.execute_script(
        """return [document.documentElement.scrollWidth, ...['.board', '.side', '.player', '.top', '.caption'].map(
          (query) => Math.round(document.querySelector(query).getBoundingClientRect().right))]"""
    )
    assert max(wide) <= size[0]
    talk = browser.execute_script(
        """return [...document.querySelectorAll('#talk, #talk > li:not([hidden]) .bubble')].map(
          (element) => element.scrollWidth - element.clientWidth)"""
    )
    assert len(talk) > 3 and max(talk) <= 0  # what was said is read without scrolling sideways
    bottom = browser.execute_script("return document.querySelector('.player').getBoundingClientRect().bottom")
    assert bottom <= size[1]  # the buttons are in sight wherever the page is scrolled to


def test_dark_and_light(browser: Any, tmp_path: Path) -> None:
    def darkness() -> list[int]:
        colour = browser.execute_script("return getComputedStyle(document.documentElement).backgroundColor")
        return [int(part) for part in colour[4:-1].split(",")]

    text = page(played(RULES, decisions=3))
    for scheme, dark in (("dark", True), ("light", False)):
        resize(browser, DESKTOP, scheme)
        show(browser, tmp_path / f"{scheme}.html", text)
        browser.execute_script("localStorage.clear()")
        browser.refresh()
        assert (sum(darkness()) < 200) == dark
        browser.execute_script("document.getElementById('theme').click()")
        assert (sum(darkness()) < 200) != dark
        browser.refresh()
        assert (sum(darkness()) < 200) != dark  # it is remembered
    browser.execute_script("localStorage.clear()")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_cards_fly_only_for_those_who_want_motion(motion: str, browser: Any, tmp_path: Path) -> None:
    record = played(RULES)
    trade = next(event["f"] for event in tell(record).events if event["e"] == "trade")
    resize(browser, DESKTOP, motion=motion)
    show(browser, tmp_path / "page.html", page(record), f"#{trade - 1}")
    flying = browser.execute_script(
        "document.querySelector('button.next').click(); return document.querySelectorAll('.flyer').length"
    )
    assert (flying > 0) == (motion == "no-preference")


def test_what_an_agent_thinks_is_shown(browser: Any, tmp_path: Path) -> None:
    record, agent = played(RULES), Weigher()
    story = tell(record)
    resize(browser, DESKTOP)
    for number in (0, len(record) // 2, len(record) - 1):
        show(browser, tmp_path / "page.html", page(record, agent=agent), f"#{story.places[number]}")
        words = browser.execute_script("return document.getElementById('advice').innerText")
        game = record.at(number)
        row = agent.probabilities(game.observation(game.player)[None], game.action_mask()[None])[0]
        taken = record.actions[number]
        assert game.describe(taken) in words and "weigher" in words and "taken" in words
        assert f"{100 * row[taken]:.{0 if row[taken] >= 0.1 else 1}f} %" in words
        value = f"{agent.values(game.observation(game.player)[None])[0]:.2f}"
        assert f"value {value}" in words
    agent.value_unit = "points <b>to come</b>"
    show(browser, tmp_path / "page.html", page(record, agent=agent), f"#{story.places[number]}")
    words = browser.execute_script("return document.getElementById('advice').innerText")
    assert f"{value} points <b>to come</b>" in words and "value" not in words


def test_names_run_nothing(browser: Any, tmp_path: Path) -> None:
    record: Record = replace(played(RULES, decisions=30), agents=HOSTILE)
    resize(browser, DESKTOP)
    show(browser, tmp_path / "page.html", page(record))
    step_through(browser)
    assert "owned" not in browser.title.removeprefix("Res Publica: </script><script>document.title='owned'")
    assert browser.title.startswith("Res Publica: </script>")
    shown = browser.execute_script("return [...document.querySelectorAll('.agent')].map((name) => name.textContent)")
    assert shown[0].startswith("</script><script>") and all(len(name) <= 40 for name in shown)
    counts = browser.execute_script(
        "return ['img', 'script', 'iframe', 'link'].map((tag) => document.querySelectorAll(tag).length)"
    )
    assert counts == [0, 2, 0, 1] and console(browser) == []
    loaded = browser.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert [name for name in loaded if not name.startswith("data:")] == [], json.dumps(loaded)
