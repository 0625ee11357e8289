"""What the replay tells is what happened, and to a viewer no more than it may know."""

from dataclasses import replace
from typing import Any

import pytest

from respublica_env import Game, Rules
from respublica_env.envs.view import Viewer, see
from respublica_env.record import Record, Recorder
from respublica_env.replay import Story, tell
from tests.recorded import FILES, recorded_games
from tests.replayed import played

STANDARD = Rules(num_players=3, copies=7, set_size=3)
RULES = [STANDARD, Rules.mini(), Rules.small(num_players=2), Rules(num_players=2, optional_draw=True, max_turns=12)]
VIEWERS: list[Viewer] = [0, 1, "spectator"]


def frames(story: Story) -> list[dict[str, Any]]:
    whole: list[dict[str, Any]] = []
    for frame in story.frames:
        whole.append({**(whole[-1] if whole else {}), **frame})
    return whole


def events(story: Story, kind: str) -> list[dict[str, Any]]:
    return [event for event in story.events if event["e"] == kind]


def taken_by_hand(record: Record) -> Record:
    """The same game in which every decision was taken by a player, none by the engine."""
    rules = Rules.from_dict(record.rules.to_dict() | {"auto_forced": False})
    decks = {"population_deck": record.population_deck, "technology_deck": record.technology_deck}
    recorder, actions = Recorder(Game(rules, 0, **decks)), list(record.actions)
    while not recorder.game.terminated:
        legal = recorder.game.legal_actions()
        recorder.step(int(legal[0]) if len(legal) == 1 else actions.pop(0))
    return recorder.record()


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("bot", ["greedy", "random"])
def test_each_decision_finds_its_position_in_a_frame(rules: Rules, bot: str) -> None:
    record = played(rules, bot=bot)
    story = tell(record)
    shown = frames(story)
    assert len(story.places) == len(record) and story.places == sorted(story.places)
    game = record.start()
    for place, action in zip([*story.places, len(shown) - 1], [*record.actions, None], strict=True):
        state = shown[place]
        assert [state[f"hand{seat}"] for seat in range(rules.num_players)] == game.hands.tolist()
        assert state["scores"] == game.scores() and state["points"] == game.points()
        assert [state[f"built{seat}"][0] for seat in range(rules.num_players)] == game.cities
        assert [state[f"built{seat}"][1:] for seat in range(rules.num_players)] == game.monuments
        if action is not None:
            game.step(action)
    assert shown[-1]["phase"] == "OVER" and shown[-1]["k"] == len(record)
    assert story.events[-1] == {
        "f": len(shown) - 1,
        "e": "over",
        "winners": [seat for seat, score in enumerate(record.scores) if score == max(record.scores)],
        "scores": list(record.scores),
        "points": game.points(),
    }


@pytest.mark.parametrize("name", FILES)
def test_what_is_told_adds_up(name: str) -> None:
    """Cards that are drawn, traded and built, as told, lead from the deal to the last hands."""
    for recorded in recorded_games(name):
        rules = Rules.from_dict(recorded.start["rules"])
        decks = {deck: recorded.start[deck] for deck in ("population_deck", "technology_deck")}
        recorder = Recorder(Game(rules, 0, **decks))
        hands = recorder.game.hands
        for line in recorded.decisions:
            recorder.step(line["action"])
        story = tell(recorder.record())
        assert [event["f"] for event in story.events] == sorted(event["f"] for event in story.events)
        for event in story.events:
            match event["e"]:
                case "draw":
                    hands[event["s"]] += event["cards"]
                    assert sum(event["backs"]) == sum(event["cards"])
                case "trade":
                    for giver, taker, cards in zip(
                        (event["s"], event["to"]), (event["to"], event["s"]), event["cards"], strict=True
                    ):
                        hands[giver] -= cards
                        hands[taker] += cards
                case "city" | "monument":
                    hands[event["s"], event["k"]] -= rules.set_size
        assert hands.tolist() == recorded.end["hands"] == recorder.game.hands.tolist()
        assert len(events(story, "turn")) == recorder.game.turn


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("viewer", VIEWERS)
def test_nobody_is_told_who_had_a_choice(rules: Rules, viewer: Viewer) -> None:
    for seed in range(3):
        record = played(rules, seed, "random")
        by_hand = taken_by_hand(record)
        assert len(by_hand) > len(record)
        told, again = tell(record, viewer), tell(by_hand, viewer)
        assert told.frames == again.frames and told.events == again.events


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_viewer_is_shown_what_it_may_see(viewer: Viewer) -> None:
    record = played(STANDARD)
    story = tell(record, viewer)
    shown = frames(story)
    game = record.start()
    for place, action in zip(story.places, record.actions, strict=True):
        view = see(game, viewer)
        assert [shown[place][f"hand{seat}"] for seat in view.seats] == view.hands
        assert shown[place]["scores"] is None and "k" not in shown[place]
        assert shown[place]["left"] is None and shown[place]["next"] is None
        game.step(action)
    assert shown[-1]["scores"] == list(record.scores)
    trades, draws = events(story, "trade"), events(story, "draw")
    assert trades and all((event["cards"] is None) == (viewer not in (event["s"], event["to"])) for event in trades)
    assert draws and all((event["cards"] is None) == (viewer != event["s"]) for event in draws)


def test_words_are_told_in_their_frames() -> None:
    kinds = set()
    for bot in ("greedy", "random"):
        story = tell(played(STANDARD, bot=bot))
        shown = frames(story)
        for event in story.events:
            kinds.add(event["e"])
            state, said = shown[event["f"]], shown[event["f"]].get(f"said{event.get('s')}")
            match event["e"]:
                case "say":
                    assert said["form"] == event["form"] and said["terms"][0] == event["term"]
                    assert state["phase"] == "EXTEND" or state["player"] != event["s"]
                case "more":
                    assert said["link"] == event["link"] and said["terms"][1] == event["term"]
                case "pass" if not event["first"]:
                    assert said == "pass"
                case "accept":
                    assert state["partner"] == event["to"] and state["active"] == event["s"]
    assert {"say", "more", "pass", "accept", "decline", "trade", "draw", "city", "final", "build", "over"} <= kinds


@pytest.mark.parametrize(("aborted", "kind"), [(True, "left"), (False, "broken")])
def test_a_game_that_is_not_over_says_so(aborted: bool, kind: str) -> None:
    record = replace(played(STANDARD, decisions=20), aborted=aborted)
    for viewer in (None, 1):
        story = tell(record, viewer)
        assert story.events[-1]["e"] == kind and story.events[-1]["f"] == len(story.frames) - 1
    empty = replace(record, players=(), actions=())
    assert tell(empty).events[-1]["e"] == kind


def test_what_cannot_be_told_is_refused() -> None:
    record = played(Rules.mini())
    for viewer in (2, -1, "nobody", True):
        with pytest.raises(ValueError, match="seat must be"):
            tell(record, viewer)
    with pytest.raises(ValueError, match="games of up to 20,000 decisions are shown, this one has 20,001"):
        tell(replace(record, actions=(0,) * 20_001, players=(0,) * 20_001))
