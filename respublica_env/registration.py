"""Ids under which other libraries' `make` finds the environments."""

import gymnasium

GYMNASIUM_ID = "respublica/ResPublica-v0"
PETTINGZOO_ID = "respublica/respublica-v0"


def register() -> None:
    """Make the ids known, once; what an older release has no registry for is left out."""
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="respublica_env.envs.single_agent:ResPublicaEnv",
            vector_entry_point="respublica_env.envs.gymnasium_vector:ResPublicaVectorEnv",
        )
    _register_pettingzoo()


def _register_pettingzoo() -> None:
    import pettingzoo

    if not hasattr(pettingzoo, "register"):  # PettingZoo before 1.27
        return
    if PETTINGZOO_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", PETTINGZOO_ID, entry_point="respublica_env.respublica_v0:env")
