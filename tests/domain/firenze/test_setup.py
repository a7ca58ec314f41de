"""The box, boards that an owner types in, the setup, and public information (F1-F13, F44)."""

from collections import Counter
from typing import Any

import pytest

from domain import wire
from domain.chance import Draws
from domain.errors import BadOption
from domain.firenze import GAME, board
from domain.firenze.board import check
from domain.firenze.components import (
    BRICKS_IN_THE_BOX,
    COMMISSIONS,
    EVENT_CARDS,
    HEIGHTS,
    KIND_OF,
    NEUTRAL,
    OPEN,
    SEATS,
    WHITE,
    Card,
    Colour,
    Kind,
    commission_index,
    commissions_of,
)
from domain.firenze.setup import initial, neutral_allowed
from domain.firenze.state import State
from domain.game import Draft, Setup
from domain.seats import HOUSE
from tests.domain.firenze.pieces import conserved
from tests.domain.firenze.table import RED, refused, table
from tests.domain.laws import walk

# ---- the box (F1-F9), with the default board -----------------------------------------------------

BOARD = board.load(board.DEFAULT)

# Of the commissions of each colour, from 3 to 8 levels.
POINTS = {
    "white": (1, 2, 3, 4, 5, 6),
    "yellow": (1, 2, 3, 5, 6, 8),
    "green": (2, 3, 4, 5, 7, 9),
    "red": (2, 3, 5, 6, 8, 11),
    "blue": (3, 4, 6, 8, 10, 13),
    "purple": (3, 5, 7, 9, 12, 16),
}

COUNTS = [
    pytest.param(list(GAME.seats), [2, 3, 4], id="F1-players"),
    pytest.param(BRICKS_IN_THE_BOX, (25, 18, 15, 12, 10, 8), id="F2-bricks"),
    pytest.param(sum(BRICKS_IN_THE_BOX), 88, id="F2-bricks-in-all"),
    pytest.param(len(BOARD.points), 36, id="F3-commissions"),
    pytest.param(HEIGHTS, (3, 4, 5, 6, 7, 8), id="F3-heights"),
    *[
        pytest.param(BOARD.points[commissions_of(Colour.of(name))], points, id=f"F4-{name}")
        for name, points in POINTS.items()
    ],
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


# The number of copies of each card, by kind.
CARDS: dict[Kind, dict[str, int]] = {
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


@pytest.mark.parametrize("kind", [pytest.param(kind, id=f"F7-{kind.name}") for kind in Kind])
def test_each_card_is_there(kind: Kind) -> None:
    """F7: each card has its number of copies, and its kind."""
    copies = {card.wire: BOARD.cards[card] for card in Card if KIND_OF[card] is kind}
    assert copies == CARDS[kind]


def test_the_start_cards() -> None:
    """F8: ten start cards lie on top."""
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
    """Return all errors of a board."""
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
    pytest.param(
        "commissions/red/9", {}, "unknown entry. Known entries: 3, 4", id="F4-no-such-height"
    ),
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
    """The error begins with the place of the entry."""
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
    messages = [str(wrong) for wrong in errors(typed_in)]
    assert any(wrong.startswith(error) for wrong in messages), messages

    with pytest.raises(BadOption, match=r"^board/"):
        GAME.read_options({"board": typed_in})


def test_a_row_needs_events() -> None:
    """F17: events always come back. With as many of them as slots the row never gets shorter."""
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
    """A board without any possible draw is refused."""
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


def opened(seats: int, seed: int = 0, **options: Any) -> State:
    """Return a match with a table laid by these draws."""
    state = initial(Setup(seats, GAME.read_options(options)))
    draft = Draft(state, GAME.evolve, Draws(bytes([seed])))
    GAME.play(draft, GAME.opening)
    return state


@pytest.mark.parametrize("seats", SEATS)
def test_white_bricks_to_start_with(seats: int) -> None:
    """F12: seat k starts with k+2 white bricks, the other bricks are in the pouch."""
    state = initial(Setup(seats, GAME.read_options({})))

    stores = [player.storehouse for player in state.players]
    assert stores == [[seat + 2, 0, 0, 0, 0, 0] for seat in range(seats)]
    assert sum(state.pouch) == 88 - sum(map(sum, stores))


def test_only_the_house_opens() -> None:
    """F43: before the opening nobody else may move, and the house may do nothing else."""
    state = initial(Setup(3, GAME.read_options({})))
    assert GAME.actors(state) == (HOUSE,)
    assert GAME.legal_moves(state, HOUSE) == [GAME.opening]
    assert refused(state, "take_card", 0, slot=0) == "F43 house_must_act"
    assert refused(state, "score", None) == "F43 house_not_awaited"


# ---- balconies and neutral seals (F10, F11) --------------------------------------------------


@pytest.mark.parametrize("seed", [pytest.param(seed, id=f"F10-{seed}") for seed in range(12)])
def test_a_balcony_of_each_numeral_brings_its_points(seed: int) -> None:
    """The points of a balcony replace the printed ones. All others stay as they are."""
    state = opened(2, seed)
    tiles = {(tile.numeral, tile.commission): tile.points for tile in BOARD.balconies}

    for numeral, commission in enumerate(state.balconies):
        points = tiles[numeral, commission]
        assert state.worth[commission] == points

    for commission in COMMISSIONS:
        if commission not in state.balconies:
            printed = BOARD.points[commission]
            assert state.worth[commission] == printed


@pytest.mark.parametrize("seed", [pytest.param(seed, id=f"F11-{seed}") for seed in range(12)])
def test_five_neutral_seals_lie_on_legal_commissions(seed: int) -> None:
    """F11: no seal is on a balcony or a tower's third tile. Two or three have height 3 or 4."""
    state = opened(2, seed)
    neutral = [commission for commission in COMMISSIONS if state.seals[commission] == NEUTRAL]

    assert len(neutral) == 5
    assert state.seals.count(OPEN) == 31
    assert not set(neutral) & set(state.balconies)
    assert neutral_allowed(state.balconies, neutral)


PLACEMENTS = [
    pytest.param([0, 6, 12, 18], [1, 7, 14, 20, 26], True, id="F11-two-low"),
    pytest.param([0, 6, 12, 18], [1, 7, 13, 20, 26], True, id="F11-three-low"),
    pytest.param([0, 6, 12, 18], [1, 8, 14, 20, 26], False, id="F11-one-low"),
    pytest.param([0, 6, 12, 18], [1, 7, 13, 19, 26], False, id="F11-four-low"),
    pytest.param([0, 6, 12, 18], [1, 2, 7, 20, 26], False, id="F11-third-with-a-balcony"),
    pytest.param([0, 6, 12, 18], [24, 25, 26, 14, 20], False, id="F11-third-seal"),
    pytest.param([0, 1, 2, 18], [7, 13, 20, 26, 32], True, id="F11-three-balconies-on-a-tower"),
]


@pytest.mark.parametrize(("balconies", "neutral", "allowed"), PLACEMENTS)
def test_neutral_seals_have_legal_places(
    balconies: list[int], neutral: list[int], allowed: bool
) -> None:
    """The ruling in numbers: two tiles a tower at most, two or three seals on heights 3 and 4."""
    assert neutral_allowed(balconies, neutral) is allowed


def test_two_balconies_never_cover_the_same_commission() -> None:
    """F10: if two balconies cover one commission, all four are drawn again."""
    on_white_3 = [_tile(numeral) for numeral in ["I"] * 5 + ["II"] * 5 + ["III"] * 5]
    higher = [_tile("IV"), _tile("IV", 4), _tile("III", 5), _tile("II", 6)]
    crowded: Any = check({**board.DEFAULT, "balconies": on_white_3 + higher})

    for seed in range(5):
        state = opened(2, seed, board=crowded)
        assert sorted(state.balconies) == [0, 1, 2, 3]


def _tile(numeral: str, height: int = 3) -> dict[str, Any]:
    return {"numeral": numeral, "colour": "white", "height": height, "points": 1}


# ---- cards and row (F13) ---------------------------------------------------------------------


def test_without_the_campanile() -> None:
    """F13: the option leaves the Campanile out."""
    cards = conserved(opened(2, campanile=False))["cards"]
    assert cards[Card.CAMPANILE] == 0
    assert sum(cards) == 51


def test_an_owner_plays_with_the_typed_in_values() -> None:
    """F4: the match counts with the values that it was given."""
    commissions: Any = board.DEFAULT["commissions"]
    white = {**commissions["white"], "3": {"points": 42}}
    typed_in = {**board.DEFAULT, "commissions": {**commissions, "white": white}}

    state = initial(Setup(2, GAME.read_options({"board": typed_in})))
    assert state.worth[commission_index(WHITE, 3)] == 42


# ---- all is public but future draws (F44) ----------------------------------------------------


class _First:
    """Chance that always draws the first."""

    def below(self, _n: int) -> int:
        return 0


def test_nothing_is_imagined() -> None:
    """F44: nothing in the state is hidden, so imagining gives an equal copy."""
    state = table()
    imagined = GAME.imagine(state, 0, _First())
    assert imagined == state

    imagined.players[1].storehouse[RED] += 1
    assert imagined != state


# ---- what is known beside the view (F13) -----------------------------------------------------


def test_events_tell_the_remaining_start_cards() -> None:
    """F13, F17, F35: start cards lie on top until they are drawn, or shuffled into the deck."""
    setup = Setup(3, GAME.read_options({}))
    deck: Counter[str] = Counter()
    numbers_of_start_cards = set()

    for step in walk(GAME, setup, 0):
        for event in step.events:
            document = wire.encode(event)
            if document["type"] == "table_laid":
                deck.update(start_cards_by_name())
                deck.subtract(slot["card"] for slot in document["row"])
            elif document["type"] == "deck_shuffled":
                deck.clear()
            elif document["type"] == "row_refilled" and deck.total():
                deck[document["card"]] -= 1

        counts = GAME.known(step.after)["deck_start_cards"]
        assert counts == dict(+deck), step.version
        numbers_of_start_cards.add(sum(counts.values()))

    assert numbers_of_start_cards == {0, 1, 2, 3, 4}


def start_cards_by_name() -> dict[str, int]:
    """Return the number of copies of each start card (F8)."""
    copies = board.load(board.DEFAULT).start_cards
    return {card.wire: copies[card] for card in Card}


# ---- what may be built (F19) -----------------------------------------------------------------


def test_builds_are_described_beside_the_listed_moves() -> None:
    """F19: builds are described as in the view, and only while the seat may build."""
    state = table(step="build")
    assert GAME.unlisted(state, 0) == {"build": GAME.view(state, 0)["build"]}
    assert GAME.unlisted(state, 1) == {}

    state.agenda.clear()
    assert GAME.unlisted(state, 0) == {}
