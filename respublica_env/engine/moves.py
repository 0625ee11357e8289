"""Moves that the search thinks about, the most promising first.

A *move* is all that a player says in one go: `first + NUM_ACTIONS * second`, the first term and what follows it in
EXTEND (0: nothing more); in every other phase, and when EXTEND itself is to decide, the action alone.

*The policy's move* is what the compiled bot would do (`PLAYOUT`, which plays the playouts too). It heads every menu.
Of words there are thousands; those on the menu are the ones to which the trader's own scoring gives a chance that
somebody answers and that the seat gains. All other decisions have few actions, and the menu has them all.

Only what the seat to decide may see is read.
"""

import numpy as np

from respublica_env.engine._jit import jit
from respublica_env.engine.bargain import begin_words, score_one, score_two, weigh_first
from respublica_env.engine.bots import TRADER, bot_action
from respublica_env.engine.legal import is_legal, legal_runs
from respublica_env.engine.state import (
    ACTIVE,
    AND,
    AND_IDS,
    ANNOUNCE,
    COUNT,
    COUNT_2,
    EXTEND,
    FORM,
    KIND,
    KIND_2,
    LINK,
    MAX_COUNT,
    MAX_RUNS,
    MAX_TERMS,
    NUM_ACTIONS,
    OFFER_IDS,
    OFFERED,
    OR,
    OR_IDS,
    PHASE,
    PLAYER,
    RESPOND,
    ROW_SIZE,
    SAID_SIZE,
    SEEK_IDS,
    SOUGHT,
    TERMS,
    said_at,
)
from respublica_env.engine.strips import floats
from respublica_env.engine.trade import can_pay_each
from respublica_env.engine.trader import most_named
from respublica_env.engine.turn import PASS, apply, speak
from respublica_env.engine.worth import sit_down

PLAYOUT = TRADER  # the bot whose play the search builds on

MOST_MOVES = 64  # on a menu
PAIRED = 12  # of the best single terms are tried as a pair with each other
MENU_ROOM = MOST_MOVES + PAIRED
SURE, LIKELY = 1.0e30, 1.0e29  # scores of the policy's move and of PASS: above all points that rules can give


@jit
def act(spec, row, action):
    """`apply`, compiled once."""
    apply(spec, row, action)


@jit
def open_runs(spec, row, room):
    """`legal_runs`, compiled once."""
    return legal_runs(spec, row, room)


@jit
def next_decision(spec, row, room):
    """Take forced decisions; the number of legal runs of the first that leaves a choice, 0 when the game is over."""
    while True:
        size = open_runs(spec, row, room)
        if size != 1 or room[1] - room[0] != 1:
            return size
        act(spec, row, room[0])


@jit
def begins_words(row):
    """Whether the player to decide may say a first term."""
    return row[PHASE] == ANNOUNCE or row[PHASE] == RESPOND


@jit
def play_move(spec, row, move):
    """Carry out a move that `can_move` allows."""
    words = begins_words(row)
    act(spec, row, move % spec[NUM_ACTIONS])
    if words and row[PHASE] == EXTEND:
        act(spec, row, move // spec[NUM_ACTIONS])


@jit
def can_move(spec, row, room, size, move):
    """Whether a move is legal among the runs; the row is left as it was."""
    if not is_legal(room, size, move % spec[NUM_ACTIONS]):
        return False
    second = move // spec[NUM_ACTIONS]
    return second == 0 or can_say(spec, row, move % spec[NUM_ACTIONS], second)


@jit
def can_say(spec, row, first, second):
    """Whether the words may go on with a second term: a promise must be honest, a search need not."""
    if first >= spec[SEEK_IDS]:
        return True
    phase, said = row[PHASE], said_at(spec, np.int64(row[PLAYER]))
    speak(spec, row, first)
    term = second - (spec[AND_IDS] if second < spec[OR_IDS] else spec[OR_IDS])
    row[said + LINK] = AND if second < spec[OR_IDS] else OR
    row[said + COUNT_2] = term % spec[MAX_COUNT] + 1
    row[said + KIND_2] = term // spec[MAX_COUNT]
    honest = can_pay_each(spec, row, np.int64(row[PLAYER]), said)
    for i in range(SAID_SIZE):
        row[said + i] = 0
    row[PHASE] = phase
    return honest


@jit
def copy_row(spec, source, target):
    for i in range(spec[ROW_SIZE]):
        target[i] = source[i]


@jit
def policy_move(spec, row, trial, room, size):
    """The policy's move among the legal runs. trial: a row that may be overwritten."""
    first = bot_action(spec, row, PLAYOUT, room, size, True)
    if first == PASS or not begins_words(row):
        return first
    copy_row(spec, row, trial)
    act(spec, trial, first)
    return first + spec[NUM_ACTIONS] * bot_action(spec, trial, PLAYOUT, room, open_runs(spec, trial, room), True)


@jit
def add_move(menu, scores, number, move, score):
    """Put a move on the menu, in the order of scores; of a full one the last gives way. The new number of moves."""
    for i in range(number):
        if menu[i] == move:
            return number
    if number == MOST_MOVES:
        if score <= scores[number - 1]:
            return number
        number -= 1
    at = number
    while at > 0 and scores[at - 1] < score:
        menu[at], scores[at] = menu[at - 1], scores[at - 1]
        at -= 1
    menu[at], scores[at] = move, score
    return number + 1


@jit
def make_menu(spec, row, trial, room, menu, scores):
    """Write the moves of the player to decide and their scores, best first; their number, at least 1."""
    size = open_runs(spec, row, room)
    number = add_move(menu, scores, 0, policy_move(spec, row, trial, room, size), SURE)
    size = open_runs(spec, row, room)
    if not (begins_words(row) or row[PHASE] == EXTEND):
        for i in range(size):
            for action in range(room[2 * i], min(room[2 * i + 1], room[2 * i] + MOST_MOVES)):
                number = add_move(menu, scores, number, action, 0.0)
        return number
    number = add_move(menu, scores, number, PASS, LIKELY)
    desk, seat = floats(room, 2 * MAX_RUNS), np.int64(row[PLAYER])
    sit_down(spec, row, seat, desk, PLAYOUT - TRADER)
    begin_words(spec, row, seat, desk)
    if row[PHASE] == EXTEND:
        return add_seconds(spec, row, seat, room, size, menu, scores, number)
    announced = said_at(spec, np.int64(row[ACTIVE]))
    for form in range(OFFERED, SOUGHT + 1):
        if row[PHASE] == ANNOUNCE or row[announced + FORM] == form:
            number = add_words(spec, row, seat, room, size, menu, scores, number, form)
    return number


@jit
def add_words(spec, row, seat, room, size, menu, scores, number, form):
    """Single terms of a form, then pairs of the best of them."""
    desk, base = floats(room, 2 * MAX_RUNS), spec[OFFER_IDS] if form == OFFERED else spec[SEEK_IDS]
    for term in range(spec[TERMS]):
        kind, count = term // spec[MAX_COUNT], term % spec[MAX_COUNT] + 1
        if count <= most_named(spec, row, seat, form, kind) and is_legal(room, size, base + term):
            score = score_one(spec, row, seat, desk, form, kind, count)
            if score > 0.0:
                number = add_move(menu, scores, number, base + term, score)
    if spec[MAX_TERMS] == 1:
        return number
    singles = 0
    for i in range(number):  # kept behind the menu, which pairs are about to change
        if base <= menu[i] < base + spec[TERMS] and singles < PAIRED:
            menu[MOST_MOVES + singles] = menu[i] - base
            singles += 1
    for i in range(singles):
        term = menu[MOST_MOVES + i]
        weigh_first(spec, row, seat, desk, form, term // spec[MAX_COUNT], term % spec[MAX_COUNT] + 1)
        for j in range(singles):
            term_2 = menu[MOST_MOVES + j]
            if term // spec[MAX_COUNT] < term_2 // spec[MAX_COUNT]:
                number = add_pair(spec, row, seat, desk, menu, scores, number, form, term, term_2)
    return number


@jit
def add_pair(spec, row, seat, desk, menu, scores, number, form, term, term_2):
    """Both ways of joining two terms, the first of which has been weighed."""
    kind_2, count_2 = term_2 // spec[MAX_COUNT], term_2 % spec[MAX_COUNT] + 1
    first = term + (spec[OFFER_IDS] if form == OFFERED else spec[SEEK_IDS])
    joined, either = score_two(spec, row, seat, desk, form, kind_2, count_2)
    for link in range(AND, OR + 1):
        second = term_2 + (spec[AND_IDS] if link == AND else spec[OR_IDS])
        score = joined if link == AND else either
        if score > 0.0 and can_say(spec, row, first, second):
            number = add_move(menu, scores, number, first + spec[NUM_ACTIONS] * second, score)
    return number


@jit
def add_seconds(spec, row, seat, room, size, menu, scores, number):
    """What may follow the first term that has been said."""
    desk, said = floats(room, 2 * MAX_RUNS), said_at(spec, seat)
    form, kind, count = np.int64(row[said + FORM]), np.int64(row[said + KIND]), np.int64(row[said + COUNT])
    weigh_first(spec, row, seat, desk, form, kind, count)
    for i in range(1, size):
        for action in range(room[2 * i], room[2 * i + 1]):
            link = AND if action < spec[OR_IDS] else OR
            term = action - (spec[AND_IDS] if link == AND else spec[OR_IDS])
            kind_2, count_2 = term // spec[MAX_COUNT], term % spec[MAX_COUNT] + 1
            if count_2 <= most_named(spec, row, seat, form, kind_2):
                joined, either = score_two(spec, row, seat, desk, form, kind_2, count_2)
                score = joined if link == AND else either
                if score > 0.0:
                    number = add_move(menu, scores, number, action, score)
    return number
