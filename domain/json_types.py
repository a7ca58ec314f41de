"""How the domain describes JSON values that it writes as they are: views, options, unlisted moves.

A description is a TypedDict. Its functions build plain dicts, at no cost, and mypy checks them.
The docstring of the class and a sentence beside each field say what they mean:

    class HeapView(TypedDict):
        "Cubes on the slots of one row."

        cubes: Annotated[list[int], "The cubes of each seat there, by seat."]
        room: Annotated[int, Between(0, 5), "How many slots are free."]
        owner: NotRequired[Annotated[int, "Whose they are; left out where they have no owner."]]

`X | None` is a value that may be null; NotRequired a member that may be left out. A name of an enum
is `Annotated[str, Colour]`. A sentence beside a field of a message, which is a dataclass, is read
in the same way.
"""

import dataclasses
import enum
import typing
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, NotRequired, Required, is_typeddict

from domain.wire import Json as Json, JsonMapping as JsonMapping, Named


class Between(NamedTuple):
    """The least and the most that a number may be, or that a list may hold."""

    least: int
    most: int


class Every(enum.Enum):
    """Marks a mapping that has all names of its keys' type; without it some may be left out."""

    NAME = "every name"


EVERY_NAME = Every.NAME


class Annotations(NamedTuple):
    """A type and what stands beside it.

    kind: the type itself.
    sentence: what it means; "" where nothing is said.
    names: the enum whose names a string holds, if any.
    bounds: how large a number, or how long a list, may be, if that is said.
    every: whether a mapping has all names of its keys' type.
    """

    kind: Any
    sentence: str
    names: type[Named] | None
    bounds: Between | None
    every: bool


def annotations(hint: object) -> Annotations:
    """Return what a type hint says; of several sentences, enums or bounds the last one counts."""
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
    """Return the annotated type of each field of a TypedDict, or of a dataclass, by name."""
    hints = typing.get_type_hints(cls, include_extras=True)
    if is_typeddict(cls):
        return hints
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def returned(function: Callable[..., object]) -> type:
    """Return the type that a function says it returns; raises TypeError where it says nothing."""
    hints = typing.get_type_hints(function, include_extras=True)
    if "return" not in hints:
        raise TypeError(f"{function!r} does not say what it returns")
    result: type = hints["return"]
    return result


def parts(*kinds: object) -> list[Any]:
    """Return every TypedDict, dataclass and enum in some types, each once, outermost first."""
    found: dict[object, None] = {}  # a dict keeps the order
    for kind in kinds:
        _gather(kind, found)
    return list(found)


def _gather(hint: object, found: dict[object, None]) -> None:
    about = annotations(hint)
    if about.names is not None:
        found[about.names] = None
    if about.kind in found:
        return

    if _is_enum(about.kind):
        found[about.kind] = None
    elif is_typeddict(about.kind) or dataclasses.is_dataclass(about.kind):
        found[about.kind] = None
        for member in fields(about.kind).values():
            _gather(member, found)

    for argument in typing.get_args(about.kind):
        _gather(argument, found)


def _is_enum(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Named)
