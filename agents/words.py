"""A game in words, for whoever reads and writes: people (agents/human.py) and text models (agents/text.py).

`read_moves` makes decisions of a line such as "offer 2 Roman or 1 Wheel", which takes two. `menu` and `phrases` list
what is legal, `rules_in_short` says the rules. Nothing here depends on what the player to decide may not see.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress

from respublica_env import Game, IllegalAction, Rules
from respublica_env.actions import PASS_WORDS, Action, action_table
from respublica_env.envs.ansi import aligned, counted
from respublica_env.envs.view import AGENT_NAMES, see
from respublica_env.rules import shown

PASSES = (*PASS_WORDS, "no", "none")

# What action 0 is called, where it is not "pass".
PASS_IN = {
    "EXTEND": "nothing more",
    "ACCEPT": "decline",
    "HAND_OVER": "finish",
    "CONVERT": "stop",
    "FINAL_CONVERT": "stop",
}

_LINK = re.compile(r"\s+(and|or)\s+")
_TERM = re.compile(r"(?:([0-9]{1,10})\s*)?(.+)")
_SPOKEN = re.compile(r"(?:(?:i )?(offer|seek|would give|would like|give|like)s?\b)?\s*(.*)")
_FORMS = {
    "offer": "offer",
    "would give": "offer",
    "give": "offer",
    "seek": "seek",
    "would like": "seek",
    "like": "seek",
}


def by_hand(game: Game) -> Game:
    """The same position, in which no decision is taken by the engine: each can be looked at on its own."""
    position = game.to_dict()
    return Game.from_dict(position | {"rules": position["rules"] | {"auto_forced": False}})


# -- from words


def read_moves(game: Game, line: str) -> tuple[int, ...]:
    """The decisions of the player to decide that a line means, in order and all legal; at least one.

    Besides what `Game.parse` reads, in any case and spacing, with cards by any beginning that tells them apart ("rom")
    and counts of 1 left out:

    - "offer 2 Roman or 1 Wheel", "seek 1 Greek": a whole description, ended there. Terms may come in either order. In
      an answer "offer" or "seek" may be left out; "would give" and "would like" mean the same.
    - "give 2 Roman and 1 Wheel": all that is given, or all that is still to be given. "give Roman" chooses one card.
    - "accept player_2": an answer by its seat's name.

    Raises:
        ValueError: these are no words for a move; it says what is accepted.
        IllegalAction: they are, and the move is illegal; it says why.
    """
    *others, last = _readings(game, line)
    for actions in others:
        with suppress(IllegalAction):
            return _checked(game, actions)
    return _checked(game, last)


def _checked(game: Game, actions: Sequence[int]) -> tuple[int, ...]:
    """The decisions that are to be taken so that these actions follow; IllegalAction where one cannot."""
    trial, moves = by_hand(game), []
    for i, action in enumerate(actions):
        if not trial.action_mask()[action]:
            before = f'after "{describe(game, actions[i - 1])}" ' if i else ""
            raise IllegalAction(before + trial.why_illegal(action))
        # A decision that leaves no choice is none where the engine takes it.
        if not (game.rules.auto_forced and len(trial.legal_actions()) == 1):
            moves.append(action)
        trial.step(action)
    return tuple(moves)


def describe(game: Game, action: int) -> str:
    """An action in the words of the present phase, players by name; `read_moves` reads them back."""
    if action == 0:
        return PASS_IN.get(game.phase, "pass")
    meaning = action_table(game.rules).decode(action)
    if meaning.type == "accept" and game.active is not None:
        return f"accept {AGENT_NAMES[(game.active + meaning.player) % game.rules.num_players]}"
    return game.describe(action)


def _readings(game: Game, line: str) -> list[list[int]]:
    """The actions that a line may name, whether they are legal or not; the likeliest reading first."""
    text = " ".join(line.casefold().replace("+", " + ").split()).strip(" .!\"'`*")
    if not text:
        raise ValueError("say a move")
    if game.phase == "HAND_OVER" and text.startswith("give"):
        return _gifts(game, text.removeprefix("give").strip())
    return [_actions(game, text)]


def _actions(game: Game, text: str) -> list[int]:
    if text in PASSES:
        return [0]
    phase = game.phase
    if phase in ("ANNOUNCE", "RESPOND") and not text.startswith(("accept", "convert", "draw", "and ", "or ")):
        return _description(game, text)
    if phase == "EXTEND" and (link := re.fullmatch(r"(and|or)\s+(.+)", text)):
        return [_spoken(game.rules, link[1], _term(game.rules, link[2]))]
    if phase == "ACCEPT" and (name := re.fullmatch(r"(?:accept\s+)?player[ _]([0-9])", text)):
        return [_accept(game, int(name[1]))]
    if phase in ("CONVERT", "FINAL_CONVERT") and (card := re.fullmatch(r"convert\s+(?:[0-9]+\s+)?(.+)", text)):
        return [action_table(game.rules).convert[find(card[1], game.rules.type_names)]]
    if phase == "DRAW":
        return [game.parse(re.sub(r"\s*(\band\b|,)\s*", " + ", text).replace(" cards", "").replace(" card", ""))]
    return [game.parse(text)]


def _description(game: Game, text: str) -> list[int]:
    """First term, second term or nothing more; the form of an answer is that of the announcement."""
    rules = game.rules
    spoken = _SPOKEN.fullmatch(text)
    assert spoken is not None  # both of its parts may be empty
    form, rest = _FORMS.get(spoken[1] or ""), spoken[2]
    if form is None:
        if game.phase == "ANNOUNCE":
            example = f"2 {rules.kind_names[0]}"
            raise ValueError(f'{shown(text)} is no move: say "offer {example}", "seek {example}" or "pass"')
        assert game.active is not None  # nobody answers where nobody has announced
        form = see(game, game.player).said[game.active]["form"]
    first, *more = _LINK.split(rest)
    terms = [_term(rules, first)]
    if not more:
        return [_spoken(rules, form, terms[0]), 0]
    if len(more) > 2:
        raise ValueError(f"a description has one term or two, got {shown(rest)}")
    terms = sorted([terms[0], _term(rules, more[1])], key=lambda term: term[1])
    return [_spoken(rules, form, terms[0]), _spoken(rules, more[0], terms[1])]


def _gifts(game: Game, text: str) -> list[list[int]]:
    """One card; or all that is given with the end of it, be it with the cards chosen already or without them."""
    rules, table = game.rules, action_table(game.rules)
    if text in map(str.casefold, rules.type_names) or not re.search(r"[0-9]|,|\band\b|\+", text):
        return [[table.give[find(text, rules.type_names)]]]
    wanted = [0] * rules.num_types
    for part in re.split(r"\s*(?:,|\band\b|\+)\s*", text):
        count, kind = _term(rules, part, rules.type_names)
        wanted[kind] += min(count, rules.copies + 1)
    assert game.player is not None  # the game is not over
    chosen = see(game, game.player).chosen[game.player] or [0] * rules.num_types
    more = [[count - taken for count, taken in zip(wanted, chosen, strict=True)], wanted]
    return [
        [table.give[kind] for kind, count in enumerate(counts) for _ in range(count)] + [0]
        for counts in more
        if min(counts) >= 0
    ]


def _accept(game: Game, seat: int) -> int:
    table, active = action_table(game.rules), game.active
    if active is None or seat >= game.rules.num_players or seat == active:
        others = [AGENT_NAMES[other] for other in range(game.rules.num_players) if other != active]
        raise ValueError(f"an answer is taken from {', '.join(others)}, got player_{seat}")
    return table.accept[(seat - active) % game.rules.num_players - 1]


def _spoken(rules: Rules, word: str, term: tuple[int, int]) -> int:
    return action_table(rules).parse(f"{word} {term[0]} {rules.kind_names[term[1]]}")


def _term(rules: Rules, text: str, names: Sequence[str] | None = None) -> tuple[int, int]:
    """Count and kind; ValueError for what is no term."""
    match = _TERM.fullmatch(text.strip())
    if match is None:
        raise ValueError(f'a term is a count and a kind, such as "2 {rules.kind_names[0]}"')
    return int(match[1] or 1), find(match[2], rules.kind_names if names is None else names)


def find(text: str, names: Sequence[str]) -> int:
    """Where the card of a name stands among `names`: the name, its plural, or a beginning that only one of them has."""
    text = text.strip()
    known = [name.casefold() for name in names]
    for wanted in (text, text.removesuffix("s")):
        if wanted in known:
            return known.index(wanted)
    fitting = [i for i, name in enumerate(known) if text and name.startswith(text)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise ValueError(f"{shown(text)} may be {' or '.join(names[i] for i in fitting)}")
    raise ValueError(f"no card is called {shown(text)}; there are: {', '.join(names)}")


# -- to words


def menu(game: Game) -> list[str]:
    """The legal actions with their numbers, in lines: a table of cards by count where descriptions are spoken."""
    spoken, others = _parted(game)
    lines = [f"{action:5} {describe(game, action)}" for action in others]
    if not spoken:
        return lines
    words = list(dict.fromkeys(meaning.type for meaning in spoken.values()))
    numbers = {(meaning.type, meaning.count, meaning.kind): str(action) for action, meaning in spoken.items()}
    columns = [(word, count) for word in words for count in range(1, game.rules.max_count + 1)]
    rows = [["", *(f"{word.rstrip('_')} 1" if count == 1 else str(count) for word, count in columns)]]
    for kind in sorted({meaning.kind for meaning in spoken.values()}):
        cells = [numbers.get((word, count, kind), ".") for word, count in columns]
        rows.append([game.rules.kind_names[kind], *cells])
    return [*aligned(rows).splitlines(), *lines]


def phrases(game: Game) -> list[str]:
    """The legal actions in words, a line for each way to begin: "offer 1-2 Roman, 1 any card"."""
    spoken, others = _parted(game)
    lines = []
    for word in dict.fromkeys(meaning.type for meaning in spoken.values()):
        counts: dict[int, list[int]] = {}
        for meaning in spoken.values():
            if meaning.type == word:
                counts.setdefault(meaning.kind, []).append(meaning.count)
        terms = [f"{_span(numbers)} {game.rules.kind_names[kind]}" for kind, numbers in counts.items()]
        lines.append(f"{word.rstrip('_')} {', '.join(terms)}")
    return lines + [describe(game, action) for action in others]


def _parted(game: Game) -> tuple[dict[int, Action], list[int]]:
    """Legal actions that speak a term, with their meaning, and the others."""
    table = action_table(game.rules)
    meanings = {action: table.decode(action) for action in game.legal_actions().tolist()}
    spoken = {
        action: meaning for action, meaning in meanings.items() if meaning.type in ("offer", "seek", "and_", "or_")
    }
    return spoken, [action for action in meanings if action not in spoken]


def _span(counts: Iterable[int]) -> str:
    """Counts, which have no gaps, as "1-3"."""
    low, *_, high = sorted([*counts, *counts])
    return str(low) if low == high else f"{low}-{high}"


def rules_in_short(rules: Rules) -> str:
    """The rules as a player needs them, in some 250 words."""
    types, first = rules.type_names, rules.population_types
    two = " or two terms joined by and/or" if rules.max_terms == 2 else ""
    wild = f", {', '.join(rules.kind_names[rules.num_types :])}" if rules.wildcards else ""
    draws = "may draw" if rules.optional_draw else "draws"
    return f"""\
Res Publica, {rules.num_players} players. Most points win. Hands are hidden.
Population cards: {", ".join(types[:first])}. Technology cards: {", ".join(types[first:])}.
There are {rules.copies} of each.
A turn:
1. The active player offers what it would give, or seeks what it would like, or passes. It says one term{two}.
A term is a count (1 to {rules.max_count}) and a kind: a card type{wild}.
Who promises cards must hold them; a search may name anything.
2. The others answer in order, once each, or pass: to an offer with what they would give for it; to a search, if they
hold what is sought, with what they would like for it.
3. The active player takes one answer, and both give exactly what was said; or it declines.
4. It may turn {rules.set_size} identical population cards into a city ({counted(rules.city_points, "point")}; \
{rules.num_cities} in all), and {rules.set_size} identical technology
cards into the next monument (points in order: {", ".join(map(str, rules.monument_points))}).
5. It {draws} 1 population card and 1 technology card for each of its cities, at most {rules.max_draw} in all.
When the technology deck is empty, each player has one more turn, and then builds once more.
After {rules.max_turns} turns the game ends in any case.
Each pair of identical cards in hand is then worth {counted(rules.pair_points, "point")}."""
