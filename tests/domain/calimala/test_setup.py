"""Setting up: the council, final scoring cards and the draft of action cards (C11-C13)."""

import pytest

from domain.calimala import GAME
from domain.calimala.components import FINAL_CARDS
from domain.calimala.state import State
from domain.game import HOUSE
from tests.domain.calimala.table import (
    BRICK_ARTWORK,
    do,
    fresh,
    placing_refused,
    refused,
    tags,
)


def opened(seats: int) -> State:
    """Return a match that has just been set up; its seed is the number of seats."""
    state = fresh(seats)
    do(state, "set_up", seed=seats)
    return state


def keep(state: State, seat: int, place: int = 0) -> None:
    """Let the seat keep one of its dealt scoring cards."""
    card = state.players[seat].dealt[place]
    do(state, "keep_scoring_card", seat, card=card.wire)


def drafting(seats: int) -> State:
    """Return a match in which every seat has kept its first scoring card."""
    state = opened(seats)
    for seat in range(seats):
        keep(state, seat)
    return state


def take(state: State, seat: int, card: str) -> list[str]:
    """Let the seat take an open action card; return the names of the events."""
    return tags(do(state, "take_action_card", seat, card=card))


# ---- the opening ---------------------------------------------------------------------------------


def test_only_the_house_can_open() -> None:
    """C11: before the opening nobody but the house may act, and it opens once."""
    state = fresh(3)
    assert GAME.actors(state) == (HOUSE,)
    assert GAME.legal_moves(state, HOUSE) == [GAME.opening]
    assert placing_refused(state, 0, BRICK_ARTWORK, "white") == "C38 house_must_act"

    do(state, "set_up")
    assert refused(state, "set_up") == "C38 house_not_awaited"


DEALS = [
    pytest.param(3, 3, True, 0, id="C12-three"),
    pytest.param(4, 2, True, 1, id="C12-four"),
    pytest.param(5, 2, False, 0, id="C12-five"),
]


@pytest.mark.parametrize(("seats", "each", "face_up", "unseen"), DEALS)
def test_scoring_cards_are_dealt(seats: int, each: int, face_up: bool, unseen: int) -> None:
    """C12: so many to each, the rest open or boxed, no card twice."""
    state = opened(seats)

    assert (state.face_up is not None) == face_up
    shown = {state.face_up} if face_up else set()
    for player in state.players:
        assert len(player.dealt) == each
        assert shown.isdisjoint(player.dealt)
        shown.update(player.dealt)

    assert len(shown) == len(FINAL_CARDS) - unseen


# ---- keeping a scoring card ----------------------------------------------------------------------


def test_all_seats_keep_a_card_in_any_order() -> None:
    """C12: everybody who has not kept one is awaited; the draft begins when all have (C13)."""
    state = opened(3)

    assert GAME.actors(state) == (0, 1, 2)

    keep(state, 1)
    assert GAME.actors(state) == (0, 2)

    keep(state, 2)
    assert GAME.actors(state) == (0,)

    keep(state, 0)
    assert GAME.actors(state) == (2,)


NOT_DEALT = [
    pytest.param("palazzo_vecchio", id="C12-not-dealt"),
    pytest.param(None, id="C12-no-card"),
]


@pytest.mark.parametrize("card", NOT_DEALT)
def test_only_a_dealt_card_may_be_kept(card: str | None) -> None:
    """C12: one of the own dealt cards, whatever the others hold."""
    state = opened(4)
    for player in state.players:
        player.dealt = tuple(dealt for dealt in player.dealt if dealt.wire != card)

    assert refused(state, "keep_scoring_card", 1, card=card) == "C12 card_not_dealt"


@pytest.mark.parametrize("seat", [pytest.param(-1, id="C1-below"), pytest.param(3, id="C1-above")])
def test_only_a_seat_may_keep_a_card(seat: int) -> None:
    """C1: all seats are awaited, but no more than there are."""
    state = opened(3)
    assert refused(state, "keep_scoring_card", seat, card="lisbon") == "C1 no_such_seat"


def test_a_kept_card_is_kept() -> None:
    """C12: nobody chooses twice, and nobody drafts before all have chosen."""
    state = opened(3)
    keep(state, 0)
    card = state.players[0].dealt[0].wire

    assert refused(state, "keep_scoring_card", 0, card=card) == "C12 already_kept"
    assert GAME.legal_moves(state, 0) == []
    assert refused(state, "take_action_card", 2, card="wood") == "C12 wrong_phase"


def test_cards_are_kept_before_the_draft_only() -> None:
    """C12, C13: then the seat is awaited for something else."""
    state = drafting(3)
    assert refused(state, "keep_scoring_card", 2, card="lisbon") == "C13 wrong_phase"


# ---- the draft -----------------------------------------------------------------------------------


def test_a_card_is_taken_once() -> None:
    """C13: one copy of each lies open, of five of the nine actions; one seat takes at a time."""
    state = drafting(3)
    assert refused(state, "take_action_card", 1, card="wood") == "C13 not_your_turn"
    assert GAME.legal_moves(state, 1) == []
    assert refused(state, "take_action_card", 2, card="ship") == "C13 card_not_open"

    take(state, 2, "wood")
    assert refused(state, "take_action_card", 1, card="wood") == "C13 card_not_open"
