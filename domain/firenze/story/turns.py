"""The table laid, turns, and the end of play, told in English."""

from collections.abc import Sequence

from domain.firenze.board import NUMERALS
from domain.firenze.components import End
from domain.firenze.events import Dealt, PlacedBalcony, PlayEnded, TableLaid, TurnBegan
from domain.firenze.payment import listed as listed_bricks
from domain.firenze.state import State
from domain.firenze.story.words import (
    Teller,
    bricks_in_words,
    card_name,
    commission_name,
    numbered,
    with_points,
)
from domain.kit.wording import listed
from domain.story import Heading, Part, Sentence


def _table_laid(_state: State, event: TableLaid, _names: Sequence[str]) -> Sentence:
    if event.balconies is None or event.neutral is None or event.row is None:
        text = "The table is laid: balconies, neutral seals and the row are drawn."
        return Sentence(text)

    balconies = [
        _balcony(numeral, balcony)
        for numeral, balcony in zip(NUMERALS, event.balconies, strict=True)
    ]
    neutral = [commission_name(covered.colour, covered.height) for covered in event.neutral]
    row = [_dealt(dealt) for dealt in event.row]
    parts = [
        f"Balconies lie on {listed(balconies)}",
        f"Neutral seals cover {listed(neutral)}",
        f"In the row are {listed(row)}",
    ]
    return Sentence(f"{'. '.join(parts)}.", ("F10", "F11", "F13"))


def _balcony(numeral: str, balcony: PlacedBalcony) -> str:
    place = commission_name(balcony.colour, balcony.height)
    return f"{place} ({numeral}, {with_points(balcony.points)})"


def _dealt(dealt: Dealt) -> str:
    return f"{card_name(dealt.card)} ({bricks_in_words(dealt.bricks)})"


def _turn_began(state: State, event: TurnBegan, names: Sequence[str]) -> Sentence:
    name = names[event.seat]
    heading = Heading(Part.TURN, f"Turn {event.turn + 1}: {name}")
    if state.end_seat < 0:
        return Sentence(f"{name} begins with {_means(state, event.seat)}.", heading=heading)

    text = f"{name} has one last turn, for {names[state.end_seat]} has no seals left."
    return Sentence(text, ("F40",), heading)


def _means(state: State, seat: int) -> str:
    """Return what a seat has to act with: its bricks and its points."""
    player = state.players[seat]
    return f"{bricks_in_words(listed_bricks(player.storehouse))} and {with_points(player.points)}"


def _play_ended(state: State, event: PlayEnded, names: Sequence[str]) -> Sentence:
    if event.reason is End.TURN_LIMIT:
        turns = numbered(state.turn_limit, "turn")
        return Sentence(f"Play ends, because everybody has had {turns}.", ("F45",))

    taker = names[state.end_seat]
    text = f"Play ends: all others have had one more turn since {taker}'s last seal was placed."
    return Sentence(text, ("F40",))


TELLERS: dict[type, Teller] = {
    TableLaid: _table_laid,
    TurnBegan: _turn_began,
    PlayEnded: _play_ended,
}
