"""The game with its chance moves in the open: cards are dealt and drawn one by one, each a choice of nature.

A `Moment` is one node of the game tree, and never changes: a copy costs nothing. It wraps a `Game`, whose engine has
all the rules; the only thing decided here is which card comes to light when. A card is a chance node of its own, with
one outcome for each type left in the deck, as likely as it has cards left. Cards that are certain (one type is left, or
as many are drawn at once as there are) are no chance node.

The undrawn decks of the wrapped game have an order without meaning: the cards that nature chose are put on top before
they are drawn. The wrapped game leaves forced decisions to the moment, which takes them by itself where the rules say
`auto_forced`, except that it stops at a draw whose cards are not certain. Players see the same decisions as in `Game`.

What each seat has seen and done since the deal is kept as a chain of events, shared by all moments that come of one.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from respublica_env.actions import ActionTable, IllegalAction, action_table
from respublica_env.decks import DECK_NAMES
from respublica_env.engine.state import CHOSEN
from respublica_env.envs.rewards import final_rewards
from respublica_env.game import Game
from respublica_env.rules import Rules, shown

# Who is to choose, besides the seats; numbered as in OpenSpiel.
NATURE, NOBODY = -1, -4

Counts = tuple[int, ...]  # cards by type
Private = tuple[tuple[int, str], ...]  # what single seats learn: seat, words
# An event after those before it: what all learn (or nothing, ""), then what single seats learn.
Log = tuple["Log | None", str, Private]


class Setting:
    """What all moments of one game share: the rules, and actions in words. `Setting.of` gives equal rules the same."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.table: ActionTable = action_table(rules)
        self._said: dict[tuple[int, int], str] = {}
        self.inner = Rules.from_dict(rules.to_dict() | {"auto_forced": False})
        Game(self.inner, seed=0)  # refuses rules with more actions than a mask can hold, here and now

    @staticmethod
    @lru_cache(maxsize=64)
    def of(rules: Rules) -> "Setting":
        """The setting of `rules`. Raises ValueError for rules with more actions than the engine plays with."""
        return Setting(rules)

    def says(self, player: int, action: int) -> str:
        """A decision that all see, in words."""
        words = self._said.get((player, action))
        if words is None:
            words = self._said[player, action] = f"{player}: {self.table.describe(action)}"
        return words

    def cards(self, counts: Iterable[int]) -> str:
        """Cards in words: "2 Roman + 1 Wheel"."""
        names = zip(counts, self.rules.type_names, strict=True)
        return " + ".join(f"{count} {name}" for count, name in names if count)

    def backs(self, counts: Counts) -> str:
        """The backs of cards in words: "1 population + 2 technology"."""
        population = sum(counts[: self.rules.population_types])
        return f"{population} population + {sum(counts) - population} technology"


class Drawing(NamedTuple):
    """Cards that nature is choosing.

    Attributes:
        action: the draw that waits for them; None is the deal.
        groups: what is still to come, in order: deck by number, and how many cards are seen at once.
        left: cards left in the decks, by type.
        cards: the types that have come, in order.
    """

    action: int | None
    groups: tuple[tuple[int, int], ...]
    left: Counts
    cards: tuple[int, ...]


class Moment:
    """A node of the game tree. It never changes, so that it may be shared.

    Attributes:
        setting: the rules and their words.
        game: the wrapped game, None until the cards are dealt; not to be changed. While nature draws, it stands before
            the draw. Its rules have `auto_forced` off, and its undrawn decks an order without meaning.
        drawing: the cards that nature is choosing, or None.
        player: the seat to decide, NATURE, or NOBODY when the game is over.
        legal: the legal actions, or the outcomes of nature (card types), rising; none when the game is over.
        log: what has happened since the deal.
    """

    __slots__ = ("drawing", "game", "legal", "log", "player", "setting")

    def __init__(self, setting: Setting, game: Game | None, drawing: Drawing | None, log: Log | None) -> None:
        self.setting = setting
        self.game = game
        self.drawing = drawing
        self.log = log
        self.player = NOBODY
        self.legal: tuple[int, ...] = ()
        if drawing is not None:
            first, end = self._types()
            self.player = NATURE
            self.legal = tuple(card for card in range(first, end) if drawing.left[card])
        elif game is not None and game.player is not None:
            self.player = game.player
            self.legal = tuple(game.legal_actions().tolist())

    @classmethod
    def first(cls, rules: Rules) -> "Moment":
        """The moment before the deal. Raises ValueError for rules with more actions than the engine plays with."""
        setting = Setting.of(rules)
        left = (rules.copies,) * rules.num_types
        return _go_on(setting, None, Drawing(None, ((0, rules.hand_size),) * rules.num_players, left, ()), None)

    def _types(self) -> tuple[int, int]:
        """The types of the deck of which the next card comes, first and end."""
        assert self.drawing is not None
        return _types_of(self.setting, self.drawing.groups[0][0])

    def outcomes(self) -> list[tuple[int, int]]:
        """What nature may choose: card types, rising, and how many such cards are left; as likely as these are many."""
        assert self.drawing is not None
        return [(card, self.drawing.left[card]) for card in self.legal]

    def after(self, action: int) -> "Moment":
        """The moment after an action, or after a card when nature chooses.

        Raises IllegalAction, saying why.
        """
        if self.drawing is not None:
            if action not in self.legal:
                raise IllegalAction(f"nature chooses one of the card types {list(self.legal)}, got {shown(action)}")
            return _go_on(self.setting, self.game, _with_card(self.drawing, action), self.log)
        assert self.game is not None
        if action not in self.legal:
            raise IllegalAction(self.game.why_illegal(action))
        return _play(self.setting, self.game.copy(), action, self.log)

    def returns(self, reward: str) -> list[float]:
        """What each seat has earned in a reward mode (`respublica_env.envs.rewards`): 0 until the game is over.

        In mode "points" the final scores.
        """
        if self.game is None or self.player != NOBODY:
            return [0.0] * self.setting.rules.num_players
        if reward == "points":
            return [float(points) for points in self.game.scores()]
        scores = np.array(self.game.scores())
        return final_rewards(reward, self.setting.rules, scores, scores).tolist()

    # -- who knows what

    def told(self, seat: int, public: bool = True, private: bool = True) -> str:
        """What `seat` has seen and done since the deal, in order: what all have, what it alone has, or both.

        With both, equal strings are one information set: the seat recalls everything, and learns nothing else.
        """
        seen: list[str] = []
        log = self.log
        while log is not None:
            log, heard, told = log
            seen += [words for knows, words in told if private and knows == seat]
            if public and heard:
                seen.append(heard)
        if private:
            seen.append(f"player {seat}")
        return "; ".join(reversed(seen))

    def story(self) -> str:
        """Everything that has happened, hidden cards included."""
        seen: list[str] = []
        log = self.log
        while log is not None:
            log, heard, told = log
            seen += [f"({knows}: {words})" for knows, words in reversed(told)]
            if heard:
                seen.append(heard)
        if self.drawing is not None and self.drawing.cards:
            names = self.setting.rules.type_names
            seen.insert(0, f"(drawn: {', '.join(names[card] for card in self.drawing.cards)})")
        return "\n".join(reversed(seen)) or "before the deal"

    # -- copies

    def __deepcopy__(self, memo: dict[int, Any]) -> "Moment":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        events = []
        log = self.log
        while log is not None:
            events.append(log[1:])
            log = log[0]
        return _restored, (self.setting.rules.to_dict(), self.game, self.drawing, events[::-1])


def _restored(
    rules: dict[str, Any], game: Game | None, drawing: Drawing | None, events: list[tuple[str, Private]]
) -> Moment:
    log: Log | None = None
    for heard, told in events:
        log = (log, heard, told)
    return Moment(Setting.of(Rules.from_dict(rules)), game, drawing, log)


def _types_of(setting: Setting, deck: int) -> tuple[int, int]:
    """The types of a deck, first and end."""
    middle = setting.rules.population_types
    return (0, middle) if deck == 0 else (middle, setting.rules.num_types)


def _with_card(drawing: Drawing, card: int) -> Drawing:
    """One more card has come."""
    (deck, number), *rest = drawing.groups
    left = (*drawing.left[:card], drawing.left[card] - 1, *drawing.left[card + 1 :])
    groups = ((deck, number - 1), *rest) if number > 1 else tuple(rest)
    return Drawing(drawing.action, groups, left, (*drawing.cards, card))


def _certain(setting: Setting, drawing: Drawing) -> int | None:
    """The next card, where the cards that are seen together with it are certain."""
    deck, number = drawing.groups[0]
    first, end = _types_of(setting, deck)
    types = [card for card in range(first, end) if drawing.left[card]]
    if len(types) == 1 or sum(drawing.left[first:end]) == number:
        return types[0]
    return None


def _go_on(setting: Setting, game: Game | None, drawing: Drawing, log: Log | None) -> Moment:
    """Take the cards that are certain; with all there, deal or draw them, and play on."""
    while drawing.groups:
        card = _certain(setting, drawing)
        if card is None:
            return Moment(setting, game, drawing, log)
        drawing = _with_card(drawing, card)
    if game is None:
        return _deal(setting, drawing)
    game = game.copy()
    player, before = game.player, game.hands
    assert player is not None
    assert drawing.action is not None
    for deck, name in enumerate(DECK_NAMES):
        first, end = _types_of(setting, deck)
        _put_on_top(game, name, [card for card in drawing.cards if first <= card < end])
    game.step(drawing.action)
    drawn = setting.cards((game.hands - before)[player].tolist())
    return _play_forced(setting, game, (log, "", ((player, f"drew {drawn}"),)))


def _deal(setting: Setting, drawing: Drawing) -> Moment:
    rules = setting.rules
    rest = [card for card in range(rules.population_types) for _ in range(drawing.left[card])]
    game = Game(setting.inner, seed=0, population_deck=[*drawing.cards, *rest])
    hands = ((seat, f"dealt {setting.cards(hand)}") for seat, hand in enumerate(game.hands.tolist()))
    return _play_forced(setting, game, (None, "", tuple(hands)))


def _put_on_top(game: Game, name: str, cards: list[int]) -> None:
    """Swap cards up from below, so that they are the next of a deck, in this order."""
    deck = game._deck(name)
    for place, card in enumerate(cards):
        below = place + deck[place:].tolist().index(card)
        deck[place], deck[below] = card, deck[place]


def _play_forced(setting: Setting, game: Game, log: Log) -> Moment:
    """Take decisions that leave no choice, with `auto_forced`."""
    while setting.rules.auto_forced and game.player is not None:
        legal = game.legal_actions()
        if len(legal) > 1:
            break
        log, drawing = _step(setting, game, int(legal[0]), log)
        if drawing is not None:
            return _go_on(setting, game, drawing, log)
    return Moment(setting, game, None, log)


def _play(setting: Setting, game: Game, action: int, log: Log | None) -> Moment:
    """Play one decision on, in a game that is the caller's."""
    log, drawing = _step(setting, game, action, log)
    return _play_forced(setting, game, log) if drawing is None else _go_on(setting, game, drawing, log)


def _step(setting: Setting, game: Game, action: int, log: Log | None) -> tuple[Log, Drawing | None]:
    """Take one decision and note it down; one that draws cards waits for them, and they are returned."""
    player, table = game.player, setting.table
    assert player is not None
    if action in table.give:  # which card it is, only the giver knows
        game.step(action)
        return (log, f"{player}: give a card", ((player, table.describe(action)),)), None
    if action in table.draw:
        meaning = table.decode(action)
        groups = tuple((deck, number) for deck, number in enumerate((meaning.population, meaning.technology)) if number)
        log = (log, setting.says(player, action), ())
        if groups:
            return log, Drawing(action, groups, _left(setting, game), ())
        game.step(action)
        return log, None
    if game.phase == "HAND_OVER" and player != game.active:
        return _exchange(setting, game, action, log), None
    game.step(action)
    return (log, setting.says(player, action), ()), None


def _left(setting: Setting, game: Game) -> Counts:
    """Cards left in the decks by type."""
    return tuple((setting.rules.copies - game.spent - game.hands.sum(axis=0)).tolist())


def _exchange(setting: Setting, game: Game, action: int, log: Log | None) -> Log:
    """The partner has chosen: cards change hands. All see the backs, the two that trade what they get."""
    active, partner, types = game.active, game.player, setting.rules.num_types
    assert active is not None
    assert partner is not None
    chosen = game._block(CHOSEN, 2 * types).tolist()
    game.step(action)
    given, taken = chosen[:types], chosen[types:]
    log = (log, setting.says(partner, action), ())
    backs = f"{active} gave {setting.backs(given)}, {partner} gave {setting.backs(taken)}"
    got = ((active, f"got {setting.cards(taken)}"), (partner, f"got {setting.cards(given)}"))
    return log, backs, got


def nodes(root: Moment) -> Iterator[Moment]:
    """Every node of the tree below `root`, itself first, each before those that come of it, in the order of actions."""
    waiting = [root]
    while waiting:
        moment = waiting.pop()
        yield moment
        waiting += [moment.after(action) for action in reversed(moment.legal)]
