"""What changes: one function an event, no rules. Each changes the state in place."""

from collections.abc import Callable, Iterable
from typing import Any

from domain.firenze import events as ev
from domain.firenze.components import FIRST_LEVEL, NEUTRAL, SEATS, Card, Colour, Step, commission
from domain.firenze.state import Architect, Player, Slot, State, Task, Tower, find_tower
from domain.wire import HOUSE

# The steps of each seat's turn, made once.
_CHOOSE, _BUILD, _FULFIL = (
    [Task(step, seat) for seat in SEATS] for step in (Step.CHOOSE, Step.BUILD, Step.FULFIL)
)


def evolve(state: State, event: Any) -> None:
    """Apply an event to the state in place."""
    _TABLE[type(event)](state, event)


def _add(pile: list[int], bricks: Iterable[int]) -> None:
    for colour in bricks:
        pile[colour] += 1


def _move(source: list[int], target: list[int], bricks: Iterable[int]) -> None:
    for colour in bricks:
        source[colour] -= 1
        target[colour] += 1


def _tower(player: Player, number: int) -> Tower:
    tower = find_tower(player, number)
    assert tower is not None
    return tower


def _remove_tower(player: Player, number: int) -> None:
    player.towers.remove(_tower(player, number))


def _draw_card(state: State, card: Card) -> None:
    """The start cards lie on top (F13): one of them is drawn while there are any."""
    (state.start if state.start[card] else state.deck)[card] -= 1


def _deal(state: State, card: Card, bricks: Iterable[Colour]) -> None:
    _draw_card(state, card)
    slot = Slot(card, [0] * 6)
    _move(state.pouch, slot.bricks, bricks)
    state.row.append(slot)


def _on_table_laid(state: State, event: ev.TableLaid) -> None:
    assert event.balconies is not None
    assert event.neutral is not None
    assert event.row is not None
    for balcony in event.balconies:
        index = commission(balcony.colour, balcony.height)
        state.balconies.append(index)
        state.worth[index] = balcony.points
    for covered in event.neutral:
        state.seals[commission(covered.colour, covered.height)] = NEUTRAL
    for dealt in event.row:
        _deal(state, dealt.card, dealt.bricks)


def _on_turn_began(state: State, event: ev.TurnBegan) -> None:
    state.turn = event.turn
    state.active = event.seat
    state.exchanged = False
    state.played.clear()
    state.architect = None
    for tower in state.players[event.seat].towers:
        tower.idle = True
    state.agenda[:] = (_CHOOSE[event.seat],)


def _on_card_taken(state: State, event: ev.CardTaken) -> None:
    storehouse = state.players[event.seat].storehouse
    for slot, colour in enumerate(event.payment):
        storehouse[colour] -= 1
        state.row[slot].bricks[colour] += 1
    state.taken_bricks = state.row.pop(event.slot).bricks
    state.taken = event.card
    _add(storehouse, event.bricks)


def _on_card_kept(state: State, event: ev.CardKept) -> None:
    state.players[event.seat].cards[event.card] += 1
    state.taken = None


def _on_church_opened(state: State, event: ev.ChurchOpened) -> None:
    state.church.append(event.card)
    state.taken = None


def _on_card_spent(state: State, event: ev.CardSpent) -> None:
    state.discards[event.card] += 1
    state.taken = None
    state.dues = ()
    del state.agenda[1:]


def _on_deck_shuffled(state: State, _event: ev.DeckShuffled) -> None:
    for card in Card:
        state.deck[card] += state.start[card] + state.discards[card]
        state.start[card] = state.discards[card] = 0


def _to_build(state: State) -> None:
    state.taken_bricks = [0] * 6
    state.agenda[-1] = _BUILD[state.active]


def _on_row_refilled(state: State, event: ev.RowRefilled) -> None:
    assert event.card is not None
    assert event.bricks is not None
    _deal(state, event.card, event.bricks)
    _to_build(state)


def _on_row_shortened(state: State, _event: ev.RowShortened) -> None:
    _to_build(state)


def _on_bricks_exchanged(state: State, event: ev.BricksExchanged) -> None:
    storehouse, slot = state.players[event.seat].storehouse, state.row[event.slot]
    _move(slot.bricks, storehouse, (event.take,))
    _move(storehouse, slot.bricks, event.give)
    state.exchanged = True


def _on_built(state: State, event: ev.Built) -> None:
    player = state.players[event.seat]
    for laid in event.laid:
        player.storehouse[laid.colour] -= laid.bricks
        tower = find_tower(player, laid.tower)
        if tower is None:
            player.towers.append(Tower(laid.tower, laid.colour, laid.bricks, False))
            player.next_tower = laid.tower + 1
        else:
            tower.height += laid.bricks
            tower.idle = False
    _move(player.storehouse, state.pouch, event.payment)
    state.agenda[-1] = _FULFIL[event.seat]


def _on_tower_torn_down(state: State, event: ev.TowerTornDown) -> None:
    player = state.players[event.seat]
    _remove_tower(player, event.tower)
    state.pouch[event.colour] += event.lost
    player.storehouse[event.colour] += event.saved


def _on_commission_fulfilled(state: State, event: ev.CommissionFulfilled) -> None:
    player = state.players[event.seat]
    _remove_tower(player, event.tower)
    state.pouch[event.colour] += event.bricks
    index = commission(event.colour, event.height)
    state.seals[index] = event.seat
    player.seals -= 1
    player.points += event.points + event.level + event.privilege
    if index in state.balconies:
        state.next_balcony += 1
    if event.height >= FIRST_LEVEL and state.levels[event.height - FIRST_LEVEL] < 0:
        state.levels[event.height - FIRST_LEVEL] = event.seat
    if event.architect:
        state.architect = None


def _on_bell_tower_delivered(state: State, event: ev.BellTowerDelivered) -> None:
    player = state.players[event.seat]
    state.pouch[Colour.WHITE] += _tower(player, event.tower).height
    _remove_tower(player, event.tower)
    player.bell_tower = True


def _on_church_closed(state: State, event: ev.ChurchClosed) -> None:
    state.church.remove(event.card)
    state.discards[event.card] += 1
    if event.card is Card.CAMPANILE:
        for player in state.players:
            player.bell_tower = False


def _on_end_tile_taken(state: State, event: ev.EndTileTaken) -> None:
    state.end_seat = event.seat
    state.players[event.seat].points += event.points


def _on_bricks_discarded(state: State, event: ev.BricksDiscarded) -> None:
    _move(state.players[event.seat].storehouse, state.pouch, event.bricks)


def _on_card_discarded(state: State, event: ev.CardDiscarded) -> None:
    state.players[event.seat].cards[event.card] -= 1
    state.discards[event.card] += 1


def _on_personnel_played(state: State, event: ev.PersonnelPlayed) -> None:
    state.players[event.seat].cards[event.card] -= 1
    state.discards[event.card] += 1
    state.played.append(event.card)


def _on_brick_swapped(state: State, event: ev.BrickSwapped) -> None:
    storehouse = state.players[event.seat].storehouse
    _move(storehouse, state.pouch, (event.give,))
    _move(state.pouch, storehouse, (event.take,))


def _on_architect_hired(state: State, event: ev.ArchitectHired) -> None:
    state.architect = Architect(event.tower, event.by)


def _on_slot_restocked(state: State, event: ev.SlotRestocked) -> None:
    assert event.bricks is not None
    slot = state.row[event.slot]
    _move(slot.bricks, state.pouch, event.gone)
    _move(state.pouch, slot.bricks, event.bricks)


def _on_brick_removed(state: State, event: ev.BrickRemoved) -> None:
    player = state.players[event.seat]
    tower = _tower(player, event.tower)
    tower.height -= 1
    state.pouch[event.colour] += 1
    if not tower.height:
        player.towers.remove(tower)


def _on_bricks_traded(state: State, event: ev.BricksTraded) -> None:
    mine, theirs = state.players[event.seat].storehouse, state.players[event.target].storehouse
    _move(mine, theirs, (event.give,))
    _move(theirs, mine, (event.take,))


def _on_player_asked(state: State, event: ev.PlayerAsked) -> None:
    state.agenda.append(Task(event.step, event.seat))


def _on_event_answered(state: State, _event: ev.EventAnswered) -> None:
    state.agenda.pop()


def _on_tower_collapsed(state: State, event: ev.TowerCollapsed) -> None:
    _remove_tower(state.players[event.seat], event.tower)
    state.pouch[event.colour] += event.bricks


def _on_dues_laid(state: State, event: ev.DuesLaid) -> None:
    state.dues = event.dues
    state.agenda.extend(Task(Step.DISCARD, due.seat) for due in reversed(event.dues) if due.bricks)


def _on_due_paid(state: State, event: ev.DuePaid) -> None:
    _move(state.players[event.seat].storehouse, state.pouch, event.bricks)
    state.agenda.pop()


def _on_play_ended(state: State, _event: ev.PlayEnded) -> None:
    state.agenda[:] = (Task(Step.SCORE, HOUSE),)


def _on_final_scored(state: State, event: ev.FinalScored) -> None:
    for player, points in zip(state.players, event.points, strict=True):
        player.points = points
    state.ranks = event.ranks
    state.agenda.clear()


_TABLE: dict[type, Callable[[State, Any], None]] = {
    ev.TableLaid: _on_table_laid,
    ev.TurnBegan: _on_turn_began,
    ev.CardTaken: _on_card_taken,
    ev.CardKept: _on_card_kept,
    ev.ChurchOpened: _on_church_opened,
    ev.CardSpent: _on_card_spent,
    ev.DeckShuffled: _on_deck_shuffled,
    ev.RowRefilled: _on_row_refilled,
    ev.RowShortened: _on_row_shortened,
    ev.BricksExchanged: _on_bricks_exchanged,
    ev.Built: _on_built,
    ev.TowerTornDown: _on_tower_torn_down,
    ev.CommissionFulfilled: _on_commission_fulfilled,
    ev.BellTowerDelivered: _on_bell_tower_delivered,
    ev.ChurchClosed: _on_church_closed,
    ev.EndTileTaken: _on_end_tile_taken,
    ev.BricksDiscarded: _on_bricks_discarded,
    ev.CardDiscarded: _on_card_discarded,
    ev.PersonnelPlayed: _on_personnel_played,
    ev.BrickSwapped: _on_brick_swapped,
    ev.ArchitectHired: _on_architect_hired,
    ev.SlotRestocked: _on_slot_restocked,
    ev.BrickRemoved: _on_brick_removed,
    ev.BricksTraded: _on_bricks_traded,
    ev.PlayerAsked: _on_player_asked,
    ev.EventAnswered: _on_event_answered,
    ev.TowerCollapsed: _on_tower_collapsed,
    ev.DuesLaid: _on_dues_laid,
    ev.DuePaid: _on_due_paid,
    ev.PlayEnded: _on_play_ended,
    ev.FinalScored: _on_final_scored,
}
