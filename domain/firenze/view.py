"""Who may see what: everybody sees everything but the order of future draws (F44)."""

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

    tower: Annotated[int | None, "The number of the tower that it is bound to; null: to none."]
    by: Annotated[int | None, "How many levels it adds, 1 or -1; null: either."]


class DueView(TypedDict):
    """What an event takes from one seat (F33)."""

    seat: Annotated[int, "The seat."]
    bricks: Annotated[int, "How many bricks it must hand over."]
    paid: Annotated[bool, "Whether it has handed them over (F34)."]
    exact: Annotated[list[box.ColourName], "Their colours, one entry a brick; []: any colours."]
    lost: Annotated[list[int], "The numbers of the towers that it cannot pay for and loses."]


class SlotView(TypedDict):
    """A card in the row (F13)."""

    card: Annotated[box.CardName, "The card."]
    bricks: Annotated[Bricks, "The bricks on it by colour; none of a colour: left out."]


class CommissionsView(TypedDict):
    """The six commissions of one colour, of the heights 3 to 8 in order (F3)."""

    points: Annotated[
        list[int],
        Between(len(box.HEIGHTS), len(box.HEIGHTS)),
        "The points of each: as printed, or its balcony's (F10).",
    ]
    seals: Annotated[
        list[Seal],
        Between(len(box.HEIGHTS), len(box.HEIGHTS)),
        'What covers each: the seat whose seal it is, "neutral" (F11), or null for nothing (F21).',
    ]


class BalconyView(TypedDict):
    """A balcony tile on a commission (F10)."""

    numeral: Annotated[box.Numeral, "Its numeral; balconies are fulfilled in their order (F22)."]
    colour: Annotated[box.ColourName, "The colour of its commission."]
    height: Annotated[int, Between(box.LOWEST, box.HIGHEST), "The height of its commission."]
    points: Annotated[int, "Its points, which replace the printed ones."]
    open: Annotated[bool, "Whether it is the one that may be fulfilled next."]


class LevelTileView(TypedDict):
    """A level tile, for the first tower of its height (F5, F23)."""

    height: Annotated[int, Between(box.LOWEST, box.HIGHEST), "For which height it is."]
    points: Annotated[int, "Its points."]
    seat: Annotated[int | None, "The seat that has taken it; null: nobody has."]


class TowerView(TypedDict):
    """A tower on a seat's construction site."""

    tower: Annotated[int, "Its number, which no other tower of the seat ever has."]
    colour: Annotated[box.ColourName, "The colour of its bricks."]
    height: Annotated[int, "How many bricks high it is."]
    lost_unless_raised: Annotated[
        bool, "Whether it is torn down if its owner ends building now without raising it (F20)."
    ]


class PlayerView(TypedDict):
    """What lies before one player; all of it is public (F44)."""

    seat: Annotated[int, "The seat."]
    points: Annotated[int, "The points so far, which may be negative (F42)."]
    seals: Annotated[int, "How many seals are unused (F9)."]
    storehouse: Annotated[Bricks, "The bricks by colour; none of a colour: left out."]
    towers: Annotated[list[TowerView], "The towers, the oldest first."]
    hand: Annotated[list[box.CardName], "Personnel and Celebrations, one entry a card (F15)."]
    buildings: Annotated[list[box.CardName], "The Buildings that lie open (F15)."]
    bell_tower: Annotated[bool, "Whether three bricks went to the Campanile (F38)."]


class Buildable(TypedDict):
    """What a seat may build now: far more than is listed (F19)."""

    bricks: Annotated[Bricks, "The bricks at hand by colour; none of a colour: left out."]
    towers: Annotated[list[TowerView], "The towers that may be raised."]
    cost: Annotated[
        list[int],
        Between(box.MOST_LAID + 1, box.MOST_LAID + 1),
        "How many bricks are paid, after laying, for laying 0, 1, ... 6.",
    ]
    free: Annotated[
        int, Between(0, box.MOST_LAID), "How many bricks can be laid without paying any."
    ]
    most: Annotated[int, Between(0, box.MOST_LAID), "How many bricks can be laid and paid for."]
    workshop: Annotated[bool, "Whether a Workshop makes it cheaper by 1."]
    mason: Annotated[bool, "Whether a Mason makes it cheaper by 3."]


class Beyond(TypedDict):
    """What is legal beyond the listed moves, by command."""

    build: NotRequired[
        Annotated[Buildable, "What may be built; left out when the seat may not build now."]
    ]


class Known(TypedDict):
    """What everybody knows who has followed the match, and no view shows."""

    deck_start_cards: Annotated[
        dict[box.CardName, int],
        "How many of each start card still lie on top of the deck; none: left out (F13).",
    ]


class View(TypedDict):
    """A match of Firenze as a seat, or the public, sees it; only future draws are hidden (F44)."""

    step: Annotated[StepName | None, "What is to be settled now; null: the match is over."]
    active: Annotated[int, "The seat whose turn it is; another may have to act within it."]
    turn: Annotated[int, "How many turns, of all seats, came before this one."]
    turn_limit: Annotated[int, "After how many turns of each seat the match ends (F45)."]
    end_seat: Annotated[int | None, "The seat that holds the end tile; null: nobody does (F40)."]
    exchanged: Annotated[bool, "Whether a brick was exchanged this turn (F18)."]
    played: Annotated[list[box.CardName], "The Personnel played this turn (F26)."]
    architect: Annotated[ArchitectView | None, "The Architect at work; null: there is none."]
    taken: Annotated[box.CardName | None, "The card that is taking effect; null: there is none."]
    taken_bricks: Annotated[
        Bricks, "The bricks that came with that card, by colour; none of a colour: left out."
    ]
    dues: Annotated[list[DueView], "What the event takes from each seat; []: no event does (F33)."]
    row: Annotated[
        list[SlotView],
        Between(0, box.ROW_LENGTH),
        "The cards that may be taken, slot 0 first (F13).",
    ]
    church: Annotated[list[box.CardName], "The cards on the church spaces (F15)."]
    commissions: Annotated[
        dict[box.ColourName, CommissionsView], EVERY_NAME, "The commissions of each colour (F3)."
    ]
    balconies: Annotated[list[BalconyView], "The balconies I to IV (F10)."]
    level_tiles: Annotated[list[LevelTileView], "The level tiles by height (F5)."]
    majority: Annotated[
        dict[box.ColourName, int], EVERY_NAME, "The points for most seals on each colour (F41)."
    ]
    pouch: Annotated[Bricks, "The bricks in the pouch by colour; none of a colour: left out."]
    deck: Annotated[int, "How many cards are in the deck."]
    discards: Annotated[
        dict[box.CardName, int], "How many of each card are on the discard pile; none: left out."
    ]
    players: Annotated[list[PlayerView], "What lies before each player, by seat."]
    ranks: Annotated[list[int], "The rank of each seat, 1 the best; [] until the end (F42)."]
    build: NotRequired[
        Annotated[Buildable, "What the seat may build; left out for whoever may not build now."]
    ]


# ---- how it is made ------------------------------------------------------------------------------


# Looked up here by member: an attribute of an enum member costs more than an entry of a tuple.
_COLOUR_NAMES = wire_names(box.COLOURS)
_CARD_NAMES = wire_names(box.CARDS)
_STEP_NAMES = wire_names(Step)

_COLUMNS = tuple((colour.wire, box.commissions_of(colour)) for colour in box.COLOURS)
# By commission: the name of its colour, and its height.
_COLOUR_OF = tuple(box.colour_of(commission).wire for commission in box.COMMISSIONS)
_HEIGHT_OF = tuple(box.height_of(commission) for commission in box.COMMISSIONS)
_SEALS: dict[int, Seal] = {box.OPEN: None, box.NEUTRAL: "neutral"}

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
    """Return a tower; threatened: its owner has the turn and has not built yet (F20)."""
    return {
        "tower": tower.id,
        "colour": _COLOUR_NAMES[tower.colour],
        "height": tower.height,
        "lost_unless_raised": threatened and tower.idle,
    }


# ---- what is hidden from a seat, drawn anew: here nothing is (F44) -------------------------------


def imagine(state: State, _seat: int, _chance: Chance) -> State:
    """Return a copy: only future draws are hidden, and these are not in the state (F44)."""
    return state.copy()
