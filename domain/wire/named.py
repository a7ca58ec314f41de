"""Enums whose members have names on the wire."""

import enum
from collections.abc import Mapping
from functools import cache
from typing import Self, TypeVar

Member = TypeVar("Member", bound="Named")


class Named(enum.IntEnum):
    """An enum that indexes lists in the domain.

    `wire` is a member's name on the wire: its own name in lower snake case, unless the class says
    otherwise.
    """

    wire: str

    def __init__(self, _index: int) -> None:
        self.wire = self._name_.lower()

    @classmethod
    def by_wire(cls) -> Mapping[str, Self]:
        """Return the members by their names on the wire, in their order."""
        return _members_by_wire(cls)

    @classmethod
    def of(cls, wire_name: str) -> Self:
        """Return the member of this name on the wire; raises ValueError with the right names."""
        members = cls.by_wire()
        if wire_name not in members:
            raise ValueError(f"{wire_name!r} is none of {', '.join(members)}")
        return members[wire_name]


@cache
def _members_by_wire(cls: type[Member]) -> Mapping[str, Member]:
    return {member.wire: member for member in cls}
