"""The row: its slots, its refill after a card was taken, and bricks exchanged with it (F16-F18)."""

from domain.chance import Chance, pick
from domain.errors import RuleBroken
from domain.firenze import events
from domain.firenze.build import built_colours, complete, counted, in_words
from domain.firenze.commands import Exchange
from domain.firenze.components import (
    BRICKS_PER_SLOT,
    CARDS,
    COLOURS,
    EXCHANGE_PRICE,
    Bricks,
    Card,
    Colour,
)
from domain.firenze.state import Player, State
from domain.game import Draft


def no_such_slot(state: State, slot: int, rule: str) -> RuleBroken:
    """Return the refusal of a slot outside the row. rule: number of the rule to name."""
    last = len(state.row) - 1
    detail = f"There is no slot {slot}. You may name slots 0 to {last}."
    return RuleBroken("no_such_slot", rule, detail)


def spend_card(draft: Draft[State], seat: int, card: Card) -> None:
    """Discard the card that has taken effect, and refill the row (F15, F16)."""
    draft.emit(events.CardSpent(seat, card))
    refill(draft)


def refill(draft: Draft[State]) -> None:
    """Refill the last slot. If the deck is empty, shuffle the discards first (F16, F17)."""
    state = draft.state
    pile = state.start if any(state.start) else state.deck
    if not any(pile):
        if not any(state.discards):
            draft.emit(events.RowShortened())
            return
        draft.emit(events.DeckShuffled())

    card = CARDS[pick(draft.chance, pile)]
    pouch = state.pouch[:]
    bricks = draw_bricks(pouch, BRICKS_PER_SLOT, draft.chance)
    draft.emit(events.RowRefilled(card, bricks))


# ---- bricks exchanged with a card in the row (F18) -----------------------------------------------


_BRIDGE = Card.BRIDGE
_GO_ON = "Play Personnel (play_personnel), build or end the turn (end_turn)"


def exchange_price(player: Player) -> int:
    """Return the price of one brick, in bricks: 3, or 2 with the Bridge (F18)."""
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
        events.BricksExchanged(
            seat=command.seat,
            slot=command.slot,
            take=command.take,
            give=give,
        )
    )


def _check(state: State, command: Exchange) -> None:
    """Raise RuleBroken for a second exchange, a missing slot or brick, or too few bricks (F18)."""
    if state.exchanged:
        detail = f"You have exchanged this turn, and may once only. {_GO_ON}."
        raise RuleBroken("already_exchanged", "F18", detail)

    if not 0 <= command.slot < len(state.row):
        raise no_such_slot(state, command.slot, "F18")
    bricks = state.row[command.slot].bricks
    if not bricks[command.take]:
        wrong = f"No {command.take.wire} lies on slot {command.slot}"
        detail = f"{wrong}. You may take one of {in_words(bricks)} there."
        raise RuleBroken("no_such_brick", "F18", detail)

    player = state.players[command.seat]
    price = exchange_price(player)
    if sum(player.storehouse) < price:
        store = in_words(player.storehouse)
        detail = f"An exchange costs {counted(price)}, and you have {store}. {_GO_ON}."
        raise RuleBroken("cannot_pay", "F18", detail)


# ---- bricks drawn out of the pouch (F13, F16, F29) -----------------------------------------------


def draw_bricks(pouch: list[int], count: int, chance: Chance) -> Bricks:
    """Draw bricks out of a pouch, in place, and return them. A short pouch gives all it has (F16).

    The loop is quicker than a call of `pick` for each brick. Every refill draws bricks.
    """
    drawn: list[Colour] = []
    remaining = sum(pouch)

    for _ in range(min(count, remaining)):
        number = chance.below(remaining)
        remaining -= 1
        for index, count_left in enumerate(pouch):
            if number < count_left:
                pouch[index] -= 1
                drawn.append(COLOURS[index])
                break
            number -= count_left
    return tuple(drawn)
