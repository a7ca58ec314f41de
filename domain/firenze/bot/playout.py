"""A random legal move, weighted towards sensible ones.

Such moves raise towers, finish them, and take cheap cards. The same seed gives the same moves, as
long as nobody changes the draws or their order.
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

# Once in 10 times: a Personnel card is played, or a tower of any colour is begun.
SOMETIMES = 10
# Once in 20 times: bricks are exchanged, or the turn is ended without building.
SELDOM = 20
# Once in 4 times: another tower is begun after one was raised.
OFTEN = 4

CHEAP_SLOTS = 4  # cards are taken only from so many leftmost slots
LEAST_BUDGET = 2  # least limit of bricks laid in a turn
MORE_BUDGET = 4  # a random number below this is added to the limit
MOST_SHORT = 2  # bricks that may be missing for the goal of a new tower


def random_move(state: State, seat: int, chance: Chance) -> Command:
    """Return a random legal move of an actor, a seat or the house."""
    step = state.agenda[-1].step
    choose = _MOVES.get(step)
    if choose is None or seat == HOUSE:
        return one_of(chance, legal_moves(state, seat))

    # Draw only for a seat with cards.
    cards = state.players[seat].cards
    if any(cards) and not chance.below(SOMETIMES):
        played = _play_personnel(state, seat, chance)
        if played is not None:
            return played
    return choose(state, seat, chance)


def _play_personnel(state: State, seat: int, chance: Chance) -> Command | None:
    """Play a random Personnel card in a random way. None: none is playable, or it has no effect."""
    cards = playable(state, seat)
    if not cards:
        return None

    card = one_of(chance, cards)
    choices = list(choices_of_fields(state, seat, card))
    if not choices:
        return None
    return PlayPersonnel(seat, card, **one_of(chance, choices))


def _take_card(state: State, seat: int, chance: Chance) -> Command:
    """Take a random cheap card, preferably one with a brick for the oldest tower."""
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
    """Raise the standing towers, to open commissions if possible. Then perhaps begin another."""
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
    """Return the number of bricks to the next goal. If that is above `most`, return 1 at most.

    most: the number of bricks that may be laid onto this tower.
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
    """Begin a tower of the colour with the most bricks beyond its goal, or sometimes of any.

    store: the bricks left by colour. budget: the most bricks to lay. None: no goal is near enough.
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
    # A tower of one level reaches no commission, even with an Architect.
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
