"""What cards are worth to a trader, and what it believes the others hold.

*Curves.* The worth of `c` cards of a type is the worth of the sets in it, plus the chance that the next set comes
together times the worth of that set, plus what the pairs would count if it does not. A set of population is a city:
its points and the technology cards it draws in the rounds that are left. A set of technology is a monument of the
pile, further down the more cards are still missing. Each missing card comes with a chance that falls as copies and
rounds run out, the faster the more are missing: with 12 copies, 10 of them spent, it is 0. So a fourth card is worth
more than a third, which is what makes trades worth while for both sides.

*Holdings.* Of another seat's cards of a type a trader counts those it is sure of (known holdings), its part of the
unseen ones, and, of a type the seat seeks, as many as make the search sensible.

Only what the seat may see is read: its hand, its known holdings, numbers of cards, and what is public.
"""

import numpy as np

from respublica_env.engine._jit import jit
from respublica_env.engine.deal import population_left, technology_left
from respublica_env.engine.room import (
    AVERAGE,
    BELIEF,
    CURVE_OF,
    CURVES,
    GIVEN,
    IN_PLAY,
    MOST_COPIES,
    MOST_SETS,
    MOST_TYPES,
    PLACES,
    RIVALRY,
    ROUNDS,
    SHARE,
    TABLES,
)
from respublica_env.engine.state import (
    ACTIVE,
    BUILT,
    CITIES,
    CITY_POINTS,
    COPIES,
    COUNT,
    COUNT_2,
    FINAL_CONVERT,
    FINAL_ROUND,
    FINAL_TURNS_LEFT,
    FORM,
    HANDS,
    KIND,
    KIND_2,
    MAX_DRAW,
    MAX_TURNS,
    MONUMENTS,
    MOST_POINTS,
    NUM_CITIES,
    PAIR_POINTS,
    PHASE,
    PILE,
    PLAYERS,
    POPULATION_TYPES,
    SET_SIZE,
    SOUGHT,
    SPENT,
    TYPES,
    backs_at,
    known_at,
    said_at,
    standing_at,
    turns_completed,
)
from respublica_env.engine.strips import load_float
from respublica_env.engine.trade import end_type, first_type, in_hand
from respublica_env.engine.weights import (
    ANY,
    CARD,
    CHANCE,
    CLUSTER,
    FALL,
    GROWTH,
    HIDDEN,
    LEADER,
    NUM_WEIGHTS,
    PAIR,
    PATIENCE,
    PLENTY,
    RIVAL,
    SEEKING,
    SPARE,
)


@jit
def sit_down(spec, row, seat, desk, trader):
    """Work out what one decision of `seat` needs: curves, unseen cards, who is a rival. trader: which weights."""
    for i in range(NUM_WEIGHTS):
        desk[i] = desk[TABLES + trader * NUM_WEIGHTS + i]
    desk[ROUNDS] = rounds_left(spec, row, seat, desk)
    for back in range(2):
        first, end = (0, spec[POPULATION_TYPES]) if back == 0 else (spec[POPULATION_TYPES], spec[TYPES])
        least = MOST_COPIES
        for k in range(first, end):
            least = min(least, np.int64(row[spec[SPENT] + k]))
        draw_curves(spec, row, seat, desk, back, least // spec[SET_SIZE])
    for k in range(spec[TYPES]):
        back = 0 if k < spec[POPULATION_TYPES] else 1
        sets = np.int64(row[spec[SPENT] + k]) // spec[SET_SIZE]
        desk[CURVE_OF + k] = CURVES + (back * (MOST_SETS + 1) + sets) * (MOST_COPIES + 1)
        desk[IN_PLAY + k] = spec[COPIES] - np.int64(row[spec[SPENT] + k])
    look_around(spec, row, seat, desk)


@jit
def rounds_left(spec, row, seat, desk):
    """Rounds in which `seat` may still trade after the present turn: its own turns count as much as all others.

    Before the final round, by the technology cards left and the cities that will draw them.
    """
    players = spec[PLAYERS]
    if row[PHASE] == FINAL_CONVERT:
        return 0.0
    if row[FINAL_ROUND] == 1:
        turns = np.int64(row[FINAL_TURNS_LEFT]) - 1
        seats_on = (seat - np.int64(row[ACTIVE]) + players) % players
        own = 1.0 if 0 < seats_on <= turns else 0.0
        return (own + turns / players) / 2
    drawn = 0.0
    for q in range(players):
        drawn += min(spec[MAX_DRAW] * 1.0, np.int64(row[spec[CITIES] + q]) + desk[GROWTH])
    left = 1.0 + technology_left(spec, row) / drawn
    return min(left, (spec[MAX_TURNS] - turns_completed(row)) / players)


@jit
def city_worth(spec, row, seat, desk):
    """Points, and the cards that one more city draws for `seat`; 0 when the supply is empty."""
    cities = 0
    for q in range(spec[PLAYERS]):
        cities += np.int64(row[spec[CITIES] + q])
    if cities >= spec[NUM_CITIES]:
        return 0.0
    own = np.int64(row[spec[CITIES] + seat])
    room = spec[MAX_DRAW] - own
    if room <= 0:
        more = 0.0
    elif room == 1 and population_left(spec, row) > 0:
        more = 0.5  # the limit binds: a card of choice instead of a population card
    else:
        more = 1.0
    cards = min(more * max(0.0, desk[ROUNDS] - 1.0), technology_left(spec, row) * 1.0)
    return spec[CITY_POINTS] + cards * desk[CARD] * monument_worth(spec, row, desk, 0) / spec[SET_SIZE]


@jit
def monument_worth(spec, row, desk, missing):
    """Points of the monument that a set will be which still misses some cards."""
    place = np.int64(row[BUILT]) + np.int64(desk[FALL] * missing)
    return spec[PILE + place] * 1.0 if place < spec[MONUMENTS] else 0.0


@jit
def draw_curves(spec, row, seat, desk, back, least):
    """The worth of 0, 1, 2, ... cards of a type of one back, for each number of sets of it spent from `least` on."""
    size, rounds = spec[SET_SIZE], desk[ROUNDS]
    time = rounds / (rounds + desk[PATIENCE])
    pair = spec[PAIR_POINTS] * (desk[PAIR] + (1 - desk[PAIR]) * (1 - time))
    city = city_worth(spec, row, seat, desk) if back == 0 else 0.0
    for sets in range(spec[COPIES] // size, least - 1, -1):
        at = CURVES + (back * (MOST_SETS + 1) + sets) * (MOST_COPIES + 1)
        in_play = spec[COPIES] - sets * size
        for have in range(in_play + 1):
            missing = size - have
            worth = city if back == 0 else monument_worth(spec, row, desk, max(0, missing))
            if missing <= 0:
                desk[at + have] = worth + desk[at + MOST_COPIES + 1 - missing]
                continue
            chance = 1.0 if in_play >= size else 0.0
            of_card = desk[CHANCE] * rounds * min(1.0, (in_play - have) / (desk[PLENTY] * missing))
            for i in range(1, missing + 1):
                chance *= of_card / (rounds + i * desk[PATIENCE])
            desk[at + have] = chance * worth + (1 - chance) * pair * (have // 2)


@jit
def points(spec, row, q):
    """Points of cities and monuments, as all see them."""
    return np.float64(load_float(row, standing_at(spec, q) + 4)) * spec[MOST_POINTS]


@jit
def look_around(spec, row, seat, desk):
    """Where the cards may be that the seat does not see; what an average one is worth; who is a rival."""
    types, players = spec[TYPES], spec[PLAYERS]
    own_points = points(spec, row, seat)
    for k in range(types):
        desk[SHARE + k] = desk[IN_PLAY + k] - np.int64(row[HANDS + seat * types + k])
    for q in range(players):
        if q == seat:
            continue
        desk[RIVALRY + q] = desk[RIVAL] + desk[LEADER] * max(0.0, points(spec, row, q) - own_points)
        known, backs = known_at(spec, seat, q), backs_at(spec, q)
        for back in range(2):
            unknown = np.int64(row[backs + back])
            first, end = (0, spec[POPULATION_TYPES]) if back == 0 else (spec[POPULATION_TYPES], types)
            for k in range(first, end):
                count = np.int64(row[known + k])
                unknown -= count
                desk[SHARE + k] -= count
            desk[PLACES + 2 * q + back] = unknown
    for back in range(2):
        first, end = (0, spec[POPULATION_TYPES]) if back == 0 else (spec[POPULATION_TYPES], types)
        unseen = average = 0.0
        for k in range(first, end):
            unseen += desk[SHARE + k]
            have = np.int64(row[HANDS + seat * types + k]) * 1.0
            average += desk[SHARE + k] * (on_curve(desk, k, have + 1) - on_curve(desk, k, have))
        unseen = max(1.0, unseen)
        desk[AVERAGE + back] = average / unseen
        for k in range(first, end):
            desk[SHARE + k] /= unseen
    desk[AVERAGE + 2] = (desk[AVERAGE] + desk[AVERAGE + 1]) / 2


@jit
def on_curve(desk, k, count):
    """Worth of `count` cards of type `k`, between whole counts on a straight line."""
    count = max(0.0, min(count, desk[IN_PLAY + k]))
    whole = np.int64(count)
    at = np.int64(desk[CURVE_OF + k]) + whole
    part = count - whole
    if part > 0.0:
        return desk[at] + part * (desk[at + 1] - desk[at])
    return desk[at]


@jit
def taken(spec, row, seat, desk, kind, count):
    """What `seat` gains by cards of a kind; of a wildcard the giver picks them."""
    if kind < spec[TYPES]:
        have = np.int64(row[HANDS + seat * spec[TYPES] + kind]) * 1.0
        return on_curve(desk, kind, have + count) - on_curve(desk, kind, have)
    return count * desk[ANY] * desk[AVERAGE + kind - spec[TYPES]]


@jit
def given(spec, row, seat, desk, kind, count):
    """What `seat` loses by cards of a kind that it holds; of a wildcard those that it misses least."""
    hand = HANDS + seat * spec[TYPES]
    first, end = first_type(spec, kind), end_type(spec, kind)
    if kind < spec[TYPES]:
        have = np.int64(row[hand + kind]) * 1.0
        return on_curve(desk, kind, have) - on_curve(desk, kind, have - count)
    for k in range(first, end):
        desk[GIVEN + k] = 0
    cost = 0.0
    for _ in range(count):
        cheapest = cheapest_card(desk, row, hand, first, end)
        if cheapest >= 0:
            left = np.int64(row[hand + cheapest]) - desk[GIVEN + cheapest]
            cost += on_curve(desk, cheapest, left) - on_curve(desk, cheapest, left - 1)
            desk[GIVEN + cheapest] += 1
    return cost


@jit
def cheapest_card(desk, row, hand, first, end):
    """Of the types `first..end-1` the one whose next card is missed least, apart from those counted as given; or -1."""
    best, least = -1, 0.0
    for k in range(first, end):
        left = np.int64(row[hand + k]) - desk[GIVEN + k]
        if left > 0:
            cost = on_curve(desk, k, left) - on_curve(desk, k, left - 1)
            if best < 0 or cost < least:
                best, least = k, cost
    return best


@jit
def listen(spec, row, seat, desk, q):
    """Work out what `q` is believed to hold."""
    for k in range(spec[TYPES]):
        desk[BELIEF + q * MOST_TYPES + k] = believed(spec, row, seat, desk, q, k)


@jit
def believed(spec, row, seat, desk, q, k):
    """How many cards of type `k` the seat believes that `q` holds."""
    back = 0 if k < spec[POPULATION_TYPES] else 1
    count = np.int64(row[known_at(spec, seat, q) + k]) + desk[HIDDEN] * desk[PLACES + 2 * q + back] * desk[SHARE + k]
    said = said_at(spec, q)
    if row[said + FORM] == SOUGHT:
        if row[said + KIND] == k:
            count = max(count, spec[SET_SIZE] - np.int64(row[said + COUNT]) - desk[SEEKING])
        elif row[said + COUNT_2] > 0 and row[said + KIND_2] == k:
            count = max(count, spec[SET_SIZE] - np.int64(row[said + COUNT_2]) - desk[SEEKING])
    return count


@jit
def chance_to_hold(spec, row, seat, desk, q, kind, count):
    """How likely it is that `q` holds `count` cards of a kind."""
    if kind >= spec[TYPES]:
        return 1.0 if in_hand(spec, row, q, kind) >= count else 0.0
    known = np.int64(row[known_at(spec, seat, q) + kind])
    places = desk[PLACES + 2 * q + (0 if kind < spec[POPULATION_TYPES] else 1)]
    if count > known + places:
        return 0.0
    expected = desk[CLUSTER] * places * desk[SHARE + kind]
    chance = 1.0
    for i in range(known, count):
        chance *= expected / (expected + (i - known) + 1.0)
    return chance


@jit
def gain_of(spec, desk, q, kind, count, luck):
    """What `q` would gain by cards of a kind, as the seat believes, or with some cards more than it believes."""
    if kind < spec[TYPES]:
        have = luck + desk[BELIEF + q * MOST_TYPES + kind]
        return on_curve(desk, kind, have + count) - on_curve(desk, kind, have)
    return count * desk[ANY] * desk[AVERAGE + kind - spec[TYPES]]


@jit
def loss_of(spec, desk, q, kind, count):
    """What `q` would lose by cards of a kind, as the seat believes."""
    if kind < spec[TYPES]:
        have = max(desk[BELIEF + q * MOST_TYPES + kind], count * 1.0)
        return on_curve(desk, kind, have) - on_curve(desk, kind, have - count)
    # Those it misses least go first: each costs more than the one before.
    return (count * (count + 1) // 2) * desk[SPARE] * desk[AVERAGE + kind - spec[TYPES]]
