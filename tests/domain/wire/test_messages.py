"""Messages: marks on fields, quick construction, shapes, names and fingerprints."""

from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Annotated, Any

import pytest

from domain import wire
from domain.wire import Named, quickly_made
from domain.wire.shapes import Fixed, Many, Name, Nullable, OneOf, Scalar, Shape, shape_of
from tests.domain.wire.stones import LAID, Carted, Gone, Laid, Mark, Shed, Stone

# ---- marks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("viewer", "hidden"),
    [(1, Stone.ROUGH), (0, None), (None, None)],
    ids=["own", "other", "public"],
)
def test_redaction_keeps_secrets_from_all_but_their_audience(
    viewer: int | None, hidden: Stone | None
) -> None:
    """A seat sees its own secret, nobody sees the house's, all else stays."""
    view = wire.redact(LAID, viewer)
    assert view.hidden == hidden
    assert view.boxed is None
    assert view.drawn == Stone.CUT
    assert view.words == LAID.words


# ---- made quickly --------------------------------------------------------------------------------


@quickly_made
@dataclass(frozen=True, slots=True)
class Quick:
    """A frozen message with the quick `__init__`."""

    seat: int
    bricks: tuple[int, ...]
    card: str | None = None


def test_it_cannot_be_changed() -> None:
    message = Quick(1, ())

    with pytest.raises(FrozenInstanceError):
        message.seat = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del message.seat

    assert replace(message, seat=2) == Quick(2, ())
    assert message.seat == 1


def test_a_class_that_does_more_than_set_its_slots_is_unchanged() -> None:
    """A class is unchanged if it is mutable, has a default factory, or inherits fields."""

    @dataclass(slots=True)
    class Changing:
        seat: int
        card: int

    @dataclass(frozen=True, slots=True)
    class WithAFactory:
        seat: int
        bricks: list[int] = field(default_factory=list)

    @dataclass(frozen=True, slots=True)
    class Heir(Quick):
        tower: int = 0

    for cls in (Changing, WithAFactory, Heir):
        before = cls.__init__
        assert quickly_made(cls).__init__ is before


# ---- shapes --------------------------------------------------------------------------------------


SHAPES = [
    pytest.param(int | None, Nullable(Scalar(int)), id="or-none"),
    pytest.param(None | int, Nullable(Scalar(int)), id="none-or"),
    pytest.param(Laid | Gone | None, Nullable(OneOf((Laid, Gone))), id="messages-or-none"),
    pytest.param(Gone | Laid, OneOf((Gone, Laid)), id="messages-in-their-order"),
    pytest.param(tuple[int, Stone], Fixed((Scalar(int), Name(Stone))), id="pair"),
    pytest.param(list[Annotated[int, "One."]], Many(list, Scalar(int)), id="annotated-inside"),
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
    """A field that the wire cannot carry is an error when its class is first used."""
    with pytest.raises(TypeError, match="has no shape on the wire"):
        shape_of(hint)


# ---- names ---------------------------------------------------------------------------------------


class Pebble(Named):
    """An enum. One of its members has a wire name of its own."""

    ROUGH = 0
    CUT = 1

    def __init__(self, index: int) -> None:
        super().__init__(index)
        if self._name_ == "CUT":
            self.wire = "well-cut"


@pytest.mark.parametrize("stone", Pebble)
def test_a_member_is_found_by_its_wire_name(stone: Pebble) -> None:
    """`of` undoes `wire`."""
    assert Pebble.of(stone.wire) is stone


def test_an_unknown_name_is_refused_with_the_right_ones() -> None:
    """The error lists all names."""
    with pytest.raises(ValueError, match="'cut' is none of rough, well-cut"):
        Pebble.of("cut")


# ---- fingerprints --------------------------------------------------------------------------------


INT, STR, NONE = "<class 'int'>", "<class 'str'>", "<class 'NoneType'>"
UNION = str(type(int | None))


def test_the_same_fields_give_the_same_text() -> None:
    """The digest of this text lies in stored snapshots, so the text must not change by itself."""
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


def test_any_json_has_no_fields_in_the_text() -> None:
    """A field of any JSON is `Any` in the text, since its content may change."""
    assert "anything:typing.Any" in wire.fingerprint(Carted)
