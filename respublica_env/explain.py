"""Why an action is illegal, in words. No rule is applied here: the engine says what is legal, this says why not."""

from typing import TYPE_CHECKING, Any

from respublica_env.actions import action_table
from respublica_env.rules import shown, whole

if TYPE_CHECKING:
    from respublica_env.game import Game

LISTED = 8  # legal actions listed in a message

# What each phase asks for, by the types of action that it takes.
ASKED = {
    "ANNOUNCE": ({"pass_", "offer", "seek"}, "the active player passes, offers what its hand can pay, or seeks"),
    "EXTEND": ({"pass_", "and_", "or_"}, "the speaker adds a term of greater kind that it can pay, or nothing more"),
    "RESPOND": ({"pass_", "offer", "seek"}, "a player passes or answers in the form of the announcement"),
    "ACCEPT": ({"pass_", "accept"}, "the active player takes an answer that it can pay, or declines"),
    "HAND_OVER": ({"pass_", "give"}, "cards are chosen in rising order on the way to what was said, then finished"),
    "CONVERT": ({"pass_", "convert"}, "a set in hand becomes a city or monument while the supply has one, or stop"),
    "DRAW": ({"draw"}, "the player draws what it is entitled to"),
    "FINAL_CONVERT": ({"pass_", "convert"}, "a set in hand becomes a city or monument while there is one, or stop"),
}


def why_illegal(game: "Game", action: Any) -> str:
    """One sentence that names the action, what the phase takes, and what is legal; or that it is legal."""
    table = action_table(game.rules)
    try:
        number = whole(action)
    except TypeError:
        return f"an action is a whole number from 0 to {table.size - 1}, got {shown(action)}"
    if not 0 <= number < table.size:
        return f"action {shown(number)} does not exist, actions go from 0 to {table.size - 1}"
    words = f'action {number}, "{table.describe(number)}",'
    if game.terminated:
        return f"{words} is illegal: the game is over"
    legal = game.legal_actions().tolist()
    if number in legal:
        return f"{words} is legal for player {game.player} in {game.phase}"
    taken, rule = ASKED[game.phase]
    kind = next(name for name, span in table.spans.items() if number in span)
    reason = rule if kind in taken else f"{game.phase} does not take it; {rule}"
    listed = ", ".join(f'{i} "{table.describe(i)}"' for i in legal[:LISTED])
    more = f" and {len(legal) - LISTED} more" if len(legal) > LISTED else ""
    return f"{words} is illegal for player {game.player} in {game.phase}: {reason}. Legal: {listed}{more}"
