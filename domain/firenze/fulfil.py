"""Fulfilling commissions and the bell tower (F21-F23, F28, F37, F38, F40)."""

from domain.errors import RuleBroken
from domain.firenze import events
from domain.firenze.agenda import Step
from domain.firenze.build import own_tower, towers_in_words
from domain.firenze.commands import Fulfil
from domain.firenze.components import (
    BELL_TOWER_HEIGHT,
    CAMPANILE,
    FIRST_LEVEL,
    HEIGHTS,
    HIGHEST,
    LAST_SEAL_POINTS,
    LOWEST,
    OPEN,
    PRIVILEGES,
    WHITE,
    Colour,
    commission_index,
)
from domain.firenze.state import State, Tower
from domain.game import Draft


def fulfil(draft: Draft[State], command: Fulfil) -> None:
    """Deliver a tower of exactly the height of an open commission of its colour (F21)."""
    state = draft.state
    seat = command.seat
    if state.agenda[-1].step is Step.BUILD:
        after = "A tower is delivered after it was raised this turn"
        detail = f"{after}. First build (build), or end the turn (end_turn)."
        raise RuleBroken("build_first", "F20", detail)

    tower = own_tower(state.players[seat], command.tower, "F21")

    if command.campanile:
        _deliver_bell_tower(draft, command, tower)
        return

    if command.colour is None or command.height is None:
        wrong = "Colour and height of a commission, or campanile, must be named"
        may = _may(state, seat, tower)
        raise RuleBroken("no_commission", "F21", f"{wrong}. {may}.")
    _check_commission(state, command, tower, command.height)
    _place_seal(draft, seat, tower, command.height)


def _place_seal(draft: Draft[State], seat: int, tower: Tower, height: int) -> None:
    """Place a seal on the commission of this height (F21).

    The commission brings its points, perhaps a level tile (F23) and a privilege (F37). The first
    player without seals takes the end tile (F40).
    """
    state = draft.state
    privilege = privilege_points(state, height)
    draft.emit(
        events.CommissionFulfilled(
            seat=seat,
            tower=tower.id,
            colour=tower.colour,
            height=height,
            bricks=tower.height,
            points=state.worth[commission_index(tower.colour, height)],
            level=level_points(state, height),
            privilege=privilege,
            architect=tower.height != height,
        )
    )

    if privilege:
        church_card, _ = PRIVILEGES[height]
        draft.emit(events.ChurchClosed(church_card))
    if not state.players[seat].seals and state.end_seat < 0:
        draft.emit(events.EndTileTaken(seat, LAST_SEAL_POINTS))


def _deliver_bell_tower(draft: Draft[State], command: Fulfil, tower: Tower) -> None:
    """Deliver 3 white bricks to the Campanile. Discard it once all have delivered (F38)."""
    state = draft.state
    _check_bell_tower(state, command, tower)

    draft.emit(events.BellTowerDelivered(command.seat, tower.id))
    if all(player.bell_tower for player in state.players):
        draft.emit(events.ChurchClosed(CAMPANILE))


# ---- refusals --------------------------------------------------------------------------------


def _check_bell_tower(state: State, command: Fulfil, tower: Tower) -> None:
    """Raise RuleBroken unless the tower can be delivered to the Campanile (F38)."""
    seat = command.seat
    if command.colour is not None or command.height is not None:
        wrong = "Either a commission or campanile is named, not both"
        raise RuleBroken("two_commissions", "F38", f"{wrong}. {_may(state, seat, tower)}.")

    if not owes_bell_tower(state, seat):
        wrong = "No Campanile waits for your bell tower"
        raise RuleBroken("no_bell_tower_due", "F38", f"{wrong}. {_may(state, seat, tower)}.")

    if tower.colour is not WHITE or tower.height != BELL_TOWER_HEIGHT:
        wrong = f"The bell tower is {BELL_TOWER_HEIGHT} white levels, without an Architect"
        owned = towers_in_words(state.players[seat])
        raise RuleBroken("wrong_tower", "F38", f"{wrong}. You have {owned}.")


def _check_commission(state: State, command: Fulfil, tower: Tower, height: int) -> None:
    """Raise RuleBroken unless the tower can be delivered to the commission of this height."""
    wrong = _wrong_commission(state, command, tower, height)
    if wrong is not None:
        code, rule, words = wrong
        raise RuleBroken(code, rule, f"{words}. {_may(state, command.seat, tower)}.")


def _wrong_commission(
    state: State, command: Fulfil, tower: Tower, height: int
) -> tuple[str, str, str] | None:
    """Return code, rule and words of a refusal of the commission. None: nothing forbids it."""
    colour = tower.colour
    if owes_bell_tower(state, command.seat):
        return "campanile_first", "F38", "The Campanile comes first"

    if not state.players[command.seat].seals:
        return "no_seal", "F21", "All your seals are used"

    if command.colour is not colour:
        return "wrong_colour", "F21", f"The commission must be {colour.wire}"

    if not is_open(state, colour, height):
        rule = "F22" if waits_for_its_turn(state, colour, height) else "F21"
        heights = ", ".join(map(str, open_heights(state, colour))) or "none"
        return "not_open", rule, f"Open in {colour.wire} are {heights}, not {height}"

    counted_as = heights_of(state, tower)
    if height not in counted_as:
        rule = "F28" if state.architect else "F21"
        heights = " or ".join(map(str, sorted(counted_as)))
        return "wrong_height", rule, f"Tower {tower.id} counts {heights}, not {height}"
    return None


def _may(state: State, seat: int, tower: Tower) -> str:
    """Return the legal deliveries of the tower now, in words for a refusal (F21, F38)."""
    if owes_bell_tower(state, seat):
        return f"Only {BELL_TOWER_HEIGHT} white levels may be delivered now, with campanile"
    if not state.players[seat].seals:
        return "No further commission can be fulfilled"

    heights = sorted(heights_of(state, tower))
    places = [
        f"{tower.colour.wire} {height}"
        for height in heights
        if is_open(state, tower.colour, height)
    ]
    fitting = " or ".join(places) or "no open commission"
    return f"Tower {tower.id} (height {tower.height}) may be delivered to {fitting}"


def heights_of(state: State, tower: Tower) -> tuple[int, ...]:
    """Return the heights that a tower may count as, the true one first (F21).

    The Architect adds the heights one level off: both, or one of them for its tower only (F28).
    """
    height = tower.height
    architect = state.architect
    if architect is None:
        return (height,)

    if architect.tower is None or architect.by is None:
        return height, height - 1, height + 1

    if architect.tower == tower.id:
        return height, height + architect.by
    return (height,)


# ---- commissions: open ones, their seals and their points (F21-F23, F37, F38) --------------------


def is_open(state: State, colour: int, height: int) -> bool:
    """Return True if a commission has no seal and no balcony that waits for its turn (F21, F22)."""
    if not LOWEST <= height <= HIGHEST:
        return False
    return lowest_open(state, colour, height, height) == height


def lowest_open(state: State, colour: int, least: int, most: int = HIGHEST) -> int:
    """Return the lowest height of an open commission from `least` to `most`, or 0 (F21, F22).

    A loop over indices is quicker than a call per height. Playouts need it often.
    """
    seals = state.seals
    balconies = state.balconies
    index = commission_index(colour, least)

    for height in range(least, most + 1):
        if seals[index] == OPEN and (
            index not in balconies or index == balconies[state.next_balcony]
        ):
            return height
        index += 1
    return 0


def open_heights(state: State, colour: int) -> list[int]:
    """Return the heights of the open commissions of a colour, lowest first (F21, F22)."""
    return [height for height in HEIGHTS if is_open(state, colour, height)]


def waits_for_its_turn(state: State, colour: Colour, height: int) -> bool:
    """Return True if a closed commission has no seal, but a balcony that waits (F22)."""
    if height not in HEIGHTS:
        return False

    index = commission_index(colour, height)
    return index in state.balconies and state.seals[index] == OPEN


def sealed_by(state: State, seat: int) -> list[int]:
    """Return the commissions with the seat's seals."""
    return [commission for commission, owner in enumerate(state.seals) if owner == seat]


def owes_bell_tower(state: State, seat: int) -> bool:
    """Return True if the Campanile is open and the seat has not delivered to it (F38).

    Before that delivery the seat may fulfil nothing else.
    """
    return CAMPANILE in state.church and not state.players[seat].bell_tower


def level_points(state: State, height: int) -> int:
    """Return the points of the level tile of this height, 0 for none or a taken one (F23)."""
    if height < FIRST_LEVEL:
        return 0

    level = height - FIRST_LEVEL
    if state.levels[level] >= 0:
        return 0
    return state.board.levels[level]


def privilege_points(state: State, height: int) -> int:
    """Return the points that an open church card adds to this height, or 0 (F37)."""
    card, points = PRIVILEGES.get(height, (None, 0))
    return points if card in state.church else 0
