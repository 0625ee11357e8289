"""What the figures mean, on numbers whose answer is known."""

import numpy as np
import pytest

from respublica_env import Batch, Rules
from respublica_env.envs.rewards import win_shares
from tests.players import FirstLegal
from train.evaluate import evaluate
from train.measures import intervals, variance_ratio
from train.ratings import ratings


def test_variance_ratio_of_known_data() -> None:
    rng = np.random.default_rng(0)
    luck = rng.normal(size=(4000, 1))
    assert variance_ratio(np.hstack([luck, -luck])) == pytest.approx(0, abs=1e-12)  # seats that take turns cancel it
    assert variance_ratio(np.hstack([luck] * 3)) == pytest.approx(3)  # three times the same game counts once
    assert variance_ratio(rng.normal(size=(4000, 4))) == pytest.approx(1, abs=0.1)  # 1 +- 0.022: independent games
    assert variance_ratio(rng.normal([0, 5], size=(4000, 2))) == pytest.approx(1, abs=0.1)  # the seat is no luck
    assert variance_ratio(np.full((5, 4), 1 / 3)) is None
    assert variance_ratio(rng.normal(size=(1, 4))) is None
    assert variance_ratio(rng.normal(size=(9, 1))) is None


def test_intervals_are_those_of_a_mean() -> None:
    rng = np.random.default_rng(1)
    data = rng.normal([[0.0], [5.0]], [[1.0], [3.0]], size=(2, 400))
    low, high = intervals(data, seed=0)
    error = 1.96 * data.std(axis=1) / np.sqrt(400)
    assert low == pytest.approx(data.mean(axis=1) - error, abs=0.03)  # 9,999 resamples: the ends are good to 2 %
    assert high == pytest.approx(data.mean(axis=1) + error, abs=0.03)


def test_figures_by_seat_against_a_count_by_hand() -> None:
    rules = Rules(num_players=3)
    result = evaluate(["greedy", "random", "random"], rules, deals=5, seed=3)
    scores = np.stack(
        [Batch(rules, 5, seed=3, controllers=[int(i == seat) for i in range(3)]).scores for seat in range(3)]
    )  # (seat of greedy, deal, seat)
    shares = win_shares(scores.reshape(-1, 3)).reshape(scores.shape)
    for seat, entry in enumerate(result["by_seat"]):
        assert entry["seat"] == seat
        assert entry["win_share"] == pytest.approx(shares[:, :, seat].mean())
        assert entry["mean_points"] == pytest.approx(scores[:, :, seat].mean())
    greedy, random = result["agents"]
    for seat in range(3):
        others = [i for i in range(3) if i != seat]
        assert greedy["by_seat"][seat]["win_share"] == pytest.approx(shares[seat, :, seat].mean())
        assert random["by_seat"][seat]["mean_points"] == pytest.approx(scores[others, :, seat].mean())
    for agent in (greedy, random):
        assert sum(agent["points"].values()) == pytest.approx(agent["mean_points"])
        assert agent["trades"]["made"] + agent["trades"]["refused"] == pytest.approx(agent["trades"]["announced"])
    made, taken = (greedy["trades"][name] + 2 * random["trades"][name] for name in ("made", "taken"))
    assert made == pytest.approx(taken) == pytest.approx(result["trades"])


def test_cross_play_is_every_pair_by_itself() -> None:
    rules = Rules(num_players=3, max_turns=30)
    first = FirstLegal()
    players = ["greedy", "random", first]
    result = evaluate(players, rules, deals=4, seed=2, cross_play=True)
    cross = result["cross_play"]
    assert cross["agents"] == ["greedy", "random", "first"]
    assert (result["deals"], result["games"], result["seatings"]) == (4, 4 * (6 * 3 + 3), 3)
    for i, one in enumerate(players):
        assert (cross["win_share"][i][i], cross["low"][i][i], cross["high"][i][i]) == pytest.approx((1 / 3,) * 3)
        alone = []
        for j, other in enumerate(players):
            if i != j:
                entry = evaluate([one, other, other], rules, deals=4, seed=2)["agents"][0]
                alone.append(entry)
                assert cross["win_share"][i][j] == pytest.approx(entry["win_share"])
                assert cross["mean_points"][i][j] == pytest.approx(entry["mean_points"])
                assert cross["low"][i][j] <= entry["win_share"] <= cross["high"][i][j]
        own = result["agents"][i]
        assert own["seats"] == 1
        for figure in ("win_share", "mean_points"):
            assert own[figure] == pytest.approx(np.mean([entry[figure] for entry in alone]))
        assert own["trades"]["made"] == pytest.approx(np.mean([entry["trades"]["made"] for entry in alone]))


def test_ratings_follow_who_beats_whom() -> None:
    tables = [([0, 1, 2, 2], [9, 5, 1, 1]), ([2, 0, 1, 2], [0, 7, 3, 0])] * 20
    (best, sure), (middle, _), (worst, _) = ratings(tables, 3)
    assert best > middle > worst
    assert sure < ratings(tables[:2], 3)[0][1]
    assert ratings([([0, 1], [4, 4])], 2)[0] == pytest.approx(ratings([([0, 1], [4, 4])], 2)[1])
