"""Decks and cards that a caller names, checked against the rules before anything is done with them."""

from collections.abc import Iterable
from itertools import islice
from typing import SupportsIndex

from respublica_env.rules import Rules, shown, whole

DECK_NAMES = ("population", "technology")


def deck_types(rules: Rules, name: str) -> range:
    """The card types of "population" or "technology"."""
    return range(rules.population_types) if name == "population" else range(rules.population_types, rules.num_types)


def check_deck(rules: Rules, name: str, deck: Iterable[SupportsIndex]) -> list[int]:
    """The deck as a list, or ValueError when it does not hold exactly the cards of its back."""
    types = deck_types(rules, name)
    accepted = f"{types.start} to {types.stop - 1}"
    try:
        if isinstance(deck, (str, bytes)):
            raise TypeError
        cards = [whole(card) for card in islice(deck, len(types) * rules.copies + 1)]  # one too many is enough
    except TypeError:
        raise ValueError(f"{name}_deck must hold card types {accepted}, got {shown(deck)}") from None
    wrong = [card for card in cards if card not in types]
    if wrong:
        raise ValueError(f"{name}_deck must hold only types {accepted}, it holds a {shown(wrong[0])}")
    for card in types:
        if cards.count(card) != rules.copies:
            raise ValueError(
                f"{name}_deck must hold {rules.copies} cards of each type from {accepted}, "
                f"it holds {cards.count(card)} of type {card}"
            )
    return cards


def check_deck_name(name: str) -> str:
    """The name of a deck, or ValueError."""
    if not isinstance(name, str) or name not in DECK_NAMES:
        raise ValueError(f"deck must be 'population' or 'technology', got {shown(name)}")
    return name
