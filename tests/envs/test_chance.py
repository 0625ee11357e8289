"""The game with its chance in the open is the same game, and an information string is what a seat may know."""

import copy
import pickle
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings

from respublica_env import Game, IllegalAction, Rules
from respublica_env.envs.chance import NATURE, NOBODY, Moment, nodes
from respublica_env.envs.open_spiel import max_chance_nodes, max_decisions, most_points
from tests.strategies import SEEDS, rules

some = settings(deadline=None, max_examples=60)


class Played(NamedTuple):
    """A game played from moment to moment: what it passed through, and what was chosen there."""

    moments: list[Moment]
    choices: list[int]

    def of(self, nature: bool) -> list[tuple[Moment, int]]:
        """Moments and choices of nature, or of the players."""
        pairs = zip(self.moments, self.choices, strict=False)
        return [(moment, choice) for moment, choice in pairs if (moment.player == NATURE) == nature]


def choose(moment: Moment, rng: np.random.Generator) -> int:
    """Nature as it is; players at random, but they seldom pass."""
    if moment.player == NATURE:
        cards, counts = zip(*moment.outcomes(), strict=True)
        return int(rng.choice(cards, p=np.array(counts) / sum(counts)))
    legal = moment.legal[1:] if len(moment.legal) > 1 and rng.random() < 0.8 else moment.legal
    return int(rng.choice(legal))


def played(rule_set: Rules, seed: int) -> Played:
    rng = np.random.default_rng(seed)
    game = Played([Moment.first(rule_set)], [])
    while game.moments[-1].player != NOBODY:
        game.choices.append(choose(game.moments[-1], rng))
        game.moments.append(game.moments[-1].after(game.choices[-1]))
    return game


def decks(rule_set: Rules, game: Played, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """The decks that deal the cards of a game: what nature chose, in order, then what was left, in any order."""
    chosen = [card for _, card in game.of(nature=True)]
    left = Counter(dict.fromkeys(range(rule_set.num_types), rule_set.copies))
    left.subtract(chosen)
    cards = chosen + rng.permutation(list(left.elements())).tolist()
    middle = rule_set.population_types
    return [card for card in cards if card < middle], [card for card in cards if card >= middle]


def seen(game: Game) -> dict[str, Any]:
    """Everything but the decks' order."""
    n = game.rules.num_players
    return {
        "player": game.player,
        "legal": game.legal_actions().tolist(),
        "phase": (game.phase, game.active, game.turn, game.final_round, game.stalled),
        "hands": game.hands.tolist(),
        "spent": game.spent.tolist(),
        "buildings": (game.cities, game.monuments),
        "decks": (Counter(game.population_deck), Counter(game.technology_deck)),
        "known": [game.known(observer).tolist() for observer in (*range(n), None)],
        "observations": [game.observation(seat).tobytes() for seat in range(n)],
        "scores": game.scores(),
    }


@some
@given(rules(), SEEDS)
def test_chance_and_injected_decks_are_the_same_game(rule_set: Rules, seed: int) -> None:
    game = played(rule_set, seed)
    population, technology = decks(rule_set, game, np.random.default_rng(seed))
    dealt = Game(rule_set, seed=seed, population_deck=population, technology_deck=technology)
    for moment, action in game.of(nature=False):
        assert seen(moment.game) == seen(dealt)
        assert list(moment.legal) == dealt.legal_actions().tolist()
        assert moment.player == dealt.player
        dealt.step(action)
    last = game.moments[-1]
    assert dealt.terminated
    assert seen(last.game) == seen(dealt)
    assert last.returns("points") == dealt.scores()


@some
@given(rules(), SEEDS)
def test_a_card_is_as_likely_as_the_deck_has_cards_of_its_type(rule_set: Rules, seed: int) -> None:
    left = np.full(rule_set.num_types, rule_set.copies)
    middle = rule_set.population_types
    for moment, card in played(rule_set, seed).of(nature=True):
        deck = slice(0, middle) if card < middle else slice(middle, None)
        counts = np.zeros_like(left)
        counts[deck] = left[deck]
        assert moment.outcomes() == [(k, counts[k]) for k in np.flatnonzero(counts)]
        assert len(moment.legal) > 1
        left[card] -= 1


@some
@given(rules(auto_forced=True), SEEDS)
def test_taking_forced_decisions_changes_nothing_that_is_seen(rule_set: Rules, seed: int) -> None:
    by_hand = Moment.first(Rules.from_dict(rule_set.to_dict() | {"auto_forced": False}))
    game = played(rule_set, seed)
    for moment, choice in zip(game.moments, [*game.choices, None], strict=True):
        while len(by_hand.legal) == 1:
            by_hand = by_hand.after(by_hand.legal[0])
        assert (by_hand.player, by_hand.legal) == (moment.player, moment.legal)
        for seat in range(rule_set.num_players):
            assert by_hand.told(seat) == moment.told(seat)
        if choice is not None:
            by_hand = by_hand.after(choice)


@some
@given(rules(auto_forced=False), SEEDS)
def test_bounds_hold(rule_set: Rules, seed: int) -> None:
    game = played(rule_set, seed)
    assert len(game.of(nature=False)) <= max_decisions(rule_set)
    assert len(game.of(nature=True)) <= max_chance_nodes(rule_set)
    assert max(game.moments[-1].returns("points")) <= most_points(rule_set)


def test_bounds_of_mini_counted_by_hand() -> None:
    # 2 turns, and none of a final round, but the bound cannot know that: 4. A turn has 5 decisions of speech, 2 gifts,
    # 2 finishes, a stop and a draw. At most 2 cities and 1 monument are built, and 2 players stop at the end.
    rule_set = Rules.mini()
    assert max_decisions(rule_set) == 4 * 11 + 2 + 1 + 2
    assert max_chance_nodes(rule_set) == 6 + 3  # 4 cards dealt, then one a turn until the deck is empty; technology
    assert most_points(rule_set) == 2 * 3 + 2 + 3
    assert max_decisions(Rules(max_turns=10**9)) + max_chance_nodes(Rules(max_turns=10**9)) == 2**31 - 1


# -- information


def views(rule_set: Rules, moments: list[Moment], choices: list[int]) -> list[tuple[tuple[bytes, ...], ...]]:
    """For each moment and seat, all that the seat saw and did: an observation at each decision, and its own actions."""
    seats = range(rule_set.num_players)
    keys: list[tuple[bytes, ...]] = [() for _ in seats]
    result = []
    for moment, choice in zip(moments, [*choices, 0], strict=True):
        if moment.player != NATURE:
            keys = [(*keys[seat], moment.game.observation(seat).tobytes()) for seat in seats]
            if moment.player >= 0:
                keys[moment.player] = (*keys[moment.player], b"did %d" % choice)
        result.append(tuple(keys))
    return result


def assert_one_to_one(pairs: list[tuple[Any, Any]]) -> None:
    """Equal on the left are equal on the right, and the other way round."""
    there, back = dict(pairs), {right: left for left, right in pairs}
    for left, right in pairs:
        assert there[left] == right
        assert back[right] == left


def every_path(moment: Moment) -> list[Played]:
    """All games from a moment on."""
    paths = []
    waiting = [Played([moment], [])]
    while waiting:
        path = waiting.pop()
        if path.moments[-1].player == NOBODY:
            paths.append(path)
        last = path.moments[-1]
        waiting += [Played([*path.moments, last.after(action)], [*path.choices, action]) for action in last.legal]
    return paths


def facts(rule_set: Rules, games: list[Played]) -> list[tuple[Any, Any]]:
    """What each seat is told at each decision and at the end, beside all that it has seen and done."""
    pairs = []
    for game in games:
        for moment, keys in zip(game.moments, views(rule_set, *game), strict=True):
            if moment.player == NATURE:
                continue
            for seat in range(rule_set.num_players):
                key = keys[seat][:-1] if seat == moment.player else keys[seat]  # without what it is about to do
                pairs.append(((seat, moment.told(seat)), (seat, key)))
    return pairs


@pytest.mark.parametrize(
    "changes",
    [
        {"copies": 2, "technology_types": 2},
        {"num_players": 3, "copies": 2, "hand_size": 1},
        {"hand_size": 1, "copies": 2, "wildcards": True},
        {"population_types": 1, "technology_types": 2, "copies": 2, "hand_size": 1, "max_turns": 2},
    ],
)
def test_equal_strings_are_equal_histories_of_views(changes: dict[str, Any]) -> None:
    rule_set = Rules.mini(**{"max_turns": 1, "auto_forced": False} | changes)
    assert_one_to_one(facts(rule_set, every_path(Moment.first(rule_set))))


@settings(deadline=None, max_examples=15)
@given(rules(auto_forced=False, max_turns=3), SEEDS)
def test_equal_strings_are_equal_histories_of_views_in_any_game(rule_set: Rules, seed: int) -> None:
    games = [played(rule_set, seed % 1000 + i) for i in range(6)]
    assert_one_to_one(facts(rule_set, games))


def test_a_pass_looks_alike_whether_it_was_forced_or_not() -> None:
    # Player 0 seeks a Babylonian. Player 1 has one or not; player 2 hears it pass in either case.
    told = set()
    for hand in ((0, 1), (1, 1)):
        moment = Moment.first(Rules.mini(num_players=3, copies=6, population_types=2, max_count=1))
        for card in (0, 0, hand[0], hand[0], 0, 1):
            moment = moment.after(card)
        table = moment.setting.table
        moment = moment.after(table.parse("seek 1 Babylonian"))
        if hand == (1, 1):
            assert moment.player == 1
            moment = moment.after(0)
        assert moment.player == 2
        told.add(moment.told(2))
    assert told == {"player 2; dealt 1 Roman + 1 Babylonian; 0: seek 1 Babylonian; 0: pass; 1: pass"}


def test_who_is_told_what_of_a_trade() -> None:
    moment = Moment.first(Rules.mini(num_players=3, wildcards=True))
    for card in (0, 0, 1, 1):  # the cards of player 2 are certain then
        moment = moment.after(card)
    for words in ("offer 1 any population", "offer 1 any card", "pass", "accept player +1"):
        moment = moment.after(moment.setting.table.parse(words))
    traded = "0: give a card; {}0: pass; 1: give a card; {}1: pass; 0 gave 1 population + 0 technology, "
    traded += "1 gave 1 population + 0 technology; {}"
    told = [moment.told(seat) for seat in range(3)]
    assert traded.format("give Roman; ", "", "got 1 Babylonian") in told[0]
    assert traded.format("", "give Babylonian; ", "got 1 Roman") in told[1]
    assert traded.format("", "", "")[:-2] in told[2]
    assert "give Roman" not in told[1] + told[2]
    assert "Babylonian" not in told[2].partition("dealt 1 Roman + 1 Babylonian")[2]


def test_what_all_see_and_what_a_seat_alone_sees_make_up_what_it_is_told() -> None:
    moment = played(Rules(num_players=3, max_turns=6), 5).moments[-1]
    for seat in range(3):
        public, private = moment.told(seat, private=False).split("; "), moment.told(seat, public=False).split("; ")
        assert Counter(public + private) == Counter(moment.told(seat).split("; "))
        assert public == moment.told(0, private=False).split("; ")


# -- copies and errors


def test_a_moment_never_changes_and_a_copy_plays_on_to_the_same_end() -> None:
    game = played(Rules(num_players=2, max_turns=8), 3)
    for moment, choice, following in zip(game.moments, game.choices, game.moments[1:], strict=False):
        before = moment.game and seen(moment.game)
        for again in (copy.deepcopy(moment), pickle.loads(pickle.dumps(moment))):
            after = again.after(choice)
            assert after.story() == following.story()
            assert (after.player, after.legal) == (following.player, following.legal)
            assert [after.told(seat) for seat in range(2)] == [following.told(seat) for seat in range(2)]
        assert (moment.game and seen(moment.game)) == before


def test_what_may_not_be_chosen_is_refused() -> None:
    moment = Moment.first(Rules.mini())
    with pytest.raises(IllegalAction, match=r"one of the card types \[0, 1\], got 2"):
        moment.after(2)
    for card in (0, 0, 1, 1):
        moment = moment.after(card)
    with pytest.raises(IllegalAction, match='"offer 1 Babylonian", is illegal for player 0 in ANNOUNCE'):
        moment.after(moment.setting.table.parse("offer 1 Babylonian"))


def test_the_tree_comes_in_order_each_node_once() -> None:
    tree = list(nodes(Moment.first(Rules.mini(max_turns=1))))
    assert [moment.story() for moment in tree[:2]] == ["before the deal", "(drawn: Roman)"]
    assert tree[-1].player == NOBODY
    assert len(tree) == 1 + sum(len(moment.legal) for moment in tree)
