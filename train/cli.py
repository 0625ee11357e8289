"""What the commands of training have in common: rules from the command line."""

import json
from pathlib import Path

from respublica_env import Rules
from respublica_env.rules import PRESETS, shown


def read_rules(text: str, num_players: int) -> Rules:
    """A preset by name ("standard" for `num_players`), or a JSON file of fields."""
    if text == "standard":
        return Rules(num_players=num_players)
    if text in PRESETS:
        return Rules.of(text)
    try:
        fields = json.loads(Path(text).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(
            f"rules must be a preset ({', '.join(PRESETS)}) or a JSON file, got {shown(text)}: {error}"
        ) from None
    if not isinstance(fields, dict):
        raise ValueError(f"{text} must hold a JSON object of the fields of Rules, it holds {type(fields).__name__}")
    return Rules.from_dict(fields)
