"""What could I do: who may act, and every legal command."""

from collections.abc import Callable
from typing import Any

from domain.calimala import agenda, commands
from domain.calimala.actions import PREPARED, choices
from domain.calimala.components import ACTIONS
from domain.calimala.council import givable
from domain.calimala.duty import forgoable, placeable
from domain.calimala.state import State, discs_left, street_actions
from domain.game import HOUSE

_OF_THE_HOUSE = (agenda.Opening, agenda.Scoring, agenda.FinalScoring)


def actors(state: State) -> tuple[int, ...]:
    """Return the seats that may act now (C12, C38).

    (HOUSE,) while the house must act, () when the match is over.
    """
    if not state.agenda:
        return ()

    top = state.agenda[-1]
    if isinstance(top, agenda.Keeping):
        return _still_to_keep(state)
    if isinstance(top, _OF_THE_HOUSE):
        return (HOUSE,)
    return (top.seat,)


def turn(state: State) -> int:
    """Return the seat whose turn it is (C14): the one before the seat whose turn is next.

    The next turn lies at the bottom of the agenda as soon as a disc is placed. Before the first
    turn the last seat counts, and HOUSE before and after all turns.
    """
    items = state.agenda
    first = items[0] if items else None
    if not isinstance(first, agenda.Turn):
        return HOUSE
    return first.seat if len(items) == 1 else (first.seat - 1) % len(state.players)


def _still_to_keep(state: State) -> tuple[int, ...]:
    players = enumerate(state.players)
    return tuple(seat for seat, player in players if player.kept is None)


def legal_moves(state: State, seat: int) -> list[commands.Command]:
    """Return every legal command of the seat or the house; a shipment's cities in sorted order."""
    if not state.agenda:
        return []
    top = state.agenda[-1]
    return _MOVES[type(top)](state, top, seat)


# ---- by item of the agenda -----------------------------------------------------------------------

Listing = Callable[[State, Any, int], list[commands.Command]]


def _of_the_house(command: commands.Command) -> Listing:
    def moves(_state: State, _item: agenda.Item, seat: int) -> list[commands.Command]:
        return [command] if seat == HOUSE else []

    return moves


def _keep(state: State, _item: agenda.Keeping, seat: int) -> list[commands.Command]:
    if seat == HOUSE or state.players[seat].kept is not None:
        return []
    return [commands.KeepScoringCard(seat, card) for card in state.players[seat].dealt]


def _draft(state: State, item: agenda.Drafting, seat: int) -> list[commands.Command]:
    if item.seat != seat:
        return []
    return [commands.TakeActionCard(seat, action) for action in ACTIONS if state.open_cards[action]]


def _place(state: State, item: agenda.Turn, seat: int) -> list[commands.Command]:
    if item.seat != seat:
        return []
    player = state.players[seat]
    discs = discs_left(player)
    moves: list[commands.Command] = []
    for street in placeable(state, player):
        place_disc = PREPARED[seat].place_disc[street]
        moves += [place_disc[disc] for disc in discs]
    return moves


def _act(state: State, item: agenda.Activation, seat: int) -> list[commands.Command]:
    """The actions that are left, the end when none is, and the cards of the hand (C19-C21)."""
    if item.seat != seat:
        return []

    player = state.players[seat]
    prepared = PREPARED[seat]
    moves: list[commands.Command] = []

    for which, action in enumerate(street_actions(state, item.street)):
        if item.left[which]:
            indexes = choices(state, player, action)
            moves += [prepared.perform[index] for index in indexes]
            if forgoable(state, item, which):
                moves.append(prepared.skip[action])
                if not indexes:
                    moves.append(prepared.compensate[action])

    if not any(item.left):
        moves.append(prepared.end_activation)

    for card, held in enumerate(player.hand):
        if held:
            indexes = choices(state, player, card)
            moves += [prepared.play_card[index] for index in indexes]
    return moves


def _give_up(state: State, item: agenda.Exchange, seat: int) -> list[commands.Command]:
    if item.seat != seat:
        return []
    return [
        commands.GiveUpDisc(seat, street, position) for street, position in givable(state, item)
    ]


_MOVES: dict[type, Listing] = {
    agenda.Opening: _of_the_house(commands.SetUp()),
    agenda.Keeping: _keep,
    agenda.Drafting: _draft,
    agenda.Turn: _place,
    agenda.Activation: _act,
    agenda.Exchange: _give_up,
    agenda.Scoring: _of_the_house(commands.Score()),
    agenda.FinalScoring: _of_the_house(commands.Score()),
}
