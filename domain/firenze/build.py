"""Building and tearing down (F19, F20)."""

from bisect import bisect_right

from domain.errors import RuleBroken
from domain.firenze import commands as cmd
from domain.firenze import events as ev
from domain.firenze.components import COLOURS, COSTS, MASON, MOST_LAID, WORKSHOP, Bricks
from domain.firenze.payment import complete, counted, in_words
from domain.firenze.state import Player, State, Tower, built_colours, find_tower
from domain.game import Draft


def discount(state: State, seat: int) -> int:
    """Workshop -1, Mason -3, both -4 (F19)."""
    return (state.players[seat].cards[WORKSHOP] > 0) + 3 * (MASON in state.played)


def cost(bricks: int, off: int) -> int:
    """Return the construction cost of laying so many bricks (F19)."""
    return max(0, COSTS[bricks] - off)


# By discount: how many bricks must be at hand to lay 0, 1, ... of them and pay for it.
NEEDED = [[count + cost(count, off) for count in range(MOST_LAID + 1)] for off in range(5)]


def most_laid(state: State, seat: int) -> int:
    """Return how many bricks the seat can lay and still pay for (F19)."""
    return bisect_right(NEEDED[discount(state, seat)], sum(state.players[seat].storehouse)) - 1


def build(draft: Draft[State], command: cmd.Build) -> None:
    """Lay the bricks, pay, and lose the towers that were left alone (F19, F20)."""
    state, seat = draft.state, command.seat
    player = state.players[seat]
    total = sum([lay.bricks for lay in command.lay])
    if total > MOST_LAID:
        raise RuleBroken(
            "too_many_bricks",
            "F19",
            f"You lay {total} bricks; you may lay at most {MOST_LAID} a turn.",
        )
    laid = _number(player, command.lay)
    left = player.storehouse[:]
    for piece in laid:
        left[piece.colour] -= piece.bricks
    if min(left) < 0:
        short = " and ".join(colour.wire for colour in COLOURS if left[colour] < 0)
        detail = f"You lay more {short} than you have; you may lay bricks of your {in_words(player.storehouse)}."
        raise RuleBroken("no_such_brick", "F19", detail)
    price = cost(total, discount(state, seat))
    if price > sum(left):
        lacking = f"Laying {counted(total)} costs {price} more, and {in_words(left)} would be left to pay with"
        may = f"with your {counted(sum(player.storehouse))} you can lay at most {most_laid(state, seat)}"
        raise RuleBroken("cannot_pay", "F19", f"{lacking}; {may}.")
    payment: Bricks = ()
    if price or command.payment:
        building = built_colours(player).union([piece.colour for piece in laid])
        payment = complete(command.payment, price, left, building, "F19")
    finish(draft, seat, laid, payment)


def _number(player: Player, lay: tuple[cmd.Lay, ...]) -> tuple[ev.Laid, ...]:
    """Give each new tower its number."""
    laid, new = [], player.next_tower
    for piece in lay:
        if piece.bricks < 1:
            may = f"Every entry of a build lays 1 to {MOST_LAID} bricks; leave out what lays none."
            raise RuleBroken("too_few_bricks", "F19", may)
        number = piece.tower
        if number is None:
            number, new = new, new + 1
        elif (tower := standing(player, number, "F19")).colour is not piece.colour:
            may = f"lay {tower.colour.wire} onto it, or begin a new tower by leaving the number out"
            raise RuleBroken(
                "wrong_colour", "F19", f"Tower {number} is not {piece.colour.wire}; {may}."
            )
        laid.append(ev.Laid(number, piece.colour, piece.bricks))
    return tuple(laid)


def standing(player: Player, number: int | None, rule: str) -> Tower:
    """Return the player's tower of this number; refuses when there is none."""
    tower = find_tower(player, number)
    if tower is None:
        wrong = "A tower must be named" if number is None else f"Tower {number} is not one of yours"
        raise RuleBroken("no_such_tower", rule, f"{wrong}; you have {towers_in_words(player)}.")
    return tower


def towers_in_words(player: Player) -> str:
    """Return the towers as people say them: "tower 0 (white, height 3)"."""
    return (
        ", ".join(f"tower {t.id} ({t.colour.wire}, height {t.height})" for t in player.towers)
        or "no towers"
    )


def finish(
    draft: Draft[State], seat: int, laid: tuple[ev.Laid, ...] = (), payment: Bricks = ()
) -> None:
    """Close the building of this turn and tear down what stood idle (F20)."""
    draft.emit(ev.Built(seat, laid, payment))
    for tower in draft.state.players[seat].towers[:]:
        if tower.idle:
            tear_down(draft, seat, tower)


def tear_down(draft: Draft[State], seat: int, tower: Tower) -> None:
    """Half the bricks, rounded up, go to the pouch, the rest to the storehouse (F20)."""
    saved = tower.height // 2
    draft.emit(ev.TowerTornDown(seat, tower.id, tower.colour, tower.height - saved, saved))
