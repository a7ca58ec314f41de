"""Scorings and the end, in English (C35-C37, C39-C42)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from domain.calimala import events
from domain.calimala.agenda import Scoring, Turn
from domain.calimala.components import FINAL_PLACES, PLACES, TILES, Category, Decider
from domain.calimala.state import State, all_scored, seats_held, standing
from domain.calimala.words import amount, tile_name
from domain.game import Story
from domain.kit import winners
from domain.story import Heading, Names, Part, Sentence, listed, upper_first

Scored = events.TileScored | events.FinalCardScored

NOBODY = "nobody has anything there, so there are no points"

_SUM = "seats and Palazzo Vecchio artworks"
_TIE_BREAKS = (Decider.SUM, Decider.SEATS, Decider.FIRST_TO_SEATS, Decider.FIRST_ARTWORK)
_PLURALS = (Category.ARTWORK, Category.PORT_CITIES, Category.TRADE_CITIES)


def _tile_scored(state: State, event: events.TileScored, names: Names) -> Sentence:
    """Tell the scoring of a tile. Once all discs are placed, its council seat is empty (C39)."""
    title = upper_first(tile_name(event.category))
    scored = "are scored" if event.category in _PLURALS else "is scored"
    rules = ["C36"]

    has_seat = type(state.agenda[-1]) is Scoring
    if not has_seat:
        scored += " without a council seat"
        rules.append("C39")

    text = f"{title} {scored}: {result(state, event, names)}."
    rules += _rules_of_ties(event)
    if _ends_play_later(state):
        text += " It was the last tile, so play ends with this round."
        rules.append("C40")

    return Sentence(
        text,
        rules=tuple(rules),
        heading=Heading(Part.SCORING, f"Scoring: {title}"),
    )


def _ends_play_later(state: State) -> bool:
    """Return True if this is the last tile, and a turn is left in this round (C40)."""
    if state.scored + 1 < len(TILES):
        return False
    return any(type(item) is Turn and item.seat != 0 for item in state.agenda)


def _final_card_scored(state: State, event: events.FinalCardScored, names: Names) -> Sentence:
    """Tell the scoring of a final card (C41)."""
    title = tile_name(event.category)
    card = _card_now(state, names)
    return Sentence(
        f"{card}, {title}, is scored: {result(state, event, names)}.",
        rules=("C41", *_rules_of_ties(event)),
        heading=Heading(Part.SCORING, f"Final scoring: {title}"),
    )


def _card_now(state: State, names: Names) -> str:
    """Return the next final card to settle, in words (C41)."""
    if state.face_up is None:
        return f"{names[state.finals]}'s final card"
    if state.finals == 0:
        return "The open final card"
    return f"{names[state.finals - 1]}'s final card"


def _rules_of_ties(event: Scored) -> list[str]:
    return ["C37"] if is_tied(event) else []


# ---- the end -------------------------------------------------------------------------------------


def _play_ended(state: State, _event: events.PlayEnded, _names: Names) -> Sentence:
    """Tell the reason for the end of play (C39, C40)."""
    if all_scored(state):
        text = "All tiles are scored and the round is complete, so play is over."
        rule = "C40"
    else:
        text = "All discs are placed. The tiles that are left are scored without council seats."
        rule = "C39"

    heading = Heading(Part.SCORING, "Final scoring")
    return Sentence(text, (rule,), heading)


def _final_cards_revealed(state: State, event: events.FinalCardsRevealed, names: Names) -> Sentence:
    """Tell the kept card of each seat, and the open card (C41)."""
    parts = []
    for name, card in zip(names, event.cards, strict=True):
        parts.append(f"{name} has kept {tile_name(card)}")
    if state.face_up is not None:
        parts.append(f"{tile_name(state.face_up)} lies open")

    return Sentence(
        f"The final scoring cards are shown: {listed(parts)}.",
        rules=("C41",),
        heading=Heading(Part.SCORING, "Final scoring cards"),
    )


def _match_ended(state: State, event: events.MatchEnded, names: Names) -> Sentence:
    """Tell the winners, the points of all seats, and the tie-break, if one decided (C42)."""
    text = _victory(event, names)
    others = _others(event, names)
    if others:
        text += f", before {listed(others)}"

    winner = event.ranks.index(1)
    best = standing(state, winner)
    level = _level_with(winner, event)
    beaten = [seat for seat in level if standing(state, seat) < best]
    if beaten:
        sums = listed([str(standing(state, seat)) for seat in beaten])
        text += (
            f"; the tie with {listed([names[seat] for seat in beaten])} is won by {best} to {sums} "
            "in council seats and Palazzo Vecchio artworks"
        )

    return Sentence(
        f"{text}.",
        rules=("C42",),
        heading=Heading(Part.END, "The end"),
    )


def _victory(event: events.MatchEnded, names: Names) -> str:
    """Return the victory in words: "Ada wins with 41 points"."""
    first = winners(event.ranks, names)
    points = event.points[event.ranks.index(1)]
    if len(first) == 1:
        return f"{first[0]} wins with {points} points"
    return f"{listed(first)} share the victory with {points} points each"


def _others(event: events.MatchEnded, names: Names) -> list[str]:
    """Return the other seats in words, the best first: "Ada with 30"."""
    others = [seat for seat, rank in enumerate(event.ranks) if rank > 1]
    others.sort(key=event.ranks.__getitem__)
    return [f"{names[seat]} with {event.points[seat]}" for seat in others]


def _level_with(winner: int, event: events.MatchEnded) -> list[int]:
    """Return the seats with the points of the winner and a worse rank."""
    by_seat = enumerate(zip(event.points, event.ranks, strict=True))
    most = event.points[winner]
    return [seat for seat, (points, rank) in by_seat if points == most and rank > 1]


# ---- places and ties (C36, C37) ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a scoring. Several seats may share it (C37).

    names: of the seats on this place.
    worth: sum of the points of the places that these seats cover.
    points, count: of each seat.
    total: council seats and Palazzo Vecchio artworks of each seat.   seats: council seats of each.
    decider: between this place and the next. None for the last place.
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
        """The names as a sentence lists them."""
        return listed(self.names)

    @property
    def is_shared(self) -> bool:
        """True if several seats share the place."""
        return len(self.names) > 1


def _places_of(state: State, event: Scored, names: Sequence[str]) -> list[Place]:
    """Return the places of a scoring from the best to the last. Somebody must have cubes."""
    deciders = (*event.decided_by, None)
    worth = iter(PLACES if type(event) is events.TileScored else FINAL_PLACES)
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
    """Return the gains and the ties of a scoring in words.

    Example: "Bob gets 3 points for 4 cloth (tie with Ada won by 3 to 1 in seats and Palazzo Vecchio
    artworks), Ada gets 2 for 4".
    """
    if not event.order:
        return NOBODY

    places = _places_of(state, event, names)
    gains = [_later_gain(place) for place in places]
    gains[0] = _first_gain(places[0], event.category)

    parts = []
    for gain, place, next_place in zip_longest(gains, places, places[1:]):
        parts.append(gain + _tie(place, next_place))
    return ", ".join(parts)


def _first_gain(place: Place, category: Category) -> str:
    """Return the gain of the best place in words, with units."""
    unit = "point" if place.points == 1 else "points"
    cubes = amount(category, place.count)
    if place.is_shared:
        return f"{place.who} get {place.points} {unit} each for {cubes}"
    return f"{place.who} gets {place.points} {unit} for {cubes}"


def _later_gain(place: Place) -> str:
    """Return the gain of a later place in words, without units."""
    verb = "get" if place.is_shared else "gets"
    if not place.points:
        return f"{place.who} {verb} nothing for {place.count}"

    each = " each" if place.is_shared else ""
    return f"{place.who} {verb} {place.points}{each} for {place.count}"


def _tie(place: Place, next_place: Place | None) -> str:
    """Return the ties in words: among the seats of a place, and with the next place."""
    if not place.worth:
        return ""

    notes = []
    if place.is_shared:
        notes.append(_split(place))
    if next_place is not None and place.decider in _TIE_BREAKS:
        notes.append(f"tie with {next_place.who}{_won_by(place, next_place)}")
    return f" ({'; '.join(notes)})" if notes else ""


def _split(place: Place) -> str:
    """Return the split of a shared place: "tie shared: 5 points split, rounded down"."""
    points = f"{place.worth} point" if place.worth == 1 else f"{place.worth} points"
    is_exact = place.points * len(place.names) == place.worth
    return f"tie shared: {points} split" + ("" if is_exact else ", rounded down")


def _won_by(place: Place, next_place: Place) -> str:
    """Return the decision between two places in words, with the compared numbers (C37)."""
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
    """Return True if two seats with cubes have equally many (C37)."""
    return any(decider is not Decider.COUNT for decider in event.decided_by)


# ---- by class of event ---------------------------------------------------------------------------


STORIES: dict[type, Story[State]] = {
    events.TileScored: _tile_scored,
    events.PlayEnded: _play_ended,
    events.FinalCardsRevealed: _final_cards_revealed,
    events.FinalCardScored: _final_card_scored,
    events.MatchEnded: _match_ended,
}
