"""Who got which place in a scoring, and how ties came out, told in English (C36, C37)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from domain.calimala.components import FINAL_PLACES, PLACES, Category, Decider
from domain.calimala.events import FinalCardScored, TileScored
from domain.calimala.state import State, seats_held, standing
from domain.calimala.words import amount
from domain.kit.wording import listed

Scored = TileScored | FinalCardScored

NOBODY = "nobody has anything there, so there are no points"

_SUM = "seats and Palazzo Vecchio artworks"
_TIE_BREAKS = (Decider.SUM, Decider.SEATS, Decider.FIRST_TO_SEATS, Decider.FIRST_ARTWORK)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a scoring, which several may share (C37).

    names: who has it.
    worth: the points of the places that they cover together.
    points: what each of them gets.
    count: how much each of them has of what is counted.
    total, seats: how many council seats and Palazzo Vecchio artworks each of them has, and how many
    of these are seats.
    decider: what put them above the next; None for the last place.
    """

    names: Sequence[str]
    worth: int
    points: int
    count: int
    total: int
    seats: int
    decider: Decider | None

    @property
    def who(self) -> str:
        """Who has the place, as a sentence lists them."""
        return listed(self.names)

    @property
    def is_shared(self) -> bool:
        """Whether several have it."""
        return len(self.names) > 1


def _places_of(state: State, event: Scored, names: Sequence[str]) -> list[Place]:
    """Return the places of a scoring from the best to the last; somebody has cubes."""
    deciders = (*event.decided_by, None)
    worth = iter(PLACES if type(event) is TileScored else FINAL_PLACES)
    places = []
    sharing: list[str] = []

    for seat, decider in zip(event.order, deciders, strict=True):
        sharing.append(names[seat])
        if decider is Decider.SHARED:
            continue

        place = Place(
            names=sharing,
            worth=sum(islice(worth, len(sharing))),
            points=event.points[seat],
            count=event.counts[seat],
            total=standing(state, seat),
            seats=seats_held(state, seat),
            decider=decider,
        )
        places.append(place)
        sharing = []

    return places


def result(state: State, event: Scored, names: Sequence[str]) -> str:
    """Return who got what for how much, and how ties came out.

    Such as "Bob gets 3 points for 4 cloth (tie with Ada won by 3 to 1 in seats and Palazzo Vecchio
    artworks), Ada gets 2 for 4".
    """
    if not event.order:
        return NOBODY

    places = _places_of(state, event, names)
    gains = [_later_gain(place) for place in places]
    gains[0] = _first_gain(places[0], event.category)

    told = []
    for gain, place, next_place in zip_longest(gains, places, places[1:]):
        told.append(gain + _tie(place, next_place))
    return ", ".join(told)


def _first_gain(place: Place, category: Category) -> str:
    """Return what the best got; here it is said what the numbers count."""
    unit = "point" if place.points == 1 else "points"
    cubes = amount(category, place.count)
    if place.is_shared:
        return f"{place.who} get {place.points} {unit} each for {cubes}"
    return f"{place.who} gets {place.points} {unit} for {cubes}"


def _later_gain(place: Place) -> str:
    """Return what those behind the best got, in numbers alone."""
    verb = "get" if place.is_shared else "gets"
    if not place.points:
        return f"{place.who} {verb} nothing for {place.count}"

    each = " each" if place.is_shared else ""
    return f"{place.who} {verb} {place.points}{each} for {place.count}"


def _tie(place: Place, next_place: Place | None) -> str:
    """Return how ties came out: among those who share a place, and with the next ones."""
    if not place.worth:
        return ""

    notes = []
    if place.is_shared:
        notes.append(_split(place))
    if next_place is not None and place.decider in _TIE_BREAKS:
        notes.append(f"tie with {next_place.who}{_won_by(place, next_place)}")
    return f" ({'; '.join(notes)})" if notes else ""


def _split(place: Place) -> str:
    """Return what those who share a place split: "tie shared: 5 points split, rounded down"."""
    points = f"{place.worth} point" if place.worth == 1 else f"{place.worth} points"
    is_exact = place.points * len(place.names) == place.worth
    return f"tie shared: {points} split" + ("" if is_exact else ", rounded down")


def _won_by(place: Place, next_place: Place) -> str:
    """Return what put one place above the next, with the sums that were compared (C37)."""
    if place.decider is Decider.SUM:
        return f" won by {place.total} to {next_place.total} in {_SUM}"

    equal = f", at {place.total} each in {_SUM},"
    if place.decider is Decider.SEATS:
        return f"{equal} won by {place.seats} to {next_place.seats} in seats"
    if place.decider is Decider.FIRST_TO_SEATS:
        seats = "1 seat" if place.seats == 1 else f"{place.seats} seats"
        return f"{equal} won by reaching {seats} first"
    return f"{equal} won by the earlier artwork at Palazzo Vecchio"


def is_tied(event: Scored) -> bool:
    """Return whether something else than the number of cubes decided (C37)."""
    return any(decider is not Decider.COUNT for decider in event.decided_by)
