"""Rules from plain values, as in game strings and on command lines: a preset's name, numbers, switches, text."""

from collections.abc import Mapping
from typing import Any

from respublica_env.rules import PRESETS, Rules, shown

PRESET = "preset"
PILE = "monument_points"

# Every field of the rules with the published game's value: the pile of monuments is text, its numbers with spaces.
FIELDS: dict[str, int | bool | str] = {
    name: " ".join(map(str, value)) if name == PILE else value for name, value in Rules().to_dict().items()
}


def rules_from(values: Mapping[str, Any]) -> Rules:
    """The rules that plain values mean.

    Args:
        values: fields of the rules, `monument_points` as text such as "9 8 8", and "preset", the name of a preset that
            the other values change; without it they change the published game.

    Raises:
        ValueError: for the first value that is refused; it names the field, the value and what is accepted.
    """
    changes = dict(values)
    preset = changes.pop(PRESET, "standard")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {shown(preset)}")
    if PILE in changes:
        changes[PILE] = _pile(changes[PILE])
    return PRESETS[preset](**changes)


def _pile(text: Any) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split())
    except (AttributeError, ValueError):
        raise ValueError(f'{PILE} must be whole numbers with spaces, such as "9 8 8", got {shown(text)}') from None


def value_of(name: str, text: str) -> int | bool | str:
    """The value of a field of the rules, or of "preset", from the text of a command line.

    Raises ValueError for an unknown field, or text that is no value of its kind.
    """
    if name == PRESET:
        return text
    if name not in FIELDS:
        raise ValueError(f"rules have no field {shown(name)}; there are: {PRESET}, {', '.join(FIELDS)}")
    kind = type(FIELDS[name])
    if kind is bool and text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    if kind is int:
        try:
            return int(text)
        except ValueError:
            pass
    if kind is str:
        return text
    raise ValueError(f"{name} must be {'True or False' if kind is bool else 'a whole number'}, got {shown(text)}")
