"""Records out and in: a match as lines, redacted for the caller; a whole match from lines, verified first."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from service.errors import AlreadyThere, BadRecord
from service.journal.port import Conflict, Deleted, Entry
from service.keys.tokens import Caller
from service.ledger import record
from service.ledger.canonical import canonical
from service.ledger.commit import parse_commit
from service.ledger.replay import Loaded
from service.ledger.times import timestamp
from service.matches.access import enter
from service.matches.bounds import MOST_LINE, MOST_RECORD_COMMITS
from service.matches.committing import head_of
from service.matches.deleting import COMMAND_LINE
from service.matches.desk import Desk
from service.matches.loading import pieces, why_missing
from service.matches.opening import LEVELS
from service.matches.reading import IMPORTED, audiences
from service.verify.audit import Audit, quiet, verify_record
from service.verify.chain import read_record
from service.verify.redecide import Progress
from service.verify.report import Report, Wrong

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
    for data in chain.from_iterable(pieces(desk, loaded.id, 0, loaded.version)):
        entry = parse_commit(data)
        yield record.line(entry if loaded.match.revealed else record.redact(entry, may_see))


def import_record(
    desk: Desk, lines: Iterable[bytes], progress: Progress = quiet, by: str = COMMAND_LINE
) -> tuple[Audit, bool]:
    """Take in a whole, ended match; return what was verified and whether the match was there already.

    Nothing is stored unless every line verifies, every command is decided again and nothing is left unchecked, and then
    all at once. An imported match has no tokens and no names; it says when it was imported and by whom (`by`).
    Raises BadRecord, AlreadyThere.
    """
    audit = verify_record(_linked(lines), progress)
    report = audit.report
    _demand_checked(report)
    assert audit.loaded is not None, "a match that was decided to its last commit is at hand"
    _demand_known(desk, audit.loaded)

    try:
        desk.journal.restore(_as_stored(audit, audit.loaded, desk.clock(), by))
    except Deleted:
        raise AlreadyThere(f"{why_missing(desk, report.match)}; nothing was imported") from None
    except Conflict:
        head = desk.journal.head(report.match)
        if head is None or (head.version, head.hash) != (report.commits, report.hash):
            raise AlreadyThere(
                f"there is another match {report.match}; nothing was imported"
            ) from None
        return audit, True
    return audit, False


def _demand_checked(report: Report) -> None:
    """Demand a whole record of which everything was checked and is right; raises BadRecord."""
    if report.wrong is not None:
        raise BadRecord(report.wrong.commit, report.wrong.code, report.wrong.detail)
    if report.redacted or not report.ended:
        raise BadRecord(
            report.commits, "not_whole", "only an ended match with all its secrets can be imported"
        )
    if report.unchecked or report.decided < report.commits:
        what = "; ".join(report.unchecked) or "not every command was decided again"
        raise BadRecord(
            0,
            "not_checked",
            f"only what is checked to the last can be imported. Not checked: {what}",
        )


def _demand_known(desk: Desk, loaded: Loaded) -> None:
    """Demand that this server could have held the match: bots it can name, and no time to come; raises BadRecord."""
    if not all(seat.level in ("", *LEVELS) for seat in loaded.match.seats):
        raise BadRecord(
            loaded.version,
            "level_unknown",
            "a seat is held by a bot of a level that is not known here",
        )
    latest = timestamp(desk.clock() + AHEAD_MS)
    if loaded.time > latest:
        detail = f"its last commit is of {loaded.time}, which is still to come; a commit may be of {latest} at the latest"
        raise BadRecord(loaded.version, "future", detail)


def bounded(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines of a record, as long and as many as one over HTTP may have; raises BadRecord at the first beyond."""
    for number, line in enumerate(lines, 1):
        if number > MOST_RECORD_COMMITS:
            raise BadRecord(
                number, "too_many_commits", f"at most {MOST_RECORD_COMMITS} commits are taken"
            )
        if len(line) > MOST_LINE:
            raise BadRecord(
                number,
                "line_too_long",
                f"a line may have at most {MOST_LINE} bytes, not {len(line)}",
            )
        yield line


def _linked(lines: Iterable[bytes]) -> list[bytes]:
    """Return the lines if each is a commit upon the one before; raises BadRecord at the first that is not.

    Objects take many times the room of their bytes, so this first look holds one commit at a time as objects. A record
    whose chain is wrong goes no further.
    """
    kept: list[bytes] = []
    last = ""
    for number, line in enumerate(lines, 1):
        try:
            [(entry, content)] = read_record([line])
        except Wrong as wrong:
            raise BadRecord(number, wrong.code, wrong.detail) from None
        commit = entry["commit"]
        if hashlib.sha256(content).hexdigest() != entry["hash"]:
            raise BadRecord(
                number, "hash_differs", "the commit is not the one its hash was made of"
            )
        if commit.get("version") != number:
            raise BadRecord(number, "out_of_order", f"what stands here is not commit {number}")
        if commit.get("prev") != last:
            raise BadRecord(
                number, "chain_broken", "it does not name the hash of the commit before it"
            )
        last = entry["hash"]
        kept.append(line)
    return kept


def _as_stored(audit: Audit, loaded: Loaded, now: int, by: str) -> list[Entry]:
    """Return what the journal is to hold of a verified match, with the note of its import in the side table."""
    note = {IMPORTED: canonical({"at": timestamp(now), "by": by}).decode()}
    head = replace(head_of(loaded), imported=now)
    return [
        Entry(
            match=loaded.id,
            expected=number - 1,
            prev=entry["commit"]["prev"],
            data=canonical(entry),
            head=replace(head, version=number, hash=entry["hash"]),
            aside=note if number == 1 else {},
        )
        for number, entry in enumerate(audit.entries, 1)
    ]
