"""What Calimala's story says of the council, each by its rule."""

from typing import Any

import pytest

from domain.calimala.agenda import Exchange
from domain.calimala.components import Category, Street
from domain.calimala.events import (
    DiscGivenUp,
    DiscPromoted,
    DiscRemoved,
    SeatLeftEmpty,
    WhiteDiscExchanged,
    WhiteDiscLifted,
)
from domain.story import Sentence
from tests.domain.calimala.table import (
    BRICK_WOOD,
    SHIP_BUILD,
    WEAVE_TRANSPORT,
    WHITE,
    WOOD_CONTRIBUTE,
    table,
)
from tests.domain.calimala.telling import case, told

LISBON = Category.LISBON

# ---- the council ---------------------------------------------------------------------------------


def given_up_for_lisbon(street: Street, position: int) -> DiscGivenUp:
    """Return a disc that Ada gives up by the German rules."""
    return DiscGivenUp(
        seat=0,
        street=street,
        position=position,
        tile=LISBON,
        white_stays=False,
    )


COUNCIL = [
    case(
        "C31",
        DiscPromoted(2, BRICK_WOOD, LISBON),
        "Cleo's disc leaves the bottom of Brick/Wood "
        "and takes the council seat at the Lisbon tile.",
        "C31",
    ),
    case(
        "C32",
        WhiteDiscExchanged(0, BRICK_WOOD, Category.CONTRIBUTED_WOOD),
        "Ada exchanges the white disc at the bottom of Brick/Wood: a coloured one from their "
        "reserve takes the council seat at the contributed wood tile, and the white one joins "
        "the reserve.",
        "C32",
    ),
    case(
        "C33-lifted",
        WhiteDiscLifted(0, BRICK_WOOD),
        "The white disc leaves the bottom of Brick/Wood, "
        "and Ada has no coloured disc in reserve to exchange it for.",
        "C33",
    ),
    case(
        "C33-english",
        DiscGivenUp(
            seat=0,
            street=SHIP_BUILD,
            position=1,
            tile=Category.PORT_CITIES,
            white_stays=True,
        ),
        "Ada gives up their disc on top of Ship/Build for the council seat at the port cities "
        "tile, and the white disc goes on top of that stack.",
        "C33",
    ),
    case(
        "C33-german",
        given_up_for_lisbon(WEAVE_TRANSPORT, 0),
        "Ada gives up their disc on Weave/Transport for the council seat at the Lisbon tile, "
        "and the white disc leaves the game.",
        "C33",
    ),
    case(
        "C33-at-the-bottom",
        given_up_for_lisbon(WOOD_CONTRIBUTE, 0),
        "Ada gives up their disc at the bottom of Wood/Contribute for the council seat at the "
        "Lisbon tile, and the white disc leaves the game.",
        "C33",
    ),
    case(
        "C33-in-the-middle",
        given_up_for_lisbon(WOOD_CONTRIBUTE, 1),
        "Ada gives up their disc in the middle of Wood/Contribute for the council seat at the "
        "Lisbon tile, and the white disc leaves the game.",
        "C33",
    ),
    case(
        "C34",
        SeatLeftEmpty(LISBON),
        "Ada has no disc to give up: the white one leaves the game, "
        "and the council seat at the Lisbon tile stays empty.",
        "C34",
    ),
    case(
        "C40-coloured",
        DiscRemoved(SHIP_BUILD),
        "Bob's disc at the bottom of Ship/Build leaves the game, since all tiles are scored.",
        "C40",
    ),
    case(
        "C40-white",
        DiscRemoved(BRICK_WOOD),
        "The white disc at the bottom of Brick/Wood leaves the game, since all tiles are scored.",
        "C40",
    ),
]


@pytest.mark.parametrize(("event", "text", "rules"), COUNCIL)
def test_the_council(event: Any, text: str, rules: tuple[str, ...]) -> None:
    """C31-C34, C40: who takes a seat, from where, and what becomes of a white disc."""
    state = table()
    state.streets[BRICK_WOOD] = (WHITE, 2, 1, 0)
    state.streets[SHIP_BUILD] = (1, 0)
    state.streets[WOOD_CONTRIBUTE] = (0, 0, 1)
    state.streets[WEAVE_TRANSPORT] = (0,)
    state.agenda.append(Exchange(0, BRICK_WOOD))

    assert told(state, event) == Sentence(text, rules)
