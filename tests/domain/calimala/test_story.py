"""What Calimala's story says of setup, turns and the council, each by its rule."""

from typing import Any

import pytest

from domain.calimala import GAME
from domain.calimala.agenda import Exchange, Turn
from domain.calimala.components import (
    FIRST_GAME,
    TILES,
    Action,
    Building,
    Category,
    City,
    Disc,
    Project,
    Resource,
    Street,
)
from domain.calimala.events import (
    ActionCardTaken,
    ActionPerformed,
    ActionSkipped,
    ActivationEnded,
    BoardLaidOut,
    CardPlayed,
    Compensated,
    DeckRenewed,
    DiscGivenUp,
    DiscPlaced,
    DiscPromoted,
    DiscRemoved,
    DraftEnded,
    ScoringCardKept,
    ScoringCardsDealt,
    SeatLeftEmpty,
    WhiteDiscExchanged,
    WhiteDiscLifted,
)
from domain.story import Sentence
from tests.domain.calimala.story_cases import case, heading, told
from tests.domain.calimala.table import (
    BRICK_WOOD,
    SHIP_BUILD,
    WEAVE_TRANSPORT,
    WHITE,
    WOOD_CONTRIBUTE,
    activate,
    give,
    place,
    place_above,
    table,
)

# ---- setting up ----------------------------------------------------------------------------------

SETTING_UP = [
    case(
        "C11-board",
        BoardLaidOut(FIRST_GAME, TILES, Category.SANTA_CROCE),
        "Florence is laid out with Brick, Artwork, Ship / Wood, Contribute, Build / "
        "Marble, Weave, Transport. The council will score, in this order, "
        "Barcelona, Lisbon, London, Troyes, Bruges, Hamburg, "
        "Santa Maria del Fiore, San Miniato, Santa Croce, artworks, port cities, trade cities, "
        "contributed wood, contributed brick and contributed marble. "
        "The final card Santa Croce lies open.",
        "C11",
    ),
    case(
        "C11-board-not-drawn-yet",
        BoardLaidOut(None, None, None),
        "The streets of Florence are laid out.",
        "C11",
    ),
    case(
        "C12-dealt-to-another",
        ScoringCardsDealt(1, None),
        "Bob is dealt three final scoring cards.",
    ),
    case(
        "C12-dealt",
        ScoringCardsDealt(1, (Category.LISBON, Category.SAN_MINIATO)),
        "Bob is dealt the final scoring cards Lisbon and San Miniato.",
    ),
    case(
        "C12-kept-by-another", ScoringCardKept(1, None), "Bob keeps a final scoring card in secret."
    ),
    case(
        "C12-kept",
        ScoringCardKept(1, Category.SANTA_MARIA_DEL_FIORE),
        "Bob keeps the final scoring card Santa Maria del Fiore.",
    ),
    case("C13-taken", ActionCardTaken(2, Action.WEAVE), "Cleo takes the open Weave card."),
    case(
        "C13-two-left",
        DraftEnded((Action.WOOD, Action.BUILD)),
        "Nobody takes more: the open Wood and Build cards join the deck.",
        "C13",
    ),
    case(
        "C13-one-left",
        DraftEnded((Action.WOOD,)),
        "Nobody takes more: the open Wood card joins the deck.",
        "C13",
    ),
]


@pytest.mark.parametrize(("event", "text", "rules"), SETTING_UP)
def test_setting_up(event: Any, text: str, rules: tuple[str, ...]) -> None:
    """C11-C13: cards are told to those who see them."""
    assert told(table(), event) == Sentence(text, rules)


# ---- a turn --------------------------------------------------------------------------------------

TURN = [
    case("C23", ActionPerformed(0, Action.BRICK), "Ada stores one brick."),
    case(
        "C24-ship",
        ActionPerformed(0, Action.BUILD, build=Project.SHIP),
        "Ada builds a ship for two wood.",
    ),
    case(
        "C24-workshop",
        ActionPerformed(0, Action.BUILD, build=Project.WORKSHOP),
        "Ada builds a workshop for one wood and one brick.",
    ),
    case(
        "C24-trade-house",
        ActionPerformed(0, Action.BUILD, build=Project.TRADE_HOUSE, city=City.BRUGES),
        "Ada builds a trade house in Bruges for two bricks.",
    ),
    case(
        "C20-C25-artwork-by-card",
        CardPlayed(0, Action.ARTWORK, building=Building.PALAZZO_VECCHIO),
        "Ada plays an Artwork card and gives an artwork to Palazzo Vecchio.",
    ),
    case("C26", ActionPerformed(0, Action.WEAVE, workshops=(2, 2)), "Ada weaves two cloth."),
    case(
        "C27-one",
        ActionPerformed(0, Action.SHIP, cities=(City.LONDON,), workshops=(1,)),
        "Ada ships one cloth to London.",
    ),
    case(
        "C27-twice-to-one-city",
        ActionPerformed(0, Action.SHIP, cities=(City.LONDON, City.LONDON), workshops=(0,)),
        "Ada ships two cloth to London.",
    ),
    case(
        "C28-two-cities",
        CardPlayed(
            seat=0, action=Action.TRANSPORT, cities=(City.TROYES, City.HAMBURG), workshops=(0,)
        ),
        "Ada plays a Transport card and transports two cloth, one to Troyes and one to Hamburg.",
    ),
    case(
        "C29",
        ActionPerformed(
            seat=0,
            action=Action.CONTRIBUTE,
            building=Building.SAN_MINIATO,
            resource=Resource.MARBLE,
        ),
        "Ada contributes marble to San Miniato.",
    ),
    case(
        "C19-compensated",
        Compensated(0, Action.SHIP, drew=True, card=Action.ARTWORK),
        "Ada cannot ship cloth and draws an Artwork card instead.",
        "C19",
    ),
    case(
        "C19-compensated-another",
        Compensated(0, Action.BUILD, drew=True, card=None),
        "Ada cannot build anything and draws a card instead.",
        "C19",
    ),
    case(
        "C22-no-card-left",
        Compensated(0, Action.MARBLE, drew=False, card=None),
        "Ada cannot store marble, and no card is left to draw.",
        "C19",
        "C22",
    ),
    case(
        "C22-renewed",
        DeckRenewed(),
        "The discard pile becomes the new deck of action cards.",
        "C22",
    ),
    case("C19-skipped", ActionSkipped(0, Action.WEAVE), "Ada gives Weave up for nothing."),
    case("C21", ActivationEnded(0), "Ada is done with Weave/Transport."),
]


@pytest.mark.parametrize(("event", "text", "rules"), TURN)
def test_a_turn(event: Any, text: str, rules: tuple[str, ...]) -> None:
    """C19-C29: what was done, with what, and where; two cloth lie in Ada's workshop before."""
    state = table()
    give(state, 0, cloth=2)
    activate(state, 0, WEAVE_TRANSPORT)

    assert told(state, event) == Sentence(text, rules)


DISCS = [
    case(
        "C14-alone",
        DiscPlaced(0, WEAVE_TRANSPORT, Disc.COLOURED, (0,)),
        "Ada places a coloured disc on Weave/Transport.",
    ),
    case(
        "C16-C18-white",
        DiscPlaced(0, WEAVE_TRANSPORT, Disc.WHITE, (0, 1)),
        "Ada places a white disc on Weave/Transport and activates it twice; "
        "the discs below activate it for Bob.",
        "C16",
    ),
    case(
        "C16-own-disc-again",
        DiscPlaced(0, WEAVE_TRANSPORT, Disc.COLOURED, (0, 0, 2)),
        "Ada places a coloured disc on Weave/Transport; "
        "the discs below activate it for Ada and Cleo.",
        "C16",
    ),
    case(
        "C17-two-discs-of-one",
        DiscPlaced(0, WEAVE_TRANSPORT, Disc.COLOURED, (0, 1, 1)),
        "Ada places a coloured disc on Weave/Transport; "
        "the discs below activate it for Bob (twice).",
        "C16",
    ),
]


@pytest.mark.parametrize(("event", "text", "rules"), DISCS)
def test_a_disc_placed(event: Any, text: str, rules: tuple[str, ...]) -> None:
    """C14, C16-C18: it begins a turn, and those below it are told in their order."""
    sentence = told(table(), event)
    assert (sentence.text, sentence.rules) == (text, rules)
    assert heading(sentence) == "turn: Turn 1: Ada"


@pytest.mark.parametrize("seats", GAME.seats)
def test_turns_are_counted_by_the_discs_that_were_placed(seats: int) -> None:
    """C14: also when a white disc comes back to a reserve (C32)."""
    state = table(seats)
    place_above(state, WHITE, 1, 1)
    assert state.council_seats == (0,)

    state.agenda = [Turn(1)]
    before = state.copy()
    placed, *_ = place(state, 1, BRICK_WOOD)
    assert heading(told(before, placed)) == "turn: Turn 2: Bob"


# ---- the council ---------------------------------------------------------------------------------


LISBON = Category.LISBON

# ---- the council ---------------------------------------------------------------------------------


def given_up_for_lisbon(street: Street, position: int) -> DiscGivenUp:
    """Return a disc that Ada gives up by the German rules."""
    return DiscGivenUp(seat=0, street=street, position=position, tile=LISBON, white_stays=False)


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
            seat=0, street=SHIP_BUILD, position=1, tile=Category.PORT_CITIES, white_stays=True
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
