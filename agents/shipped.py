"""The trained baseline that comes with the clone: a policy for each number of players of the published game."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.policy import SHIPPED, PolicyAgent
from respublica_env import Rules

PLAYERS = (4, 3, 5)  # for which there are policies; the first is the one that was trained longest


def shipped_file(players: int) -> Path:
    """Where the policy for so many players is."""
    return SHIPPED if players == PLAYERS[0] else SHIPPED.with_stem(f"{SHIPPED.stem}-{players}")


class ShippedAgent(PolicyAgent):
    """The baseline. Its attributes are those of the policy for four players; others act where there are more or fewer.

    Raises ValueError where the file of the policy for four players is not there.
    """

    def __init__(self) -> None:
        if not SHIPPED.is_file():
            raise ValueError(
                f"the trained baseline 'ppo' is not in this clone: there is no {SHIPPED} "
                "(python -m train.ship RUN puts the policy of a run of train.ppo there)"
            )
        policies = [PolicyAgent.load(file) for file in map(shipped_file, PLAYERS) if file.is_file()]
        first = policies[0]
        super().__init__("ppo", first.rules, first.network)
        self.value_unit = first.value_unit
        self._others = policies[1:]
        for policy in self._others:
            policy.name = self.name

    def check(self, rules: Rules) -> None:
        """Raise ValueError, naming what differs, when there is no policy for these rules."""
        for policy in self._others:
            if policy.rules.num_players == rules.num_players:
                policy.check(rules)
                return
        super().check(rules)

    def _other(self, observations: NDArray[np.float32]) -> PolicyAgent | None:
        """The policy for another number of players that takes observations of this size; None for its own."""
        size = observations.shape[1]
        return next((policy for policy in self._others if policy.num_inputs == size != self.num_inputs), None)

    def _legal_scores(self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]) -> NDArray[np.float32]:
        other = self._other(observations)
        policy = super() if other is None else other
        return policy._legal_scores(observations, action_masks)

    def values(self, observations: NDArray[np.float32]) -> NDArray[np.float32] | None:
        """See `TrainedAgent`."""
        other = self._other(observations)
        return super().values(observations) if other is None else other.values(observations)
