"""The box, and boards that the owner of another one types in (F1-F9)."""

from typing import Any

import pytest

from domain.errors import BadOption
from domain.firenze import GAME, board
from domain.firenze.board import check
from domain.firenze.components import (
    BRICKS_IN_THE_BOX,
    EVENT_CARDS,
    HEIGHTS,
    KIND_OF,
    Card,
    Colour,
    Kind,
    commissions_of,
)
from domain.firenze.setup import initial
from domain.game import Setup

# ---- the box (F1-F9), with the default board -----------------------------------------------------

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


# ---- boards that an owner types in (F4-F8) -------------------------------------------------------


def errors(typed_in: Any) -> tuple[BadOption, ...]:
    """Return all that is wrong with a board."""
    try:
        check(typed_in)
    except BadOption as refusal:
        return refusal.all
    return ()


MISSING = object()


def changed(part: Any, place: str, value: Any) -> Any:
    """Return a part of a board with another value at a place, such as "cards/flood/copies".

    MISSING leaves the entry out.
    """
    name, _, below = place.partition("/")
    is_list = isinstance(part, list)
    copy: Any = list(part) if is_list else dict(part)
    key = int(name) if is_list else name

    if below:
        copy[key] = changed(part[key] if is_list else part.get(key, {}), below, value)
    elif value is MISSING:
        del copy[key]
    else:
        copy[key] = value
    return copy


AN_OBJECT = "must be an object with the entries points, mark"

WRONG_ENTRIES: list[Any] = [
    pytest.param("commissions/red/7", MISSING, "is missing", id="F4-commission"),
    pytest.param("commissions/red/9", {}, "unknown entry; known are 3, 4", id="F4-no-such-height"),
    pytest.param("commissions/red/7/points", -1, "must be a whole number from 0", id="F4-negative"),
    pytest.param("commissions/red/7/points", True, "must be a whole number", id="F4-not-a-number"),
    pytest.param("majority/blue", 6, AN_OBJECT, id="F4-not-an-object"),
    pytest.param(
        "majority/blue/mark", "guess", "must be one of page, board, assumed", id="F4-mark"
    ),
    pytest.param("level_tiles/5", MISSING, "is missing", id="F5-level-tile"),
    pytest.param("balconies", [], "must be a list of 19 balconies", id="F6-count"),
    pytest.param("balconies/3/height", 9, "must be a whole number from 3 to 8", id="F6-height"),
    pytest.param("balconies/3/numeral", "V", "must be one of I, II", id="F6-numeral"),
    pytest.param("balconies/3/colour", "pink", "must be one of white", id="F6-colour"),
    pytest.param("cards/campanile/copies", 2, "must be 0 or 1", id="F7-church-twice"),
    pytest.param("start_cards/flood/copies", 2, "must be at most 1", id="F8-more-than-there-are"),
]


@pytest.mark.parametrize(("place", "value", "error"), WRONG_ENTRIES)
def test_a_wrong_entry_is_named(place: str, value: Any, error: str) -> None:
    """Each error says what would be right."""
    assert_refused(changed(board.DEFAULT, place, value), f"{place}: {error}")


WRONG_TOTALS: list[Any] = [
    pytest.param("cards/flood/copies", 2, "cards: must be 52 cards in all, not 53", id="F7-total"),
    pytest.param(
        "start_cards/mason", MISSING, "start_cards: must be 10 cards in all", id="F8-total"
    ),
]


@pytest.mark.parametrize(("place", "value", "error"), WRONG_TOTALS)
def test_a_wrong_total_is_told_of_the_whole(place: str, value: Any, error: str) -> None:
    """A start card may be left out: it is none of the ten then."""
    assert_refused(changed(board.DEFAULT, place, value), error)


def assert_refused(typed_in: Any, error: str) -> None:
    """Fail unless a board has this error, and the option refuses it."""
    told = [str(wrong) for wrong in errors(typed_in)]
    assert any(wrong.startswith(error) for wrong in told), told

    with pytest.raises(BadOption, match=r"^board/"):
        GAME.read_options({"board": typed_in})


def test_a_row_needs_events() -> None:
    """F17: events always come back; with as many of them as slots the row never gets shorter."""
    no_events = {card.wire: {"copies": 0} for card in EVENT_CARDS}
    cards: Any = {**board.DEFAULT["cards"], **no_events}

    too_few = {**cards, "fame": {"copies": 6}, "flood": {"copies": 5}}
    (error,) = errors({**board.DEFAULT, "cards": too_few})

    assert str(error) == (
        "cards: must be at least 6 events in all, for the row never to run short of cards"
    )

    enough = {**cards, "fame": {"copies": 5}, "flood": {"copies": 6}}
    assert errors({**board.DEFAULT, "cards": enough}) == ()


@pytest.mark.parametrize(
    "heights",
    [
        pytest.param((3, 3, 3, 3), id="F10-one-commission"),
        pytest.param((3, 4, 5, 3), id="F10-first-and-last-the-same"),
    ],
)
def test_four_different_balconies_must_be_possible(heights: tuple[int, ...]) -> None:
    """A board on which no draw could ever do is refused."""
    tiles = []
    for numeral, height, copies in zip(board.NUMERALS, heights, (5, 5, 5, 4), strict=True):
        tile = {"numeral": numeral, "colour": "white", "height": height, "points": 1}
        tiles += [tile] * copies

    (error,) = errors({**board.DEFAULT, "balconies": tiles})
    assert error.path == ("balconies",)


def test_marks_may_be_left_out() -> None:
    """F4: a value without a mark is from a real board, and is recorded so."""
    typed_in = changed(board.DEFAULT, "commissions/white/3", {"points": 42})

    recorded = GAME.read_options({"board": typed_in})["board"]
    assert recorded["commissions"]["white"]["3"] == {"mark": "board", "points": 42}


def test_the_default_board_is_what_is_played_without_one() -> None:
    """F4: option `board` left out."""
    assert GAME.read_options({})["board"] == board.DEFAULT
