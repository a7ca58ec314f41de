"""The state as JSON values. Everybody sees everything but the order of future draws (F44)."""

from functools import lru_cache
from typing import Annotated, Literal, NotRequired, TypedDict

from domain.chance import Chance
from domain.firenze import components as box
from domain.firenze.agenda import Step
from domain.firenze.board import LEVEL_HEIGHTS, NUMERALS
from domain.firenze.build import cost, discount, most_laid
from domain.firenze.state import State, Tower
from domain.json_types import EVERY_NAME, Between
from domain.kit import counts_by_name, wire_names

StepName = Annotated[str, Step]
Bricks = dict[box.ColourName, int]
Seal = int | Literal["neutral"] | None


class ArchitectView(TypedDict):
    """An Architect that was played this turn and has not served yet (F28)."""

    tower: Annotated[int | None, "Number of the tower that it is bound to. Null: to none."]
    by: Annotated[int | None, "Number of levels that it adds, 1 or -1. Null: either."]


class DueView(TypedDict):
    """The due of one seat for an event (F33)."""

    seat: Annotated[int, "The seat."]
    bricks: Annotated[int, "Number of bricks that it must hand over."]
    paid: Annotated[bool, "True if it has handed them over (F34)."]
    exact: Annotated[list[box.ColourName], "Their colours, one entry per brick. []: any colours."]
    lost: Annotated[list[int], "Numbers of the towers that it cannot pay for and loses."]


class SlotView(TypedDict):
    """A card in the row (F13)."""

    card: Annotated[box.CardName, "The card."]
    bricks: Annotated[Bricks, "Bricks on it by colour. Colours without bricks are left out."]


class CommissionsView(TypedDict):
    """The six commissions of one colour, of the heights 3 to 8 in order (F3)."""

    points: Annotated[
        list[int],
        Between(len(box.HEIGHTS), len(box.HEIGHTS)),
        "Points of each: as printed, or its balcony's (F10).",
    ]
    seals: Annotated[
        list[Seal],
        Between(len(box.HEIGHTS), len(box.HEIGHTS)),
        'Cover of each: the seat of its seal, "neutral" (F11), or null for none (F21).',
    ]


class BalconyView(TypedDict):
    """A balcony tile on a commission (F10)."""

    numeral: Annotated[box.Numeral, "Its numeral. Balconies are fulfilled in their order (F22)."]
    colour: Annotated[box.ColourName, "The colour of its commission."]
    height: Annotated[int, Between(box.LOWEST, box.HIGHEST), "The height of its commission."]
    points: Annotated[int, "Its points. They replace the printed ones."]
    open: Annotated[bool, "True if it is the one that may be fulfilled next."]


class LevelTileView(TypedDict):
    """A level tile, for the first tower of its height (F5, F23)."""

    height: Annotated[int, Between(box.LOWEST, box.HIGHEST), "Its height."]
    points: Annotated[int, "Its points."]
    seat: Annotated[int | None, "Seat that has taken it. Null: nobody."]


class TowerView(TypedDict):
    """A tower on a seat's construction site."""

    tower: Annotated[int, "Its number. No other tower of the seat ever has it."]
    colour: Annotated[box.ColourName, "The colour of its bricks."]
    height: Annotated[int, "Its height in bricks."]
    lost_unless_raised: Annotated[
        bool, "True if it is torn down if its owner ends building now without raising it (F20)."
    ]


class PlayerView(TypedDict):
    """Belongings of one player. All of them are public (F44)."""

    seat: Annotated[int, "The seat."]
    points: Annotated[int, "Points so far. They may be negative (F42)."]
    seals: Annotated[int, "Number of unused seals (F9)."]
    storehouse: Annotated[Bricks, "Bricks by colour. Colours without bricks are left out."]
    towers: Annotated[list[TowerView], "Towers, the oldest first."]
    hand: Annotated[list[box.CardName], "Personnel and Celebrations, one entry per card (F15)."]
    buildings: Annotated[list[box.CardName], "Buildings that lie open (F15)."]
    bell_tower: Annotated[bool, "True if three bricks went to the Campanile (F38)."]


class Buildable(TypedDict):
    """Means and limits of a seat's legal builds now, also of the unlisted ones (F19)."""

    bricks: Annotated[Bricks, "Bricks at hand by colour. Colours without bricks are left out."]
    towers: Annotated[list[TowerView], "Towers that may be raised."]
    cost: Annotated[
        list[int],
        Between(box.MOST_LAID + 1, box.MOST_LAID + 1),
        "Number of bricks to pay, after laying, for laying 0, 1, ... 6.",
    ]
    free: Annotated[
        int, Between(0, box.MOST_LAID), "Number of bricks that can be laid without paying any."
    ]
    most: Annotated[
        int, Between(0, box.MOST_LAID), "Number of bricks that can be laid and paid for."
    ]
    workshop: Annotated[bool, "True if a Workshop makes it cheaper by 1."]
    mason: Annotated[bool, "True if a Mason makes it cheaper by 3."]


class Beyond(TypedDict):
    """Legal moves beyond the listed ones, by command."""

    build: NotRequired[
        Annotated[Buildable, "Legal builds. Left out if the seat may not build now."]
    ]


class Known(TypedDict):
    """Public facts that no view shows."""

    deck_start_cards: Annotated[
        dict[box.CardName, int],
        "Number of start cards still on top of the deck, by card. Others are left out (F13).",
    ]


class View(TypedDict):
    """A match of Firenze as a seat, or the public, sees it. Only future draws are hidden (F44)."""

    step: Annotated[StepName | None, "Step to be settled now. Null: the match is over."]
    active: Annotated[int, "Seat of the current turn. Another may have to act within it."]
    turn: Annotated[int, "Number of turns, of all seats, before this one."]
    turn_limit: Annotated[int, "Number of turns of each seat until the match ends (F45)."]
    end_seat: Annotated[int | None, "Seat that holds the end tile. Null: nobody (F40)."]
    exchanged: Annotated[bool, "True if a brick was exchanged this turn (F18)."]
    played: Annotated[list[box.CardName], "Personnel played this turn (F26)."]
    architect: Annotated[ArchitectView | None, "Architect at work. Null: none."]
    taken: Annotated[box.CardName | None, "Card that is taking effect. Null: none."]
    taken_bricks: Annotated[
        Bricks, "Bricks that came with that card, by colour. Colours without bricks are left out."
    ]
    dues: Annotated[
        list[DueView], "Due of each seat for the event. []: no event takes anything (F33)."
    ]
    row: Annotated[
        list[SlotView],
        Between(0, box.ROW_LENGTH),
        "Cards that may be taken, slot 0 first (F13).",
    ]
    church: Annotated[list[box.CardName], "Cards on the church spaces (F15)."]
    commissions: Annotated[
        dict[box.ColourName, CommissionsView], EVERY_NAME, "Commissions of each colour (F3)."
    ]
    balconies: Annotated[list[BalconyView], "Balconies I to IV (F10)."]
    level_tiles: Annotated[list[LevelTileView], "Level tiles by height (F5)."]
    majority: Annotated[
        dict[box.ColourName, int], EVERY_NAME, "Points for most seals on each colour (F41)."
    ]
    pouch: Annotated[Bricks, "Bricks in the pouch by colour. Colours without bricks are left out."]
    deck: Annotated[int, "Number of cards in the deck."]
    discards: Annotated[
        dict[box.CardName, int],
        "Number of cards on the discard pile, by card. Others are left out.",
    ]
    players: Annotated[list[PlayerView], "Belongings of each player, by seat."]
    ranks: Annotated[list[int], "Rank of each seat, 1 the best. [] until the end (F42)."]
    build: NotRequired[
        Annotated[Buildable, "Legal builds of the seat. Left out if it may not build now."]
    ]


# ---- how it is made ------------------------------------------------------------------------------


# Names by member: an entry of a tuple is faster than an attribute of a member.
_COLOUR_NAMES = wire_names(box.COLOURS)
_CARD_NAMES = wire_names(box.CARDS)
_STEP_NAMES = wire_names(Step)

_COLUMNS = tuple((colour.wire, box.commissions_of(colour)) for colour in box.COLOURS)
# By commission: the name of its colour, and its height.
_COLOUR_OF = tuple(box.colour_of(commission).wire for commission in box.COMMISSIONS)
_HEIGHT_OF = tuple(box.height_of(commission) for commission in box.COMMISSIONS)
_SEALS: dict[int, Seal] = {box.OPEN: None, box.NEUTRAL: "neutral"}

# The steps of a turn before and at its build.
_BEFORE_BUILDING = (Step.CHOOSE, Step.BUILD, Step.ANSWER, Step.RESOLVE, Step.DISCARD)


def view(state: State, seat: int | None) -> View:
    """Return the view of a seat. None: of the public (F44).

    The view of a seat that may build now has "build" as well (F19, F20).
    """
    step = state.agenda[-1].step if state.agenda else None
    result: View = {
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
        result["build"] = _buildable(state, seat)
    return result


def known(state: State) -> Known:
    """Return the start cards still on top of the deck (F13)."""
    return {"deck_start_cards": counts_by_name(_CARD_NAMES, state.start)}


def unlisted(state: State, seat: int) -> Beyond:
    """Describe the legal builds of a seat now, since `legal_moves` may list only some (F19)."""
    if _may_build(state, seat):
        return {"build": _buildable(state, seat)}
    return {}


def _may_build(state: State, seat: int) -> bool:
    if not state.agenda:
        return False
    task = state.agenda[-1]
    return task.step is Step.BUILD and task.seat == seat


def _bricks(pile: list[int]) -> Bricks:
    """Return the bricks by name of the colour, without the zeros.

    A copy of the counts of an equal pile is quicker than counting again.
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
    """Return the dues of an event, paid ones included (F33, F34)."""
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
    """Return the means of building: bricks, towers, and the price of 0 to 6 bricks (F19)."""
    player = state.players[seat]
    towers = [_tower(tower, threatened=True) for tower in player.towers]
    saved = discount(state, seat)
    costs = [cost(laid, saved) for laid in range(box.MOST_LAID + 1)]
    return {
        "bricks": _bricks(player.storehouse),
        "towers": towers,
        "cost": costs,
        "free": costs.count(0) - 1,
        "most": most_laid(state, seat),
        "workshop": player.cards[box.WORKSHOP] > 0,
        "mason": box.MASON in state.played,
    }


# ---- the table -------------------------------------------------------------------------------


def _row(state: State) -> list[SlotView]:
    return [{"card": _CARD_NAMES[slot.card], "bricks": _bricks(slot.bricks)} for slot in state.row]


def _commissions(state: State) -> dict[box.ColourName, CommissionsView]:
    """Return the commissions by colour, for the heights 3 to 8 in order.

    seals: None, "neutral" or the seat of the seal on each (F21).
    """
    points = state.worth
    seals = [_SEALS.get(owner, owner) for owner in state.seals]
    return {
        colour: {"points": points[column], "seals": seals[column]} for colour, column in _COLUMNS
    }


def _balconies(state: State) -> list[BalconyView]:
    """Return the balconies I-IV (F22)."""
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
    hand = [_CARD_NAMES[card] for card in box.HAND_CARDS for _ in range(cards[card])]
    buildings = [_CARD_NAMES[card] for card in box.BUILDINGS if cards[card]]
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
    """Return a tower. threatened: True if its owner has the turn and has not built yet (F20)."""
    return {
        "tower": tower.id,
        "colour": _COLOUR_NAMES[tower.colour],
        "height": tower.height,
        "lost_unless_raised": threatened and tower.idle,
    }


# ---- hidden facts, drawn anew: the state has none (F44) ------------------------------------------


def imagine(state: State, _seat: int, _chance: Chance) -> State:
    """Return a copy. Only future draws are hidden, and these are not in the state (F44)."""
    return state.copy()
