"""Messages and states survive the way to JSON and back; what does not fit is refused at its place."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from domain import wire
from domain.errors import BadMessage


class Stone(wire.Named):
    """An enum on the wire."""

    ROUGH = 0
    CUT = 1


@dataclass(frozen=True, slots=True)
class Laid:
    """A message with every kind of field."""

    tag: ClassVar[str] = "laid"
    seat: int
    stone: Stone
    stones: tuple[Stone, ...] = ()
    pair: tuple[int, Stone] | None = None
    flag: bool = False
    words: tuple[str, ...] = ()
    hidden: Stone | None = wire.secret("seat", drawn=True)
    boxed: int | None = wire.secret("house")
    drawn: Stone | None = wire.drawn()


@dataclass(frozen=True, slots=True)
class Gone:
    """A message without fields."""

    tag: ClassVar[str] = "gone"


@dataclass(slots=True)
class Yard:
    """A state with an agenda of several kinds."""

    counts: list[int]
    agenda: list[Laid | Gone]
    rows: list[list[Stone | None]]
    names: dict[str, int]
    last: Laid | None = None


KNOWN = wire.table(Laid, Gone)
FULL = Laid(1, Stone.CUT, (Stone.ROUGH,), (3, Stone.CUT), True, ("a",), Stone.ROUGH, 7, Stone.CUT)


@pytest.mark.parametrize(
    "message", [FULL, Laid(0, Stone.ROUGH), Gone()], ids=["full", "defaults", "empty"]
)
def test_messages_round_trip(message: Any) -> None:
    """Decode undoes encode."""
    assert wire.decode(KNOWN, wire.encode(message)) == message


def test_wire_form_is_lower_snake_without_nones() -> None:
    """Enums go by lower-case name, absent values are left out."""
    assert wire.encode(Laid(0, Stone.CUT)) == {
        "type": "laid", "seat": 0, "stone": "cut", "stones": [], "flag": False, "words": [],
    }  # fmt: skip


def test_states_round_trip() -> None:
    """A state with nested lists, unions and None comes back equal."""
    yard = Yard([1, 2], [FULL, Gone()], [[Stone.CUT, None], []], {"x": 1}, FULL)
    assert wire.load(Yard, wire.dump(yard)) == yard


BAD = {
    "no-object": (3, (), "object"),
    "no-type": ({"seat": 0}, ("type",), "gone, laid"),
    "unknown-type": ({"type": "lost"}, ("type",), "gone, laid"),
    "unknown-field": ({"type": "gone", "x": 1}, ("x",), "unknown field"),
    "missing-field": ({"type": "laid", "seat": 0}, ("stone",), "missing"),
    "no-enum-value": ({"type": "laid", "seat": 0, "stone": "soft"}, ("stone",), "rough, cut"),
    "no-number": ({"type": "laid", "seat": "0", "stone": "cut"}, ("seat",), "whole number"),
    "flag-for-number": ({"type": "laid", "seat": True, "stone": "cut"}, ("seat",), "whole number"),
    "huge-number": ({"type": "laid", "seat": 2**60, "stone": "cut"}, ("seat",), "whole number"),
    "deep-place": (
        {"type": "laid", "seat": 0, "stone": "cut", "stones": ["cut", 1]},
        ("stones", 1),
        "rough, cut",
    ),
    "no-list": ({"type": "laid", "seat": 0, "stone": "cut", "stones": "cut"}, ("stones",), "list"),
    "wrong-length": (
        {"type": "laid", "seat": 0, "stone": "cut", "pair": [1]},
        ("pair",),
        "list of 2",
    ),
    "number-for-flag": (
        {"type": "laid", "seat": 0, "stone": "cut", "flag": 1},
        ("flag",),
        "true or false",
    ),
    "unhashable-type": ({"type": []}, ("type",), "gone, laid"),
    "unhashable-enum": ({"type": "laid", "seat": 0, "stone": []}, ("stone",), "rough, cut"),
}


@pytest.mark.parametrize(("data", "path", "hint"), BAD.values(), ids=BAD)
def test_bad_messages_name_the_place(data: Any, path: tuple[str | int, ...], hint: str) -> None:
    """What cannot be read is refused with its place and what would be right."""
    with pytest.raises(BadMessage) as refused:
        wire.decode(KNOWN, data)
    assert refused.value.path == path
    assert hint in refused.value.detail


@pytest.mark.parametrize(
    ("viewer", "hidden"),
    [(1, Stone.ROUGH), (0, None), (None, None)],
    ids=["own", "other", "public"],
)
def test_redaction_keeps_secrets_from_all_but_their_audience(
    viewer: int | None, hidden: Stone | None
) -> None:
    """A seat sees its own secret, nobody sees the house's, all else stays."""
    seen = wire.redact(FULL, viewer)
    assert (seen.hidden, seen.boxed, seen.drawn) == (hidden, None, Stone.CUT)


def test_drawn_fields_are_known() -> None:
    """A preview can tell what chance decides."""
    assert wire.drawn_fields(Laid) == ("hidden", "drawn")


@dataclass(slots=True)
class Shed:
    """A state that holds another class."""

    yards: list[Yard]


def test_shape_tells_every_field_within() -> None:
    """The shape names the fields of inner classes and the members of enums: a change in any of them changes it."""
    shape = wire.fingerprint(Shed)
    assert all(word in shape for word in ("yards", "counts", "agenda", "stones", "ROUGH", "CUT"))


def test_two_messages_with_one_tag_are_refused() -> None:
    """A tag stands for one message."""
    with pytest.raises(AssertionError, match="share"):
        wire.table(Gone, Gone)
    with pytest.raises(AssertionError, match="share"):
        wire.merge(KNOWN, KNOWN)
