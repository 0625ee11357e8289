"""What a viewer may see: as much as the seat's observation holds, and no more."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from respublica_env import Game, Rules
from respublica_env.envs.ansi import ansi_view
from respublica_env.envs.picture import draw
from respublica_env.envs.view import SPECTATOR, see
from tests.strategies import SEEDS, eager, fingerprint, play, positions
from tests.test_properties import swap_what_is_hidden

some = settings(deadline=None, max_examples=60)


@some
@given(positions(), st.integers(0, 5), SEEDS)
def test_what_a_seat_cannot_know_is_not_in_it(game: Game, number: int, seed: int) -> None:
    """Final scores alone depend on hidden cards: they are announced."""
    seat, rng = number % game.rules.num_players, np.random.default_rng(seed)
    for other in (swap_what_is_hidden(game, seat, rng), game.determinize(seat, rng)):
        for viewer in (seat, SPECTATOR):
            assert replace(see(other, viewer), scores=None) == replace(see(game, viewer), scores=None)
            if not game.terminated:
                assert ansi_view(other, viewer) == ansi_view(game, viewer)


@some
@given(positions(), st.integers(0, 5))
def test_hands_are_whole_known_or_public(game: Game, number: int) -> None:
    seat, before = number % game.rules.num_players, fingerprint(game)
    everything, own, public = see(game), see(game, np.int64(seat)), see(game, SPECTATOR)
    assert everything.hands == game.hands.tolist() and all(everything.whole)
    assert public.hands == game.known(None).tolist() and not any(public.whole)
    for other in own.seats:
        known = game.hands[seat] if other == seat else game.known(seat)[other]
        assert own.hands[other] == known.tolist() and own.whole[other] == (other == seat)
    for view in (own, public):
        assert view.deck_cards is None and view.next_cards is None
        assert view.backs == everything.backs and sum(map(sum, view.backs)) == game.hands.sum()
    assert fingerprint(game) == before


@some
@given(positions())
def test_what_has_been_chosen_is_for_the_giver(game: Game) -> None:
    position = game.to_dict()
    for viewer in (None, *range(game.rules.num_players), SPECTATOR):
        for seat, chosen in enumerate(see(game, viewer).chosen):
            if game.phase == "HAND_OVER" and viewer in (None, seat) and seat in (game.active, position["partner"]):
                assert chosen == position["chosen"][0 if seat == game.active else 1]
            else:
                assert chosen is None


def test_the_end() -> None:
    game = Game(Rules(num_players=3, copies=6, set_size=2), seed=0)
    for moment in play(game, eager(np.random.default_rng(0))):
        view = see(moment, 0)
        assert (view.scores is None) == (not moment.terminated) == (not view.winners)
    assert view.scores == game.scores()
    assert view.winners == [seat for seat, score in enumerate(game.scores()) if score == max(game.scores())]


def passing(hand: int) -> Game:
    """Seat 1 has passed on "seek 1 Roman", holding four cards of type `hand`; the others do not see which."""
    deck = [2] * 4 + [hand] * 4 + [0] * 4
    deck += [k for k in range(5) for _ in range(12 - deck.count(k))]
    game = Game(Rules(num_players=3), seed=0, population_deck=deck)
    for words in ("seek 1 Roman", "pass"):
        game.step(game.parse(words))
    if game.player == 1:
        game.step(game.parse("pass"))
    assert (game.phase, game.player) == ("RESPOND", 2)
    return game


def test_a_pass_by_choice_looks_as_one_without_a_choice() -> None:
    by_choice, forced = passing(hand=0), passing(hand=1)
    for viewer in (0, 2, SPECTATOR):
        assert see(by_choice, viewer) == see(forced, viewer)
        assert ansi_view(by_choice, viewer) == ansi_view(forced, viewer)
        assert draw(by_choice, viewer).tobytes() == draw(forced, viewer).tobytes()
    assert see(by_choice) != see(forced)
