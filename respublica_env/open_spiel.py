"""The door for OpenSpiel: importing this module registers the game `python_respublica`.

    import pyspiel
    import respublica_env.open_spiel

    game = pyspiel.load_game("python_respublica(num_players=3)")
    state = game.new_initial_state()

`ResPublicaGame` names the parameters.
"""

try:
    import pyspiel  # noqa: F401  (named here so that its absence is told plainly)
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "respublica_env.open_spiel needs OpenSpiel: pip install 'respublica-env[openspiel]'", name=error.name
    ) from error

from respublica_env.envs.open_spiel import ResPublicaGame, ResPublicaObserver, ResPublicaState, register

__all__ = ["ResPublicaGame", "ResPublicaObserver", "ResPublicaState"]

register()
