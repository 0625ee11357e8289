"""The league: who is drawn, how often, and what it remembers of the games."""

import pickle
from collections import Counter

import numpy as np
import pytest

from respublica_env import Rules
from respublica_env.engine.bots import BOT_NAMES
from train.league import PRESENT, League, LeagueGames, Member, Sampled


def flat(logits: np.ndarray) -> np.ndarray:
    """A network that likes all actions alike."""
    return np.zeros((len(logits), 240), np.float32)


def opponents(league: League, draws: int = 4000) -> list[list[str]]:
    rng = np.random.default_rng(0)
    lineups = [league.lineup(rng) for _ in range(draws)]
    return [[player if isinstance(player, str) else player.name for player in lineup] for lineup in lineups]


def test_a_policy_plays_every_action_with_its_probability() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(1, 240)).astype(np.float32) * 2
    masks = (rng.random((1, 240)) < 0.1).astype(np.int8)
    player = Sampled("it", lambda seen: np.broadcast_to(logits, (len(seen), 240)))
    many = 20_000
    actions = player.act(np.zeros((many, 191), np.float32), masks.repeat(many, axis=0), rng)
    chances = np.where(masks[0] == 1, np.exp(logits[0]), 0)
    chances /= chances.sum()
    found = np.bincount(actions, minlength=240) / many
    assert (abs(found - chances) <= 5 * np.sqrt(chances * (1 - chances) / many)).all()
    assert (found[masks[0] == 0] == 0).all()


def test_the_highest_draw_is_a_legal_action() -> None:
    class Highest:
        def random(self, shape: tuple[int, int]) -> np.ndarray:
            return np.full(shape, np.nextafter(1, 0))

    masks = np.zeros((300, 240), np.int8)
    masks[:, 5:8] = 1
    actions = Sampled("it", flat).act(np.zeros((300, 191), np.float32), masks, Highest())  # type: ignore[arg-type]
    assert (actions == 7).all()


def test_categories_have_their_shares_of_the_tables() -> None:
    league = League(Rules(), ("random", "greedy"), present=0.3, past=0.2, mixed=0.25, priority="even")
    assert {name for lineup in opponents(league) for name in lineup} == {"random", "greedy"}
    league.update(flat)
    counts = Counter(name for lineup in opponents(league) for name in lineup)
    assert counts[PRESENT] / 12_000 == pytest.approx(0.5, abs=0.03)  # the share of past selves, while there are none
    league.add("young", flat)
    lineups = opponents(league)
    counts = Counter(name for lineup in lineups for name in lineup)
    assert {name: count / 12_000 for name, count in counts.items()} == pytest.approx(
        {PRESENT: 0.3, "young": 0.2, "random": 0.25, "greedy": 0.25}, abs=0.03
    )
    # Three seats drawn by themselves agree with probability .3^3 + .2^3 + 2 * .25^3.
    alike = sum(len(set(lineup)) == 1 for lineup in lineups) / 4000
    assert alike == pytest.approx(0.75 + 0.25 * 0.06625, abs=0.03)


@pytest.mark.parametrize(
    ("priority", "ratio"), [("hard", 0.64 / 0.04), ("variance", 1.0), ("even", 1.0)], ids=["hard", "variance", "even"]
)
def test_the_hard_ones_are_drawn_more_often(priority: str, ratio: float) -> None:
    """One is beaten in 20 of 100 games, the other in 80: (1 - p)^2 is 0.64 and 0.04, p (1 - p) is the same."""
    league = League(Rules(), ("random", "greedy"), priority=priority)
    for member, beaten in zip(league.fixed, (19, 79), strict=True):
        member.games, member.beaten = 98.0, float(beaten)
    league.redraw()
    counts = Counter(lineup[0] for lineup in opponents(league))
    hard = 0.9 * ratio / (1 + ratio) + 0.05
    assert counts["random"] / 4000 == pytest.approx(hard, abs=0.03)


def test_the_easiest_past_self_leaves() -> None:
    league = League(Rules(), ("random",), past=0.5, size=3)
    for name, beaten in (("a", 5.0), ("b", 9.0), ("c", 1.0)):
        league.add(name, flat)
        league.past[-1].games, league.past[-1].beaten = 10.0, beaten
    league.add("d", flat)
    assert [member.name for member in league.past] == ["a", "c", "d"]
    league.resize(2)
    assert [member.name for member in league.past] == ["c", "d"]
    assert {lineup[0] for lineup in opponents(league)} == {"random", "c", "d"}
    league.resize(1)
    assert [member.name for member in league.past] == ["d"]
    league.add("e", flat)
    assert [member.name for member in league.past] == ["e"]


def test_results_are_remembered_for_a_while() -> None:
    member = Member("it", "random", 0)
    for beaten in [0.0] * 3000 + [1.0] * 3000:
        member.record(beaten)
    assert member.beaten_rate > 0.99
    assert member.win_share is None


def test_games_are_recorded_as_they_ended() -> None:
    """Against what the environment pays: the share of the win less par."""

    class Watching(League):
        def record(self, keys: list, scores: list, own: int, share: float) -> None:
            super().record(keys, scores, own, share)
            seen.append((keys, scores, own, share))

    seen: list[tuple] = []
    league = Watching(Rules(), ("random", "greedy"), present=0.3, mixed=0.5)
    league.update(flat)
    env = LeagueGames(32, league, reward="win", seed=0)
    env.reset()
    rng = np.random.default_rng(0)
    rewards: list[float] = []
    for _ in range(200):
        masks = np.asarray(env.action_masks())
        _, _, _, infos = env.step((rng.random(masks.shape) * masks).argmax(axis=1))
        rewards += [info["episode"]["r"] for info in infos if info]
    assert len(seen) == len(rewards) > 30
    beaten: Counter[object] = Counter()
    for (keys, scores, own, share), reward in zip(seen, rewards, strict=True):
        best = max(own, *scores)
        assert share == pytest.approx(reward + 0.25)
        assert share == ((own == best) / ([own, *scores].count(best)))
        for key, points in zip(keys, scores, strict=True):
            beaten[key] += 1.0 if own > points else 0.5 * (own == points)
    keys = Counter(key for keys, *_ in seen for key in keys)
    assert set(keys) == {BOT_NAMES.index("random"), BOT_NAMES.index("greedy"), PRESENT}
    for key, games in keys.items():
        member = league.members[key]
        # Old games count a little less.
        assert member.games == pytest.approx(games, rel=games / 500)
        assert member.beaten / member.games == pytest.approx(beaten[key] / games, abs=0.1)
    full = Counter(keys[0] for keys, *_ in seen if len(set(keys)) == 1)
    assert league.members[PRESENT].tables == pytest.approx(full[PRESENT], rel=0.1)


def test_a_league_goes_on_from_a_pickle() -> None:
    """Games under way keep their opponents, and these remain the league's."""
    league = League(Rules(), ("random",), present=0.4, past=0.4)
    league.update(flat)
    league.add("young", flat)
    env = LeagueGames(16, league, seed=0)
    env.reset()
    rng = np.random.default_rng(0)
    for step in range(450):
        if step == 60:
            again = pickle.loads(pickle.dumps(env))
            assert again.games._others.opponents is again.league
        masks = np.asarray(env.action_masks())
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        observations, *_ = env.step(actions)
        if step >= 60:
            assert again.step(actions)[0].tobytes() == observations.tobytes()
        if step == 100:
            for one in (env, again):
                one.league.add("younger", flat)
    assert [vars(member) for member in again.league.fixed] == [vars(member) for member in env.league.fixed]
    assert env.league.members["younger"].games > 0
