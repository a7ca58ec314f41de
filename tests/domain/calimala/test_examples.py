"""The rulebook's worked examples, move by move.

Marion is seat 0, Angelika 1, Tanja 2, Nicole 3.
"""

from domain.calimala import GAME
from domain.calimala.components import PLACES, Action, Building, Category, City, Decider
from domain.calimala.scoring import settle
from domain.calimala.state import State
from domain.game import HOUSE
from tests.domain.calimala.table import (
    ARTWORK_SHIP,
    SHIP_BUILD,
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


# ---- two discs in one stack ----------------------------------------------------------------------


def before_two_discs() -> State:
    """Return the table before Marion places her second disc above Angelika's."""
    state = table()
    state.streets[SHIP_BUILD] = (MARION, ANGELIKA)
    marion = state.players[MARION]
    marion.ships = 1
    marion.cloth = (0, 0)
    give(state, MARION, wood=1, cloth=2)
    deal(state, MARION, Action.WOOD)
    give(state, ANGELIKA, wood=1, brick=1)
    return state


def test_two_discs_in_one_stack() -> None:
    """C16, C17, C19, C20: Marion activates both her discs, Angelika hers in between.

    A card that Marion draws is used at once.
    """
    state = before_two_discs()
    marion, angelika, _ = state.players
    place(state, MARION, SHIP_BUILD)

    # Marion plays a card to build a second ship, and both of them sail.
    play_card(state, MARION, "wood")
    perform(state, MARION, "build", build="ship")
    perform(state, MARION, "ship", cities=["lisbon", "lisbon"])
    assert marion.ships == 2
    assert marion.stock == [0, 0, 0]
    assert state.cloth[City.LISBON] == (2, 0, 0)

    # Angelika has no ship, so she draws a card.
    perform(state, ANGELIKA, "build", build="workshop")
    compensate(state, ANGELIKA, "ship")
    assert len(angelika.cloth) == 2
    assert sum(angelika.hand) == 1
    do(state, "end_activation", ANGELIKA)

    # Marion's lower disc: the card that she draws gives the cloth for her ships.
    stack_deck(state, Action.WEAVE)
    compensate(state, MARION, "build")
    play_card(state, MARION, "weave")
    assert marion.cloth == (1, 1)
    events = perform(state, MARION, "ship", cities=["barcelona", "london"])

    assert [state.cloth[city][MARION] for city in City] == [1, 2, 1, 0, 0, 0]
    assert tags(events)[-1] == "activation_ended"
    assert GAME.actors(state) == (ANGELIKA,)


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


# ---- ties ----------------------------------------------------------------------------------------


def test_the_order_of_ties() -> None:
    """C37: Angelika's three seats and artwork win.

    Tanja had her second seat before Marion; Nicole's sum is lowest.
    """
    state = table(4)
    state.cloth[City.LISBON] = (2,) * 4
    state.council_seats = (*(ANGELIKA, TANJA, ANGELIKA, MARION), *(NICOLE, TANJA, ANGELIKA, MARION))
    state.artworks[Building.PALAZZO_VECCHIO] = (0, 1, 0, 0)
    state.patrons = (ANGELIKA,)

    result = settle(state, Category.LISBON, PLACES)
    assert result.order == (ANGELIKA, TANJA, MARION, NICOLE)
    assert result.points == (1, 3, 2, 0)
    assert result.decided_by == (Decider.SUM, Decider.FIRST_TO_SEATS, Decider.SUM)
