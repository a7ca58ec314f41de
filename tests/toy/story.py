"""The toy game's events, told in English."""

from collections.abc import Sequence

from domain.game import Message
from domain.story import Heading, Part, Sentence
from tests.toy.messages import CardDealt, CardKept, CardShown, CoinTossed, RoundPaid
from tests.toy.table import Table


def story(_state: Table, event: Message, names: Sequence[str]) -> Sentence:
    match event:
        case CardDealt(seat, card) | CardShown(seat, card):
            return Sentence(f"{names[seat]} is dealt {'a card' if card is None else card}.")
        case CardKept(seat):
            return Sentence(f"{names[seat]} keeps their card.")
        case CoinTossed(heads):
            return _coin(heads)
        case RoundPaid(cards, points):
            paid = zip(names, cards, points, strict=True)
            shown = [f"{name} shows {card} and has {worth}" for name, card, worth in paid]
            return Sentence(f"{'; '.join(shown)}.", rules=("T3",))
        case _:
            raise TypeError(f"{event} is no event of the toy")


def _coin(heads: bool | None) -> Sentence:
    heading = Heading(Part.SCORING, "The coin")
    if heads is None:
        return Sentence("The coin is tossed.", heading=heading)
    return Sentence(f"The coin shows {'heads' if heads else 'tails'}.", ("T3",), heading)
