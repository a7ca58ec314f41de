"""The box (F1-F9): what there is of everything, with the default board."""

import pytest

from domain.firenze import GAME, board
from domain.firenze.components import (
    BRICKS_IN_THE_BOX,
    COLOURS,
    HEIGHTS,
    KIND_OF,
    Card,
    Colour,
    Kind,
    commissions_of,
)
from domain.firenze.setup import initial
from domain.game import Setup
from tests.domain.firenze.table import RED

BOARD = board.load(board.DEFAULT)

COUNTS = [
    pytest.param(list(GAME.seats), [2, 3, 4], id="F1-players"),
    pytest.param(BRICKS_IN_THE_BOX, (25, 18, 15, 12, 10, 8), id="F2-bricks"),
    pytest.param(sum(BRICKS_IN_THE_BOX), 88, id="F2-bricks-in-all"),
    pytest.param(len(BOARD.points), 36, id="F3-commissions"),
    pytest.param(HEIGHTS, (3, 4, 5, 6, 7, 8), id="F3-heights"),
    pytest.param(BOARD.majority, (2, 3, 4, 5, 6, 7), id="F4-majority"),
    pytest.param(BOARD.levels, (2, 3, 4, 5), id="F5-level-tiles"),
    pytest.param(len(BOARD.balconies), 19, id="F6-balconies"),
    pytest.param(sum(BOARD.cards), 52, id="F7-cards"),
    pytest.param(sum(BOARD.start_cards), 10, id="F8-start-cards"),
]


@pytest.mark.parametrize(("counted", "printed"), COUNTS)
def test_the_printed_numbers(counted: object, printed: object) -> None:
    """Each number is the one the rules give."""
    assert counted == printed


def test_the_colours_are_listed_cheapest_first() -> None:
    """F2: this order decides what goes first where nobody has chosen."""
    names = [colour.wire for colour in COLOURS]
    assert names == ["white", "yellow", "green", "red", "blue", "purple"]


POINTS = [
    pytest.param(Colour.WHITE, (1, 2, 3, 4, 5, 6), id="F4-white"),
    pytest.param(Colour.YELLOW, (1, 2, 3, 5, 6, 8), id="F4-yellow"),
    pytest.param(Colour.GREEN, (2, 3, 4, 5, 7, 9), id="F4-green"),
    pytest.param(Colour.RED, (2, 3, 5, 6, 8, 11), id="F4-red"),
    pytest.param(Colour.BLUE, (3, 4, 6, 8, 10, 13), id="F4-blue"),
    pytest.param(Colour.PURPLE, (3, 5, 7, 9, 12, 16), id="F4-purple"),
]


@pytest.mark.parametrize(("colour", "points"), POINTS)
def test_the_points_of_the_commissions(colour: Colour, points: tuple[int, ...]) -> None:
    """From 3 to 8 levels."""
    assert BOARD.points[commissions_of(colour)] == points


@pytest.mark.parametrize(
    ("numeral", "tiles"),
    [
        pytest.param(0, 5, id="F6-I"),
        pytest.param(1, 5, id="F6-II"),
        pytest.param(2, 5, id="F6-III"),
        pytest.param(3, 4, id="F6-IV"),
    ],
)
def test_the_balconies_of_each_numeral(numeral: int, tiles: int) -> None:
    """So many tiles carry it."""
    assert [tile.numeral for tile in BOARD.balconies].count(numeral) == tiles


def test_the_balcony_on_red_7() -> None:
    """F6: the one whose points are known from a real board."""
    red_7 = commissions_of(RED).start + HEIGHTS.index(7)
    assert [tile.points for tile in BOARD.balconies if tile.commission == red_7] == [14]


CARDS = [
    (Kind.EVENT, "botch", 1),
    (Kind.EVENT, "collapse", 1),
    (Kind.EVENT, "flood", 1),
    (Kind.EVENT, "luxury_tax", 1),
    (Kind.EVENT, "renaissance", 1),
    (Kind.EVENT, "storehouse_fire", 2),
    (Kind.EVENT, "tribute", 2),
    (Kind.PERSONNEL, "alchemist", 4),
    (Kind.PERSONNEL, "architect", 3),
    (Kind.PERSONNEL, "mason", 3),
    (Kind.PERSONNEL, "patrician", 3),
    (Kind.PERSONNEL, "princess", 2),
    (Kind.PERSONNEL, "saboteur", 1),
    (Kind.PERSONNEL, "smuggler", 3),
    (Kind.PERSONNEL, "wholesaler", 2),
    (Kind.CELEBRATION, "disgrace", 2),
    (Kind.CELEBRATION, "fame", 2),
    (Kind.CELEBRATION, "monument", 2),
    (Kind.CELEBRATION, "recognition", 2),
    (Kind.CELEBRATION, "scandal", 2),
    (Kind.BUILDING, "bridge", 1),
    (Kind.BUILDING, "warehouse", 3),
    (Kind.BUILDING, "workshop", 4),
    (Kind.CHURCH, "campanile", 1),
    (Kind.CHURCH, "minor_privilege", 1),
    (Kind.CHURCH, "privilege", 1),
    (Kind.CHURCH, "major_privilege", 1),
]


@pytest.mark.parametrize(
    ("kind", "name", "copies"), [pytest.param(*entry, id=f"F7-{entry[1]}") for entry in CARDS]
)
def test_each_card_is_there(kind: Kind, name: str, copies: int) -> None:
    """So many copies of each card, each of its kind."""
    card = Card.of(name)
    assert KIND_OF[card] is kind
    assert BOARD.cards[card] == copies


def test_the_start_cards() -> None:
    """F8: which ten cards lie on top."""
    start = {card.wire: BOARD.start_cards[card] for card in Card if BOARD.start_cards[card]}
    assert start == {
        "alchemist": 2,
        "mason": 2,
        "workshop": 2,
        "architect": 1,
        "princess": 1,
        "smuggler": 1,
        "warehouse": 1,
    }


@pytest.mark.parametrize(
    ("seats", "seals"),
    [
        pytest.param(2, 9, id="F9-two"),
        pytest.param(3, 7, id="F9-three"),
        pytest.param(4, 6, id="F9-four"),
    ],
)
def test_the_seals_of_the_players(seats: int, seals: int) -> None:
    """The fewer players, the more seals has each."""
    state = initial(Setup(seats, GAME.read_options({})))
    assert [player.seals for player in state.players] == [seals] * seats
