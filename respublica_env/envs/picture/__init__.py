"""A game as a picture: the table with all cards, what has been said, and whose decision it is. Drawn offscreen.

Needs Pillow (`pip install "respublica-env[render]"`) and nothing else: no display, no font files, no artwork. It is
loaded when the first picture is drawn.
"""

from typing import SupportsIndex

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from respublica_env.envs.view import see
from respublica_env.game import Game


def draw(game: Game, seat: SupportsIndex | str | None = None) -> NDArray[np.uint8]:
    """The game as seen by a seat or the "spectator"; None shows everything. Touches no random stream.

    Returns:
        uint8 (H, W, 3); H and W depend on the rules only, and are even.

    Raises:
        ValueError: for no such viewer.
        DependencyNotInstalled: where Pillow is missing.
    """
    view = see(game, seat)
    require_pillow()
    from respublica_env.envs.picture.table import draw_view

    return draw_view(view)


def require_pillow() -> None:
    """Raise DependencyNotInstalled, which says what to install, where Pillow is missing or too old."""
    try:
        import PIL
        from PIL import Image, ImageDraw, ImageFont  # noqa: F401 - a build may lack one
    except ImportError:
        raise DependencyNotInstalled(f"drawing needs Pillow: {_INSTALL}") from None
    if tuple(map(int, PIL.__version__.split(".")[:2])) < (10, 1):  # the first whose own font comes in any size
        raise DependencyNotInstalled(f"drawing needs Pillow 10.1 or newer, this is {PIL.__version__}: {_INSTALL}")


_INSTALL = 'pip install "respublica-env[render]"'
