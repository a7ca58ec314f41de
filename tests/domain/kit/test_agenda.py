"""Refusals of the agenda: one code for one reason, whatever the game."""

import pytest

from domain.kit import Awaited, Refusals
from domain.wire import HOUSE

REFUSALS = Refusals(house_rule="T8", over_rule="T9", over="The match is over.")
PLACING = Awaited(1, "T3", "place a disc (place_disc)")
KEEPING = Awaited(None, "T2", "keep a card (keep_card)")
SCORING = Awaited(HOUSE, "T8", "settle the next tile (score)")

CASES = [
    pytest.param(None, 0, "T9 match_over: The match is over.", id="a-seat-after-the-end"),
    pytest.param(None, HOUSE, "T9 match_over: The match is over.", id="the-house-after-the-end"),
    pytest.param(
        SCORING,
        0,
        "T8 house_must_act: The house must first settle the next tile (score); then play goes on.",
        id="a-seat-while-the-house-must-act",
    ),
    pytest.param(
        SCORING,
        HOUSE,
        "T8 house_not_awaited: The house must first settle the next tile (score).",
        id="the-house-with-something-else",
    ),
    pytest.param(
        PLACING,
        HOUSE,
        "T8 house_not_awaited: Seat 1 is to place a disc (place_disc).",
        id="the-house-in-a-seats-turn",
    ),
    pytest.param(
        KEEPING,
        HOUSE,
        "T8 house_not_awaited: Every seat that has not done so yet is to keep a card (keep_card).",
        id="the-house-while-all-seats-are-awaited",
    ),
    pytest.param(
        PLACING,
        0,
        "T3 not_your_turn: Seat 1 is to place a disc (place_disc).",
        id="a-seat-in-anothers-turn",
    ),
    pytest.param(
        PLACING,
        1,
        "T3 wrong_phase: Seat 1 is to place a disc (place_disc).",
        id="the-awaited-seat-with-something-else",
    ),
    pytest.param(
        KEEPING,
        2,
        "T2 wrong_phase: Every seat that has not done so yet is to keep a card (keep_card).",
        id="any-seat-with-something-else-while-all-are-awaited",
    ),
]


@pytest.mark.parametrize(("awaited", "seat", "expected"), CASES)
def test_a_refusal_says_what_is_awaited(awaited: Awaited | None, seat: int, expected: str) -> None:
    """Code, rule and sentence follow from who acts and what is awaited."""
    assert str(REFUSALS.refusal(awaited, seat, "take_card")) == expected


def test_a_game_may_name_one_rule_for_all_turns() -> None:
    """With a rule of turns, that rule is named when another seat is awaited, and only then."""
    refusals = Refusals(house_rule="T8", over_rule="T9", over="The end.", turn_rule="T1")

    assert refusals.refusal(PLACING, 0, "take_card").rule == "T1"
    assert refusals.refusal(PLACING, 1, "take_card").rule == "T3"


def test_a_game_may_have_its_own_sentence_for_a_wrong_phase() -> None:
    """The sentence is told who is awaited for which task, and which command was refused."""
    refusals = Refusals(
        house_rule="T8",
        over_rule="T9",
        over="The end.",
        wrong_phase="No {command} now: {who} shall {task}.",
    )

    detail = refusals.refusal(PLACING, 1, "take_card").detail
    assert detail == "No take_card now: Seat 1 shall place a disc (place_disc)."
