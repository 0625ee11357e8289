"""The picture: what it says, that nothing is cut or covered, what it hides, and that drawing changes nothing."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import PIL
import pytest
from gymnasium.error import DependencyNotInstalled
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from respublica_env import Game, Rules
from respublica_env.envs.picture import draw
from respublica_env.envs.picture.canvas import SMALLEST_TEXT, Canvas, fitting, text_width
from respublica_env.envs.picture.layout import Layout
from respublica_env.envs.view import SPECTATOR, see
from tests.strategies import SEEDS, eager, fingerprint, play, positions
from tests.test_properties import swap_what_is_hidden

ROOT = Path(__file__).parents[2]
LARGEST = Rules(
    num_players=6,
    population_types=8,
    technology_types=8,
    copies=24,
    hand_size=32,
    set_size=2,
    city_points=10**9,
    num_cities=10**9,
    monument_points=(10**9,) * 90,
    max_count=24,
    max_turns=40,
)
RULE_SETS = [
    *(Rules(num_players=n) for n in (2, 3, 4, 5, 6)),
    Rules.mini(),
    Rules.small(auto_forced=False),
    Rules(num_players=2, population_types=1, technology_types=1, hand_size=5),
    LARGEST,
]

few = settings(deadline=None, max_examples=15)


@dataclass(frozen=True)
class Text:
    """One line of text on a picture, with the box that it fills and whether that was all the room it may fill."""

    words: str
    left: float
    top: float
    right: float
    low: float
    fits: bool

    def meets(self, other: "Text") -> bool:
        return self.left < other.right and other.left < self.right and self.top < other.low and other.top < self.low


@contextmanager
def texts_drawn() -> Iterator[list[Text]]:
    """Collects every text that is drawn."""
    drawn: list[Text] = []
    original = Canvas.text

    def text(
        self: Canvas,
        x: float,
        y: float,
        words: str,
        size: float,
        colour: str,
        anchor: str = "lm",
        room: float | None = None,
        bold: bool = False,
    ) -> float:
        shown = size if room is None else fitting(words, size, room, bold)
        w = text_width(words, shown, bold)
        left = x - {"l": 0, "m": w / 2, "r": w}[anchor[0]]
        fits = shown > SMALLEST_TEXT and (room is None or w <= room)
        drawn.append(Text(words, left, y - 0.36 * shown, left + w, y + 0.36 * shown, fits))
        return original(self, x, y, words, size, colour, anchor, room, bold)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Canvas, "text", text)
        yield drawn


def texts(game: Game, viewer: Any = None) -> list[Text]:
    with texts_drawn() as drawn:
        draw(game, viewer)
    return drawn


def words(game: Game, viewer: Any = None) -> list[str]:
    return [text.words for text in texts(game, viewer)]


def assert_readable(game: Game, viewer: Any = None) -> None:
    """Every text is whole, inside the picture, and apart from all others."""
    layout, drawn = Layout.of(game.rules), texts(game, viewer)
    for text in drawn:
        assert text.fits, text
        assert text.left >= 0 and text.right <= layout.width and text.top >= 0 and text.low <= layout.height, text
    for i, text in enumerate(drawn):
        for other in drawn[:i]:
            assert not text.meets(other), (text, other)


def viewers(game: Game) -> list[Any]:
    return [None, *range(game.rules.num_players), SPECTATOR]


def moments(rules: Rules, seed: int, every: int) -> Iterator[Game]:
    """One moment in so many, and the end."""
    for k, game in enumerate(play(Game(rules, seed=seed), eager(np.random.default_rng(seed)))):
        if k % every == 0 or game.terminated:
            yield game


# -- clear


@pytest.mark.parametrize("rules", RULE_SETS, ids=range(len(RULE_SETS)))
def test_nothing_is_cut_or_covered(rules: Rules) -> None:
    for game in moments(rules, 1, 60 if rules is not LARGEST else 400):
        for viewer in (None, 1):
            assert_readable(game, viewer)


@few
@given(positions(), st.integers(0, 6))
def test_nothing_is_cut_or_covered_under_any_rules(game: Game, number: int) -> None:
    assert_readable(game, viewers(game)[number % len(viewers(game))])


def test_the_test_of_readability_would_fail() -> None:
    one = Text("a", 0, 0, 10, 10, True)
    assert one.meets(Text("b", 9, 9, 20, 20, True)) and not one.meets(Text("b", 10, 0, 20, 10, True))
    with texts_drawn() as drawn:
        Canvas(100, 40, "#ffffff").text(10, 20, "far too long for this", 20, "#000000", room=20)
    assert not drawn[0].fits


@pytest.mark.parametrize("rules", RULE_SETS, ids=range(len(RULE_SETS)))
def test_size_depends_on_the_rules_only(rules: Rules) -> None:
    shapes = set()
    for game in moments(rules, 2, 300):
        for viewer in (None, 0, SPECTATOR):
            picture = draw(game, viewer)
            assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
            shapes.add(picture.shape)
    assert len(shapes) == 1
    height, width, _ = shapes.pop()
    assert height % 2 == width % 2 == 0 and 600 <= height <= 1200 and 1200 <= width <= 2400


# -- what it says


def test_words_spoken_and_trade() -> None:
    rules = Rules(num_players=3)
    deck = [0] * 4 + [1] * 4 + [2] * 4
    deck += [k for k in range(5) for _ in range(12 - deck.count(k))]
    game = Game(rules, 0, population_deck=deck)
    assert "..." in words(game) and "player_0 is to decide" in words(game)
    for said in ("offer 2 Roman", "or 1 any population"):
        game.step(game.parse(said))
    assert {"I offer", "2 Roman", "or", "1 any population", "..."} <= set(words(game, 2))
    for said in ("offer 1 Babylonian", "and 1 any card", "pass"):
        game.step(game.parse(said))
    assert {"I would give", "1 Babylonian", "and", "1 any card", "I pass"} <= set(words(game, 0))
    game.step(game.parse("accept player +1"))  # the first Roman leaves no choice: the engine gives it
    for viewer in viewers(game):
        shown = words(game, viewer)
        assert "trades" in shown
        assert ("gives 1" in shown) == (viewer in (None, 0))
    game = Game(rules, 0, population_deck=deck)
    for said in ("seek 3 Egyptian", "pass", "seek 1 Roman", "pass"):
        game.step(game.parse(said))
    assert {"I seek", "3 Egyptian", "I pass", "I would like", "1 Roman"} <= set(words(game))


@pytest.mark.parametrize("viewer", [None, 2, SPECTATOR])
def test_cards_points_and_supply(viewer: Any) -> None:
    """Numbers in the row of each seat, in the columns of its cards, and in the supply."""
    rules = Rules(num_players=3, copies=8, set_size=2, max_turns=60)
    layout = Layout.of(rules)
    for game in moments(rules, 4, 25):
        view, drawn = see(game, viewer), texts(game, viewer)
        for seat in view.seats:
            top = layout.rows + layout.row * seat
            row = [text for text in drawn if top < (text.top + text.low) / 2 < top + layout.row]
            points = (view.scores or view.points)[seat]
            assert f"player_{seat}" in [text.words for text in row]
            assert any(text.words in (f"{points} points", f"{points} point") for text in row)
            for k, count in enumerate(view.hands[seat]):
                left = layout.cards + layout.column * k
                cell = [text.words for text in row if left <= (text.left + text.right) / 2 < left + layout.column]
                sure = not view.whole[seat]
                number = [f"{count}+"] if sure and count else [str(count)] if count > 1 else ["?"] if sure else []
                assert [text for text in cell if text[0] in "?0123456789"] == number
                assert (rules.type_names[k] in cell) == (count > 0)
            built = [text.words for text in row if text.left > layout.built]
            assert ("no city yet" in built) == (view.cities[seat] == 0)
            assert ("no monument yet" in built) == (not view.monuments[seat])
        supply = [text.words for text in drawn if layout.supply <= text.top < layout.heads]
        assert [text for text in supply if text.isdecimal()][:2] == [str(size) for size in view.decks]
        assert f"{view.cities_left} of 10 cities left" in supply
        assert f"{len(view.pile)} of 10 monuments left" in supply
        assert supply.count("next card") == (sum(size > 0 for size in view.decks) if viewer is None else 0)


def test_headline() -> None:
    rules = Rules(num_players=3, copies=6, set_size=2, auto_forced=False)
    seen = set()
    for game in moments(rules, 4, 1):
        if game.phase in seen and not game.final_round:
            continue
        seen.add(game.phase)
        shown = words(game, 0)
        if game.terminated:
            best = max(game.scores())
            assert any(f"over after {game.turn} turns" in text and f"{best} points" in text for text in shown)
            assert any(text in ("winner", "shares the win") for text in shown)
        else:
            assert f"player_{game.player} is to decide" in shown
            assert any(text.endswith(f"player_{game.active} is active") for text in shown)
        assert any(text.startswith("final round") for text in shown) == game.final_round
    assert len(seen) == 9
    stalled = Game(Rules.mini(), seed=0)
    for _ in play(stalled, eager(np.random.default_rng(0))):
        pass
    assert stalled.stalled and "stalled" in words(stalled)


@pytest.mark.parametrize("viewer", [None, 0, SPECTATOR])
def test_what_the_viewer_sees_shows(viewer: Any) -> None:
    """Two moments look the same only where the viewer sees the same."""
    rules = Rules(num_players=2, population_types=2, technology_types=1, copies=8, set_size=2)
    before, same = None, 0
    for game in play(Game(rules, seed=1), eager(np.random.default_rng(1)), 70):
        now = see(game, viewer), draw(game, viewer).tobytes()
        if (
            before and game.phase != "HAND_OVER"
        ):  # there, what has not been chosen yet is no more seen than what is hidden
            assert (now[0] == before[0]) == (now[1] == before[1])
            same += now[0] == before[0]
        before = now
    assert same < 20


# -- what it hides


@settings(deadline=None, max_examples=10)
@given(positions(over=False), st.integers(0, 5), SEEDS)
def test_what_a_seat_cannot_know_does_not_show(game: Game, number: int, seed: int) -> None:
    assume(not game.terminated)  # then pairs in all hands are scored
    seat, rng = number % game.rules.num_players, np.random.default_rng(seed)
    pictures = {draw(game, seat).tobytes()}
    for other in (swap_what_is_hidden(game, seat, rng), game.determinize(seat, rng)):
        pictures.add(draw(other, seat).tobytes())
    assert len(pictures) == 1


def test_where_everything_is_shown_hidden_cards_do_show() -> None:
    game = Game(Rules(num_players=3), seed=1)
    other = game.determinize(0, np.random.default_rng(0))
    assert draw(other).tobytes() != draw(game).tobytes()
    assert draw(other, 1).tobytes() != draw(game, 1).tobytes()


# -- what it needs and does not touch


@few
@given(positions(), st.integers(0, 6))
def test_drawing_changes_nothing_and_repeats(game: Game, number: int) -> None:
    viewer = viewers(game)[number % len(viewers(game))]
    before = fingerprint(game)
    first = draw(game, viewer)
    assert fingerprint(game) == before
    assert draw(game.copy(), viewer).tobytes() == first.tobytes()
    first[:] = 0  # the caller's own
    assert draw(game, viewer).any()


def test_no_display_and_no_other_graphics_library() -> None:
    code = (
        "import os, sys; os.environ.pop('DISPLAY', None); os.environ.pop('WAYLAND_DISPLAY', None)\n"
        "from respublica_env import Game\n"
        "from respublica_env.envs.picture import draw\n"
        "assert 'PIL' not in sys.modules\n"
        "print(draw(Game(seed=1), 0).shape, *({'pygame', 'tkinter', 'matplotlib'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "(922, 1662, 3)"


@pytest.mark.parametrize("missing", [True, False])
def test_without_pillow_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, missing: bool) -> None:
    if missing:
        monkeypatch.setitem(sys.modules, "PIL", None)
    else:
        monkeypatch.setattr(PIL, "__version__", "10.0.1")
    with pytest.raises(DependencyNotInstalled) as refused:
        draw(Game(seed=1))
    assert 'pip install "respublica-env[render]"' in str(refused.value)
    assert ("10.0.1" in str(refused.value)) == (not missing)


@pytest.mark.parametrize("seat", [-1, 3, True, 1.0, "player_1", np.True_])
def test_no_such_viewer(seat: Any) -> None:
    with pytest.raises(ValueError, match=r"seat must be None .*0 to 2.*'spectator'.*, got "):
        draw(Game(Rules(num_players=3), seed=1), seat)
