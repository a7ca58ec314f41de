"""Who may see what: everybody sees everything but the order of future draws (F44)."""

from functools import lru_cache

from domain.firenze.agenda import Step
from domain.firenze.board import LEVEL_HEIGHTS, NUMERALS
from domain.firenze.build import cost, discount, most_laid
from domain.firenze.cards import BUILDINGS, CARDS, HAND_CARDS, MASON, WORKSHOP
from domain.firenze.components import (
    COLOURS,
    COMMISSIONS,
    MOST_LAID,
    NEUTRAL,
    OPEN,
    colour_of,
    commissions_of,
    height_of,
)
from domain.firenze.state import State, Tower
from domain.firenze.view_types import (
    ArchitectView,
    BalconyView,
    Beyond,
    Bricks,
    Buildable,
    ColourName,
    CommissionsView,
    DueView,
    Known,
    LevelTileView,
    PlayerView,
    Seal,
    SlotView,
    TowerView,
    View,
)
from domain.kit.naming import counts_by_name, wire_names

# Looked up here by member: an attribute of an enum member costs more than an entry of a tuple.
_COLOUR_NAMES = wire_names(COLOURS)
_CARD_NAMES = wire_names(CARDS)
_STEP_NAMES = wire_names(Step)

_COLUMNS = tuple((colour.wire, commissions_of(colour)) for colour in COLOURS)
# By commission: the name of its colour, and its height.
_COLOUR_OF = tuple(colour_of(commission).wire for commission in COMMISSIONS)
_HEIGHT_OF = tuple(height_of(commission) for commission in COMMISSIONS)
_SEALS: dict[int, Seal] = {OPEN: None, NEUTRAL: "neutral"}

# The steps of a turn in which its towers have not been raised yet.
_BEFORE_BUILDING = (Step.CHOOSE, Step.BUILD, Step.ANSWER, Step.RESOLVE, Step.DISCARD)


def view(state: State, seat: int | None) -> View:
    """Return the match as a seat or the public sees it (F44).

    A seat that may build now is also shown "build" (F19, F20).
    """
    step = state.agenda[-1].step if state.agenda else None
    shown: View = {
        "step": None if step is None else _STEP_NAMES[step],
        "active": state.active,
        "turn": state.turn,
        "turn_limit": state.turn_limit,
        "end_seat": state.end_seat if state.end_seat >= 0 else None,
        "exchanged": state.exchanged,
        "played": [_CARD_NAMES[card] for card in state.played],
        "architect": _architect(state),
        "taken": None if state.taken is None else _CARD_NAMES[state.taken],
        "taken_bricks": _bricks(state.taken_bricks),
        "dues": _dues(state),
        "row": _row(state),
        "church": [_CARD_NAMES[card] for card in state.church],
        "commissions": _commissions(state),
        "balconies": _balconies(state),
        "level_tiles": _level_tiles(state),
        "majority": dict(zip(_COLOUR_NAMES, state.board.majority, strict=True)),
        "pouch": _bricks(state.pouch),
        "deck": sum(state.deck) + sum(state.start),
        "discards": counts_by_name(_CARD_NAMES, state.discards),
        "players": [_player(state, other, step) for other in range(len(state.players))],
        "ranks": list(state.ranks),
    }
    if seat is not None and _may_build(state, seat):
        shown["build"] = _buildable(state, seat)
    return shown


def known(state: State) -> Known:
    """Return which cards lie on top of the deck: the start cards that are left (F13)."""
    return {"deck_start_cards": counts_by_name(_CARD_NAMES, state.start)}


def unlisted(state: State, seat: int) -> Beyond:
    """Describe what a seat may build now: far more than what is listed (F19)."""
    if _may_build(state, seat):
        return {"build": _buildable(state, seat)}
    return {}


def _may_build(state: State, seat: int) -> bool:
    if not state.agenda:
        return False
    task = state.agenda[-1]
    return task.step is Step.BUILD and task.seat == seat


def _bricks(pile: list[int]) -> Bricks:
    """Return the bricks as `counts_by_name` does.

    A view has ten piles, and few of them have changed since the last view. So what was said of an
    equal pile is copied, in a third of the time.
    """
    return _bricks_of(tuple(pile)).copy()


@lru_cache(maxsize=4096)
def _bricks_of(pile: tuple[int, ...]) -> Bricks:
    return counts_by_name(_COLOUR_NAMES, pile)


# ---- the turn --------------------------------------------------------------------------------


def _architect(state: State) -> ArchitectView | None:
    hired = state.architect
    if hired is None:
        return None
    return {"tower": hired.tower, "by": hired.by}


def _dues(state: State) -> list[DueView]:
    """Return what an event takes from each seat, and who has handed it over (F33, F34)."""
    if not state.dues:
        return []

    owing = {task.seat for task in state.agenda if task.step is Step.DISCARD}
    return [
        {
            "seat": due.seat,
            "bricks": due.bricks,
            "paid": due.seat not in owing,
            "exact": [_COLOUR_NAMES[colour] for colour in due.exact],
            "lost": list(due.lost),
        }
        for due in state.dues
    ]


def _buildable(state: State, seat: int) -> Buildable:
    """Return what may be built: bricks at hand, towers, the price of laying 0 to 6 bricks (F19)."""
    player = state.players[seat]
    towers = [_tower(tower, threatened=True) for tower in player.towers]
    saved = discount(state, seat)
    costs = [cost(laid, saved) for laid in range(MOST_LAID + 1)]
    return {
        "bricks": _bricks(player.storehouse),
        "towers": towers,
        "cost": costs,
        "free": costs.count(0) - 1,
        "most": most_laid(state, seat),
        "workshop": player.cards[WORKSHOP] > 0,
        "mason": MASON in state.played,
    }


# ---- the table -------------------------------------------------------------------------------


def _row(state: State) -> list[SlotView]:
    return [{"card": _CARD_NAMES[slot.card], "bricks": _bricks(slot.bricks)} for slot in state.row]


def _commissions(state: State) -> dict[ColourName, CommissionsView]:
    """Return the commissions by colour, for the heights 3 to 8 in order.

    seals: null, "neutral" or the seat that covers each (F21).
    """
    points = state.worth
    seals = [_SEALS.get(owner, owner) for owner in state.seals]
    return {
        colour: {"points": points[column], "seals": seals[column]} for colour, column in _COLUMNS
    }


def _balconies(state: State) -> list[BalconyView]:
    """Return balconies I-IV; the next one is open (F22)."""
    return [
        {
            "numeral": NUMERALS[number],
            "colour": _COLOUR_OF[commission],
            "height": _HEIGHT_OF[commission],
            "points": state.worth[commission],
            "open": number == state.next_balcony,
        }
        for number, commission in enumerate(state.balconies)
    ]


def _level_tiles(state: State) -> list[LevelTileView]:
    tiles = zip(LEVEL_HEIGHTS, state.board.levels, state.levels, strict=True)
    return [
        {"height": int(height), "points": points, "seat": seat if seat >= 0 else None}
        for height, points, seat in tiles
    ]


# ---- the players -----------------------------------------------------------------------------


def _player(state: State, seat: int, step: Step | None) -> PlayerView:
    player = state.players[seat]
    cards = player.cards
    threatened = seat == state.active and step in _BEFORE_BUILDING
    towers = [_tower(tower, threatened=threatened) for tower in player.towers]
    hand = [_CARD_NAMES[card] for card in HAND_CARDS for _ in range(cards[card])]
    buildings = [_CARD_NAMES[card] for card in BUILDINGS if cards[card]]
    return {
        "seat": seat,
        "points": player.points,
        "seals": player.seals,
        "storehouse": _bricks(player.storehouse),
        "towers": towers,
        "hand": hand,
        "buildings": buildings,
        "bell_tower": player.bell_tower,
    }


def _tower(tower: Tower, *, threatened: bool) -> TowerView:
    """Return a tower; threatened: its owner has the turn and has not built yet (F20)."""
    return {
        "tower": tower.id,
        "colour": _COLOUR_NAMES[tower.colour],
        "height": tower.height,
        "lost_unless_raised": threatened and tower.idle,
    }
