"""The best building of a turn, by what it leaves behind (F19, F20)."""

from collections.abc import Sequence
from typing import NamedTuple

from domain.firenze.bot.valuation import Outlook
from domain.firenze.build import NEEDED, discount
from domain.firenze.components import COLOURS, MOST_LAID
from domain.firenze.state import State, Tower

NEW = -1  # in place of the number of a tower that is still to be begun

# So many bricks laid onto a tower: its number or NEW, its colour, the bricks. A plain tuple, since
# the search makes thousands of them a move.
Piece = tuple[int, int, int]

# By bricks laid: the best value so far and its pieces, or None where so many cannot be laid.
Plans = list[tuple[float, list[Piece]] | None]


class Site(NamedTuple):
    """Where bricks may be laid: on a standing tower, or on a new one of height 0."""

    number: int
    colour: int
    height: int
    most: int


def plan(
    outlook: Outlook, towers: Sequence[Tower], storehouse: Sequence[int], saved: int
) -> tuple[float, list[Piece]]:
    """Return the value of all that the best building of a turn leaves behind, and its pieces.

    A knapsack over the sites: what so many bricks on each add, at most six in all.
    saved: the discount on the price (F19).
    """
    bricks = sum(storehouse)
    plans = best_plans(outlook, towers, storehouse)
    brick = outlook.weights.brick
    value, pieces = _best_payable(plans, NEEDED[saved], bricks, brick)
    return value + brick * bricks, pieces


def best_plans(outlook: Outlook, towers: Sequence[Tower], storehouse: Sequence[int]) -> Plans:
    """Return the best plan for every number of bricks laid, none to six, paid for or not."""
    plans: Plans = [(0.0, []), *[None] * MOST_LAID]
    for site in _sites(towers, storehouse):
        gains = _gains(outlook, site, storehouse[site.colour])
        plans = _extend(plans, site, gains)
    return plans


def _best_payable(
    plans: Plans, prices: Sequence[int], bricks: int, brick: float
) -> tuple[float, list[Piece]]:
    """Return the value and the pieces of the best plan that can be paid for.

    The bricks that it takes are counted off the value.
    prices: in bricks, by bricks laid, these included. brick: what one is worth.
    """
    best_value = float("-inf")
    best_pieces: list[Piece] = []
    for found, needed in zip(plans, prices, strict=True):
        if found is None or needed > bricks:
            continue

        value = found[0] - brick * needed
        if value > best_value:
            best_value = value
            best_pieces = found[1]
    return best_value, best_pieces


def turn_value(
    state: State, outlook: Outlook, storehouse: Sequence[int], extra_discount: int = 0
) -> float:
    """Return what the best building of this turn leaves behind, out of such a storehouse."""
    saved = discount(state, outlook.seat) + extra_discount
    value, _ = plan(outlook, state.players[outlook.seat].towers, storehouse, saved)
    return value


def _sites(towers: Sequence[Tower], storehouse: Sequence[int]) -> list[Site]:
    """Return each tower, and a new one for each colour of which none stands."""
    built = [tower.colour for tower in towers]
    sites: list[Site] = []

    for tower in towers:
        colour = tower.colour
        # Each other tower of the colour keeps a brick for itself.
        others = built.count(colour) - 1
        spare = max(0, storehouse[colour] - others)
        most = min(MOST_LAID, spare)
        sites.append(Site(tower.id, colour, tower.height, most))

    for colour in COLOURS:
        supply = storehouse[colour]
        if not supply or colour in built:
            continue

        most = min(MOST_LAID, supply)
        sites.append(Site(NEW, colour, 0, most))
    return sites


def _gains(outlook: Outlook, site: Site, supply: int) -> list[float]:
    """Return by bricks laid, from 0, what the site is worth then.

    With none a tower is torn down, half its bricks are kept (F20), and the colour starts anew.
    """
    key = (site.colour, site.height, site.most, supply)
    known = outlook.known_gains.get(key)
    if known is not None:
        return known

    kept = site.height // 2
    left_alone = outlook.hoard(site.colour, supply) + outlook.weights.brick * kept
    raised = [
        outlook.tower(site.colour, site.height + laid, supply - laid)
        for laid in range(1, site.most + 1)
    ]
    gains = [left_alone, *raised]
    outlook.known_gains[key] = gains
    return gains


def _extend(plans: Plans, site: Site, gains: list[float]) -> Plans:
    """Return the best plans with this site as well.

    This is the innermost loop of the greedy bot: it reads plain tuples, and copies pieces only for
    what is better.
    """
    extended: Plans = [None] * len(plans)
    for already, found in enumerate(plans):
        if found is None:
            continue
        value, pieces = found
        room = len(plans) - already

        for laid, gain in enumerate(gains[:room]):
            total = already + laid
            other = extended[total]
            if other is not None and value + gain <= other[0]:
                continue

            more = pieces
            if laid:
                more = [*pieces, (site.number, site.colour, laid)]
            extended[total] = (value + gain, more)
    return extended
