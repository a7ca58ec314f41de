"""The end of a turn, and which turn is the last (F19, F24, F40, F45)."""

from domain.firenze.agenda import Step
from domain.firenze.build import finish_building
from domain.firenze.commands import EndTurn
from domain.firenze.components import End
from domain.firenze.events import BricksDiscarded, CardDiscarded, PlayEnded, TurnBegan
from domain.firenze.limits import brick_surplus, cards_to_go
from domain.firenze.payment import complete
from domain.firenze.state import State
from domain.firenze.towers import built_colours
from domain.game import Draft


def end_turn(draft: Draft[State], command: EndTurn) -> None:
    """Build nothing if nothing was built, meet the limits, pass the turn on (F19, F24)."""
    state = draft.state
    seat = command.seat
    player = state.players[seat]
    cards = cards_to_go(player, command.cards)

    # Bricks of towers torn down now count for the limit (F24).
    if state.agenda[-1].step is Step.BUILD:
        finish_building(draft, seat)

    surplus = brick_surplus(player)
    if surplus or command.bricks:
        building = built_colours(player)
        bricks = complete(command.bricks, surplus, player.storehouse, building, "F24")
        draft.emit(BricksDiscarded(seat, bricks))
    for card in cards:
        draft.emit(CardDiscarded(seat, card))

    _pass_on(draft)


def _pass_on(draft: Draft[State]) -> None:
    """Begin the next seat's turn, or end the match.

    It ends when all others have had one turn after the last seal (F40), or at the turn limit (F45).
    """
    state = draft.state
    seats = len(state.players)
    turn = state.turn + 1
    next_seat = turn % seats

    all_turns = seats * state.turn_limit
    if state.end_seat == next_seat:
        draft.emit(PlayEnded(End.LAST_SEAL))
    elif state.end_seat < 0 and turn >= all_turns:
        draft.emit(PlayEnded(End.TURN_LIMIT))
    else:
        draft.emit(TurnBegan(next_seat, turn))
