"""Messages that are made quickly: playouts make one or two for every move.

A frozen dataclass sets its fields by `object.__setattr__`, which is slow. Here its `__init__` sets
them on an object of a class with the same slots that is not frozen; then the object's class is
changed. That halves the time for five fields, and saves about 3 % of a playout (decision 0059).
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)

# To change the class of an object twice takes as long as to set one field.
_LEAST_FIELDS = 2


@cache
def unfrozen(cls: Any) -> type:
    """Return a class with the slots of a frozen dataclass that is not frozen."""
    return type(cls.__name__, (), {"__slots__": cls.__slots__})


def quickly_made(cls: Class) -> Class:
    """Give a frozen dataclass with slots an `__init__` that does the same in less time.

    A class with less than two fields stays as it is, and so does one of another kind.
    """
    if _can_be_quick(cls):
        _quicken(cls)
    return cls


def _can_be_quick(cls: Any) -> bool:
    """Whether the class is a frozen dataclass whose `__init__` only sets its own slots."""
    if not cls.__dataclass_params__.frozen or hasattr(cls, "__post_init__"):
        return False

    names = tuple(field.name for field in fields(cls))
    if len(names) < _LEAST_FIELDS or names != cls.__dict__.get("__slots__"):
        return False
    return all(_is_plain(field) for field in fields(cls))


def _is_plain(field: Field[Any]) -> bool:
    """Whether `__init__` takes the field in its place, with a fixed default if any."""
    return field.init and not field.kw_only and field.default_factory is MISSING


@cache
def _quicken(cls: Any) -> None:
    """Put the quick `__init__` in the place of the one that dataclasses made."""
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
    # The source holds names of fields and of this module's own making, never a value from outside.
    exec("\n ".join(lines), scope)  # noqa: S102
    init: Callable[..., None] = scope["__init__"]
    return init


def _parameter(field: Field[Any], scope: dict[str, Any]) -> str:
    """Return a parameter as source; its default is named in the scope."""
    if field.default is MISSING:
        return field.name
    default = f"default_of_{field.name}"
    scope[default] = field.default
    return f"{field.name}={default}"
