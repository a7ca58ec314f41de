"""The kinds of options that the creator of a match may set.

`read` of an option returns the value to be recorded, or raises BadOption.
`text` describes the option.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from domain.errors import BadOption


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few names."""

    kind: ClassVar[str] = "choice"
    name: str
    default: str
    text: str
    choices: tuple[str, ...]

    def read(self, value: object) -> str:
        """Return the name, which must be one of the choices."""
        if not isinstance(value, str) or value not in self.choices:
            raise BadOption((self.name,), f"must be one of {', '.join(self.choices)}")
        return value


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    kind: ClassVar[str] = "flag"
    name: str
    default: bool
    text: str

    def read(self, value: object) -> bool:
        """Return the flag."""
        if not isinstance(value, bool):
            raise BadOption((self.name,), "must be true or false")
        return value


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number from `least` to `most`."""

    kind: ClassVar[str] = "number"
    name: str
    default: int
    text: str
    least: int
    most: int

    def read(self, value: object) -> int:
        """Return the number. True and false are no numbers."""
        if type(value) is not int or not self.least <= value <= self.most:
            detail = f"must be a whole number from {self.least} to {self.most}"
            raise BadOption((self.name,), detail)
        return value


@dataclass(frozen=True, slots=True)
class Data:
    """JSON of any form.

    check: returns the value to be recorded, or raises BadOption with a path inside the value.
    form: the TypedDict that describes the value in the contract (domain/json_types.py).
    """

    kind: ClassVar[str] = "data"
    name: str
    default: Mapping[str, object]
    text: str
    check: Callable[[object], object]
    form: type[Mapping[str, object]]

    def read(self, value: object) -> object:
        """Return the result of `check`."""
        try:
            return self.check(value)
        except BadOption as error:
            raise BadOption.together(error.all, self.name, unnamed=error.unnamed) from None


Option: TypeAlias = Choice | Flag | Number | Data
