"""Reports of audits: faults, and points that could not be checked, with reasons."""

from collections.abc import Callable
from dataclasses import dataclass, field

from domain.errors import Misfit, RuleBroken
from domain.match.state import Match
from service.base import answers

# The entry in `unchecked` for a record without the revelation (M9). Such a record alone cannot
# prove that no later commits are missing.
END = "the end: only a receipt or the server can show missing later commits"

# Errors that code may raise at a forged value. Lack of memory, an unreadable journal and a stopped
# job raise other errors. These are no fault of a record.
STUMBLES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    Misfit,
    RuleBroken,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
)

# Called with the number of finished commits, and the number of all commits.
Progress = Callable[[int, int], None]


def quiet(_done: int, _of: int) -> None:
    """Show no progress."""


# Called with each version and the match after its commit. The match changes after the call.
Visit = Callable[[int, Match], None]


def no_visit(_version: int, _match: Match) -> None:
    """Do nothing with the match."""


class Wrong(Exception):
    """A fault of a record.

    commit: number of the first bad commit, 0 for the record as a whole.
    """

    def __init__(self, commit: int, code: str, detail: str) -> None:
        super().__init__(f"commit {commit}: {detail}" if commit else detail)
        self.commit = commit
        self.code = code
        self.detail = detail

    def __reduce__(self) -> tuple[type["Wrong"], tuple[int, str, str]]:
        """Support pickling, for faults from other processes. By default only the text is kept."""
        return Wrong, (self.commit, self.code, self.detail)

    def as_json(self) -> answers.Fault:
        """Return the fault as JSON values."""
        return {"commit": self.commit, "code": self.code, "detail": self.detail}


@dataclass(slots=True)
class AuditReport:
    """The result of an audit.

    wrong: the first fault, None if there is none.
    redacted: some commit lacks secret parts.   ended: the last commit is the revelation (M9).
    folded: number of commits with events applied to the state.
    decided: number of commits of `folded` with a command that was decided again.
    signed: number of commits signed by the key of their seat (M18).
    unchecked: points of the history that could not be checked, with reasons.
    notes: notes for people, about points that no check can decide.
    """

    match: str = ""
    game: str = ""
    rules: str = ""
    commits: int = 0
    hash: str = ""
    status: str = ""
    outcome: answers.Outcome | None = None
    redacted: bool = False
    ended: bool = False
    folded: int = 0
    decided: int = 0
    signed: int = 0
    wrong: Wrong | None = None
    unchecked: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Return "wrong", "partly_checked" or "right".

        "partly_checked": nothing is wrong, but something could not be checked.
        """
        if self.wrong is not None:
            return "wrong"
        return "partly_checked" if self.unchecked else "right"

    def end_is_known(self) -> None:
        """Note that a receipt, the server or the journal's head vouches for the last commit."""
        if END in self.unchecked:
            self.unchecked.remove(END)

    def as_json(self) -> answers.Report:
        """Return the report as JSON values."""
        wrong = None if self.wrong is None else self.wrong.as_json()
        report: answers.Report = {
            "ok": wrong is None,
            "verdict": self.verdict,
            "wrong": wrong,
            "match": self.match,
            "game": self.game,
            "rules": self.rules,
            "commits": self.commits,
            "hash": self.hash,
            "status": self.status,
            "outcome": self.outcome,
            "redacted": self.redacted,
            "ended": self.ended,
            "folded": self.folded,
            "decided": self.decided,
            "unchecked": list(self.unchecked),
            "notes": list(self.notes),
        }
        if self.signed:
            report["signed"] = self.signed
        return report
