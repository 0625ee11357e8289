"""The door for Stable-Baselines3: `ResPublicaVecEnv`, which `sb3_contrib.MaskablePPO` takes as it is."""

try:
    import stable_baselines3  # noqa: F401  (named here so that its absence is told plainly)
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "respublica_env.sb3 needs Stable-Baselines3: pip install 'respublica-env[train]'", name=error.name
    ) from error

from respublica_env.envs.sb3 import ResPublicaVecEnv

__all__ = ["ResPublicaVecEnv"]
