"""The rule book once more, slow and plain: an oracle for the engine, written from the rules' text alone.

It shares nothing with the package but the fields of `Rules`. What a hand can pay is found by listing every multiset of
cards that satisfies the words, so that no shortcut of the engine is repeated here. Hands are tuples of counts by type.
What a seat sees of it is in tests/oracle_view.py.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

import numpy as np

from respublica_env import Rules

Cards = tuple[int, ...]
Term = tuple[int, int]  # count, kind


@dataclass
class Words:
    """What a seat has said: a form ("pass", "offer", "seek"), and its terms, joined by `link`."""

    form: str
    terms: tuple[Term, ...] = ()
    link: str = ""


def plus(a: Sequence[int], b: Sequence[int]) -> Cards:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def minus(a: Sequence[int], b: Sequence[int]) -> Cards:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def within(part: Sequence[int], whole: Sequence[int]) -> bool:
    return all(x <= y for x, y in zip(part, whole, strict=True))


@lru_cache(maxsize=200_000)
def term_payments(hand: Cards, count: int, types: tuple[int, ...]) -> frozenset[Cards]:
    """All multisets of exactly `count` cards of these types in a hand."""
    choices = [range(min(have, count) + 1) if k in types else (0,) for k, have in enumerate(hand)]
    return frozenset(cards for cards in product(*choices) if sum(cards) == count)


@dataclass
class Oracle:
    """One game; `legal` and `step` as in the package's `Game`, but that `step` trusts its action."""

    rules: Rules
    population_deck: list[int]
    technology_deck: list[int]
    phase: str = "ANNOUNCE"
    active: int = 0
    player: int = 0
    partner: int = -1
    turn: int = 0
    stalled: bool = False
    final_round: bool = False
    turns_left: int = 0
    converts_left: int = 0
    words: dict[int, Words] = field(default_factory=dict)
    chosen: dict[int, Cards] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rules = self.rules
        self.n, self.types = rules.num_players, rules.population_types + rules.technology_types
        self.kinds = self.types + (3 if rules.wildcards else 0)
        hands = []
        for _ in range(self.n):
            dealt = self.population_deck[: rules.hand_size]
            self.population_deck = self.population_deck[rules.hand_size :]
            hands.append(tuple(dealt.count(k) for k in range(self.types)))
        self.hands: list[Cards] = hands
        self.cities = [0] * self.n
        self.monuments: list[list[int]] = [[] for _ in range(self.n)]
        self.pile = list(rules.monument_points)
        self.spent = (0,) * self.types
        # By observer; the last is the spectator.
        self.known = np.zeros((self.n + 1, self.n, self.types), int)
        self._take_forced()

    # -- words

    def of_kind(self, kind: int) -> tuple[int, ...]:
        population = self.rules.population_types
        groups = (range(population), range(population, self.types), range(self.types))
        return (kind,) if kind < self.types else tuple(groups[kind - self.types])

    def payments(self, hand: Cards, said: Words) -> set[Cards]:
        """Every part of the hand that satisfies the description."""
        parts = [term_payments(hand, count, self.of_kind(kind)) for count, kind in said.terms]
        if said.link == "and":
            return {sum_ for sum_ in (plus(a, b) for a in parts[0] for b in parts[1]) if within(sum_, hand)}
        return set().union(*parts)

    def can_pay(self, hand: Cards, said: Words) -> bool:
        return len(self.payments(hand, said)) > 0

    def honest(self, hand: Cards, said: Words) -> bool:
        if said.link == "or":
            return all(self.can_pay(hand, Words("offer", (term,))) for term in said.terms)
        return self.can_pay(hand, said)

    def owed(self, giver: int) -> Words:
        """The description that a seat pays in HAND_OVER."""
        other = self.partner if giver == self.active else self.active
        return self.words[giver if self.words[self.active].form == "offer" else other]

    # -- ids

    def _terms(self) -> Iterator[Term]:
        for kind in range(self.kinds):
            for count in range(1, self.rules.max_count + 1):
                yield count, kind

    def _bases(self) -> list[int]:
        """First ids of: offer, seek, and, or, accept, give, convert, draw."""
        terms = self.kinds * self.rules.max_count
        give = 1 + 4 * terms + self.n - 1
        spoken = [1 + i * terms for i in range(5)]
        return [*spoken, give, give + self.types, give + 2 * self.types]

    def legal(self) -> list[int]:
        return sorted(getattr(self, f"_legal_{self.phase.lower()}")())

    def _legal_over(self) -> list[int]:
        return []

    def _promises(self) -> list[int]:
        hand = self.hands[self.player]
        return [1 + i for i, term in enumerate(self._terms()) if self.can_pay(hand, Words("offer", (term,)))]

    def _searches(self) -> list[int]:
        return [self._bases()[1] + i for i, _ in enumerate(self._terms())]

    def _legal_announce(self) -> list[int]:
        return [0, *self._promises(), *(self._searches() if sum(self.hands[self.player]) else [])]

    def _legal_respond(self) -> list[int]:
        announced = self.words[self.active]
        if announced.form == "offer":
            return [0, *self._promises()]
        return [0, *(self._searches() if self.can_pay(self.hands[self.player], announced) else [])]

    def _legal_extend(self) -> list[int]:
        ids = [0]
        said, hand = self.words[self.player], self.hands[self.player]
        if self.rules.max_terms == 1:
            return ids
        for base, link in zip(self._bases()[2:4], ("and", "or"), strict=True):
            for i, term in enumerate(self._terms()):
                longer = Words(said.form, (*said.terms, term), link)
                if term[1] > said.terms[0][1] and (said.form == "seek" or self.honest(hand, longer)):
                    ids.append(base + i)
        return ids

    def _legal_accept(self) -> list[int]:
        ids, hand = [0], self.hands[self.active]
        for j in range(1, self.n):
            answer = self.words[(self.active + j) % self.n]
            if answer.form == "offer" or (answer.form == "seek" and self.can_pay(hand, answer)):
                ids.append(self._bases()[4] + j - 1)
        return ids

    def _legal_hand_over(self) -> list[int]:
        chosen = self.chosen[self.player]
        payments = self.payments(self.hands[self.player], self.owed(self.player))
        ids = [0] if chosen in payments else []
        last = max((k for k, count in enumerate(chosen) if count), default=0)
        for k in range(last, self.types):
            after = plus(chosen, [int(i == k) for i in range(self.types)])
            if any(within(after, whole) and whole[:k] == after[:k] for whole in payments):
                ids.append(self._bases()[5] + k)
        return ids

    def _legal_convert(self) -> list[int]:
        ids, hand = [0], self.hands[self.player]
        for k in range(self.types):
            is_population = k < self.rules.population_types
            supply = sum(self.cities) < self.rules.num_cities if is_population else len(self.pile) > 0
            if hand[k] >= self.rules.set_size and supply:
                ids.append(self._bases()[6] + k)
        return ids

    _legal_final_convert = _legal_convert

    def _legal_draw(self) -> list[int]:
        most_p = min(1, len(self.population_deck))
        most_t = min(self.cities[self.player], len(self.technology_deck))
        most = self.rules.max_draw
        splits = [(p, t) for p in range(most_p + 1) for t in range(most_t + 1) if p + t <= most]
        if not self.rules.optional_draw:
            splits = [split for split in splits if sum(split) == min(most, most_p + most_t)]
        return [self._bases()[7] + p * (most + 1) + t for p, t in splits]

    # -- play

    def step(self, action: int) -> None:
        self._apply(action)
        self._take_forced()

    def _take_forced(self) -> None:
        while self.rules.auto_forced and len(forced := self.legal()) == 1:
            self._apply(forced[0])

    def _apply(self, action: int) -> None:
        getattr(self, f"_{self.phase.lower()}")(action)

    def _term(self, number: int) -> Term:
        return number % self.rules.max_count + 1, number // self.rules.max_count

    def _announce(self, action: int) -> None:
        if action == 0:
            self._begin_convert()
        else:
            self._speak(action)

    def _respond(self, action: int) -> None:
        if action == 0:
            self.words[self.player] = Words("pass")
            self._next_speaker()
        else:
            self._speak(action)

    def _speak(self, action: int) -> None:
        _, seek, *_ = self._bases()
        form, base = ("offer", 1) if action < seek else ("seek", seek)
        self.words[self.player] = Words(form, (self._term(action - base),))
        self.phase = "EXTEND"

    def _extend(self, action: int) -> None:
        speaker = self.words[self.player]
        if action:
            and_, or_ = self._bases()[2:4]
            speaker.link, base = ("and", and_) if action < or_ else ("or", or_)
            speaker.terms = (*speaker.terms, self._term(action - base))
        announced = self.words[self.active]
        if announced.form == "offer":
            self._learn(self.player, speaker.terms)
        elif self.player != self.active and announced.link != "or":
            self._learn(self.player, announced.terms)
        self._next_speaker()

    def _next_speaker(self) -> None:
        self.player = (self.player + 1) % self.n
        self.phase = "ACCEPT" if self.player == self.active else "RESPOND"

    def _accept(self, action: int) -> None:
        if action == 0:
            self._begin_convert()
            return
        self.partner = (self.active + action - self._bases()[4] + 1) % self.n
        self.chosen = {self.active: (0,) * self.types, self.partner: (0,) * self.types}
        self.phase = "HAND_OVER"

    def _hand_over(self, action: int) -> None:
        if action:
            card = action - self._bases()[5]
            self.chosen[self.player] = plus(self.chosen[self.player], [int(i == card) for i in range(self.types)])
        elif self.player == self.active:
            self.player = self.partner
        else:
            self._exchange()
            self._begin_convert()

    def _exchange(self) -> None:
        sides = ((self.active, self.partner), (self.partner, self.active))
        self._know_exchange(sides)
        for giver, taker in sides:
            self.hands[giver] = minus(self.hands[giver], self.chosen[giver])
            self.hands[taker] = plus(self.hands[taker], self.chosen[giver])

    def _begin_convert(self) -> None:
        self.words, self.chosen, self.partner = {}, {}, -1
        self.player, self.phase = self.active, "CONVERT"

    def _convert(self, action: int) -> None:
        if action == 0:
            self.phase = "DRAW"
        else:
            self._build(action - self._bases()[6])

    def _final_convert(self, action: int) -> None:
        if action:
            self._build(action - self._bases()[6])
            return
        self.converts_left -= 1
        self.active = self.player = (self.active + 1) % self.n
        if self.converts_left == 0:
            self.phase = "OVER"

    def _build(self, card: int) -> None:
        cards = [self.rules.set_size * (k == card) for k in range(self.types)]
        self.hands[self.player] = minus(self.hands[self.player], cards)
        self.spent = plus(self.spent, cards)
        if card < self.rules.population_types:
            self.cities[self.player] += 1
        else:
            self.monuments[self.player].append(self.pile.pop(0))
        self._forget(range(self.n + 1), self.player, cards)

    def _draw(self, action: int) -> None:
        p, t = divmod(action - self._bases()[7], self.rules.max_draw + 1)
        drawn = self.population_deck[:p] + self.technology_deck[:t]
        self.population_deck, self.technology_deck = self.population_deck[p:], self.technology_deck[t:]
        self.hands[self.player] = plus(self.hands[self.player], [drawn.count(k) for k in range(self.types)])
        self.turn += 1
        begins = not self.final_round and not self.technology_deck
        self.turns_left = self.n if begins else self.turns_left - self.final_round
        self.final_round = self.final_round or begins
        self.stalled = not self.final_round and self.turn >= self.rules.max_turns
        self.active = self.player = (self.active + 1) % self.n
        self.phase = "ANNOUNCE"
        if self.stalled or (self.final_round and self.turns_left == 0):
            self.phase, self.converts_left = "FINAL_CONVERT", self.n

    def scores(self) -> list[int]:
        rules = self.rules
        return [
            self.cities[q] * rules.city_points
            + sum(self.monuments[q])
            + rules.pair_points * sum(count // 2 for count in self.hands[q])
            for q in range(self.n)
        ]

    # -- known holdings

    def _learn(self, holder: int, terms: tuple[Term, ...]) -> None:
        for count, kind in terms:
            for observer in range(self.n + 1):
                if kind < self.types and observer != holder:
                    self.known[observer, holder, kind] = max(self.known[observer, holder, kind], count)

    def _forget(self, observers: Sequence[int], holder: int, cards: Sequence[int]) -> None:
        for observer in observers:
            self.known[observer, holder] = np.maximum(0, self.known[observer, holder] - np.array(cards))

    def _know_exchange(self, sides: tuple[tuple[int, int], ...]) -> None:
        gains = []
        for giver, taker in sides:
            said, cards = self.owed(giver), self.chosen[giver]
            named = [[count if k in self.of_kind(kind) else 0 for k in range(self.types)] for count, kind in said.terms]
            single = [[count if k == kind else 0 for k in range(self.types)] for count, kind in said.terms]
            most = np.max(named, axis=0) if said.link == "or" else np.sum(named, axis=0)
            least = np.zeros(self.types, int) if said.link == "or" else np.sum(single, axis=0)
            others = [observer for observer in range(self.n + 1) if observer not in (giver, taker)]
            self._forget([taker], giver, cards)
            self._forget(others, giver, most.tolist())
            gains += [(giver, taker, np.array(cards)), *((observer, taker, least) for observer in others)]
        for observer, holder, cards_gained in gains:
            self.known[observer, holder] += cards_gained
