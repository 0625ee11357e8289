"""A person at a terminal: is shown what its seat may see, and decides by numbers or words."""

from collections.abc import Callable

from agents.words import PASS_IN, menu, read_moves, rules_in_short
from respublica_env import Game, IllegalAction
from respublica_env.envs.ansi import ansi_view
from respublica_env.envs.view import AGENT_NAMES

MOST_LINE = 1_000  # characters of an answer that are looked at

# What is to be decided in each phase, and how to say it with the names of cards put in.
ASKED = {
    "ANNOUNCE": (
        "Your turn. Offer what you would give, seek what you would like, or pass.",
        '"offer 2 {0} or 1 {1}", "seek 1 {1}", "pass"',
    ),
    "EXTEND": ("A second term, or nothing more.", '"and 1 {1}", "or 2 {1}", "nothing more"'),
    "RESPOND": (
        "Your answer: what you would give for the offer, or like for what is sought; or pass.",
        '"1 {0}", "2 {0} and 1 {1}", "pass"',
    ),
    "ACCEPT": ("Take an answer, or decline.", '"accept player_1", "decline"'),
    "HAND_OVER": (
        "Choose the cards that you give: one by one, or all of them at once.",
        '"give {0}" (one card), "give 2 {0} and 1 {1}" (all), "finish"',
    ),
    "CONVERT": ("Build, or stop.", '"convert {0}", "stop"'),
    "DRAW": ("Draw.", '"draw 1 population + 2 technology"'),
    "FINAL_CONVERT": ("The last chance to build, or stop.", '"convert {0}", "stop"'),
}


class Undo(Exception):  # noqa: N818 - not an error: what a person asks for
    """The person wants its last decision back."""


class Leave(Exception):  # noqa: N818 - not an error either
    """The person leaves the game."""


class Person:
    """Asks for the decisions of one seat.

    Args:
        seat: its seat.
        undo: whether decisions may be taken back.
        read: takes a prompt and returns a line, as `input` does; EOFError ends the game.
        write: shows text, as `print` does.
    """

    def __init__(
        self,
        seat: int,
        undo: bool = False,
        read: Callable[[str], str] = input,
        write: Callable[[str], object] = print,
    ) -> None:
        self.seat = seat
        self.undo = undo
        self._read = read
        self._write = write

    def ask(self, game: Game, show_table: bool = True) -> tuple[int, ...]:
        """The decisions that the person takes at once, all legal; asks until there are any.

        Raises Undo, where it is on, and Leave.
        """
        if show_table:
            self._write("\n" + ansi_view(game, self.seat))
        self._write("\n".join([ASKED[game.phase][0], *menu(game)]))
        while True:
            try:
                line = self._read(f"{AGENT_NAMES[self.seat]} ({'undo, ' if self.undo else ''}? for help)> ")
            except EOFError:
                raise Leave from None
            except UnicodeDecodeError:
                self._write("that was no text")
                continue
            moves = self._answer(game, line[:MOST_LINE].strip())
            if moves:
                return moves

    def _answer(self, game: Game, line: str) -> tuple[int, ...]:
        """What a line decides; nothing, where it asked for something else or could not be."""
        match line.casefold():
            case "":
                return ()
            case "?" | "help":
                self._write(self._help(game))
            case "rules":
                self._write(rules_in_short(game.rules))
            case "table":
                self._write(ansi_view(game, self.seat))
            case "moves":
                self._write("\n".join(menu(game)))
            case "quit" | "exit":
                raise Leave
            case "undo" if self.undo:
                raise Undo
            case "undo":
                self._write("undo is off; the option --undo turns it on")
            case _:
                return self._moves(game, line)
        return ()

    def _moves(self, game: Game, line: str) -> tuple[int, ...]:
        try:
            if not line.isdecimal():
                return read_moves(game, line)
            if int(line) in game.legal_actions().tolist():
                return (int(line),)
            self._write(game.why_illegal(int(line)))
        except IllegalAction as error:
            self._write(str(error))
        except ValueError as error:
            self._write(f"{error} (? for help)")
        return ()

    def _help(self, game: Game) -> str:
        asked, examples = ASKED[game.phase]
        cards = game.rules.type_names[0], game.rules.type_names[game.rules.population_types]
        nothing = PASS_IN.get(game.phase, "pass")
        return "\n".join(
            [
                asked,
                "Say the number of a move, or say it in words, cards by their first letters if you like:",
                f"  {examples.format(*cards)}",
                *([f'0 and "pass" mean {nothing} here.'] if 0 in game.legal_actions() and nothing != "pass" else []),
                "A description in words is complete: a number says its first term only, and asks for the second.",
                f"Also: table, moves, rules, {'undo, ' if self.undo else ''}quit (or Ctrl-C, Ctrl-D), ? for this help.",
            ]
        )
