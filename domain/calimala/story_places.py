"""Who got which place in a scoring, and how ties came out, told in English (C36, C37)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from domain.calimala.components import Category, Decider
from domain.calimala.events import FinalCardScored, TileScored
from domain.calimala.words import amount
from domain.kit.wording import listed

Scored = TileScored | FinalCardScored

NOBODY = "nobody has anything there, so there are no points"

# What has put one player above the next, in words that go on behind "won by" (C37).
_WON_BY = {
    Decider.SUM: "more seats and Palazzo Vecchio artworks",
    Decider.SEATS: "more seats",
    Decider.FIRST_TO_SEATS: "taking as many seats first",
    Decider.FIRST_ARTWORK: "the earlier artwork at Palazzo Vecchio",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a scoring, which several may share (C37).

    names: who has it.
    points: what each of them gets.
    count: how much each of them has of what is counted.
    decider: what put them above the next; None for the last place.
    """

    names: Sequence[str]
    points: int
    count: int
    decider: Decider | None

    @property
    def who(self) -> str:
        """Who has the place, as a sentence lists them."""
        return listed(self.names)

    @property
    def is_shared(self) -> bool:
        """Whether several have it."""
        return len(self.names) > 1


def _places_of(event: Scored, names: Sequence[str]) -> list[Place]:
    """Return the places of a scoring from the best to the last; somebody has cubes."""
    deciders = (*event.decided_by, None)
    places = []
    sharing: list[str] = []

    for seat, decider in zip(event.order, deciders, strict=True):
        sharing.append(names[seat])
        if decider is Decider.SHARED:
            continue

        place = Place(
            names=sharing,
            points=event.points[seat],
            count=event.counts[seat],
            decider=decider,
        )
        places.append(place)
        sharing = []

    return places


def result(event: Scored, names: Sequence[str]) -> str:
    """Return who got what for how much, and how ties came out.

    Such as "Bob gets 3 points for 4 cloth, Ada gets 2 for 3 (tie with Cleo won by more seats)".
    """
    if not event.order:
        return NOBODY

    places = _places_of(event, names)
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
    if not place.points:
        return ""

    notes = []
    if place.is_shared:
        notes.append("tie shared")
    if next_place is not None and place.decider in _WON_BY:
        reason = _WON_BY[place.decider]
        notes.append(f"tie with {next_place.who} won by {reason}")
    return f" ({'; '.join(notes)})" if notes else ""


def is_tied(event: Scored) -> bool:
    """Return whether something else than the number of cubes decided (C37)."""
    return any(decider is not Decider.COUNT for decider in event.decided_by)
