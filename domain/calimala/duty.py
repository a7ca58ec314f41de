"""The duty of a placed disc: it may not serve only to draw cards (C15)."""

from domain.calimala.actions import possible
from domain.calimala.agenda import Activation
from domain.calimala.by_cards import possible_by_cards
from domain.calimala.components import ACTIONS, ENDS
from domain.calimala.state import Player, State, street_actions


def reachable(state: State, player: Player, action: int) -> bool:
    """Whether some sequence of plays from the hand, maybe none, makes the action possible (C15)."""
    if possible(state, player, action):
        return True
    return any(player.hand) and possible_by_cards(state, player, action)


def serves(state: State, player: Player, street: int) -> bool:
    """Whether a disc there can do more than draw cards: one of its actions is reachable (C15)."""
    cells = ENDS[street]
    one = state.grid[cells[0]]
    other = state.grid[cells[1]]
    if possible(state, player, one) or possible(state, player, other):
        return True

    if not any(player.hand):
        return False
    return possible_by_cards(state, player, one) or possible_by_cards(state, player, other)


def placeable(state: State, player: Player) -> list[int]:
    """Return the streets where a disc may be placed (C15).

    These are the streets with a reachable action, or all of them if there are none.
    """
    grid = state.grid
    in_reach: list[bool | None] = [None] * len(ACTIONS)  # by Action; None where nobody has asked
    serving = []
    for street, cells in enumerate(ENDS):
        for cell in cells:
            action = grid[cell]
            known = in_reach[action]
            if known is None:
                known = reachable(state, player, action)
                in_reach[action] = known
            if known:
                serving.append(street)
                break

    return serving or list(range(len(ENDS)))


def forgoable(state: State, activation: Activation, which: int) -> bool:
    """Whether one use of the street's first or second action may be given up (C15).

    It may unless the duty was in reach before and would be out of reach after.
    """
    if not activation.duty or activation.left[which] > 1:
        return True

    player = state.players[activation.seat]
    actions = street_actions(state, activation.street)
    other = 1 - which
    other_left = activation.left[other]
    if other_left and reachable(state, player, actions[other]):
        return True

    # Without the other action, this one may be given up only if it is out of reach as well.
    return not reachable(state, player, actions[which])
