"""What the README shows of the game: `python -m respublica_env.tables [preset]` prints it as Markdown.

Tables of the action space and the observation under some rules, and two turns of a seeded game in words. A test
compares the README with it.
"""

import sys
from collections.abc import Container, Mapping
from typing import Any

from respublica_env.actions import action_table
from respublica_env.observation import blocks
from respublica_env.rules import Rules

MEANINGS = {
    "pass_": "nothing, nothing more, decline, finish, stop",
    "offer": '"I would give": ANNOUNCE, and RESPOND to an offer',
    "seek": '"I would like": ANNOUNCE, and RESPOND to a search',
    "and_": "EXTEND: a second term that comes on top",
    "or_": "EXTEND: a second term instead of the first",
    "accept": "ACCEPT: the answer of the player 1, 2, ... seats on",
    "give": "HAND_OVER: the next card",
    "convert": "CONVERT and FINAL_CONVERT: a set becomes a city or the top monument",
    "draw": "DRAW: how many cards of each deck",
}


def spaces_in_markdown(rules: Rules | Mapping[str, Any] | str | None = None) -> str:
    """Both tables under `rules` (whatever `Rules.of` takes)."""
    table = action_table(rules)
    lines = [f"`Discrete({table.size})`:", "", "| ids | example | used in |", "| --- | --- | --- |"]
    for name, span in table.spans.items():
        ids = f"{span.start}" if len(span) == 1 else f"{span.start} to {span.stop - 1}"
        lines.append(f"| {ids} | {table.describe(span.start)} | {MEANINGS[name]} |")
    shown = blocks(rules)
    lines += ["", f"`Box(0, 1, ({shown[-1].stop},), float32)`:", ""]
    lines += ["| indices | block | divided by | meaning | private |", "| --- | --- | --- | --- | --- |"]
    for block in shown:
        place = f"{block.start}" if block.length == 1 else f"{block.start} to {block.stop - 1}"
        private = "yes" if block.private else ""
        lines.append(f"| {place} | {block.name} | {block.scale} | {block.meaning} | {private} |")
    return "\n".join(lines)


TOLD = {
    "ANNOUNCE": "{player}: {words}",
    "EXTEND": "{player}: ... {words}",
    "RESPOND": "  {player}: {words}",
    "ACCEPT": "{player}: {words}",
    "HAND_OVER": "  {player}: {words}",
    "CONVERT": "{player}: {words}",
    "DRAW": "{player}: {words}",
    "FINAL_CONVERT": "{player}: {words}",
}


def turns_in_words(seed: int, turns: Container[int]) -> str:
    """What four `greedy` players say in some turns (from 0) of `Game(seed=seed)`; forced decisions go unsaid."""
    from respublica_env.game import Game

    game = Game(seed=seed)
    lines = []
    while not game.terminated:
        phase, player, turn = game.phase, game.player, game.turn
        words = game.describe(game.play_bot("greedy"))
        if turn in turns and not (phase == "EXTEND" and words == "pass"):
            lines.append(TOLD[phase].format(player=f"player {player}", words=words))
        if turn in turns and game.turn != turn:
            lines.append("")
    return "\n".join(lines).rstrip()


SHOWN_SEED, SHOWN_TURNS = 0, (14, 27)


if __name__ == "__main__":
    try:
        print(spaces_in_markdown(*sys.argv[1:2]))
    except ValueError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
    print(f"\n```text\n{turns_in_words(SHOWN_SEED, SHOWN_TURNS)}\n```")
