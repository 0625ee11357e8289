"""Conformance checks for these environments, and for what is built from them: variants and wrappers.

    from respublica_env import respublica_v0
    from respublica_env.testing import check

    check(respublica_v0.env)
    check(lambda **keywords: MyWrapper(respublica_v0.env(num_players=3, render_mode="ansi", **keywords)))

Each check takes a function that makes a new environment, and is silent or raises AssertionError with a sentence that
says what is wrong, where, and with which seed. An environment may be

- PettingZoo's: `respublica_v0.env` or `raw_env`, or wrappers around one (`unwrapped` leads to it);
- Gymnasium's, single or the native VectorEnv, or wrappers around one;
- `respublica_env.sb3.ResPublicaVecEnv`, or VecEnvWrappers around one;
- OpenSpiel's `python_respublica`: the game or its initial state;
- a `Game` or a `Batch`;
- an instance of a subclass of one of these: a variant.

Where the function takes a keyword `reward`, `check_rewards` asks for each of the three modes; else it takes what comes.
With a render mode "ansi" or "rgb_array" `check_no_leak` looks at what is rendered for a seat, too. It puts opponents of
its own in the place of those that play inside an environment. Of games side by side a few are looked at, so make few:
all checks then take seconds. They print nothing, and need no pytest.
"""

from respublica_env.testing.copies import check_copy
from respublica_env.testing.determinism import check_determinism
from respublica_env.testing.door import MakeEnv
from respublica_env.testing.leak import check_no_leak
from respublica_env.testing.mask import check_mask
from respublica_env.testing.rewards import check_rewards

__all__ = ["check", "check_copy", "check_determinism", "check_mask", "check_no_leak", "check_rewards"]


def check(make_env: MakeEnv, *, seed: int = 0, games: int = 3) -> None:
    """All checks, one after the other: mask, leak, rewards, determinism, copy.

    Args:
        make_env: makes a new environment, without arguments.
        seed: games are seeded from here on.
        games: how many are played in each check.

    Raises:
        AssertionError: for the first thing that is wrong.
        ValueError: for what is none of these environments.
    """
    for one in (check_mask, check_no_leak, check_rewards, check_determinism, check_copy):
        one(make_env, seed=seed, games=games)
