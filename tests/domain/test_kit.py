"""What the games share: dispatch, refusals from the agenda, draws, names and ranks."""

from typing import Any

import pytest

from domain.kit import (
    Awaited,
    Refusals,
    competition_ranks,
    counts_by_name,
    in_a_row,
    one_for_each,
    one_of,
    take_from,
    winners,
    wire_names,
)
from domain.wire import HOUSE, Named

# ---- dispatch ------------------------------------------------------------------------------------


class Placed:
    """A message."""


class Taken:
    """Another message."""


KNOWN = {"placed": Placed, "taken": Taken}


def test_each_message_has_its_entry() -> None:
    """What is given for each message is found by its class."""
    entries = one_for_each(KNOWN, {Placed: "on placed", Taken: "on taken"})

    assert entries == {Placed: "on placed", Taken: "on taken"}


def test_a_forgotten_message_is_told() -> None:
    """A message without an entry fails where the table is made, not when it first comes."""
    with pytest.raises(TypeError, match=r"look at Taken$"):
        one_for_each(KNOWN, {Placed: "on placed"})


def test_an_unknown_message_is_told() -> None:
    """An entry for something that is no message of the game fails as well."""
    with pytest.raises(TypeError, match=r"look at int$"):
        one_for_each(KNOWN, {Placed: "on placed", Taken: "on taken", int: "on int"})


# ---- refusals from the agenda --------------------------------------------------------------------


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


# ---- draws ---------------------------------------------------------------------------------------


class Scripted:
    """A source of numbers given beforehand; it remembers below what each was asked for."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = list(numbers)
        self.asked: list[int] = []

    def below(self, n: int) -> int:
        """Return the next number of the script."""
        self.asked.append(n)
        return self.numbers.pop(0)


def test_one_of_some_items_takes_one_draw_among_them() -> None:
    """The draw is the place of the item."""
    chance = Scripted(2)

    assert one_of(chance, ["wood", "brick", "marble"]) == "marble"
    assert chance.asked == [3]


def test_a_thing_taken_leaves_its_pile() -> None:
    """Each thing in the pile is as likely as any other; the pile holds one less of its kind."""
    chance = Scripted(2, 3)
    pile = [2, 0, 3]

    assert take_from(chance, pile) == 2
    assert pile == [2, 0, 2]
    assert take_from(chance, pile) == 2
    assert pile == [2, 0, 1]
    assert chance.asked == [5, 4]


# ---- names ---------------------------------------------------------------------------------------


class Good(Named):
    """An enum as games have them."""

    WOOD = 0
    RED_BRICK = 1
    MARBLE = 2


def test_names_keep_the_order_of_the_members() -> None:
    """A class stands for all of its members, a sequence for those in it."""
    assert wire_names(Good) == ("wood", "red_brick", "marble")
    assert wire_names([Good.MARBLE, Good.WOOD]) == ("marble", "wood")


def test_names_in_a_sentence_are_separated_by_commas() -> None:
    """Nothing to list is an empty text, which the caller may replace."""
    assert in_a_row([Good.WOOD, Good.MARBLE]) == "wood, marble"
    assert in_a_row([]) == ""


def test_counts_leave_out_what_there_is_none_of() -> None:
    """Counts are shown by name, in the order of the names."""
    assert counts_by_name(wire_names(Good), [2, 0, 1]) == {"wood": 2, "marble": 1}


def test_counts_and_names_are_equally_many() -> None:
    """A count that has no name is an error."""
    with pytest.raises(ValueError, match="longer"):
        counts_by_name(("wood",), [1, 2])


# ---- ranks ---------------------------------------------------------------------------------------


RANKINGS = [
    pytest.param([], (), id="nobody"),
    pytest.param([5], (1,), id="one-seat"),
    pytest.param([3, 9, 7], (3, 1, 2), id="all-differ"),
    pytest.param([7, 9, 9, 3], (3, 1, 1, 4), id="a-shared-rank-leaves-out-the-next"),
    pytest.param([4, 4, 4], (1, 1, 1), id="all-equal"),
    pytest.param([-2, 0], (2, 1), id="negative-points"),
    pytest.param([(9, 1), (9, 2), (8, 7)], (2, 1, 3), id="a-tie-is-broken-by-what-comes-second"),
]


@pytest.mark.parametrize(("scores", "ranks"), RANKINGS)
def test_the_best_score_has_rank_one(scores: list[Any], ranks: tuple[int, ...]) -> None:
    """A rank is one more than the number of seats with a better score."""
    assert competition_ranks(scores) == ranks


def test_the_winners_are_all_who_share_the_first_rank() -> None:
    """They come in the order of the seats."""
    assert winners((2, 1, 3), ("Ada", "Bob", "Cleo")) == ["Bob"]
    assert winners((1, 3, 1), ("Ada", "Bob", "Cleo")) == ["Ada", "Cleo"]
