"""A game in the browser: whole games by clicks, tabs and reloads, and a server for this machine alone."""

import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import load
from agents.play import Play, main
from agents.web import LOOPBACK, MOST_BYTES, Behind, Server, Table
from respublica_env import Game, IllegalAction, Rules
from respublica_env.envs.view import see
from respublica_env.replay import tell
from tests.browser import DESKTOP, PHONE, console, resize

RULES = Rules(num_players=3, copies=6, set_size=3, max_turns=20)


def table(human: int | None = 1, seed: int = 3, rules: Rules = RULES) -> Table:
    agents: list[Any] = [load("greedy"), load("random"), load("greedy")][: rules.num_players]
    names = [agent.name for agent in agents]
    if human is not None:
        agents[human], names[human] = None, "human"
    return Table(Game(rules, seed), names, agents)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(table()) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        yield served
        served.shutdown()
        thread.join()


def ask(
    server: Server, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(LOOPBACK, server.server_port, timeout=60)
    content = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
    connection.request(method, path, content, headers or {})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, json.loads(text) if answer.headers["Content-Type"] == "application/json" else text


def legal(played: Table) -> list[int]:
    return [one["id"] for one in played.state(0)["live"]["moves"]]


# -- the table


@pytest.mark.parametrize("human", [0, 1, 2, None])
def test_a_game_is_played_to_its_end(human: int | None) -> None:
    """What pages are sent bit by bit is the story of the record."""
    played, rng = table(human), np.random.default_rng(0)
    frames: list[Any] = []
    events: list[Any] = []
    while True:
        answer = played.state(len(frames))
        frames = [*frames[: answer["from"]], *answer["frames"]]
        events = [*(event for event in events if event["f"] < answer["from"]), *answer["events"]]
        if answer["live"]["over"]:
            break
        game = played.record().at(answer["live"]["at"])
        assert game.player == human and legal(played) == game.legal_actions().tolist()
        state: dict[str, Any] = {}
        for frame in frames:
            state |= frame
        view = see(game, human)
        assert [state[f"hand{seat}"] for seat in view.seats] == view.hands
        assert (state["phase"], state["player"]) == (view.phase, human)
        played.act(int(rng.choice(game.legal_actions())), answer["live"]["at"])
    record = played.record()
    assert played.over and record.scores is not None
    assert record.agents[human if human is not None else 0] == ("human" if human is not None else "greedy")
    story = tell(record, human)
    # The person is shown positions of its own besides, so that frames are counted in another way.
    assert [{**event, "f": 0} for event in events] == [{**event, "f": 0} for event in story.events]
    if human is None:
        assert frames == story.frames


def test_a_decision_that_is_late_or_illegal_changes_nothing() -> None:
    played = table()
    before = played.record()
    at = len(before)
    for wrong in (at - 1, at + 1, None, "0", True, float(at)):
        with pytest.raises(Behind):
            played.act(legal(played)[0], wrong)
    for wrong in (-1, 10**6, None, "pass", 1.0, True, [0], {}):
        with pytest.raises(IllegalAction):
            played.act(wrong, at)
    assert played.record() == before
    played.act(legal(played)[0], at)
    with pytest.raises(Behind):
        played.act(legal(played)[0], at)


def test_the_same_seed_is_the_same_game() -> None:
    first, second = table(), table()
    for played in (first, second):
        while not played.over:
            played.act(legal(played)[-1], len(played.record()))
    assert first.record() == second.record()


# -- the server


def test_pages_and_states(server: Server) -> None:
    status, text = ask(server, "GET", "/")
    assert status == 200 and "<!doctype html>" in text and "connect-src 'self'" in text
    status, state = ask(server, "GET", "/state?frames=0")
    assert status == 200 and state == json.loads(json.dumps(server.table.state(0)))
    for frames in ("-1", "x", "9" * 5000, ""):
        assert ask(server, "GET", f"/state?frames={frames}")[0] == 200
    assert (
        ask(server, "GET", "/etc/passwd")[0]
        == ask(server, "POST", "/other", {"action": 0, "at": 0, "frames": 0})[0]
        == 404
    )


def test_decisions(server: Server) -> None:
    at = server.table.state(0)["live"]["at"]
    action = legal(server.table)[0]
    status, answer = ask(server, "POST", "/act", {"action": action, "at": at, "frames": 2})
    assert status == 200 and answer["live"]["at"] > at and answer["from"] == 1 and "problem" not in answer
    status, answer = ask(server, "POST", "/act", {"action": action, "at": at, "frames": 2})
    assert status == 409 and "another tab" in answer["problem"] and answer["frames"]
    now = answer["live"]["at"]
    status, answer = ask(server, "POST", "/act", {"action": RULES.num_actions - 1, "at": now, "frames": 0})
    assert status == 400 and "is illegal" in answer["problem"]
    assert len(server.table.record()) == now


@pytest.mark.parametrize(
    "body", ["", "x", "[]", "{}", '{"action": 0, "at": 1, "frames": "1"}', "[" * 900, "1" * 2000, b"\xff"]
)
def test_what_is_no_decision_is_refused(body: str | bytes, server: Server) -> None:
    before = server.table.record()
    status, answer = ask(server, "POST", "/act", body)
    assert status == 400 and answer["problem"].startswith("a decision")
    assert server.table.record() == before and len(body) <= MOST_BYTES + 1000


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Host": "evil.example:80"}, {"Origin": "http://evil.example"}, {"Origin": "null"}],
    ids=str,
)
def test_other_names_and_other_pages_are_refused(headers: dict[str, str], server: Server) -> None:
    before = server.table.record()
    body = {"action": legal(server.table)[0], "at": len(before), "frames": 0}
    assert ask(server, "GET", "/", headers=headers)[0] == ask(server, "POST", "/act", body, headers)[0] == 403
    assert server.table.record() == before


def test_only_this_machine_is_served(server: Server) -> None:
    assert server.server_address[0] == LOOPBACK == "127.0.0.1"
    with pytest.raises(ValueError, match=f"no page can be served at port {server.server_port}"):
        Server(table(), server.server_port)


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_ports_that_cannot_be_are_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--agents", "random", "random", "--web", "--port", port])
    assert stop.value.code == 2 and "--port" in capsys.readouterr().err


def test_the_record_is_written_when_the_game_ends_or_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from respublica_env.record import read_record

    def leave(_: Server) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Server, "serve_forever", leave)
    file = tmp_path / "game.jsonl"
    main(["--agents", "random", "random", "--seed", "1", "--web", "--record", str(file)])
    assert read_record(file).status == "finished"
    with pytest.raises(SystemExit) as stop:
        main(["--agents", "random", "random", "--human", "1", "--seed", "1", "--web", "--record", str(file)])
    assert stop.value.code == 130 and read_record(file).aborted
    assert Play(agents=()).port == 0


# -- in the browser


# What the others do is played meanwhile, and draws the buttons anew: all clicks of a move are one script.
CLICK = """
  const [tab, place] = arguments, move = document.getElementById('move');
  const all = (query) => [...move.querySelectorAll(query)];
  if (move.getAttribute('aria-busy') !== 'false') return 'busy';
  if (all('.skip').length) return all('.skip')[0].click() || 'busy';
  const tabs = all('[data-tab]');
  if (tabs.length) tabs[Math.floor(tab * tabs.length)].click();
  const buttons = all('button[data-action]');
  if (!buttons.length) return 'over';
  buttons[Math.floor(place * buttons.length)].click();
  return 'moved';
"""


def click_on(browser: Any, rng: np.random.Generator) -> bool:
    """One legal move by a click on its button; False when the game is over."""
    from selenium.webdriver.support.ui import WebDriverWait

    tab, place = rng.random(2).tolist()
    done = WebDriverWait(browser, 60, 0.02).until(
        lambda _: (said := browser.execute_script(CLICK, tab, place)) != "busy" and said
    )
    return done == "moved"


@pytest.mark.parametrize(("size", "human"), [(DESKTOP, 1), (PHONE, 0)], ids=["desktop", "phone"])
def test_a_whole_game_by_clicks(size: tuple[int, int], human: int, browser: Any) -> None:
    played, rng = table(human, rules=Rules(num_players=2, copies=4, set_size=2, max_turns=10)), np.random.default_rng(4)
    resize(browser, size, motion="reduce")
    with Server(played) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        try:
            browser.get(served.address)
            moves = 0
            while click_on(browser, rng):
                moves += 1
                if moves % 7 == 0:
                    browser.refresh()
            assert browser.execute_script("return document.documentElement.scrollWidth") <= size[0]
            record = played.record()
            # A click made for a position that is past (the page was loaded while the others still played) is refused.
            assert all("/act - Failed" in said and "409 (Conflict)" in said for said in console(browser))
            assert record.scores is not None
            assert 5 < sum(player == human for player in record.players) <= moves
            points = browser.execute_script(
                "return [...document.querySelectorAll('.points b')].map((b) => b.textContent)"
            )
            assert points == [str(score) for score in record.scores]
        finally:
            served.shutdown()
            thread.join()


def test_a_second_tab_loses_nothing(browser: Any, server: Server) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    rng = np.random.default_rng(1)
    resize(browser, DESKTOP, motion="reduce")
    browser.get(server.address)
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    second = browser.current_window_handle
    browser.get(server.address)
    at = len(server.table.record())
    assert click_on(browser, rng)
    WebDriverWait(browser, 60).until(lambda _: len(server.table.record()) > at)
    played = server.table.record().actions
    now = len(played)
    browser.switch_to.window(first)
    # The tab is behind, unless it has looked since it has the focus again: then this is a move like any other.
    browser.execute_script(CLICK, 0, 0)
    WebDriverWait(browser, 60).until(
        lambda _: (
            browser.execute_script("return Number(document.getElementById('scrub').max)")
            == len(server.table.state(0)["frames"]) - 1
        )
    )
    assert server.table.record().actions[:now] == played
    browser.close()
    browser.switch_to.window(second)
    console(browser)
