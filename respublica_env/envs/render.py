"""Render modes, the same behind every door."""

from typing import Any

from respublica_env.envs.ansi import ansi_view
from respublica_env.game import Game
from respublica_env.rules import shown

RENDER_MODES = ("ansi", "human")

METADATA: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}


def check_render_mode(mode: str | None) -> str | None:
    """The mode, or ValueError that names them all."""
    if mode is not None and (not isinstance(mode, str) or mode not in RENDER_MODES):
        accepted = ", ".join(map(repr, (None, *RENDER_MODES)))
        raise ValueError(f"render_mode must be one of {accepted}, got {shown(mode)}")
    return mode


def render(game: Game, mode: str, seat: int | None = None) -> str | None:
    """The game in a render mode, as seen by a seat; None shows everything."""
    text = ansi_view(game, seat)
    if mode == "ansi":
        return text
    print(text)
    return None
