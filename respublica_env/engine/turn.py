"""A turn, the end of the game, and the score.

ANNOUNCE: the active player passes, offers a description or seeks one; the second term, or nothing more, in EXTEND.
RESPOND: every other player in seat order answers once in the same form, or passes; second term in EXTEND.
ACCEPT: the active player takes one answer or none. HAND_OVER: first the active player chooses what it gives, then
the partner; then the cards change hands at once. After a pass in ANNOUNCE these phases do not take place.
CONVERT: `set_size` identical population cards become a city, technology cards the top monument of the pile, as
often as the player likes and the supply has one. DRAW: `p <= min(1, population deck)` and
`t <= min(own cities, technology deck)` cards, `p + t <= max_draw`; all that it is entitled to, unless optional_draw.

The end: when a DRAW leaves the technology deck empty, every player, starting with the one after, has one more turn
(the final round). Then, in the same order, each converts once more (FINAL_CONVERT), and the game is over. A game
that has not begun its final round when turn `max_turns` has ended stalls: FINAL_CONVERT follows at once.

Score: `city_points` for each city, the points of the monuments, `pair_points` for each pair of identical cards in hand.

`apply` carries an action out; it trusts that `legal` allows it.
"""

import numpy as np

from respublica_env.engine._jit import inline_jit, jit
from respublica_env.engine.deal import draw_population, draw_technology, technology_left
from respublica_env.engine.known import know_conversion, know_exchange, know_speech
from respublica_env.engine.state import (
    ACCEPT,
    ACCEPT_IDS,
    ACTIVE,
    ALONE,
    AND,
    AND_IDS,
    ANNOUNCE,
    AUTO_FORCED,
    BUILDERS,
    BUILT,
    CHOSEN,
    CITIES,
    CITY_POINTS,
    CONVERT,
    CONVERT_IDS,
    COUNT,
    COUNT_2,
    DRAW,
    DRAW_IDS,
    EXTEND,
    FINAL_CONVERT,
    FINAL_CONVERTS_LEFT,
    FINAL_ROUND,
    FINAL_TURNS_LEFT,
    FORM,
    GIVE_IDS,
    HAND_OVER,
    HANDS,
    KIND,
    KIND_2,
    LINK,
    MAX_COUNT,
    MAX_DRAW,
    MAX_TURNS,
    MONUMENTS,
    MOST_POINTS,
    NUM_CITIES,
    OFFER_IDS,
    OFFERED,
    OR,
    OR_IDS,
    OVER,
    PAIR_POINTS,
    PARTNER,
    PASSED,
    PHASE,
    PILE,
    PLAYER,
    PLAYERS,
    POPULATION_TYPES,
    RESPOND,
    SAID,
    SAID_SIZE,
    SEEK_IDS,
    SET_SIZE,
    SOUGHT,
    SPENT,
    STALLED,
    TYPES,
    move_card,
    said_at,
    seat_after,
    set_turns_completed,
    share,
    standing_at,
    turns_completed,
)
from respublica_env.engine.strips import store_float
from respublica_env.engine.trade import choose_only_payment, chosen_at, exchange_cards, giver_side

PASS = 0  # the id of: nothing, nothing more, decline, finish, stop


@inline_jit
def apply(spec, row, action):
    """Carry out a legal action of the player to decide."""
    phase = row[PHASE]
    if phase == ANNOUNCE:
        announce(spec, row, action)
    elif phase == EXTEND:
        extend(spec, row, action)
    elif phase == RESPOND:
        respond(spec, row, action)
    elif phase == ACCEPT:
        accept(spec, row, action)
    elif phase == HAND_OVER:
        hand_over(spec, row, action)
    elif phase == CONVERT or phase == FINAL_CONVERT:
        convert(spec, row, action)
    elif phase == DRAW:
        draw(spec, row, action)


@jit
def announce(spec, row, action):
    if action == PASS:
        begin_convert(spec, row)
    else:
        speak(spec, row, action)


@jit
def respond(spec, row, action):
    if action == PASS:
        row[said_at(spec, np.int64(row[PLAYER])) + FORM] = PASSED
        next_to_answer(spec, row)
    else:
        speak(spec, row, action)


@inline_jit
def speak(spec, row, action):
    """The first term of an offer or a search: all hear it."""
    said = said_at(spec, np.int64(row[PLAYER]))
    if action < spec[SEEK_IDS]:
        row[said + FORM] = OFFERED
        term = action - spec[OFFER_IDS]
    else:
        row[said + FORM] = SOUGHT
        term = action - spec[SEEK_IDS]
    row[said + LINK] = ALONE
    row[said + COUNT] = term % spec[MAX_COUNT] + 1
    row[said + KIND] = term // spec[MAX_COUNT]
    row[PHASE] = EXTEND


@jit
def extend(spec, row, action):
    """The second term or nothing more; then the next player answers, or the active player chooses."""
    speaker = np.int64(row[PLAYER])
    if action != PASS:
        said = said_at(spec, speaker)
        if action < spec[OR_IDS]:
            row[said + LINK] = AND
            term = action - spec[AND_IDS]
        else:
            row[said + LINK] = OR
            term = action - spec[OR_IDS]
        row[said + COUNT_2] = term % spec[MAX_COUNT] + 1
        row[said + KIND_2] = term // spec[MAX_COUNT]
    know_speech(spec, row, speaker)
    next_to_answer(spec, row)


@inline_jit
def next_to_answer(spec, row):
    following = seat_after(spec, np.int64(row[PLAYER]))
    row[PLAYER] = following
    row[PHASE] = ACCEPT if following == row[ACTIVE] else RESPOND


@jit
def accept(spec, row, action):
    if action == PASS:
        begin_convert(spec, row)
    else:
        seats_on = action - spec[ACCEPT_IDS] + 1
        row[PARTNER] = (row[ACTIVE] + seats_on) % spec[PLAYERS]
        row[PHASE] = HAND_OVER
        hand_over_by_force(spec, row)


@jit
def hand_over(spec, row, action):
    if action == PASS:
        finish_giving(spec, row)
        hand_over_by_force(spec, row)
    else:
        row[chosen_at(spec, giver_side(row)) + action - spec[GIVE_IDS]] += 1


@jit
def hand_over_by_force(spec, row):
    """Where forced decisions are taken by the engine: a payment that leaves no choice at all, in one go."""
    while spec[AUTO_FORCED] == 1 and row[PHASE] == HAND_OVER and choose_only_payment(spec, row, giver_side(row)):
        finish_giving(spec, row)


@jit
def finish_giving(spec, row):
    """The active player has chosen: the partner's turn to choose. Both have: the cards change hands."""
    if row[PLAYER] == row[ACTIVE]:
        row[PLAYER] = row[PARTNER]
    else:
        know_exchange(spec, row)
        exchange_cards(spec, row)
        begin_convert(spec, row)


@jit
def begin_convert(spec, row):
    """The words of the turn are over: forget them."""
    for i in range(spec[SAID], spec[SAID] + spec[PLAYERS] * SAID_SIZE):
        row[i] = 0
    for i in range(spec[CHOSEN], spec[CHOSEN] + 2 * spec[TYPES]):
        row[i] = 0
    row[PARTNER] = -1
    row[PLAYER] = row[ACTIVE]
    row[PHASE] = CONVERT


@jit
def convert(spec, row, action):
    if action != PASS:
        build(spec, row, np.int64(row[PLAYER]), action - spec[CONVERT_IDS])
    elif row[PHASE] == CONVERT:
        row[PHASE] = DRAW
    else:
        row[FINAL_CONVERTS_LEFT] -= 1
        if row[FINAL_CONVERTS_LEFT] > 0:
            pass_turn_on(spec, row)
        else:
            row[PHASE] = OVER
            row[ACTIVE] = -1
            row[PLAYER] = -1


@jit
def build(spec, row, seat, card):
    """A set of a type leaves the game for a city, or for the top monument of the pile."""
    move_card(spec, row, seat, card, -spec[SET_SIZE])
    row[spec[SPENT] + card] += spec[SET_SIZE]
    if card < spec[POPULATION_TYPES]:
        row[spec[CITIES] + seat] += 1
    else:
        row[spec[BUILDERS] + row[BUILT]] = seat
        row[BUILT] += 1
    show_standing(spec, row, seat)
    know_conversion(spec, row, seat, card)


@jit
def show_standing(spec, row, seat):
    """Keep what `seat` has built as shares of the most there can be: cities, monuments, points."""
    monuments = 0
    for i in range(row[BUILT]):
        monuments += 1 if row[spec[BUILDERS] + i] == seat else 0
    at = standing_at(spec, seat)
    store_float(row, at, share(np.int64(row[spec[CITIES] + seat]), spec[NUM_CITIES]))
    store_float(row, at + 2, share(monuments, spec[MONUMENTS]))
    store_float(row, at + 4, share(np.int64(cities_and_monuments(spec, row, seat)), spec[MOST_POINTS]))


@inline_jit
def pass_turn_on(spec, row):
    following = seat_after(spec, np.int64(row[ACTIVE]))
    row[ACTIVE] = following
    row[PLAYER] = following


@jit
def draw(spec, row, action):
    split = action - spec[DRAW_IDS]
    for _ in range(split // (spec[MAX_DRAW] + 1)):
        draw_population(spec, row, np.int64(row[PLAYER]))
    for _ in range(split % (spec[MAX_DRAW] + 1)):
        draw_technology(spec, row, np.int64(row[PLAYER]))
    end_turn(spec, row)


@jit
def end_turn(spec, row):
    """Whether the final round goes on, begins, or the game stalls; then the next player's turn."""
    turns = turns_completed(row) + 1
    set_turns_completed(row, turns)
    row[PHASE] = ANNOUNCE
    if row[FINAL_ROUND] == 1:
        row[FINAL_TURNS_LEFT] -= 1
        if row[FINAL_TURNS_LEFT] == 0:
            begin_final_convert(spec, row)
    elif technology_left(spec, row) == 0:
        row[FINAL_ROUND] = 1
        row[FINAL_TURNS_LEFT] = spec[PLAYERS]
    elif turns >= spec[MAX_TURNS]:
        row[STALLED] = 1
        begin_final_convert(spec, row)
    pass_turn_on(spec, row)


@inline_jit
def begin_final_convert(spec, row):
    row[PHASE] = FINAL_CONVERT
    row[FINAL_CONVERTS_LEFT] = spec[PLAYERS]


@jit
def cities_and_monuments(spec, row, seat):
    """Points that `seat` has made with cities and monuments."""
    points = row[spec[CITIES] + seat] * spec[CITY_POINTS]
    for i in range(row[BUILT]):
        if row[spec[BUILDERS] + i] == seat:
            points += spec[PILE + i]
    return points


@jit
def score(spec, row, seat):
    """Points of `seat`, with the pairs in hand as they stand."""
    pairs = 0
    hand = HANDS + seat * spec[TYPES]
    for k in range(spec[TYPES]):
        pairs += row[hand + k] // 2
    return cities_and_monuments(spec, row, seat) + pairs * spec[PAIR_POINTS]
