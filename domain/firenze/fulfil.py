"""Fulfilling commissions and the bell tower (F21-F23, F28, F37, F38, F40)."""

from domain.errors import RuleBroken
from domain.firenze import commands as cmd
from domain.firenze import events as ev
from domain.firenze.build import standing
from domain.firenze.components import (
    BELL_TOWER,
    CAMPANILE,
    FIRST_LEVEL,
    HEIGHTS,
    LAST_SEAL_POINTS,
    PRIVILEGES,
    WHITE,
    Colour,
    Step,
    commission,
)
from domain.firenze.state import State, Tower, is_open, owes_bell_tower
from domain.game import Draft


def fulfil(draft: Draft[State], command: cmd.Fulfil) -> None:
    """Deliver a tower of exactly the height of an open commission of its colour (F21)."""
    state, seat = draft.state, command.seat
    if state.agenda[-1].step is Step.BUILD:
        raise RuleBroken("build_first", "F20", "a tower that is not raised this turn is torn down: build first")
    tower = standing(state.players[seat], command.tower, "F21")
    if command.campanile:
        _deliver_bell_tower(draft, command, tower)
        return
    if command.colour is None or command.height is None:
        raise RuleBroken("no_commission", "F21", "name the colour and height of a commission, or campanile")
    _check(state, command, tower, command.height)
    _seal(draft, seat, tower, command.height)


def _deliver_bell_tower(draft: Draft[State], command: cmd.Fulfil, tower: Tower) -> None:
    """3 white bricks to the Campanile; discarded when all have delivered (F38)."""
    state, seat = draft.state, command.seat
    if command.colour is not None or command.height is not None:
        raise RuleBroken("two_commissions", "F38", "name either a commission or campanile")
    if not owes_bell_tower(state, seat):
        raise RuleBroken("no_bell_tower_due", "F38", "no Campanile is open that this seat has not delivered to")
    if tower.colour is not WHITE or tower.height != BELL_TOWER:
        raise RuleBroken("wrong_tower", "F38", f"the bell tower is {BELL_TOWER} white levels, without an Architect")
    draft.emit(ev.BellTowerDelivered(seat, tower.id))
    if all(player.bell_tower for player in state.players):
        draft.emit(ev.ChurchClosed(CAMPANILE))


def _check(state: State, command: cmd.Fulfil, tower: Tower, height: int) -> None:
    seat = command.seat
    if owes_bell_tower(state, seat):
        raise RuleBroken("campanile_first", "F38", "first deliver 3 white levels to the Campanile")
    if not state.players[seat].seals:
        raise RuleBroken("no_seal", "F21", "all seals are used; no further commission can be fulfilled")
    if command.colour is not tower.colour:
        raise RuleBroken("wrong_colour", "F21", f"tower {tower.id} is {tower.colour.wire}")
    if not is_open(state, tower.colour, height):
        rule = "F22" if height in HEIGHTS and commission(tower.colour, height) in state.balconies else "F21"
        raise RuleBroken("not_open", rule, f"open in {tower.colour.wire}: {open_in_words(state, tower.colour)}")
    if height not in reached(state, tower):
        raise RuleBroken(
            "wrong_height", "F28" if state.architect else "F21", f"tower {tower.id} has {tower.height} levels"
        )


def reached(state: State, tower: Tower) -> tuple[int, ...]:
    """Return the heights a tower may be delivered as: the true one, or one level off by the Architect (F21, F28)."""
    height, architect = tower.height, state.architect
    if architect is None:
        return (height,)
    if architect.tower is None or architect.by is None:
        return height, height - 1, height + 1
    return (height, height + architect.by) if architect.tower == tower.id else (height,)


def open_in_words(state: State, colour: Colour) -> str:
    """Return the heights of the open commissions of a colour."""
    return ", ".join(str(height) for height in HEIGHTS if is_open(state, colour, height)) or "none"


def level_points(state: State, height: int) -> int:
    """The first player to fulfil a commission of this height takes its level tile (F23)."""
    if height < FIRST_LEVEL or state.levels[height - FIRST_LEVEL] >= 0:
        return 0
    return state.board.levels[height - FIRST_LEVEL]


def privilege_points(state: State, height: int) -> int:
    """2, 3, 4 more points for the next commission of 5, 6, 7 levels while its church card is open (F37)."""
    card, points = PRIVILEGES.get(height, (None, 0))
    return points if card in state.church else 0


def _seal(draft: Draft[State], seat: int, tower: Tower, height: int) -> None:
    """Place the seal: points, level tile, privilege, and the end tile for the first last seal (F21, F23, F37, F40)."""
    state = draft.state
    privilege = privilege_points(state, height)
    draft.emit(
        ev.CommissionFulfilled(
            seat=seat,
            tower=tower.id,
            colour=tower.colour,
            height=height,
            bricks=tower.height,
            points=state.worth[commission(tower.colour, height)],
            level=level_points(state, height),
            privilege=privilege,
            architect=tower.height != height,
        )
    )
    if privilege:
        draft.emit(ev.ChurchClosed(PRIVILEGES[height][0]))
    if not state.players[seat].seals and state.end_seat < 0:
        draft.emit(ev.EndTileTaken(seat, LAST_SEAL_POINTS))
