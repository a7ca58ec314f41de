"""Choosing a card of the row: its price, its bricks, and its effect (F14-F16, F36)."""

from domain.errors import RuleBroken
from domain.firenze import events
from domain.firenze.agenda import Step
from domain.firenze.build import built_colours, complete, counted, in_words, listed
from domain.firenze.commands import TakeCard
from domain.firenze.components import (
    BUILDING,
    CHURCH,
    EVENT,
    KIND_OF,
    MONUMENT,
    PATRICIAN,
    PRINCESS,
    Bricks,
    Card,
)
from domain.firenze.event_cards import strike
from domain.firenze.row import no_such_slot, refill
from domain.firenze.state import State
from domain.game import Draft


def card_price(state: State, slot: int) -> int:
    """Return the price of a slot in bricks: k for slot k, 0 with the Princess (F14, F29)."""
    return 0 if PRINCESS in state.played else slot


def take_card(draft: Draft[State], command: TakeCard) -> None:
    """Pay for the slot, take card and bricks, let the card take effect (F14-F16)."""
    state = draft.state
    seat = command.seat
    if not 0 <= command.slot < len(state.row):
        raise no_such_slot(state, command.slot, "F14")
    payment = _payment(state, command)

    slot = state.row[command.slot]
    bricks = listed(slot.bricks)
    # Without keywords, which take longer: every turn takes a card.
    draft.emit(events.CardTaken(seat, command.slot, slot.card, bricks, payment))
    _take_effect(draft, seat, slot.card)


def _payment(state: State, command: TakeCard) -> Bricks:
    """Return the payment for the slot, the first brick for slot 0 (F14). Raises RuleBroken."""
    player = state.players[command.seat]
    price = card_price(state, command.slot)

    owned = sum(player.storehouse)
    if price > owned:
        may = f"With {in_words(player.storehouse)} you can pay for the slots up to {owned}"
        raise RuleBroken("cannot_pay", "F14", f"{_costs(command.slot, price)}. {may}.")

    if command.payment and len(command.payment) != price:
        exact = f"exactly {price} of {in_words(player.storehouse)}" if price else "none"
        detail = f"{_costs(command.slot, price)}. Name {exact}, or leave the payment out."
        raise RuleBroken("wrong_payment", "F14", detail)

    if not price:
        return ()
    return complete(command.payment, price, player.storehouse, built_colours(player), "F14")


def _costs(slot: int, price: int) -> str:
    return f"Slot {slot} costs {counted(price)}"


def _take_effect(draft: Draft[State], seat: int, card: Card) -> None:
    """Let the taken card take effect, then refill the row (F15, F16).

    After an event the row is refilled once the event is settled.
    """
    kind = KIND_OF[card]
    if kind is EVENT:
        _meet_event(draft, seat, card)
        return

    if kind is CHURCH:
        draft.emit(events.ChurchOpened(seat, card))
    elif card is MONUMENT:
        _honour_tallest(draft, seat)
    elif kind is BUILDING and draft.state.players[seat].cards[card]:
        # A second building of the same name (F15).
        draft.emit(events.CardSpent(seat, card))
    else:
        draft.emit(events.CardKept(seat, card))
    refill(draft)


def _meet_event(draft: Draft[State], seat: int, card: Card) -> None:
    """Let the event strike, or first ask its taker for a Patrician (F31).

    The taker is asked only if a Patrician is in hand and none was played this turn.
    """
    state = draft.state
    if state.players[seat].cards[PATRICIAN] and PATRICIAN not in state.played:
        draft.emit(events.PlayerAsked(seat, card, Step.ANSWER))
    else:
        strike(draft, seat, card)


def _honour_tallest(draft: Draft[State], seat: int) -> None:
    """Give the Monument to the player with the tallest tower (F36).

    After a tie, also a tie without any towers, the Monument is discarded.
    """
    heights = [player.tallest for player in draft.state.players]
    tallest = max(heights)
    if heights.count(tallest) == 1:
        draft.emit(events.CardKept(heights.index(tallest), MONUMENT))
    else:
        draft.emit(events.CardSpent(seat, MONUMENT))
