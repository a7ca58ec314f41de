"""What could I do: who may act, and every legal command."""

from collections.abc import Callable
from typing import Any

from domain.calimala import commands as c
from domain.calimala.actions import ways
from domain.calimala.agenda import (
    Activation,
    Drafting,
    Exchange,
    FinalScoring,
    Item,
    Keeping,
    Opening,
    Scoring,
    Turn,
)
from domain.calimala.components import ACTIONS, ENDS, SEATS, STREETS, WAYS, Disc
from domain.calimala.duty import forgoable, placeable, serves
from domain.calimala.flow import givable
from domain.calimala.state import Player, State
from domain.chance import Chance
from domain.game import HOUSE

# Commands are immutable and few, so each is made once: by seat, then by way, street or action.
_SEATS = range(SEATS.stop - 1)
_DISCS = tuple(Disc)
_OF_HOUSE = (Opening, Scoring, FinalScoring)
_PERFORM = [[c.Perform(seat, *way) for way in WAYS] for seat in _SEATS]
_PLAY_CARD = [[c.PlayCard(seat, *way) for way in WAYS] for seat in _SEATS]
_COMPENSATE = [[c.Compensate(seat, action) for action in ACTIONS] for seat in _SEATS]
_SKIP = [[c.Skip(seat, action) for action in ACTIONS] for seat in _SEATS]
_END = [c.EndActivation(seat) for seat in _SEATS]
_PLACE = [
    [[c.PlaceDisc(seat, street, disc) for disc in _DISCS] for street in STREETS] for seat in _SEATS
]


def actors(state: State) -> tuple[int, ...]:
    """Return the seats that may act now, (HOUSE,) while the house must, () when the match is over (C12, C38)."""
    if not state.agenda:
        return ()
    top = state.agenda[-1]
    if isinstance(top, Keeping):
        return tuple(seat for seat, player in enumerate(state.players) if player.kept is None)
    return (HOUSE,) if isinstance(top, _OF_HOUSE) else (top.seat,)


def legal_moves(state: State, seat: int) -> list[Any]:
    """Return every legal command of the seat or the house; a shipment's cities once, in sorted order."""
    if not state.agenda:
        return []
    top = state.agenda[-1]
    return _MOVES[type(top)](state, top, seat)


def random_move(state: State, seat: int, chance: Chance) -> Any:
    """Return a legal command, each as likely as the others."""
    if type(state.agenda[-1]) is Turn:
        # Most streets serve, and the duty is dear to ask about: all twelve only if the first that comes to mind fails.
        street, player = chance.below(len(STREETS)), state.players[seat]
        if serves(state, player, street):
            discs = _discs(player)
            return _PLACE[seat][street][discs[chance.below(len(discs))]]
    moves = legal_moves(state, seat)
    return moves[chance.below(len(moves))]


def _of_house(command: Any) -> Callable[[State, Item, int], list[Any]]:
    return lambda _state, _item, seat: [command] if seat == HOUSE else []


def _keep(state: State, _item: Keeping, seat: int) -> list[Any]:
    if seat == HOUSE or state.players[seat].kept is not None:
        return []
    return [c.KeepScoringCard(seat, card) for card in state.players[seat].dealt]


def _draft(state: State, item: Drafting, seat: int) -> list[Any]:
    if item.seat != seat:
        return []
    return [c.TakeActionCard(seat, action) for action in ACTIONS if state.open_cards[action]]


def _place(state: State, item: Turn, seat: int) -> list[Any]:
    if item.seat != seat:
        return []
    player = state.players[seat]
    streets, discs = placeable(state, player), _discs(player)
    return [_PLACE[seat][street][disc] for street in streets for disc in discs]


def _discs(player: Player) -> list[Disc]:
    return [disc for disc, left in zip(_DISCS, (player.discs, player.whites), strict=True) if left]


def _act(state: State, item: Activation, seat: int) -> list[Any]:
    if item.seat != seat:
        return []
    player, perform, play_card = state.players[seat], _PERFORM[seat], _PLAY_CARD[seat]
    result: list[Any] = []
    for which, times in enumerate(item.left):
        if times:
            action = state.grid[ENDS[item.street][which]]
            indexes = ways(state, player, action)
            result += [perform[index] for index in indexes]
            if forgoable(state, item, which):
                result += (
                    [_SKIP[seat][action]]
                    if indexes
                    else [_SKIP[seat][action], _COMPENSATE[seat][action]]
                )
    if not any(item.left):
        result.append(_END[seat])
    for card, held in enumerate(player.hand):
        if held:
            result += [play_card[index] for index in ways(state, player, card)]
    return result


def _give_up(state: State, item: Exchange, seat: int) -> list[Any]:
    if item.seat != seat:
        return []
    return [c.GiveUpDisc(seat, street, position) for street, position in givable(state, item)]


_MOVES: dict[type, Callable[[State, Any, int], list[Any]]] = {
    Opening: _of_house(c.SetUp()),
    Keeping: _keep,
    Drafting: _draft,
    Turn: _place,
    Activation: _act,
    Exchange: _give_up,
    Scoring: _of_house(c.Score()),
    FinalScoring: _of_house(c.Score()),
}
