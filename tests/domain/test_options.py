"""Options take what fits; errors say what is wrong where, all at once."""

from dataclasses import replace
from typing import Any, TypedDict

import pytest

from domain.errors import MOST_UNKNOWN, BadMessage, BadOption, Faults
from domain.options import Choice, Data, Flag, Number, Option
from tests.toy import TOY


class Sizes(TypedDict):
    """What the option of the kind "data" takes in these tests."""


def _check_sizes(value: Any) -> Any:
    """Take whole numbers from 0, by name; raise one error for each that is none."""
    wrong = [BadOption((name,), "must be 0 or more") for name, size in value.items() if size < 0]
    if wrong:
        raise BadOption.together(wrong, unnamed=3)
    return dict(value)


EDITION = Choice("edition", "plain", "Which box.", choices=("plain", "gilded"))
OPEN = Flag("open", False, "Whether hands are open.")
ROUNDS = Number("rounds", 2, "How many rounds.", least=1, most=9)
SIZES = Data("sizes", {}, "Sizes by name.", check=_check_sizes, form=Sizes)
GAME = replace(TOY, options=(EDITION, OPEN, ROUNDS, SIZES))
DEFAULTS = {"edition": "plain", "open": False, "rounds": 2, "sizes": {}}


@pytest.mark.parametrize(
    ("option", "value"),
    [(EDITION, "gilded"), (OPEN, True), (ROUNDS, 1), (ROUNDS, 9), (SIZES, {"wall": 3})],
    ids=["choice", "flag", "least", "most", "data"],
)
def test_what_fits_is_taken_as_it_is(option: Option, value: Any) -> None:
    """The value that is recorded is the one that was given."""
    assert option.read(value) == value


@pytest.mark.parametrize(
    ("option", "value", "detail"),
    [
        (EDITION, "silver", "must be one of plain, gilded"),
        (EDITION, [], "must be one of plain, gilded"),
        (OPEN, 1, "must be true or false"),
        (ROUNDS, 0, "must be a whole number from 1 to 9"),
        (ROUNDS, 10, "must be a whole number from 1 to 9"),
        (ROUNDS, True, "must be a whole number from 1 to 9"),
        (ROUNDS, "3", "must be a whole number from 1 to 9"),
    ],
    ids=["unknown", "unhashable", "number-for-flag", "below", "above", "flag-for-number", "text"],
)
def test_what_does_not_fit_is_refused_with_what_would_be_right(
    option: Option, value: Any, detail: str
) -> None:
    """The error names the option."""
    with pytest.raises(BadOption) as refused:
        option.read(value)
    assert refused.value.path == (option.name,)
    assert refused.value.detail == detail


def test_errors_inside_data_lie_behind_the_name_of_the_option() -> None:
    """Each place is told, and how many are not."""
    with pytest.raises(BadOption) as refused:
        SIZES.read({"wall": -1, "door": -2})
    assert [error.path for error in refused.value.all] == [("sizes", "wall"), ("sizes", "door")]
    assert refused.value.unnamed == 3


def test_what_is_not_given_has_its_default() -> None:
    """A game's options are complete after they are read."""
    assert GAME.read_options({}) == DEFAULTS
    assert GAME.read_options({"rounds": 5}) == {**DEFAULTS, "rounds": 5}


def test_everything_wrong_with_options_is_told_at_once() -> None:
    """Unknown names first, then wrong values, in the order of the options."""
    with pytest.raises(BadOption) as refused:
        GAME.read_options({"rounds": 0, "colour": "red", "sizes": {"wall": -1}})

    assert [error.path for error in refused.value.all] == [
        ("colour",),
        ("rounds",),
        ("sizes", "wall"),
    ]
    assert refused.value.detail == "unknown option; known are edition, open, rounds, sizes"
    assert refused.value.unnamed == 3


# ---- errors, all at once -------------------------------------------------------------------------


def test_errors_are_told_together_behind_a_prefix() -> None:
    """The first one holds the others; they become errors of the kind that is raised."""
    missing = BadMessage(("x",), "is missing")
    no_number = BadMessage((1,), "is no number")
    error = BadOption.together([missing, no_number], "box", 2, unnamed=4)

    first, second = error.all

    assert first.path == ("box", 2, "x")
    assert first.detail == "is missing"
    assert second.path == ("box", 2, 1)
    assert second.detail == "is no number"
    assert isinstance(second, BadOption)
    assert error.unnamed == 4


def test_faults_are_raised_in_the_order_in_which_they_were_found() -> None:
    """Each with all that it holds; unknown names past the limit are counted."""
    no_flag = BadMessage((4,), "is no flag")
    no_number = BadMessage((3,), "is no number", others=(no_flag,), unnamed=2)
    many_names = [f"name{number}" for number in range(MOST_UNKNOWN + 1)]

    faults = Faults(BadMessage)
    faults.add(no_number)
    faults.add_unknown(many_names, ("box",), "unknown")

    with pytest.raises(BadMessage) as raised:
        faults.raise_any()

    paths = [error.path for error in raised.value.all]

    assert paths[:3] == [(3,), (4,), ("box", "name0")]
    assert len(paths) == 2 + MOST_UNKNOWN
    assert raised.value.unnamed == 2 + 1
