"""What the recipes play on: `raw_env` that counts what is sent to it, and the check at the end.

The counters belong to the class, because libraries build, wrap and copy environments as they like.
"""

import argparse
from typing import ClassVar, SupportsIndex

from respublica_env.respublica_v0 import RawEnv


class CountedEnv(RawEnv):
    """`raw_env`, in which each action is held against the game's own mask before it is carried out.

    The observation's mask plays no part in that: it is what is on trial, after all that a library has done to it.
    """

    sent: ClassVar[int] = 0
    illegal: ClassVar[int] = 0

    def step(self, action: SupportsIndex | None) -> None:
        """Count, then step; an illegal action raises IllegalAction as well, whatever a library makes of it."""
        if not self.terminations.get(self.agent_selection, True):
            CountedEnv.sent += 1
            CountedEnv.illegal += action not in self.game.legal_actions()
        super().step(action)


def steps_wanted() -> int:
    """`--steps` of the command line: decisions in the environment, all seats together."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2000)
    return int(parser.parse_args().steps)


def check(library: str, steps: int, updates: int) -> None:
    """Assert that the library played `steps` decisions, learnt from them, and never sent an illegal action."""
    assert CountedEnv.sent >= steps, f"{library} sent {CountedEnv.sent} actions, {steps} were asked for"
    assert CountedEnv.illegal == 0, f"{library} sent {CountedEnv.illegal} illegal actions of {CountedEnv.sent}"
    assert updates > 0, f"{library} never updated its network"
    print(f"{library}: {CountedEnv.sent} actions, none illegal, {updates} updates")
