"""Refusals and misfits of the domain.

RuleBroken         a command against the rules of a game
  MatchRuleBroken  a command against the rules of every match
Misfit             an input that does not fit
  BadOption        an option of a game, or a clock
  BadMessage       JSON of a message or a dataclass
RulesUnknown       a match with the rules, or with an event, of another release
"""

from collections.abc import Iterable, Sequence
from typing import Generic, Self, TypeVar

MOST_UNKNOWN = 20  # reported unknown names of one object. Further ones are only counted


class RuleBroken(Exception):
    """A command against the rules.

    code: stable snake_case name of the reason, for programs ("stack_not_yours").
    rule: the number of the broken rule in its rulebook, such as "C15" or "F24".
    detail: one or two sentences for people.
    """

    rulebook: str | None = None
    """The key of the rulebook that states the rule. None: the rulebook of the match's game."""

    def __init__(self, code: str, rule: str, detail: str) -> None:
        super().__init__(f"{rule} {code}: {detail}")
        self.code = code
        self.rule = rule
        self.detail = detail


class MatchRuleBroken(RuleBroken):
    """A command against the rules of every match, in any game ("M2")."""

    rulebook = "match"


class Misfit(Exception):
    """An input that does not fit.

    path: the names and indices on the way to the value.
    detail: the right form or values.
    others: further misfits, reported together with this one.
    unnamed: the number of unknown names beyond MOST_UNKNOWN. They are not reported one by one.
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
        """The error itself, and its others."""
        return (self, *self.others)

    @classmethod
    def together(cls, errors: "Sequence[Misfit]", *prefix: str | int, unnamed: int = 0) -> Self:
        """Return the errors (at least one) as one. The prefix is put before each path."""
        first, *others = [cls((*prefix, *error.path), error.detail) for error in errors]
        return cls(first.path, first.detail, tuple(others), unnamed)


class BadOption(Misfit):
    """A misfit in the options of a game or in a clock."""


class BadMessage(Misfit):
    """JSON that is no valid message, or no valid instance of a dataclass."""


MisfitT = TypeVar("MisfitT", bound=Misfit)


class Faults(Generic[MisfitT]):
    """Collects the errors in one object, to raise them together as one error of a kind."""

    def __init__(self, kind: type[MisfitT]) -> None:
        self._kind = kind
        self._found: list[MisfitT] = []
        self._unnamed = 0

    def add(self, error: MisfitT) -> None:
        """Note an error and the others in it."""
        self._found.extend(error.all)
        self._unnamed += error.unnamed

    def add_unknown(self, names: Sequence[str], path: Iterable[str | int], detail: str) -> None:
        """Note unknown names in the object at a path. Past MOST_UNKNOWN, only count them."""
        reported = names[:MOST_UNKNOWN]
        self._found.extend(self._kind((*path, name), detail) for name in reported)
        self._unnamed += len(names) - len(reported)

    def together(self) -> MisfitT:
        """Return the noted errors, at least one, as one error."""
        return self._kind.together(self._found, unnamed=self._unnamed)

    def raise_any(self) -> None:
        """Raise the noted errors, if any."""
        if self._found:
            raise self.together()


class RulesUnknown(LookupError):
    """A match cannot be folded here: a newer release has written it, or its game is missing.

    name: the version of its rules, the number of its match rules, or the tag of its event.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is unknown to this release")
        self.name = name
