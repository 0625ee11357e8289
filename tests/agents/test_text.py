"""A player that reads and writes, against scripted callables."""

import re

import numpy as np
import pytest

from agents.text import NoMove, TextAgent, move_line, prompt
from agents.words import describe
from respublica_env import Game, Rules
from train import arena

RNG = np.random.default_rng(0)


class Script:
    """Answers in order, the last one again and again; keeps what it was asked."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    def __call__(self, text: str) -> str:
        self.asked.append(text)
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def test_a_reply_of_two_terms_is_two_decisions_and_one_call() -> None:
    game, script = Game(seed=7), Script("I want wheels.\nMOVE: seek 2 Wheel or 1 Roman")
    agent = TextAgent(script)
    for expected in ("seek 1 Roman", "or 2 Wheel"):
        action = agent.choose(game, 0, RNG)
        assert game.describe(action) == expected
        game.step(action)
    assert agent.calls == 1 and game.phase == "RESPOND"


def test_many_games_in_any_order() -> None:
    """Each of them gets the second half of its own reply."""
    games = [Game(seed=seed) for seed in range(20)]
    agent = TextAgent(lambda text: f"MOVE: seek 1 Roman and {1 + len(text) % 4} any card")
    for game in games:
        game.step(agent.choose(game, 0, RNG))
    for game in reversed(games):
        count = 1 + len(prompt(Game(seed=game.seed), 0)) % 4
        assert game.describe(agent.choose(game, 0, RNG)) == f"and {count} any card"
    assert agent.calls == 20


def test_an_illegal_reply_is_told_why_and_asked_again() -> None:
    game = Game(seed=7)
    script = Script("MOVE: offer 4 Wheel", "I cannot say", "MOVE: pass")
    agent = TextAgent(script)
    assert agent.choose(game, 0, RNG) == 0
    first, second, third = script.asked
    assert second.startswith(first) and third.startswith(first)
    assert "'offer 4 wheel'" in second.casefold() and '"offer 4 Wheel", is illegal for player 0 in ANNOUNCE' in second
    assert "'I cannot say', is no move here" in third
    assert (agent.calls, agent.failures) == (3, 0)


def test_without_a_legal_reply_it_passes_or_takes_the_first_or_raises() -> None:
    game, script = Game(seed=7), Script("no idea")
    agent = TextAgent(script, retries=3)
    assert agent.choose(game, 0, RNG) == 0
    assert (agent.calls, agent.failures) == (4, 1)
    with pytest.raises(NoMove, match="text was asked 1 times"):
        TextAgent(script, retries=0, fallback="raise").choose(game, 0, RNG)
    while game.action_mask()[0]:
        game.step(int(RNG.choice(game.legal_actions()[1:])))
    assert agent.choose(game, game.player, RNG) == game.legal_actions()[0] > 0


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ("MOVE: pass", "pass"),
        ("thinking\nmove: seek 1 Roman\nMOVE: pass\nthat is all", "pass"),
        ("  **MOVE:** `seek 1 Roman`  ", "seek 1 Roman"),
        ("- seek 1 Roman\n\n", "seek 1 Roman"),
        ("", ""),
        ("\n \n", ""),
    ],
)
def test_the_line_that_counts(reply: str, line: str) -> None:
    assert move_line(reply) == line


def positions(rules: Rules) -> list[Game]:
    game, found = Game(rules, seed=3), []
    while not game.terminated:
        found.append(game.copy())
        legal = game.legal_actions()
        game.step(int(RNG.choice(legal[1:] if len(legal) > 1 and RNG.random() < 0.7 else legal)))
    return found


@pytest.mark.parametrize("rules", [Rules(num_players=3, max_turns=30), Rules.small(auto_forced=False)])
def test_the_prompt_depends_on_nothing_that_is_hidden(rules: Rules) -> None:
    phases = set()
    for game in positions(rules):
        phases.add(game.phase)
        text = prompt(game, game.player)
        for world in range(3):
            other = game.determinize(game.player, np.random.default_rng(world))
            assert prompt(other, game.player) == text
            said = describe(game, int(game.legal_actions()[-1]))
            agents = [TextAgent(Script(said)) for _ in range(2)]
            choices = [agent.choose(one, game.player, RNG) for agent, one in zip(agents, (game, other), strict=True)]
            assert choices[0] == choices[1] == game.legal_actions()[-1]
    assert len(phases) >= 6


def test_it_plays_whole_games_in_the_arena_by_the_moves_it_is_shown() -> None:
    rng = np.random.default_rng(1)

    def ask(text: str) -> str:
        """Some phrase of the list, with the highest count of one of its terms."""
        _, _, rest = text.partition("of these counts):\n")
        lines = re.findall(r"^- (.*)$", rest, re.MULTILINE)
        word, _, terms = lines[rng.integers(len(lines))].partition(" ")
        term = str(rng.choice(terms.split(", ")))
        return f"MOVE: {word} {re.sub(r'^1-(?=[0-9])', '', term)}"

    rules = Rules(num_players=2, max_turns=20)
    agent = TextAgent(ask, retries=0, fallback="raise")
    games = arena.play(rules, [agent, agent], np.array([[0, 1], [1, 0]]), [5, 6])
    assert games.scores.shape == (2, 2) and agent.calls > 40 and agent.failures == 0


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"ask": "hello"}, "ask must be a callable"),
        ({"retries": -1}, "retries must be a whole number"),
        ({"retries": True}, "retries must be a whole number"),
        ({"fallback": "give up"}, "fallback must be one of pass, raise"),
    ],
)
def test_arguments_that_cannot_be(keywords: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        TextAgent(**({"ask": str} | keywords))
