"""The council, majorities, ties, the end of play and the winner (C31-C42)."""

from typing import Any

import pytest

from domain.calimala import GAME
from domain.calimala.agenda import Turn
from domain.calimala.components import FINAL_PLACES, PLACES, TILES, Building, Category, Edition
from domain.calimala.scoring import counted, final_result, settle
from domain.calimala.setup import initial
from domain.calimala.state import State
from domain.game import HOUSE, Outcome, Setup
from tests.domain.calimala.pieces import discs
from tests.domain.calimala.table import (
    BRICK_ARTWORK,
    BRICK_WOOD,
    MARBLE_WEAVE,
    WEAVE_TRANSPORT,
    WHITE,
    do,
    legal,
    perform,
    place,
    place_above,
    placing_refused,
    refused,
    skip,
    table,
    tags,
)
from tests.domain.laws import walk

# ---- the fourth disc (C31, C38) ------------------------------------------------------------------


def test_the_bottom_disc_takes_a_seat() -> None:
    """C31: after the activations the disc takes the seat of the next tile. That tile is scored."""
    state = table()
    state.council_seats = (WHITE,)
    state.scored = 1
    *_, ended, promoted = place_above(state, 2, 1, 1)

    assert tags([ended, promoted]) == ["activation_ended", "disc_promoted"]
    assert promoted.seat == 2
    assert promoted.tile is Category.LISBON
    assert state.streets[BRICK_WOOD] == (1, 1, 0)
    assert list(state.council_seats) == [WHITE, 2]

    (scored,) = do(state, "score")
    assert scored.category is Category.LISBON
    assert GAME.actors(state) == (1,)


def test_nobody_moves_while_the_house_must_score() -> None:
    """C38: once the disc has arrived only the house may act, by scoring."""
    state = table()
    place_above(state, 2, 1, 1)
    assert GAME.actors(state) == (HOUSE,)
    assert tags(GAME.legal_moves(state, HOUSE)) == ["score"]
    for seat in range(3):
        assert placing_refused(state, seat, BRICK_ARTWORK) == "C38 house_must_act"


# ---- a white disc at the bottom (C32-C34) --------------------------------------------------------

EDITIONS = [edition.wire for edition in Edition]


def last_disc(edition: str = "english") -> State:
    """Return a table with one coloured disc in seat 0's reserve, to be placed now."""
    state = table(edition=edition)
    state.players[0].discs = 1
    return state


def places(state: State) -> list[tuple[str, int]]:
    """Return the street and the position of each disc that seat 0 may give up."""
    return [(move["street"], move["position"]) for move in legal(state, 0, "give_up_disc")]


# ---- with a disc in reserve ----------------------------------------------------------------------


def test_whites_are_exchanged_by_whoever_is_active() -> None:
    """C32: a white disc has no owner. Seat 1 exchanges the one that seat 0 placed."""
    state = table()
    place_above(state, disc="white")
    state.agenda = [Turn(1)]
    state.streets[BRICK_WOOD] += (2, 2)

    place(state, 1, BRICK_WOOD)
    events = []
    for seat in (1, 2, 2):
        perform(state, seat, "brick")
        events = perform(state, seat, "wood")

    assert events[-1].tag == "white_disc_exchanged"
    assert events[-1].seat == 1
    assert state.players[0].whites == 2
    assert state.players[1].whites == 4


# ---- with a disc on a street ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edition", "own_street_too", "white_stays"),
    [
        pytest.param("english", False, True, id="C33-english"),
        pytest.param("hungarian", True, True, id="C33-hungarian"),
        pytest.param("german", True, False, id="C33-german"),
    ],
)
def test_a_white_disc_without_a_reserve(
    edition: str, own_street_too: bool, white_stays: bool
) -> None:
    """C33: a disc on a street takes the seat. The white one goes on its stack, or leaves the game.

    English rules spare the stack that the white disc comes from.
    """
    state = last_disc(edition)
    state.streets[MARBLE_WEAVE] = (0, 2)
    state.streets[WEAVE_TRANSPORT] = (2, 0)
    before = discs(state) + 3  # the stack that is put down below the placed disc

    place_above(state, WHITE, 1, WHITE)
    own_street = {"0-3": 2} if own_street_too else {}

    assert dict(places(state)) == {"6-7": 0, "7-8": 1, **own_street}

    do(state, "give_up_disc", 0, street="6-7", position=0)
    assert state.council_seats == (0,)
    assert GAME.actors(state) == (HOUSE,)
    assert state.streets[MARBLE_WEAVE] == ((2, WHITE) if white_stays else (2,))
    assert state.streets[BRICK_WOOD] == (1, WHITE, 0)
    assert discs(state) == before - (not white_stays)


def test_a_single_disc_is_taken_without_asking() -> None:
    """C33: with one disc to give up there is no choice."""
    state = last_disc()
    state.streets[MARBLE_WEAVE] = (2, 0)
    assert tags(place_above(state, WHITE, 1, WHITE))[-1] == "disc_given_up"


WRONG_PLACES = [
    pytest.param("6-7", 1, id="C33-another-players"),
    pytest.param("6-7", 3, id="C33-above-the-stack"),
    pytest.param("6-7", -1, id="C33-below-the-stack"),
    pytest.param("0-1", 0, id="C33-empty-street"),
]


@pytest.mark.parametrize(("street", "position"), WRONG_PLACES)
def test_a_disc_given_up_must_be_ones_own(street: str, position: int) -> None:
    """C33: only a coloured disc of the active player can be given up."""
    state = last_disc()
    state.streets[MARBLE_WEAVE] = (0, 2, 0)
    place_above(state, WHITE, 1, 2)

    why = refused(state, "give_up_disc", 0, street=street, position=position)
    assert why == "C33 disc_not_yours_to_give"


# ---- with no disc at all -------------------------------------------------------------------------


@pytest.mark.parametrize("edition", [pytest.param(name, id=f"C34-{name}") for name in EDITIONS])
def test_without_a_disc_to_take_the_seat_stays_empty(edition: str) -> None:
    """C34: the tile is scored all the same and the white disc leaves the game."""
    state = last_disc(edition)
    state.players[0].discs = 0
    before = discs(state) + 3
    events = place_above(state, WHITE, 1, 2, disc="white")

    assert tags(events)[-2:] == ["white_disc_lifted", "seat_left_empty"]
    assert state.council_seats == (WHITE,)
    assert discs(state) == before - 1

    (scored,) = do(state, "score")
    assert scored.category is Category.BARCELONA


def test_the_english_rule_ignores_a_disc_in_this_stack() -> None:
    """C33, C34: the last disc lies in the white disc's own stack, so the council seat is empty."""
    events = place_above(last_disc(), WHITE, 1, 2)
    assert tags(events)[-1] == "seat_left_empty"


# ---- whole matches -------------------------------------------------------------------------------


def leaves_the_game(event: object) -> bool:
    """Return True if a disc leaves the game by an event."""
    tag = getattr(event, "tag", None)
    if tag == "disc_given_up":
        return not getattr(event, "white_stays", True)
    return tag in ("disc_removed", "seat_left_empty")


@pytest.mark.parametrize("edition", [pytest.param(name, id=f"C33-{name}") for name in EDITIONS])
def test_no_disc_is_lost_or_made(edition: str) -> None:
    """C31-C34, C40: over whole matches, discs leave the game only by an event."""
    setup = Setup(5, {"edition": edition, "layout": "random"})
    for seed in range(8):
        expected = discs(initial(setup))
        for step in walk(GAME, setup, seed):
            expected -= sum(leaves_the_game(event) for event in step.events)
            assert discs(step.after) == expected


# ---- the last turns ------------------------------------------------------------------------------
def last_turn(seats: int = 3) -> State:
    """Return a table with one coloured disc for the last seat and none for the others."""
    state = table(seats)
    for player in state.players:
        player.discs = 0
        player.whites = 0
    state.players[-1].discs = 1
    state.agenda = [Turn(seats - 1)]
    return state


def place_and_perform(state: State, seat: int, *stack: int) -> list[Any]:
    """Let the seat place on brick-wood above the stack and carry its actions out.

    All others skip theirs. Returns the events of the last of these moves.
    """
    state.streets[BRICK_WOOD] = stack
    (placed, *_) = place(state, seat, BRICK_WOOD)
    events: list[Any] = []
    for owner in placed.activates:
        use = perform if owner == seat else skip
        use(state, owner, "brick")
        events = use(state, owner, "wood")
    return events


# ---- what is counted -----------------------------------------------------------------------------


def with_different_heaps() -> State:
    """Return a table with heaps of seat 0. Of one sort no two heaps or sums of heaps are equal."""
    state = table()
    for city in range(6):
        state.cloth[city] = (1 << city, 0, 0)
    for row in range(9):
        state.contributed[row] = (1 << row, 0, 0)
    for building in range(4):
        state.artworks[building] = (1000 << building, 0, 0)
    return state


CATEGORIES = [
    pytest.param("barcelona", 1, id="C35-barcelona"),
    pytest.param("lisbon", 2, id="C35-lisbon"),
    pytest.param("london", 4, id="C35-london"),
    pytest.param("troyes", 8, id="C35-troyes"),
    pytest.param("bruges", 16, id="C35-bruges"),
    pytest.param("hamburg", 32, id="C35-hamburg"),
    pytest.param("santa_maria_del_fiore", 1 + 2 + 4 + 1000, id="C35-santa-maria"),
    pytest.param("san_miniato", 8 + 16 + 32 + 2000, id="C35-san-miniato"),
    pytest.param("santa_croce", 64 + 128 + 256 + 4000, id="C35-santa-croce"),
    pytest.param("artwork", 15000, id="C35-artwork-at-all-four"),
    pytest.param("port_cities", 1 + 2 + 4, id="C35-ports"),
    pytest.param("trade_cities", 8 + 16 + 32, id="C35-trade-cities"),
    pytest.param("contributed_wood", 1 + 8 + 64, id="C35-wood"),
    pytest.param("contributed_brick", 2 + 16 + 128, id="C35-brick"),
    pytest.param("contributed_marble", 4 + 32 + 256, id="C35-marble-without-artworks"),
    pytest.param("palazzo_vecchio", 8000 + 2, id="C41-seats-and-artworks"),
]


@pytest.mark.parametrize(("name", "count"), CATEGORIES)
def test_each_category_counts_its_cubes(name: str, count: int) -> None:
    """C35: each category counts its own cubes. C41: the town hall's card counts seats too."""
    state = with_different_heaps()
    state.council_seats = (0, 1, 0)
    category = Category[name.upper()]
    assert counted(state, category)[0] == count


# ---- who gets the points -------------------------------------------------------------------------


def lisbon(counts: list[int], seats: str = "", patrons: str = "") -> State:
    """Return a table with cloth in Lisbon as given.

    seats: the council seats in the order taken, "." for nobody. patrons: the givers of artworks to
    Palazzo Vecchio, in order.
    """
    state = table(len(counts))
    state.cloth[Category.LISBON] = tuple(counts)
    state.council_seats = tuple(WHITE if seat == "." else int(seat) for seat in seats)
    state.patrons = tuple(int(patron) for patron in patrons)
    artworks = [state.patrons.count(seat) for seat in range(len(counts))]
    state.artworks[Building.PALAZZO_VECCHIO] = tuple(artworks)
    return state


def scoring(rule: str, counts: list[int], points: list[int], decided_by: str, **tie: str) -> Any:
    """Return a row of the table: cubes and points by seat, deciding factors, tie-breakers."""
    state = lisbon(counts, **tie)
    return pytest.param(state, points, decided_by.split(), id=rule)


SCORINGS = [
    scoring("C36-three-two-one", [3, 1, 2], [3, 1, 2], "count count"),
    scoring("C36-fourth-gets-none", [1, 5, 2, 3], [0, 3, 1, 2], "count count count"),
    scoring("C36-none-without-cubes", [0, 4, 0], [0, 3, 0], ""),
    scoring("C36-nobody", [0, 0, 0], [0, 0, 0], "", seats="012"),
    scoring("C37-seat-against-nothing", [2, 2, 1], [2, 3, 1], "sum count", seats="1"),
    scoring("C37-sum-before-seats", [2, 2, 1], [3, 2, 1], "sum count", seats="11", patrons="000"),
    scoring(
        "C37-same-sum-more-seats", [2, 2, 1], [2, 3, 1], "seats count", seats="011", patrons="0"
    ),
    scoring("C37-first-to-one-seat", [2, 2, 1], [2, 3, 1], "first_to_seats count", seats="10"),
    scoring("C37-first-to-two-seats", [2, 2, 1], [2, 3, 1], "first_to_seats count", seats="0110"),
    scoring(
        "C37-empty-seats-are-nobodys", [2, 2, 1], [3, 2, 1], "first_to_seats count", seats=".0.1"
    ),
    scoring("C37-first-artwork", [2, 2, 1], [2, 3, 1], "first_artwork count", patrons="10"),
    scoring(
        "C37-the-very-first-artwork", [2, 2, 1], [3, 2, 1], "first_artwork count", patrons="0110"
    ),
    scoring(
        "C37-with-seats-artworks-do-not-matter",
        [2, 2, 1],
        [3, 2, 1],
        "first_to_seats count",
        seats="01",
        patrons="10",
    ),
    scoring("C37-two-share-first", [2, 2, 1], [2, 2, 1], "shared count"),
    scoring("C37-three-share-first", [2, 2, 2], [2, 2, 2], "shared shared"),
    scoring("C37-three-share-second", [5, 2, 2, 2], [3, 1, 1, 1], "count shared shared"),
    scoring("C37-two-share-second", [5, 2, 2], [3, 1, 1], "count shared"),
    scoring("C37-two-share-third", [5, 4, 2, 2], [3, 2, 0, 0], "count count shared"),
    scoring("C37-five-share-first", [2, 2, 2, 2, 2], [1] * 5, "shared shared shared shared"),
    scoring("C37-one-wins-the-others-share", [2, 2, 2], [1, 1, 3], "sum shared", seats="2"),
    scoring(
        "C37-each-pair-its-own-reason",
        [2, 2, 2, 1],
        [1, 2, 3, 0],
        "seats sum count",
        seats="2",
        patrons="1",
    ),
]


@pytest.mark.parametrize(("state", "points", "decided_by"), SCORINGS)
def test_the_first_three_score(state: State, points: list[int], decided_by: list[str]) -> None:
    """C36: most cubes get 3, 2, 1 points. C37: tie-breaks in their order, else seats share."""
    result = settle(state, Category.LISBON, PLACES)
    assert list(result.points) == points
    assert [decider.wire for decider in result.decided_by] == decided_by


FINAL_SCORINGS = [
    pytest.param([3, 1, 2], [5, 1, 3], id="C41-five-three-one"),
    pytest.param([2, 2, 1], [4, 4, 1], id="C41-two-share-first"),
    pytest.param([3, 1, 1], [5, 2, 2], id="C41-two-share-second"),
    pytest.param([1, 1, 1], [3, 3, 3], id="C41-three-share-first"),
]


@pytest.mark.parametrize(("counts", "points"), FINAL_SCORINGS)
def test_final_cards_score_more(counts: list[int], points: list[int]) -> None:
    """C41: final cards give 5, 3 and 1 points, with the usual ties (C37)."""
    result = settle(lisbon(counts), Category.LISBON, FINAL_PLACES)
    assert list(result.points) == points


# ---- the last disc -------------------------------------------------------------------------------


def test_unscored_tiles_are_scored_in_order_without_seats() -> None:
    """C39: each unscored tile has a `score` of its own (C38), and nobody takes a seat."""
    state = last_turn()
    state.scored = 12
    state.council_seats = (1,) * 12
    place_and_perform(state, 2)

    for tile in TILES[12:]:
        (scored,) = do(state, "score")
        assert scored.tag == "tile_scored"
        assert scored.category is tile

    assert state.council_seats == (*[1] * 12, *[WHITE] * 3)


# ---- the fifteenth tile --------------------------------------------------------------------------


def before_the_fifteenth_scoring(seat: int) -> State:
    """Return a table after the seat's fourth disc has brought the fifteenth scoring.

    Everybody has discs left.
    """
    state = table()
    state.scored = 14
    state.council_seats = (WHITE,) * 14
    state.agenda = [Turn(seat)]
    place_and_perform(state, seat, 1, 2, 2)
    return state


def test_the_last_seats_fifteenth_scoring_ends_play_at_once() -> None:
    """C40: after the turn of the last seat all have placed equally many discs."""
    state = before_the_fifteenth_scoring(2)
    assert tags(do(state, "score")) == ["tile_scored", "play_ended"]


# ---- the winner ----------------------------------------------------------------------------------

WINNERS = [
    pytest.param([10, 30, 20], "", [0, 0, 0], (3, 1, 2), id="C42-most-points"),
    pytest.param([30, 30, 20], "0", [0, 0, 0], (1, 2, 3), id="C42-seats"),
    pytest.param([30, 30, 20], "0", [0, 2, 4], (2, 1, 3), id="C42-seats-and-artworks"),
    pytest.param([30, 30, 20], "01", [0, 0, 0], (1, 1, 3), id="C42-shared-victory"),
    pytest.param([20, 30, 20], "", [0, 0, 0], (2, 1, 2), id="C42-shared-second"),
]


@pytest.mark.parametrize(("points", "seats", "artworks", "ranks"), WINNERS)
def test_the_winner(
    points: list[int], seats: str, artworks: list[int], ranks: tuple[int, ...]
) -> None:
    """C42: points decide, then seats and Palazzo Vecchio artworks together, else all share."""
    state = table()
    for player, gained in zip(state.players, points, strict=True):
        player.points = gained
    state.council_seats = tuple(int(seat) for seat in seats)
    state.artworks[Building.PALAZZO_VECCHIO] = tuple(artworks)

    assert final_result(state) == Outcome(tuple(points), ranks)


def test_nothing_can_be_done_after_the_end() -> None:
    """C42: the match is over for seats and for the house."""
    state = table()
    state.agenda = []
    assert placing_refused(state, 0, BRICK_ARTWORK) == "C42 match_over"
    assert refused(state, "score") == "C42 match_over"
