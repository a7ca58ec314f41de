"""Commands that are made once and handed out again: they are immutable, and few.

Bots are told their legal moves after every move, and most of these are among them.
"""

from typing import NamedTuple

from domain.calimala.commands import (
    Compensate,
    EndActivation,
    Perform,
    PlaceDisc,
    PlayCard,
    Skip,
)
from domain.calimala.components import ACTIONS, DISCS, SEATS, STREETS, Street
from domain.calimala.ways import WAYS


class Prepared(NamedTuple):
    """The commands of one seat.

    place_disc: by Street, then by Disc. perform, play_card: by index in WAYS. compensate, skip: by
    Action.
    """

    place_disc: list[list[PlaceDisc]]
    perform: list[Perform]
    play_card: list[PlayCard]
    compensate: list[Compensate]
    skip: list[Skip]
    end_activation: EndActivation


def _prepared(seat: int) -> Prepared:
    return Prepared(
        place_disc=[_placements(seat, street) for street in STREETS],
        perform=[Perform(seat, *way) for way in WAYS],
        play_card=[PlayCard(seat, *way) for way in WAYS],
        compensate=[Compensate(seat, action) for action in ACTIONS],
        skip=[Skip(seat, action) for action in ACTIONS],
        end_activation=EndActivation(seat),
    )


def _placements(seat: int, street: Street) -> list[PlaceDisc]:
    return [PlaceDisc(seat, street, disc) for disc in DISCS]


PREPARED = tuple(_prepared(seat) for seat in range(max(SEATS)))  # by seat
