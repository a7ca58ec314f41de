"""What the domain refuses, and why."""

from collections.abc import Sequence
from typing import Self


class RuleBroken(Exception):
    """A command that the rules do not allow.

    code: stable snake_case name of the reason, for programs ("stack_not_yours").
    rule: the number of the broken rule, such as "C15" or "F24" ("M2" for the rules of a match in general).
    detail: one sentence for people that also says what would be legal.
    """

    def __init__(self, code: str, rule: str, detail: str) -> None:
        super().__init__(f"{rule} {code}: {detail}")
        self.code = code
        self.rule = rule
        self.detail = detail


MOST_UNKNOWN = 20  # unknown names of one object that are told one by one; more are only counted


class Misfit(Exception):
    """Something given that does not fit; `path` leads to the place, `detail` says what would be right.

    others: what else does not fit, so that all of it can be told at once.
    untold: how many more names, beyond these, are unknown. Whoever sends thousands is not told each.
    """

    def __init__(
        self,
        path: tuple[str | int, ...],
        detail: str,
        others: "tuple[Self, ...]" = (),
        untold: int = 0,
    ) -> None:
        super().__init__(f"{'/'.join(map(str, path)) or 'the whole'}: {detail}")
        self.path = path
        self.detail = detail
        self.others = others
        self.untold = untold

    @property
    def all(self) -> "tuple[Self, ...]":
        """All errors: this one and the others."""
        return (self, *self.others)

    @classmethod
    def together(cls, errors: "Sequence[Misfit]", *prefix: str | int, untold: int = 0) -> Self:
        """Return errors (one at least) as the first of them with the others, their paths behind a prefix."""
        first, *others = [cls((*prefix, *error.path), error.detail) for error in errors]
        return cls(first.path, first.detail, tuple(others), untold)


class BadOption(Misfit):
    """An option that a game does not know or a value it does not take."""


class BadMessage(Misfit):
    """A wire message that cannot be read."""
