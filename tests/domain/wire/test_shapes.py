"""Shapes of type hints, enums with names on the wire, fingerprints."""

from collections.abc import Mapping
from typing import Annotated, Any, Optional

import pytest

from domain import wire
from domain.wire import Named
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
from tests.domain.wire.stones import Carted, Gone, Laid, Mark, Shed, Stone

# ---- shapes --------------------------------------------------------------------------------------


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


# ---- names ---------------------------------------------------------------------------------------


class Pebble(Named):
    """An enum; one of its members has a wire name of its own."""

    ROUGH = 0
    CUT = 1

    def __init__(self, index: int) -> None:
        super().__init__(index)
        if self._name_ == "CUT":
            self.wire = "well-cut"


def test_a_member_goes_by_its_own_name_in_lower_case() -> None:
    """Unless the class says otherwise."""
    assert [stone.wire for stone in Pebble] == ["rough", "well-cut"]


@pytest.mark.parametrize("stone", Pebble)
def test_a_member_is_found_by_its_wire_name(stone: Pebble) -> None:
    """`of` undoes `wire`."""
    assert Pebble.of(stone.wire) is stone


def test_an_unknown_name_is_refused_with_the_right_ones() -> None:
    """The error says what could have been meant."""
    with pytest.raises(ValueError, match="'cut' is none of rough, well-cut"):
        Pebble.of("cut")


# ---- fingerprints --------------------------------------------------------------------------------


INT, STR, NONE = "<class 'int'>", "<class 'str'>", "<class 'NoneType'>"
UNION = str(type(int | None))


def test_every_field_within_is_told() -> None:
    """It names the fields of inner classes and the members of enums: a change in any changes it."""
    text = wire.fingerprint(Shed)
    for word in ("yards", "counts", "agenda", "stones", "ROUGH", "CUT"):
        assert word in text


def test_the_same_fields_give_the_same_text() -> None:
    """The digest of this text lies in stored snapshots, so it must not change by itself."""
    classes = dict(part.split("=", 1) for part in wire.fingerprint(Shed).split(";"))
    assert list(classes) == ["Gone", "Laid", "Shed", "Yard"]
    assert classes["Gone"] == ""
    assert classes["Shed"] == "yards:<class 'list'>[Yard]"
    assert classes["Yard"] == (
        f"counts:<class 'list'>[{INT}],"
        f"agenda:<class 'list'>[{UNION}[Laid,Gone]],"
        f"rows:<class 'list'>[<class 'list'>[{UNION}[Stone(ROUGH,CUT),{NONE}]]],"
        f"names:<class 'dict'>[{STR},{INT}],"
        f"last:{UNION}[Laid,{NONE}],"
        f"next:{UNION}[Laid,Gone,{NONE}]"
    )
    assert f"pair:{UNION}[<class 'tuple'>[{INT},Stone(ROUGH,CUT)],{NONE}]," in classes["Laid"]
    assert f"words:<class 'tuple'>[{STR},Ellipsis]," in classes["Laid"]


def test_any_json_is_told_as_such() -> None:
    """What is inside it has no fields."""
    text = wire.fingerprint(Carted)
    assert "anything:typing.Any" in text
    assert f"rest:<class 'collections.abc.Mapping'>[{STR},typing.Any]" in text
