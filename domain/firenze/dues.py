"""Events that touch all players: Flood, Tribute, Luxury Tax, and who hands over what (F33, F34)."""

from collections.abc import Iterable

from domain.firenze.agenda import Step
from domain.firenze.cards import Card
from domain.firenze.commands import Discard
from domain.firenze.components import COLOURS, TAXED_HEIGHT, Bricks, Colour
from domain.firenze.events import DuePaid, DuesLaid
from domain.firenze.payment import complete
from domain.firenze.row import spend_card
from domain.firenze.state import Due, Player, State, Tower, find_tower, free_bricks
from domain.firenze.towers import built_colours, tear_down
from domain.game import Draft

FOR_ALL = (Card.FLOOD, Card.TRIBUTE, Card.LUXURY_TAX)
FLOODED_PART = 3
TAX_PER_TOWER = 2


# ---- what each seat owes ---------------------------------------------------------------------


def due_from(state: State, seat: int, card: Card) -> Due:
    """Return what Flood, Tribute or Luxury Tax takes from a seat (F33)."""
    if card is Card.FLOOD:
        return _flood(state, seat)
    if card is Card.TRIBUTE:
        return _tribute(seat, state.players[seat])
    return _luxury_tax(seat, state.players[seat])


def _flood(state: State, seat: int) -> Due:
    """A third of the bricks, rounded up, not counting those of the card (F33)."""
    bricks = sum(free_bricks(state, seat))
    lost_bricks = (bricks + FLOODED_PART - 1) // FLOODED_PART
    return Due(seat, lost_bricks, exact=(), lost=())


def _tribute(seat: int, player: Player) -> Due:
    """One brick of its colour for each tower, else it is lost (F33)."""
    left = player.storehouse[:]
    exact: list[Colour] = []
    lost: list[int] = []

    for tower in _tallest_first(player.towers):
        colour = tower.colour
        if left[colour]:
            left[colour] -= 1
            exact.append(colour)
        else:
            lost.append(tower.id)
    return Due(
        seat=seat,
        bricks=len(exact),
        exact=tuple(sorted(exact)),
        lost=tuple(lost),
    )


def _luxury_tax(seat: int, player: Player) -> Due:
    """2 bricks for each tower of 5 or more levels, else it is lost (F33)."""
    taxed = _tallest_first(tower for tower in player.towers if tower.height >= TAXED_HEIGHT)
    paid = min(len(taxed), sum(player.storehouse) // TAX_PER_TOWER)
    lost = tuple(tower.id for tower in taxed[paid:])
    return Due(seat, TAX_PER_TOWER * paid, exact=(), lost=lost)


def _tallest_first(towers: Iterable[Tower]) -> list[Tower]:
    """Return towers as they are paid for: the tallest first, among equals the older one (F33)."""
    return sorted(towers, key=lambda tower: (-tower.height, tower.id))


# ---- collecting it ---------------------------------------------------------------------------


def lay_dues(draft: Draft[State], seat: int, card: Card, *, spared: bool) -> None:
    """Work out what each player owes, in turn order from the taker, and collect it (F33).

    spared: the taker owes nothing (F31).
    """
    state = draft.state
    seats = len(state.players)
    first = 1 if spared else 0

    dues = []
    for step in range(first, seats):
        payer = (seat + step) % seats
        due = due_from(state, payer, card)
        if due.bricks or due.lost:
            dues.append(due)
    if dues:
        draft.emit(DuesLaid(card, tuple(dues)))
    _collect(draft)


def discard(draft: Draft[State], command: Discard) -> None:
    """A player hands over what the event takes (F34)."""
    bricks = _payment(draft.state, command.seat, command.bricks)
    draft.emit(DuePaid(command.seat, bricks))
    _collect(draft)


def _payment(state: State, seat: int, named: Bricks | None) -> Bricks:
    """Return the bricks that a seat hands over, as named and by F25; raises RuleBroken (F34)."""
    due = _due_of(state, seat)
    if due.exact:
        pool = [due.exact.count(colour) for colour in COLOURS]
    else:
        pool = free_bricks(state, seat)
    return complete(named, due.bricks, pool, built_colours(state.players[seat]), "F34")


def _due_of(state: State, seat: int) -> Due:
    """Return what the event being settled takes from the seat."""
    return next(due for due in state.dues if due.seat == seat)


def _collect(draft: Draft[State]) -> None:
    """Settle by F25, or wait for the players (F34).

    Towers are torn down after the last payment of all.
    """
    state = draft.state
    while state.agenda[-1].step is Step.DISCARD:
        if state.ask_discards:
            return
        seat = state.agenda[-1].seat
        draft.emit(DuePaid(seat, _payment(state, seat, None)))

    for due in state.dues:
        player = state.players[due.seat]
        for number in due.lost:
            tower = find_tower(player, number)
            assert tower is not None
            tear_down(draft, due.seat, tower)

    assert state.taken is not None
    spend_card(draft, state.active, state.taken)
