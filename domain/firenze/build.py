"""Building, and what it costs (F19, F20)."""

from bisect import bisect_right

from domain.errors import RuleBroken
from domain.firenze.cards import MASON, WORKSHOP
from domain.firenze.commands import Build, Lay
from domain.firenze.components import BUILDING_COSTS, COLOURS, MOST_LAID, Bricks
from domain.firenze.events import Built, Laid
from domain.firenze.payment import complete, counted, in_words
from domain.firenze.state import Player, State
from domain.firenze.towers import built_colours, own_tower, tear_down_idle
from domain.game import Draft

WORKSHOP_DISCOUNT = 1
MASON_DISCOUNT = 3


def discount(state: State, seat: int) -> int:
    """Return how much cheaper the seat builds: Workshop 1, Mason 3, both 4 (F19)."""
    saved = 0
    if state.players[seat].cards[WORKSHOP]:
        saved += WORKSHOP_DISCOUNT
    if MASON in state.played:
        saved += MASON_DISCOUNT
    return saved


def cost(laid: int, saved: int) -> int:
    """Return the bricks to be paid for laying so many, with a discount (F19)."""
    return max(0, BUILDING_COSTS[laid] - saved)


def _bricks_needed(saved: int) -> list[int]:
    return [laid + cost(laid, saved) for laid in range(MOST_LAID + 1)]


# By discount: how many bricks must be at hand to lay 0, 1, ... 6 of them and to pay for it.
NEEDED = [_bricks_needed(saved) for saved in range(WORKSHOP_DISCOUNT + MASON_DISCOUNT + 1)]


def most_laid(state: State, seat: int) -> int:
    """Return how many bricks the seat can lay and still pay for (F19)."""
    needed = NEEDED[discount(state, seat)]
    return bisect_right(needed, sum(state.players[seat].storehouse)) - 1


def build(draft: Draft[State], command: Build) -> None:
    """Lay the bricks, pay, and lose the towers that were left alone (F19, F20)."""
    state = draft.state
    seat = command.seat
    player = state.players[seat]

    total = sum([lay.bricks for lay in command.lay])
    if total > MOST_LAID:
        detail = f"You lay {total} bricks; you may lay at most {MOST_LAID} a turn."
        raise RuleBroken("too_many_bricks", "F19", detail)

    laid = _numbered(player, command.lay)
    left = _left_after(player, laid)
    price = cost(total, discount(state, seat))
    if price > sum(left):
        raise _cannot_pay(state, seat, total, left)

    payment: Bricks = ()
    if price or command.payment:
        # A tower begun by this very build counts as being built (F25).
        begun = [piece.colour for piece in laid]
        building = built_colours(player).union(begun)
        payment = complete(command.payment, price, left, building, "F19")
    finish_building(draft, seat, laid, payment)


def finish_building(
    draft: Draft[State], seat: int, laid: tuple[Laid, ...] = (), payment: Bricks = ()
) -> None:
    """Close the building of this turn and tear down what stood idle (F20)."""
    draft.emit(Built(seat, laid, payment))
    tear_down_idle(draft, seat)


def _numbered(player: Player, lay: tuple[Lay, ...]) -> tuple[Laid, ...]:
    """Return what is laid, each new tower with its number; raises RuleBroken."""
    laid = []
    next_number = player.next_tower

    for piece in lay:
        if piece.bricks < 1:
            may = f"Every entry of a build lays 1 to {MOST_LAID} bricks; leave out what lays none."
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
    may = f"lay {tower.colour.wire} onto it, or begin a new tower by leaving the number out"
    detail = f"Tower {number} is not {piece.colour.wire}; {may}."
    raise RuleBroken("wrong_colour", "F19", detail)


def _left_after(player: Player, laid: tuple[Laid, ...]) -> list[int]:
    """Return the storehouse without the bricks laid; raises RuleBroken unless it holds them."""
    left = player.storehouse[:]
    for piece in laid:
        left[piece.colour] -= piece.bricks

    if min(left) >= 0:
        return left

    short = " and ".join(colour.wire for colour in COLOURS if left[colour] < 0)
    may = f"you may lay bricks of your {in_words(player.storehouse)}"
    raise RuleBroken("no_such_brick", "F19", f"You lay more {short} than you have; {may}.")


def _cannot_pay(state: State, seat: int, total: int, left: list[int]) -> RuleBroken:
    price = cost(total, discount(state, seat))
    owned = sum(state.players[seat].storehouse)
    lacking = f"Laying {counted(total)} costs {price} more"
    rest = f"{in_words(left)} would be left to pay with"
    may = f"with your {counted(owned)} you can lay at most {most_laid(state, seat)}"
    return RuleBroken("cannot_pay", "F19", f"{lacking}, and {rest}; {may}.")
