"""Event cards: a Patrician against them, and those that touch their taker only (F31, F32, F35)."""

from domain.errors import RuleBroken
from domain.firenze.agenda import Step
from domain.firenze.cards import PATRICIAN, Card
from domain.firenze.commands import AnswerEvent, ResolveEvent
from domain.firenze.dues import FOR_ALL, lay_dues
from domain.firenze.events import (
    BrickRemoved,
    BricksDiscarded,
    CardSpent,
    DeckShuffled,
    EventAnswered,
    PersonnelPlayed,
    PlayerAsked,
    TowerCollapsed,
)
from domain.firenze.payment import complete, counted, in_words
from domain.firenze.row import refill, spend_card
from domain.firenze.state import State, free_bricks
from domain.firenze.towers import built_colours, own_tower, towers_in_words
from domain.game import Draft

FIRE_BRICKS = 3


def answer(draft: Draft[State], command: AnswerEvent) -> None:
    """Spend a Patrician, which cancels the event or spares its owner only, or do not (F31)."""
    state = draft.state
    seat = command.seat
    card = state.taken
    assert card is not None

    if command.patrician:
        draft.emit(PersonnelPlayed(seat, PATRICIAN))
    draft.emit(EventAnswered(seat, command.patrician))

    if not command.patrician:
        strike(draft, seat, card)
    elif state.patrician_spares and card in FOR_ALL:
        lay_dues(draft, seat, card, spared=True)
    else:
        spend_card(draft, seat, card)


def strike(draft: Draft[State], seat: int, card: Card) -> None:
    """Let the event happen, or ask its taker what is lost (F32, F33, F35)."""
    if card in FOR_ALL:
        lay_dues(draft, seat, card, spared=False)
    elif card is Card.RENAISSANCE:
        # The card itself is shuffled into the deck that refills the row (F35).
        draft.emit(CardSpent(seat, card))
        draft.emit(DeckShuffled())
        refill(draft)
    elif can_lose(draft.state, seat, card):
        draft.emit(PlayerAsked(seat, card, Step.RESOLVE))
    else:
        spend_card(draft, seat, card)


def can_lose(state: State, seat: int, card: Card) -> bool:
    """Return whether the taker has what Botch, Collapse or a Storehouse Fire takes (F32)."""
    if card is Card.STOREHOUSE_FIRE:
        return any(free_bricks(state, seat))
    return bool(state.players[seat].towers)


def resolve(draft: Draft[State], command: ResolveEvent) -> None:
    """Take from the taker what they say (F32)."""
    seat = command.seat
    card = draft.state.taken
    assert card is not None

    if card is Card.STOREHOUSE_FIRE:
        _burn(draft, command)
    else:
        _strike_tower(draft, command, card)
    spend_card(draft, seat, card)


def _strike_tower(draft: Draft[State], command: ResolveEvent, card: Card) -> None:
    """Botch takes a brick of an own tower, Collapse all of it (F32)."""
    seat = command.seat
    player = draft.state.players[seat]
    if command.bricks is not None:
        strikes = f"The {card.wire} strikes a tower, bricks are not named"
        detail = f"{strikes}; you have {towers_in_words(player)}."
        raise RuleBroken("not_asked", "F32", detail)

    tower = own_tower(player, command.tower, "F32")
    if card is Card.BOTCH:
        draft.emit(BrickRemoved(seat, tower.id, tower.colour))
    else:
        draft.emit(
            TowerCollapsed(
                seat=seat,
                tower=tower.id,
                colour=tower.colour,
                bricks=tower.height,
            )
        )


def _burn(draft: Draft[State], command: ResolveEvent) -> None:
    """3 bricks, or all, go to the pouch, none of those that came with the card (F32)."""
    state = draft.state
    seat = command.seat
    pool = free_bricks(state, seat)
    count = min(FIRE_BRICKS, sum(pool))

    if command.tower is not None:
        may = f"you may name {counted(count)} of {in_words(pool)}"
        detail = f"The storehouse_fire burns bricks, a tower is not named; {may}."
        raise RuleBroken("not_asked", "F32", detail)

    building = built_colours(state.players[seat])
    bricks = complete(command.bricks, count, pool, building, "F32")
    draft.emit(BricksDiscarded(seat, bricks))
