"""Render modes, the same behind every door: text, text printed, or a picture. They touch neither game nor streams."""

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from respublica_env.envs.ansi import ansi_view
from respublica_env.envs.view import SPECTATOR, Viewer, check_viewer
from respublica_env.game import Game
from respublica_env.rules import shown

RENDER_MODES = ("ansi", "human", "rgb_array")

METADATA: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}


def check_render_mode(mode: str | None) -> str | None:
    """The mode, or ValueError that names them all; for "rgb_array" DependencyNotInstalled where Pillow is missing."""
    if mode is not None and (not isinstance(mode, str) or mode not in RENDER_MODES):
        accepted = ", ".join(map(repr, (None, *RENDER_MODES)))
        raise ValueError(f"render_mode must be one of {accepted}, got {shown(mode)}")
    if mode == "rgb_array":
        from respublica_env.envs.picture import require_pillow

        require_pillow()
    return mode


def check_render_seat(seat: SupportsIndex | str | None, num_players: int) -> Viewer:
    """Whose view is shown: None (everything), a seat, or "spectator"; ValueError for anything else."""
    return check_viewer(seat, num_players, "render_seat")


def render(game: Game, mode: str, seat: SupportsIndex | str | None = None) -> str | NDArray[np.uint8] | None:
    """The game in a render mode, as seen by a seat or the "spectator"; None shows everything.

    Returns:
        "ansi": the text; "human": None, the text is printed; "rgb_array": uint8 (H, W, 3).
    """
    if mode == "rgb_array":
        from respublica_env.envs.picture import draw

        return draw(game, seat)
    text = ansi_view(game, seat)
    if mode == "ansi":
        return text
    print(text)
    return None


def tells_nothing(game: Game, seat: Viewer) -> bool:
    """Whether showing the game now, unasked, keeps secret who passed by choice and who had none.

    A decision that the engine takes is not shown, so that the very moments at which a view is shown would tell. Where
    everything is shown there is nothing to keep; a seat is shown its own decisions; a spectator the beginning of each
    turn (who has a card has a choice in ANNOUNCE, and hand sizes are public); all of them the end.
    """
    if seat is None or game.terminated:
        return True
    return game.phase == "ANNOUNCE" if seat == SPECTATOR else game.player == seat
