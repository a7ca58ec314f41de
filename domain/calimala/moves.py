"""The actors of a state, and their legal commands."""

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
    """Return the next actors: seats, (HOUSE,) for the house, () after the end (C12, C38)."""
    if not state.agenda:
        return ()

    top = state.agenda[-1]
    if isinstance(top, agenda.Keeping):
        return _still_to_keep(state)
    if isinstance(top, _OF_THE_HOUSE):
        return (HOUSE,)
    return (top.seat,)


def turn(state: State) -> int:
    """Return the seat of the current turn (C14).

    Once the disc of a turn is placed, the next turn lies at the bottom of the agenda, so the
    current seat is the one before. While seats keep and draft cards, this returns the last seat. It
    returns HOUSE before that and after all turns.
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
    """Return all legal commands of the seat or the house. Cities are listed in one order only."""
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
    """Return moves for actions with uses left, or the end without any, and for cards (C19-C21)."""
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

    for card, count in enumerate(player.hand):
        if count:
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
