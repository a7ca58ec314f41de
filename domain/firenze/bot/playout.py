"""A random legal move with the leanings of a player.

It keeps towers, finishes them, and takes cards that can be paid. Every draw counts, in its order:
the same seed gives the same moves for ever.
"""

from collections.abc import Callable

from domain.chance import Chance
from domain.firenze.agenda import Step
from domain.firenze.build import most_laid
from domain.firenze.choose import card_price
from domain.firenze.commands import Build, Command, Lay, PlayPersonnel
from domain.firenze.components import BELL_TOWER_HEIGHT, COLOURS, LOWEST, WHITE, Colour
from domain.firenze.fulfil import lowest_open, owes_bell_tower
from domain.firenze.moves import (
    TAKES,
    choices_of_fields,
    endings,
    exchanges,
    fulfilments,
    legal_moves,
)
from domain.firenze.personnel import playable
from domain.firenze.state import State, Tower
from domain.kit import one_of
from domain.seats import HOUSE

# One time in so many: a card of the hand is played, or a tower of any colour is begun.
SOMETIMES = 10
# One time in so many: bricks are exchanged, or the turn is ended without building.
SELDOM = 20
# One time in so many: another tower is begun after one was raised.
OFTEN = 4

CHEAP_SLOTS = 4  # only the leftmost slots are taken
LEAST_BUDGET = 2  # bricks laid a turn, if there are as many
MORE_BUDGET = 4  # a draw below this is added
MOST_SHORT = 2  # bricks that may be missing for a tower to be begun


def random_move(state: State, seat: int, chance: Chance) -> Command:
    """Return a random legal move of an actor, a seat or the house."""
    step = state.agenda[-1].step
    choose = _MOVES.get(step)
    if choose is None or seat == HOUSE:
        return one_of(chance, legal_moves(state, seat))

    # A seat without cards makes no draw for them.
    cards = state.players[seat].cards
    if any(cards) and not chance.below(SOMETIMES):
        played = _play_personnel(state, seat, chance)
        if played is not None:
            return played
    return choose(state, seat, chance)


def _play_personnel(state: State, seat: int, chance: Chance) -> Command | None:
    """Play any Personnel card of the step in any way. None if it would have no effect."""
    cards = playable(state, seat)
    if not cards:
        return None

    card = one_of(chance, cards)
    choices = list(choices_of_fields(state, seat, card))
    if not choices:
        return None
    return PlayPersonnel(seat, card, **one_of(chance, choices))


def _take_card(state: State, seat: int, chance: Chance) -> Command:
    """Take any card that costs little, rather one with a brick for the oldest tower."""
    player = state.players[seat]
    slots = min(len(state.row), CHEAP_SLOTS)
    slot = chance.below(slots)
    if player.towers:
        colour = player.towers[0].colour
        if not state.row[slot].bricks[colour]:
            slot = chance.below(slots)

    owned = sum(player.storehouse)
    while card_price(state, slot) > owned:
        slot -= 1
    return TAKES[seat][slot]


def _build(state: State, seat: int, chance: Chance) -> Command:
    """Raise the standing towers, then perhaps begin another.

    They are raised to an open commission if the bricks suffice.
    """
    if not chance.below(SELDOM):
        return _exchange_or_end(state, seat, chance)

    wished = LEAST_BUDGET + chance.below(MORE_BUDGET)
    budget = min(most_laid(state, seat), wished)
    store = state.players[seat].storehouse[:]
    entries = _raise_towers(state, seat, store, budget)

    budget -= sum([lay.bricks for lay in entries])
    if budget and (not entries or not chance.below(OFTEN)):
        new_tower = _begin_tower(state, seat, store, budget, chance)
        if new_tower is not None:
            entries.append(new_tower)
    return Build(seat, tuple(entries))


def _exchange_or_end(state: State, seat: int, chance: Chance) -> Command:
    choices: list[Command] = []
    choices += exchanges(state, seat)
    choices += endings(state, seat)
    return one_of(chance, choices)


def _raise_towers(state: State, seat: int, store: list[int], budget: int) -> list[Lay]:
    """Raise the standing towers, the oldest first, with at most `budget` bricks.

    store: the bricks left by colour. Laid ones are taken off.
    """
    entries = []
    for tower in state.players[seat].towers:
        colour = tower.colour
        most = min(store[colour], budget)
        bricks = _bricks_to_raise(state, seat, tower, most)
        if bricks:
            store[colour] -= bricks
            budget -= bricks
            entries.append(Lay(colour, bricks, tower.id))
    return entries


def _bricks_to_raise(state: State, seat: int, tower: Tower, most: int) -> int:
    """Return the bricks needed to reach the next goal, or else one if there is any.

    most: limit of bricks. A goal that needs more is out of reach.
    """
    needed = _goal(state, seat, tower.colour, tower.height) - tower.height
    return needed if 0 < needed <= most else min(1, most)


def _goal(state: State, seat: int, colour: Colour, above: int) -> int:
    """Return the lowest height over `above` for a delivery by the seat, or 0."""
    if colour is WHITE and above < BELL_TOWER_HEIGHT and owes_bell_tower(state, seat):
        return BELL_TOWER_HEIGHT
    return lowest_open(state, colour, max(above + 1, LOWEST))


def _begin_tower(
    state: State, seat: int, store: list[int], budget: int, chance: Chance
) -> Lay | None:
    """Begin a tower with a goal: of the colour most at hand, or sometimes of any.

    store: the bricks left by colour. budget: the most bricks to lay.
    """
    options = []
    for colour in COLOURS:
        owned = store[colour]
        if not owned:
            continue
        height = _goal(state, seat, colour, 0)
        if height:
            options.append((owned - height, colour, height))
    if not options:
        return None

    spare, colour, height = max(options)
    if spare < -MOST_SHORT:
        return None
    if not chance.below(SOMETIMES):
        _, colour, height = one_of(chance, options)
    return Lay(colour, min(store[colour], budget, height))


def _fulfil(state: State, seat: int, chance: Chance) -> Command:
    """Deliver any tower that fits, else end the turn."""
    # Even with an Architect no tower of one level reaches a commission.
    heights = [tower.height for tower in state.players[seat].towers]
    if heights and max(heights) > 1:
        fitting = fulfilments(state, seat)
        if fitting:
            return one_of(chance, fitting)
    return one_of(chance, endings(state, seat))


_MOVES: dict[Step, Callable[[State, int, Chance], Command]] = {
    Step.CHOOSE: _take_card,
    Step.BUILD: _build,
    Step.FULFIL: _fulfil,
}
