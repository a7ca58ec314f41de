"""What the domain refuses, and why."""


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
    """An option that a game does not know or a value it does not take; `path` leads to the place."""

    def __init__(self, path: tuple[str | int, ...], detail: str) -> None:
        super().__init__(f"{'/'.join(map(str, path))}: {detail}")
        self.path = path
        self.detail = detail


class BadMessage(Exception):
    """A wire message that cannot be read; `path` leads to the offending place."""

    def __init__(self, path: tuple[str | int, ...], detail: str) -> None:
        super().__init__(f"{'/'.join(map(str, path)) or 'message'}: {detail}")
        self.path = path
        self.detail = detail
