"""The function of each command and the steps that await it, and the end of a turn."""

from domain.errors import RuleBroken
from domain.firenze import commands
from domain.firenze.agenda import TURN_STEPS, Step
from domain.firenze.build import build, built_colours, complete, finish_building
from domain.firenze.choose import take_card
from domain.firenze.components import (
    BUILDINGS,
    CARD_LIMIT,
    PERSONNEL,
    STOREHOUSE_LIMIT,
    WAREHOUSE,
    WAREHOUSE_LIMIT,
    Card,
    End,
)
from domain.firenze.event_cards import answer, discard, resolve
from domain.firenze.events import BricksDiscarded, CardDiscarded, PlayEnded, TurnBegan
from domain.firenze.fulfil import fulfil
from domain.firenze.personnel import play_personnel
from domain.firenze.refusals import expect
from domain.firenze.row import exchange
from domain.firenze.scoring import score
from domain.firenze.setup import set_up
from domain.firenze.state import Player, State
from domain.game import Draft, Message, Play
from domain.kit import in_a_row, one_for_each


def play(draft: Draft[State], command: Message) -> None:
    """Carry out a command that the agenda awaits. Raises RuleBroken."""
    steps, carry_out = _PLAY[type(command)]
    expect(draft.state, command, steps)
    carry_out(draft, command)


# ---- the end of a turn, and the last turn (F19, F24, F40, F45) -----------------------------------


def end_turn(draft: Draft[State], command: commands.EndTurn) -> None:
    """Build nothing if nothing was built, meet the limits, pass the turn on (F19, F24)."""
    state = draft.state
    seat = command.seat
    player = state.players[seat]
    cards = cards_to_go(player, command.cards)

    # Tear down first: bricks saved from towers count for the limit (F24).
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

    The match ends once all others have had one turn after the end tile was taken (F40), or at the
    turn limit (F45).
    """
    state = draft.state
    seats = len(state.players)
    turn = state.turn + 1
    next_seat = turn % seats
    all_turns = seats * state.turn_limit

    if state.end_seat == next_seat:
        draft.emit(PlayEnded(End.LAST_SEAL))
        return
    if state.end_seat < 0 and turn >= all_turns:
        draft.emit(PlayEnded(End.TURN_LIMIT))
        return
    draft.emit(TurnBegan(next_seat, turn))


# ---- the limits of storehouse and cards at the end of a turn (F24) -------------------------------


_DISCARDABLE = PERSONNEL + BUILDINGS


def brick_surplus(player: Player) -> int:
    """Return the number of bricks beyond 10, or 15 with a Warehouse (F24)."""
    limit = WAREHOUSE_LIMIT if player.cards[WAREHOUSE] else STOREHOUSE_LIMIT
    return max(0, sum(player.storehouse) - limit)


def discardable(player: Player) -> list[Card]:
    """Return the Personnel and Buildings of a player, one entry per card (F24)."""
    return [card for card in _DISCARDABLE for _ in range(player.cards[card])]


def card_surplus(player: Player) -> int:
    """Return the number of Personnel and Buildings that must go, for 5 cards to be left (F24).

    With a Warehouse there is no limit.
    """
    surplus = sum(player.cards) - CARD_LIMIT
    if surplus <= 0 or player.cards[WAREHOUSE]:
        return 0
    return min(surplus, len(discardable(player)))


def cards_to_go(player: Player, choice: tuple[Card, ...] | None) -> tuple[Card, ...]:
    """Return the Personnel and Buildings that go at the end of the turn (F24).

    choice: the named cards. They may be left out if there is no choice. Raises RuleBroken for a
    wrong choice.
    """
    due = card_surplus(player)
    if due == 0 and not choice:
        return ()

    candidates = discardable(player)
    without_choice = due == len(candidates) or len(set(candidates)) == 1
    if not choice and without_choice:
        return tuple(candidates[:due])

    cards = choice or ()
    all_held = all(cards.count(card) <= candidates.count(card) for card in cards)
    if len(cards) != due or not all_held:
        raise _wrong_discards(due, candidates)
    return cards


def _wrong_discards(due: int, candidates: list[Card]) -> RuleBroken:
    if due:
        detail = f"Exactly {due} of these cards must go: {in_a_row(candidates)}. Name them."
    else:
        detail = "No card is too many. Name none."
    return RuleBroken("wrong_discards", "F24", detail)


# ---- by class of command -------------------------------------------------------------------------


# By command: the steps that await it, and the function that carries it out.
_PLAY: dict[type, tuple[tuple[Step, ...], Play[State]]] = one_for_each(
    commands.COMMANDS,
    {
        commands.SetUp: ((Step.SET_UP,), set_up),
        commands.TakeCard: ((Step.CHOOSE,), take_card),
        commands.AnswerEvent: ((Step.ANSWER,), answer),
        commands.ResolveEvent: ((Step.RESOLVE,), resolve),
        commands.Discard: ((Step.DISCARD,), discard),
        commands.Exchange: ((Step.BUILD,), exchange),
        commands.Build: ((Step.BUILD,), build),
        commands.Fulfil: ((Step.BUILD, Step.FULFIL), fulfil),
        commands.PlayPersonnel: (TURN_STEPS, play_personnel),
        commands.EndTurn: ((Step.BUILD, Step.FULFIL), end_turn),
        commands.Score: ((Step.SCORE,), score),
    },
)
