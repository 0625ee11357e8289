"""Every recorded game replays with the same legal ids, hands, known holdings, scores and observation bytes."""

import json

import numpy as np
import pytest

from respublica_env import Batch, Game, Rules
from tests.recorded import FILES, RecordedGame, observation, recorded_games


def start(game: RecordedGame) -> Game:
    return Game(
        Rules.from_dict(game.start["rules"]),
        population_deck=game.start["population_deck"],
        technology_deck=game.start["technology_deck"],
    )


def assert_same(game: Game, line: dict) -> None:
    """Everything that a recorded decision holds."""
    assert (game.phase, game.player, game.active) == (line["phase"], line["player"], line["active"])
    assert game.legal_actions().tolist() == line["legal"]
    assert np.flatnonzero(game.action_mask()).tolist() == line["legal"]
    assert game.hands.tolist() == line["hands"]
    assert game.cities == line["cities"]
    assert game.monuments == line["monuments"]
    assert game.spent.tolist() == line["spent"]
    assert game.turn == line["turn"]
    assert [game.known(seat).tolist() for seat in range(game.rules.num_players)] == line["known"]
    assert game.known(None).tolist() == line["public"]
    assert game.observation(line["player"]).tobytes() == observation(line["obs"]).tobytes()


def assert_same_end(game: Game, line: dict) -> None:
    assert game.phase == "OVER"
    assert (game.terminated, game.stalled) == (line["terminated"], line["stalled"])
    assert game.scores() == line["scores"]
    assert game.hands.tolist() == line["hands"]
    assert not game.action_mask().any()
    for seat, text in enumerate(line["obs_all"]):
        assert game.observation(seat).tobytes() == observation(text).tobytes()


@pytest.mark.parametrize("name", FILES)
def test_recorded_games_replay_in_game(name: str) -> None:
    for recorded in recorded_games(name):
        game = start(recorded)
        for line in recorded.decisions:
            assert_same(game, line)
            game.step(line["action"])
        assert_same_end(game, recorded.end)


@pytest.mark.parametrize("name", FILES)
def test_every_recorded_position_goes_to_a_dict_and_back(name: str) -> None:
    for recorded in recorded_games(name):
        game = start(recorded)
        for line in recorded.decisions:
            position = game.to_dict()
            again = Game.from_dict(json.loads(json.dumps(position)))
            assert again.to_dict() == position
            assert again.legal_actions().tolist() == line["legal"]
            game.step(line["action"])
        assert Game.from_dict(game.to_dict()).to_dict() == game.to_dict()


@pytest.mark.parametrize("name", FILES)
def test_recorded_games_replay_in_batch(name: str) -> None:
    """All games of a file side by side in one batch, their decks set through `set_state`."""
    games = list(recorded_games(name))
    batch = Batch(Rules.from_dict(games[0].start["rules"]), num_games=len(games), seed=0)
    state = batch.get_state()
    state["rows"] = np.stack([start(game).__getstate__()["row"] for game in games])
    batch.set_state(state)
    for k in range(max(len(game.decisions) for game in games)):
        actions = np.zeros(len(games), np.int64)
        for b, game in enumerate(games):
            if k < len(game.decisions):
                line = game.decisions[k]
                assert batch.player[b] == line["player"]
                assert np.flatnonzero(batch.action_masks[b]).tolist() == line["legal"]
                assert batch.observations[b].tobytes() == observation(line["obs"]).tobytes()
                actions[b] = line["action"]
            else:
                assert batch.terminated[b] and not batch.action_masks[b].any()
        batch.step(actions)
    assert batch.terminated.all()
    assert batch.scores.tolist() == [game.end["scores"] for game in games]
    assert batch.stalled.tolist() == [game.end["stalled"] for game in games]
