"""The text view: what it shows, what a seat's view hides, and that looking changes nothing."""

import pickle
from typing import Any

import numpy as np
import pytest

from respublica_env import Game, Rules, respublica_v0
from respublica_env.envs.ansi import ansi_view
from tests.recorded import FILES, recorded_games


def replay(name: str) -> list[Game]:
    """Positions of the first game of a file, the end included."""
    recorded = next(recorded_games(name))
    decks = {deck: recorded.start[deck] for deck in ("population_deck", "technology_deck")}
    game = Game(recorded.start["rules"], 0, **decks)
    positions = [game.copy()]
    for k, line in enumerate(recorded.decisions):
        game.step(line["action"])
        if k % 7 == 0 or line is recorded.decisions[-1]:
            positions.append(game.copy())
    return positions


def row(view: str, name: str) -> list[str]:
    """The cells of a row of the table."""
    line = next(line for line in view.splitlines() if line.startswith(f"{name} "))
    return line.removeprefix(name).split()


def mark(count: int) -> str:
    return str(count) if count else "."


@pytest.mark.parametrize("name", FILES)
def test_everything_is_shown(name: str) -> None:
    for game in replay(name):
        view, n = ansi_view(game), game.rules.num_players
        deck = game.population_deck + game.technology_deck
        for k, card in enumerate(game.rules.type_names):
            counts = [*game.hands[:, k].tolist(), int(game.spent[k]), deck.count(k)]
            assert row(view, card) == [mark(count) for count in counts]
        assert row(view, "cities") == [mark(count) for count in game.cities]
        assert row(view, "points") == [mark(count) for count in game.points()]
        assert row(view, "population cards")[:n] == [
            mark(count) for count in game.hands[:, : game.rules.population_types].sum(axis=1)
        ]
        assert f"{len(game.population_deck)} population, {len(game.technology_deck)} technology" in view
        assert all(line == line.rstrip() for line in view.splitlines()) and view.isascii()


@pytest.mark.parametrize("name", FILES)
def test_whose_decision_it_is(name: str) -> None:
    *positions, end = replay(name)
    for game in positions:
        for seat in (None, *range(game.rules.num_players)):
            headline = ansi_view(game, seat).splitlines()[0]
            assert f"player_{game.active} is active" in headline or game.phase == "FINAL_CONVERT"
            assert f"{game.phase}: player_{game.player} is to decide" in headline
    headline = ansi_view(end).splitlines()[0]
    assert "over" in headline and ("stalled" in headline) == end.stalled
    scores = end.scores()
    for seat, score in enumerate(scores):
        assert (f"player_{seat}" in headline) == (score == max(scores))
    assert row(ansi_view(end), "with pairs in hand") == [mark(score) for score in scores]


@pytest.mark.parametrize("name", FILES)
def test_a_seat_sees_its_hand_and_what_it_is_sure_of(name: str) -> None:
    for game in replay(name):
        for seat in range(game.rules.num_players):
            view, known = ansi_view(game, seat), game.known(seat)
            for k, card in enumerate(game.rules.type_names):
                cells = row(view, card)
                for other, cell in enumerate(cells[: game.rules.num_players]):
                    sure = f"{known[other, k]}+" if known[other, k] else "?"
                    assert cell == (mark(game.hands[seat, k]) if other == seat else sure)
                assert cells[game.rules.num_players :] == [mark(int(game.spent[k]))]


def test_words() -> None:
    rules = Rules(num_players=3)
    deck = [0] * 4 + [1] * 4 + [2] * 4
    deck += [k for k in range(5) for _ in range(12 - deck.count(k))]
    game = Game(rules, 0, population_deck=deck)
    for words in ("offer 2 Roman", "or 1 any population"):
        game.step(game.parse(words))
    assert "player_0 offers 2 Roman or 1 any population\n" in ansi_view(game, 2)
    game.step(game.parse("offer 1 Babylonian"))
    assert "player_1 would give 1 Babylonian ...\n" in ansi_view(game, 2)
    game.step(game.parse("and 1 any card"))
    game.step(game.parse("pass"))
    view = ansi_view(game, 0)
    assert "player_1 would give 1 Babylonian and 1 any card\n" in view and "player_2 passes\n" in view
    game.step(game.parse("accept player +1"))  # the first Roman leaves no choice: the engine gives it
    assert "player_0 trades with player_1\n" in ansi_view(game, 2)
    for seat in (None, 0, 1, 2):
        assert ("player_0 has chosen to give 1 Roman\n" in ansi_view(game, seat)) == (seat in (None, 0))
    game = Game(rules, 0, population_deck=deck)
    for words in ("seek 3 Egyptian", "pass"):
        game.step(game.parse(words))
    game.step(game.parse("seek 1 Roman"))
    game.step(game.parse("pass"))
    view = ansi_view(game)
    assert "player_0 seeks 3 Egyptian\n" in view
    assert "player_1 passes\n" in view  # it could not pay: the engine passed for it
    assert "player_2 would like 1 Roman\n" in view


def test_a_pass_without_a_choice_reads_as_one_by_choice() -> None:
    views = []
    for auto_forced in (True, False):
        game = Game(Rules(num_players=3, auto_forced=auto_forced), 7)
        game.step(game.parse("seek 4 Navigation"))  # nobody can pay that: all must pass
        while game.phase in ("EXTEND", "RESPOND"):
            game.step(0)
        if game.phase == "ACCEPT":
            views.append(ansi_view(game, 0))
            game.step(0)
        views.append(ansi_view(game, 0))
    assert "player_1 passes\nplayer_2 passes\n" in views[-2]
    assert "passes" not in views[0] and "passes" not in views[-1]  # cleared when CONVERT begins


def test_many_types_and_players_stay_aligned() -> None:
    rules = Rules(num_players=6, population_types=8, technology_types=7)
    game = Game(rules, 1)
    lines = ansi_view(game).splitlines()
    assert row(ansi_view(game), "Population 8")[:6] == [mark(count) for count in game.hands[:, 7].tolist()]
    ends = [lines[1].index(f"player_{seat}") + len("player_0") for seat in range(6)]
    for line in lines[2 : 2 + rules.num_types]:
        assert all(line[end - 1] != " " and line[end] == " " for end in ends)


def rendered(mode: str | None, seat: int | None, **keywords: Any) -> Any:
    env = respublica_v0.env(render_mode=mode, render_seat=seat, **keywords)
    env.reset(seed=2)
    return env


@pytest.mark.parametrize("seat", [None, 0, 3])
def test_render_ansi(seat: int | None, capsys: pytest.CaptureFixture[str]) -> None:
    env = rendered("ansi", seat)
    assert env.render() == ansi_view(env.unwrapped.game, seat)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("seat", [None, 0, 2])
def test_render_human_prints(seat: int | None, capsys: pytest.CaptureFixture[str]) -> None:
    """One view a position; of a seat's own only where it is to decide, and at the end."""
    env = rendered("human", seat, rules=Rules.mini(num_players=3, copies=4))
    rng, expected = np.random.default_rng(0), []
    while True:
        game = env.unwrapped.game
        if seat in (None, game.player) or game.terminated:
            expected.append(ansi_view(game, seat))
        if game.terminated:
            break
        env.step(int(rng.choice(game.legal_actions())))
    env.step(None)
    assert capsys.readouterr().out == "".join(f"{view}\n" for view in expected)
    assert len(expected) > 1
    assert env.render() is None
    assert capsys.readouterr().out == f"{ansi_view(game, seat)}\n"


def test_render_without_a_mode_warns() -> None:
    env = rendered(None, None)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_rendering_touches_no_random_stream() -> None:
    game = Game(seed=4)
    before = pickle.dumps(game.__getstate__())
    for seat in (None, 0, 1):
        ansi_view(game, seat)
    assert pickle.dumps(game.__getstate__()) == before
