"""The protocol of a message, tables of message classes by tag, and marks on their fields."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, ClassVar, Protocol, TypeVar

MessageT = TypeVar("MessageT", bound="Message")
Class = TypeVar("Class", bound=type)


class Message(Protocol):
    """A command or an event: a frozen dataclass. Its `tag` is its name on the wire."""

    tag: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


class SeatMessage(Message, Protocol):
    """A message that names a seat, such as the command of a player."""

    @property
    def seat(self) -> int:
        """The seat, from 0."""
        ...


def table(*classes: type[Message]) -> dict[str, type[Message]]:
    """Return the classes by tag, each after `quickly_made`. The tags must differ."""
    by_tag = {cls.tag: quickly_made(cls) for cls in classes}
    assert len(by_tag) == len(classes), "two messages share a tag"
    return by_tag


def merge(*tables: Mapping[str, type[Message]]) -> dict[str, type[Message]]:
    """Return the tables as one. No tag may stand in two of them."""
    merged: dict[str, type[Message]] = {}
    for one in tables:
        merged.update(one)

    assert len(merged) == sum(map(len, tables)), "two tables share a tag"
    return merged


# ---- marks on fields: who may see a field, and whether chance decides it -------------------------

# A field that may be hidden has the default None, and None also stands for its hidden value.


_AUDIENCE = "secret"  # keys of a field's metadata
_DRAWN = "drawn"
_LAID_OPEN = "laid_open"


def secret(audience: str = "seat", *, drawn: bool = False) -> Any:
    """Mark a field (`X | None`) that only its audience may see.

    audience: "seat" for the seat named by the message, or "house" for the house alone.
    drawn: True if chance decides the field as well.
    """
    return dataclasses.field(default=None, metadata={_AUDIENCE: audience, _DRAWN: drawn})


def drawn() -> Any:
    """Mark a public field (`X | None`) that chance decides. A preview leaves it out."""
    return dataclasses.field(default=None, metadata={_DRAWN: True})


def laid_open() -> Any:
    """Mark a public field that reveals something a seat could keep secret until then."""
    return dataclasses.field(metadata={_LAID_OPEN: True})


def audience_of(field: Field[object]) -> str | None:
    """Return the audience of a field: "seat", "house", or None for everybody."""
    audience: str | None = field.metadata.get(_AUDIENCE)
    return audience


def is_drawn(field: Field[object]) -> bool:
    """Return True if chance decides a field."""
    return bool(field.metadata.get(_DRAWN))


@cache
def secret_fields(cls: type[Message]) -> tuple[tuple[str, str], ...]:
    """Return (field, audience) for each secret field of a message class."""
    pairs = []
    for field in fields(cls):
        audience = audience_of(field)
        if audience is not None:
            pairs.append((field.name, audience))
    return tuple(pairs)


@cache
def drawn_fields(cls: type[Message]) -> tuple[str, ...]:
    """Return the names of the fields that chance decides."""
    return tuple(field.name for field in fields(cls) if is_drawn(field))


@cache
def laid_open_fields(cls: type[Message]) -> tuple[str, ...]:
    """Return the names of the fields that reveal secrets."""
    return tuple(field.name for field in fields(cls) if field.metadata.get(_LAID_OPEN))


def redact(message: MessageT, seat: int | None) -> MessageT:
    """Return the message as a seat (None: the public) may see it. Every hidden field is None."""
    marked = secret_fields(type(message))
    if not marked:
        return message

    hidden = [name for name, audience in marked if not _may_see(message, audience, seat)]
    return dataclasses.replace(message, **dict.fromkeys(hidden)) if hidden else message


def _may_see(message: Message, audience: str, seat: int | None) -> bool:
    return audience == "seat" and seat is not None and seat == getattr(message, "seat", None)


# ---- messages that are made quickly: playouts make one or two for every move ---------------------

# A frozen dataclass sets its fields by `object.__setattr__`, which is slow. The quick `__init__`
# changes the class of the object to one with the same slots that is not frozen, sets the fields,
# and changes the class back.


# With one field, the changes of the class cost more time than they save.
_LEAST_FIELDS = 2


@cache
def unfrozen(cls: Any) -> type:
    """Return a class that is not frozen, with the slots of a frozen dataclass."""
    return type(cls.__name__, (), {"__slots__": cls.__slots__})


def quickly_made(cls: Class) -> Class:
    """Give a frozen dataclass a quicker `__init__`, and return the class.

    A dataclass that cannot be quick (`_can_be_quick`) stays as it is.
    """
    if _can_be_quick(cls):
        _quicken(cls)
    return cls


def _can_be_quick(cls: Any) -> bool:
    """Return True for a frozen dataclass if its `__init__` only sets its slots, two or more."""
    if not cls.__dataclass_params__.frozen or hasattr(cls, "__post_init__"):
        return False

    names = tuple(field.name for field in fields(cls))
    if len(names) < _LEAST_FIELDS or names != cls.__dict__.get("__slots__"):
        return False
    return all(_is_plain(field) for field in fields(cls))


def _is_plain(field: Field[object]) -> bool:
    """Return True if `__init__` takes the field by position, with a fixed default or none."""
    return field.init and not field.kw_only and field.default_factory is MISSING


@cache
def _quicken(cls: Any) -> None:
    """Replace the `__init__` made by dataclasses with the quick one."""
    quick_init = _quick_init(cls)
    quick_init.__qualname__ = cls.__init__.__qualname__
    quick_init.__annotations__ = cls.__init__.__annotations__
    cls.__init__ = quick_init


def _quick_init(cls: Any) -> Callable[..., None]:
    """Return a compiled `__init__`, as dataclasses compile theirs."""
    scope: dict[str, Any] = {
        "set_attribute": object.__setattr__,
        "unfrozen": unfrozen(cls),
        "cls": cls,
    }
    parameters = ["self"]
    settings = []
    for field in fields(cls):
        parameters.append(_parameter(field, scope))
        settings.append(f"self.{field.name} = {field.name}")

    lines = [
        f"def __init__({', '.join(parameters)}):",
        "set_attribute(self, '__class__', unfrozen)",
        *settings,
        "self.__class__ = cls",
    ]
    # The source holds names of fields and names made here, never a value from outside.
    exec("\n ".join(lines), scope)  # noqa: S102
    init: Callable[..., None] = scope["__init__"]
    return init


def _parameter(field: Field[object], scope: dict[str, object]) -> str:
    """Return a parameter as source code. Put its default, if any, into the scope."""
    if field.default is MISSING:
        return field.name
    default = f"default_of_{field.name}"
    scope[default] = field.default
    return f"{field.name}={default}"
