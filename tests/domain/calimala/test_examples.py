"""The rulebook's worked examples, move by move. Marion is seat 0, Angelika 1, Tanja 2, Nicole 3."""

from domain.calimala import GAME
from domain.calimala.components import PLACES, Action, Building, Category, City
from domain.calimala.majorities import settle
from domain.game import HOUSE
from tests.domain.calimala.table import (
    ARTWORK_SHIP,
    SHIP_BUILD,
    WHITE,
    deal,
    deliver,
    do,
    give,
    stack_deck,
    table,
    tags,
)


def test_two_discs_in_one_stack() -> None:
    """C16, C17, C19, C20: Marion activates both her discs, Angelika hers in between; a drawn card is used at once."""
    state = table()
    marion, angelika, _ = state.players
    state.streets[SHIP_BUILD] = [0, 1]
    marion.ships, marion.cloth = 1, [0, 0]
    give(state, 0, wood=1, cloth=2)
    deal(state, 0, Action.WOOD)
    give(state, 1, wood=1, brick=1)
    do(state, "place_disc", 0, street="2-5", disc="coloured")

    do(state, "play_card", 0, action="wood")
    do(state, "perform", 0, action="build", build="ship")
    do(state, "perform", 0, action="ship", cities=["lisbon", "lisbon"])
    assert (marion.ships, marion.stock, state.cloth[City.LISBON]) == (2, [0, 0, 0], [2, 0, 0])

    do(state, "perform", 1, action="build", build="workshop")
    do(state, "compensate", 1, action="ship")
    assert (len(angelika.cloth), sum(angelika.hand)) == (2, 1)
    do(state, "end_activation", 1)

    stack_deck(state, Action.WEAVE)
    do(state, "compensate", 0, action="build")
    do(state, "play_card", 0, action="weave")
    assert marion.cloth == [1, 1]
    events = do(state, "perform", 0, action="ship", cities=["barcelona", "london"])
    assert [state.cloth[city][0] for city in City] == [1, 2, 1, 0, 0, 0]
    assert tags(events)[-1] == "activation_ended"
    assert GAME.actors(state) == (1,)


def test_an_extended_turn_that_ends_with_a_scoring() -> None:
    """C19, C20, C32, C35-C38: artworks, a partial shipment, cards, a white fourth disc: Lisbon scores 3-2-1."""
    state = table()
    marion, angelika, tanja = state.players
    state.streets[ARTWORK_SHIP] = [WHITE, 2, 1]
    state.scored, state.council_seats = Category.LISBON, [0]
    deliver(state, City.LISBON, 1, 2, 1)
    marion.cloth, marion.ships = [0, 0], 2
    give(state, 0, marble=2, cloth=2)
    deal(state, 0, Action.ARTWORK, Action.WOOD)
    angelika.ships, angelika.houses = 2, [1, 0, 0]
    give(state, 1, marble=1, brick=1)
    deal(state, 1, Action.BUILD)
    do(state, "place_disc", 0, street="1-2", disc="coloured")

    do(state, "perform", 0, action="artwork", building="santa_croce")
    do(state, "play_card", 0, action="artwork", building="santa_croce")
    do(state, "perform", 0, action="ship", cities=["lisbon"])
    do(state, "end_activation", 0)
    assert state.artworks[Building.SANTA_CROCE] == [2, 0, 0]
    assert state.cloth[City.LISBON] == [2, 2, 1]

    stack_deck(state, *[Action.WOOD] * 4)
    do(state, "perform", 1, action="artwork", building="san_miniato")
    do(state, "compensate", 1, action="ship")
    do(state, "play_card", 1, action="wood")
    do(state, "play_card", 1, action="build", build="workshop")
    assert (len(angelika.cloth), sum(angelika.hand)) == (2, 0)

    do(state, "compensate", 2, action="artwork")
    do(state, "compensate", 2, action="ship")
    assert sum(tanja.hand) == 2
    assert tags(do(state, "end_activation", 2)) == ["activation_ended", "white_disc_exchanged"]

    assert GAME.actors(state) == (HOUSE,)
    (scored,) = do(state, "score")
    assert (scored.category, scored.counts, scored.points) == (
        Category.LISBON,
        (2, 2, 1),
        (3, 2, 1),
    )
    assert [player.points for player in state.players] == [3, 2, 1]
    assert GAME.actors(state) == (1,)


def test_the_order_of_ties() -> None:
    """C37: Angelika's three seats and artwork win; Tanja had her second seat before Marion; Nicole's sum is lowest."""
    state = table(4)
    state.cloth[City.LISBON] = [2, 2, 2, 2]
    state.council_seats = [1, 2, 1, 0, 3, 2, 1, 0]
    state.artworks[Building.PALAZZO_VECCHIO][1] = 1
    state.patrons = [1]
    result = settle(state, Category.LISBON, PLACES)
    assert result.order == (1, 2, 0, 3)
    assert [decider.wire for decider in result.decided_by] == ["sum", "first_to_seats", "sum"]
    assert result.points == (1, 3, 2, 0)
