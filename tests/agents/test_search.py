"""Tree search: legal and repeatable choices, nothing seen that its seat may not see, and a tree that adds up."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agents
from agents.search import SearchAgent, Tree
from respublica_env import Game, Rules
from respublica_env.engine import moves
from respublica_env.engine.room import room_for_runs
from respublica_env.engine.search import CHILD, CHILDREN, MOVE, NEXT, NODES, OPEN, VISITS
from respublica_env.engine.state import make_spec
from respublica_env.opponents import PythonOpponent, find
from tests.strategies import SEEDS, fingerprint, positions
from tests.test_properties import swap_what_is_hidden
from train.evaluate import evaluate

some = settings(deadline=None, max_examples=60)
few = settings(deadline=None, max_examples=25)


def nodes_below(tree: Tree, node: int = 0) -> list[int]:
    """The children of a node."""
    found, child = [], int(tree.desk.nodes[node, CHILD])
    while child:
        found.append(child)
        child = int(tree.desk.nodes[child, NEXT])
    return found


def search(game: Game, simulations: int, most_nodes: int = 1000) -> Tree:
    """A tree for the player to decide."""
    assert game.player is not None
    tree = Tree(game.rules, most_nodes)
    tree.begin(game.determinize(game.player, np.random.default_rng(1)))
    tree.grow(7, simulations)
    return tree


def is_legal(game: Game, move: int) -> bool:
    """Whether a move can be played in the game itself, step by step."""
    second, first = divmod(move, game.rules.num_actions)
    if not game.action_mask()[first]:
        return False
    trial = game.copy()
    speaker = trial.player
    trial.step(first)
    return second == 0 or (trial.phase == "EXTEND" and trial.player == speaker and bool(trial.action_mask()[second]))


@some
@given(positions(over=False), SEEDS, st.integers(1, 12))
def test_chooses_a_legal_action_and_leaves_the_game_as_it_was(game: Game, seed: int, simulations: int) -> None:
    if game.terminated:
        return
    assert game.player is not None
    before = fingerprint(game)
    action = SearchAgent(f"search:{simulations}").choose(game, game.player, np.random.default_rng(seed))
    assert type(action) is int and game.action_mask()[action] == 1
    assert fingerprint(game) == before


@few
@given(positions(over=False), SEEDS)
def test_sees_only_what_its_seat_may_see(game: Game, seed: int) -> None:
    """Hidden cards exchanged, or all dealt anew: with the same seed the same choice, by an agent new or used."""
    if game.terminated:
        return
    seat = game.player
    assert seat is not None
    used = SearchAgent("search:20")
    choice = used.choose(game, seat, np.random.default_rng(seed))
    worlds = [
        swap_what_is_hidden(game, seat, np.random.default_rng(seed)),
        game.determinize(seat, np.random.default_rng(seed)),
    ]
    for world in worlds:
        assert used.choose(world, seat, np.random.default_rng(seed)) == choice
        assert SearchAgent("search:20").choose(world, seat, np.random.default_rng(seed)) == choice


@some
@given(positions(over=False))
def test_the_menu_holds_legal_moves_once_each_and_begins_with_the_policys(game: Game) -> None:
    if game.terminated:
        return
    assert game.player is not None
    tree = Tree(game.rules, 2)
    world = game.determinize(game.player, np.random.default_rng(1))
    menu = tree.desk.menu[: tree.begin(world)].tolist()
    assert len(set(menu)) == len(menu)
    assert all(is_legal(world, move) for move in menu)
    words = world.phase in ("ANNOUNCE", "RESPOND", "EXTEND")
    assert words or len(menu) == min(len(world.legal_actions()), moves.MOST_MOVES)
    assert tree.best_move() == menu[0]
    first = world.play_bot("trader")
    assert menu[0] % game.rules.num_actions == first


def test_the_policys_move_comes_first_where_points_are_counted_in_billions() -> None:
    rules = Rules(
        num_players=5,
        population_types=3,
        technology_types=1,
        copies=2,
        set_size=2,
        hand_size=1,
        max_count=1,
        max_draw=1,
        city_points=10**9,
        monument_points=(10**9,),
        num_cities=1,
        pair_points=0,
        max_turns=3,
        auto_forced=False,
    )
    tree, highest = Tree(rules, 2), 0.0
    for seed in range(60):
        size = tree.begin(Game(rules, seed=seed).determinize(0, np.random.default_rng(seed)))
        scores = tree.desk.scores[:size]
        assert scores[0] == moves.SURE
        highest = max(highest, *scores[scores < moves.LIKELY].tolist(), 0.0)
    assert highest > 10**9


@some
@given(positions(over=False), SEEDS)
def test_moves_in_one_go_are_legal_exactly_when_they_are_one_by_one(game: Game, seed: int) -> None:
    if game.phase not in ("ANNOUNCE", "RESPOND"):
        return
    rng, spec, room = np.random.default_rng(seed), make_spec(game.rules), room_for_runs()[0]
    row = game.__getstate__()["row"]
    size = moves.open_runs(spec, row, room)
    for _ in range(30):
        first = int(rng.choice(game.legal_actions()))
        kinds = game.rules.num_kinds
        kind = 0 if first == 0 else (first - 1) // game.rules.max_count % kinds
        if first == 0 or kind + 1 == kinds or game.rules.max_terms == 1:
            continue
        term = int(rng.integers((kind + 1) * game.rules.max_count, kinds * game.rules.max_count))
        second = 1 + (2 + int(rng.integers(2))) * kinds * game.rules.max_count + term
        move = first + game.rules.num_actions * second
        before = row.tobytes()
        assert moves.can_move(spec, row, room, size, move) == is_legal(game, move)
        assert row.tobytes() == before


@few
@given(positions(over=False), st.integers(1, 80))
def test_the_tree_adds_up(game: Game, simulations: int) -> None:
    if game.terminated:
        return
    tree = search(game, simulations)
    nodes, values = tree.desk.nodes, tree.desk.values
    assert nodes[0, VISITS] == simulations
    used = int(tree.desk.counters[NODES])
    assert 1 < used <= 1 + simulations
    reached = [0]
    for node in reached:
        children = nodes_below(tree, node)
        reached += children
        assert len(children) == nodes[node, CHILDREN] == len({int(nodes[child, MOVE]) for child in children})
        assert sum(nodes[child, VISITS] for child in children) <= nodes[node, VISITS]
        assert all(nodes[child, OPEN] >= nodes[child, VISITS] - 1 for child in children)
        assert values[node].min() >= 0
        assert values[node].sum() == pytest.approx(nodes[node, VISITS])  # each simulation shares out one win
    assert sorted(reached) == list(range(used))
    assert sum(nodes[child, VISITS] for child in nodes_below(tree)) == simulations


def test_a_full_tree_is_searched_on() -> None:
    tree = search(Game(seed=3), 40, most_nodes=4)
    assert tree.desk.counters[NODES] == 4
    assert tree.desk.nodes[0, VISITS] == sum(tree.desk.nodes[1:, VISITS][:3]) == 40


def test_simulations_in_parts_are_those_in_one_go() -> None:
    whole = search(Game(seed=3), 60)
    parts = search(Game(seed=3), 25)
    parts.grow(7, 35)
    assert (whole.desk.nodes == parts.desk.nodes).all() and (whole.desk.values == parts.desk.values).all()


def test_moves_of_the_root_are_compared_in_the_same_deals() -> None:
    """A move that stands on the menu twice is worth the same both times."""
    game = Game(seed=3)
    tree = Tree(game.rules, 100)
    tree.begin(game.determinize(0, np.random.default_rng(1)))
    tree.desk.menu[1] = tree.desk.menu[0]
    tree.grow(7, 2)  # the second visit widens the root
    assert (tree.desk.nodes[[1, 2], VISITS] == 1).all()
    assert (tree.desk.values[1] == tree.desk.values[2]).all()
    before = tree.desk.values[1].copy()
    tree.begin(game.determinize(0, np.random.default_rng(1)))
    tree.grow(8, 1)
    assert (tree.desk.values[1] != before).any()  # which another word deals otherwise


def test_is_stronger_than_the_bot_that_plays_its_playouts() -> None:
    """Par is 0.25; over many deals it is above 0.6."""
    result = evaluate(["search:40", "trader", "trader", "trader"], deals=2, seed=0)
    share = {agent["name"]: agent["win_share"] for agent in result["agents"]}
    assert share["search:40"] > 0.35


def test_names_carry_the_budget() -> None:
    for name in ("search:1", "search:12", "search:3ms"):
        agent, game = agents.load(name), Game(seed=5)
        assert isinstance(agent, SearchAgent) and agent.name == name and agent.bot is None
        assert game.action_mask()[agent.choose(game, 0, np.random.default_rng(0))] == 1
        found = find(name)
        assert isinstance(found, PythonOpponent) and found.choose is not None


@pytest.mark.parametrize(
    "name", ["search:", "search:0", "search:-5", "search:x", "search:5s", "search:1e3", "search:N"]
)
def test_a_name_without_a_budget_is_refused(name: Any) -> None:
    with pytest.raises(ValueError, match=r"a search is named search:N .* got 'search:"):
        agents.load(name)
