"""How discs come from the streets to the council, told in English (C31-C34, C40)."""

from collections.abc import Sequence

from domain.calimala.agenda import Exchange
from domain.calimala.components import WHITE, Category
from domain.calimala.events import (
    DiscGivenUp,
    DiscPromoted,
    DiscRemoved,
    SeatLeftEmpty,
    WhiteDiscExchanged,
    WhiteDiscLifted,
)
from domain.calimala.state import State
from domain.calimala.words import street_name, tile_name
from domain.story import Sentence

Names = Sequence[str]


def disc_promoted(state: State, event: DiscPromoted, names: Names) -> Sentence:
    """Tell how the bottom disc took a council seat (C31)."""
    street = street_name(state, event.street)
    return Sentence(
        f"{names[event.seat]}'s disc leaves the bottom of {street} "
        f"and takes the council seat at {_tile(event.tile)}.",
        rules=("C31",),
    )


def white_disc_exchanged(state: State, event: WhiteDiscExchanged, names: Names) -> Sentence:
    """Tell how a coloured disc of the reserve took the seat (C32)."""
    street = street_name(state, event.street)
    return Sentence(
        f"{names[event.seat]} exchanges the white disc at the bottom of {street}: "
        f"a coloured one from their reserve takes the council seat at {_tile(event.tile)}, "
        "and the white one joins the reserve.",
        rules=("C32",),
    )


def white_disc_lifted(state: State, event: WhiteDiscLifted, names: Names) -> Sentence:
    """Tell that the reserve has no coloured disc for the exchange (C33)."""
    street = street_name(state, event.street)
    return Sentence(
        f"The white disc leaves the bottom of {street}, and {names[event.seat]} "
        "has no coloured disc in reserve to exchange it for.",
        rules=("C33",),
    )


def disc_given_up(state: State, event: DiscGivenUp, names: Names) -> Sentence:
    """Tell which disc took the seat, and what became of the white one (C33)."""
    disc = _disc_in_stack(state, event)
    white = "goes on top of that stack" if event.white_stays else "leaves the game"
    return Sentence(
        f"{names[event.seat]} gives up their disc {disc} "
        f"for the council seat at {_tile(event.tile)}, and the white disc {white}.",
        rules=("C33",),
    )


def _disc_in_stack(state: State, event: DiscGivenUp) -> str:
    """Return which disc of a stack it is: "at the bottom of Ship/Build"; the stack holds 1 to 3."""
    street = street_name(state, event.street)
    top = len(state.streets[event.street]) - 1
    if not top:
        return f"on {street}"
    if event.position == top:
        return f"on top of {street}"
    return f"at the bottom of {street}" if event.position == 0 else f"in the middle of {street}"


def seat_left_empty(state: State, event: SeatLeftEmpty, names: Names) -> Sentence:
    """Tell that the active player has no disc for the seat (C34)."""
    exchange = state.agenda[-1]
    assert type(exchange) is Exchange
    return Sentence(
        f"{names[exchange.seat]} has no disc to give up: the white one leaves the game, "
        f"and the council seat at {_tile(event.tile)} stays empty.",
        rules=("C34",),
    )


def disc_removed(state: State, event: DiscRemoved, names: Names) -> Sentence:
    """Tell that a fourth disc came too late for any seat (C40)."""
    owner = state.streets[event.street][0]
    disc = "The white disc" if owner == WHITE else f"{names[owner]}'s disc"
    street = street_name(state, event.street)
    return Sentence(
        f"{disc} at the bottom of {street} leaves the game, since all tiles are scored.",
        rules=("C40",),
    )


def _tile(category: Category) -> str:
    """Return a tile of the council: "the Lisbon tile"."""
    return f"the {tile_name(category)} tile"
