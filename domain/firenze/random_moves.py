"""A random legal move that leans as a player would: keep towers, finish them, take what can be paid."""

from domain.chance import Chance
from domain.firenze import commands as cmd
from domain.firenze.build import most_laid
from domain.firenze.components import BELL_TOWER, COLOURS, LOWEST, WHITE, Colour, Step
from domain.firenze.moves import TAKE, Move, endings, exchanges, fulfilments, legal_moves, plays
from domain.firenze.personnel import playable
from domain.firenze.play import card_price
from domain.firenze.state import Player, State, Tower, lowest_open, owes_bell_tower
from domain.wire import HOUSE

SOMETIMES = 10
SELDOM = 20
CHEAP_SLOTS = 4


def random_move(state: State, seat: int, chance: Chance) -> Move:
    """Return a random legal move of the seat (or the house), which must be an actor."""
    step = state.agenda[-1].step
    if seat == HOUSE or step not in _TURN:
        moves = legal_moves(state, seat)
        return moves[chance.below(len(moves))]
    if any(state.players[seat].cards) and not chance.below(SOMETIMES):
        played = _play(state, seat, chance)
        if played:
            return played
    return _TURN[step](state, seat, chance)


def _play(state: State, seat: int, chance: Chance) -> Move | None:
    """Any Personnel card of the phase in any way, or None if it would have no effect."""
    cards = playable(state, seat)
    if not cards:
        return None
    card = cards[chance.below(len(cards))]
    ways = list(plays(state, seat, card))
    return cmd.PlayPersonnel(seat, card, **ways[chance.below(len(ways))]) if ways else None


def _take(state: State, seat: int, chance: Chance) -> Move:
    """Any of the slots that cost little, rather one with a brick for the oldest tower."""
    player = state.players[seat]
    slots = min(len(state.row), CHEAP_SLOTS)
    slot = chance.below(slots)
    if player.towers and not state.row[slot].bricks[player.towers[0].colour]:
        slot = chance.below(slots)
    bricks = sum(player.storehouse)
    while card_price(state, slot) > bricks:
        slot -= 1
    return TAKE[seat][slot]


def _build(state: State, seat: int, chance: Chance) -> Move:
    """Raise the standing towers, towards an open commission where the bricks suffice, then begin another."""
    if not chance.below(SELDOM):
        moves = [*exchanges(state, seat), *endings(state, seat)]
        return moves[chance.below(len(moves))]
    player = state.players[seat]
    budget = min(most_laid(state, seat), 2 + chance.below(4))
    left, lay = player.storehouse[:], []
    for tower in player.towers:
        bricks = _step_up(state, seat, tower, min(left[tower.colour], budget))
        if bricks:
            left[tower.colour] -= bricks
            budget -= bricks
            lay.append(cmd.Lay(tower.colour, bricks, tower.id))
    begun = (
        _begin(state, seat, left, budget, chance)
        if budget and (not lay or not chance.below(4))
        else None
    )
    return cmd.Build(seat, (*lay, begun) if begun else tuple(lay))


def _step_up(state: State, seat: int, tower: Tower, most: int) -> int:
    """As much as the next open commission needs, or else one brick."""
    needed = goal(state, seat, tower.colour, tower.height) - tower.height
    return needed if 0 < needed <= most else min(1, most)


def goal(state: State, seat: int, colour: Colour, above: int) -> int:
    """Return the lowest height above this one at which the seat could deliver a tower of the colour, or 0."""
    if colour is WHITE and above < BELL_TOWER and owes_bell_tower(state, seat):
        return BELL_TOWER
    return lowest_open(state, colour, max(above + 1, LOWEST))


def _begin(state: State, seat: int, left: list[int], budget: int, chance: Chance) -> cmd.Lay | None:
    """Begin a tower that leads somewhere: of the colour most at hand, or of any."""
    options = [
        (left[colour] - height, colour, height)
        for colour in COLOURS
        if left[colour] and (height := goal(state, seat, colour, 0))
    ]
    if not options:
        return None
    spare, colour, height = max(options)
    if spare < -2:
        return None
    if not chance.below(SOMETIMES):
        _, colour, height = options[chance.below(len(options))]
    return cmd.Lay(colour, min(left[colour], budget, height))


def _fulfil(state: State, seat: int, chance: Chance) -> Move:
    """Deliver whatever fits, else end the turn."""
    if _raised(state.players[seat]):
        moves = fulfilments(state, seat)
        if moves:
            return moves[chance.below(len(moves))]
    moves = endings(state, seat)
    return moves[chance.below(len(moves))]


def _raised(player: Player) -> bool:
    return any(tower.height > 1 for tower in player.towers)


_TURN = {Step.CHOOSE: _take, Step.BUILD: _build, Step.FULFIL: _fulfil}
