"""Names of enum members."""

import pytest

from domain.kit import counts_by_name, in_a_row, wire_names
from domain.wire import Named


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
