"""Descriptions of the JSON values that the domain writes directly.

These are views, public facts, options and unlisted moves.

A description is a TypedDict. The described values are plain dicts, and mypy checks them. The
docstring of the class and a sentence beside each field give the meaning:

    class HeapView(TypedDict):
        "Cubes on the slots of one row."

        cubes: Annotated[list[int], "Number of cubes of each seat, by seat."]
        room: Annotated[int, Between(0, 5), "Number of free slots."]
        owner: NotRequired[Annotated[int, "The owner's seat. Left out without an owner."]]

`X | None` is a value that may be null, NotRequired a member that may be left out. A string with the
name of a member of the enum Colour is `Annotated[str, Colour]`. Sentences beside fields of
dataclasses, such as messages, are read as well.
"""

import dataclasses
import enum
import typing
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, NotRequired, Required, is_typeddict

from domain.wire import Json as Json, JsonMapping as JsonMapping, Named


class Between(NamedTuple):
    """The bounds of a number, or of the length of a list. Both bounds are included."""

    least: int
    most: int


class Every(enum.Enum):
    """Marks a mapping with every name of its enum as a key. Unmarked mappings may lack names."""

    NAME = "every name"


EVERY_NAME = Every.NAME


class Annotations(NamedTuple):
    """A type and its annotations.

    kind: the type itself.
    sentence: meaning of the value, "" without a sentence.
    names: the enum with the names of a string, if any.
    bounds: the bounds of a number, or of a list's length, if any.
    every: True for a mapping with the mark `EVERY_NAME`.
    """

    kind: Any
    sentence: str
    names: type[Named] | None
    bounds: Between | None
    every: bool


def annotations(hint: object) -> Annotations:
    """Return the annotations of a hint. The last of several sentences, enums or bounds counts."""
    if typing.get_origin(hint) in (NotRequired, Required):
        hint = typing.get_args(hint)[0]
    if typing.get_origin(hint) is not Annotated:
        return Annotations(kind=hint, sentence="", names=None, bounds=None, every=False)

    kind, *notes = typing.get_args(hint)
    sentence = ""
    names = None
    bounds = None
    for note in notes:
        if isinstance(note, str):
            sentence = note
        elif isinstance(note, Between):
            bounds = note
        elif _is_enum(note):
            names = note

    every = EVERY_NAME in notes
    return Annotations(kind=kind, sentence=sentence, names=names, bounds=bounds, every=every)


def fields(cls: type) -> dict[str, object]:
    """Return the annotated types of the fields of a TypedDict or a dataclass, by name."""
    hints = typing.get_type_hints(cls, include_extras=True)
    if is_typeddict(cls):
        return hints
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def returned(function: Callable[..., object]) -> type:
    """Return the annotated return type of a function. Raises TypeError if it has none."""
    hints = typing.get_type_hints(function, include_extras=True)
    if "return" not in hints:
        raise TypeError(f"{function!r} has no return annotation")
    result: type = hints["return"]
    return result


def parts(*kinds: object) -> list[Any]:
    """Return the TypedDicts, dataclasses and enums in some types: each once, outer ones first."""
    by_kind: dict[object, None] = {}  # a dict keeps the order
    for kind in kinds:
        _gather(kind, by_kind)
    return list(by_kind)


def _gather(hint: object, by_kind: dict[object, None]) -> None:
    about = annotations(hint)
    if about.names is not None:
        by_kind[about.names] = None
    if about.kind in by_kind:
        return

    if _is_enum(about.kind):
        by_kind[about.kind] = None
    elif is_typeddict(about.kind) or dataclasses.is_dataclass(about.kind):
        by_kind[about.kind] = None
        for member in fields(about.kind).values():
            _gather(member, by_kind)

    for argument in typing.get_args(about.kind):
        _gather(argument, by_kind)


def _is_enum(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Named)
