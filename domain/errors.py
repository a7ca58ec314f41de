"""What the domain refuses, and why."""

from collections.abc import Sequence


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


class BadOption(Exception):
    """An option that a game does not know or a value it does not take; `path` leads to the place.

    others: what else is wrong with the same options, so that all of it can be told at once.
    """

    def __init__(self, path: tuple[str | int, ...], detail: str, others: "tuple[BadOption, ...]" = ()) -> None:
        super().__init__(f"{'/'.join(map(str, path))}: {detail}")
        self.path = path
        self.detail = detail
        self.others = others

    @property
    def all(self) -> "tuple[BadOption, ...]":
        """All errors: this one and the others."""
        return (self, *self.others)

    @classmethod
    def together(cls, errors: "Sequence[BadOption]", *prefix: str) -> "BadOption":
        """Return errors (one at least) as the first of them with the others, their paths behind a prefix."""
        first, *others = [cls((*prefix, *error.path), error.detail) for error in errors]
        return cls(first.path, first.detail, tuple(others))


class BadMessage(Exception):
    """A wire message that cannot be read; `path` leads to the offending place."""

    def __init__(self, path: tuple[str | int, ...], detail: str) -> None:
        super().__init__(f"{'/'.join(map(str, path)) or 'message'}: {detail}")
        self.path = path
        self.detail = detail
