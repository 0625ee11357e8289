"""Render modes through the PettingZoo door."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from pettingzoo.test import render_test

from respublica_env import respublica_v0
from respublica_env.envs.ansi import ansi_view
from respublica_env.envs.picture import draw
from respublica_env.envs.render import RENDER_MODES, check_render_mode, check_render_seat, render, tells_nothing
from respublica_env.envs.view import SPECTATOR
from tests.aec_play import MAKERS, play, started

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("seat", [None, 1, SPECTATOR])
def test_pettingzoo_render(make: Any, seat: Any, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda **keywords: make(rules="mini", render_seat=seat, **keywords))
    assert "player_0" in capsys.readouterr().out


@pytest.mark.parametrize("seat", [None, 2, SPECTATOR])
def test_modes(seat: Any, capsys: pytest.CaptureFixture[str]) -> None:
    env = started(decisions=60)
    game = env.unwrapped.game
    shown = {}
    for mode in RENDER_MODES:
        twin = started(decisions=60, render_mode=mode, render_seat=seat)
        assert twin.render_mode == mode and twin.metadata["render_modes"] == list(RENDER_MODES)
        capsys.readouterr()
        shown[mode] = twin.render()
        assert capsys.readouterr().out == (f"{ansi_view(game, seat)}\n" if mode == "human" else "")
    assert shown["ansi"] == render(game, "ansi", seat) == ansi_view(game, seat)
    assert shown["human"] is None
    assert np.array_equal(shown["rgb_array"], draw(game, seat))
    assert env.metadata["render_fps"] > 0


@pytest.mark.parametrize("mode", RENDER_MODES)
def test_a_game_is_the_same_with_and_without_looking(mode: str) -> None:
    env, blind = (started(render_mode=mode, rules="mini"), started(rules="mini"))
    for _ in range(2):
        while not env.unwrapped.game.terminated:
            env.render()
            for each in (env, blind):
                play(each, np.random.default_rng(3), 1)
            assert pickle.dumps(env.unwrapped.game) == pickle.dumps(blind.unwrapped.game)
        env.render()
        env.reset()  # from the deck stream as it stands
        blind.reset()


def test_human_shows_a_spectator_the_beginning_of_each_turn_and_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    env = started(render_mode="human", render_seat=SPECTATOR, num_players=3)
    expected = [ansi_view(env.unwrapped.game, SPECTATOR)]
    for _ in range(200):
        play(env, np.random.default_rng(len(expected)), 1)
        if env.unwrapped.game.phase == "ANNOUNCE":
            expected.append(ansi_view(env.unwrapped.game, SPECTATOR))
    assert capsys.readouterr().out == "".join(f"{view}\n" for view in expected)
    assert len(expected) > 5


def test_when_a_view_may_be_shown_unasked() -> None:
    env = started(decisions=1, num_players=3)
    game = env.unwrapped.game
    assert game.phase != "ANNOUNCE"
    assert [tells_nothing(game, seat) for seat in (None, 0, 1, 2, SPECTATOR)] == [
        True,
        *(seat == game.player for seat in range(3)),
        False,
    ]
    play(env, np.random.default_rng(0))
    assert all(tells_nothing(game, seat) for seat in (None, 0, 1, 2, SPECTATOR))


def test_ansi_and_human_import_nothing_graphical() -> None:
    code = (
        "import os, sys; os.environ.pop('DISPLAY', None)\n"
        "from respublica_env import respublica_v0\n"
        "for mode in ('ansi', 'human'):\n"
        "    env = respublica_v0.env(rules='mini', render_mode=mode, render_seat=1)\n"
        "    env.reset(seed=1)\n"
        "    env.render()\n"
        "print('loaded', *({'PIL', 'pygame', 'matplotlib', 'tkinter', 'cv2'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1] == "loaded"


@pytest.mark.parametrize("make", MAKERS)
def test_without_pillow(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused when the environment is made, not when the first picture is wanted; text works."""
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(DependencyNotInstalled) as refused:
        make(render_mode="rgb_array")
    assert 'pip install "respublica-env[render]"' in str(refused.value)
    assert isinstance(started(make, render_mode="ansi").render(), str)


@pytest.mark.parametrize("mode", ["text", "", "ANSI", 1, ["ansi"], "rgb_array_list"])
def test_no_such_mode(mode: Any) -> None:
    with pytest.raises(ValueError, match=r"render_mode must be one of None, 'ansi', 'human', 'rgb_array', got "):
        check_render_mode(mode)


def test_accepted_modes_and_seats() -> None:
    assert [check_render_mode(mode) for mode in (None, *RENDER_MODES)] == [None, *RENDER_MODES]
    assert [check_render_seat(seat, 3) for seat in (None, 0, np.int8(2), SPECTATOR)] == [None, 0, 2, SPECTATOR]
    for seat in (-1, 3, True, "player_1", 1.0):
        with pytest.raises(ValueError, match=r"render_seat must be .* from 0 to 2.*, got "):
            check_render_seat(seat, 3)  # type: ignore[arg-type]


def test_render_seat_stays_with_a_copy() -> None:
    env = started(decisions=20, render_mode="rgb_array", render_seat=3)
    twin = pickle.loads(pickle.dumps(env))
    assert np.array_equal(twin.render(), env.render())
    assert respublica_v0.env(render_seat=np.int64(3)).unwrapped.render_seat == 3
