"""Options take legal values. Errors name each fault and its place, all at once."""

from dataclasses import replace
from typing import Any, TypedDict

import pytest

from domain.errors import BadOption
from domain.options import Choice, Data, Flag, Number, Option
from tests.toy import TOY


class Sizes(TypedDict):
    """The form of the option of the kind "data" in these tests."""


def _check_sizes(value: Any) -> Any:
    """Take whole numbers from 0, by name. Raise one error for all negative ones."""
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
def test_legal_options_are_taken_as_given(option: Option, value: Any) -> None:
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
def test_an_illegal_option_is_refused_with_the_legal_choices(
    option: Option, value: Any, detail: str
) -> None:
    """The error names the option."""
    with pytest.raises(BadOption) as refused:
        option.read(value)
    assert refused.value.path == (option.name,)
    assert refused.value.detail == detail


def test_errors_inside_data_lie_behind_the_name_of_the_option() -> None:
    """Each place is named, and the number of unnamed errors is kept."""
    with pytest.raises(BadOption) as refused:
        SIZES.read({"wall": -1, "door": -2})
    assert [error.path for error in refused.value.all] == [("sizes", "wall"), ("sizes", "door")]
    assert refused.value.unnamed == 3


def test_missing_options_have_their_defaults() -> None:
    """A game's options are complete after they are read."""
    assert GAME.read_options({}) == DEFAULTS
    assert GAME.read_options({"rounds": 5}) == {**DEFAULTS, "rounds": 5}


def test_everything_wrong_with_options_is_told_at_once() -> None:
    """Errors name unknown options first, then wrong values in the order of the options."""
    with pytest.raises(BadOption) as refused:
        GAME.read_options({"rounds": 0, "colour": "red", "sizes": {"wall": -1}})

    assert [error.path for error in refused.value.all] == [
        ("colour",),
        ("rounds",),
        ("sizes", "wall"),
    ]
    assert refused.value.detail == "unknown option. Known options: edition, open, rounds, sizes"
    assert refused.value.unnamed == 3
