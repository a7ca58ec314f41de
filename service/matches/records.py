"""Records out and in: a match as lines, redacted for the caller; a whole match from lines, verified first."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from service import record
from service.audit.refold import Progress
from service.audit.report import Report
from service.audit.verify import Audit, quiet, verify_record
from service.errors import AlreadyThere, BadRecord
from service.journal import codec
from service.journal.port import Conflict, Entry
from service.matches.committing import head_of
from service.matches.deciding import enter
from service.matches.desk import Desk, Loaded, timestamp
from service.matches.opening import LEVELS
from service.matches.reading import audiences
from service.tokens import Caller

AHEAD_MS = 60_000  # how far another server's clock may be ahead of this one's


def export(desk: Desk, match: str, token: str | None) -> Iterator[bytes]:
    """Return the lines of a match's record as the caller may see it: whole once its secrets are revealed (M9).

    Raises NotFound, Unauthorized.
    """
    loaded, caller = enter(desk, match, token)
    return lines_of(desk, loaded, caller)


def lines_of(desk: Desk, loaded: Loaded, caller: Caller) -> Iterator[bytes]:
    """Yield the lines of a match's record up to the version at hand as a caller may see them."""
    may_see = audiences(caller)
    for data in desk.journal.read(loaded.id, 0, loaded.version):
        entry = codec.parse(data)
        yield record.line(entry if loaded.match.revealed else record.redact(entry, may_see))


def import_record(desk: Desk, lines: Sequence[bytes], progress: Progress = quiet) -> tuple[Audit, bool]:
    """Take in a whole, ended match; return what was verified and whether the match was there already.

    Nothing is stored unless every line verifies, every command is decided again and nothing is left unchecked, and then
    all at once. An imported match has no tokens and no names.
    Raises BadRecord, AlreadyThere.
    """
    audit = verify_record(lines, progress)
    report = audit.report
    _demand_checked(report)
    assert audit.loaded is not None, "a match that was decided to its last commit is at hand"
    _demand_known(desk, audit.loaded)
    entries = [codec.canonical(entry) for entry in audit.entries]
    head = head_of(audit.loaded)
    heads = [replace(head, version=number, hash=entry["hash"]) for number, entry in enumerate(audit.entries, 1)]
    try:
        desk.journal.restore(
            [
                Entry(report.match, then.version - 1, entry["commit"]["prev"], data, then)
                for entry, data, then in zip(audit.entries, entries, heads, strict=True)
            ]
        )
    except Conflict:
        if desk.journal.read(report.match) != entries:
            raise AlreadyThere(f"there is another match {report.match}; nothing was imported") from None
        return audit, True
    return audit, False


def _demand_checked(report: Report) -> None:
    """Demand a whole record of which everything was checked and is right; raises BadRecord."""
    if report.wrong is not None:
        raise BadRecord(report.wrong.commit, report.wrong.code, report.wrong.detail)
    if report.redacted or not report.ended:
        raise BadRecord(report.commits, "not_whole", "only an ended match with all its secrets can be imported")
    if report.unchecked or report.decided < report.commits:
        what = "; ".join(report.unchecked) or "not every command was decided again"
        raise BadRecord(0, "not_checked", f"only what is checked to the last can be imported. Not checked: {what}")


def _demand_known(desk: Desk, loaded: Loaded) -> None:
    """Demand that this server could have held the match: bots it can name, and no time to come; raises BadRecord."""
    if not all(seat.level in ("", *LEVELS) for seat in loaded.match.seats):
        raise BadRecord(loaded.version, "level_unknown", "a seat is held by a bot of a level that is not known here")
    latest = timestamp(desk.clock() + AHEAD_MS)
    if loaded.time > latest:
        detail = (
            f"its last commit is of {loaded.time}, which is still to come; a commit may be of {latest} at the latest"
        )
        raise BadRecord(loaded.version, "future", detail)
