"""What the taken card does: events, Monument and all others (F15, F31-F36)."""

from collections.abc import Iterable

from domain.errors import RuleBroken
from domain.firenze import commands as cmd
from domain.firenze import events as ev
from domain.firenze.build import standing, tear_down, towers_in_words
from domain.firenze.components import (
    BUILDING,
    CHURCH,
    EVENT,
    KINDS,
    MONUMENT,
    PATRICIAN,
    TAXED_HEIGHT,
    Bricks,
    Card,
    Colour,
    Step,
)
from domain.firenze.payment import complete, counted, in_words
from domain.firenze.state import (
    Due,
    Player,
    State,
    Tower,
    built_colours,
    due_of,
    find_tower,
    free_bricks,
)
from domain.firenze.table import refill
from domain.game import Draft

FIRE_BRICKS = 3
TAX = 2
FOR_ALL = (Card.FLOOD, Card.TRIBUTE, Card.LUXURY_TAX)


def take_effect(draft: Draft[State], seat: int, card: Card) -> None:
    """Let the taken card take effect; the row is refilled unless an event waits for an answer (F15, F16)."""
    kind = KINDS[card]
    player = draft.state.players[seat]
    if kind is EVENT:
        if player.cards[PATRICIAN] and PATRICIAN not in draft.state.played:
            draft.emit(ev.PlayerAsked(seat, card, Step.ANSWER))
        else:
            _strike(draft, seat, card)
        return
    if kind is CHURCH:
        draft.emit(ev.ChurchOpened(seat, card))
    elif card is MONUMENT:
        _honour_tallest(draft, seat)
    elif kind is BUILDING and player.cards[card]:
        draft.emit(ev.CardSpent(seat, card))
    else:
        draft.emit(ev.CardKept(seat, card))
    refill(draft)


def _honour_tallest(draft: Draft[State], seat: int) -> None:
    """The player with the tallest tower gets the Monument; a tie, also of none, discards it (F36)."""
    heights = [
        max([tower.height for tower in player.towers], default=0) for player in draft.state.players
    ]
    tallest = max(heights)
    if heights.count(tallest) == 1:
        draft.emit(ev.CardKept(heights.index(tallest), MONUMENT))
    else:
        draft.emit(ev.CardSpent(seat, MONUMENT))


def answer(draft: Draft[State], command: cmd.AnswerEvent) -> None:
    """A Patrician cancels the event, or spares its owner only (F31)."""
    state, seat, card = draft.state, command.seat, draft.state.taken
    assert card is not None
    if command.patrician:
        draft.emit(ev.PersonnelPlayed(seat, PATRICIAN))
    draft.emit(ev.EventAnswered(seat, command.patrician))
    if not command.patrician:
        _strike(draft, seat, card)
    elif state.patrician_spares and card in FOR_ALL:
        _lay_dues(draft, seat, card, spared=True)
    else:
        _finish(draft, seat, card)


def _strike(draft: Draft[State], seat: int, card: Card) -> None:
    """Let the event happen (F32, F33, F35)."""
    state = draft.state
    if card in FOR_ALL:
        _lay_dues(draft, seat, card, spared=False)
    elif card is Card.RENAISSANCE:
        draft.emit(ev.CardSpent(seat, card))
        draft.emit(ev.DeckShuffled())
        refill(draft)
    elif (
        any(free_bricks(state, seat))
        if card is Card.STOREHOUSE_FIRE
        else state.players[seat].towers
    ):
        draft.emit(ev.PlayerAsked(seat, card, Step.RESOLVE))
    else:
        _finish(draft, seat, card)


def _finish(draft: Draft[State], seat: int, card: Card) -> None:
    draft.emit(ev.CardSpent(seat, card))
    refill(draft)


# ---- events that touch their taker only (F32) ------------------------------------------------------------------------


def resolve(draft: Draft[State], command: cmd.ResolveEvent) -> None:
    """The taker says what is lost (F32)."""
    seat, card = command.seat, draft.state.taken
    assert card is not None
    if card is Card.STOREHOUSE_FIRE:
        _burn(draft, command)
    elif command.bricks is not None:
        own = towers_in_words(draft.state.players[seat])
        raise RuleBroken(
            "not_asked",
            "F32",
            f"The {card.wire} strikes a tower, bricks are not named; you have {own}.",
        )
    else:
        tower = standing(draft.state.players[seat], command.tower, "F32")
        if card is Card.BOTCH:
            draft.emit(ev.BrickRemoved(seat, tower.id, tower.colour))
        else:
            draft.emit(ev.TowerCollapsed(seat, tower.id, tower.colour, tower.height))
    _finish(draft, seat, card)


def _burn(draft: Draft[State], command: cmd.ResolveEvent) -> None:
    """3 bricks, or all, go to the pouch, none of those that came with the card (F32)."""
    state, seat = draft.state, command.seat
    pool = free_bricks(state, seat)
    count = min(FIRE_BRICKS, sum(pool))
    if command.tower is not None:
        may = f"you may name {counted(count)} of {in_words(pool)}"
        raise RuleBroken(
            "not_asked", "F32", f"The storehouse_fire burns bricks, a tower is not named; {may}."
        )
    bricks = complete(command.bricks, count, pool, built_colours(state.players[seat]), "F32")
    draft.emit(ev.BricksDiscarded(seat, bricks))


# ---- events for all (F33, F34) ---------------------------------------------------------------------------------------


def _lay_dues(draft: Draft[State], seat: int, card: Card, *, spared: bool) -> None:
    """Work out what each player owes, in turn order from the taker, and collect it (F33)."""
    state = draft.state
    count = len(state.players)
    order = [(seat + step) % count for step in range(int(spared), count)]
    dues = tuple(
        due for due in (due_from(state, other, card) for other in order) if due.bricks or due.lost
    )
    if dues:
        draft.emit(ev.DuesLaid(card, dues))
    _collect(draft)


def due_from(state: State, seat: int, card: Card) -> Due:
    """Return what Flood, Tribute or Luxury Tax takes from a seat (F33)."""
    if card is Card.FLOOD:
        return Due(seat, -(-sum(free_bricks(state, seat)) // 3), (), ())
    return (_tribute if card is Card.TRIBUTE else _luxury_tax)(seat, state.players[seat])


def _tallest_first(towers: Iterable[Tower]) -> list[Tower]:
    """The tallest are paid for first, among equal heights the older one (F33)."""
    return sorted(towers, key=lambda tower: (-tower.height, tower.id))


def _tribute(seat: int, player: Player) -> Due:
    """One brick of its colour for each tower, else it is lost (F33)."""
    left, exact, lost = player.storehouse[:], list[Colour](), []
    for tower in _tallest_first(player.towers):
        if left[tower.colour]:
            left[tower.colour] -= 1
            exact.append(tower.colour)
        else:
            lost.append(tower.id)
    return Due(seat, len(exact), tuple(sorted(exact)), tuple(lost))


def _luxury_tax(seat: int, player: Player) -> Due:
    """2 bricks for each tower of 5 or more levels, else it is lost (F33)."""
    high = _tallest_first(tower for tower in player.towers if tower.height >= TAXED_HEIGHT)
    paid = min(len(high), sum(player.storehouse) // TAX)
    return Due(seat, TAX * paid, (), tuple(tower.id for tower in high[paid:]))


def discard(draft: Draft[State], command: cmd.Discard) -> None:
    """A player hands over what the event takes (F34)."""
    draft.emit(ev.DuePaid(command.seat, _payment(draft.state, command.seat, command.bricks)))
    _collect(draft)


def _payment(state: State, seat: int, named: Bricks | None) -> Bricks:
    due = due_of(state, seat)
    pool: list[int] = free_bricks(state, seat)
    if due.exact:
        pool = [due.exact.count(colour) for colour in Colour]
    return complete(named, due.bricks, pool, built_colours(state.players[seat]), "F34")


def _collect(draft: Draft[State]) -> None:
    """Settle by F25 or wait for the players; tear-downs come after the last payment of all (F34)."""
    state = draft.state
    while state.agenda[-1].step is Step.DISCARD:
        if state.ask_discards:
            return
        seat = state.agenda[-1].seat
        draft.emit(ev.DuePaid(seat, _payment(state, seat, None)))
    for due in state.dues:
        for number in due.lost:
            tower = find_tower(state.players[due.seat], number)
            assert tower is not None
            tear_down(draft, due.seat, tower)
    assert state.taken is not None
    _finish(draft, state.active, state.taken)
