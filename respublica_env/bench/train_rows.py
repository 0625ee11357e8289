"""The SB3 environment: its time for each decision of the learner, and what is left of MaskablePPO's speed on it."""

import importlib.util
import time
from typing import Any

from respublica_env.bench.measure import Measure, MissingError, Row, Settings, library, take_turns

NUM_ENVS = 256
INSTALL = "'respublica-env[train]'"
N_STEPS = 64
PPO: dict[str, Any] = {"batch_size": 2048, "n_epochs": 4, "policy_kwargs": {"net_arch": [64, 64]}, "device": "cpu"}


def _make_env(opponents: str) -> Any:
    return library("respublica_env.sb3", INSTALL).ResPublicaVecEnv(NUM_ENVS, opponents=opponents, seed=0)


def stacked_masks(env: Any) -> Any:
    """The masks as MaskablePPO asks for them."""
    return library("sb3_contrib.common.maskable.utils", INSTALL).get_action_masks(env)


def _block(masks: Any, num_envs: int) -> Any:
    """What SB3 stacked, as int8 `(num_envs, A)`."""
    import numpy as np

    return np.ascontiguousarray(masks, np.int8).reshape(num_envs, -1)


def vec_env_time(seconds: float) -> Measure:
    """Microseconds of a learner's decision: the step and the masks as MaskablePPO asks for them, not the sampler."""
    from respublica_env.bench.kernels import Sampler

    env = _make_env("random")
    env.reset()
    masks = _block(stacked_masks(env), NUM_ENVS).copy()
    sampler = Sampler(masks, seed=1)

    def microseconds() -> float:
        decisions, spent = 0, 0.0
        while spent < seconds:
            actions = sampler.choose()
            start = time.perf_counter()
            env.step(actions)
            stacked = stacked_masks(env)
            spent += time.perf_counter() - start
            decisions += NUM_ENVS
            masks[:] = _block(stacked, NUM_ENVS)
        return 1e6 * spent / decisions

    microseconds()  # first calls are slower
    return microseconds


def idle_env(model: Any) -> Any:
    """A VecEnv that does nothing: spaces, masks and observations of `model`, the same at every step."""
    import numpy as np

    observations = model.reset()
    masks = _block(stacked_masks(model), model.num_envs).astype(bool)
    rewards = np.zeros(model.num_envs, np.float32)
    dones = np.zeros(model.num_envs, bool)
    infos: list[dict[str, Any]] = [{} for _ in range(model.num_envs)]

    class Idle(library("stable_baselines3.common.vec_env", INSTALL).VecEnv):  # type: ignore[misc]
        render_mode = None

        def reset(self) -> Any:
            return observations

        def step_async(self, actions: Any) -> None:
            del actions

        def step_wait(self) -> Any:
            return observations, rewards, dones, infos

        def close(self) -> None:
            pass

        def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
            del indices
            return [getattr(self, attr_name)] * self.num_envs

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            del indices
            setattr(self, attr_name, value)

        def has_attr(self, attr_name: str) -> bool:
            return attr_name == "action_masks" or hasattr(self, attr_name)

        def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
            del args, indices, kwargs
            return [masks] if method_name == "action_masks" else []  # all games in one block, which SB3 accepts

        def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
            del wrapper_class, indices
            return [False] * self.num_envs

    return Idle(model.num_envs, model.observation_space, model.action_space)


def ppo_rate(env: Any, rollouts: int) -> Measure:
    """Learner's decisions a second of MaskablePPO, rollout and update, on one thread of PyTorch."""
    library("torch", INSTALL).set_num_threads(1)
    model = library("sb3_contrib", INSTALL).MaskablePPO("MlpPolicy", env, seed=0, n_steps=N_STEPS, **PPO)
    steps = rollouts * N_STEPS * env.num_envs
    model.learn(N_STEPS * env.num_envs)  # first calls are slower

    def rate() -> float:
        start = time.perf_counter()
        model.learn(steps, reset_num_timesteps=True)
        return float(steps / (time.perf_counter() - start))

    return rate


def rows() -> list[Row]:
    """The rows, unmeasured."""
    unit, peer = "decisions/s", "an environment that does nothing"
    return [
        Row(
            "vec-env",
            f"ResPublicaVecEnv, {NUM_ENVS} games against `random`, step and masks",
            "µs/decision",
            budget=2,
            at_most=True,
        ),
        Row("ppo-random", "MaskablePPO 64x64 against `random`", unit, peer, 0.95),
        Row("ppo-trader", "MaskablePPO 64x64 against `trader`", unit, peer, 0.9),
    ]


def measure(wanted: list[Row], settings: Settings) -> None:
    """Fill the rows of `wanted`."""
    for row in wanted:
        try:
            _measure(row, settings)
        except MissingError as reason:
            row.without("library missing", str(reason))


def _measure(row: Row, settings: Settings) -> None:
    from respublica_env.engine.bots import BOT_NAMES

    opponents = "trader" if row.name == "ppo-trader" else "random"
    if importlib.util.find_spec("respublica_env.sb3") is None or opponents not in BOT_NAMES:
        row.without("not built yet", "")
    elif row.name == "vec-env":
        row.fill(take_turns({"": vec_env_time(settings.seconds)}, settings.repetitions)[""])
    elif not settings.full:
        row.without("not measured", "trains for minutes: run with --full")
    else:
        envs = _make_env(opponents), idle_env(_make_env(opponents))
        subject, peer = (ppo_rate(env, rollouts=2) for env in envs)
        figures = take_turns({"subject": subject, "peer": peer}, settings.repetitions)
        row.fill(figures["subject"], figures["peer"])
        row.note = "n_steps 64, batch 2,048, 4 epochs, one PyTorch thread"
