"""The fourth disc, its seat in the council, and white discs (C31-C34, C38)."""

import pytest

from domain.calimala import GAME
from domain.calimala.agenda import Turn
from domain.calimala.components import Category, Edition
from domain.calimala.setup import initial
from domain.calimala.state import State
from domain.game import HOUSE, Setup
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
    table,
    tags,
)
from tests.domain.laws import walk

# ---- the fourth disc (C31, C38) ------------------------------------------------------------------


def test_the_bottom_disc_takes_a_seat() -> None:
    """C31: after the activations, on the next tile, which is scored now."""
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
    """C38: from the disc's arrival until the scoring is recorded."""
    state = table()
    place_above(state, 2, 1, 1)
    assert GAME.actors(state) == (HOUSE,)
    assert tags(GAME.legal_moves(state, HOUSE)) == ["score"]
    for seat in range(3):
        assert placing_refused(state, seat, BRICK_ARTWORK) == "C38 house_must_act"


# ---- a white disc at the bottom (C32-C34) --------------------------------------------------------

EDITIONS = [edition.wire for edition in Edition]


def last_disc(edition: str = "english") -> State:
    """Return a table where seat 0 has one coloured disc in reserve, to be placed now."""
    state = table(edition=edition)
    state.players[0].discs = 1
    return state


def places(state: State) -> list[tuple[str, int]]:
    """Return the street and the position of each disc that seat 0 may give up."""
    return [(move["street"], move["position"]) for move in legal(state, 0, "give_up_disc")]


# ---- with a disc in reserve ----------------------------------------------------------------------


def test_whites_are_exchanged_by_whoever_is_active() -> None:
    """C32: a white disc has no owner; seat 1 exchanges the one that seat 0 placed."""
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
    """C33: a disc on a street takes the seat; the white one goes on its stack, or leaves the game.

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
    """C33: there is no choice."""
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
    """C33: one of the active player's coloured discs."""
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
    """C33, C34: the disc just placed is the last one, and it lies here: the seat stays empty."""
    events = place_above(last_disc(), WHITE, 1, 2)
    assert tags(events)[-1] == "seat_left_empty"


# ---- whole matches -------------------------------------------------------------------------------


def leaves_the_game(event: object) -> bool:
    """Whether a disc leaves the game by this event."""
    tag = getattr(event, "tag", None)
    if tag == "disc_given_up":
        return not getattr(event, "white_stays", True)
    return tag in ("disc_removed", "seat_left_empty")


@pytest.mark.parametrize("edition", [pytest.param(name, id=f"C33-{name}") for name in EDITIONS])
def test_no_disc_is_lost_or_made(edition: str) -> None:
    """C31-C34, C40: over whole matches, discs leave the game only where an event says so."""
    setup = Setup(5, {"edition": edition, "layout": "random"})
    for seed in range(8):
        expected = discs(initial(setup))
        for step in walk(GAME, setup, seed):
            expected -= sum(leaves_the_game(event) for event in step.events)
            assert discs(step.after) == expected
