"""The fourth disc of a stack: its way to the council, and the exchange if it is white (C31-C34)."""

from typing import NamedTuple

from domain.calimala import events
from domain.calimala.agenda import Exchange, Promotion
from domain.calimala.components import STREETS, WHITE, Edition, Street
from domain.calimala.state import State, all_scored, next_tile
from domain.game import Draft


class Place(NamedTuple):
    """The place of a disc. Position 0 is the bottom of the street's stack."""

    street: Street
    position: int


def promote(draft: Draft[State], promotion: Promotion) -> bool:
    """Send the fourth disc to the council (C31-C33), or out of the game after the last tile (C40).

    Return True: nobody has a choice yet, so the agenda goes on.
    """
    state = draft.state
    seat = promotion.seat
    street = promotion.street
    disc = state.streets[street][0]  # the bottom one

    if all_scored(state):
        draft.emit(events.DiscRemoved(street))
    elif disc != WHITE:
        draft.emit(events.DiscPromoted(disc, street, next_tile(state)))
    elif state.players[seat].discs:
        draft.emit(events.WhiteDiscExchanged(seat, street, next_tile(state)))
    else:
        draft.emit(events.WhiteDiscLifted(seat, street))
    return True


def exchange(draft: Draft[State], awaited: Exchange) -> bool:
    """Take the only disc that can be given up (C33). Without one the council seat is empty (C34).

    Do nothing and return False if the player has a choice. Else return True.
    """
    places = givable(draft.state, awaited)
    if len(places) > 1:
        return False
    if places:
        give_up(draft, awaited, places[0])
    else:
        draft.emit(events.SeatLeftEmpty(next_tile(draft.state)))
    return True


def givable(state: State, awaited: Exchange) -> list[Place]:
    """Return the places of the discs that the seat may give up (C33).

    In the English edition these are the seat's discs on other streets, else on all streets.
    """
    spares_its_own_street = state.edition is Edition.ENGLISH
    places = []
    for street in STREETS:
        if spares_its_own_street and street == awaited.street:
            continue
        for position, disc in enumerate(state.streets[street]):
            if disc == awaited.seat:
                place = Place(street, position)
                places.append(place)
    return places


def give_up(draft: Draft[State], awaited: Exchange, place: Place) -> None:
    """Let the disc at a place take the council seat (C33).

    The white disc goes on top of that stack, or in the German edition out of the game.
    """
    state = draft.state
    draft.emit(
        events.DiscGivenUp(
            seat=awaited.seat,
            street=place.street,
            position=place.position,
            tile=next_tile(state),
            white_stays=state.edition is not Edition.GERMAN,
        )
    )
