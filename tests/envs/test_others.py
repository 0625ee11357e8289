"""Opponents in Python: what they are asked, how often, and what happens when they answer wrongly."""

import pickle
from typing import Any

import numpy as np
import pytest

import agents
from respublica_env import Game, IllegalAction, Rules
from respublica_env.engine.bots import BOT_NAMES
from respublica_env.envs.vector import LearnerBatch
from tests.plain_learner import choosing, drawing, last_legal, some_actions


class Watching:
    """Plays its last legal action and keeps what it was asked."""

    name = "watching"

    def __init__(self) -> None:
        self.asked: list[tuple[np.ndarray, np.ndarray]] = []

    def act(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        self.asked.append((observations.copy(), action_masks.copy()))
        actions = last_legal(observations, action_masks, rng)
        observations[:] = action_masks[:] = 0  # the agent's own
        return actions


class Cautious:
    """Looks at the game, and takes the first action that is legal in a world it believes in."""

    def __init__(self) -> None:
        self.games: list[tuple[Game, int]] = []

    def choose(self, game: Game, seat: int, rng: np.random.Generator) -> np.int64:
        self.games.append((game, seat))
        world = game.determinize(seat, rng)
        action = world.legal_actions()[0]
        game.step(action)  # a copy: this changes nothing
        return action


class Broken:
    """Plays last legal actions, until it is asked for the `good + 1`-th time: then it gives `answer`."""

    name = "broken"

    def __init__(self, good: int, answer: Any) -> None:
        self.good, self.answer = good, answer

    def act(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> Any:
        if self.good == 0:
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer(len(observations))
        self.good -= 1
        return drawing(observations, action_masks, rng)


def play(games: LearnerBatch, steps: int, seed: int = 0) -> list[bytes]:
    """Random legal actions, what is over is dealt anew; all rewards."""
    rng, rewards = np.random.default_rng(seed), []
    for _ in range(steps):
        step = games.step(some_actions(games.action_masks(), rng))
        rewards.append(step.rewards.tobytes())
        if step.ended.size:
            games.reset(step.ended)
    return rewards


def begun(num_games: int, opponents: object, **keywords: Any) -> LearnerBatch:
    games = LearnerBatch(num_games, opponents, seed=1, **keywords)
    games.reset()
    return games


def test_one_agent_is_asked_once_for_all_games_that_wait_for_it() -> None:
    """In whatever seats it is; of each it sees observation and mask of its own seat, nothing else."""
    agent = Watching()
    games = begun(20, agent, rules=Rules(auto_forced=False))
    most = 0
    for _ in range(40):
        plain = [games.batch.game(i) for i in range(20)]
        agent.asked.clear()
        actions = games.action_masks().argmax(axis=1)
        games.step(actions)
        for game, action in zip(plain, actions, strict=True):
            game.step(action)
        for seen, masks in agent.asked:
            pairs = zip(plain, games.seats, strict=True)
            waiting = [game for game, learner in pairs if game.player not in (None, learner)]
            most = max(most, len(waiting))
            assert [one.tobytes() for one in seen] == [game.observation(game.player).tobytes() for game in waiting]
            assert [one.tobytes() for one in masks] == [game.action_mask().tobytes() for game in waiting]
            for game in waiting:
                game.step(game.legal_actions()[-1])
        assert [game.player for game in plain] == games.seats.tolist()
    assert most > 10


@pytest.mark.parametrize("opponents", [last_legal, drawing])
def test_whoever_draws_by_rows_is_asked_for_all_at_once(opponents: Any) -> None:
    sizes = []

    def counting(observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> Any:
        sizes.append(len(observations))
        return opponents(observations, action_masks, rng)

    play(begun(40, counting, rules="mini"), 50)
    assert np.mean(sizes) > 5


def test_whoever_draws_otherwise_is_asked_game_by_game() -> None:
    sizes = []

    def counting(observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> Any:
        sizes.append(len(observations))
        return choosing(observations, action_masks, rng)

    play(begun(40, counting, rules="mini"), 50)
    assert [size for size in sizes if size > 1] == [max(sizes)], "one attempt, never again"


def test_an_agent_that_needs_the_game_is_given_a_copy() -> None:
    agent = Cautious()
    games = begun(3, agent, rules="mini", seat=1)
    play(games, 20)
    assert len(agent.games) > 20
    assert {seat for _, seat in agent.games} == {0}
    assert all(isinstance(game, Game) for game, _ in agent.games)


def test_agents_of_the_clone_play() -> None:
    """A compiled one inside the batch, the others here."""
    games = begun(4, [agents.RandomAgent(), agents.CompiledAgent("greedy"), "greedy"], seat=0)
    assert games.batch.controllers.tolist() == [[-1, 0, 1, 1]] * 4
    assert not games._others.python


def test_an_agent_that_cannot_play_these_rules_is_refused() -> None:
    layers = [(np.zeros((240, 191), np.float32), np.zeros(240, np.float32))]
    policy = agents.PolicyAgent("tiny", Rules(), layers)
    play(begun(4, policy), 20)
    with pytest.raises(ValueError, match="tiny was trained on other rules"):
        LearnerBatch(4, [policy], rules="mini")


@pytest.mark.parametrize("good", [0, 1, 7, 30])
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda size: np.full(size, 10_000), r"opponent 'broken' in seat \d of game \d: .*10000"),
        (lambda size: np.full(size, -1), r"opponent 'broken' in seat \d of game \d: .*-1"),
        (lambda size: np.zeros(size + 1, int), "opponent 'broken' must answer with whole numbers of shape"),
        (np.zeros, "opponent 'broken' must answer .* got float64"),
        (lambda _: None, "opponent 'broken' must answer .* got object"),
        (RuntimeError("out of memory"), "out of memory"),
    ],
)
def test_when_an_opponent_fails_nothing_has_changed(answer: Any, reason: str, good: int) -> None:
    """Neither games nor random streams: once it is well again, all goes on as if it had never failed."""
    broken, well = Broken(1_000_000, answer), Broken(1_000_000, answer)
    opponents = [broken, "random", choosing]
    games = begun(5, opponents, reward="points", rules=Rules(max_turns=4))
    twin = begun(5, [well, "random", choosing], reward="points", rules=Rules(max_turns=4))
    assert play(games, 15) == play(twin, 15)
    broken.good = good
    before = state(games)
    rng = np.random.default_rng(5)
    for _ in range(100):
        actions = some_actions(games.action_masks(), rng)
        try:
            with games.all_or_nothing():
                step = games.step(actions)
                games.reset(step.ended)
        except (IllegalAction, ValueError, RuntimeError) as error:
            assert state(games) == before
            with pytest.raises(type(error), match=reason):
                raise
            break
        with twin.all_or_nothing():
            twin.reset(twin.step(actions).ended)
        before = state(games)
    else:
        pytest.fail("it was never asked")
    broken.good = 1_000_000
    with games.all_or_nothing(), twin.all_or_nothing():
        games.reset(games.step(actions).ended)
        twin.reset(twin.step(actions).ended)
    assert play(games, 60, seed=3) == play(twin, 60, seed=3)


def state(games: LearnerBatch) -> bytes:
    kept = {key: value for key, value in games.__getstate__().items() if key != "_others"}
    generators = {key: made.bit_generator.state for key, made in games._others.streams._made.items()}
    who = [[getattr(one, "name", None) for one in row] for row in games._others.seated]
    return pickle.dumps((kept, generators, who, games._others.python))


def test_a_failure_in_the_first_reset_leaves_nothing_begun() -> None:
    broken = Broken(0, lambda size: np.full(size, -1))
    games = LearnerBatch(5, broken, seat=3, seed=1)
    with pytest.raises(IllegalAction, match="opponent 'broken' in seat 0 of game 0"):
        games.reset()
    assert not games.begun and games.over.all()
    broken.good = 1_000
    games.reset()
    assert not games.over.any()


def test_what_a_choice_must_be() -> None:
    class Odd:
        def __init__(self, answer: Any) -> None:
            self.answer = answer

        def choose(self, _game: Game, _seat: int, _rng: np.random.Generator) -> Any:
            return self.answer

    for answer in (None, 1.0, "0", 2**70):
        with pytest.raises(ValueError, match="opponent 'Odd' must choose an action"):
            begun(2, Odd(answer), seat=1, rules="mini")
    with pytest.raises(IllegalAction, match="opponent 'Odd' in seat 0 of game 0"):
        begun(2, Odd(np.int64(-3)), seat=1, rules="mini")


class Ragged:
    name = "ragged\n" * 99

    def act(self, observations: Any, _masks: Any, _rng: Any) -> Any:
        return [[0], *([[0, 1]] * (len(observations) - 1)), [0, 1]]


def test_ragged_answers_are_refused_in_one_line() -> None:
    with pytest.raises(
        ValueError, match=r"opponent 'ragged.* must answer with whole numbers, .* got \[\[0\], \[0, 1"
    ) as error:
        begun(2, Ragged(), seat=1, rules="mini")
    assert len(str(error.value)) < 400 and "\n" not in str(error.value)


class Pool:
    """Draws a lineup at each deal, as a league would."""

    def __init__(self, choices: list[Any]) -> None:
        self.choices = choices
        self.drawn: list[list[int]] = []

    def lineup(self, rng: np.random.Generator) -> list[Any]:
        picks = rng.integers(len(self.choices), size=3).tolist()
        self.drawn.append(picks)
        return [self.choices[pick] for pick in picks]


def test_a_lineup_is_drawn_for_each_deal_of_each_game() -> None:
    pool = Pool(["greedy", drawing, "random", last_legal])
    games = begun(200, pool, rules=Rules(max_turns=3), seat=1)
    assert len(pool.drawn) == 200 + games.skipped.sum()
    compiled = {0: BOT_NAMES.index("greedy"), 2: BOT_NAMES.index("random")}
    for game, picks in enumerate(pool.drawn[:200]):
        if games.skipped[game] == 0:
            assert games.batch.controllers[game, [2, 3, 0]].tolist() == [compiled.get(pick, -1) for pick in picks]
    counts = np.bincount(np.array(pool.drawn[:200]).ravel(), minlength=4)
    assert counts.min() > 100  # 150 each, standard deviation 10.6
    drawn = len(pool.drawn)
    games.reset(np.array([3, 4]))
    assert len(pool.drawn) >= drawn + 2


def test_lineups_and_play_do_not_depend_on_the_number_of_games() -> None:
    def rewards(num_games: int) -> list[float]:
        games = begun(num_games, Pool(["greedy", drawing, choosing]), rules=Rules(max_turns=3), reward="points")
        found = []
        for _ in range(60):
            step = games.step(games.action_masks().argmax(axis=1))
            found.append(step.rewards[0])
            games.reset(step.ended)
        return found

    assert rewards(1) == rewards(9)


def test_a_lineup_that_cannot_be_changes_nothing() -> None:
    games = LearnerBatch(3, Pool(["nobody"]), seed=1)
    with pytest.raises(ValueError, match="no opponent is named 'nobody'"):
        games.reset()
    games.opponents = "random"
    games.reset()
    assert not games.over.any()


def test_other_opponents_count_from_the_next_deal_on() -> None:
    old, new = Watching(), Watching()
    games = begun(6, old, rules="mini")
    games.opponents = new
    rng = np.random.default_rng(0)
    waiting = set(range(6))
    while waiting:
        assert not new.asked
        step = games.step(some_actions(games.action_masks(), rng))
        waiting -= set(step.ended.tolist())
    games.reset()
    asked = len(old.asked)
    play(games, 10)
    assert len(old.asked) == asked and new.asked
    games.opponents = "random"
    games.reset()
    assert not games._others.python and not games._others.asks
