"""Fulfilling commissions and the bell tower (F21-F23, F28, F37, F38, F40)."""

from domain.errors import RuleBroken
from domain.firenze import commands as cmd
from domain.firenze import events as ev
from domain.firenze.build import standing, towers_in_words
from domain.firenze.components import (
    BELL_TOWER,
    CAMPANILE,
    FIRST_LEVEL,
    HEIGHTS,
    LAST_SEAL_POINTS,
    OPEN,
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
        detail = "A tower is delivered after it was raised this turn: first build (build), or end the turn (end_turn)."
        raise RuleBroken("build_first", "F20", detail)
    tower = standing(state.players[seat], command.tower, "F21")
    if command.campanile:
        _deliver_bell_tower(draft, command, tower)
        return
    if command.colour is None or command.height is None:
        detail = f"Colour and height of a commission, or campanile, must be named; {_may(state, seat, tower)}."
        raise RuleBroken("no_commission", "F21", detail)
    _check(state, command, tower, command.height)
    _seal(draft, seat, tower, command.height)


def _deliver_bell_tower(draft: Draft[State], command: cmd.Fulfil, tower: Tower) -> None:
    """3 white bricks to the Campanile; discarded when all have delivered (F38)."""
    state, seat = draft.state, command.seat
    if command.colour is not None or command.height is not None:
        detail = f"Either a commission or campanile is named, not both; {_may(state, seat, tower)}."
        raise RuleBroken("two_commissions", "F38", detail)
    if not owes_bell_tower(state, seat):
        detail = f"No Campanile is open that you have not delivered to; {_may(state, seat, tower)}."
        raise RuleBroken("no_bell_tower_due", "F38", detail)
    if tower.colour is not WHITE or tower.height != BELL_TOWER:
        due = f"The bell tower is {BELL_TOWER} white levels, without an Architect"
        raise RuleBroken(
            "wrong_tower", "F38", f"{due}; you have {towers_in_words(state.players[seat])}."
        )
    draft.emit(ev.BellTowerDelivered(seat, tower.id))
    if all(player.bell_tower for player in state.players):
        draft.emit(ev.ChurchClosed(CAMPANILE))


def _check(state: State, command: cmd.Fulfil, tower: Tower, height: int) -> None:
    wrong = _wrong(state, command, tower, height)
    if wrong:
        code, rule, what = wrong
        raise RuleBroken(code, rule, f"{what}; {_may(state, command.seat, tower)}.")


def _wrong(
    state: State, command: cmd.Fulfil, tower: Tower, height: int
) -> tuple[str, str, str] | None:
    """Return code, rule and words for what forbids this commission to the tower, if anything does (F21, F22, F28)."""
    colour = tower.colour
    if owes_bell_tower(state, command.seat):
        return "campanile_first", "F38", "The Campanile comes first"
    if not state.players[command.seat].seals:
        return "no_seal", "F21", "All your seals are used"
    if command.colour is not colour:
        return "wrong_colour", "F21", f"The commission must be {colour.wire}"
    if not is_open(state, colour, height):
        rule = "F22" if _waits_its_turn(state, colour, height) else "F21"
        return (
            "not_open",
            rule,
            f"Open in {colour.wire} are {open_in_words(state, colour)}, not {height}",
        )
    if height not in reached(state, tower):
        counts = " or ".join(map(str, sorted(reached(state, tower))))
        return (
            "wrong_height",
            "F28" if state.architect else "F21",
            f"Tower {tower.id} counts {counts}, not {height}",
        )
    return None


def _waits_its_turn(state: State, colour: Colour, height: int) -> bool:
    """Return whether a commission lies under a balcony and is closed only by the order of balconies (F22).

    Once it carries a seal it is closed by F21, as any other commission is.
    """
    if height not in HEIGHTS:
        return False

    index = commission(colour, height)
    return index in state.balconies and state.seals[index] == OPEN


def _may(state: State, seat: int, tower: Tower) -> str:
    """Return where the tower may go now, as a refusal tells it (F21, F38)."""
    if owes_bell_tower(state, seat):
        return f"{BELL_TOWER} white levels may be delivered with campanile, and nothing else"
    if not state.players[seat].seals:
        return "no further commission can be fulfilled"
    heights = [
        height for height in sorted(reached(state, tower)) if is_open(state, tower.colour, height)
    ]
    places = (
        " or ".join(f"{tower.colour.wire} {height}" for height in heights) or "no open commission"
    )
    return f"tower {tower.id} (height {tower.height}) may be delivered to {places}"


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
