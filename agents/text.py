"""A player that reads and writes: any callable that answers a text with a text, such as a language model.

    agent = TextAgent(lambda prompt: my_model(prompt))

The prompt holds the rules in short, what the seat may see, and the legal moves in words. A reply may hold anything;
its last line that begins with "MOVE:" counts, or else its last line. A description of two terms is one reply: "MOVE:
offer 2 Roman or 1 Wheel". Nothing here talks to a network: the callable does.
"""

from collections.abc import Callable

import numpy as np

from agents.base import GameAgent
from agents.words import phrases, read_moves, rules_in_short
from respublica_env import Game, Rules
from respublica_env.envs.ansi import ansi_view
from respublica_env.envs.view import AGENT_NAMES
from respublica_env.rules import shown

MARK = "move:"
MOST_KEPT = 10_000  # views in which the rest of a reply is to be played, at most
FALLBACKS = ("pass", "raise")

HOW = {
    "ANNOUNCE": 'one of these, or two terms of one form joined by "and" or "or", such as "offer 2 {0} or 1 {1}".',
    "EXTEND": "one of these.",
    "RESPOND": 'one of these, or two terms joined by "and" or "or", such as "1 {0} and 1 {1}".',
    "HAND_OVER": 'one of these (one card each time), or all that you give at once, such as "give 2 {0} and 1 {1}".',
}


class NoMove(RuntimeError):  # noqa: N818 - what happened, in the words of the game
    """No reply held a legal move."""


class TextAgent(GameAgent):
    """Asks a callable for each decision.

    Args:
        ask: takes a prompt and returns a reply.
        name: how tables name it.
        retries: how often it is asked again after a reply without a legal move, at least 0; it is told why.
        fallback: what follows when no reply had one. "pass": passes, declines or stops, and where that is illegal takes
            the first legal action; "raise": NoMove.

    Attributes:
        calls: how often `ask` was called.
        failures: decisions for which no reply had a legal move.

    Raises ValueError for arguments that cannot be.
    """

    def __init__(self, ask: Callable[[str], str], name: str = "text", retries: int = 2, fallback: str = "pass") -> None:
        if not callable(ask):
            raise ValueError(f"ask must be a callable that takes and returns a string, got {shown(ask)}")
        if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
            raise ValueError(f"retries must be a whole number of at least 0, got {shown(retries)}")
        if fallback not in FALLBACKS:
            raise ValueError(f"fallback must be one of {', '.join(FALLBACKS)}, got {shown(fallback)}")
        self.name = name
        self.calls = 0
        self.failures = 0
        self._ask = ask
        self._retries = retries
        self._fallback = fallback
        # What was decided together with a decision already taken, by what the seat sees when it is to go on. The agent
        # is asked about many games in any order: what it sees is all that tells them apart.
        self._next: dict[tuple[Rules, int, bytes], list[tuple[int, ...]]] = {}

    def choose(self, game: Game, seat: int, rng: np.random.Generator) -> int:
        """The action in the game in which `seat` is to decide; `rng` is not used."""
        waiting = self._next.get(_key(game, seat))
        moves = waiting.pop() if waiting else self._asked(game, seat)
        if waiting == []:
            del self._next[_key(game, seat)]
        if len(moves) > 1:
            after = game.copy()
            after.step(moves[0])
            if len(self._next) >= MOST_KEPT:
                self._next.clear()  # games that were left: those that go on are asked once more
            self._next.setdefault(_key(after, seat), []).append(moves[1:])
        return moves[0]

    def _asked(self, game: Game, seat: int) -> tuple[int, ...]:
        """What the replies decide, or the fallback."""
        asked = text = prompt(game, seat)
        why = ""
        for _ in range(1 + self._retries):
            self.calls += 1
            reply = self._ask(text)
            line = move_line(reply)
            try:
                return read_moves(game, line)
            except ValueError as error:
                why = str(error)
            text = f"{asked}\n\nYour last reply, {shown(line)}, is no move here: {why}\nReply again."
        self.failures += 1
        if self._fallback == "raise":
            raise NoMove(f"{self.name} was asked {1 + self._retries} times: {why}")
        return (int(game.legal_actions()[0]),)  # 0, passing, is the first where it is legal


def prompt(game: Game, seat: int) -> str:
    """What the player in `seat`, which is to decide, is asked. It holds nothing that the seat may not see."""
    cards = game.rules.type_names[0], game.rules.type_names[game.rules.population_types]
    two = game.rules.max_terms == 2 or game.phase == "HAND_OVER"
    how = HOW.get(game.phase, "one of these.").format(*cards) if two else "one of these."
    moves = "\n".join(f"- {line}" for line in phrases(game))
    return f"""\
{rules_in_short(game.rules)}

You are {AGENT_NAMES[seat]}.
{ansi_view(game, seat)}
Legal moves ("1-3 Roman" stands for any of these counts):
{moves}
Reply with a last line "MOVE: " and your move: {how}"""


def move_line(reply: str) -> str:
    """The line of a reply that says the move; "" where there is none."""
    lines = [line.strip(" \t*`>-") for line in str(reply).splitlines()]
    marked = [line[len(MARK) :] for line in lines if line.casefold().startswith(MARK)]
    said = [line for line in lines if line]
    return (marked or said or [""])[-1].strip(" *`")


def _key(game: Game, seat: int) -> tuple[Rules, int, bytes]:
    return game.rules, seat, game.observation(seat).tobytes()
