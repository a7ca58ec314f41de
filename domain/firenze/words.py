"""The words of a story for bricks, cards, commissions and towers."""

from collections.abc import Iterable

from domain.firenze.components import COLOURS, KIND_OF, Card, Colour, Kind
from domain.firenze.state import State, Tower, find_tower
from domain.story import listed, titled

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def numbered(number: int, noun: str) -> str:
    """Return a number of things in digits: "1 seal", "2 seals"."""
    return f"{number} {noun}" if abs(number) == 1 else f"{number} {noun}s"


def bricks_in_words(bricks: Iterable[Colour]) -> str:
    """Return bricks in words: "1 white and 2 red bricks". "no bricks" for none."""
    pile = list(bricks)
    heaps = [(pile.count(colour), colour) for colour in COLOURS if colour in pile]
    if not heaps:
        return "no bricks"

    last_count, _ = heaps[-1]
    noun = "brick" if last_count == 1 else "bricks"

    parts = [f"{count} {colour.wire}" for count, colour in heaps]
    return f"{listed(parts)} {noun}"


def card_name(card: Card) -> str:
    """Return the title of a card: "Minor Privilege"."""
    return titled(card.wire)


def the_card(card: Card) -> str:
    """Return a card inside a sentence: "the Minor Privilege", "Fame".

    Celebrations have no article, apart from the Monument.
    """
    is_person_or_thing = KIND_OF[card] is not Kind.CELEBRATION or card is Card.MONUMENT
    article = "the " if is_person_or_thing else ""
    return f"{article}{card_name(card)}"


def slot_name(state: State, slot: int) -> str:
    """Return the card in a slot of the row: "Mason", or "the second Mason" among equal ones."""
    card = state.row[slot].card
    equal = [number for number, other in enumerate(state.row) if other.card is card]
    if len(equal) == 1:
        return card_name(card)
    return f"the {_ORDINALS[equal.index(slot)]} {card_name(card)}"


def commission_name(colour: Colour, height: int) -> str:
    """Return a commission in words: "red 5"."""
    return f"{colour.wire} {height}"


def levels(height: int) -> str:
    """Return a height in words: "1 level", "4 levels"."""
    return numbered(height, "level")


def tower_of(state: State, seat: int, number: int) -> Tower:
    """Return the tower of a seat with a number. It must stand in this state."""
    tower = find_tower(state.players[seat], number)
    assert tower is not None
    return tower


def with_points(points: int) -> str:
    """Return points in words: "1 point", "-4 points"."""
    return numbered(points, "point")
