"""Games small enough to be looked at whole: how much the best possible opponent wins from a policy, and solvers.

The tree is that of `respublica_env.envs.efg`, on which OpenSpiel's exact algorithms run in C++. A policy is written as
OpenSpiel's tabular policies are: for each information set the probability of each action. Exploitability is what a
best response wins, on average over both seats, beyond the value of the game: 0 for a solution. With reward "win" it is
in shares of the win: the best response has 1/2 plus the exploitability.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents import Agent, GameAgent, ObservationAgent, PolicyAgent, RandomAgent
from respublica_env import Rules
from respublica_env.envs.chance import Moment
from respublica_env.envs.efg import game_tree

MOST_NODES = 300_000
REWARDS = ("win", "margin")  # the zero-sum ones
SAMPLES = 32

Table = dict[str, list[tuple[int, float]]]  # by information set: actions as the tree numbers them, probabilities
Probabilities = Callable[[Sequence[Moment]], list[NDArray[np.float64]]]  # of the legal actions of each moment


class Solver(NamedTuple):
    """An algorithm of OpenSpiel.

    Attributes:
        words: what it is.
        name: of its class there.
        step: the name of its method for one iteration.
        whole: whether an iteration goes through the whole tree; otherwise it samples, and takes a seed.
    """

    words: str
    name: str
    step: str
    whole: bool

    def make(self, game: Any, seed: int) -> Any:
        """Ready for its first iteration; its `average_policy()` lives as long as it does."""
        kind = getattr(open_spiel(), self.name)
        return kind(game) if self.whole else kind(game, seed=seed)


SOLVERS = {
    "cfr": Solver("CFR", "CFRSolver", "evaluate_and_update_policy", whole=True),
    "cfr+": Solver("CFR+", "CFRPlusSolver", "evaluate_and_update_policy", whole=True),
    "mccfr": Solver("MCCFR, external sampling", "ExternalSamplingMCCFRSolver", "run_iteration", whole=False),
    "mccfr-outcome": Solver("MCCFR, outcome sampling", "OutcomeSamplingMCCFRSolver", "run_iteration", whole=False),
}


def open_spiel() -> Any:
    """OpenSpiel's module; ValueError where it is not installed."""
    try:
        import pyspiel
    except ImportError as error:
        raise ValueError(f"OpenSpiel is needed ({error}): pip install 'respublica-env[openspiel]'") from None
    return pyspiel


class ExactGame:
    """The whole tree of a game for two.

    Args:
        rules: for two players.
        reward: "win" or "margin".

    Attributes:
        game: OpenSpiel's `efg_game`.
        tree: what is in it.
        moments: a node of each information set, by the set's name.
        actions: how the tree numbers the legal actions of each information set, in the order of `moment.legal`.

    Raises ValueError for other games, and for trees of more than MOST_NODES nodes.
    """

    def __init__(self, rules: Rules, reward: str = "win") -> None:
        check_exact(rules, reward)
        self._spiel = open_spiel()
        self.rules, self.reward = rules, reward
        self.tree = game_tree(rules, reward, most_nodes=MOST_NODES)
        self.game = self._spiel.load_efg_game(self.tree.text)
        self.moments: dict[str, Moment] = {
            f"{player}-{player}-{number}-": moment
            for player, moments in enumerate(self.tree.moments)
            for number, moment in enumerate(moments, 1)
        }
        unlearnt = self._spiel.CFRSolver(self.game).tabular_average_policy().policy_table()
        self.actions: dict[str, list[int]] = {name: [action for action, _ in unlearnt[name]] for name in self.moments}

    def table(self, probabilities: Probabilities) -> Table:
        """A policy as a table."""
        found = probabilities(list(self.moments.values()))
        return {
            name: list(zip(self.actions[name], each.tolist(), strict=True))
            for name, each in zip(self.moments, found, strict=True)
        }

    def exploitability(self, policy: Any) -> float:
        """Of a table, or of a policy of OpenSpiel."""
        return float(self._spiel.exploitability(self.game, policy))

    def value_against(self, policy: Mapping[str, Any], other: Any) -> float:
        """What a table earns against a policy of OpenSpiel, on average over both seats."""
        mine, root = self._spiel.TabularPolicy(policy), self.game.new_initial_state()
        first = self._spiel.expected_returns(root, [mine, other], -1, False)[0]
        second = self._spiel.expected_returns(root, [other, mine], -1, False)[1]
        return float(first + second) / 2

    def value(self, policy: Any) -> float:
        """What the first seat earns when both play a policy of OpenSpiel."""
        return float(self._spiel.expected_returns(self.game.new_initial_state(), policy, -1, False)[0])


def check_exact(rules: Rules, reward: str) -> None:
    """ValueError unless exploitability is defined: for two players and zero-sum rewards."""
    if rules.num_players != 2:
        raise ValueError(f"the rules must be for 2 players, got {rules.num_players}")
    if reward not in REWARDS:
        raise ValueError(f"reward must be one of {', '.join(REWARDS)}, which are zero-sum, got {reward!r}")


def policies_of(agent: Agent, samples: int = SAMPLES, seed: int = 0) -> dict[str, Probabilities]:
    """What an agent plays, by name.

    A policy of train.ppo is two: as agents play it, always its likeliest action, and ", sampled", as it learns, every
    action with its probability. Agents that do not tell their probabilities are asked `samples` times at each
    information set; what chance they leave in it makes the best response win a little more than it would.
    """
    rng = np.random.default_rng(seed)
    if isinstance(agent, RandomAgent):
        return {agent.name: _even}
    if isinstance(agent, GameAgent):
        return {agent.name: lambda moments: [_asked(agent, moment, samples, rng) for moment in moments]}
    times = 1 if agent.deterministic else samples
    found: dict[str, Probabilities] = {agent.name: lambda moments: _acted(agent, moments, times, rng)}
    if isinstance(agent, PolicyAgent):
        found[f"{agent.name}, sampled"] = lambda moments: _softmax(agent, moments)
    return found


def _even(moments: Sequence[Moment]) -> list[NDArray[np.float64]]:
    return [np.full(len(moment.legal), 1 / len(moment.legal)) for moment in moments]


def _asked(agent: GameAgent, moment: Moment, samples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """How often it chooses what."""
    assert moment.game is not None
    chosen = [agent.choose(moment.game, moment.player, rng) for _ in range(samples)]
    return np.array([chosen.count(action) for action in moment.legal]) / samples


def _seen(moments: Sequence[Moment]) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """What the seats to decide see and may do: `(B, D)` and `(B, A)`."""
    games = [(moment.game, moment.player) for moment in moments]
    observations = np.array([game.observation(player) for game, player in games if game is not None])
    return observations, np.array([game.action_mask() for game, _ in games if game is not None])


def _acted(
    agent: ObservationAgent, moments: Sequence[Moment], times: int, rng: np.random.Generator
) -> list[NDArray[np.float64]]:
    """How often it chooses what."""
    observations, masks = _seen(moments)
    chosen = np.array([agent.act(observations, masks, rng) for _ in range(times)])  # (times, B)
    return [(chosen[:, i, None] == moment.legal).mean(axis=0) for i, moment in enumerate(moments)]


def _softmax(agent: PolicyAgent, moments: Sequence[Moment]) -> list[NDArray[np.float64]]:
    """The probabilities that its logits mean."""
    logits = agent.scores(_seen(moments)[0]).astype(np.float64)
    found = []
    for moment, row in zip(moments, logits, strict=True):
        legal = row[list(moment.legal)]
        weights = np.exp(legal - legal.max())
        found.append(weights / weights.sum())
    return found
