"""The greedy bot: it weighs a choice by what the best building of the turn would leave behind."""

from collections.abc import Callable

from domain.chance import Chance
from domain.firenze.agenda import Step
from domain.firenze.bot.card_values import card_value, harm
from domain.firenze.bot.finishing import fulfil
from domain.firenze.bot.planning import NEW, Piece, best_plans, plan, turn_value
from domain.firenze.bot.swaps import best_swap
from domain.firenze.bot.valuation import Outlook, look
from domain.firenze.bot.weights import BY_HAND, Weights
from domain.firenze.build import MASON_DISCOUNT, discount, most_laid
from domain.firenze.cards import Card
from domain.firenze.commands import (
    AnswerEvent,
    Build,
    Discard,
    Lay,
    PlayPersonnel,
    ResolveEvent,
    TakeCard,
)
from domain.firenze.components import COLOURS, add_bricks
from domain.firenze.moves import Move, legal_moves
from domain.firenze.payment import automatic
from domain.firenze.personnel import may_play
from domain.firenze.state import State, Tower
from domain.firenze.towers import built_colours
from domain.seats import HOUSE


def advise(state: State, seat: int, _chance: Chance, weights: Weights = BY_HAND) -> Move:
    """Return the greedy move of a seat (or the house), which must be an actor.

    weights: by which it weighs.
    """
    if seat == HOUSE:
        return legal_moves(state, seat)[0]
    return _ADVICE[state.agenda[-1].step](state, seat, weights)


# ---- choose ----------------------------------------------------------------------------------


def _choose(state: State, seat: int, weights: Weights) -> Move:
    """Throw away a bad card, then take the best one, for free where that helps."""
    discarding = _discard_bad_celebration(state, seat)
    if discarding is not None:
        return discarding

    outlook = look(state, seat, weights)
    free_already = Card.PRINCESS in state.played
    paid, slot = _best_slot(state, outlook, free=free_already)

    if may_play(state, seat, Card.PRINCESS):
        unpaid, _ = _best_slot(state, outlook, free=True)
        if unpaid - paid > weights.gains.princess:
            return PlayPersonnel(seat, Card.PRINCESS)
    return TakeCard(seat, slot)


def _discard_bad_celebration(state: State, seat: int) -> Move | None:
    """Get rid of the worst Celebration by a Patrician (F31)."""
    if not may_play(state, seat, Card.PATRICIAN):
        return None
    for bad in (Card.SCANDAL, Card.DISGRACE):
        if state.players[seat].cards[bad]:
            return PlayPersonnel(seat, Card.PATRICIAN, discard=bad)
    return None


def _best_slot(state: State, outlook: Outlook, *, free: bool) -> tuple[float, int]:
    """Return the value of the best card to take, and its slot (F14).

    Its bricks and its price count by the building that they allow.
    """
    best_value = float("-inf")
    best_slot = 0
    owned = sum(state.players[outlook.seat].storehouse)

    for slot, offer in enumerate(state.row):
        price = 0 if free else slot
        if price > owned:
            break
        storehouse = _after_taking(state, outlook.seat, slot, price)
        value = turn_value(state, outlook, storehouse)
        value += card_value(state, outlook.seat, offer.card, outlook.weights)
        if value > best_value:
            best_value = value
            best_slot = slot
    return best_value, best_slot


def _after_taking(state: State, seat: int, slot: int, price: int) -> list[int]:
    """Return the seat's storehouse after a card is paid for and its bricks are taken."""
    player = state.players[seat]
    storehouse = add_bricks(player.storehouse, state.row[slot].bricks)
    for colour in automatic(price, player.storehouse, built_colours(player)):
        storehouse[colour] -= 1
    return storehouse


# ---- build -----------------------------------------------------------------------------------


def _build(state: State, seat: int, weights: Weights) -> Move:
    """Play a Mason or swap bricks where that helps, then build what the plan says."""
    player = state.players[seat]
    outlook = look(state, seat, weights)
    saved = discount(state, seat)
    value, pieces = plan(outlook, player.towers, player.storehouse, saved)

    if _mason_helps(state, outlook, value):
        return PlayPersonnel(seat, Card.MASON)

    swap = best_swap(state, outlook, value)
    if swap is not None:
        return swap
    return Build(seat, _lay(pieces, player.storehouse[:]))


def plans_by_bricks(state: State, seat: int, weights: Weights) -> list[Build]:
    """Return the best build for every number of bricks that can be laid and paid for (F19)."""
    player = state.players[seat]
    plans = best_plans(look(state, seat, weights), player.towers, player.storehouse)
    payable = plans[: most_laid(state, seat) + 1]

    builds = []
    for found in payable:
        if found is not None:
            _value, pieces = found
            builds.append(Build(seat, _lay(pieces, player.storehouse[:])))
    return builds


def _mason_helps(state: State, outlook: Outlook, value: float) -> bool:
    """Return whether a Mason may be played and is worth it (F29).

    value: what the turn is worth without one.
    """
    if not may_play(state, outlook.seat, Card.MASON):
        return False
    storehouse = state.players[outlook.seat].storehouse
    cheaper = turn_value(state, outlook, storehouse, MASON_DISCOUNT)
    return cheaper - value > outlook.weights.gains.mason


def _lay(pieces: list[Piece], left: list[int]) -> tuple[Lay, ...]:
    """Return the entries of a build for the pieces of a plan, as far as the bricks in store go."""
    entries = []
    for number, colour, bricks in pieces:
        laid = min(bricks, left[colour])
        left[colour] -= laid
        if laid:
            tower = None if number == NEW else number
            entries.append(Lay(COLOURS[colour], laid, tower))
    return tuple(entries)


# ---- events ----------------------------------------------------------------------------------


def _answer(state: State, seat: int, weights: Weights) -> Move:
    """Spend the Patrician on what hurts (F31)."""
    assert state.taken is not None
    feared = harm(state, seat, state.taken, weights)
    return AnswerEvent(seat, feared > weights.gains.patrician)


def _resolve(state: State, seat: int, weights: Weights) -> Move:
    """Lose the tower that promises least (F32)."""
    if state.taken is Card.STOREHOUSE_FIRE:
        return ResolveEvent(seat)

    outlook = look(state, seat, weights)
    player = state.players[seat]

    def promise(tower: Tower) -> float:
        supply = player.storehouse[tower.colour]
        return outlook.tower(tower.colour, tower.height, supply)

    least = min(player.towers, key=promise)
    return ResolveEvent(seat, tower=least.id)


def _discard(_state: State, seat: int, _weights: Weights) -> Move:
    """Let F25 choose the bricks (F34)."""
    return Discard(seat)


_ADVICE: dict[Step, Callable[[State, int, Weights], Move]] = {
    Step.CHOOSE: _choose,
    Step.BUILD: _build,
    Step.FULFIL: fulfil,
    Step.ANSWER: _answer,
    Step.RESOLVE: _resolve,
    Step.DISCARD: _discard,
}
