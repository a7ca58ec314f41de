"""Messages and states survive the way to JSON and back. Malformed input is refused."""

import json
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from domain import wire
from domain.errors import MOST_UNKNOWN, BadMessage
from domain.wire import Message
from domain.wire.codec import loaders
from tests.domain.wire.stones import KNOWN, MESSAGES, YARD, Carted, Gone, Laid, Stone, Yard


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def test_a_state_survives_the_wire() -> None:
    """A state with nested lists, unions and None comes back equal."""
    assert wire.load(Yard, through_json(wire.dump(YARD))) == YARD


def test_a_stamped_field_is_set_and_must_not_be_given() -> None:
    """The seat of a move comes from its token, not from its body."""
    document = {"type": "laid", "stone": "cut"}
    assert wire.decode(KNOWN, document, seat=2) == Laid(seat=2, stone=Stone.CUT)

    with pytest.raises(BadMessage) as refused:
        wire.decode(KNOWN, {**document, "seat": 1}, seat=2)
    assert refused.value.path == ("seat",)
    assert "Known fields: boxed, drawn, flag" in refused.value.detail


def laid(**fields: Any) -> Any:
    """Return the JSON of a stone laid, with some fields changed."""
    return {"type": "laid", "seat": 0, "stone": "cut", **fields}


def carted(**fields: Any) -> Any:
    """Return the JSON of stones carted, with some fields changed."""
    return {**wire.encode(MESSAGES["other-shapes"]), **fields}


TAGS = "carted, gone, laid"
BAD = {
    "no-object": (3, (), "object with a type"),
    "no-type": ({"seat": 0}, ("type",), TAGS),
    "unknown-type": ({"type": "lost"}, ("type",), TAGS),
    "unhashable-type": ({"type": []}, ("type",), TAGS),
    "unknown-field": (laid(x=1), ("x",), "Known fields: boxed"),
    "no-field-known": ({"type": "gone", "x": 1}, ("x",), "unknown field. No fields are known here"),
    "missing-field": ({"type": "laid", "seat": 0}, ("stone",), "missing"),
    "no-enum-value": (laid(stone="soft"), ("stone",), "rough, cut"),
    "unhashable-enum": (laid(stone=[]), ("stone",), "rough, cut"),
    "no-number": (laid(seat="0"), ("seat",), "whole number"),
    "flag-for-number": (laid(seat=True), ("seat",), "whole number"),
    "huge-number": (laid(seat=2**53), ("seat",), "whole number"),
    "huge-negative": (laid(seat=-(2**53)), ("seat",), "whole number"),
    "no-string": (laid(words=[1]), ("words", 0), "string"),
    "number-for-flag": (laid(flag=1), ("flag",), "true or false"),
    "deep-place": (laid(stones=["cut", 1]), ("stones", 1), "rough, cut"),
    "no-list": (laid(stones="cut"), ("stones",), "list"),
    "wrong-length": (laid(pair=[1]), ("pair",), "list of 2"),
    "no-table": (carted(by_name=[]), ("by_name",), "must be an object"),
    "in-a-table": (carted(by_name={"top": "soft"}), ("by_name", "top"), "rough, cut"),
    "no-record": (carted(mark=1), ("mark",), "must be an object"),
    "in-a-record": (carted(mark={"by": "me"}), ("mark", "by"), "whole number"),
    "in-a-message-in-a-message": (carted(load=laid(seat="x")), ("load", "seat"), "whole number"),
    "unknown-message-in-a-message": (carted(load={"type": "lost"}), ("load", "type"), "gone, laid"),
}


@pytest.mark.parametrize(("data", "path", "hint"), BAD.values(), ids=BAD)
def test_unreadable_input_is_refused_at_its_place(
    data: Any, path: tuple[str | int, ...], hint: str
) -> None:
    """The error has the path of the wrong member, and a hint."""
    with pytest.raises(BadMessage) as refused:
        wire.decode(KNOWN, data)
    assert refused.value.path == path
    assert hint in refused.value.detail


@pytest.mark.parametrize("number", [2**53 - 1, -(2**53) + 1])
def test_numbers_that_every_reader_holds_exactly_are_taken(number: int) -> None:
    """The limits are those of a double, since many readers of JSON turn numbers into doubles."""
    assert wire.decode(KNOWN, laid(seat=number)) == Laid(seat=number, stone=Stone.CUT)


def test_everything_that_is_wrong_is_told_at_once() -> None:
    """The error names wrong values first, then unknown names, then missing members."""
    with pytest.raises(BadMessage) as refused:
        wire.decode(KNOWN, {"type": "laid", "y": 1, "flag": 2, "words": 3, "x": 1, "seat": 0})
    paths = [error.path for error in refused.value.all]
    assert paths == [("flag",), ("words",), ("y",), ("x",), ("stone",)]


def test_of_very_many_unknown_names_most_are_only_counted() -> None:
    """Only MOST_UNKNOWN names are reported, also in a message inside a message."""
    names = {f"name{number}": 0 for number in range(MOST_UNKNOWN + 5)}
    with pytest.raises(BadMessage) as refused:
        wire.decode(KNOWN, carted(load={"type": "gone", **names}))
    assert len(refused.value.all) == MOST_UNKNOWN
    assert refused.value.unnamed == 5


@pytest.mark.parametrize("name", ["note", "label", "colours", "rest", "anything"])
def test_optional_fields_may_be_left_out(name: str) -> None:
    """An omitted field has its default, or is None."""
    document = carted()
    del document[name]
    expected: dict[str, Any] = {"note": None, "label": 'it\'s "quoted"', "colours": [], "rest": {}}
    decoded = wire.decode(KNOWN, document)
    assert isinstance(decoded, Carted)
    assert getattr(decoded, name) == expected.get(name)


def test_two_messages_with_one_tag_are_refused() -> None:
    """A tag stands for one message."""
    with pytest.raises(AssertionError, match="two messages share a tag"):
        wire.table(Gone, Gone)
    with pytest.raises(AssertionError, match="two tables share a tag"):
        wire.merge(KNOWN, KNOWN)


# ---- the fast way from JSON to messages ----------------------------------------------------------


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
def test_every_shape_of_field_is_loaded(message: Message) -> None:
    """Fast loading and strict decoding give the same fields, of every shape."""
    data = through_json(wire.encode(message))
    loaded = loaders(KNOWN)[data["type"]](data)
    assert loaded == message
    assert wire.decode(KNOWN, data) == message


def test_loaded_messages_share_no_default_that_can_change() -> None:
    """A default factory is called for each loaded message."""
    data = wire.encode(MESSAGES["other-shapes-bare"])
    del data["colours"]
    load = loaders(KNOWN)["carted"]
    first = load(data)
    first.colours.append("red")
    assert load(data).colours == []


class Odd(wire.Named):
    """An enum with wire names that look like code."""

    QUOTE = 0
    CALL = 1

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.wire = ("'\"\\", "__import__('os')")[index]


@dataclass(frozen=True, slots=True)
class Noted:
    """A message with a default that looks like code."""

    tag: ClassVar[str] = "noted"
    odd: Odd
    text: str = "'); raise SystemExit #"


@pytest.mark.parametrize("odd", Odd)
def test_no_value_becomes_code(odd: Odd) -> None:
    """Names of enums, defaults and read values stay values, even if they look like code."""
    load = loaders(wire.table(Noted))["noted"]
    assert load({"type": "noted", "odd": odd.wire}) == Noted(odd)
    assert load({"odd": odd.wire, "text": "data['x']"}) == Noted(odd, "data['x']")
