"""Who may see what: the state as JSON values (P11)."""

from domain.kit import wire_names
from examples.ponte.agenda import Item, Turn
from examples.ponte.components import BANKS, HEIGHTS
from examples.ponte.moves import actors
from examples.ponte.state import Player, State
from examples.ponte.view_types import AgendaItemView, BankName, OwnView, PlayerView, View

_BANK = wire_names(BANKS)


def view(state: State, seat: int | None) -> View:
    """Return what the seat (None: the public) may see."""
    agenda = [_item(item) for item in reversed(state.agenda)]
    players = [_player(player) for player in state.players]

    shown: View = {
        "actors": list(actors(state)),
        "agenda": agenda,
        "rows": _rows(state),
        "yard_size": sum(state.yard),
        "players": players,
        "ranks": state.ranks[:] or None,
    }
    if seat is not None:
        shown["own"] = _own(state.players[seat])
    return shown


def _item(item: Item) -> AgendaItemView:
    shown: AgendaItemView = {"type": item.tag}
    if isinstance(item, Turn):
        shown["seat"] = item.seat
    return shown


def _rows(state: State) -> dict[BankName, list[int]]:
    return {name: row[:] for name, row in zip(_BANK, state.rows, strict=True)}


def _player(player: Player) -> PlayerView:
    return {"points": player.points, "hand_size": sum(player.hand)}


def _own(player: Player) -> OwnView:
    hand: list[int] = []
    for height, count in zip(HEIGHTS, player.hand, strict=True):
        hand += [height] * count
    return {"hand": hand}
