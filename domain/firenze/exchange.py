"""Exchanging bricks with a card in the row (F18)."""

from domain.errors import RuleBroken
from domain.firenze.cards import Card
from domain.firenze.commands import Exchange
from domain.firenze.components import EXCHANGE_PRICE
from domain.firenze.events import BricksExchanged
from domain.firenze.payment import complete, counted, in_words
from domain.firenze.row import no_such_slot
from domain.firenze.state import Player, State
from domain.firenze.towers import built_colours
from domain.game import Draft

_BRIDGE = Card.BRIDGE
_GO_ON = "play Personnel (play_personnel), build or end the turn (end_turn)"


def exchange_price(player: Player) -> int:
    """Return how many bricks one costs: 3, or 2 with the Bridge (F18)."""
    return EXCHANGE_PRICE - 1 if player.cards[_BRIDGE] else EXCHANGE_PRICE


def exchange(draft: Draft[State], command: Exchange) -> None:
    """Take one brick of a row card for 3 of one's own, 2 with the Bridge, once a turn (F18)."""
    state = draft.state
    player = state.players[command.seat]
    _check(state, command)

    give = complete(
        command.give,
        exchange_price(player),
        player.storehouse,
        built_colours(player),
        "F18",
    )
    draft.emit(
        BricksExchanged(
            seat=command.seat,
            slot=command.slot,
            take=command.take,
            give=give,
        )
    )


def _check(state: State, command: Exchange) -> None:
    """Raise RuleBroken unless the brick lies there and the price is held (F18)."""
    if state.exchanged:
        detail = f"You have exchanged this turn, and may once only; {_GO_ON}."
        raise RuleBroken("already_exchanged", "F18", detail)

    if not 0 <= command.slot < len(state.row):
        raise no_such_slot(state, command.slot, "F18")
    bricks = state.row[command.slot].bricks
    if not bricks[command.take]:
        wrong = f"No {command.take.wire} lies on slot {command.slot}"
        detail = f"{wrong}; you may take one of {in_words(bricks)} there."
        raise RuleBroken("no_such_brick", "F18", detail)

    player = state.players[command.seat]
    price = exchange_price(player)
    if sum(player.storehouse) < price:
        held = in_words(player.storehouse)
        detail = f"An exchange costs {counted(price)}, and you have {held}; {_GO_ON}."
        raise RuleBroken("cannot_pay", "F18", detail)
