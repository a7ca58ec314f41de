"""The table before the first turn, and the row (F10-F13, F16, F17)."""

from domain.chance import Chance, pick, shuffled
from domain.firenze import events as ev
from domain.firenze.board import NUMERALS, Balcony, load
from domain.firenze.components import (
    BRICKS,
    COLOURS,
    HEIGHTS,
    LOWEST,
    NEUTRAL_SEALS,
    OPEN,
    ROW,
    SEALS,
    SLOT_BRICKS,
    Bricks,
    Card,
    Colour,
    Step,
)
from domain.firenze.state import Player, State, Task
from domain.game import Draft, Setup
from domain.wire import HOUSE

LOW = (2, 3)
MOST_TILES = 2


def initial(setup: Setup) -> State:
    """Return the state before the house sets the table (F9, F12, F13)."""
    board = load(setup.options["board"])
    deck = [copies - start for copies, start in zip(board.cards, board.start_cards, strict=True)]
    start = list(board.start_cards)
    if not setup.options["campanile"]:
        deck[Card.CAMPANILE] = start[Card.CAMPANILE] = 0
    players = [_player(seat, SEALS[setup.seats]) for seat in range(setup.seats)]
    pouch = list(BRICKS)
    pouch[Colour.WHITE] -= sum(player.storehouse[Colour.WHITE] for player in players)
    return State(
        board=board,
        patrician_spares=setup.options["patrician"] == "spares",
        ask_discards=setup.options["discards"] == "chosen",
        turn_limit=setup.options["turn_limit"],
        worth=list(board.points),
        seals=[OPEN] * len(board.points),
        levels=[-1] * len(board.levels),
        balconies=[],
        next_balcony=0,
        pouch=pouch,
        start=start,
        deck=deck,
        discards=[0] * len(Card),
        row=[],
        church=[],
        players=players,
        turn=0,
        active=0,
        taken=None,
        taken_bricks=[0] * len(COLOURS),
        exchanged=False,
        played=[],
        architect=None,
        dues=(),
        end_seat=-1,
        ranks=(),
        agenda=[Task(Step.SET_UP, HOUSE)],
    )


def _player(seat: int, seals: int) -> Player:
    """Seat k starts with k+2 white bricks (F12)."""
    storehouse = [seat + 2, 0, 0, 0, 0, 0]
    return Player(
        storehouse, [0] * len(Card), [], next_tower=0, seals=seals, points=0, bell_tower=False
    )


def set_up(draft: Draft[State]) -> None:
    """Draw balconies, neutral seals and the row; the first turn begins (F10, F11, F13)."""
    state, chance = draft.state, draft.chance
    balconies = _draw_balconies(state.board.balconies, chance)
    neutral = _draw_neutral([tile.commission for tile in balconies], chance)
    pouch, start = state.pouch[:], state.start[:]
    row = [
        ev.Dealt(_draw_card(start, chance), draw_bricks(pouch, SLOT_BRICKS, chance))
        for _ in range(ROW)
    ]
    draft.emit(
        ev.TableLaid(
            balconies=tuple(
                ev.PlacedBalcony(*_place(tile.commission), tile.points) for tile in balconies
            ),
            neutral=tuple(ev.CoveredCommission(*_place(index)) for index in neutral),
            row=tuple(row),
        )
    )
    draft.emit(ev.TurnBegan(seat=0, turn=0))


def _place(index: int) -> tuple[Colour, int]:
    return COLOURS[index // len(HEIGHTS)], LOWEST + index % len(HEIGHTS)


def _draw_balconies(tiles: tuple[Balcony, ...], chance: Chance) -> list[Balcony]:
    """One of each numeral, drawn again while two cover the same commission (F10)."""
    piles = [
        [tile for tile in tiles if tile.numeral == numeral] for numeral in range(len(NUMERALS))
    ]
    while True:
        drawn = [pile[chance.below(len(pile))] for pile in piles]
        if len({tile.commission for tile in drawn}) == len(drawn):
            return drawn


def _draw_neutral(balconies: list[int], chance: Chance) -> list[int]:
    """Five free commissions, uniformly among all placements that F11 allows: drawn again until it does."""
    free = [index for index in range(len(COLOURS) * len(HEIGHTS)) if index not in balconies]
    while True:
        drawn = sorted(shuffled(chance, free)[:NEUTRAL_SEALS])
        if neutral_allowed(balconies, drawn):
            return drawn


def neutral_allowed(balconies: list[int], neutral: list[int]) -> bool:
    """No neutral seal is the third tile of its tower; two or three lie on heights 3 and 4 (F11)."""
    towers = [index // len(HEIGHTS) for index in (*balconies, *neutral)]
    low = sum(index % len(HEIGHTS) < len(LOW) for index in neutral)
    return low in LOW and all(
        towers.count(index // len(HEIGHTS)) <= MOST_TILES for index in neutral
    )


def _draw_card(pile: list[int], chance: Chance) -> Card:
    card = pick(chance, pile)
    pile[card] -= 1
    return _CARDS[card]


_CARDS = tuple(Card)


def draw_bricks(pouch: list[int], count: int, chance: Chance) -> Bricks:
    """Draw bricks out of this pouch, which changes; a short one gives what it has (F16)."""
    drawn: list[Colour] = []
    left = sum(pouch)
    for _ in range(min(count, left)):
        number = chance.below(left)
        left -= 1
        for colour in COLOURS:
            number -= pouch[colour]
            if number < 0:
                pouch[colour] -= 1
                drawn.append(colour)
                break
    return tuple(drawn)


def refill(draft: Draft[State]) -> None:
    """Refill the last slot, from the shuffled discards when the deck is empty (F16, F17)."""
    state = draft.state
    pile = state.start if any(state.start) else state.deck
    if not any(pile):
        if not any(state.discards):
            draft.emit(ev.RowShortened())
            return
        draft.emit(ev.DeckShuffled())
    card = _CARDS[pick(draft.chance, pile)]
    draft.emit(ev.RowRefilled(card, draw_bricks(state.pouch[:], SLOT_BRICKS, draft.chance)))
