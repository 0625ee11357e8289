"""What happens, in words: enough to follow the game, and nothing that the viewer may not know."""

import re

import numpy as np
import pytest

from agents.narrator import Narrator
from respublica_env import Game, Rules

RULES = [
    Rules(num_players=3, max_turns=60),
    Rules(num_players=2, copies=6, set_size=3, optional_draw=True),
    Rules(num_players=4, copies=4, set_size=2, max_turns=100),
]


def play(rules: Rules, seed: int, viewer: int | str | None) -> tuple[list[str], Game]:
    """A whole game, told."""
    game, rng = Game(rules, seed=seed), np.random.default_rng(seed)
    narrator = Narrator(game, viewer)
    lines = narrator.begin()
    while not game.terminated:
        action = game.copy().play_bot("greedy") if rng.random() < 0.7 else int(rng.choice(game.legal_actions()))
        game.step(action)
        lines += narrator.step(action)
    return lines, game


def counts(words: str, rules: Rules) -> np.ndarray:
    found = np.zeros(rules.num_types, int)
    for count, name in re.findall(r"(\d+) ([A-Z]\w+)", words):
        found[rules.type_names.index(name)] += int(count)
    return found


@pytest.mark.parametrize("rules", RULES)
def test_hands_and_points_follow_from_what_is_told(rules: Rules) -> None:
    for seed in range(3):
        for viewer in (None, *range(rules.num_players)):
            lines, end = play(rules, seed, viewer)
            hands, points = Game(rules, seed=seed).hands, np.zeros(rules.num_players, int)
            for line in lines:
                if made := re.fullmatch(
                    r"player_(\d) turns (\d+ \w+) into a (?:city|monument) for (\d+) points?", line
                ):
                    hands[int(made[1])] -= counts(made[2], rules)
                    points[int(made[1])] += int(made[3])
                elif drawn := re.fullmatch(r"player_(\d) draws .*: (.*)", line):
                    hands[int(drawn[1])] += counts(drawn[2], rules)
                elif traded := re.fullmatch(r"player_(\d) gives (.*) and gets (.*) from player_(\d)", line):
                    change = counts(traded[3], rules) - counts(traded[2], rules)
                    hands[int(traded[1])] += change
                    hands[int(traded[4])] -= change
            seats = range(rules.num_players) if viewer is None else [viewer]
            for seat in seats:
                assert hands[seat].tolist() == end.hands[seat].tolist()
            assert points.tolist() == end.points()
            assert sum(line.startswith("Turn ") for line in lines) == end.turn
            assert ("the game stalls" in " ".join(lines)) == end.stalled


@pytest.mark.parametrize("rules", RULES)
def test_cards_are_told_to_those_who_see_them_only(rules: Rules) -> None:
    exchanged = 0
    for viewer in (*range(rules.num_players), "spectator"):
        lines, _ = play(rules, 1, viewer)
        for line in lines:
            if " gives " in line or re.search(r"draws .*:", line):
                assert f"player_{viewer}" in line
            exchanged += "exchange their cards" in line
    assert exchanged or rules.num_players == 2


@pytest.mark.parametrize("rules", RULES)
def test_nothing_tells_who_had_a_choice(rules: Rules) -> None:
    """The same game in which every decision is taken by hand is told in the same words."""
    slow_rules = Rules.from_dict(rules.to_dict() | {"auto_forced": False})
    for viewer in (None, 0, "spectator"):
        game, slow = Game(rules, seed=4), Game(slow_rules, seed=4)
        one, other = Narrator(game, viewer), Narrator(slow, viewer)
        told, told_slowly = one.begin(), other.begin()
        rng, by_hand = np.random.default_rng(4), 0
        while not slow.terminated:
            legal = slow.legal_actions()
            action = int(rng.choice(legal))
            slow.step(action)
            told_slowly += other.step(action)
            if len(legal) > 1:
                game.step(action)
                told += one.step(action)
            else:
                by_hand += 1
        assert game.terminated and told == told_slowly
        assert by_hand > 10


def test_a_viewer_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="viewer must be"):
        Narrator(Game(seed=0), 7)
