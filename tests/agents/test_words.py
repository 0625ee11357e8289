"""A game in words: what is legal, and what a line means."""

import re

import numpy as np
import pytest

from agents.words import by_hand, describe, find, menu, phrases, read_moves, rules_in_short
from respublica_env import Game, IllegalAction, Rules

RULES = [
    Rules(num_players=3, max_turns=12),
    Rules(num_players=3, max_turns=12, auto_forced=False),
    Rules(num_players=2, copies=6, set_size=2, max_count=3, max_turns=20, population_types=6, technology_types=7),
    Rules(num_players=2, max_turns=12, wildcards=False, max_terms=1, optional_draw=True),
]


def positions(rules: Rules, games: int = 2) -> list[Game]:
    """Every third position in which somebody decides, of a few games of players that like to trade."""
    found = []
    for seed in range(games):
        game, rng = Game(rules, seed=seed), np.random.default_rng(seed)
        while not game.terminated:
            found.append(game.copy())
            legal = game.legal_actions()
            game.step(int(rng.choice(legal[1:] if len(legal) > 1 and rng.random() < 0.8 else legal)))
    return found[::3]


@pytest.fixture(scope="module", params=range(len(RULES)))
def some(request: pytest.FixtureRequest) -> list[Game]:
    return positions(RULES[request.param])


def test_the_menu_numbers_exactly_what_is_legal(some: list[Game]) -> None:
    for game in some:
        lines = menu(game)
        simple = [line for line in lines if re.match(r" *\d+ [a-z]", line)]
        numbers = {int(line.split()[0]) for line in simple}
        heading, *rows = [line for line in lines if line not in simple] or [""]
        columns = len(re.findall(r"\d+", heading))
        for row in rows:
            numbers |= {int(cell) for cell in row.split()[-columns:] if cell != "."}
        assert numbers == set(game.legal_actions().tolist())


def test_a_number_in_the_menu_stands_under_its_word_and_count() -> None:
    game = Game(seed=7)
    heading, *rows = menu(game)
    assert heading.split() == ["offer", "1", "2", "3", "4", "seek", "1", "2", "3", "4"]
    assert rows[0].split() == ["Roman", "1", ".", ".", ".", "53", "54", "55", "56"]
    assert rows[-1] == "    0 pass"


def test_phrases_name_exactly_what_is_legal(some: list[Game]) -> None:
    for game in some:
        named = set()
        for line in phrases(game):
            word, _, rest = line.partition(" ")
            if word not in ("offer", "seek", "and", "or"):
                named.add(read_moves(game, line)[0])
                continue
            for term in rest.split(", "):
                counts, kind = term.split(" ", 1)
                low, _, high = counts.partition("-")
                named |= {game.parse(f"{word} {n} {kind}") for n in range(int(low), int(high or low) + 1)}
        assert named == set(game.legal_actions().tolist())


def test_every_legal_action_is_read_back(some: list[Game]) -> None:
    for game in some:
        for action in game.legal_actions().tolist():
            for words in (describe(game, action), game.describe(action)):
                first, *rest = read_moves(game, words)
                assert first == action
                assert rest in ([], [0])


def test_what_is_read_is_a_players_own_decisions_one_after_the_other(some: list[Game]) -> None:
    """The engine takes those that leave no choice, and every other one is asked for, legal, and of the same seat."""
    for game in some:
        for action in game.legal_actions().tolist()[:6]:
            after, seat = game.copy(), game.player
            for move in read_moves(game, describe(game, action)):
                assert after.player == seat
                after.step(move)
            assert (after.phase, after.player) != ("EXTEND", seat)  # a description in words is complete


def test_two_terms_in_one_line(some: list[Game]) -> None:
    rng, tried = np.random.default_rng(0), 0
    for game in some:
        if game.phase not in ("ANNOUNCE", "RESPOND") or game.rules.max_terms == 1:
            continue
        legal = game.legal_actions().tolist()[1:]
        if not legal:
            continue
        first = by_hand(game)
        first.step(int(rng.choice(legal)))
        said = game.describe(next(action for action in legal if _leads_to(game, action, first)))
        for second in first.legal_actions().tolist()[1::5]:
            link, term = game.describe(second).split(" ", 1)
            form, own = said.split(" ", 1)
            for line in (f"{form} {own} {link} {term}", f"  {form.upper()} {term}  {link} {own}."):
                moves = read_moves(game, line)
                after = game.copy()
                for move in moves:
                    after.step(move)
                expected = first.copy()
                expected.step(second)
                heard = after.to_dict()["said"][game.player]
                assert heard is None or heard == expected.to_dict()["said"][game.player]
                assert moves[-1] == second
                tried += 1
    assert tried > 100 or some[0].rules.max_terms == 1


def _leads_to(game: Game, action: int, position: Game) -> bool:
    after = by_hand(game)
    after.step(action)
    return after.to_dict() == position.to_dict()


def hand_over() -> Game:
    """Player 0 holds 3 Roman and 1 Greek and owes 3 of them: the engine has chosen 2 Roman, for there must be these."""
    game = Game(
        Rules(num_players=2), population_deck=[0, 0, 0, 4, *[1] * 4, *[0] * 9, *[1] * 8, *[2, 3] * 12, *[4] * 11]
    )
    for words in ("offer 3 any population", "nothing more", "offer 1 Babylonian", "nothing more", "accept player +1"):
        game.step(game.parse(words))
    assert game.phase == "HAND_OVER" and game.to_dict()["chosen"][0][0] == 2
    return game


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("give 2 Roman and 1 Greek", [2, 1]),
        ("give 1 greek, 2 rom", [2, 1]),
        ("give 2 Romans + Greek", [2, 1]),
        ("give 1 Greek", [2, 1]),  # what is still to be given
        ("give Greek", [2, 1]),
        ("give 3 Roman", [3, 0]),
        ("give Roman", [3, 0]),
    ],
)
def test_all_cards_in_one_line(line: str, given: list[int]) -> None:
    for game in (hand_over(), by_hand(hand_over())):
        for move in read_moves(game, line):
            game.step(move)
        if game.phase == "HAND_OVER" and game.player == 0:  # one card was named, and the engine does not finish
            game.step(0)
        while game.phase == "HAND_OVER":
            game.step(int(game.legal_actions()[0]))
        assert game.hands[1, [0, 4]].tolist() == given


@pytest.mark.parametrize(
    "line", ["give 2 Roman", "give 4 Roman", "give 1 Babylonian and 2 Roman", "give 9999999999 Roman", "finish"]
)
def test_cards_that_are_not_what_was_said(line: str) -> None:
    with pytest.raises(IllegalAction, match="is illegal for player 0 in HAND_OVER"):
        read_moves(hand_over(), line)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "say a move"),
        ("2 Roman", 'say "offer 2 Roman", "seek 2 Roman" or "pass"'),
        ("hello", "is no move"),
        ("offer 2 Klingon", "no card is called 'klingon'; there are: Roman"),
        ("seek 1 any", "'any' may be any population or any technology or any card"),
        ("seek 9 Roman", "counts go from 1 to 4, got 9"),
        ("offer 1 Roman or 1 Greek or 1 Wheel", "one term or two"),
        ("offer", "a term is a count and a kind"),
        ("offer 1 Roman or", "no card is called"),
        ("accept player_9", "player \\+1"),
    ],
)
def test_what_is_no_move(line: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        read_moves(Game(seed=7), line)
    assert not isinstance(caught.value, IllegalAction)


def test_what_is_illegal_says_why() -> None:
    game = Game(seed=7)
    with pytest.raises(IllegalAction, match=r'^action \d+, "offer 4 Roman", is illegal for player 0 in ANNOUNCE'):
        read_moves(game, "offer 4 Roman")
    with pytest.raises(IllegalAction, match=r'^after "offer 1 Roman" action \d+, "or 2 Wheel", is illegal'):
        read_moves(game, "offer 1 Roman or 2 Wheel")
    with pytest.raises(IllegalAction, match="EXTEND: the speaker adds a term of greater kind"):
        read_moves(Game(Rules.mini(), seed=0), "seek 1 Roman or 1 Babylonian")


def test_answers_need_no_verb_and_know_their_form() -> None:
    game = Game(seed=7)
    for move in read_moves(game, "seek 1 any card"):
        game.step(move)
    card = game.rules.type_names[int(game.hands[game.player].argmax())]
    expected = game.parse(f"seek 1 {card}")
    for line in (card, f"1 {card}", f"would like 1 {card}", f"I would like {card}", f"seek {card}"):
        assert read_moves(game, line)[0] == expected
    with pytest.raises(IllegalAction):
        read_moves(game, f"would give 1 {card}")


def test_an_answer_is_taken_by_its_seats_name() -> None:
    game = Game(Rules(num_players=3, auto_forced=False), seed=2)
    while game.phase != "ACCEPT" or len(game.legal_actions()) < 2 or game.active == 0:
        legal = game.legal_actions()
        game.step(int(legal[min(1, len(legal) - 1)]) if game.phase in ("ANNOUNCE", "RESPOND") else int(legal[0]))
    action = int(game.legal_actions()[1])
    partner = (game.active + action - game.parse("accept player +1") + 1) % 3
    assert describe(game, action) == f"accept player_{partner}"
    assert read_moves(game, f"player {partner}") == (action,)
    with pytest.raises(ValueError, match=f"an answer is taken from .*, got player_{game.active}"):
        read_moves(game, f"accept player_{game.active}")


def test_names_by_what_tells_them_apart() -> None:
    names = Rules(population_types=7).type_names
    assert [find(text, names) for text in ("rom", "romans", "greek", "population 7", "n")] == [0, 0, 4, 6, 11]
    with pytest.raises(ValueError, match="may be Population 6 or Population 7"):
        find("pop", names)


def test_the_rules_in_short_hold_the_numbers_that_differ() -> None:
    text = rules_in_short(Rules(num_players=3, max_turns=77, set_size=4, monument_points=[9, 6], pair_points=2))
    for part in ("3 players", "After 77 turns", "4 identical population cards", "in order: 9, 6)", "worth 2 points"):
        assert part in text
    assert "or two terms" in text and "or two terms" not in rules_in_short(Rules.mini())
