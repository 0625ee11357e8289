"""Information-set Monte Carlo tree search.

After Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Transactions on Computational
Intelligence and AI in Games 4(2), 2012 (the single-observer form). Every simulation deals the hidden cards anew (see
`determinize`), goes down the one tree through moves that are legal in that deal, adds one node, plays on with the
compiled bot for some turns, and adds each seat's chance to win (see `outlook`) to the nodes on its way. Each seat
maximises its own (max^n: Luckhardt and Irani, "An Algorithmic Solution of N-Person Games", AAAI 1986). Among the
moves that are open in a deal the bandit counts how often each was open.

*Moves* are whole announcements and answers (see `moves`). Their number is large, so nodes widen progressively (Chaslot
and others, "Progressive Strategies for Monte-Carlo Tree Search", 2008; Couëtoux and others, "Continuous Upper
Confidence Trees", LION 2011): with `v` visits the root compares the first `WIDTH * v ** GROWTH` moves of the menu.
Below it a node takes the moves that the playout's bot chooses in the deals that come by; it compares them only after
`TRUST` visits, when that means something, and as long as it has enough of them.

*Common deals*: the first visit to each move of the root meets the same deal and the same chance as the first visit to
any other, the second the same as the second. What moves differ by is then not the luck of their deals.

*Where the tree ends*: with the turn, as the cards drawn then would need nodes of their own.

The search is handed a determinization and never the true position, so it cannot know more than its seat.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from respublica_env.engine._jit import allocating_jit, jit, wrapping
from respublica_env.engine.bots import bot_action
from respublica_env.engine.deal import GAMMA, scramble
from respublica_env.engine.determinize import deal_anew
from respublica_env.engine.moves import (
    MENU_ROOM,
    PLAYOUT,
    act,
    can_move,
    copy_row,
    make_menu,
    next_decision,
    play_move,
    policy_move,
)
from respublica_env.engine.outlook import PARTS, chances
from respublica_env.engine.room import room_for_runs
from respublica_env.engine.state import (
    ANNOUNCE,
    FINAL_ROUND,
    PHASE,
    PLAYER,
    PLAYERS,
    ROW_SIZE,
    make_spec,
    turns_completed,
)
from respublica_env.engine.strips import address
from respublica_env.rules import Rules

# A node, int64: the move that led to it, how often it was visited, how often it was open, its first child, the next
# child of its parent (0: none, for the root is nobody's child), how many children it has.
MOVE, VISITS, OPEN, CHILD, NEXT, CHILDREN, NODE_SIZE = range(7)

MOST_DEPTH = 48  # nodes on the way down
WIDTH, GROWTH = 1.0, 0.62  # of the root: 5 moves after 10 visits, 12 after 50, 27 after 200
CURIOSITY = 0.15  # weight of the unknown against the chance to win
HEAD_START = 6  # visits that the policy's move is given when it comes to the choice: few visits prove little
TRUST = 40  # visits until which a node below the root follows the policy

# What is counted, int64: moves on the menu, nodes, decisions of playouts, all decisions, simulations.
MENU_SIZE, NODES, PLAYED, DECIDED, SIMULATIONS, COUNTERS = range(6)


class Desk(NamedTuple):
    """The arrays of a search; `make_desk` makes them once for many searches."""

    rows: NDArray[np.int16]  # (3, row_size): the position as it was handed in, a deal of it, a trial
    room: NDArray[np.int64]  # (1, ROOM)
    nodes: NDArray[np.int64]  # (most_nodes, NODE_SIZE)
    values: NDArray[np.float64]  # (most_nodes, n): sums of the chances to win
    menu: NDArray[np.int64]  # (MENU_ROOM,)
    scores: NDArray[np.float64]  # (MENU_ROOM,): of the moves on the menu
    path: NDArray[np.int64]  # (MOST_DEPTH,)
    ends: NDArray[np.float64]  # (n + n * PARTS,): how a playout ended
    counters: NDArray[np.int64]  # (COUNTERS,)


def make_desk(rules: Rules, most_nodes: int) -> Desk:
    """Room for a search under some rules, with a tree of so many nodes at most (and two at least)."""
    n, most_nodes = rules.num_players, max(2, most_nodes)
    return Desk(
        rows=np.zeros((3, make_spec(rules)[ROW_SIZE]), np.int16),
        room=room_for_runs(),
        nodes=np.zeros((most_nodes, NODE_SIZE), np.int64),
        values=np.zeros((most_nodes, n), np.float64),
        menu=np.zeros(MENU_ROOM, np.int64),
        scores=np.zeros(MENU_ROOM, np.float64),
        path=np.zeros(MOST_DEPTH, np.int64),
        ends=np.zeros(n * (1 + PARTS), np.float64),
        counters=np.zeros(COUNTERS, np.int64),
    )


@jit
def begin(spec, rows, room, nodes, values, menu, scores, counters):
    """Begin a tree for the player to decide in `rows[0]`; the number of moves on its menu."""
    rules, row, trial, desk = address(spec, 0), address(rows, 1), address(rows, 2), address(room, 0)
    for i in range(COUNTERS):
        counters[i] = 0
    clear(rules, nodes, values, 0, 0)
    counters[NODES] = 1
    copy_row(rules, address(rows, 0), row)
    counters[MENU_SIZE] = make_menu(rules, row, trial, desk, address(menu, 0), address(scores, 0))
    return counters[MENU_SIZE]


@jit
def clear(spec, nodes, values, node, move):
    for i in range(NODE_SIZE):
        nodes[node, i] = 0
    nodes[node, MOVE] = move
    for q in range(spec[PLAYERS]):
        values[node, q] = 0.0


@jit
def add_child(spec, nodes, values, counters, parent, move):
    """A new node, the last child of its parent; 0 when there is no room."""
    child = counters[NODES]
    if child == nodes.shape[0]:
        return 0
    counters[NODES] += 1
    clear(spec, nodes, values, child, move)
    nodes[child, NEXT] = nodes[parent, CHILD]
    nodes[parent, CHILD] = child
    nodes[parent, CHILDREN] += 1
    return child


@jit
def find_child(nodes, parent, move):
    """The child that a move leads to; 0 when there is none."""
    child = nodes[parent, CHILD]
    while child != 0 and nodes[child, MOVE] != move:
        child = nodes[child, NEXT]
    return child


@jit
def bandit_index(nodes, values, child, player):
    """The bandit's index of a child that was visited and open."""
    visits = np.float64(nodes[child, VISITS])
    opened = np.float64(max(1, nodes[child, OPEN]))
    return values[child, player] / visits + CURIOSITY * math.sqrt(math.log(opened) / visits)


@jit
def choose_at_root(spec, nodes, values, menu, counters, player):
    """A move of the menu not tried yet, or the child of highest index."""
    tried = nodes[0, CHILDREN]
    if tried < min(counters[MENU_SIZE], WIDTH * (nodes[0, VISITS] + 1.0) ** GROWTH):
        child = add_child(spec, nodes, values, counters, 0, menu[tried])
        if child != 0:
            return child
    best, most = 0, -1.0
    child = nodes[0, CHILD]
    while child != 0:
        nodes[child, OPEN] += 1
        index = bandit_index(nodes, values, child, player)
        if index > most:
            best, most = child, index
        child = nodes[child, NEXT]
    return best


@jit
def choose_below(spec, row, trial, room, size, nodes, values, counters, node):
    """The child to go to from a node below the root; 0 when there is no room for one that is new.

    The policy's move, which differs from deal to deal, until there is enough to compare.
    """
    best, most, opened, player = 0, -1.0, 0, np.int64(row[PLAYER])
    child = nodes[node, CHILD]
    while child != 0:
        if can_move(spec, row, room, size, nodes[child, MOVE]):
            nodes[child, OPEN] += 1
            opened += 1
            index = bandit_index(nodes, values, child, player)
            if index > most:
                best, most = child, index
        child = nodes[child, NEXT]
    grown = nodes[node, VISITS] / TRUST
    if grown >= 1.0 and opened >= WIDTH * grown**GROWTH:
        return best
    move = policy_move(spec, row, trial, room, size)
    child = find_child(nodes, node, move)
    return child if child != 0 else add_child(spec, nodes, values, counters, node, move)


@jit
def play_out(spec, row, room, turns):
    """Play on with the bot until the turn number `turns` is to begin, or the end; the number of decisions."""
    decisions = 0
    while True:
        size = next_decision(spec, row, room)
        if size == 0 or (row[PHASE] == ANNOUNCE and turns_completed(row) >= turns and row[FINAL_ROUND] == 0):
            return decisions
        act(spec, row, bot_action(spec, row, PLAYOUT, room, size, True))
        decisions += 1


@jit
def go_down(spec, rows, room, nodes, values, path, counters):
    """From the child of the root in `path[1]` down to a node that is new, or the end of the turn.

    Returns the length of the path.
    """
    row, trial = address(rows, 1), address(rows, 2)
    turn, length = turns_completed(row), 2
    play_move(spec, row, nodes[path[1], MOVE])
    while nodes[path[length - 1], VISITS] > 0 and length < MOST_DEPTH:
        size = next_decision(spec, row, room)
        if size == 0 or turns_completed(row) != turn:
            break
        counters[DECIDED] += 1
        child = choose_below(spec, row, trial, room, size, nodes, values, counters, path[length - 1])
        if child == 0:
            break
        play_move(spec, row, nodes[child, MOVE])
        path[length] = child
        length += 1
    return length


@wrapping
@jit
def word_of(word, visit):
    """The word that the deal of a visit starts from."""
    return scramble(word + GAMMA * np.uint64(visit + 1))


@allocating_jit
def grow(spec, rows, room, nodes, values, menu, path, ends, counters, word, simulations, rounds):
    """Run simulations for the tree that `begin` began.

    word: uint64, all chance comes from it. rounds: how many turns of each player playouts go on for after this one.
    """
    rules, base, row, desk = address(spec, 0), address(rows, 0), address(rows, 1), address(room, 0)
    player = np.int64(base[PLAYER])
    turns = turns_completed(base) + 1 + rounds * spec[PLAYERS]
    out = address(ends, 0)
    for _ in range(simulations):
        path[0], path[1] = 0, choose_at_root(rules, nodes, values, menu, counters, player)
        copy_row(rules, base, row)
        deal_anew(rules, row, player, word_of(word, nodes[path[1], VISITS]))
        length = go_down(rules, rows, desk, nodes, values, path, counters)
        counters[PLAYED] += play_out(rules, row, desk, turns)
        chances(rules, row, desk, out)
        for i in range(length):
            nodes[path[i], VISITS] += 1
            for q in range(spec[PLAYERS]):
                values[path[i], q] += out[q]
    counters[SIMULATIONS] += simulations


@jit
def best_move(rows, nodes, values):
    """The move of the root most visited; of several the one that was worth most to the player.

    The policy's own, which is the first node below the root, has a head start.
    """
    player, child = np.int64(rows[0, PLAYER]), nodes[0, CHILD]
    best, most = 1, nodes[1, VISITS] + HEAD_START
    while child != 0:
        more = nodes[child, VISITS] - most
        if child != 1 and (more > 0 or (more == 0 and values[child, player] > values[best, player])):
            best, most = child, nodes[child, VISITS]
        child = nodes[child, NEXT]
    return nodes[best, MOVE]
