"""Records out and in: a match as lines, redacted for the caller; a whole match from lines, verified first."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from service import record
from service.audit.refold import Progress
from service.audit.verify import Audit, quiet, verify_record
from service.errors import AlreadyThere, BadRecord
from service.journal import codec
from service.journal.port import Conflict, Entry
from service.matches.committing import head_of
from service.matches.deciding import enter
from service.matches.desk import Desk, Loaded
from service.matches.opening import LEVELS
from service.matches.reading import audiences
from service.tokens import Caller


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

    Nothing is stored unless every line verifies, and then all at once. An imported match has no tokens and no names.
    Raises BadRecord, AlreadyThere.
    """
    audit = verify_record(lines, progress)
    report = audit.report
    if report.wrong is not None:
        raise BadRecord(report.wrong.commit, report.wrong.code, report.wrong.detail)
    if report.redacted or not report.ended or audit.loaded is None:
        raise BadRecord(report.commits, "not_whole", "only an ended match with all its secrets can be imported")
    if not all(seat.level in ("", *LEVELS) for seat in audit.loaded.match.seats):
        raise BadRecord(report.commits, "level_unknown", "a seat is held by a bot of a level that is not known here")
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
