"""What the domain refuses, and why.

RuleBroken         a command that the rules of a game do not allow
  MatchRuleBroken  one that the rules of every match do not allow
Misfit             something given that does not fit
  BadOption        an option of a game
  BadMessage       a message on the wire
RulesUnknown       a match by rules, or with an event, of another release
"""

from collections.abc import Iterable, Sequence
from typing import Generic, Self, TypeVar

MOST_UNKNOWN = 20  # unknown names of one object that are named; more are only counted


class RuleBroken(Exception):
    """A command that the rules do not allow.

    code: stable snake_case name of the reason, for programs ("stack_not_yours").
    rule: the number of the broken rule in its rulebook, such as "C15" or "F24".
    detail: one or two sentences for people that also say what would be legal.
    """

    rulebook: str | None = None
    """The key of the rulebook that states the rule; None: that of the game that was played."""

    def __init__(self, code: str, rule: str, detail: str) -> None:
        super().__init__(f"{rule} {code}: {detail}")
        self.code = code
        self.rule = rule
        self.detail = detail


class MatchRuleBroken(RuleBroken):
    """A command that the rules of every match do not allow, whatever the game ("M2")."""

    rulebook = "match"


class Misfit(Exception):
    """Something given that does not fit.

    path: the names and indices that lead to the place.
    detail: what would be right.
    others: what else does not fit, so that all of it can be reported at once.
    unnamed: how many more names are unknown beyond these. Not every one of thousands is reported.
    """

    def __init__(
        self,
        path: tuple[str | int, ...],
        detail: str,
        others: "tuple[Self, ...]" = (),
        unnamed: int = 0,
    ) -> None:
        place = "/".join(map(str, path)) or "the whole"
        super().__init__(f"{place}: {detail}")
        self.path = path
        self.detail = detail
        self.others = others
        self.unnamed = unnamed

    @property
    def all(self) -> "tuple[Self, ...]":
        """All errors: this one and the others."""
        return (self, *self.others)

    @classmethod
    def together(cls, errors: "Sequence[Misfit]", *prefix: str | int, unnamed: int = 0) -> Self:
        """Return the errors (at least one) as one, their paths behind a prefix."""
        first, *others = [cls((*prefix, *error.path), error.detail) for error in errors]
        return cls(first.path, first.detail, tuple(others), unnamed)


class BadOption(Misfit):
    """An option that a game does not know or a value it does not take."""


class BadMessage(Misfit):
    """A wire message that cannot be read."""


MisfitT = TypeVar("MisfitT", bound=Misfit)


class Faults(Generic[MisfitT]):
    """Collects all that is wrong with one object, to raise it as one error of a kind."""

    def __init__(self, kind: type[MisfitT]) -> None:
        self._kind = kind
        self._found: list[MisfitT] = []
        self._unnamed = 0

    def add(self, error: MisfitT) -> None:
        """Note an error with all that it holds."""
        self._found.extend(error.all)
        self._unnamed += error.unnamed

    def add_unknown(self, names: Sequence[str], path: Iterable[str | int], detail: str) -> None:
        """Note names that the object at the path does not have; past MOST_UNKNOWN, count them."""
        named = names[:MOST_UNKNOWN]
        self._found.extend(self._kind((*path, name), detail) for name in named)
        self._unnamed += len(names) - len(named)

    def together(self) -> MisfitT:
        """Return what was noted, which is something, as one error."""
        return self._kind.together(self._found, unnamed=self._unnamed)

    def raise_any(self) -> None:
        """Raise what was noted, if anything was."""
        if self._found:
            raise self.together()


class RulesUnknown(LookupError):
    """A stored match cannot be folded here: a newer release has written it, or its game is missing.

    name: the version of its rules, the number of its match rules, or the tag of its event.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is unknown to this release")
        self.name = name
