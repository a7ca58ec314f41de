"""How a scoring came out and why, told in English (C35-C37, C41, C42)."""

from collections.abc import Sequence
from typing import NamedTuple

from domain.calimala.agenda import Scoring
from domain.calimala.components import Category, Decider
from domain.calimala.events import (
    FinalCardScored,
    FinalCardsRevealed,
    MatchEnded,
    PlayEnded,
    TileScored,
)
from domain.calimala.state import State, all_scored, standing
from domain.calimala.words import amount, tile_name
from domain.kit.ranking import winners
from domain.kit.wording import listed, upper_first
from domain.story import Heading, Part, Sentence

Names = Sequence[str]
Scored = TileScored | FinalCardScored

# What has put one player above the next, in words that go on behind "won by" (C37).
_WON_BY = {
    Decider.SUM: "more seats and Palazzo Vecchio artworks",
    Decider.SEATS: "more seats",
    Decider.FIRST_TO_SEATS: "taking as many seats first",
    Decider.FIRST_ARTWORK: "the earlier artwork at Palazzo Vecchio",
}


def tile_scored(state: State, event: TileScored, names: Names) -> Sentence:
    """Tell a scoring tile; after the last disc nobody has taken its seat (C39)."""
    title = tile_name(event.category)
    has_seat = type(state.agenda[-1]) is Scoring
    seat = "" if has_seat else " without a council seat"
    rules = ("C36",) if has_seat else ("C36", "C39")
    return Sentence(
        f"{upper_first(title)} {_are(event.category)} scored{seat}: {_places(event, names)}.",
        rules=(*rules, *_rules_of_ties(event)),
        heading=Heading(Part.SCORING, f"Scoring: {upper_first(title)}"),
    )


def final_card_scored(state: State, event: FinalCardScored, names: Names) -> Sentence:
    """Tell a final scoring card: first the open one, then each seat's (C41)."""
    title = tile_name(event.category)
    number = state.finals if state.face_up is None else state.finals - 1
    card = "the open final card" if number < 0 else f"{names[number]}'s final card"
    return Sentence(
        f"{upper_first(card)}, {title}, is scored: {_places(event, names)}.",
        rules=("C41", *_rules_of_ties(event)),
        heading=Heading(Part.SCORING, f"Final scoring: {title}"),
    )


def _are(category: Category) -> str:
    """Return the verb of a tile: "Lisbon is scored", "Port cities are scored"."""
    plural = (Category.ARTWORK, Category.PORT_CITIES, Category.TRADE_CITIES)
    return "are" if category in plural else "is"


# ---- the places ----------------------------------------------------------------------------------


class _Place(NamedTuple):
    """Those who share places, and what put them above the next; None for the last of all."""

    seats: Sequence[int]
    decider: Decider | None


def _places(event: Scored, names: Names) -> str:
    """Return who got what for how much, and how ties came out.

    Such as "Bob gets 3 points for 4 cloth, Ada gets 2 for 3 (tie with Cleo won by more seats)".
    """
    if not event.order:
        return "nobody has anything there, so there are no points"

    places = _places_of(event)
    next_places = [*places[1:], None]
    told: list[str] = []
    for place, next_place in zip(places, next_places, strict=True):
        told.append(_place(event, names, place, next_place, is_first=not told))
    return ", ".join(told)


def _places_of(event: Scored) -> list[_Place]:
    """Return the places from the best to the last; those who share are together."""
    deciders = [*event.decided_by, None]
    places = []
    seats: list[int] = []
    for seat, decider in zip(event.order, deciders, strict=True):
        seats.append(seat)
        if decider is not Decider.SHARED:
            places.append(_Place(seats, decider))
            seats = []
    return places


def _place(
    event: Scored, names: Names, place: _Place, next_place: _Place | None, *, is_first: bool
) -> str:
    """Return what one place brought; the first one says what the numbers count."""
    seat = place.seats[0]
    points = event.points[seat]
    count = event.counts[seat]
    gain = _gain(points, with_unit=is_first, is_shared=len(place.seats) > 1)
    cubes = amount(event.category, count) if is_first else str(count)

    who = listed(_names_of(place, names))
    note = _note(place, next_place, names) if points else ""
    return f"{who} {gain} for {cubes}{note}"


def _gain(points: int, *, with_unit: bool, is_shared: bool) -> str:
    """Return what those who have a place get: "gets 3 points", "get 1 each", "gets nothing"."""
    verb = "get" if is_shared else "gets"
    if not points:
        return f"{verb} nothing"

    unit = " points" if points > 1 else " point"
    each = " each" if is_shared else ""
    return f"{verb} {points}{unit if with_unit else ''}{each}"


def _note(place: _Place, next_place: _Place | None, names: Names) -> str:
    """Return how ties came out: among those who share a place, and with the next ones (C37)."""
    notes = ["tie shared"] if len(place.seats) > 1 else []
    if next_place is not None and place.decider in _WON_BY:
        others = listed(_names_of(next_place, names))
        notes.append(f"tie with {others} won by {_WON_BY[place.decider]}")
    return f" ({'; '.join(notes)})" if notes else ""


def _names_of(place: _Place, names: Names) -> list[str]:
    return [names[seat] for seat in place.seats]


def _rules_of_ties(event: Scored) -> tuple[str, ...]:
    """Return the rule about ties if there was one (C37)."""
    is_tied = any(decider is not Decider.COUNT for decider in event.decided_by)
    return ("C37",) if is_tied else ()


# ---- the end -------------------------------------------------------------------------------------


def play_ended(state: State, _event: PlayEnded, _names: Names) -> Sentence:
    """Tell why no more discs are placed (C39, C40)."""
    heading = Heading(Part.SCORING, "Final scoring")
    if all_scored(state):
        text = "All tiles are scored and the round is complete, so play is over."
        return Sentence(text, ("C40",), heading)
    text = "All discs are placed; the tiles that are left are scored without council seats."
    return Sentence(text, ("C39",), heading)


def final_cards_revealed(state: State, event: FinalCardsRevealed, names: Names) -> Sentence:
    """Tell the card that each seat has kept, and the open one (C41)."""
    kept = [
        f"{name} has kept {tile_name(card)}" for name, card in zip(names, event.cards, strict=True)
    ]
    if state.face_up is not None:
        kept.append(f"{tile_name(state.face_up)} lies open")
    return Sentence(f"The final scoring cards are shown: {listed(kept)}.", rules=("C41",))


def match_ended(state: State, event: MatchEnded, names: Names) -> Sentence:
    """Tell who has won, with how much, and what broke a tie (C42)."""
    first = winners(event.ranks, names)
    best = max(event.points)
    shared = len(first) > 1
    won = "share the victory" if shared else "wins"
    text = f"{listed(first)} {won} with {best} points{' each' if shared else ''}"

    by_rank = sorted(range(len(names)), key=event.ranks.__getitem__)
    others = [f"{names[seat]} with {event.points[seat]}" for seat in by_rank[len(first) :]]
    if others:
        text += f", before {listed(others)}"
    return Sentence(
        f"{text}{_tie_break(state, event, names)}.",
        rules=("C42",),
        heading=Heading(Part.END, "The end"),
    )


def _tie_break(state: State, event: MatchEnded, names: Names) -> str:
    """Return why those with as many points as the first are not first, if there are any."""
    best = max(event.points)
    beaten = [
        name
        for name, points, rank in zip(names, event.points, event.ranks, strict=True)
        if points == best and rank > 1
    ]
    if not beaten:
        return ""
    winner = event.ranks.index(1)
    return (
        f"; the tie with {listed(beaten)} is won by {standing(state, winner)} "
        "council seats and Palazzo Vecchio artworks"
    )
