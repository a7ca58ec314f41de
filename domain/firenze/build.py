"""Building and its cost, the automatic choice of bricks, and tear-downs (F19, F20, F25)."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from operator import mul

from domain.errors import RuleBroken
from domain.firenze.commands import Build, Lay
from domain.firenze.components import (
    BUILDING_COSTS,
    COLOURS,
    MASON,
    MOST_LAID,
    WORKSHOP,
    Bricks,
    Colour,
)
from domain.firenze.events import Built, Laid, TowerTornDown
from domain.firenze.state import Player, State, Tower, find_tower
from domain.game import Draft

WORKSHOP_DISCOUNT = 1
MASON_DISCOUNT = 3


def discount(state: State, seat: int) -> int:
    """Return the seat's discount in bricks: Workshop 1, Mason 3, both 4 (F19)."""
    saved = 0
    if state.players[seat].cards[WORKSHOP]:
        saved += WORKSHOP_DISCOUNT
    if MASON in state.played:
        saved += MASON_DISCOUNT
    return saved


def cost(laid: int, saved: int) -> int:
    """Return the price of laying `laid` bricks, in bricks. saved: the discount (F19)."""
    return max(0, BUILDING_COSTS[laid] - saved)


def _bricks_needed(saved: int) -> list[int]:
    return [laid + cost(laid, saved) for laid in range(MOST_LAID + 1)]


# By discount: the number of bricks needed to lay 0, 1, ... 6 bricks and to pay for laying them.
NEEDED = [_bricks_needed(saved) for saved in range(WORKSHOP_DISCOUNT + MASON_DISCOUNT + 1)]


def most_laid(state: State, seat: int) -> int:
    """Return the largest number of bricks that the seat can lay and still pay for (F19)."""
    needed = NEEDED[discount(state, seat)]
    return bisect_right(needed, sum(state.players[seat].storehouse)) - 1


def build(draft: Draft[State], command: Build) -> None:
    """Lay the bricks, pay, and tear down the idle towers (F19, F20)."""
    state = draft.state
    seat = command.seat
    player = state.players[seat]

    total = sum([lay.bricks for lay in command.lay])
    if total > MOST_LAID:
        detail = f"You lay {total} bricks. You may lay at most {MOST_LAID} a turn."
        raise RuleBroken("too_many_bricks", "F19", detail)

    laid = _numbered(player, command.lay)
    rest = _left_after(player, laid)
    price = cost(total, discount(state, seat))
    if price > sum(rest):
        raise _cannot_pay(state, seat, total, rest)

    payment: Bricks = ()
    if price or command.payment:
        # A tower begun by this build counts as being built (F25).
        new_colours = [piece.colour for piece in laid]
        building = built_colours(player).union(new_colours)
        payment = complete(command.payment, price, rest, building, "F19")
    finish_building(draft, seat, laid, payment)


def finish_building(
    draft: Draft[State], seat: int, laid: tuple[Laid, ...] = (), payment: Bricks = ()
) -> None:
    """End the building of this turn, and tear down the idle towers (F20)."""
    draft.emit(Built(seat, laid, payment))
    tear_down_idle(draft, seat)


def _numbered(player: Player, lay: tuple[Lay, ...]) -> tuple[Laid, ...]:
    """Return the entries of a build, with numbers for new towers. Raises RuleBroken."""
    laid = []
    next_number = player.next_tower

    for piece in lay:
        if piece.bricks < 1:
            may = (
                f"Every entry of a build lays 1 to {MOST_LAID} bricks. Leave out an entry of none."
            )
            raise RuleBroken("too_few_bricks", "F19", may)

        number = piece.tower
        if number is None:
            number = next_number
            next_number += 1
        else:
            _check_colour(player, piece, number)
        laid.append(Laid(number, piece.colour, piece.bricks))
    return tuple(laid)


def _check_colour(player: Player, piece: Lay, number: int) -> None:
    tower = own_tower(player, number, "F19")
    if tower.colour is piece.colour:
        return
    may = f"Lay {tower.colour.wire} onto it, or begin a new tower by leaving the number out"
    detail = f"Tower {number} is not {piece.colour.wire}. {may}."
    raise RuleBroken("wrong_colour", "F19", detail)


def _left_after(player: Player, laid: tuple[Laid, ...]) -> list[int]:
    """Return the storehouse without the bricks laid. Raises RuleBroken unless it holds them."""
    rest = player.storehouse[:]
    for piece in laid:
        rest[piece.colour] -= piece.bricks

    if min(rest) >= 0:
        return rest

    short = " and ".join(colour.wire for colour in COLOURS if rest[colour] < 0)
    may = f"You may lay bricks of your {in_words(player.storehouse)}"
    raise RuleBroken("no_such_brick", "F19", f"You lay more {short} than you have. {may}.")


def _cannot_pay(state: State, seat: int, total: int, store: list[int]) -> RuleBroken:
    price = cost(total, discount(state, seat))
    owned = sum(state.players[seat].storehouse)
    lacking = f"Laying {counted(total)} costs {price} more"
    rest = f"{in_words(store)} would be left to pay with"
    may = f"With your {counted(owned)} you can lay at most {most_laid(state, seat)}"
    return RuleBroken("cannot_pay", "F19", f"{lacking}, and {rest}. {may}.")


# ---- bricks given up: first the named bricks, then the automatic choice (F25) --------------------


_ONE_BRICK = tuple((colour,) for colour in COLOURS)


def automatic(count: int, pool: Sequence[int], building: Collection[int]) -> Bricks:
    """Return `count` bricks of the pool, or all if there are fewer, chosen by F25.

    building: the colours of the towers that the player is building. Bricks of other colours are
        chosen before these. In both groups the cheapest colour is first.
    """
    if not count:
        return ()

    chosen: list[Colour] = []
    for built in (False, True):
        for colour in COLOURS:
            if pool[colour] and (colour in building) is built:
                chosen += [colour] * min(pool[colour], count - len(chosen))
                if len(chosen) == count:
                    return tuple(chosen)
    return tuple(chosen)


def complete(
    choice: Bricks | None, count: int, pool: Sequence[int], building: Collection[int], rule: str
) -> Bricks:
    """Return `count` bricks of the pool, or all if there are fewer: `choice`, the rest by F25.

    building: the colours of the towers that the player is building.
    rule: the number of the rule that takes the bricks.
    Raises RuleBroken if `choice` has too many bricks, or bricks that are not in the pool.
    """
    if not choice:
        return automatic(count, pool, building)

    if len(choice) > count:
        may = f"at most {count} of {in_words(pool)}" if count else "none"
        detail = f"You name {counted(len(choice))}. You may name {may} here."
        raise RuleBroken("too_many_bricks", rule, detail)

    rest = list(pool)
    for colour in choice:
        rest[colour] -= 1
        if rest[colour] < 0:
            may = f"up to {count} of {in_words(pool)}"
            detail = f"You name more {colour.wire} than you can give. You may name {may}."
            raise RuleBroken("no_such_brick", rule, detail)

    return choice + automatic(count - len(choice), rest, building)


def in_words(pool: Sequence[int]) -> str:
    """Return the bricks in words: "2 white, 1 red"."""
    heaps = [f"{pool[colour]} {colour.wire}" for colour in COLOURS if pool[colour]]
    return ", ".join(heaps) or "no bricks"


def counted(count: int) -> str:
    """Return a number of bricks in words: "no bricks", "1 brick", "2 bricks"."""
    if count == 1:
        return "1 brick"
    return f"{count or 'no'} bricks"


def listed(pool: Sequence[int]) -> Bricks:
    """Return a pile of bricks as a list of colours, cheapest first.

    Multiplying and adding tuples is faster than a loop.
    """
    heaps: Iterable[Bricks] = map(mul, _ONE_BRICK, pool)
    white, yellow, green, red, blue, purple = heaps
    return white + yellow + green + red + blue + purple


# ---- towers on the construction sites (F20) ------------------------------------------------------


def built_colours(player: Player) -> set[Colour]:
    """Return the colours of the player's towers (F25)."""
    return {tower.colour for tower in player.towers}


def own_tower(player: Player, number: int | None, rule: str) -> Tower:
    """Return the player's tower with a number. Raises RuleBroken with `rule` if there is none."""
    tower = find_tower(player, number)
    if tower is not None:
        return tower

    wrong = "A tower must be named" if number is None else f"Tower {number} is not one of yours"
    raise RuleBroken("no_such_tower", rule, f"{wrong}. You have {towers_in_words(player)}.")


def towers_in_words(player: Player) -> str:
    """Return the towers in words: "tower 0 (white, height 3)"."""
    towers = [
        f"tower {tower.id} ({tower.colour.wire}, height {tower.height})" for tower in player.towers
    ]
    return ", ".join(towers) or "no towers"


def tear_down(draft: Draft[State], seat: int, tower: Tower) -> None:
    """Tear a tower down (F20).

    Half the bricks, rounded up, go to the pouch, the rest to the storehouse.
    """
    saved = tower.height // 2
    lost = tower.height - saved
    # Positional arguments are faster than keywords, and playouts tear down many towers.
    draft.emit(TowerTornDown(seat, tower.id, tower.colour, lost, saved))


def tear_down_idle(draft: Draft[State], seat: int) -> None:
    """Tear down the idle towers of a seat (F20)."""
    standing = draft.state.players[seat].towers[:]
    for tower in standing:
        if tower.idle:
            tear_down(draft, seat, tower)
