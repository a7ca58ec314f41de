"""The change of the state by each event. Nothing here checks a rule."""

from collections.abc import Iterable

from domain.firenze import events
from domain.firenze.agenda import Step, Task
from domain.firenze.components import (
    CAMPANILE,
    CARDS,
    FIRST_LEVEL,
    NEUTRAL,
    NO_BRICKS,
    SEAT_NUMBERS,
    WHITE,
    Card,
    Colour,
    commission_index,
)
from domain.firenze.state import Architect, Player, Slot, State, Tower, find_tower
from domain.game import Change, Message
from domain.kit import one_for_each
from domain.seats import HOUSE


def evolve(state: State, event: Message) -> None:
    """Apply an event to the state in place."""
    _CHANGES[type(event)](state, event)


# ---- the table, turns, and the end of the match --------------------------------------------------


# The first task of each seat's turn, made once.
_CHOOSE = [Task(Step.CHOOSE, seat) for seat in SEAT_NUMBERS]


def _table_laid(state: State, event: events.TableLaid) -> None:
    assert event.balconies is not None
    assert event.neutral is not None
    assert event.row is not None

    for balcony in event.balconies:
        commission = commission_index(balcony.colour, balcony.height)
        state.balconies.append(commission)
        state.worth[commission] = balcony.points

    for covered in event.neutral:
        commission = commission_index(covered.colour, covered.height)
        state.seals[commission] = NEUTRAL

    for dealt in event.row:
        deal_slot(state, dealt.card, dealt.bricks)


def _turn_began(state: State, event: events.TurnBegan) -> None:
    state.turn = event.turn
    state.active = event.seat
    state.exchanged = False
    state.played.clear()
    state.at_work = None
    state.architect = None

    player = state.players[event.seat]
    for tower in player.towers:
        tower.idle = True

    state.agenda[:] = (_CHOOSE[event.seat],)


def _play_ended(state: State, _event: events.PlayEnded) -> None:
    state.agenda[:] = (Task(Step.SCORE, HOUSE),)


def _final_scored(state: State, event: events.FinalScored) -> None:
    for player, points in zip(state.players, event.points, strict=True):
        player.points = points
    state.ranks = event.ranks
    state.agenda.clear()


# ---- the row, and the way of a taken card --------------------------------------------------------


# The second task of each seat's turn, made once.
_BUILD = [Task(Step.BUILD, seat) for seat in SEAT_NUMBERS]


def _card_taken(state: State, event: events.CardTaken) -> None:
    storehouse = state.players[event.seat].storehouse
    for slot, colour in enumerate(event.payment):
        storehouse[colour] -= 1
        state.row[slot].bricks[colour] += 1

    offer = state.row.pop(event.slot)
    state.taken = offer.card
    state.taken_bricks = offer.bricks
    state.at_work = offer.card
    for colour in event.bricks:
        storehouse[colour] += 1


def _card_kept(state: State, event: events.CardKept) -> None:
    state.players[event.seat].cards[event.card] += 1
    state.taken = None


def _church_opened(state: State, event: events.ChurchOpened) -> None:
    state.church.append(event.card)
    state.taken = None


def _card_spent(state: State, event: events.CardSpent) -> None:
    state.discards[event.card] += 1
    state.taken = None
    state.dues = ()
    # The tasks of the event are settled. The task to choose a card stays until the row is refilled.
    del state.agenda[1:]


def _deck_shuffled(state: State, _event: events.DeckShuffled) -> None:
    for card in CARDS:
        state.deck[card] += state.start[card] + state.discards[card]
        state.start[card] = 0
        state.discards[card] = 0


def _row_refilled(state: State, event: events.RowRefilled) -> None:
    assert event.card is not None
    assert event.bricks is not None
    deal_slot(state, event.card, event.bricks)
    _go_on_to_build(state)


def _row_shortened(state: State, _event: events.RowShortened) -> None:
    _go_on_to_build(state)


def _go_on_to_build(state: State) -> None:
    state.taken_bricks = [*NO_BRICKS]
    state.at_work = None
    state.agenda[-1] = _BUILD[state.active]


def _bricks_exchanged(state: State, event: events.BricksExchanged) -> None:
    storehouse = state.players[event.seat].storehouse
    offered = state.row[event.slot].bricks
    move_bricks(offered, storehouse, (event.take,))
    move_bricks(storehouse, offered, event.give)
    state.exchanged = True


# ---- towers built and delivered, and losses by the limits ----------------------------------------


# The last task of each seat's turn, made once.
_FULFIL = [Task(Step.FULFIL, seat) for seat in SEAT_NUMBERS]


def _built(state: State, event: events.Built) -> None:
    player = state.players[event.seat]

    for laid in event.laid:
        player.storehouse[laid.colour] -= laid.bricks
        tower = find_tower(player, laid.tower)
        if tower is None:
            new_tower = Tower(laid.tower, laid.colour, laid.bricks, False)
            player.towers.append(new_tower)
            player.next_tower = new_tower.id + 1
        else:
            tower.height += laid.bricks
            tower.idle = False

    move_bricks(player.storehouse, state.pouch, event.payment)
    state.agenda[-1] = _FULFIL[event.seat]


def _tower_torn_down(state: State, event: events.TowerTornDown) -> None:
    player = state.players[event.seat]
    remove_tower(player, event.tower)
    state.pouch[event.colour] += event.lost
    player.storehouse[event.colour] += event.saved


def _commission_fulfilled(state: State, event: events.CommissionFulfilled) -> None:
    player = state.players[event.seat]
    remove_tower(player, event.tower)
    state.pouch[event.colour] += event.bricks

    commission = commission_index(event.colour, event.height)
    state.seals[commission] = event.seat
    player.seals -= 1
    player.points += event.points + event.level + event.privilege

    if commission in state.balconies:
        state.next_balcony += 1
    _take_level_tile(state, event.seat, event.height)
    if event.architect:
        state.architect = None


def _take_level_tile(state: State, seat: int, height: int) -> None:
    """Give the tile to the first seat with a commission of this height (F23)."""
    if height < FIRST_LEVEL:
        return
    level = height - FIRST_LEVEL
    if state.levels[level] < 0:
        state.levels[level] = seat


def _bell_tower_delivered(state: State, event: events.BellTowerDelivered) -> None:
    player = state.players[event.seat]
    tower = remove_tower(player, event.tower)
    state.pouch[WHITE] += tower.height
    player.bell_tower = True


def _church_closed(state: State, event: events.ChurchClosed) -> None:
    state.church.remove(event.card)
    state.discards[event.card] += 1
    if event.card is CAMPANILE:
        for player in state.players:
            player.bell_tower = False


def _end_tile_taken(state: State, event: events.EndTileTaken) -> None:
    state.end_seat = event.seat
    state.players[event.seat].points += event.points


def _bricks_discarded(state: State, event: events.BricksDiscarded) -> None:
    move_bricks(state.players[event.seat].storehouse, state.pouch, event.bricks)


def _card_discarded(state: State, event: events.CardDiscarded) -> None:
    state.players[event.seat].cards[event.card] -= 1
    state.discards[event.card] += 1
    state.at_work = None


# ---- Personnel cards -----------------------------------------------------------------------------


def _personnel_played(state: State, event: events.PersonnelPlayed) -> None:
    state.players[event.seat].cards[event.card] -= 1
    state.discards[event.card] += 1
    state.played.append(event.card)
    state.at_work = event.card


def _brick_swapped(state: State, event: events.BrickSwapped) -> None:
    storehouse = state.players[event.seat].storehouse
    move_bricks(storehouse, state.pouch, (event.give,))
    move_bricks(state.pouch, storehouse, (event.take,))


def _architect_hired(state: State, event: events.ArchitectHired) -> None:
    state.architect = Architect(event.tower, event.by)


def _slot_restocked(state: State, event: events.SlotRestocked) -> None:
    assert event.bricks is not None
    slot = state.row[event.slot]
    move_bricks(slot.bricks, state.pouch, event.gone)
    move_bricks(state.pouch, slot.bricks, event.bricks)


def _brick_removed(state: State, event: events.BrickRemoved) -> None:
    player = state.players[event.seat]
    tower = tower_of(player, event.tower)
    tower.height -= 1
    state.pouch[event.colour] += 1
    if not tower.height:
        player.towers.remove(tower)


def _bricks_traded(state: State, event: events.BricksTraded) -> None:
    own = state.players[event.seat].storehouse
    theirs = state.players[event.target].storehouse
    move_bricks(own, theirs, (event.give,))
    move_bricks(theirs, own, (event.take,))


# ---- event cards ---------------------------------------------------------------------------------


def _player_asked(state: State, event: events.PlayerAsked) -> None:
    state.agenda.append(Task(event.step, event.seat))


def _event_answered(state: State, _event: events.EventAnswered) -> None:
    state.agenda.pop()


def _tower_collapsed(state: State, event: events.TowerCollapsed) -> None:
    remove_tower(state.players[event.seat], event.tower)
    state.pouch[event.colour] += event.bricks


def _dues_laid(state: State, event: events.DuesLaid) -> None:
    state.dues = event.dues
    # The first to pay is put onto the stack last.
    for due in reversed(event.dues):
        if due.bricks:
            state.agenda.append(Task(Step.DISCARD, due.seat))


def _due_paid(state: State, event: events.DuePaid) -> None:
    move_bricks(state.players[event.seat].storehouse, state.pouch, event.bricks)
    state.agenda.pop()


# ---- moving pieces: bricks between piles, cards from the deck, towers off their site -------------


def move_bricks(source: list[int], target: list[int], bricks: Iterable[int]) -> None:
    """Move these bricks from one pile to another."""
    for colour in bricks:
        source[colour] -= 1
        target[colour] += 1


def deal_slot(state: State, card: Card, bricks: Iterable[Colour]) -> None:
    """Put a card of the deck, with bricks of the pouch, onto the end of the row.

    The start cards lie on top of the deck (F13). A card with a copy among the start cards comes
    from there.
    """
    pile = state.start if state.start[card] else state.deck
    pile[card] -= 1

    slot = Slot(card, [*NO_BRICKS])
    move_bricks(state.pouch, slot.bricks, bricks)
    state.row.append(slot)


def tower_of(player: Player, number: int) -> Tower:
    """Return the tower with this number. It must stand."""
    tower = find_tower(player, number)
    assert tower is not None
    return tower


def remove_tower(player: Player, number: int) -> Tower:
    """Take the tower with this number off its site and return it."""
    tower = tower_of(player, number)
    player.towers.remove(tower)
    return tower


# ---- by class of event ---------------------------------------------------------------------------


_CHANGES: dict[type, Change[State]] = one_for_each(
    events.EVENTS,
    {
        events.TableLaid: _table_laid,
        events.TurnBegan: _turn_began,
        events.PlayEnded: _play_ended,
        events.FinalScored: _final_scored,
        events.CardTaken: _card_taken,
        events.CardKept: _card_kept,
        events.ChurchOpened: _church_opened,
        events.CardSpent: _card_spent,
        events.DeckShuffled: _deck_shuffled,
        events.RowRefilled: _row_refilled,
        events.RowShortened: _row_shortened,
        events.BricksExchanged: _bricks_exchanged,
        events.Built: _built,
        events.TowerTornDown: _tower_torn_down,
        events.CommissionFulfilled: _commission_fulfilled,
        events.BellTowerDelivered: _bell_tower_delivered,
        events.ChurchClosed: _church_closed,
        events.EndTileTaken: _end_tile_taken,
        events.BricksDiscarded: _bricks_discarded,
        events.CardDiscarded: _card_discarded,
        events.PersonnelPlayed: _personnel_played,
        events.BrickSwapped: _brick_swapped,
        events.ArchitectHired: _architect_hired,
        events.SlotRestocked: _slot_restocked,
        events.BrickRemoved: _brick_removed,
        events.BricksTraded: _bricks_traded,
        events.PlayerAsked: _player_asked,
        events.EventAnswered: _event_answered,
        events.TowerCollapsed: _tower_collapsed,
        events.DuesLaid: _dues_laid,
        events.DuePaid: _due_paid,
    },
)
