"""How the domain describes JSON values that it writes as they are: views, options, descriptions of moves.

A description is a TypedDict: its functions build plain dicts, at no cost, and mypy checks them. The
docstring of the class and a sentence beside each field say what they mean:

    class HeapView(TypedDict):
        "Cubes on the slots of one row."

        cubes: Annotated[list[int], "The cubes of each seat there, by seat."]
        room: Annotated[int, Between(0, 5), "How many slots are free."]
        owner: NotRequired[Annotated[int, "Whose they are; left out where they are nobody's."]]

`X | None` is a value that may be null; NotRequired a member that may be left out. A name of an enum is
`Annotated[str, Colour]`. A sentence beside a field of a message, which is a dataclass, is read in the
same way.
"""

import dataclasses
import enum
import typing
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, NotRequired, Required, is_typeddict

from domain.wire import Named


class Between(NamedTuple):
    """The least and the most that a number may be, or that a list may hold."""

    least: int
    most: int


class Every(enum.Enum):
    """Marks a mapping that has all names of its keys' type; without it some may be left out."""

    NAME = "every name"


EVERY_NAME = Every.NAME


class Annotations(NamedTuple):
    """A type without its annotations, and these by what they say."""

    kind: Any
    sentence: str
    names: type[Named] | None
    bounds: Between | None
    every: bool


def annotations(hint: Any) -> Annotations:
    """Return what stands beside a type: its sentence ("" for none), the enum whose names it holds, ..."""
    if typing.get_origin(hint) in (NotRequired, Required):
        hint = typing.get_args(hint)[0]
    kind: Any = hint
    notes: list[Any] = []
    if typing.get_origin(hint) is Annotated:
        kind, *notes = typing.get_args(hint)

    sentences = [note for note in notes if isinstance(note, str)]
    enums = [note for note in notes if isinstance(note, type) and issubclass(note, Named)]
    bounds = [note for note in notes if isinstance(note, Between)]
    return Annotations(
        kind=kind,
        sentence=sentences[-1] if sentences else "",
        names=enums[-1] if enums else None,
        bounds=bounds[-1] if bounds else None,
        every=EVERY_NAME in notes,
    )


def fields(cls: Any) -> dict[str, Any]:
    """Return the annotated type of each field of a TypedDict, or of a dataclass, by name."""
    hints = typing.get_type_hints(cls, include_extras=True)
    if is_typeddict(cls):
        return hints
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def returned(function: Callable[..., Any]) -> Any:
    """Return the type that a function says it returns; raises TypeError where it says nothing."""
    hints = typing.get_type_hints(function, include_extras=True)
    if "return" not in hints:
        raise TypeError(f"{function!r} does not say what it returns")
    return hints["return"]


def parts(*kinds: Any) -> list[Any]:
    """Return every TypedDict, dataclass and enum that some types are made of, each once, outermost first."""
    found: dict[Any, None] = {}
    for kind in kinds:
        _walk(kind, found)
    return list(found)


def _walk(hint: Any, found: dict[Any, None]) -> None:
    about = annotations(hint)
    if about.names is not None:
        found[about.names] = None

    kind = about.kind
    if kind in found:
        return
    if isinstance(kind, type) and issubclass(kind, Named):
        found[kind] = None
    elif is_typeddict(kind) or dataclasses.is_dataclass(kind):
        found[kind] = None
        for inner in fields(kind).values():
            _walk(inner, found)
    for inner in typing.get_args(kind):
        _walk(inner, found)
