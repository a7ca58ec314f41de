"""What a message is, and tables of message classes by tag."""

from collections.abc import Mapping
from dataclasses import Field
from typing import Any, ClassVar, Protocol

from domain.wire.quick import quickly_made


class Message(Protocol):
    """A command or an event: a frozen dataclass whose `tag` is its name on the wire."""

    tag: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


def table(*classes: type[Message]) -> dict[str, type[Message]]:
    """Return the classes by tag; the tags must differ. From then on they are made quickly."""
    by_tag = {cls.tag: quickly_made(cls) for cls in classes}
    assert len(by_tag) == len(classes), "two messages share a tag"
    return by_tag


def merge(*tables: Mapping[str, type[Message]]) -> dict[str, type[Message]]:
    """Return the tables as one; no tag may stand in two of them."""
    merged: dict[str, type[Message]] = {}
    for known in tables:
        merged.update(known)

    assert len(merged) == sum(map(len, tables)), "two tables share a tag"
    return merged
