"""Bricks drawn out of the pouch (F13, F16, F29)."""

from domain.chance import Chance
from domain.firenze.components import COLOURS, Bricks, Colour


def draw_bricks(pouch: list[int], count: int, chance: Chance) -> Bricks:
    """Return bricks drawn out of this pouch, which changes; a short one gives what it has (F16).

    The colour is looked for in place, without a call a brick: every turn draws four bricks.
    """
    drawn: list[Colour] = []
    left = sum(pouch)

    for _ in range(min(count, left)):
        number = chance.below(left)
        left -= 1
        for index, count_left in enumerate(pouch):
            if number < count_left:
                pouch[index] -= 1
                drawn.append(COLOURS[index])
                break
            number -= count_left
    return tuple(drawn)
