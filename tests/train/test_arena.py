"""The arena's loop: the games of a plain loop, and what is counted in them."""

from itertools import permutations

import numpy as np
import pytest

import agents
from respublica_env import Batch, Game, Rules
from respublica_env.record import Record
from tests.players import Drawing, FirstLegal, Looking
from train import arena


def test_games_are_those_of_a_plain_loop() -> None:
    """Scores of the arena equal those of games that are played here, one by one, with the same players."""
    rules = Rules.small(max_turns=6)
    players = [FirstLegal(), Drawing(), Looking(), agents.load("greedy")]
    pairs = list(permutations(range(4), 2)) * 3
    seeds = [40 + i // 12 for i in range(len(pairs))]
    games = arena.play(rules, players, np.array(pairs), seeds)
    for pair, seed, score, stall in zip(pairs, seeds, games.scores, games.stalled, strict=True):
        game = Game(rules, seed=seed)
        generators = [np.random.default_rng((seed, seat)) for seat in range(2)]
        while not game.terminated:
            seat = game.player
            player = players[pair[seat]]
            if player.bot is None:
                game.step(player.choose(game, seat, generators[seat]))
            else:
                game.play_bot(player.name)
        assert (game.scores(), game.stalled) == (score.tolist(), stall)


@pytest.mark.parametrize("rules", [Rules(), Rules(num_players=3, auto_forced=False, max_turns=40)])
def test_bots_play_as_they_do_inside_the_batch(rules: Rules) -> None:
    players = [agents.load("greedy"), agents.load("random")]
    seats = np.arange(30 * rules.num_players).reshape(30, -1) % 5 % 2
    controllers = np.array([player.bot for player in players], np.int8)[seats]
    batch = Batch(rules, 30, seed=7, controllers=controllers)
    games = arena.play(rules, players, seats, range(7, 37))
    assert (games.scores == batch.scores).all()
    assert (games.stalled == batch.stalled).all()
    assert (games.cities + games.monuments == batch.points).all()


@pytest.mark.parametrize("auto_forced", [True, False])
def test_counts_equal_those_of_the_replayed_records(auto_forced: bool) -> None:
    """Phases and words of each game, played again from its record, say what was announced, answered and traded."""
    rules = Rules(num_players=3, auto_forced=auto_forced)
    players = [agents.load("random"), agents.load("greedy"), Drawing()]
    seats = np.array([[0, 1, 2], [2, 1, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1]])
    records: dict[int, Record] = {}
    games = arena.play(rules, players, seats, range(5), records.__setitem__)
    assert games.made.sum() > 20 and games.refused.sum() > 20
    for number in range(5):
        record = records[number]
        assert record.agents == tuple(players[i].name for i in seats[number])
        counts = {name: [0] * 3 for name in ("announced", "made", "answered", "taken")}
        game = record.start()
        for player, action in zip(record.players, record.actions, strict=True):
            assert player == game.player
            words = game.describe(action)
            said = {"ANNOUNCE": "announced", "RESPOND": "answered", "ACCEPT": "made"}.get(game.phase)
            if said and words != "pass":
                counts[said][player] += 1
            if words.startswith("accept"):
                counts["taken"][(player + int(words.rpartition("+")[2])) % 3] += 1
            game.step(action)
        assert (game.scores(), game.stalled) == (list(record.scores), record.stalled)
        for name, count in counts.items():
            assert getattr(games, name)[number].tolist() == count
        assert games.turns[number] == game.turn
        assert games.cities[number].tolist() == [3 * cities for cities in game.cities]
        assert games.monuments[number].tolist() == [sum(points) for points in game.monuments]
        assert games.pairs[number].tolist() == (game.hands // 2).sum(axis=1).tolist()


def test_games_go_to_lists_and_back() -> None:
    games = arena.play(Rules.mini(), [agents.load("random")], np.zeros((3, 2), np.int64), range(3))
    again = arena.Games.from_lists(games.to_lists())
    assert again.to_lists() == games.to_lists()
    assert len(arena.Games.joined([games, again])) == 6
