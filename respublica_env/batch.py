"""`Batch`: many games at once, each a row of one array."""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from threading import Lock
from typing import Any, SupportsIndex, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from respublica_env.actions import IllegalAction
from respublica_env.arguments import array_of, checked_seeds, number_of_threads, whole_number, whole_numbers
from respublica_env.engine import batch as loops
from respublica_env.engine._jit import COMPILED
from respublica_env.engine.bots import BOT_NAMES, NUM_BOTS, traders_among
from respublica_env.engine.crew import Crew
from respublica_env.engine.room import room_for_runs
from respublica_env.engine.state import ACTIVE, OVER, PHASE, PLAYER, ROW_SIZE, STALLED, make_shares, make_spec
from respublica_env.game import Game
from respublica_env.rows import check_rows
from respublica_env.rules import Rules, shown
from respublica_env.seeding import check_seed, given_seed, given_seeds

Method = TypeVar("Method", bound=Callable[..., Any])


def _alone(method: Method) -> Method:
    """A method during which no other such method of the same batch may run."""

    @wraps(method)
    def guarded(self: "Batch", *args: Any, **keywords: Any) -> Any:
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("this batch is at work already, for another thread or under a signal handler")
        try:
            return method(self, *args, **keywords)
        finally:
            self._busy.release()

    return cast(Method, guarded)


class Batch:
    """`num_games` games of the same rules, stepped together. A batch is for one thread at a time.

    Args:
        rules: a Rules, a dict of its fields, or a preset's name; None is the published game for 4.
        num_games: B, at least 1.
        seed: game `i` has the seed `seed + i` and equals `Game(rules, seed=seed + i)`. None takes entropy from the
            system; what it took is in `.seed`.
        threads: how many threads share the work of `step`, at most 1024. The bytes do not depend on it. The first batch
            with several compiles its loop once more.
        controllers: who plays each seat, see the attribute; None is a caller everywhere.

    Attributes:
        rules, num_games, seed, threads: as given.
        player: int64 `(B,)`, the seat to decide, -1 when the game is over.
        observations: float32 `(B, D)`, of the players to decide (of seat 0 when the game is over).
        action_masks: int8 `(B, A)`, of the players to decide; all 0 when the game is over.
        controllers: int8 `(B, n)`: -1 a caller, else the number of a compiled bot (`BOT_NAMES` in order), which then
            plays that seat inside `step` and `reset`. May be written at any time; it counts from the next call on.

    `player`, `observations` and `action_masks` are written in place by `step` and `reset`: copy what must outlive
    the next call. `action_masks` is a read-only view, for `step` trusts it.
    """

    def __init__(
        self,
        rules: Rules | Mapping[str, Any] | str | None = None,
        num_games: SupportsIndex = 1,
        seed: SupportsIndex | None = None,
        threads: SupportsIndex = 1,
        controllers: ArrayLike | None = None,
    ) -> None:
        self.rules = Rules.of(rules)
        self.num_games = whole_number("num_games", num_games, 1)
        self.threads = number_of_threads(threads)
        self.seed = check_seed(seed, self.num_games)
        self._allocate()
        if controllers is not None:
            self.controllers = controllers
        self.reset(seeds=self.seed)

    def _allocate(self) -> None:
        size = self.num_games
        self._spec = make_spec(self.rules)
        self._shares = make_shares(self.rules)
        self._busy = Lock()
        crew = min(self.threads, size)
        self._shared = COMPILED and crew > 1  # plain Python has nothing to share: the GIL lets one thread run
        self._crew = Crew(crew)
        self._runs = room_for_runs(crew)
        self._rows: NDArray[np.int16] = np.zeros((size, self._spec[ROW_SIZE]), np.int16)  # (B, row)
        self._seeds: NDArray[np.uint64] = np.zeros(size, np.uint64)  # (B,)
        self._controllers: NDArray[np.int8] = np.full((size, self.rules.num_players), -1, np.int8)  # (B, n)
        self._player: NDArray[np.int64] = np.zeros(size, np.int64)  # (B,)
        self._observations: NDArray[np.float32] = np.zeros((size, self.rules.observation_size), np.float32)  # (B, D)
        self._masks: NDArray[np.int8] = np.zeros((size, self.rules.num_actions), np.int8)  # (B, A)
        self._shown_masks = self._masks.view()
        self._shown_masks.setflags(write=False)

    # Without setters: the engine writes to where these arrays are, whatever somebody would put in their place.

    @property
    def player(self) -> NDArray[np.int64]:
        """The seat to decide in each game, -1 when it is over, int64 `(B,)`."""
        return self._player

    @property
    def observations(self) -> NDArray[np.float32]:
        """What the players to decide see, float32 `(B, D)`."""
        return self._observations

    @property
    def action_masks(self) -> NDArray[np.int8]:
        """What the players to decide may do, int8 `(B, A)`, a read-only view."""
        return self._shown_masks

    @property
    def controllers(self) -> NDArray[np.int8]:
        """Who plays each seat, int8 `(B, n)`: -1 a caller, else the number of a compiled bot."""
        return self._controllers

    @controllers.setter
    def controllers(self, value: ArrayLike) -> None:
        shape = self._controllers.shape
        given = array_of(value, "controllers must be")
        try:
            everywhere = np.broadcast_to(given, shape)
        except ValueError:
            everywhere = None
        if everywhere is None or given.dtype.kind not in "iu":
            accepted = f"controllers must be whole numbers of shape {shape}, or one for each seat"
            raise ValueError(f"{accepted}, got {given.dtype} of shape {given.shape}")
        self._check_controllers(given)
        self._controllers[:] = everywhere

    def _check_controllers(self, controllers: NDArray[Any]) -> None:
        if controllers.min() < -1 or controllers.max() >= NUM_BOTS:
            bots = ", ".join(f"{number} {name}" for number, name in enumerate(BOT_NAMES))
            wrong = controllers[(controllers < -1) | (controllers >= NUM_BOTS)].flat[0]
            raise ValueError(f"controllers must be -1 (a caller) or the number of a bot ({bots}), got {wrong}")

    @_alone
    def step(self, actions: ArrayLike) -> None:
        """Play one decision in every game that is not over, and on to the next decision of a caller's seat.

        Args:
            actions: whole numbers `(B,)`. Ignored are those of finished games, and of games in which a bot is to act.

        Raises IllegalAction, naming game and action, or ValueError for a wrong shape or dtype; no game has changed.
        """
        chosen = whole_numbers("actions must be", actions, (self.num_games,))
        if self._shared:
            self._lay_out(loops.STEP, chosen)
        wrong, most = self._first_illegal(chosen)
        if wrong == -2:
            self._check_controllers(self._controllers)
        if wrong >= 0:
            raise IllegalAction(f"game {wrong}: {self.game(wrong).why_illegal(int(chosen[wrong]))}")
        self._run(loops.STEP, chosen, most)

    def _first_illegal(self, actions: NDArray[np.int64]) -> tuple[int, int]:
        """What `first_illegal` finds in all rows."""
        if self._shared:
            self._crew.share(loops.check_chunk, self.num_games)
            return loops.first_found(self._crew.desk)
        return loops.first_illegal(self._spec, self._rows, self._masks, self._controllers, actions, 0, self.num_games)

    def _run(self, mode: int, actions: NDArray[np.int64], most: int | None = None) -> None:
        """Run `step_rows` over all rows, in as many threads as there are.

        most: the highest controller, from `_first_illegal`, before which the arguments were laid out.
        """
        traders = traders_among(self._controllers.max() if most is None else most)
        if self._shared:
            if most is None:
                self._lay_out(mode, actions)
            self._crew.share(loops.step_chunk if traders is None else loops.step_chunk_with_traders, self.num_games)
            return
        loops.step_rows(
            self._spec,
            self._shares,
            self._rows,
            self._runs[0],
            self._controllers,
            actions,
            self.player,
            self.observations,
            self._masks,
            traders,
            mode,
            0,
            self.num_games,
        )

    def _lay_out(self, mode: int, actions: NDArray[np.int64]) -> None:
        """Put the arguments of the next task before the threads."""
        loops.lay_out(
            self._crew.desk,
            self._spec,
            self._shares,
            self._rows,
            self._runs,
            self._controllers,
            actions,
            self.player,
            self.observations,
            self._masks,
            mode,
        )

    @_alone
    def reset(self, which: ArrayLike | None = None, seeds: SupportsIndex | Iterable[int] | None = None) -> None:
        """Begin new games, and play on to the first decision of a caller's seat.

        Args:
            which: the games, as a bool mask `(B,)` or as whole numbers; None is all.
            seeds: one for each of those games in the order in which `which` names them; a single number `s` gives game
                `i` the seed `s + i`; None lets each row go on in its own streams, so that it never replays a
                neighbour's game.

        Raises ValueError before anything has changed.
        """
        rows = self._which(which)
        self._check_controllers(self._controllers)
        if seeds is not None:
            self._seed_rows(rows, self._seed_words(seeds, rows))
        loops.shuffle_rows(self._spec, self._rows, rows)
        loops.set_up_rows(self._spec, self._rows, rows)
        begun = np.zeros(self.num_games, np.int64)
        begun[rows] = 1
        self._run(loops.BEGIN, begun)

    @_alone
    def end(self, which: ArrayLike) -> None:
        """Break games off where they stand: they are over, no card moves and no random stream goes on.

        Args:
            which: the games, as for `reset`; those that are over stay as they are.

        Raises ValueError before anything has changed.
        """
        rows = self._which(which)
        rows = rows[self._rows[rows, PHASE] != OVER]
        self._rows[rows, PHASE] = OVER
        self._rows[rows, ACTIVE] = self._rows[rows, PLAYER] = -1
        self._run_some(loops.SHOW, rows, rows)

    def _run_some(self, mode: int, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """`_run` over the games of `rows` only, with an action for each of them: int64 `(k,)`, both."""
        if len(rows) == self.num_games:
            self._run(mode, actions)
            return
        part, player = self._rows[rows], self.player[rows]
        observations, masks = self.observations[rows], self._masks[rows]
        loops.step_rows(
            self._spec,
            self._shares,
            part,
            self._runs[0],
            self._controllers[rows],
            actions,
            player,
            observations,
            masks,
            traders_among(self._controllers[rows].max(initial=-1)),
            mode,
            0,
            len(rows),
        )
        self._rows[rows], self.player[rows] = part, player
        self.observations[rows], self._masks[rows] = observations, masks

    def _which(self, which: ArrayLike | None) -> NDArray[np.int64]:
        if which is None:
            return np.arange(self.num_games)
        given = array_of(which, "which must be a bool mask or")
        if given.dtype == bool and given.shape == (self.num_games,):
            return np.flatnonzero(given)
        if given.size == 0:
            return np.zeros(0, np.int64)
        rows = given.astype(np.int64).reshape(-1) if given.dtype.kind in "iu" and given.ndim <= 1 else None
        if rows is None or rows.min() < 0 or rows.max() >= self.num_games or len(np.unique(rows)) != len(rows):
            raise ValueError(
                f"which must be a bool mask of shape ({self.num_games},) or different games from 0 to "
                f"{self.num_games - 1}, got {shown(which)}"
            )
        return rows

    def _seed_words(self, seeds: SupportsIndex | Iterable[int], rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        several = isinstance(seeds, Iterable) and not isinstance(seeds, (str, bytes, Mapping))
        if several and getattr(seeds, "ndim", 1) > 0:  # an array without dimensions is a single number
            return np.array(given_seeds(cast(Iterable[int], seeds), len(rows)), np.uint64)
        first = given_seed(cast(SupportsIndex, seeds), self.num_games)
        return np.uint64(first) + rows.astype(np.uint64)

    def _seed_rows(self, rows: NDArray[np.int64], words: NDArray[np.uint64]) -> None:
        """Start the random streams of `rows` anew from `words`, uint64 `(k,)`."""
        self._seeds[rows] = words
        loops.seed_rows(self._spec, self._rows, rows, words)

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """From which seed the random streams of each game were started last, uint64 `(B,)`, a copy."""
        return self._seeds.copy()

    @property
    def scores(self) -> NDArray[np.int64]:
        """Points, int64 `(B, n)`, with the pairs in hand as they stand."""
        return self._points(loops.score_rows)

    @property
    def points(self) -> NDArray[np.int64]:
        """Points made so far with cities and monuments, int64 `(B, n)`."""
        return self._points(loops.points_rows)

    def _points(self, loop: Callable[..., None]) -> NDArray[np.int64]:
        out = np.empty((self.num_games, self.rules.num_players), np.int64)
        loop(self._spec, self._rows, out)
        return out

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Which games are over, bool `(B,)`."""
        return self._rows[:, PHASE] == OVER

    @property
    def stalled(self) -> NDArray[np.bool_]:
        """Which games have stalled, bool `(B,)`."""
        return self._rows[:, STALLED] == 1

    def game(self, index: SupportsIndex) -> Game:
        """Game `index` as a `Game` of its own, a copy with its random streams."""
        i = whole_number("game", index, 0)
        if i >= self.num_games:
            raise ValueError(f"game must be from 0 to {self.num_games - 1}, got {i}")
        return Game._from_row(self.rules, self._rows[i], int(self._seeds[i]))

    def observe(self, seats: ArrayLike) -> NDArray[np.float32]:
        """The observations of any seats, one for each game: whole numbers `(B,)` to float32 `(B, D)`."""
        given = whole_numbers("seats must be", seats, (self.num_games,))
        if given.min() < 0 or given.max() >= self.rules.num_players:
            raise ValueError(f"seats must be from 0 to {self.rules.num_players - 1}, got {shown(seats)}")
        out = np.empty_like(self.observations)
        loops.observe_rows(self._spec, self._shares, self._rows, given, out)
        return out

    def get_state(self) -> dict[str, Any]:
        """Everything that decides how the games go on, random streams too: a dict of arrays and plain values."""
        return {
            "rules": self.rules.to_dict(),
            "seed": self.seed,
            "seeds": self.seeds,
            "rows": self._rows.copy(),
            "controllers": self._controllers.copy(),
        }

    @_alone
    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go back to what `get_state` returned.

        Raises ValueError, and nothing has changed, for a state of other rules or another size, or one whose rows hold
        what no game can be (see rows.py: numbers out of range, cards that do not add up, nobody who can act).
        """
        if not isinstance(state, Mapping):
            raise ValueError(f"a state is a dict of rules, seed, rows and controllers, got {shown(state)}")
        missing = {"rules", "seed", "rows", "controllers"} - set(state)
        if missing:
            raise ValueError(f"a state holds rules, seed, rows and controllers; missing: {', '.join(sorted(missing))}")
        if Rules.of(state["rules"]) != self.rules:
            raise ValueError(f"the state is of other rules: {state['rules']}, this batch plays {self.rules.to_dict()}")
        rows, controllers = np.asarray(state["rows"]), np.asarray(state["controllers"])
        if rows.shape != self._rows.shape or rows.dtype != self._rows.dtype:
            raise ValueError(
                f"the state has rows {rows.dtype} {rows.shape}, this batch {self._rows.dtype} {self._rows.shape}"
            )
        if controllers.shape != self._controllers.shape or controllers.dtype.kind not in "iu":
            raise ValueError(
                f"controllers must be whole numbers of the shape {self._controllers.shape}, "
                f"got {controllers.dtype} of the shape {controllers.shape}"
            )
        self._check_controllers(controllers)
        seed = given_seed(state["seed"], self.num_games)
        seeds = checked_seeds(state.get("seeds"), seed, self.num_games)
        check_rows(self.rules, rows)
        self.seed = seed
        self._seeds[:] = seeds
        self._rows[:] = rows
        self._controllers[:] = controllers
        self._run(loops.SHOW, self.player)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.get_state(), "threads": self.threads}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.rules = Rules.of(state["rules"])
        self.num_games = len(state["rows"])
        self.threads = number_of_threads(state["threads"])
        self._allocate()
        self.set_state(state)
