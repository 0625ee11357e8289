"""Positions that cannot be: a real one with one thing broken is refused, with the reason."""

import copy
from typing import Any

import numpy as np
import pytest

from respublica_env import Game, Rules

RULES = Rules(
    num_players=3,
    population_types=3,
    technology_types=2,
    copies=4,
    hand_size=3,
    set_size=2,
    monument_points=(4, 3),
    num_cities=2,
    max_turns=2,
    auto_forced=False,
)
# Hands: 0 0 1, then 1 1 2, then 2 2 0; next population cards 0, 1, 2.
POPULATION = [0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 1, 2]
TECHNOLOGY = [3, 3, 4, 4, 3, 3, 4, 4]

OFFER = ["offer 1 Roman", "or 1 Babylonian"]
ANSWERS = ["offer 1 Egyptian", "nothing more", "pass"]
SEARCH = ["seek 1 Babylonian", "nothing more", "seek 2 Roman", "nothing more", "pass"]
MONUMENT: list[str] = []  # no play leads there so soon: a monument is written into the beginning
SCRIPTS: dict[str, list[str]] = {
    "announce": [],
    "extend": OFFER[:1],
    "respond": OFFER,
    "answering": [*OFFER, ANSWERS[0]],
    "accept": [*OFFER, *ANSWERS],
    "active gives": [*OFFER, *ANSWERS, "accept 1"],
    "partner gives": [*OFFER, *ANSWERS, "accept 1", "give Roman", "pass"],
    "searched": SEARCH,
    "search taken": [*SEARCH, "accept 1"],
    "convert": ["pass"],
    "built": ["pass", "convert Roman"],
    "draw": ["pass", "convert Roman", "pass"],
    "next turn": ["pass", "convert Roman", "pass", "draw 1 population + 1 technology"],
    "monument": MONUMENT,
    "last converts": ["pass", "pass", "draw 1 population"] * 2,
    "over": ["pass", "pass", "draw 1 population"] * 2 + ["pass"] * 3,
}


def play_script(script: list[str]) -> Game:
    game = Game(RULES, seed=0, population_deck=POPULATION, technology_deck=TECHNOLOGY)
    for words in script:
        if words.startswith("accept"):
            game.step(game.legal_actions()[-1])
        elif words in ("pass", "nothing more"):
            game.step(0)
        else:
            game.step(game.parse(words))
    if script is MONUMENT:
        position = game.to_dict() | {"technology_deck": TECHNOLOGY[2:], "monuments": [[4], [], []], "builders": [0]}
        position["spent"][3] = 2
        game = Game.from_dict(position)
    return game


PHASES = {
    "announce": "ANNOUNCE",
    "extend": "EXTEND",
    "respond": "RESPOND",
    "answering": "EXTEND",
    "accept": "ACCEPT",
    "active gives": "HAND_OVER",
    "partner gives": "HAND_OVER",
    "searched": "ACCEPT",
    "search taken": "HAND_OVER",
    "convert": "CONVERT",
    "built": "CONVERT",
    "draw": "DRAW",
    "next turn": "ANNOUNCE",
    "monument": "ANNOUNCE",
    "last converts": "FINAL_CONVERT",
    "over": "OVER",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_unbroken_positions_are_accepted(name: str) -> None:
    game = play_script(SCRIPTS[name])
    assert game.phase == PHASES[name]
    assert Game.from_dict(game.to_dict()).to_dict() == game.to_dict()


ANY = object()  # a key to leave out
Changes = dict[tuple[Any, ...], Any]


def broken(name: str, changes: Changes) -> dict[str, Any]:
    position = copy.deepcopy(play_script(SCRIPTS[name]).to_dict())
    for path, value in changes.items():
        place: Any = position
        for key in path[:-1]:
            place = place[key]
        if value is ANY:
            del place[path[-1]]
        else:
            place[path[-1]] = value
    return position


def said(form: Any, *terms: list[Any], link: Any = None) -> dict[str, Any]:
    return {"form": form, "terms": list(terms), "link": link}


IMPOSSIBLE: list[tuple[str, str, Changes]] = [
    # Cards do not add up to the decks.
    ("hold 5 Roman together, the game has 4", "announce", {("hands", 0, 0): 3}),
    ("hold 3 Babylonian together", "announce", {("hands", 1, 1): 1}),
    ("hold 2 Roman together, the game has 4", "built", {("spent", 0): 0}),
    ("hold 3 Roman together", "announce", {("population_deck", 0): 1}),
    ("population_deck holds a card of type 3", "announce", {("population_deck", 0): 3}),
    ("technology_deck holds a card of type 0", "announce", {("technology_deck", 7): 0}),
    ("hold 3 Metalworking together", "announce", {("technology_deck",): TECHNOLOGY[1:]}),
    ("technology_deck holds 9 cards, the game has 8", "announce", {("technology_deck",): [*TECHNOLOGY, 3]}),
    ("spent is .*, cards leave the game in sets of 2", "announce", {("spent", 0): 1, ("hands", 0, 0): 1}),
    ("there are 1 cities, spent pays for 0", "announce", {("cities", 1): 1}),
    ("there are 0 cities, spent pays for 1", "built", {("cities", 0): 0}),
    ("there are 1 monuments, spent pays for 0", "announce", {("monuments", 0): [4]}),
    # A count is negative.
    ("hands holds the negative count -1", "announce", {("hands", 0, 2): -1, ("hands", 1, 2): 2}),
    ("spent holds the negative count -2", "announce", {("spent", 0): -2}),
    ("cities holds the negative count -1", "announce", {("cities",): [1, -1, 0]}),
    ("known holds the negative count -1", "announce", {("known", 0, 1, 0): -1}),
    ("public holds the negative count -1", "announce", {("public", 0, 0): -1}),
    ("chosen holds the negative count -1", "active gives", {("chosen", 0, 0): -1}),
    ("turn is -1", "announce", {("turn",): -1}),
    # Known holdings exceed a hand.
    (r"known\[2\] exceeds a hand", "announce", {("known", 2, 0, 0): 3}),
    (r"known\[0\]\[0\] must be 0", "announce", {("known", 0, 0, 0): 1}),
    (r"public exceeds known\[\d\]", "announce", {("public", 0, 0): 1}),
    (r"public exceeds known\[2\]", "announce", {("public", 0, 0): 1, ("known", 1, 0, 0): 1}),
    # Phase and players.
    ("after 0 turns player 0 is active, not 1", "announce", {("active",): 1, ("player",): 1}),
    ("after 1 turns player 1 is active", "announce", {("turn",): 1}),
    ("in ANNOUNCE the active player 0 decides, not 2", "announce", {("player",): 2}),
    ("in DRAW the active player 0 decides, not 1", "draw", {("player",): 1}),
    ("no player is active or to decide", "announce", {("player",): None}),
    ("no player is active or to decide", "convert", {("active",): None}),
    ("a player is active or to decide", "over", {("player",): 0}),
    ("a player is active or to decide", "over", {("active",): 2, ("player",): 2}),
    ("phase is OVER, but the turns of the game are not at their end", "announce", {("phase",): "OVER"}),
    ("phase is FINAL_CONVERT, but the turns", "convert", {("phase",): "FINAL_CONVERT", ("final_converts_left",): 3}),
    ("phase is ANNOUNCE, but the turns of the game are at", "last converts", {("phase",): "ANNOUNCE"}),
    ("final_converts_left is 0 in phase FINAL_CONVERT", "last converts", {("final_converts_left",): 0}),
    ("final_converts_left is 1 in phase CONVERT", "convert", {("final_converts_left",): 1}),
    ("final_converts_left is 4, it can be 0 to 3", "last converts", {("final_converts_left",): 4}),
    ("after 2 turns player 0 is active, not 2", "last converts", {("final_converts_left",): 2}),
    ("active is 3, it can be 0 to 2", "announce", {("active",): 3}),
    ("player is -1, it can be", "announce", {("player",): -1}),
    # The final round, and stalling.
    ("final round begins exactly when the technology deck is empty", "announce", {("final_round",): True}),
    ("stalls exactly when max_turns ends", "announce", {("stalled",): True}),
    ("turn is 2 of at most 2", "last converts", {("stalled",): False}),
    ("turn is 3 of at most 2", "next turn", {("turn",): 3}),
    ("final_turns_left counts turns of a final round", "announce", {("final_turns_left",): 1}),
    ("monuments are .*, built by .1.; the pile falls", "monument", {("builders",): [1]}),
    ("monuments are .*; the pile falls", "announce", {
        ("monuments", 0): [3], ("spent", 3): 2, ("technology_deck",): [3, 3, 4, 4, 4, 4],
    }),
    # Speakers.
    ("nothing is said and nobody is partner", "announce", {("said", 0): "pass"}),
    ("nothing is said and nobody is partner", "convert", {("said", 1): said("offer", [1, 1])}),
    ("nothing is said and nobody is partner", "convert", {("partner",): 1}),
    ("in RESPOND the active player has offered or sought", "respond", {("said", 0): None}),
    ("in ACCEPT the active player has offered or sought", "accept", {("said", 0): "pass"}),
    ("the active player does not answer itself", "respond", {("player",): 0}),
    ("what player 1 has said does not fit RESPOND", "respond", {("player",): 2}),
    ("what player 2 has said does not fit RESPOND", "respond", {("said", 2): "pass"}),
    ("what player 2 has said does not fit ACCEPT", "accept", {("said", 2): None}),
    ("what player 1 has said does not fit", "accept", {("said", 1): said("seek", [1, 1])}),
    ("in EXTEND the player to decide has said one term", "answering", {("said", 1): "pass"}),
    ("in EXTEND the player to decide has said one term", "extend",
        {("said", 0): said("offer", [1, 0], [1, 1], link="or")}),
    ("there is a partner exactly in HAND_OVER", "accept", {("partner",): 1}),
    ("there is a partner exactly in HAND_OVER", "active gives", {("partner",): None}),
    ("player 2 gave no answer that could be taken", "active gives", {("partner",): 2}),
    ("player 0 gave no answer that could be taken", "active gives", {("partner",): 0}),
    ("the active player or the partner decides", "active gives", {("player",): 2}),
    # Standing promises.
    ("player 0 cannot pay what it promised", "respond", {("said", 0): said("offer", [1, 2])}),
    ("player 0 cannot pay what it promised", "respond", {("said", 0): said("offer", [1, 0], [2, 1], link="or")}),
    ("player 0 cannot pay what it promised", "respond", {("said", 0): said("offer", [2, 0], [2, 7], link="and")}),
    ("player 1 cannot pay what it promised", "accept", {("said", 1): said("offer", [1, 0])}),
    ("player 2 answered a search that it cannot pay", "searched", {("said", 2): said("seek", [1, 0])}),
    ("player 1 answered a search that it cannot pay", "searched", {("said", 0): said("seek", [3, 1])}),
    ("the active player took an answer that it cannot pay", "search taken", {("said", 1): said("seek", [3, 0])}),
    ("the active player seeks with an empty hand", "searched", {("hands", 0): [0] * 5, ("hands", 2): [3, 1, 2, 0, 0]}),
    # Chosen cards.
    ("cards are chosen only in HAND_OVER", "convert", {("chosen", 0, 0): 1}),
    ("the cards chosen by player 0 do not lead to", "active gives", {("chosen", 0, 0): 2}),
    ("the cards chosen by player 0 do not lead to", "active gives", {("chosen", 0, 3): 1}),
    ("the cards chosen by player 1 do not lead to", "partner gives", {("chosen", 1, 1): 1}),
    ("the partner chooses after the active player", "active gives", {("chosen", 1, 2): 1}),
    ("the active player has not chosen what it has to pay", "partner gives", {("chosen", 0, 0): 0}),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "name", "changes"), IMPOSSIBLE, ids=[f"{row[1]}: {row[0]}" for row in IMPOSSIBLE])
def test_an_impossible_position_is_refused_with_the_reason(reason: str, name: str, changes: Changes) -> None:
    with pytest.raises(ValueError, match=f"impossible position: .*{reason}"):
        Game.from_dict(broken(name, changes))


MALFORMED: list[tuple[str, str, Changes]] = [
    ("missing hands", "announce", {("hands",): ANY}),
    ("missing known", "announce", {("known",): ANY}),
    ("unknown 'colour'", "announce", {("colour",): 1}),
    ("the key 'rules'", "announce", {("rules",): ANY}),
    ("rules must be", "announce", {("rules",): 7}),
    ("copies must be", "announce", {("rules", "copies"): 99}),
    ("hands must be whole numbers of shape", "announce", {("rules", "num_players"): 4}),
    ("seed must be", "announce", {("seed",): 1.5}),
    ("seed must be", "announce", {("seed",): -1}),
    ("seed must be", "announce", {("seed",): None}),
    ("phase must be one of", "announce", {("phase",): "LUNCH"}),
    ("phase must be one of", "announce", {("phase",): 0}),
    ("hands must be whole numbers of shape", "announce", {("hands", 0, 0): 2.0}),
    ("hands must be whole numbers of shape", "announce", {("hands", 0, 0): float("nan")}),
    ("hands must be whole numbers of shape", "announce", {("hands", 0, 0): "2"}),
    ("hands must be whole numbers of shape", "announce", {("hands", 0, 0): None}),
    ("hands must be whole numbers of shape", "announce", {("hands", 0, 0): ANY}),
    ("hands must be whole numbers of shape", "announce", {("hands",): None}),
    ("hands holds 40000", "announce", {("hands", 0, 0): 40000}),
    ("hands holds 1180591620717411303424", "announce", {("hands", 0, 0): 2**70}),
    # Bools pass for 0 and 1 in most of Python, here they do not.
    ("hands must be whole numbers of shape", "announce", {("hands", 0, 1): False}),
    ("hands must be whole numbers of shape", "announce", {("hands",): np.zeros((3, 5), bool)}),
    ("spent must be whole numbers of shape", "announce", {("spent", 0): False}),
    ("cities must be whole numbers of shape", "announce", {("cities",): [0, False, 0]}),
    ("population_deck must be whole numbers of shape", "announce", {("population_deck", 1): True}),
    ("chosen must be whole numbers of shape", "active gives", {("chosen", 0, 0): False}),
    ("known must be whole numbers of shape", "announce", {("known", 0, 1, 1): True}),
    ("public must be whole numbers of shape", "announce", {("public", 0, 0): np.False_}),
    ("streams must be 5 whole numbers", "announce", {("streams", 0): True}),
    ("said must hold", "respond", {("said", 0): said("offer", [True, 0])}),
    ("said must hold", "respond", {("said", 0): said("offer", [1, False])}),
    ("population_deck must be a list", "announce", {("population_deck",): None}),
    ("population_deck must be a list", "announce", {("population_deck",): "012"}),
    ("population_deck must be whole numbers", "announce", {("population_deck", 0): 0.0}),
    ("monuments must be a list of points", "announce", {("monuments",): [[], []]}),
    ("monuments must be a list of points", "announce", {("monuments",): None}),
    ("monuments must be a list of points", "announce", {("monuments", 0): 4}),
    ("monuments must be a list of points", "announce", {("monuments", 0): None}),
    ("monuments must be a list of points", "announce", {("monuments", 0): "4"}),
    ("monuments must be a list of points", "monument", {("monuments",): [[4.0], [], []]}),
    ("monuments must be a list of points", "monument", {("monuments",): [[True], [], []]}),
    ("monuments must be a list of points", "monument", {("monuments",): {0: [4], 1: [], 2: []}}),
    ("builders must be whole numbers of shape", "monument", {("builders",): 0}),
    ("builders must be whole numbers of shape", "monument", {("builders",): [0.0]}),
    ("builders must be whole numbers of shape", "monument", {("builders",): [False]}),
    ("builders must be whole numbers of shape", "monument", {("builders",): [0, 0]}),
    ("builders must be whole numbers of shape", "announce", {("builders",): [0]}),
    ("builders must be whole numbers of shape", "announce", {("builders",): "no"}),
    ("turn must be a whole number", "announce", {("turn",): 0.0}),
    ("turn must be a whole number", "announce", {("turn",): False}),
    ("turn must be a whole number", "announce", {("turn",): None}),
    ("active must be a whole number", "announce", {("active",): "0"}),
    ("final_round must be True or False", "announce", {("final_round",): 0}),
    ("stalled must be True or False", "announce", {("stalled",): None}),
    ("said must hold an entry for each of 3 seats", "announce", {("said",): [None] * 4}),
    ("said must hold an entry for each of 3 seats", "announce", {("said",): None}),
    ("said must hold None, 'pass' or a dict", "respond", {("said", 0): "offer 1 Roman"}),
    ("said must hold None, 'pass' or a dict", "respond", {("said", 0): {}}),
    ("said must hold None, 'pass' or a dict", "respond", {("said", 0): 5}),
    ("said must hold None, 'pass' or a dict", "respond", {("said", 0): np.int64(5)}),
    ("said must hold None, 'pass' or a dict", "respond", {("said", 0): np.array("pass")}),
    ("said must hold None, 'pass' or a dict", "respond", {("said", 0): said("offer", [1, 0]) | {"loud": True}}),
    ("said must hold None, 'pass' or a dict", "respond", {("said", 0): said([], [1, 0])}),
    ("said must hold None, 'pass' or a dict", "respond", {("said", 0): said("offer", [1, 0], link=[])}),
    ("said must hold None, 'pass' or a dict", "respond", {("said", 0): said("sell", [1, 0])}),
    ("said must hold None, 'pass' or a dict", "respond", {("said", 0): said("offer")}),
    ("count 1 to 4, kind 0 to 7", "respond", {("said", 0): said("offer", [0, 0])}),
    ("count 1 to 4, kind 0 to 7", "respond", {("said", 0): said("offer", [5, 0])}),
    ("count 1 to 4, kind 0 to 7", "respond", {("said", 0): said("offer", [1, 8])}),
    ("count 1 to 4, kind 0 to 7", "respond", {("said", 0): said("offer", [1, -1])}),
    ("said must hold", "respond", {("said", 0): said("offer", [1.0, 0])}),
    ("2 terms with link None", "respond", {("said", 0): said("offer", [1, 0], [1, 1])}),
    ("1 terms with link and", "respond", {("said", 0): said("offer", [1, 0], link="and")}),
    ("the second kind is the greater", "respond", {("said", 0): said("offer", [1, 1], [1, 0], link="and")}),
    ("the second kind is the greater", "respond", {("said", 0): said("offer", [1, 1], [1, 1], link="or")}),
    ("chosen must be whole numbers of shape", "active gives", {("chosen",): [[0] * 5]}),
    ("known must be whole numbers of shape", "announce", {("known", 2): ANY}),
    ("streams must be 5 whole numbers", "announce", {("streams",): [1, 2, 3]}),
    ("streams must be 5 whole numbers", "announce", {("streams", 0): -1}),
    ("streams must be 5 whole numbers", "announce", {("streams", 0): 2**64}),
    ("streams must be 5 whole numbers", "announce", {("streams", 0): 1.5}),
    ("streams must be 5 whole numbers", "announce", {("streams",): 7}),
]


@pytest.mark.parametrize(("reason", "name", "changes"), MALFORMED, ids=[f"{row[1]}: {row[0]}" for row in MALFORMED])
def test_what_has_not_the_form_of_a_position_is_refused(reason: str, name: str, changes: Changes) -> None:
    with pytest.raises(ValueError, match=reason):
        Game.from_dict(broken(name, changes))


def test_two_terms_are_refused_where_max_terms_is_1() -> None:
    game = Game(Rules(num_players=3, max_terms=1, auto_forced=False), seed=0)
    game.step(game.parse("seek 1 Roman"))
    position = game.to_dict()
    position["said"][0] = said("seek", [1, 0], [1, 1], link="or")
    with pytest.raises(ValueError, match="at most 1"):
        Game.from_dict(position)


def test_a_monument_pile_of_two_seats_is_read_in_the_order_of_the_pile() -> None:
    position = broken("announce", {("spent", 3): 4, ("technology_deck",): [4, 4, 4, 4]})
    position["monuments"] = [[3], [4], []]
    assert Game.from_dict(position).monuments == [[3], [4], []]
    position["monuments"] = [[3, 4], [], []]
    with pytest.raises(ValueError, match="monuments are"):
        Game.from_dict(position)
