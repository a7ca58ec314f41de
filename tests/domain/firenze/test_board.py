"""Boards that the owner of a box types in (F4-F8): what is taken, and what is said of the rest."""

from typing import Any

import pytest

from domain.errors import BadOption
from domain.firenze import GAME, board
from domain.firenze.board import check
from domain.firenze.components import EVENT_CARDS

Path = tuple[str | int, ...]


def errors(typed_in: Any) -> tuple[BadOption, ...]:
    """Return all that is wrong with a board."""
    try:
        check(typed_in)
    except BadOption as refusal:
        return refusal.all
    return ()


def changed(part: Any, path: Path, value: Any) -> Any:
    """Return a part of a board with the value at the path changed."""
    if not path:
        return value

    first, *rest = path
    copy: Any = list(part) if isinstance(part, list) else dict(part)
    copy[first] = changed(part[first] if rest else None, tuple(rest), value)
    return copy


def without(part: Any, path: Path) -> Any:
    """Return a part of a board with the entry at the path left out."""
    first, *rest = path
    copy: Any = dict(part)
    if rest:
        copy[first] = without(part[first], tuple(rest))
    else:
        del copy[first]
    return copy


WRONG_VALUES: list[Any] = [
    pytest.param(
        ("commissions", "red", "9"),
        {},
        "commissions/red/9: unknown entry; known are 3, 4",
        id="F4-no-such-height",
    ),
    pytest.param(
        ("commissions", "red", "7", "points"),
        -1,
        "commissions/red/7/points: must be a whole number from 0 to 99",
        id="F4-negative",
    ),
    pytest.param(
        ("commissions", "red", "7", "points"),
        True,
        "commissions/red/7/points: must be a whole number",
        id="F4-not-a-number",
    ),
    pytest.param(
        ("majority", "blue"),
        {"points": 1, "mark": "guess"},
        "majority/blue/mark: must be one of page, board, assumed",
        id="F4-mark",
    ),
    pytest.param(
        ("majority", "blue"),
        6,
        "majority/blue: must be an object with the entries points, mark",
        id="F4-not-an-object",
    ),
    pytest.param(("balconies",), [], "balconies: must be a list of 19 balconies", id="F6-count"),
    pytest.param(
        ("balconies", 3, "height"),
        9,
        "balconies/3/height: must be a whole number from 3 to 8",
        id="F6-height",
    ),
    pytest.param(
        ("balconies", 3, "numeral"),
        "V",
        "balconies/3/numeral: must be one of I, II",
        id="F6-numeral",
    ),
    pytest.param(
        ("balconies", 3, "colour"),
        "pink",
        "balconies/3/colour: must be one of white",
        id="F6-colour",
    ),
    pytest.param(
        ("cards", "flood", "copies"), 2, "cards: must be 52 cards in all, not 53", id="F7-total"
    ),
    pytest.param(
        ("cards", "campanile", "copies"),
        2,
        "cards/campanile/copies: must be 0 or 1",
        id="F7-church-twice",
    ),
    pytest.param(
        ("start_cards", "flood"),
        {"copies": 2},
        "start_cards/flood/copies: must be at most 1",
        id="F8-more-than-there-are",
    ),
]


@pytest.mark.parametrize(("path", "value", "error"), WRONG_VALUES)
def test_a_wrong_value_is_named(path: Path, value: Any, error: str) -> None:
    """Each error names its entry and says what would be right; the option refuses such a board."""
    _assert_refused(changed(board.DEFAULT, path, value), error)


MISSING_ENTRIES: list[Any] = [
    pytest.param(("commissions", "red", "7"), "commissions/red/7: is missing", id="F4-commission"),
    pytest.param(("level_tiles", "5"), "level_tiles/5: is missing", id="F5-level-tile"),
    pytest.param(
        ("start_cards", "mason"), "start_cards: must be 10 cards in all, not 8", id="F8-total"
    ),
]


@pytest.mark.parametrize(("path", "error"), MISSING_ENTRIES)
def test_a_missing_entry_is_named(path: Path, error: str) -> None:
    """A start card may be left out: it is none of the ten then."""
    _assert_refused(without(board.DEFAULT, path), error)


def _assert_refused(typed_in: Any, error: str) -> None:
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
    path = ("commissions", "white", "3")
    typed_in = changed(board.DEFAULT, path, {"points": 42})

    recorded = GAME.read_options({"board": typed_in})["board"]
    assert recorded["commissions"]["white"]["3"] == {"mark": "board", "points": 42}


def test_the_default_board_is_what_is_played_without_one() -> None:
    """F4: option `board` left out."""
    assert GAME.read_options({})["board"] == board.DEFAULT
