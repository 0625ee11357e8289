"""From a dict to a row: a position is read chapter by chapter, and an impossible one is refused with the reason."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from respublica_env.engine.deal import seed_streams
from respublica_env.engine.legal import is_legal, legal_runs
from respublica_env.engine.room import room_for_runs
from respublica_env.engine.state import (
    ACCEPT,
    ACTIVE,
    ALONE,
    ANNOUNCE,
    BACKS,
    BUILDERS,
    BUILT,
    CITIES,
    CONVERT,
    DECKS,
    DRAW,
    EXTEND,
    FINAL_CONVERT,
    FINAL_CONVERTS_LEFT,
    FINAL_ROUND,
    FINAL_TURNS_LEFT,
    FORM,
    GIVE_IDS,
    HAND_OVER,
    HANDS,
    KNOWN,
    LINK,
    OFFERED,
    OVER,
    PARTNER,
    PASSED,
    PHASE,
    PLAYER,
    POPULATION_CARDS,
    POPULATION_DRAWN,
    RESPOND,
    ROW_SIZE,
    SAID_SIZE,
    SILENT,
    SOUGHT,
    SPENT,
    STALLED,
    STREAMS,
    TECHNOLOGY_DRAWN,
    Row,
    make_spec,
    said_at,
    set_turns_completed,
    turns_completed,
)
from respublica_env.engine.trade import can_pay, can_pay_each, chosen_at, has_paid
from respublica_env.engine.turn import show_standing
from respublica_env.observation import PHASE_NAMES
from respublica_env.position import FORMS, LINKS, block
from respublica_env.position_values import Values, is_list, refuse
from respublica_env.rules import Rules, shown, whole

KEYS = (
    "phase",
    "active",
    "player",
    "turn",
    "final_round",
    "final_turns_left",
    "final_converts_left",
    "stalled",
    "hands",
    "cities",
    "monuments",
    "spent",
    "population_deck",
    "technology_deck",
    "said",
    "partner",
    "chosen",
    "known",
    "public",
)
OPTIONAL_KEYS = ("rules", "seed", "builders", "streams")


def row_from_dict(rules: Rules, position: Mapping[str, Any], seed: int) -> Row:
    """The row of a position, after every check; ValueError with the reason otherwise."""
    missing = [key for key in KEYS if key not in position]
    unknown = [key for key in position if key not in KEYS + OPTIONAL_KEYS]
    if missing or unknown:
        what = f"missing {', '.join(missing)}" if missing else f"unknown {shown(unknown[0])}"
        raise ValueError(f"a position has the keys {', '.join(KEYS + OPTIONAL_KEYS)}: {what}")
    return _Reader(rules, position, seed).read()


class _Reader(Values):
    """Fills a row from a position, chapter by chapter, and checks each against those before."""

    def __init__(self, rules: Rules, position: Mapping[str, Any], seed: int) -> None:
        super().__init__(position, rules.num_players)
        self.rules, self.seed = rules, seed
        self.n, self.types = rules.num_players, rules.num_types
        self.spec = make_spec(rules)
        self.row: Row = np.zeros(self.spec[ROW_SIZE], np.int16)

    def read(self) -> Row:
        self.read_cards()
        self.read_buildings()
        self.read_turn()
        self.read_phase()
        self.read_words()
        self.check_speakers()
        self.check_promises()
        self.read_chosen()
        self.read_known()
        self.read_streams()
        runs = room_for_runs()[0]
        if self.row[PHASE] != OVER and legal_runs(self.spec, self.row, runs) == 0:
            refuse(f"nobody can act: player {self.position['player']} has no legal action")
        return self.row

    def read_cards(self) -> None:
        """Hands, spent cards and decks must add up to the cards of the game."""
        hands = self.numbers("hands", (self.n, self.types))
        spent = self.numbers("spent", (self.types,))
        total = hands.sum(axis=0) + spent
        self.row[HANDS : HANDS + hands.size] = hands.ravel()
        population = self.rules.population_types
        backs = [hands[:, :population].sum(axis=1), hands[:, population:].sum(axis=1)]
        block(self.spec, self.row, BACKS, (self.n, 2))[:] = np.transpose(backs)
        block(self.spec, self.row, SPENT, (self.types,))[:] = spent
        end = int(self.spec[DECKS] + self.spec[POPULATION_CARDS])
        decks = (
            ("population_deck", POPULATION_DRAWN, 0, self.rules.population_types, end),
            ("technology_deck", TECHNOLOGY_DRAWN, self.rules.population_types, self.types, int(self.spec[STREAMS])),
        )
        for key, drawn, first, last, end in decks:
            deck = self.position[key]
            if not is_list(deck):
                raise ValueError(f"{key} must be a list of card types, got {shown(deck)}")
            cards = self.numbers(key, (len(deck),))
            wrong = cards[(cards < first) | (cards >= last)]
            if len(wrong) > 0:
                refuse(f"{key} holds a card of type {wrong[0]}, its types are {first} to {last - 1}")
            size = (last - first) * self.rules.copies
            if len(cards) > size:
                refuse(f"{key} holds {len(cards)} cards, the game has {size} of that back")
            total += np.bincount(cards, minlength=self.types)
            self.row[drawn] = size - len(cards)
            self.row[end - len(cards) : end] = cards
        for k, have in enumerate(total):
            if have != self.rules.copies:
                name = self.rules.type_names[k]
                refuse(f"hands, spent and decks hold {have} {name} together, the game has {self.rules.copies}")

    def read_buildings(self) -> None:
        """Cities and monuments must fit the cards spent and the supply."""
        rules = self.rules
        cities = self.numbers("cities", (self.n,))
        piles = self.piles()
        built = sum(len(points) for points in piles)
        spent = block(self.spec, self.row, SPENT, (self.types,)).astype(int)
        if any(count % rules.set_size for count in spent):
            refuse(f"spent is {spent.tolist()}, cards leave the game in sets of {rules.set_size}")
        sets = spent // rules.set_size
        if sets[: rules.population_types].sum() != cities.sum() or cities.sum() > rules.num_cities:
            refuse(
                f"there are {cities.sum()} cities, spent pays for {sets[: rules.population_types].sum()}, "
                f"the supply has {rules.num_cities}"
            )
        if sets[rules.population_types :].sum() != built or built > len(rules.monument_points):
            refuse(
                f"there are {built} monuments, spent pays for {sets[rules.population_types :].sum()}, "
                f"the pile has {len(rules.monument_points)}"
            )
        block(self.spec, self.row, CITIES, (self.n,))[:] = cities
        self.row[BUILT] = built
        # Of equal monuments the lists do not say who built which; without "builders" the lowest seat is first.
        told = self.position.get("builders")
        named = None if told is None or is_list(told, 0) else self.numbers("builders", (built,)).tolist()
        for i, points in enumerate(rules.monument_points[:built]):
            may_have = [seat for seat in range(self.n) if piles[seat] and piles[seat][0] == points]
            builder = next((seat for seat in may_have if named is None or named[i] == seat), None)
            if builder is None:
                falls = f"the pile falls {shown(rules.monument_points[:built])}"
                refuse(f"monuments are {shown(self.position['monuments'])}, built by {shown(named)}; {falls}")
            piles[builder].pop(0)
            self.row[self.spec[BUILDERS] + i] = builder
        for seat in range(self.n):
            show_standing(self.spec, self.row, seat)

    def piles(self) -> list[list[int]]:
        """The points of the monuments of each seat, in the order built."""
        monuments = self.position["monuments"]
        try:
            if not is_list(monuments, self.n) or not all(is_list(points) for points in monuments):
                raise TypeError
            return [[whole(points) for points in pile] for pile in monuments]
        except TypeError:
            raise ValueError(
                f"monuments must be a list of points for each of {self.n} seats, got {shown(monuments)}"
            ) from None

    def read_turn(self) -> None:
        """Turns, the final round and stalling."""
        row, rules = self.row, self.rules
        turn = self.number("turn", 2**30 - 1)
        set_turns_completed(row, turn)
        row[FINAL_ROUND] = self.flag("final_round")
        row[STALLED] = self.flag("stalled")
        row[FINAL_TURNS_LEFT] = self.number("final_turns_left", self.n)
        row[FINAL_CONVERTS_LEFT] = self.number("final_converts_left", self.n)
        deck_empty = len(self.position["technology_deck"]) == 0
        if deck_empty != bool(row[FINAL_ROUND]):
            refuse("the final round begins exactly when the technology deck is empty")
        if row[STALLED] and (row[FINAL_ROUND] or turn != rules.max_turns):
            refuse("a game stalls exactly when max_turns ends and no final round has begun")
        if not row[STALLED] and not row[FINAL_ROUND] and turn >= rules.max_turns:
            refuse(f"turn is {turn} of at most {rules.max_turns}, and the game has neither stalled nor a final round")
        if not row[FINAL_ROUND] and row[FINAL_TURNS_LEFT]:
            refuse("final_turns_left counts turns of a final round that has not begun")

    def read_phase(self) -> None:
        """Phase, active player and player to decide."""
        row, name = self.row, self.position["phase"]
        if not isinstance(name, str) or name not in PHASE_NAMES:
            raise ValueError(f"phase must be one of {', '.join(PHASE_NAMES)}, got {shown(name)}")
        phase = row[PHASE] = PHASE_NAMES.index(name)
        active, player = self.seat("active"), self.seat("player")
        row[ACTIVE], row[PLAYER] = active, player
        ended = bool(row[STALLED] or (row[FINAL_ROUND] and not row[FINAL_TURNS_LEFT]))
        if ended != (phase in (FINAL_CONVERT, OVER)):
            refuse(f"phase is {name}, but the turns of the game are {'' if ended else 'not '}at their end")
        if (row[FINAL_CONVERTS_LEFT] > 0) != (phase == FINAL_CONVERT):
            refuse(f"final_converts_left is {row[FINAL_CONVERTS_LEFT]} in phase {name}")
        if phase == OVER:
            if active >= 0 or player >= 0:
                refuse("the game is over, but a player is active or to decide")
            return
        if active < 0 or player < 0:
            refuse(f"phase is {name}, but no player is active or to decide")
        turn = int(turns_completed(row))
        expected = (turn - row[FINAL_CONVERTS_LEFT]) % self.n  # n or 0 left: the player whose turn it would be
        if active != expected:
            refuse(f"after {turn} turns player {expected} is active, not {active}")
        if phase in (ANNOUNCE, ACCEPT, CONVERT, DRAW, FINAL_CONVERT) and player != active:
            refuse(f"in {name} the active player {active} decides, not {player}")
        if phase == RESPOND and player == active:
            refuse("the active player does not answer itself")

    def read_words(self) -> None:
        """What each seat has said this turn."""
        said = self.position["said"]
        if not is_list(said, self.n):
            raise ValueError(f"said must hold an entry for each of {self.n} seats, got {shown(said)}")
        for seat, words in enumerate(said):
            at = said_at(self.spec, seat)
            if words is None:
                continue
            if isinstance(words, str) and words == "pass":
                self.row[at + FORM] = PASSED
                continue
            try:
                if not isinstance(words, Mapping) or set(words) != {"form", "terms", "link"}:
                    raise TypeError("no such dict")
                self.row[at : at + SAID_SIZE] = self.description(words["form"], words["terms"], words["link"])
            except (TypeError, KeyError, ValueError) as error:
                raise ValueError(
                    f"said must hold None, 'pass' or a dict of form ('offer' or 'seek'), terms [[count, kind], ...] "
                    f"and link (None, 'and' or 'or'), got {shown(words)} ({shown(str(error))})"
                ) from None

    def description(self, form: str, terms: Sequence[Sequence[int]], link: str | None) -> list[int]:
        """The six fields of a description."""
        rules = self.rules
        pairs = [(whole(count), whole(kind)) for count, kind in terms]
        if len(pairs) != (1 if LINKS[link] == ALONE else 2) or len(pairs) > rules.max_terms:
            raise ValueError(f"{len(pairs)} terms with link {link}, at most {rules.max_terms}")
        for count, kind in pairs:
            if not 1 <= count <= rules.max_count or not 0 <= kind < rules.num_kinds:
                raise ValueError(f"count 1 to {rules.max_count}, kind 0 to {rules.num_kinds - 1}")
        if len(pairs) == 2 and pairs[1][1] <= pairs[0][1]:
            raise ValueError("the second kind is the greater")
        first, second = pairs[0], pairs[1] if len(pairs) == 2 else (0, 0)
        return [FORMS[form], LINKS[link], *first, *second]

    def check_speakers(self) -> None:
        """Who has spoken must fit phase and player: seats answer one after the other."""
        row, spec, phase = self.row, self.spec, self.row[PHASE]
        row[PARTNER] = self.seat("partner")
        forms = [int(row[said_at(spec, seat) + FORM]) for seat in range(self.n)]
        if phase not in (EXTEND, RESPOND, ACCEPT, HAND_OVER):
            if any(forms) or row[PARTNER] >= 0:
                refuse(f"in {PHASE_NAMES[phase]} nothing is said and nobody is partner")
            return
        active = int(row[ACTIVE])
        announced = forms[active]
        if announced not in (OFFERED, SOUGHT):
            refuse(f"in {PHASE_NAMES[phase]} the active player has offered or sought")
        spoken = self.n - 1 if phase in (ACCEPT, HAND_OVER) else int(row[PLAYER] - active) % self.n
        if phase == RESPOND:
            spoken -= 1
        for steps in range(1, self.n):
            seat = (active + steps) % self.n
            expected = (PASSED, announced) if steps <= spoken else (SILENT,)
            if forms[seat] not in expected:
                refuse(f"what player {seat} has said does not fit {PHASE_NAMES[phase]} of player {row[PLAYER]}")
        if phase == EXTEND:
            said = said_at(spec, int(row[PLAYER]))
            if row[said + FORM] == PASSED or row[said + LINK] != ALONE:
                refuse("in EXTEND the player to decide has said one term")
        if (row[PARTNER] >= 0) != (phase == HAND_OVER):
            refuse("there is a partner exactly in HAND_OVER")
        if phase == HAND_OVER:
            if row[PARTNER] == active or forms[row[PARTNER]] == PASSED:
                refuse(f"player {row[PARTNER]} gave no answer that could be taken")
            if row[PLAYER] not in (active, row[PARTNER]):
                refuse("in HAND_OVER the active player or the partner decides")

    def check_promises(self) -> None:
        """What was promised this turn must still be payable."""
        row, spec, active = self.row, self.spec, int(self.row[ACTIVE])
        for seat in range(self.n):
            at = said_at(spec, seat)
            if row[at + FORM] == OFFERED:
                if not can_pay_each(spec, row, seat, at):
                    refuse(f"player {seat} cannot pay what it promised")
            elif row[at + FORM] == SOUGHT and seat != active and not can_pay(spec, row, seat, said_at(spec, active)):
                refuse(f"player {seat} answered a search that it cannot pay")
        if active < 0 or row[said_at(spec, active) + FORM] != SOUGHT:
            return
        if row[PHASE] == HAND_OVER and not can_pay(spec, row, active, said_at(spec, int(row[PARTNER]))):
            refuse("the active player took an answer that it cannot pay")
        if row[HANDS + active * self.types : HANDS + (active + 1) * self.types].sum() == 0:
            refuse("the active player seeks with an empty hand")

    def read_chosen(self) -> None:
        """Cards chosen in HAND_OVER: played again one by one, each must be legal."""
        row, spec = self.row, self.spec
        chosen = self.numbers("chosen", (2, self.types))
        if row[PHASE] != HAND_OVER:
            if chosen.any():
                refuse("cards are chosen only in HAND_OVER")
            return
        decided = row[PLAYER]
        runs = room_for_runs()[0]
        for side, giver in enumerate((row[ACTIVE], row[PARTNER])):
            row[PLAYER] = giver
            for card in np.repeat(np.arange(self.types), chosen[side]):
                if not is_legal(runs, legal_runs(spec, row, runs), spec[GIVE_IDS] + card):
                    refuse(f"the cards chosen by player {giver} do not lead to what it has to pay")
                row[chosen_at(spec, side) + card] += 1
        row[PLAYER] = decided
        if decided == row[ACTIVE] and chosen[1].any():
            refuse("the partner chooses after the active player")
        if decided == row[PARTNER] and not has_paid(spec, row, 0):
            refuse("the active player has not chosen what it has to pay")

    def read_known(self) -> None:
        """Known holdings never exceed a hand, nor the spectator's a seat's."""
        known = self.numbers("known", (self.n, self.n, self.types))
        public = self.numbers("public", (self.n, self.types))
        hands = self.numbers("hands", (self.n, self.types))
        for observer in range(self.n):
            if known[observer, observer].any():
                refuse(f"known[{observer}][{observer}] must be 0: a seat's own hand is not among its known holdings")
            if (known[observer] > hands).any():
                refuse(f"known[{observer}] exceeds a hand")
            others = np.arange(self.n) != observer
            if (public[others] > known[observer][others]).any():
                refuse(f"public exceeds known[{observer}]")
        block(self.spec, self.row, KNOWN, (self.n + 1, self.n, self.types))[:] = [*known, public]

    def read_streams(self) -> None:
        streams = self.position.get("streams")
        if streams is None:
            seed_streams(self.spec, self.row, np.uint64(self.seed))
            return
        try:
            words = np.array([whole(word) for word in streams], np.uint64)
        except (TypeError, OverflowError):
            words = np.zeros(0, np.uint64)
        if len(words) != self.n + 2:
            raise ValueError(f"streams must be {self.n + 2} whole numbers from 0 to 2**64 - 1, got {shown(streams)}")
        parts = words.astype("<u8").view("<i2").reshape(self.n + 2, 4)
        block(self.spec, self.row, STREAMS, (self.n + 2, 4))[:] = parts
