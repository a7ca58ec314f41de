"""The options of a match, and the table before the first turn (F9-F13)."""

from domain.chance import Chance, shuffled
from domain.firenze import board, components as box
from domain.firenze.agenda import Step, Task
from domain.firenze.board import NUMERALS, Balcony, Board, BoardTables, check, load
from domain.firenze.commands import SetUp
from domain.firenze.events import CoveredCommission, Dealt, PlacedBalcony, TableLaid, TurnBegan
from domain.firenze.row import draw_bricks
from domain.firenze.state import Player, State
from domain.game import Draft, Setup
from domain.kit import one_of, take_from
from domain.options import Choice, Data, Flag, Number
from domain.seats import HOUSE

# The options for the creator of a match.
OPTIONS = (
    Data(
        name="board",
        default=board.DEFAULT,
        text="Printed values of the board (F4).",
        check=check,
        form=Board,
    ),
    Flag(
        name="campanile",
        default=True,
        text="True if the Campanile is in the deck (F13).",
    ),
    Choice(
        name="patrician",
        default="cancels",
        text="Effect of a Patrician on an event for all (F31).",
        choices=("cancels", "spares"),
    ),
    Choice(
        name="discards",
        default="automatic",
        text="Choice of the bricks for Flood and taxes (F34).",
        choices=("automatic", "chosen"),
    ),
    Number(
        name="turn_limit",
        default=60,
        text="Turns of each player until the match ends (F45).",
        least=10,
        most=500,
    ),
)


# ---- the table before the first turn -------------------------------------------------------------

SMALL_NEUTRAL_SEALS = (2, 3)
MOST_TILES_ON_A_TOWER = 2


def initial(setup: Setup) -> State:
    """Return the state before the house sets the table (F9, F12, F13)."""
    options = setup.options
    tables = load(options["board"])
    start, deck = _piles(tables, campanile=options["campanile"])
    players = [_player(seat, setup.seats) for seat in range(setup.seats)]
    pouch = list(box.BRICKS_IN_THE_BOX)
    pouch[box.WHITE] -= sum(player.storehouse[box.WHITE] for player in players)

    return State(
        board=tables,
        patrician_spares=options["patrician"] == "spares",
        ask_discards=options["discards"] == "chosen",
        turn_limit=options["turn_limit"],
        worth=list(tables.points),
        seals=[box.OPEN] * len(box.COMMISSIONS),
        levels=[-1] * len(tables.levels),
        balconies=[],
        next_balcony=0,
        pouch=pouch,
        start=start,
        deck=deck,
        discards=[0] * len(box.CARDS),
        row=[],
        church=[],
        players=players,
        turn=0,
        active=0,
        taken=None,
        taken_bricks=[*box.NO_BRICKS],
        at_work=None,
        exchanged=False,
        played=[],
        architect=None,
        dues=(),
        end_seat=-1,
        ranks=(),
        agenda=[Task(Step.SET_UP, HOUSE)],
    )


def _piles(tables: BoardTables, *, campanile: bool) -> tuple[list[int], list[int]]:
    """Return the start cards, and the deck below them, as counts by card (F8, F13)."""
    start = list(tables.start_cards)
    deck = [copies - on_top for copies, on_top in zip(tables.cards, start, strict=True)]
    if not campanile:
        start[box.CAMPANILE] = 0
        deck[box.CAMPANILE] = 0
    return start, deck


def _player(seat: int, seats: int) -> Player:
    """Return a player before the first turn. Seat k starts with k+2 white bricks (F9, F12)."""
    storehouse = [*box.NO_BRICKS]
    storehouse[box.WHITE] = seat + box.FIRST_SEAT_BRICKS
    return Player(
        storehouse=storehouse,
        cards=[0] * len(box.CARDS),
        towers=[],
        next_tower=0,
        seals=box.SEALS_BY_SEATS[seats],
        points=0,
        bell_tower=False,
    )


def set_up(draft: Draft[State], _command: SetUp) -> None:
    """Draw balconies, neutral seals and the row, and begin the first turn (F10, F11, F13)."""
    # Records fix the order of the draws: balconies, neutral seals, then the row slot by slot.
    balconies = _draw_balconies(draft.state.board.balconies, draft.chance)
    covered = [tile.commission for tile in balconies]
    neutral = _draw_neutral(covered, draft.chance)
    row = _deal_row(draft.state, draft.chance)

    draft.emit(
        TableLaid(
            balconies=tuple(_placed(tile) for tile in balconies),
            neutral=tuple(
                CoveredCommission(box.colour_of(commission), box.height_of(commission))
                for commission in neutral
            ),
            row=row,
        )
    )
    draft.emit(TurnBegan(seat=0, turn=0))


def _placed(tile: Balcony) -> PlacedBalcony:
    return PlacedBalcony(
        colour=box.colour_of(tile.commission),
        height=box.height_of(tile.commission),
        points=tile.points,
    )


def _deal_row(state: State, chance: Chance) -> tuple[Dealt, ...]:
    """Return six start cards with four bricks each (F13)."""
    pouch = state.pouch[:]
    start = state.start[:]

    row = []
    for _ in range(box.ROW_LENGTH):
        card = box.CARDS[take_from(chance, start)]
        bricks = draw_bricks(pouch, box.BRICKS_PER_SLOT, chance)
        row.append(Dealt(card, bricks))
    return tuple(row)


def _draw_balconies(tiles: tuple[Balcony, ...], chance: Chance) -> list[Balcony]:
    """Draw one balcony of each numeral, again while two cover the same commission (F10)."""
    piles: list[list[Balcony]] = [[] for _ in NUMERALS]
    for tile in tiles:
        piles[tile.numeral].append(tile)

    while True:
        drawn = [one_of(chance, pile) for pile in piles]
        covered = {tile.commission for tile in drawn}
        if len(covered) == len(NUMERALS):
            return drawn


def _draw_neutral(balconies: list[int], chance: Chance) -> list[int]:
    """Draw five free commissions, again until F11 allows their placing.

    So all allowed placings are equally likely.
    """
    free = [commission for commission in box.COMMISSIONS if commission not in balconies]
    while True:
        drawn = sorted(shuffled(chance, free)[: box.NEUTRAL_SEALS])
        if neutral_allowed(balconies, drawn):
            return drawn


def neutral_allowed(balconies: list[int], neutral: list[int]) -> bool:
    """Return True if neutral seals may lie on these commissions (F11).

    No seal is the third tile of its tower. Two or three seals lie on heights 3 and 4.
    """
    small = sum(box.is_small(commission) for commission in neutral)
    if small not in SMALL_NEUTRAL_SEALS:
        return False

    towers = [box.colour_of(commission) for commission in (*balconies, *neutral)]
    sealed_towers = {box.colour_of(commission) for commission in neutral}
    return all(towers.count(colour) <= MOST_TILES_ON_A_TOWER for colour in sealed_towers)
