"""Who may see what: everybody sees everything but the order of future draws (F44)."""

from domain.firenze.board import LEVEL_HEIGHTS, NUMERALS
from domain.firenze.build import cost, discount, most_laid
from domain.firenze.components import (
    COLOURS,
    HEIGHTS,
    KINDS,
    LOWEST,
    MOST_LAID,
    NEUTRAL,
    OPEN,
    Card,
    Kind,
    Step,
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
    LevelTileView,
    PlayerView,
    Seal,
    TowerView,
    View,
)

_COLOURS = tuple(colour.wire for colour in COLOURS)
_CARDS = tuple(card.wire for card in Card)
_STEPS = tuple(step.wire for step in Step)
_HAND = tuple(card for card in Card if KINDS[card] in (Kind.PERSONNEL, Kind.CELEBRATION))
_BUILDINGS = tuple(card for card in Card if KINDS[card] is Kind.BUILDING)


def view(state: State, seat: int | None) -> View:
    """Return the match as a seat or the public sees it; a seat that may build also gets "build" (F19, F20, F44)."""
    task = state.agenda[-1] if state.agenda else None
    step = task.step if task else None
    shown: View = {
        "step": None if step is None else _STEPS[step],
        "active": state.active,
        "turn": state.turn,
        "turn_limit": state.turn_limit,
        "end_seat": state.end_seat if state.end_seat >= 0 else None,
        "exchanged": state.exchanged,
        "played": [_CARDS[card] for card in state.played],
        "architect": _architect(state),
        "taken": None if state.taken is None else _CARDS[state.taken],
        "taken_bricks": _bricks(state.taken_bricks),
        "dues": _dues(state) if state.dues else [],
        "row": [{"card": _CARDS[slot.card], "bricks": _bricks(slot.bricks)} for slot in state.row],
        "church": [_CARDS[card] for card in state.church],
        "commissions": _commissions(state),
        "balconies": _balconies(state),
        "level_tiles": _level_tiles(state),
        "majority": dict(zip(_COLOURS, state.board.majority, strict=True)),
        "pouch": _bricks(state.pouch),
        "deck": sum(state.deck) + sum(state.start),
        "discards": {_CARDS[card]: count for card, count in enumerate(state.discards) if count},
        "players": [_player(state, number, step) for number in range(len(state.players))],
        "ranks": list(state.ranks),
    }
    if seat is not None and _may_build(state, seat):
        shown["build"] = _build(state, seat)
    return shown


def beyond(state: State, seat: int) -> Beyond:
    """Describe what a seat may build now: far more than what is listed (F19)."""
    return {"build": _build(state, seat)} if _may_build(state, seat) else {}


def _may_build(state: State, seat: int) -> bool:
    task = state.agenda[-1] if state.agenda else None
    return task is not None and task.step is Step.BUILD and task.seat == seat


def _bricks(pile: list[int]) -> Bricks:
    return {name: count for name, count in zip(_COLOURS, pile, strict=True) if count}


def _dues(state: State) -> list[DueView]:
    """Return what an event takes from each seat, and whether that seat has handed its bricks over (F33, F34)."""
    owing = {task.seat for task in state.agenda if task.step is Step.DISCARD}
    return [
        {
            "seat": due.seat,
            "bricks": due.bricks,
            "paid": due.seat not in owing,
            "exact": [_COLOURS[colour] for colour in due.exact],
            "lost": list(due.lost),
        }
        for due in state.dues
    ]


def _architect(state: State) -> ArchitectView | None:
    hired = state.architect
    return None if hired is None else {"tower": hired.tower, "by": hired.by}


def _commissions(state: State) -> dict[ColourName, CommissionsView]:
    """Return by colour, for the heights 3-8 in order: points, and null, "neutral" or the seat that covers it (F21)."""
    points = state.worth
    seals = [_SEALS.get(seal, seal) for seal in state.seals]
    return {colour: {"points": points[lo:hi], "seals": seals[lo:hi]} for colour, lo, hi in _COLUMNS}


_SEALS: dict[int, Seal] = {OPEN: None, NEUTRAL: "neutral"}
_COLUMNS = tuple((colour, 6 * place, 6 * place + 6) for place, colour in enumerate(_COLOURS))


def _level_tiles(state: State) -> list[LevelTileView]:
    return [
        {"height": int(height), "points": points, "seat": seat if seat >= 0 else None}
        for height, points, seat in zip(
            LEVEL_HEIGHTS, state.board.levels, state.levels, strict=True
        )
    ]


def _balconies(state: State) -> list[BalconyView]:
    """Return balconies I-IV; the next one is open (F22)."""
    return [
        {
            "numeral": NUMERALS[place],
            "colour": _COLOURS[index // len(HEIGHTS)],
            "height": LOWEST + index % len(HEIGHTS),
            "points": state.worth[index],
            "open": place == state.next_balcony,
        }
        for place, index in enumerate(state.balconies)
    ]


def _player(state: State, seat: int, step: Step | None) -> PlayerView:
    player = state.players[seat]
    cards = player.cards
    threatened = seat == state.active and step in _BEFORE_BUILD
    return {
        "seat": seat,
        "points": player.points,
        "seals": player.seals,
        "storehouse": _bricks(player.storehouse),
        "towers": [_tower(tower, threatened) for tower in player.towers],
        "hand": [_CARDS[card] for card in _HAND for _ in range(cards[card])],
        "buildings": [_CARDS[card] for card in _BUILDINGS if cards[card]],
        "bell_tower": player.bell_tower,
    }


_BEFORE_BUILD = frozenset((Step.CHOOSE, Step.BUILD, Step.ANSWER, Step.RESOLVE, Step.DISCARD))


def _tower(tower: Tower, threatened: bool) -> TowerView:
    """lost_unless_raised warns: if its owner ends building now, the tower is torn down (F20)."""
    return {
        "tower": tower.id,
        "colour": _COLOURS[tower.colour],
        "height": tower.height,
        "lost_unless_raised": threatened and tower.idle,
    }


def _build(state: State, seat: int) -> Buildable:
    """Say what may be built: bricks at hand, towers, the price of laying 0-6 bricks, the most to be paid (F19)."""
    player = state.players[seat]
    off = discount(state, seat)
    return {
        "bricks": _bricks(player.storehouse),
        "towers": [_tower(tower, True) for tower in player.towers],
        "cost": [cost(count, off) for count in range(MOST_LAID + 1)],
        "free": max(count for count in range(MOST_LAID + 1) if not cost(count, off)),
        "most": most_laid(state, seat),
        "workshop": player.cards[Card.WORKSHOP] > 0,
        "mason": Card.MASON in state.played,
    }
