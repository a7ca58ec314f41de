"""Setting up: tiles, final scoring cards and the draft of action cards (C11-C13)."""

from typing import Any

import pytest

from domain.calimala import GAME
from domain.calimala.components import FINAL_CARDS, TILES
from domain.calimala.state import State, initial
from domain.game import HOUSE, Setup
from tests.domain.calimala.table import do, legal, refused, tags


def opened(seats: int) -> State:
    state = initial(Setup(seats, {"edition": "english", "layout": "random"}))
    do(state, "set_up", seed=seats)
    return state


def drafting(seats: int) -> State:
    """A match in which every seat has kept its first scoring card."""
    state = opened(seats)
    for seat in range(seats):
        do(state, "keep_scoring_card", seat, card=state.players[seat].dealt[0].wire)
    return state


def test_only_the_house_can_open() -> None:
    """C11: before the opening nobody but the house may act, and it opens once."""
    state = initial(Setup(3, {"edition": "english", "layout": "random"}))
    assert GAME.actors(state) == (HOUSE,)
    assert GAME.legal_moves(state, HOUSE) == [GAME.opening]
    assert refused(state, "place_disc", 0, street="0-1", disc="white") == "C38 house_must_act"
    do(state, "set_up")
    assert refused(state, "set_up") == "C38 house_not_awaited"


def test_the_council_holds_every_tile_once_in_random_order() -> None:
    """C11: fifteen different tiles, and seeds differ."""
    councils = [opened(seats).council for seats in (3, 4)]
    assert all(sorted(council) == list(TILES) for council in councils)
    assert councils[0] != councils[1]


@pytest.mark.parametrize(
    ("seats", "each", "face_up", "unseen"),
    [
        pytest.param(3, 3, True, 0, id="C12-three"),
        pytest.param(4, 2, True, 1, id="C12-four"),
        pytest.param(5, 2, False, 0, id="C12-five"),
    ],
)
def test_scoring_cards_are_dealt(seats: int, each: int, face_up: bool, unseen: int) -> None:
    """C12: so many to each, the rest open or boxed, no card twice."""
    state = opened(seats)
    dealt = [card for player in state.players for card in player.dealt]
    assert [len(player.dealt) for player in state.players] == [each] * seats
    assert (state.face_up is not None) == face_up
    seen = {*dealt, *([state.face_up] if face_up else [])}
    assert len(seen) == len(dealt) + face_up == len(FINAL_CARDS) - unseen


def test_scoring_cards_are_shuffled() -> None:
    """C12: the deal differs from seed to seed."""
    deals = set()
    for seed in range(5):
        state = initial(Setup(3, {"edition": "english", "layout": "first_game"}))
        do(state, "set_up", seed=seed)
        deals.add((state.face_up, *state.players[0].dealt))
    assert len(deals) > 1


def test_all_seats_keep_a_card_in_any_order() -> None:
    """C12: everybody who has not kept one is awaited; the draft begins when all have (C13)."""
    state = opened(3)
    assert GAME.actors(state) == (0, 1, 2)
    for seat, others in ((1, (0, 2)), (2, (0,)), (0, (2,))):
        do(state, "keep_scoring_card", seat, card=state.players[seat].dealt[1].wire)
        assert state.players[seat].kept == state.players[seat].dealt[1]
        assert GAME.actors(state) == others


KEEPING: list[Any] = [
    pytest.param("palazzo_vecchio", "C12 card_not_dealt", id="C12-not-dealt"),
    pytest.param(None, "C12 card_not_dealt", id="C12-no-card"),
]


@pytest.mark.parametrize(("card", "why"), KEEPING)
def test_only_a_dealt_card_may_be_kept(card: str | None, why: str) -> None:
    """C12: one of the own dealt cards, whatever the others hold."""
    state = opened(4)
    for player in state.players:
        player.dealt = [dealt for dealt in player.dealt if dealt.wire != card]
    assert refused(state, "keep_scoring_card", 1, card=card) == why


def test_a_kept_card_is_kept() -> None:
    """C12: nobody chooses twice, and nobody drafts before all have chosen."""
    state = opened(3)
    card = state.players[0].dealt[0].wire
    do(state, "keep_scoring_card", 0, card=card)
    assert refused(state, "keep_scoring_card", 0, card=card) == "C12 already_kept"
    assert refused(state, "take_action_card", 2, card="wood") == "C12 wrong_phase"


@pytest.mark.parametrize(
    "seats", [pytest.param(seats, id=f"C13-{seats}-seats") for seats in (3, 4, 5)]
)
def test_the_draft_goes_counter_clockwise(seats: int) -> None:
    """C13: from seat n-1 down to 0 each takes one of five open cards; the others join the deck."""
    state = drafting(seats)
    assert [move["card"] for move in legal(state, seats - 1, "take_action_card")] == [
        *("wood", "brick", "marble", "build", "weave")
    ]
    for seat, card in zip(
        reversed(range(seats)), ("weave", "wood", "build", "brick", "marble"), strict=False
    ):
        assert GAME.actors(state) == (seat,)
        events = do(state, "take_action_card", seat, card=card)
    assert tags(events)[1:] == ([] if seats == 5 else ["draft_ended"])
    assert [sum(player.hand) for player in state.players] == [1] * seats
    assert sum(state.deck) == 45 - seats
    assert GAME.actors(state) == (0,)


def test_a_card_is_taken_once() -> None:
    """C13: one copy of each lies open, of five of the nine actions, and one after the other takes."""
    state = drafting(3)
    assert refused(state, "take_action_card", 1, card="wood") == "C13 not_your_turn"
    assert refused(state, "take_action_card", 2, card="ship") == "C13 card_not_open"
    do(state, "take_action_card", 2, card="wood")
    assert refused(state, "take_action_card", 1, card="wood") == "C13 card_not_open"
