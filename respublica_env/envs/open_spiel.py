"""Res Publica for OpenSpiel: `python_respublica`, with every card that comes to light a chance node of its own."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from respublica_env.envs.chance import NATURE, NOBODY, Moment
from respublica_env.envs.parameters import FIELDS, PILE, PRESET, rules_from
from respublica_env.envs.rewards import check_mode
from respublica_env.observation import blocks
from respublica_env.rules import Rules, shown

SHORT_NAME = "python_respublica"
REWARD = "reward"

# OpenSpiel fills in each parameter that was not given with its default, and tells nobody which. A preset needs to know:
# `preset=mini,wildcards=True` is not `preset=mini`. But it lists those given first and the others after them, each in
# the order of their names; so this name, which comes before all others, marks where the given ones end.
DEFAULTS_FOLLOW = "_defaults_follow"
PARAMETERS: dict[str, int | bool | str] = FIELDS | {PRESET: "standard", REWARD: "win", DEFAULTS_FOLLOW: True}

LONGEST = 2**31 - 1  # OpenSpiel keeps lengths in 32 bits


def max_chance_nodes(rules: Rules) -> int:
    """The most cards that come to light in a game, and so a bound on its chance nodes.

    All cards are drawn one by one and once each, dealt hands included; of the population deck, one card a turn at most.
    """
    population = rules.num_players * rules.hand_size + _most_turns(rules)
    return min(population, rules.population_types * rules.copies) + rules.technology_types * rules.copies


def max_decisions(rules: Rules) -> int:
    """A bound on the decisions of a game, forced ones included.

    A turn has ANNOUNCE, ACCEPT and DRAW, an answer of each other player, EXTEND for everyone, and one stop in CONVERT.
    In HAND_OVER each side chooses at most `max_terms * max_count` cards, both together no more than there are, and
    finishes. Sets are built while cards and supply last, and each player stops once in FINAL_CONVERT. Bounded by the
    largest number that OpenSpiel keeps (with `max_turns` above some ten million).
    """
    n = rules.num_players
    gifts = min(2 * rules.max_terms * rules.max_count, rules.num_types * rules.copies)
    a_turn = 1 + (n - 1) + n + 1 + (gifts + 2) + 1 + 1
    bound = _most_turns(rules) * a_turn + _most_cities(rules) + _most_monuments(rules) + n
    return min(bound, LONGEST - max_chance_nodes(rules))


def most_points(rules: Rules) -> int:
    """A bound on the score of a seat: all cities and monuments that the cards can pay, and all pairs."""
    pile = sum(rules.monument_points[: _most_monuments(rules)])
    pairs = rules.num_types * (rules.copies // 2)
    return _most_cities(rules) * rules.city_points + pile + pairs * rules.pair_points


def _most_turns(rules: Rules) -> int:
    """Turn `max_turns` is the last, or the one that begins the final round at the latest, which gives each one more."""
    return rules.max_turns + rules.num_players


def _most_cities(rules: Rules) -> int:
    return min(rules.num_cities, rules.population_types * (rules.copies // rules.set_size))


def _most_monuments(rules: Rules) -> int:
    return min(len(rules.monument_points), rules.technology_types * (rules.copies // rules.set_size))


def _game_type(reward: str) -> Any:
    zero_sum = reward != "points"
    return pyspiel.GameType(
        short_name=SHORT_NAME,
        long_name="Res Publica",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM if zero_sum else pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=6,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=PARAMETERS,
    )


def _game_info(rules: Rules, reward: str) -> Any:
    most = most_points(rules)
    if reward == "win":
        low, high = 0 - 1 / rules.num_players, 1 - 1 / rules.num_players
    elif reward == "points":
        low, high = 0.0, float(most)
    else:
        high = most / (rules.num_cities * rules.city_points + sum(rules.monument_points))
        low = -high
    return pyspiel.GameInfo(
        num_distinct_actions=rules.num_actions,
        max_chance_outcomes=rules.num_types,
        num_players=rules.num_players,
        min_utility=low,
        max_utility=high,
        utility_sum=None if reward == "points" else 0.0,
        max_game_length=max_decisions(rules),
    )


def given(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that were given, of what OpenSpiel hands over.

    Raises ValueError for a parameter that there is not.
    """
    unknown = [shown(name) for name in params if name not in PARAMETERS]
    if unknown:
        known = ", ".join(name for name in PARAMETERS if name != DEFAULTS_FOLLOW)
        raise ValueError(f"{SHORT_NAME} has no parameter {', '.join(unknown)}; there are: {known}")
    names = list(params)
    end = names.index(DEFAULTS_FOLLOW) if DEFAULTS_FOLLOW in params else len(names)
    # One behind the mark that differs from its default was given as well, should the order ever be another.
    kept = {name: value for i, (name, value) in enumerate(params.items()) if i < end or value != PARAMETERS[name]}
    kept.pop(DEFAULTS_FOLLOW, None)
    return kept


class ResPublicaGame(pyspiel.Game):
    """Res Publica as a game of OpenSpiel.

    Args:
        params: every field of `Rules` by name, the switches as bools, `monument_points` as text of whole numbers with
            spaces; `preset`, the name of a preset that the other fields change ("standard", "mini", "small"); and
            `reward`: "win" (zero-sum: share of the win minus 1/n), "points" (the final score) or "margin" (zero-sum:
            own score minus the mean of the others', over the most points that cities and monuments give). In a game
            string a single number of `monument_points` needs a space behind it, for OpenSpiel takes `2` as a number.

    Attributes:
        rules: the rules.
        reward: the reward mode.

    Actions are those of `respublica_env.action_table`; outcomes of chance are card types. Utilities come at the end.

    Raises ValueError for a value that is refused, naming it and what is accepted.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        kept = given(params or {})
        reward = check_mode(kept.get(REWARD, PARAMETERS[REWARD]))
        rules = rules_from({name: value for name, value in kept.items() if name != REWARD})
        first = Moment.first(rules)  # refuses what the engine cannot play, before anything else
        if PILE in kept:  # so that the string of the game reads back as text
            kept[PILE] = " ".join(map(str, rules.monument_points)) + (" " if len(rules.monument_points) == 1 else "")
        super().__init__(_game_type(reward), _game_info(rules, reward), kept)
        self.rules = rules
        self.reward = reward
        self.first = first

    def new_initial_state(self, *_: Any) -> "ResPublicaState":
        """The state before the deal."""
        return ResPublicaState(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (str(self),)  # OpenSpiel's own way to pickle a game leaves its attributes behind

    def max_chance_nodes_in_history(self) -> int:
        """A bound: as many as there are cards to come to light."""
        return max_chance_nodes(self.rules)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "ResPublicaObserver":
        """An observer of some kind of observation, by default of the tensor."""
        if not isinstance(iig_obs_type, pyspiel.IIGObservationType):  # C++ may pass the parameters in its place
            iig_obs_type, params = pyspiel.IIGObservationType(perfect_recall=False), params or iig_obs_type
        return ResPublicaObserver(self.rules, iig_obs_type, params)


class ResPublicaState(pyspiel.State):
    """A state of `python_respublica`; it holds a `Moment`, which never changes, so that a clone shares it.

    Attributes:
        moment: what stands now; `moment.game` is the wrapped `Game`.
    """

    def __init__(self, game: ResPublicaGame) -> None:
        super().__init__(game)
        self.moment = game.first
        self._reward = game.reward

    def current_player(self) -> int:
        """The seat to decide, pyspiel.PlayerId.CHANCE, or pyspiel.PlayerId.TERMINAL."""
        return self.moment.player

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.moment.legal) if player == self.moment.player else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Card types with their probabilities: cards left of the type over cards left in the deck."""
        outcomes = self.moment.outcomes()
        left = sum(count for _, count in outcomes)
        return [(card, count / left) for card, count in outcomes]

    def _apply_action(self, action: int) -> None:
        self.moment = self.moment.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        setting = self.moment.setting
        return setting.rules.type_names[action] if player == NATURE else setting.table.describe(action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.moment.player == NOBODY

    def returns(self) -> list[float]:
        """What each seat has earned: 0 until the game is over."""
        return self.moment.returns(self._reward)

    def __str__(self) -> str:
        return self.moment.story()


class ResPublicaObserver:
    """What a seat sees, as OpenSpiel's observers show it.

    With `perfect_recall`, a string alone: everything that the seat has seen and done, in order. Without, the
    observation of `Game` block by block, as tensor and string; before the deal it is all 0. While nature draws, the
    seats have not yet seen the cards. `public_info` and `private_info` choose what all see, what the seat alone sees,
    or both; blocks and words are kept apart accordingly.

    Attributes:
        tensor: float32, the chosen blocks side by side (with both kinds, `Game.observation`); None with perfect recall.
        dict: views of its blocks by name.

    Raises ValueError for an observation of all players' private information, or for parameters.
    """

    def __init__(self, rules: Rules, iig_obs_type: Any, params: Any = None) -> None:
        if params:
            raise ValueError(f"observers of {SHORT_NAME} take no parameters, got {shown(params)}")
        if iig_obs_type.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("private_info must be SINGLE_PLAYER or NONE, got ALL_PLAYERS")
        self._public = iig_obs_type.public_info
        self._private = iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._blocks = [block for block in blocks(rules) if (self._private if block.private else self._public)]
        self._divisors = [np.array(block.divisors) for block in self._blocks]
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if iig_obs_type.perfect_recall:
            return
        self.tensor = np.zeros(sum(block.length for block in self._blocks), np.float32)
        start = 0
        for block in self._blocks:
            self.dict[block.name] = self.tensor[start : start + block.length]
            start += block.length

    def set_from(self, state: ResPublicaState, player: int) -> None:
        """Bring `tensor` and `dict` up to what `player` sees in `state`."""
        if self.tensor is None:
            return
        game = state.moment.game
        if game is None:
            self.tensor[:] = 0
            return
        seen = game.observation(player)
        if len(seen) == len(self.tensor):
            self.tensor[:] = seen
            return
        for block in self._blocks:
            self.dict[block.name][:] = seen[block.start : block.stop]

    def string_from(self, state: ResPublicaState, player: int) -> str:
        """What `player` sees in `state`, as a string."""
        if self.tensor is None:
            return state.moment.told(player, self._public, self._private)
        self.set_from(state, player)
        counts = (
            (self.dict[block.name] * divisors).round().astype(int).tolist()
            for block, divisors in zip(self._blocks, self._divisors, strict=True)
        )
        lines = [f"{block.name}: {' '.join(map(str, row))}" for block, row in zip(self._blocks, counts, strict=True)]
        return "\n".join([f"player {player}"] * self._private + lines)


def register() -> None:
    """Make `python_respublica` known to OpenSpiel."""
    pyspiel.register_game(_game_type("win"), ResPublicaGame)
