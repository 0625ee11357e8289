"""Rewards: every seat gets what the rules say it has earned, however it is read."""

import inspect
from typing import Any

import numpy as np

from respublica_env.envs.rewards import REWARD_MODES, final_rewards
from respublica_env.game import Game
from respublica_env.testing.door import End, MakeEnv
from respublica_env.testing.opening import open_door
from respublica_env.testing.places import Place

CLOSE = 1e-6  # SB3 hands out float32, whose numbers up to 8 are apart by less


def check_rewards(make_env: MakeEnv, *, seed: int = 0, games: int = 3) -> None:
    """Play whole games at random and add up what each seat earns.

    The sum must be that of the reward mode, from cities, monuments and hands at the end, in every way in which rewards
    are read: from `rewards` and from `last()` of PettingZoo's environments, as a step's reward, as returns. Where
    `make_env` takes a keyword `reward`, it is called once for each reward mode.

    Args:
        make_env: makes a new environment, see `respublica_env.testing`.
        seed: games are seeded from here on.
        games: how many are played.
    """
    for keywords in [{"reward": mode} for mode in REWARD_MODES] if _takes_reward(make_env) else [{}]:
        _check_mode(make_env, keywords, seed, games)


def _takes_reward(make_env: MakeEnv) -> bool:
    try:
        parameters = inspect.signature(make_env).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(one.name == "reward" or one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters)


def _check_mode(make_env: MakeEnv, keywords: dict[str, Any], seed: int, games: int) -> None:
    door = open_door(make_env, **keywords)
    door.keeps_ends = True
    for place in (Place("check_rewards", door, seed + k) for k in range(games)):
        rng = np.random.default_rng(place.seed)
        door.reset(place.seed)
        while door.running:
            door.step(door.choose(rng))
            place.decision += 1
        for end in door.ends():
            if keywords and end.mode != keywords["reward"]:
                place.wrong(f"the reward mode is {end.mode!r}, asked for was {keywords['reward']!r}")
            _check_end(place, end)


def _check_end(place: Place, end: End) -> None:
    scores = np.array(_scores(end.game))
    expected = final_rewards(end.mode, end.game.rules, scores, np.zeros_like(scores)).tolist()
    for way, totals in end.totals.items():
        for seat, total in totals.items():
            if abs(total - expected[seat]) > CLOSE * max(1, abs(expected[seat])):
                place.wrong(
                    f"read by {way} the rewards add up to {total:g} in mode {end.mode!r}, the game earned the seat "
                    f"{expected[seat]:g} (scores {scores.tolist()})",
                    end.row,
                    seat,
                )


def _scores(game: Game) -> list[int]:
    """Final scores, counted by hand."""
    rules = game.rules
    pairs = (game.hands // 2).sum(axis=1).tolist()
    return [
        game.cities[seat] * rules.city_points + sum(game.monuments[seat]) + pairs[seat] * rules.pair_points
        for seat in range(rules.num_players)
    ]
