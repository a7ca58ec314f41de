"""A random legal move that leans as a player would.

It keeps towers, finishes them, and takes what can be paid. Every draw counts, in its order: the
same seed gives the same moves for ever.
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
MORE_BUDGET = 4  # a draw below this says how many more
MOST_SHORT = 2  # bricks that may be missing for a tower to be begun


def random_move(state: State, seat: int, chance: Chance) -> Command:
    """Return a random legal move of the seat (or the house), which must be an actor."""
    step = state.agenda[-1].step
    choose = _MOVES.get(step)
    if choose is None or seat == HOUSE:
        return one_of(chance, legal_moves(state, seat))

    # Who holds no card draws nothing for it.
    cards = state.players[seat].cards
    if any(cards) and not chance.below(SOMETIMES):
        played = _play_personnel(state, seat, chance)
        if played is not None:
            return played
    return choose(state, seat, chance)


def _play_personnel(state: State, seat: int, chance: Chance) -> Command | None:
    """Play any Personnel card of the step in any way; None if it would have no effect."""
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
        wanted = player.towers[0].colour
        if not state.row[slot].bricks[wanted]:
            slot = chance.below(slots)

    owned = sum(player.storehouse)
    while card_price(state, slot) > owned:
        slot -= 1
    return TAKES[seat][slot]


def _build(state: State, seat: int, chance: Chance) -> Command:
    """Raise the standing towers, then perhaps begin another.

    They are raised to an open commission where the bricks suffice.
    """
    if not chance.below(SELDOM):
        return _exchange_or_end(state, seat, chance)

    wished = LEAST_BUDGET + chance.below(MORE_BUDGET)
    budget = min(most_laid(state, seat), wished)
    left = state.players[seat].storehouse[:]
    entries = _raise_towers(state, seat, left, budget)

    budget -= sum([lay.bricks for lay in entries])
    if budget and (not entries or not chance.below(OFTEN)):
        begun = _begin_tower(state, seat, left, budget, chance)
        if begun is not None:
            entries.append(begun)
    return Build(seat, tuple(entries))


def _exchange_or_end(state: State, seat: int, chance: Chance) -> Command:
    choices: list[Command] = []
    choices += exchanges(state, seat)
    choices += endings(state, seat)
    return one_of(chance, choices)


def _raise_towers(state: State, seat: int, left: list[int], budget: int) -> list[Lay]:
    """Raise the standing towers, the oldest first, with at most so many bricks.

    left: the bricks in store by colour, from which those laid are taken.
    """
    entries = []
    for tower in state.players[seat].towers:
        colour = tower.colour
        most = min(left[colour], budget)
        bricks = _bricks_to_raise(state, seat, tower, most)
        if bricks:
            left[colour] -= bricks
            budget -= bricks
            entries.append(Lay(colour, bricks, tower.id))
    return entries


def _bricks_to_raise(state: State, seat: int, tower: Tower, most: int) -> int:
    """Return the bricks that the next open commission needs, or else one if there is any."""
    needed = _goal(state, seat, tower.colour, tower.height) - tower.height
    return needed if 0 < needed <= most else min(1, most)


def _goal(state: State, seat: int, colour: Colour, above: int) -> int:
    """Return the lowest height above this one at which the seat could deliver the tower, or 0."""
    if colour is WHITE and above < BELL_TOWER_HEIGHT and owes_bell_tower(state, seat):
        return BELL_TOWER_HEIGHT
    return lowest_open(state, colour, max(above + 1, LOWEST))


def _begin_tower(
    state: State, seat: int, left: list[int], budget: int, chance: Chance
) -> Lay | None:
    """Begin a tower that leads somewhere: of the colour most at hand, or sometimes of any.

    left: the bricks in store by colour. budget: how many may be laid.
    """
    options = []
    for colour in COLOURS:
        owned = left[colour]
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
    return Lay(colour, min(left[colour], budget, height))


def _fulfil(state: State, seat: int, chance: Chance) -> Command:
    """Deliver whatever fits, else end the turn."""
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
