"""`Game`: one game, readable; a thin face over one row of the batch engine."""

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from respublica_env.actions import IllegalAction, action_table
from respublica_env.decks import check_deck, check_deck_name
from respublica_env.engine import batch as loops
from respublica_env.engine.bots import BOT_NAMES
from respublica_env.engine.determinize import determinize
from respublica_env.engine.room import room_for_runs
from respublica_env.engine.state import (
    ACTIVE,
    BUILDERS,
    BUILT,
    CITIES,
    DECKS,
    FINAL_ROUND,
    HANDS,
    KNOWN,
    OVER,
    PHASE,
    PILE,
    POPULATION_CARDS,
    POPULATION_DRAWN,
    ROW_SIZE,
    SPENT,
    STALLED,
    STREAMS,
    TECHNOLOGY_DRAWN,
    make_shares,
    make_spec,
    turns_completed,
)
from respublica_env.explain import why_illegal
from respublica_env.observation import PHASE_NAMES
from respublica_env.position import row_to_dict
from respublica_env.position_reader import row_from_dict
from respublica_env.rules import Rules, shown, whole
from respublica_env.seeding import check_seed, given_seed


class Game:
    """One game of Res Publica.

    Args:
        rules: a Rules, a dict of its fields, or a preset's name; None is the published game for 4.
        seed: a whole number from 0 to 2^63 - 1; None takes entropy from the system (what it took is in `.seed`).
        population_deck, technology_deck: card types in the order of drawing, before the deal; a deck not given is
            shuffled from the seed.

    Raises ValueError for rules, a seed or a deck that cannot be.
    """

    def __init__(
        self,
        rules: Rules | Mapping[str, Any] | str | None = None,
        seed: SupportsIndex | None = None,
        *,
        population_deck: Iterable[int] | None = None,
        technology_deck: Iterable[int] | None = None,
    ) -> None:
        self._allocate(Rules.of(rules))
        self.seed = check_seed(seed)
        given = {"population": population_deck, "technology": technology_deck}
        decks = [None if deck is None else check_deck(self.rules, name, deck) for name, deck in given.items()]
        self._start_streams()
        self._deal(*decks)

    def reset(self, seed: SupportsIndex | None = None) -> None:
        """A new game: dealt as `Game(rules, seed)` deals, or, without a seed, from where its own deck stream stands."""
        if seed is not None:
            self.seed = check_seed(seed)
            self._start_streams()
        self._deal()

    def _start_streams(self) -> None:
        loops.seed_rows(self._spec, self._rows, _ONLY, np.array([self.seed], np.uint64))

    def _allocate(self, rules: Rules) -> None:
        self.rules = rules
        self._spec = make_spec(rules)
        self._shares = make_shares(rules)
        self._rows: NDArray[np.int16] = np.zeros((1, self._spec[ROW_SIZE]), np.int16)
        self._row = self._rows[0]
        self._runs = room_for_runs()[0]
        self._controllers = np.full((1, rules.num_players), -1, np.int8)
        self._action = np.zeros(1, np.int64)
        self._player = np.zeros(1, np.int64)
        self._observations = np.zeros((1, rules.observation_size), np.float32)
        # Of the player to decide; never handed out, so that it can be trusted to say what is legal.
        self._masks = np.zeros((1, rules.num_actions), np.int8)
        self._observation, self._mask = self._observations[0], self._masks[0]  # views, made once

    def _deal(self, population: list[int] | None = None, technology: list[int] | None = None) -> None:
        """A new game from the row's own streams, with given decks where there are any."""
        loops.shuffle_rows(self._spec, self._rows, _ONLY)  # even where decks are given: the streams do not depend on it
        start, middle = int(self._spec[DECKS]), int(self._spec[DECKS] + self._spec[POPULATION_CARDS])
        if population is not None:
            self._row[start:middle] = population
        if technology is not None:
            self._row[middle : middle + len(technology)] = technology
        loops.set_up_rows(self._spec, self._rows, _ONLY)
        self._action[0] = 1
        self._run(loops.BEGIN)

    def _run(self, mode: int) -> None:
        """Play the row on with `self._action`, and bring player, observation and mask up to it."""
        loops.step_rows(
            self._spec,
            self._shares,
            self._rows,
            self._runs,
            self._controllers,
            self._action,
            self._player,
            self._observations,
            self._masks,
            mode,
            0,
            1,
        )

    @classmethod
    def _from_row(cls, rules: Rules, row: NDArray[np.int16], seed: int) -> "Game":
        game = cls.__new__(cls)
        game._allocate(rules)
        game.seed = seed
        game._row[:] = row
        game._show()
        return game

    def _show(self) -> None:
        """Bring player, observation and mask up to the row."""
        self._run(loops.SHOW)

    # -- what everybody sees

    @property
    def phase(self) -> str:
        """The phase by name: one of `observation.PHASE_NAMES`, "OVER" at the end."""
        return PHASE_NAMES[self._row[PHASE]]

    @property
    def active(self) -> int | None:
        """Seat of the active player (in FINAL_CONVERT: of the one who converts); None when the game is over."""
        return None if self._row[ACTIVE] < 0 else int(self._row[ACTIVE])

    @property
    def player(self) -> int | None:
        """Seat to decide; None when the game is over."""
        player = self._player.item()
        return None if player < 0 else player

    @property
    def turn(self) -> int:
        """Turns completed."""
        return int(turns_completed(self._row))

    @property
    def final_round(self) -> bool:
        """Whether the final round has begun."""
        return bool(self._row[FINAL_ROUND])

    @property
    def terminated(self) -> bool:
        """Whether the game is over."""
        return bool(self._row[PHASE] == OVER)

    @property
    def stalled(self) -> bool:
        """Whether `max_turns` ended the game before a final round began."""
        return bool(self._row[STALLED])

    @property
    def cities(self) -> list[int]:
        """Cities of each seat."""
        return self._block(CITIES, self.rules.num_players).tolist()

    @property
    def monuments(self) -> list[list[int]]:
        """Points of the monuments of each seat, in the order built."""
        built: list[list[int]] = [[] for _ in range(self.rules.num_players)]
        for i, builder in enumerate(self._block(BUILDERS, int(self._row[BUILT]))):
            built[builder].append(int(self._spec[PILE + i]))
        return built

    @property
    def spent(self) -> NDArray[np.int64]:
        """Cards out of the game by type, int64 `(K,)`, a copy."""
        return self._block(SPENT, self.rules.num_types).astype(np.int64)

    def scores(self) -> list[int]:
        """Points of each seat, with the pairs in hand as they stand."""
        return self._points(loops.score_rows)

    def points(self) -> list[int]:
        """Points that each seat has made so far with cities and monuments."""
        return self._points(loops.points_rows)

    def _points(self, loop: Callable[..., None]) -> list[int]:
        out = np.empty((1, self.rules.num_players), np.int64)
        loop(self._spec, self._rows, out)
        return [int(points) for points in out[0]]

    # -- what is hidden

    @property
    def hands(self) -> NDArray[np.int64]:
        """Cards in hand by seat and type, int64 `(n, K)`, a copy."""
        n, types = self.rules.num_players, self.rules.num_types
        return self._row[HANDS : HANDS + n * types].reshape(n, types).astype(np.int64)

    @property
    def population_deck(self) -> list[int]:
        """What is left of the population deck, next card first."""
        return self._deck("population").tolist()

    @property
    def technology_deck(self) -> list[int]:
        """What is left of the technology deck, next card first."""
        return self._deck("technology").tolist()

    def _deck(self, name: str) -> NDArray[np.int16]:
        """The cards left, a view of the row."""
        start = int(self._spec[DECKS])
        middle = start + int(self._spec[POPULATION_CARDS])
        if name == "population":
            return self._row[start + self._row[POPULATION_DRAWN] : middle]
        return self._row[middle + self._row[TECHNOLOGY_DRAWN] : self._spec[STREAMS]]

    def known(self, observer: int | None) -> NDArray[np.int64]:
        """What `observer` is sure that each seat holds, int64 `(n, K)`, its own row all 0; None: the spectator."""
        n, types = self.rules.num_players, self.rules.num_types
        seat = n if observer is None else self._check_seat(observer)
        known = self._block(KNOWN, (n + 1) * n * types).reshape(n + 1, n, types)
        return known[seat].astype(np.int64)

    def _block(self, place: int, size: int) -> NDArray[np.int16]:
        start = int(self._spec[place])
        return self._row[start : start + size]

    def _check_seat(self, seat: SupportsIndex) -> int:
        try:
            number = whole(seat)
        except TypeError:
            number = -1
        if not 0 <= number < self.rules.num_players:
            raise ValueError(f"seat must be from 0 to {self.rules.num_players - 1}, got {shown(seat)}")
        return number

    # -- what a player sees and does

    def observation(self, seat: SupportsIndex) -> NDArray[np.float32]:
        """The observation of any seat at any time, float32 `(D,)`, a copy."""
        player = self._player.item()
        chosen = seat if type(seat) is int and seat == player else self._check_seat(seat)
        if chosen == player:
            return self._observation.copy()
        out = np.empty_like(self._observations)
        loops.observe_rows(self._spec, self._shares, self._rows, np.array([chosen]), out)
        return out[0]

    def action_mask(self) -> NDArray[np.int8]:
        """Legal actions of the player to decide, int8 `(A,)`, a copy; all 0 when the game is over."""
        return self._mask.copy()

    def legal_actions(self) -> NDArray[np.int64]:
        """Ids of the legal actions, int64, rising."""
        return np.flatnonzero(self._mask)

    def step(self, action: SupportsIndex) -> None:
        """Play one decision, and on to the next that leaves a choice (with `auto_forced`; else to the next).

        Raises IllegalAction, saying the action in words and why; nothing has changed.
        """
        try:
            number = operator.index(action)
            legal = (
                0 <= number < self.rules.num_actions
                and self._mask[number] == 1
                and not isinstance(action, (bool, np.bool_))
            )
        except TypeError:
            legal = False
        if not legal:
            raise IllegalAction(self.why_illegal(action))
        self._action[0] = number
        self._run(loops.STEP)

    def why_illegal(self, action: Any) -> str:
        """One sentence: the action in words, why it is illegal now, and what is legal; for a legal one it says so."""
        return why_illegal(self, action)

    def describe(self, action: SupportsIndex) -> str:
        """An action in words, such as "offer 2 Roman"."""
        return action_table(self.rules).describe(action)

    def parse(self, words: str) -> int:
        """The id of an action said in words; reads what `describe` says. ValueError says what is accepted."""
        return action_table(self.rules).parse(words)

    def play_bot(self, bot: str) -> int:
        """Let a compiled bot take the present decision; returns the action it chose. It uses its seat's stream."""
        if not isinstance(bot, str) or bot not in BOT_NAMES:
            raise ValueError(f"no compiled bot is named {shown(bot)}; there are: {', '.join(BOT_NAMES)}")
        if self.terminated:
            raise IllegalAction("the game is over")
        action = int(loops.choose_row(self._spec, self._row, self._runs, BOT_NAMES.index(bot)))
        self.step(action)
        return action

    # -- copies, positions, other worlds

    def copy(self) -> "Game":
        """The same position with the same random streams, sharing nothing."""
        return Game._from_row(self.rules, self._row, self.seed)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {"rules": self.rules.to_dict(), "seed": self.seed, "row": self._row.copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._allocate(Rules.of(state["rules"]))
        self.seed = state["seed"]
        self._row[:] = state["row"]
        self._show()

    def to_dict(self) -> dict[str, Any]:
        """The full position, hidden cards and random streams too, of JSON types only."""
        return {"rules": self.rules.to_dict(), "seed": self.seed, **row_to_dict(self.rules, self._row)}

    @classmethod
    def from_dict(cls, position: Mapping[str, Any]) -> "Game":
        """A game from `to_dict`; ValueError with the reason for a position that cannot be.

        Without "streams" the random streams start from "seed", and without that from seed 0.
        """
        if not isinstance(position, Mapping) or "rules" not in position:
            raise ValueError(f"a position is a dict with the key 'rules', got {type(position).__name__}")
        rules = Rules.of(position["rules"])
        seed = given_seed(position.get("seed", 0))
        return cls._from_row(rules, row_from_dict(rules, position, seed), seed)

    def determinize(self, seat: SupportsIndex, rng: np.random.Generator) -> "Game":
        """A position that `seat` could believe it is in: hidden cards dealt anew (RULES, section 9).

        All random streams of the result are drawn from `rng`: neither they nor its `.seed` tell of this game's.
        """
        chosen = self._check_seat(seat)
        if not isinstance(rng, np.random.Generator):
            raise ValueError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
        word = int(rng.integers(2**63))
        world = Game._from_row(self.rules, self._row, word)
        determinize(self._spec, world._row, chosen, np.uint64(word))
        world._show()
        return world

    def set_next(self, deck: str, card: SupportsIndex) -> None:
        """Make `card` the next of "population" or "technology": the first such card is swapped up from below.

        ValueError when the deck has no such card left; nothing has changed.
        """
        cards = self._deck(check_deck_name(deck))
        try:
            places = np.flatnonzero(cards == whole(card))
        except TypeError:
            places = np.zeros(0, np.int64)
        if len(places) == 0:
            left = sorted(set(cards.tolist()))
            raise ValueError(f"the {deck} deck has no card of type {shown(card)} left; it has {left}")
        below = places[0]
        cards[0], cards[below] = cards[below], cards[0]

    def __repr__(self) -> str:
        who = "" if self.player is None else f", player {self.player} to decide"
        return f"<Game of {self.rules.num_players}: {self.phase}, turn {self.turn}{who}>"


_ONLY = np.zeros(1, np.int64)
