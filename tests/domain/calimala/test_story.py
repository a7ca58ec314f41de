"""Calimala's story: scenes that the stories of golden records do not show, each by its rule."""

from pathlib import Path

import pytest

from domain.calimala import GAME
from domain.calimala.agenda import Exchange, FinalScoring, Scoring, Turn
from domain.calimala.components import (
    FINAL_PLACES,
    PLACES,
    TILES,
    Action,
    Category,
    City,
    Decider,
    Street,
)
from domain.calimala.events import (
    BoardLaidOut,
    Compensated,
    DiscGivenUp,
    DiscRemoved,
    FinalCardScored,
    FinalCardsRevealed,
    MatchEnded,
    PlayEnded,
    SeatLeftEmpty,
    TileScored,
    WhiteDiscLifted,
)
from domain.calimala.scoring import settle
from domain.calimala.state import State
from domain.game import Message
from tests.domain.calimala.table import (
    BRICK_WOOD,
    SHIP_BUILD,
    WEAVE_TRANSPORT,
    WHITE,
    WOOD_CONTRIBUTE,
    deliver,
    place,
    place_above,
    table,
)
from tests.domain.stories import approve, approved, in_lines, sentence_of

APPROVED = Path(__file__).with_name("story.txt")
LISBON = Category.LISBON

# ---- tables ------------------------------------------------------------------------------------


def exchanging() -> State:
    """Return a table with a white disc for Ada to exchange, and discs on four streets."""
    state = table()
    state.streets[BRICK_WOOD] = (WHITE, 2, 1, 0)
    state.streets[SHIP_BUILD] = (1, 0)
    state.streets[WOOD_CONTRIBUTE] = (0, 0, 1)
    state.streets[WEAVE_TRANSPORT] = (0,)
    state.agenda.append(Exchange(0, BRICK_WOOD))
    return state


def settling(scored: int, next_seat: int | None) -> State:
    """Return a table with so many scored tiles and the next one to be scored.

    next_seat: the seat of the next turn, or None after the last disc.
    """
    state = table()
    state.scored = scored
    state.agenda = [FinalScoring()] if next_seat is None else [Turn(next_seat), Scoring()]
    return state


def final_cards(face_up: Category | None, finals: int = 0) -> State:
    """Return a table with so many scored final cards."""
    state = table()
    state.face_up = face_up
    state.finals = finals
    return state


def ended() -> State:
    """Return a table with two council seats for Bob and, as for Ada, an artwork."""
    state = table()
    state.council_seats = (1, 1)
    state.artworks[-1] = (1, 1, 0)
    return state


# ---- events ------------------------------------------------------------------------------------


def given_up(street: Street, position: int, *, white_stays: bool = False) -> DiscGivenUp:
    """Return a disc that Ada gives up for Lisbon."""
    return DiscGivenUp(0, street, position, LISBON, white_stays)


def bob_alone(category: Category, cubes: int) -> TileScored:
    """Return a scoring with pieces of Bob alone."""
    return TileScored(category, counts=(0, cubes, 0), order=(1,), decided_by=(), points=(0, 3, 0))


PALAZZO_SCORED = FinalCardScored(
    Category.PALAZZO_VECCHIO, *settle(ended(), Category.PALAZZO_VECCHIO, FINAL_PLACES)
)
LISBON_SHARED = FinalCardScored(
    LISBON, counts=(2, 0, 2), order=(0, 2), decided_by=(Decider.SHARED,), points=(4, 0, 4)
)

EVENTS: dict[str, tuple[State, Message]] = {
    "C11-board-not-drawn-yet": (table(), BoardLaidOut(None, None, None)),
    "C22-no-card-left": (table(), Compensated(0, Action.MARBLE, drew=False, card=None)),
    "C33-lifted": (exchanging(), WhiteDiscLifted(0, BRICK_WOOD)),
    "C33-english": (exchanging(), given_up(SHIP_BUILD, 1, white_stays=True)),
    "C33-german": (exchanging(), given_up(WEAVE_TRANSPORT, 0)),
    "C33-at-the-bottom": (exchanging(), given_up(WOOD_CONTRIBUTE, 0)),
    "C33-in-the-middle": (exchanging(), given_up(WOOD_CONTRIBUTE, 1)),
    "C34": (exchanging(), SeatLeftEmpty(LISBON)),
    "C36-one-cube": (settling(0, 1), bob_alone(Category.SAN_MINIATO, 1)),
    "C39-no-seat": (settling(12, None), bob_alone(Category.PORT_CITIES, 2)),
    "C39-all-discs-are-placed": (settling(len(TILES) - 1, None), PlayEnded()),
    "C40-coloured": (exchanging(), DiscRemoved(SHIP_BUILD)),
    "C40-white": (exchanging(), DiscRemoved(BRICK_WOOD)),
    "C40-last-tile-a-turn-is-left": (settling(len(TILES) - 1, 2), bob_alone(LISBON, 2)),
    "C40-last-tile-the-round-is-complete": (settling(len(TILES) - 1, 0), bob_alone(LISBON, 2)),
    "C40-a-tile-is-left": (settling(len(TILES) - 2, 2), bob_alone(LISBON, 2)),
    "C41-shown-without-an-open-card": (
        final_cards(None),
        FinalCardsRevealed((Category.BRUGES, LISBON, Category.LONDON)),
    ),
    "C41-open-card": (final_cards(LISBON), PALAZZO_SCORED),
    "C41-first-seat": (final_cards(LISBON, finals=1), PALAZZO_SCORED),
    "C41-without-open-card": (final_cards(None, finals=2), PALAZZO_SCORED),
    "C37-C41-the-points-of-a-final-card-are-shared": (final_cards(LISBON), LISBON_SHARED),
    "C42-by-seats-and-artworks": (ended(), MatchEnded((41, 41, 12), (2, 1, 3))),
    "C42-two-are-beaten-in-a-tie": (ended(), MatchEnded((41, 41, 41), (2, 1, 3))),
    "C42-shared": (ended(), MatchEnded((41, 12, 41), (1, 3, 1))),
    "C42-shared-by-all": (ended(), MatchEnded((41, 41, 41), (1, 1, 1))),
}

# ---- ties in Lisbon ----------------------------------------------------------------------------

# The cloth of each seat, the council seats, and the givers of artworks to Palazzo Vecchio.

TIES: dict[str, tuple[str, str, str]] = {
    "C37-sum-then-seats": ("222", "10102", "122"),
    "C37-first-to-seats": ("220", "0110", ""),
    "C37-first-to-one-seat": ("220", "01", ""),
    "C37-first-artwork": ("220", "", "10"),
    "C37-first-place-shared": ("212", "", ""),
    "C37-won-against-two-who-share": ("111", "1", ""),
    "C37-all-share": ("111", "", ""),
    "C37-the-last-place-is-shared-for-nothing": ("43211", "", ""),
    "C37-one-point-cannot-be-shared": ("43220", "", ""),
}


def tied(cloth: str, seats: str, artworks: str) -> tuple[State, Message]:
    """Return a table with Lisbon to be scored, and its scoring."""
    state = table(len(cloth))
    deliver(state, City.LISBON, *map(int, cloth))
    state.council_seats = tuple(map(int, seats))
    state.patrons = tuple(map(int, artworks))
    state.artworks[-1] = tuple(artworks.count(str(seat)) for seat in range(len(cloth)))
    state.agenda.append(Scoring())
    return state, TileScored(LISBON, *settle(state, LISBON, PLACES))


# ---- what was approved -------------------------------------------------------------------------


def scenes() -> dict[str, str]:
    """Return all scenes as they read now."""
    moments = {**EVENTS, **{name: tied(*tie) for name, tie in TIES.items()}}
    return {
        name: in_lines([sentence_of(GAME, state, event)])
        for name, (state, event) in moments.items()
    }


def test_scenes_read_as_approved() -> None:
    """Sentences, and the rules that they name, are as approved.

    `python -m tests.domain.calimala.test_story` writes the file for approval.
    """
    assert scenes() == approved(APPROVED)


@pytest.mark.parametrize("seats", GAME.seats)
def test_turns_are_counted_by_the_discs_that_were_placed(seats: int) -> None:
    """C14: the count is right also when a white disc comes back to a reserve (C32)."""
    state = table(seats)
    place_above(state, WHITE, 1, 1)

    assert state.council_seats == (0,)

    state.agenda = [Turn(1)]
    before = state.copy()
    placed, *_ = place(state, 1, BRICK_WOOD)

    heading = sentence_of(GAME, before, placed).heading
    assert heading is not None
    assert heading.title == "Turn 2: Bob"


if __name__ == "__main__":
    approve(APPROVED, scenes())
