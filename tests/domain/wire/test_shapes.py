"""A type hint has one of a closed set of shapes, or none."""

from collections.abc import Mapping
from typing import Annotated, Any, Optional

import pytest

from domain.wire.shapes import (
    Anything,
    Fixed,
    Many,
    Name,
    Nullable,
    OneOf,
    Record,
    Scalar,
    Shape,
    Table,
    record_fields,
    shape_of,
)
from tests.domain.wire.stones import Carted, Gone, Laid, Mark, Stone

NUMBER = Scalar(int)

SHAPES = [
    pytest.param(int, NUMBER, id="whole-number"),
    pytest.param(str, Scalar(str), id="string"),
    pytest.param(bool, Scalar(bool), id="flag"),
    pytest.param(Any, Anything(), id="anything"),
    pytest.param(Stone, Name(Stone), id="enum"),
    pytest.param(Mark, Record(Mark), id="dataclass"),
    pytest.param(int | None, Nullable(NUMBER), id="or-none"),
    pytest.param(None | int, Nullable(NUMBER), id="none-or"),
    pytest.param(Optional[int], Nullable(NUMBER), id="typing-optional"),  # noqa: UP045
    pytest.param(Laid | Gone, OneOf((Laid, Gone)), id="messages"),
    pytest.param(Laid | Gone | None, Nullable(OneOf((Laid, Gone))), id="messages-or-none"),
    pytest.param(list[int], Many(list, NUMBER), id="list"),
    pytest.param(tuple[int, ...], Many(tuple, NUMBER), id="tuple-of-any-length"),
    pytest.param(tuple[int, Stone], Fixed((NUMBER, Name(Stone))), id="pair"),
    pytest.param(dict[str, int], Table(dict, NUMBER), id="dict"),
    pytest.param(Mapping[str, Any], Table(Mapping, Anything()), id="mapping"),
    pytest.param(Annotated[int, "How many."], NUMBER, id="annotated"),
    pytest.param(list[Annotated[int, "One."]], Many(list, NUMBER), id="annotated-inside"),
]


@pytest.mark.parametrize(("hint", "shape"), SHAPES)
def test_a_type_hint_has_a_shape(hint: Any, shape: Shape) -> None:
    """Sentences beside a type are passed over."""
    assert shape_of(hint) == shape


@pytest.mark.parametrize(
    "hint",
    [float, int | str, Mark | None | int, Mark | Gone, dict[int, str], set[int], None, "int"],
    ids=str,
)
def test_any_other_type_hint_is_refused(hint: Any) -> None:
    """A field that the wire cannot carry is told when its class is first used, not passed over."""
    with pytest.raises(TypeError, match="has no shape on the wire"):
        shape_of(hint)


def test_the_order_of_messages_in_a_union_is_kept() -> None:
    """Unions of the same members are equal in Python; here each keeps its own order."""
    assert shape_of(Laid | Gone) == OneOf((Laid, Gone))
    assert shape_of(Gone | Laid) == OneOf((Gone, Laid))


def test_fields_of_a_dataclass_are_told_in_their_order() -> None:
    """With their shapes; class variables, such as the tag, are no fields."""
    fields = record_fields(Mark)
    assert [field.name for field in fields] == ["by", "text"]
    assert [field.shape for field in fields] == [NUMBER, Nullable(Scalar(str))]


def test_a_field_may_be_left_out_if_it_may_be_none_or_has_a_default() -> None:
    """The default may also be made anew each time."""
    optional = [field.name for field in record_fields(Carted) if field.optional]
    assert optional == ["note", "label", "colours", "rest", "anything"]
