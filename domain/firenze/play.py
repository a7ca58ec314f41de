"""May I? Each command is checked against the top of the agenda and its rules, then emits what happened."""

from collections.abc import Callable
from typing import Any

from domain.errors import RuleBroken
from domain.firenze import commands as cmd
from domain.firenze import event_cards, scoring, table
from domain.firenze import events as ev
from domain.firenze.build import build, finish
from domain.firenze.components import EXCHANGE_PRICE, PRINCESS, Card, End, Step
from domain.firenze.fulfil import fulfil
from domain.firenze.payment import complete, counted, in_words, listed
from domain.firenze.personnel import play_personnel
from domain.firenze.state import (
    Player,
    State,
    brick_surplus,
    built_colours,
    card_surplus,
    discardable,
)
from domain.game import Draft
from domain.wire import HOUSE

TURN = frozenset((Step.CHOOSE, Step.BUILD, Step.FULFIL))


def play(draft: Draft[State], command: Any) -> None:
    """Carry out a command; raises RuleBroken."""
    steps, handler = _TABLE[type(command)]
    agenda = draft.state.agenda
    task = agenda[-1] if agenda else None
    if task is None or task.step not in steps or getattr(command, "seat", HOUSE) != task.seat:
        _refuse(draft.state, command)
    handler(draft, command)


# ---- refusals --------------------------------------------------------------------------------------------------------

_DUE = {
    Step.CHOOSE: (
        "F14",
        "take a card (take_card), before it perhaps play Personnel (play_personnel)",
    ),
    Step.BUILD: (
        "F19",
        "play Personnel (play_personnel), exchange, build or end the turn (end_turn)",
    ),
    Step.FULFIL: ("F21", "fulfil, play Personnel (play_personnel) or end the turn (end_turn)"),
    Step.ANSWER: ("F31", "say whether a Patrician is spent (answer_event)"),
    Step.RESOLVE: ("F32", "say what the event takes (resolve_event)"),
    Step.DISCARD: ("F34", "hand bricks over (discard)"),
}


def _refuse(state: State, command: Any) -> None:
    if not state.agenda:
        raise RuleBroken(
            "match_over", "F43", "The final scoring is recorded: nothing more can be done."
        )
    task = state.agenda[-1]
    if task.seat == HOUSE:
        raise RuleBroken(
            "house_must_act",
            "F43",
            f"The house must first act ({task.step.wire}); then play goes on.",
        )
    rule, expected = _DUE[task.step]
    if getattr(command, "seat", HOUSE) != task.seat:
        raise RuleBroken("not_your_turn", "F1", f"Seat {task.seat} is to {expected}.")
    raise RuleBroken(
        "wrong_phase",
        rule,
        f"The move {type(command).tag} is not possible now; you are to {expected}.",
    )


# ---- the turn --------------------------------------------------------------------------------------------------------


def _take_card(draft: Draft[State], command: cmd.TakeCard) -> None:
    """Pay for the slot, take card and bricks, let the card take effect (F14-F16)."""
    state, seat = draft.state, command.seat
    player = state.players[seat]
    if not 0 <= command.slot < len(state.row):
        raise _no_such_slot(state, command.slot, "F14")
    price = card_price(state, command.slot)
    if price > sum(player.storehouse):
        may = f"with {in_words(player.storehouse)} you can pay for the slots up to {sum(player.storehouse)}"
        raise RuleBroken("cannot_pay", "F14", f"Slot {command.slot} costs {counted(price)}; {may}.")
    if command.payment and len(command.payment) != price:
        exact = f"exactly {price} of {in_words(player.storehouse)}" if price else "none"
        detail = (
            f"Slot {command.slot} costs {counted(price)}; name {exact}, or leave the payment out."
        )
        raise RuleBroken("wrong_payment", "F14", detail)
    payment = (
        complete(command.payment, price, player.storehouse, built_colours(player), "F14")
        if price
        else ()
    )
    slot = state.row[command.slot]
    draft.emit(ev.CardTaken(seat, command.slot, slot.card, listed(slot.bricks), payment))
    event_cards.take_effect(draft, seat, slot.card)


def _no_such_slot(state: State, slot: int, rule: str) -> RuleBroken:
    return RuleBroken(
        "no_such_slot",
        rule,
        f"There is no slot {slot}; you may name slots 0 to {len(state.row) - 1}.",
    )


def card_price(state: State, slot: int) -> int:
    """Slot k costs k bricks; nothing with the Princess (F14, F29)."""
    return 0 if PRINCESS in state.played else slot


_GO_ON = "play Personnel (play_personnel), build or end the turn (end_turn)"


def _exchange(draft: Draft[State], command: cmd.Exchange) -> None:
    """One brick of a row card for 3 of one's own, 2 with the Bridge, once a turn (F18)."""
    state, seat = draft.state, command.seat
    player = state.players[seat]
    if state.exchanged:
        raise RuleBroken(
            "already_exchanged",
            "F18",
            f"You have exchanged this turn, and may once only; {_GO_ON}.",
        )
    if not 0 <= command.slot < len(state.row):
        raise _no_such_slot(state, command.slot, "F18")
    bricks = state.row[command.slot].bricks
    if not bricks[command.take]:
        detail = f"No {command.take.wire} lies on slot {command.slot}; you may take one of {in_words(bricks)} there."
        raise RuleBroken("no_such_brick", "F18", detail)
    price = exchange_price(player)
    if sum(player.storehouse) < price:
        detail = f"An exchange costs {counted(price)}, and you have {in_words(player.storehouse)}; {_GO_ON}."
        raise RuleBroken("cannot_pay", "F18", detail)
    give = complete(command.give, price, player.storehouse, built_colours(player), "F18")
    draft.emit(ev.BricksExchanged(seat, command.slot, command.take, give))


def exchange_price(player: Player) -> int:
    """3 bricks for one, 2 with the Bridge (F18)."""
    return EXCHANGE_PRICE - (player.cards[Card.BRIDGE] > 0)


def _end_turn(draft: Draft[State], command: cmd.EndTurn) -> None:
    """Build nothing if nothing was built, meet the limits, pass the turn on (F19, F24)."""
    state, seat = draft.state, command.seat
    player = state.players[seat]
    cards = _cards_to_go(player, command.cards)
    if state.agenda[-1].step is Step.BUILD:
        finish(draft, seat)
    surplus = brick_surplus(player)
    if surplus or command.bricks:
        bricks = complete(command.bricks, surplus, player.storehouse, built_colours(player), "F24")
        draft.emit(ev.BricksDiscarded(seat, bricks))
    for card in cards:
        draft.emit(ev.CardDiscarded(seat, card))
    _pass_on(draft)


def _cards_to_go(player: Player, named: tuple[Card, ...] | None) -> tuple[Card, ...]:
    """Personnel and Buildings beyond the limit, named exactly unless there is no choice (F24)."""
    due = card_surplus(player)
    if due == 0 and not named:
        return ()
    held = discardable(player)
    if not named and (due == len(held) or len(set(held)) == 1):
        return tuple(held[:due])
    cards = named or ()
    if len(cards) != due or any(cards.count(card) > held.count(card) for card in cards):
        may = (
            f"name exactly {due} of {', '.join(card.wire for card in held)}"
            if due
            else "no card may be named"
        )
        raise RuleBroken(
            "wrong_discards", "F24", f"As many cards go as are too many, {due}; {may}."
        )
    return cards


def _pass_on(draft: Draft[State]) -> None:
    """The next seat's turn, or the end: all others had one turn after the last seal, or the turn limit (F40, F45)."""
    state = draft.state
    turn, count = state.turn + 1, len(state.players)
    if state.end_seat == turn % count:
        draft.emit(ev.PlayEnded(End.LAST_SEAL))
    elif state.end_seat < 0 and turn >= count * state.turn_limit:
        draft.emit(ev.PlayEnded(End.TURN_LIMIT))
    else:
        draft.emit(ev.TurnBegan(turn % count, turn))


_TABLE: dict[type, tuple[frozenset[Step], Callable[[Draft[State], Any], None]]] = {
    cmd.SetUp: (frozenset((Step.SET_UP,)), lambda draft, _: table.set_up(draft)),
    cmd.TakeCard: (frozenset((Step.CHOOSE,)), _take_card),
    cmd.AnswerEvent: (frozenset((Step.ANSWER,)), event_cards.answer),
    cmd.ResolveEvent: (frozenset((Step.RESOLVE,)), event_cards.resolve),
    cmd.Discard: (frozenset((Step.DISCARD,)), event_cards.discard),
    cmd.Exchange: (frozenset((Step.BUILD,)), _exchange),
    cmd.Build: (frozenset((Step.BUILD,)), build),
    cmd.Fulfil: (frozenset((Step.BUILD, Step.FULFIL)), fulfil),
    cmd.PlayPersonnel: (TURN, play_personnel),
    cmd.EndTurn: (frozenset((Step.BUILD, Step.FULFIL)), _end_turn),
    cmd.Score: (frozenset((Step.SCORE,)), lambda draft, _: scoring.score(draft)),
}
