"""The box (F1-F9) and the setup (F10-F13)."""

from typing import Any

import pytest

from domain.chance import Draws
from domain.errors import BadOption
from domain.firenze import GAME, board
from domain.firenze.board_check import check
from domain.firenze.cards import KIND_OF, Card, Kind
from domain.firenze.components import BRICKS_IN_THE_BOX, COLOURS, HEIGHTS, NEUTRAL, OPEN
from domain.firenze.setup import initial, neutral_allowed
from domain.firenze.state import State
from domain.game import Draft, Setup
from domain.seats import HOUSE
from tests.domain.firenze.pieces import conserved
from tests.domain.firenze.table import bricks, do, refused, table

BOARD = board.load(board.DEFAULT)


def opened(seats: int, seed: int = 0, **options: Any) -> State:
    state = initial(Setup(seats, GAME.read_options(options)))
    GAME.play(Draft(state, GAME.evolve, Draws(bytes([seed]))), GAME.opening)
    return state


COUNTS = [
    pytest.param(list(GAME.seats), [2, 3, 4], id="F1-players"),
    pytest.param(BRICKS_IN_THE_BOX, (25, 18, 15, 12, 10, 8), id="F2-bricks"),
    pytest.param(sum(BRICKS_IN_THE_BOX), 88, id="F2-bricks-in-all"),
    pytest.param(
        [c.wire for c in COLOURS],
        bricks("white yellow green red blue purple"),
        id="F2-cheapest-first",
    ),
    pytest.param(len(BOARD.points), 36, id="F3-commissions"),
    pytest.param(HEIGHTS, (3, 4, 5, 6, 7, 8), id="F3-heights"),
    pytest.param(BOARD.points[:6], (1, 2, 3, 4, 5, 6), id="F4-white"),
    pytest.param(BOARD.points[6:12], (1, 2, 3, 5, 6, 8), id="F4-yellow"),
    pytest.param(BOARD.points[12:18], (2, 3, 4, 5, 7, 9), id="F4-green"),
    pytest.param(BOARD.points[18:24], (2, 3, 5, 6, 8, 11), id="F4-red"),
    pytest.param(BOARD.points[24:30], (3, 4, 6, 8, 10, 13), id="F4-blue"),
    pytest.param(BOARD.points[30:], (3, 5, 7, 9, 12, 16), id="F4-purple"),
    pytest.param(BOARD.majority, (2, 3, 4, 5, 6, 7), id="F4-majority"),
    pytest.param(BOARD.levels, (2, 3, 4, 5), id="F5-level-tiles"),
    pytest.param(len(BOARD.balconies), 19, id="F6-balconies"),
    pytest.param(
        [sum(b.numeral == n for b in BOARD.balconies) for n in range(4)],
        [5, 5, 5, 4],
        id="F6-numerals",
    ),
    pytest.param([b.points for b in BOARD.balconies if b.commission == 22], [14], id="F6-red-7"),
    pytest.param(sum(BOARD.cards), 52, id="F7-cards"),
    pytest.param(sum(BOARD.start_cards), 10, id="F8-start-cards"),
]


@pytest.mark.parametrize(("counted", "printed"), COUNTS)
def test_the_printed_numbers(counted: object, printed: object) -> None:
    """Each number is the one the rules give."""
    assert counted == printed


CARDS = {
    Kind.EVENT: {
        "botch": 1,
        "collapse": 1,
        "flood": 1,
        "luxury_tax": 1,
        "renaissance": 1,
        "storehouse_fire": 2,
        "tribute": 2,
    },
    Kind.PERSONNEL: {
        "alchemist": 4,
        "architect": 3,
        "mason": 3,
        "patrician": 3,
        "princess": 2,
        "saboteur": 1,
        "smuggler": 3,
        "wholesaler": 2,
    },
    Kind.CELEBRATION: {"disgrace": 2, "fame": 2, "monument": 2, "recognition": 2, "scandal": 2},
    Kind.BUILDING: {"bridge": 1, "warehouse": 3, "workshop": 4},
    Kind.CHURCH: {"campanile": 1, "minor_privilege": 1, "privilege": 1, "major_privilege": 1},
}


@pytest.mark.parametrize(
    ("name", "kind", "copies"),
    [
        pytest.param(n, kind, k, id=f"F7-{n}")
        for kind, cards in CARDS.items()
        for n, k in cards.items()
    ],
)
def test_each_card_is_there(name: str, kind: Kind, copies: int) -> None:
    """So many copies of each card, each of its kind."""
    card = Card[name.upper()]
    assert (KIND_OF[card], BOARD.cards[card]) == (kind, copies)


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
def test_seals_and_bricks_of_the_players(seats: int, seals: int) -> None:
    """F9 seals; F12 seat k starts with k+2 white bricks, the other bricks are in the pouch."""
    state = initial(Setup(seats, GAME.read_options({})))
    assert [player.seals for player in state.players] == [seals] * seats
    assert [player.storehouse for player in state.players] == [
        [seat + 2, 0, 0, 0, 0, 0] for seat in range(seats)
    ]
    assert sum(state.pouch) == 88 - sum(seat + 2 for seat in range(seats))


# ---- the setup -------------------------------------------------------------------------------------------------------


def test_only_the_house_opens() -> None:
    """F43: before the opening nobody else may move; then seat 0 starts (F1)."""
    state = initial(Setup(3, GAME.read_options({})))
    assert GAME.actors(state) == (HOUSE,)
    assert GAME.legal_moves(state, HOUSE) == [GAME.opening]
    assert refused(state, "take_card", 0, slot=0) == "F43 house_must_act"
    do(state, "set_up", None)
    assert (GAME.actors(state), state.turn) == ((0,), 0)
    assert refused(state, "set_up", None) == "F43 house_not_awaited"


@pytest.mark.parametrize("seed", [pytest.param(seed, id=f"F10-F11-{seed}") for seed in range(12)])
def test_balconies_and_neutral_seals(seed: int) -> None:
    """A balcony of each numeral with its points; five neutral seals, none third on a tower, two or three low ones."""
    state = opened(2, seed)
    tiles = {(tile.numeral, tile.commission): tile.points for tile in BOARD.balconies}
    assert [state.worth[index] for index in state.balconies] == [
        tiles[n, i] for n, i in enumerate(state.balconies)
    ]
    others = [index for index in range(36) if index not in state.balconies]
    assert [state.worth[index] for index in others] == [BOARD.points[index] for index in others]
    neutral = [index for index, owner in enumerate(state.seals) if owner == NEUTRAL]
    assert (len(neutral), state.seals.count(OPEN)) == (5, 31)
    assert not set(neutral) & set(state.balconies)
    assert neutral_allowed(state.balconies, neutral)


@pytest.mark.parametrize(
    ("balconies", "neutral", "allowed"),
    [
        pytest.param([0, 6, 12, 18], [1, 7, 14, 20, 26], True, id="F11-two-low"),
        pytest.param([0, 6, 12, 18], [1, 7, 13, 20, 26], True, id="F11-three-low"),
        pytest.param([0, 6, 12, 18], [1, 8, 14, 20, 26], False, id="F11-one-low"),
        pytest.param([0, 6, 12, 18], [1, 7, 13, 19, 26], False, id="F11-four-low"),
        pytest.param([0, 6, 12, 18], [1, 2, 7, 20, 26], False, id="F11-third-with-a-balcony"),
        pytest.param([0, 6, 12, 18], [24, 25, 26, 14, 20], False, id="F11-third-seal"),
        pytest.param([0, 1, 2, 18], [7, 13, 20, 26, 32], True, id="F11-three-balconies-on-a-tower"),
    ],
)
def test_where_neutral_seals_may_lie(
    balconies: list[int], neutral: list[int], allowed: bool
) -> None:
    """The ruling in numbers: two tiles a tower at most, two or three seals on heights 3 and 4."""
    assert neutral_allowed(balconies, neutral) is allowed


def test_two_balconies_never_cover_the_same_commission() -> None:
    """F10: with a board on which they could, they are drawn again."""
    data: Any = check(
        {
            **board.DEFAULT,
            "balconies": [_tile(n) for n in ["I"] * 5 + ["II"] * 5 + ["III"] * 5]
            + [_tile("IV"), _tile("IV", 4), _tile("III", 5), _tile("II", 6)],
        }
    )
    for seed in range(5):
        assert sorted(opened(2, seed, board=data).balconies) == [0, 1, 2, 3]


def _tile(numeral: str, height: int = 3) -> dict[str, Any]:
    return {"numeral": numeral, "colour": "white", "height": height, "points": 1}


def test_the_row() -> None:
    """F13: six start cards with four bricks each; four start cards are left on the deck."""
    state = opened(4)
    assert [sum(slot.bricks) for slot in state.row] == [4] * 6
    assert (sum(state.start), sum(state.deck)) == (4, 42)
    assert all(BOARD.start_cards[slot.card] for slot in state.row)
    assert conserved(state)["cards"] == list(BOARD.cards)


def test_without_the_campanile() -> None:
    """F13: the option leaves that one card out."""
    cards = conserved(opened(2, campanile=False))["cards"]
    assert (cards[Card.CAMPANILE], sum(cards)) == (0, 51)


def test_the_start_cards_come_first() -> None:
    """F13: the next four cards are start cards as well."""
    state = table()
    left = sum(state.start)
    for turn in range(left):
        do(state, "take_card", turn % 2, slot=0, seed=turn)
        do(state, "end_turn", turn % 2)
    assert (sum(state.start), sum(state.deck)) == (0, 42)


# ---- the board -------------------------------------------------------------------------------------------------------


def errors(data: Any) -> tuple[BadOption, ...]:
    """Return all that is wrong with a board."""
    try:
        check(data)
    except BadOption as refusal:
        return refusal.all
    return ()


def broken(*path: Any, value: Any = None) -> Any:
    """Return the default board with one entry changed, or left out."""

    def change(data: Any, rest: tuple[Any, ...]) -> Any:
        if not rest:
            return value
        copy = list(data) if isinstance(data, list) else dict(data)
        if len(rest) == 1 and value is None:
            del copy[rest[0]]
        else:
            copy[rest[0]] = change(
                copy[rest[0]] if isinstance(copy, list) else copy.get(rest[0]), rest[1:]
            )
        return copy

    return change(board.DEFAULT, path)


POINTS = ("commissions", "red", "7", "points")
BROKEN: list[Any] = [
    pytest.param(
        ("commissions", "red", "7"),
        None,
        "commissions/red/7: is missing",
        id="F4-commission-missing",
    ),
    pytest.param(
        ("commissions", "red", "9"), {}, "commissions/red/9: unknown entry", id="F4-no-such-height"
    ),
    pytest.param(
        POINTS,
        -1,
        "commissions/red/7/points: must be a whole number from 0 to 99",
        id="F4-negative",
    ),
    pytest.param(
        POINTS, True, "commissions/red/7/points: must be a whole number", id="F4-not-a-number"
    ),
    pytest.param(
        ("majority", "blue"),
        {"points": 1, "mark": "guess"},
        "majority/blue/mark: must be one",
        id="F4-mark",
    ),
    pytest.param(
        ("majority", "blue"), 6, "majority/blue: must be an object", id="F4-not-an-object"
    ),
    pytest.param(("level_tiles", "5"), None, "level_tiles/5: is missing", id="F5-level-missing"),
    pytest.param(("balconies",), [], "balconies: must be a list of 19 balconies", id="F6-count"),
    pytest.param(
        ("balconies", 3, "height"),
        9,
        "balconies/3/height: must be a whole number from 3",
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
        id="F8-many",
    ),
    pytest.param(
        ("start_cards", "mason"), None, "start_cards: must be 10 cards in all, not 8", id="F8-total"
    ),
]


@pytest.mark.parametrize(("path", "value", "error"), BROKEN)
def test_a_board_is_checked(path: tuple[Any, ...], value: Any, error: str) -> None:
    """Each error names its entry and says what would be right; the option refuses such a board."""
    data = broken(*path, value=value)
    assert any(str(found).startswith(error) for found in errors(data)), errors(data)
    with pytest.raises(BadOption, match=r"^board/"):
        GAME.read_options({"board": data})


def test_a_row_needs_events() -> None:
    """F17: events always come back, so with as many of them as slots the row never gets shorter."""
    cards: Any = {**board.DEFAULT["cards"], **{name: {"copies": 0} for name in CARDS[Kind.EVENT]}}

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
    tiles = [
        _tile(n, h)
        for n, h, count in zip(board.NUMERALS, heights, (5, 5, 5, 4), strict=True)
        for _ in range(count)
    ]
    assert [error.path for error in errors({**board.DEFAULT, "balconies": tiles})] == [
        ("balconies",)
    ]


def test_an_owner_may_type_in_the_printed_values() -> None:
    """F4: marks may be left out; the match counts with the values it was given and records them whole."""
    data: Any = broken("commissions", "white", "3", value={"points": 42})
    options = GAME.read_options({"board": data})
    assert options["board"]["commissions"]["white"]["3"] == {"mark": "board", "points": 42}
    assert initial(Setup(2, options)).worth[0] == 42
    assert GAME.read_options({})["board"] == board.DEFAULT
