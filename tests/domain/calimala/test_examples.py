"""The rulebook's worked examples, move by move.

Marion is seat 0, Angelika 1, Tanja 2, Nicole 3.
"""

from domain.calimala import GAME
from domain.calimala.components import Action, Building, Category, City
from domain.calimala.state import State
from domain.game import HOUSE
from tests.domain.calimala.table import (
    ARTWORK_SHIP,
    WHITE,
    compensate,
    deal,
    deliver,
    do,
    give,
    perform,
    place,
    play_card,
    stack_deck,
    table,
    tags,
)

MARION, ANGELIKA, TANJA, NICOLE = range(4)


# ---- an extended turn ----------------------------------------------------------------------------


def before_the_extended_turn() -> State:
    """Return the table before Marion places the fourth disc above a white one."""
    state = table()
    state.streets[ARTWORK_SHIP] = (WHITE, TANJA, ANGELIKA)
    state.scored = Category.LISBON
    state.council_seats = (MARION,)
    deliver(state, City.LISBON, 1, 2, 1)

    marion, angelika, _ = state.players
    marion.cloth = (0, 0)
    marion.ships = 2
    give(state, MARION, marble=2, cloth=2)
    deal(state, MARION, Action.ARTWORK, Action.WOOD)

    angelika.ships = 2
    angelika.houses = [1, 0, 0]
    give(state, ANGELIKA, marble=1, brick=1)
    deal(state, ANGELIKA, Action.BUILD)
    return state


def test_an_extended_turn_that_ends_with_a_scoring() -> None:
    """C19, C20, C32, C35-C38: artworks, a partial shipment, cards, a white fourth disc.

    In the end Lisbon scores 3, 2, 1.
    """
    state = before_the_extended_turn()
    _, angelika, tanja = state.players
    place(state, MARION, ARTWORK_SHIP)

    # Marion gives two artworks and sends only one of her ships.
    perform(state, MARION, "artwork", building="santa_croce")
    play_card(state, MARION, "artwork", building="santa_croce")
    perform(state, MARION, "ship", cities=["lisbon"])
    do(state, "end_activation", MARION)
    assert state.artworks[Building.SANTA_CROCE] == (2, 0, 0)
    assert state.cloth[City.LISBON] == (2, 2, 1)

    # Angelika has ships but no cloth; the wood that she draws builds a workshop.
    stack_deck(state, *[Action.WOOD] * 4)
    perform(state, ANGELIKA, "artwork", building="san_miniato")
    compensate(state, ANGELIKA, "ship")
    play_card(state, ANGELIKA, "wood")
    play_card(state, ANGELIKA, "build", build="workshop")
    assert len(angelika.cloth) == 2
    assert sum(angelika.hand) == 0

    # Tanja can do neither and draws two cards.
    compensate(state, TANJA, "artwork")
    compensate(state, TANJA, "ship")
    assert sum(tanja.hand) == 2
    events = do(state, "end_activation", TANJA)
    assert tags(events) == ["activation_ended", "white_disc_exchanged"]

    assert GAME.actors(state) == (HOUSE,)
    (scored,) = do(state, "score")

    assert scored.category is Category.LISBON
    assert scored.counts == (2, 2, 1)
    assert scored.points == (3, 2, 1)
    assert [player.points for player in state.players] == [3, 2, 1]
    assert GAME.actors(state) == (ANGELIKA,)
