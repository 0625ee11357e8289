"""Games played again: records checked decision by decision, and a page that shows one.

    python -m respublica_env.replay game.jsonl --html game.html

`page(record)` makes the page, one file that needs no network; `tell` is what it shows, as one viewer may know it.
"""

from respublica_env.replay.page import page
from respublica_env.replay.policy import Advisor, Decision, advisor
from respublica_env.replay.story import Story, tell

__all__ = ["Advisor", "Decision", "Story", "advisor", "page", "tell"]
