"""Limits at the end of a turn: what of a storehouse and of a hand is too much (F24)."""

from domain.errors import RuleBroken
from domain.firenze.cards import BUILDINGS, PERSONNEL, WAREHOUSE, Card
from domain.firenze.components import CARD_LIMIT, STOREHOUSE_LIMIT, WAREHOUSE_LIMIT
from domain.firenze.state import Player
from domain.kit.naming import in_a_row

_DISCARDABLE = PERSONNEL + BUILDINGS


def brick_surplus(player: Player) -> int:
    """Return how many bricks are more than 10, or 15 with a Warehouse (F24)."""
    limit = WAREHOUSE_LIMIT if player.cards[WAREHOUSE] else STOREHOUSE_LIMIT
    return max(0, sum(player.storehouse) - limit)


def discardable(player: Player) -> list[Card]:
    """Return the Personnel and Buildings of a player, one entry a card (F24)."""
    return [card for card in _DISCARDABLE for _ in range(player.cards[card])]


def card_surplus(player: Player) -> int:
    """Return how many cards must go: those beyond 5, but no Celebrations (F24).

    With a Warehouse there is no limit.
    """
    surplus = sum(player.cards) - CARD_LIMIT
    if surplus <= 0 or player.cards[WAREHOUSE]:
        return 0
    return min(surplus, len(discardable(player)))


def cards_to_go(player: Player, named: tuple[Card, ...] | None) -> tuple[Card, ...]:
    """Return the Personnel and Buildings that go at the end of the turn (F24).

    Raises RuleBroken unless they are named exactly, or are not named and there is no choice.
    """
    due = card_surplus(player)
    if due == 0 and not named:
        return ()

    held = discardable(player)
    without_choice = due == len(held) or len(set(held)) == 1
    if not named and without_choice:
        return tuple(held[:due])

    cards = named or ()
    all_held = all(cards.count(card) <= held.count(card) for card in cards)
    if len(cards) != due or not all_held:
        raise _wrong_discards(due, held)
    return cards


def _wrong_discards(due: int, held: list[Card]) -> RuleBroken:
    may = f"name exactly {due} of {in_a_row(held)}" if due else "no card may be named"
    detail = f"As many cards go as are too many, {due}; {may}."
    return RuleBroken("wrong_discards", "F24", detail)
