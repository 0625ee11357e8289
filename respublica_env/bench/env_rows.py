"""The PettingZoo environment against PettingZoo's own poker, and the Gymnasium environment."""

import importlib.util
import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from respublica_env.bench.measure import Measure, Row, Settings, available, library, take_turns

GYMNASIUM_ID = "respublica/ResPublica-v0"


def pick(mask: Any, rng: random.Random) -> int:
    """A random legal action; the same code for subject and peer."""
    legal = mask.nonzero()[0]
    return int(legal[int(rng.random() * len(legal))])


def aec_rate(env: Any, seconds: float, seeded: bool) -> float:
    """Decisions a second of the canonical AEC loop: whole games, resets included, ended agents' last steps not counted.

    seeded: whether each game begins with `reset(seed=...)`, as in PettingZoo's own examples, or with plain `reset()`.
    """
    rng = random.Random(0)
    games, decisions, start = 0, 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        games += 1
        env.reset(seed=games if seeded else None)
        for _ in env.agent_iter():
            observation, _reward, termination, truncation, _info = env.last()
            action = None
            if not (termination or truncation):
                action = pick(observation["action_mask"], rng)
                decisions += 1
            env.step(action)
    return decisions / spent


def _aec(env: Any, settings: Settings, seeded: bool) -> Measure:
    env.reset(seed=0)
    aec_rate(env, 0.01, seeded)  # first calls are slower
    return partial(aec_rate, env, settings.seconds, seeded)


def _poker(settings: Settings, seeded: bool) -> Measure:
    poker = library("pettingzoo.classic.texas_holdem_v4", "'pettingzoo[classic]'")
    return _aec(poker.raw_env(), settings, seeded)


def single_env_rate(env: Any, seconds: float) -> float:
    """Learner's decisions a second in the canonical Gymnasium loop, resets included."""
    rng = random.Random(0)
    decisions, start = 0, time.perf_counter()
    _, info = env.reset(seed=0)
    while (spent := time.perf_counter() - start) < seconds:
        for _ in range(100):
            _, _, terminated, truncated, info = env.step(pick(info["action_mask"], rng))
            decisions += 1
            if terminated or truncated:
                _, info = env.reset()
    return decisions / spent


def rows() -> list[Row]:
    """The rows, unmeasured."""
    unit, poker = "decisions/s", "PettingZoo texas_holdem_v4 raw_env"
    return [
        Row("aec-raw", "raw_env, AEC loop, reset(seed=...) before each game", unit, poker, 20),
        Row("aec-raw-unseeded", "the same with plain reset()", unit, poker),
        Row("aec-env", "env(), AEC loop, reset(seed=...) before each game", unit, budget=60_000),
        Row("gymnasium", "gymnasium.make, learner's decisions against `random`", unit, budget=40_000),
    ]


def measure(wanted: list[Row], settings: Settings) -> None:
    """Fill the rows of `wanted`, all in turns."""
    names = {row.name for row in wanted}
    measures: dict[str, Measure] = {}
    makers: dict[str, Callable[[], Measure]] = {}
    if importlib.util.find_spec("respublica_env.respublica_v0"):
        from respublica_env import respublica_v0

        for name, seeded in (("aec-raw", True), ("aec-raw-unseeded", False)):
            if name in names:
                measures[name] = _aec(respublica_v0.raw_env(), settings, seeded)
                makers[f"{name} poker"] = partial(_poker, settings, seeded)
        if "aec-env" in names:
            measures["aec-env"] = _aec(respublica_v0.env(), settings, seeded=True)
    if "gymnasium" in names:
        measures |= _single_env(settings)
    peers, missing = available(makers)
    figures = take_turns(in_pairs(measures, peers), settings.repetitions)
    for row in wanted:
        peer = f"{row.name} poker"
        if row.name not in figures:
            row.without("not built yet", "")
        elif peer in missing:
            row.fill(figures[row.name]).without("peer missing", missing[peer])
        else:
            row.fill(figures[row.name], figures.get(peer))


def in_pairs(measures: dict[str, Measure], peers: dict[str, Measure]) -> dict[str, Measure]:
    """All of them, each subject directly before its peer, so that the two are measured close together."""
    paired: dict[str, Measure] = {}
    for name, measure_one in measures.items():
        paired[name] = measure_one
        if f"{name} poker" in peers:
            paired[f"{name} poker"] = peers[f"{name} poker"]
    return paired


def _single_env(settings: Settings) -> dict[str, Measure]:
    import gymnasium

    import respublica_env

    del respublica_env  # its import registers the id
    if GYMNASIUM_ID not in gymnasium.registry:
        return {}
    env = gymnasium.make(GYMNASIUM_ID, opponents="random")
    single_env_rate(env, 0.01)
    return {"gymnasium": partial(single_env_rate, env, settings.seconds)}
