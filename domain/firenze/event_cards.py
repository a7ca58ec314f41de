"""Event cards, and the Patrician against them (F31-F35)."""

from collections.abc import Iterable

from domain.errors import RuleBroken
from domain.firenze import events
from domain.firenze.agenda import Step
from domain.firenze.build import (
    built_colours,
    complete,
    counted,
    in_words,
    own_tower,
    tear_down,
    towers_in_words,
)
from domain.firenze.commands import AnswerEvent, Discard, ResolveEvent
from domain.firenze.components import COLOURS, PATRICIAN, TAXED_HEIGHT, Bricks, Card, Colour
from domain.firenze.row import refill, spend_card
from domain.firenze.state import Due, Player, State, Tower, find_tower, free_bricks
from domain.game import Draft

FIRE_BRICKS = 3


def answer(draft: Draft[State], command: AnswerEvent) -> None:
    """Spend a Patrician on the event, or let it strike (F31).

    A Patrician cancels the event. With the option `patrician` "spares", it only spares its
    owner from an event for all.
    """
    state = draft.state
    seat = command.seat
    card = state.taken
    assert card is not None

    if command.patrician:
        draft.emit(events.PersonnelPlayed(seat, PATRICIAN))
    draft.emit(events.EventAnswered(seat, command.patrician))

    if not command.patrician:
        strike(draft, seat, card)
    elif state.patrician_spares and card in FOR_ALL:
        lay_dues(draft, seat, card, spared=True)
    else:
        spend_card(draft, seat, card)


def strike(draft: Draft[State], seat: int, card: Card) -> None:
    """Let the event happen, or ask its taker to name the loss (F32, F33, F35)."""
    if card in FOR_ALL:
        lay_dues(draft, seat, card, spared=False)
    elif card is Card.RENAISSANCE:
        # The card itself is shuffled into the deck that refills the row (F35).
        draft.emit(events.CardSpent(seat, card))
        draft.emit(events.DeckShuffled())
        refill(draft)
    elif can_lose(draft.state, seat, card):
        draft.emit(events.PlayerAsked(seat, card, Step.RESOLVE))
    else:
        spend_card(draft, seat, card)


def can_lose(state: State, seat: int, card: Card) -> bool:
    """Return True if the taker can lose anything to Botch, Collapse or a Storehouse Fire (F32)."""
    if card is Card.STOREHOUSE_FIRE:
        return any(free_bricks(state, seat))
    return bool(state.players[seat].towers)


def resolve(draft: Draft[State], command: ResolveEvent) -> None:
    """Take the loss that the taker names (F32)."""
    seat = command.seat
    card = draft.state.taken
    assert card is not None

    if card is Card.STOREHOUSE_FIRE:
        _burn(draft, command)
    else:
        _strike_tower(draft, command, card)
    spend_card(draft, seat, card)


def _strike_tower(draft: Draft[State], command: ResolveEvent, card: Card) -> None:
    """Take a brick of an own tower for Botch, all its bricks for Collapse (F32)."""
    seat = command.seat
    player = draft.state.players[seat]
    if command.bricks is not None:
        strikes = f"The {card.wire} strikes a tower, bricks are not named"
        detail = f"{strikes}. You have {towers_in_words(player)}."
        raise RuleBroken("not_asked", "F32", detail)

    tower = own_tower(player, command.tower, "F32")
    if card is Card.BOTCH:
        draft.emit(events.BrickRemoved(seat, tower.id, tower.colour))
    else:
        draft.emit(
            events.TowerCollapsed(
                seat=seat,
                tower=tower.id,
                colour=tower.colour,
                bricks=tower.height,
            )
        )


def _burn(draft: Draft[State], command: ResolveEvent) -> None:
    """Put 3 bricks, or all, into the pouch. Those that came with the card are spared (F32)."""
    state = draft.state
    seat = command.seat
    pool = free_bricks(state, seat)
    count = min(FIRE_BRICKS, sum(pool))

    if command.tower is not None:
        may = f"You may name {counted(count)} of {in_words(pool)}"
        detail = f"The storehouse_fire burns bricks, a tower is not named. {may}."
        raise RuleBroken("not_asked", "F32", detail)

    building = built_colours(state.players[seat])
    bricks = complete(command.bricks, count, pool, building, "F32")

    draft.emit(events.BricksDiscarded(seat, bricks))


# ---- events for all: Flood, Tribute, Luxury Tax (F33, F34) ---------------------------------------


FOR_ALL = (Card.FLOOD, Card.TRIBUTE, Card.LUXURY_TAX)
FLOODED_PART = 3
TAX_PER_TOWER = 2


# ---- the dues of each seat -------------------------------------------------------------------


def due_from(state: State, seat: int, card: Card) -> Due:
    """Return the due of a seat for Flood, Tribute or Luxury Tax (F33)."""
    if card is Card.FLOOD:
        return _flood(state, seat)
    if card is Card.TRIBUTE:
        return _tribute(seat, state.players[seat])
    return _luxury_tax(seat, state.players[seat])


def _flood(state: State, seat: int) -> Due:
    """Return a due of a third of the bricks, rounded up, without those of the card (F33)."""
    bricks = sum(free_bricks(state, seat))
    lost_bricks = (bricks + FLOODED_PART - 1) // FLOODED_PART
    return Due(seat, lost_bricks, exact=(), lost=())


def _tribute(seat: int, player: Player) -> Due:
    """Return a due of one brick of its colour for each tower. An unpaid tower is lost (F33)."""
    rest = player.storehouse[:]
    exact: list[Colour] = []
    lost: list[int] = []

    for tower in _tallest_first(player.towers):
        colour = tower.colour
        if rest[colour]:
            rest[colour] -= 1
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
    """Return a due of 2 bricks for each tower of 5 or more levels. An unpaid one is lost (F33)."""
    taxed = _tallest_first(tower for tower in player.towers if tower.height >= TAXED_HEIGHT)
    paid = min(len(taxed), sum(player.storehouse) // TAX_PER_TOWER)
    lost = tuple(tower.id for tower in taxed[paid:])
    return Due(seat, TAX_PER_TOWER * paid, exact=(), lost=lost)


def _tallest_first(towers: Iterable[Tower]) -> list[Tower]:
    """Return towers in order of payment: the tallest first, among equals the older one (F33)."""
    return sorted(towers, key=lambda tower: (-tower.height, tower.id))


# ---- collecting the dues ---------------------------------------------------------------------


def lay_dues(draft: Draft[State], seat: int, card: Card, *, spared: bool) -> None:
    """Lay the dues of all players, in turn order from the taker, and collect them (F33).

    seat: the taker.   spared: True if the taker owes nothing (F31).
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
        draft.emit(events.DuesLaid(card, tuple(dues)))
    _collect(draft)


def discard(draft: Draft[State], command: Discard) -> None:
    """Hand over the bricks that the event takes (F34)."""
    bricks = _payment(draft.state, command.seat, command.bricks)
    draft.emit(events.DuePaid(command.seat, bricks))
    _collect(draft)


def _payment(state: State, seat: int, choice: Bricks | None) -> Bricks:
    """Return the bricks of a seat's due: those named, filled up by F25 (F34). Raises RuleBroken."""
    due = _due_of(state, seat)
    if due.exact:
        pool = [due.exact.count(colour) for colour in COLOURS]
    else:
        pool = free_bricks(state, seat)
    return complete(choice, due.bricks, pool, built_colours(state.players[seat]), "F34")


def _due_of(state: State, seat: int) -> Due:
    """Return the seat's due for the event being settled."""
    return next(due for due in state.dues if due.seat == seat)


def _collect(draft: Draft[State]) -> None:
    """Let F25 pay all dues, or wait for the players by the option `discards` (F34).

    After the last payment tear down the lost towers, and discard the event.
    """
    state = draft.state
    while state.agenda[-1].step is Step.DISCARD:
        if state.ask_discards:
            return
        seat = state.agenda[-1].seat
        draft.emit(events.DuePaid(seat, _payment(state, seat, None)))

    for due in state.dues:
        player = state.players[due.seat]
        for number in due.lost:
            tower = find_tower(player, number)
            assert tower is not None
            tear_down(draft, due.seat, tower)

    assert state.taken is not None
    spend_card(draft, state.active, state.taken)
