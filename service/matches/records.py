"""Records: export of matches as lines, import of verified lines, and audits of the journal."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from service.base.errors import (
    AlreadyThere,
    BadRecord,
    MatchDeleted,
    NotFound,
    RecordRulesUnknown,
)
from service.base.metadata_fields import COMMAND_LINE, IMPORTED
from service.matches import metadata_changes, server_log
from service.matches.access import Access, enter, why_missing
from service.matches.bots import LEVELS
from service.matches.command_handler import MOST_LINE, MOST_RECORD_COMMITS, head_of
from service.matches.context import Context
from service.matches.forks import bases_in
from service.matches.repository import PIECE, OtherStream, pieces
from service.record import record
from service.record.commit import StoredCommit, canonical, parse_commit, timestamp
from service.record.replay import Loaded
from service.record.verify.audit import RecordAudit, verify_record, verify_stored
from service.record.verify.chain import read_record
from service.record.verify.report import AuditReport, Progress, Wrong, quiet
from service.store.journal.errors import ArchiveDamaged, Conflict, Deleted, HeadDamaged
from service.store.journal.values import Entry, Head
from service.store.keys.tokens import Caller
from service.store.tlog.index import MatchSelection

AHEAD_MS = 60_000  # another server's clock may be ahead of this one's by so much

# Limits of a page of records. A match with more commits is a page by itself.
MOST_MATCHES = 100
MOST_COMMITS = 10_000


def export(ctx: Context, match_id: str, token: str | None) -> Iterator[bytes]:
    """Return the lines of a match's record in the caller's view.

    The record is whole once the match's secrets are revealed (M9). Raises the errors of `enter`.
    """
    return lines_of(ctx, enter(ctx, match_id, token))


def lines_of(ctx: Context, access: Access, after: int = 0) -> Iterator[bytes]:
    """Yield the lines of a match's record after a version, in the caller's view."""
    may_see = access.caller.audiences
    for commit_bytes in chain.from_iterable(pieces(ctx, access.match, after, access.version)):
        stored = parse_commit(commit_bytes)
        if not access.head.final:
            stored = record.redact(stored, may_see)
        yield record.line(stored)


@dataclass(frozen=True, slots=True)
class EndedMatches:
    """The matches of a page of records.

    next: position in the log for the next page. None at the end.
    """

    accesses: list[Access]
    next: int | None


def ended(ctx: Context, selection: MatchSelection) -> EndedMatches:
    """Return a page of the revealed matches of a selection, ordered by their last commit.

    A match is left out while its last commit has no position in the log. It follows later, at that
    position. Raises Overloaded and LogUnavailable.
    """
    listed = server_log.listed(ctx, selection, MOST_MATCHES)
    heads = ctx.journal.events.heads([one.match for one in listed])
    gone = [one.match for one, head in zip(listed, heads, strict=True) if head is None]
    server_log.forget_deleted(ctx, gone)

    accesses: list[Access] = []
    commits = 0
    for one, head in zip(listed, heads, strict=True):
        if not isinstance(head, Head) or not head.final or timestamp(head.updated) != one.time:
            continue
        commits += head.version
        if accesses and commits > MOST_COMMITS:
            return EndedMatches(accesses, one.position)
        accesses.append(Access(one.match, head, Caller()))

    is_full = len(listed) == MOST_MATCHES
    return EndedMatches(accesses, listed[-1].position + 1 if is_full else None)


def lines_of_all(ctx: Context, accesses: Iterable[Access], missing: list[str]) -> Iterator[bytes]:
    """Yield the lines of one record after another, without matches deleted meanwhile.

    missing: gets the ids of unreadable matches.
    """
    for access in accesses:
        try:
            lines = list(lines_of(ctx, access))
        except (NotFound, MatchDeleted):
            continue
        except (ArchiveDamaged, HeadDamaged):
            missing.append(access.match)
            continue
        yield from lines


def import_record(
    ctx: Context, lines: Iterable[bytes], progress: Progress = quiet, by: str = COMMAND_LINE
) -> tuple[RecordAudit, bool]:
    """Import a whole, ended match.

    Return the audit, and True if the match existed already. The match is stored whole, and only if
    every line verifies, every command is decided again and nothing is left unchecked. An
    imported match has no tokens and no names. It has the time and the author of the import (`by`).
    A fork is imported only if its base is in this journal (M21). Raises BadRecord, AlreadyThere.
    """
    audit = verify_record(linked(lines), progress, bases_in(ctx))
    report = audit.report
    loaded = demand_importable(audit, ctx.clock())
    entries = entries_of(audit.commits, loaded, ctx.clock(), by)
    try:
        ctx.journal.events.restore(entries)
    except Deleted:
        raise AlreadyThere(f"{why_missing(ctx, report.match)}. Nothing was imported") from None
    except Conflict:
        head = ctx.journal.events.head(report.match)
        if head is None or (head.version, head.hash) != (report.commits, report.hash):
            detail = f"another match has the ID {report.match}. Nothing was imported"
            raise AlreadyThere(detail) from None
        return audit, True
    return audit, False


def demand_importable(audit: RecordAudit, now: int) -> Loaded:
    """Return the match of a record if it may be imported. Raises BadRecord."""
    _demand_checked(audit)
    loaded = audit.loaded
    assert loaded is not None, "a match that was decided to its last commit is at hand"
    _demand_known(loaded, now)
    return loaded


def _demand_checked(audit: RecordAudit) -> None:
    """Demand a whole record with everything checked and right. Raises BadRecord."""
    report = audit.report
    if report.wrong is not None:
        raise BadRecord(report.wrong.commit, report.wrong.code, report.wrong.detail)
    if report.redacted or not report.ended:
        detail = "only an ended match with all its secrets can be imported"
        raise BadRecord(report.commits, "not_whole", detail)
    if audit.unknown_rules:
        raise RecordRulesUnknown(audit.unknown_rules)
    if report.unchecked or report.decided < report.commits:
        unchecked = "; ".join(report.unchecked) or "not every command was decided again"
        detail = (
            f"only a record that is checked to its end can be imported. Not checked: {unchecked}"
        )
        raise BadRecord(0, "not_checked", detail)


def _demand_known(loaded: Loaded, now: int) -> None:
    """Demand a match that this server could have held: known levels of bots, no future times.

    Raises BadRecord.
    """
    known_levels = ("", *LEVELS)
    if not all(seat.level in known_levels for seat in loaded.match.seats):
        detail = "a seat is held by a bot of an unknown level"
        raise BadRecord(loaded.version, "level_unknown", detail)

    latest = timestamp(now + AHEAD_MS)
    if loaded.time > latest:
        detail = (
            f"its last commit is of {loaded.time}, in the future. Commits up to {latest} are "
            "accepted"
        )
        raise BadRecord(loaded.version, "future", detail)


def bounded(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines of a record, within the limits of length and number for HTTP.

    Raises BadRecord at the first line beyond a limit.
    """
    for number, line in enumerate(lines, 1):
        if number > MOST_RECORD_COMMITS:
            detail = f"a record may have at most {MOST_RECORD_COMMITS} commits"
            raise BadRecord(number, "too_many_commits", detail)
        if len(line) > MOST_LINE:
            detail = f"a line may have at most {MOST_LINE} bytes, not {len(line)}"
            raise BadRecord(number, "line_too_long", detail)
        yield line


def linked(lines: Iterable[bytes]) -> list[bytes]:
    """Return the lines if each line is a commit and follows the commit before.

    Raises BadRecord at the first line that does not. A parsed commit takes many times the memory of
    its bytes, so this first check parses one commit at a time.
    """
    linked_lines: list[bytes] = []
    hash_before = ""
    for number, line in enumerate(lines, 1):
        hash_before = _check_link(number, line, hash_before)
        linked_lines.append(line)
    return linked_lines


def _check_link(number: int, line: bytes, hash_before: str) -> str:
    """Check that a line is the commit of version `number` and follows the commit before.

    Return the hash of the commit. Raises BadRecord.
    """
    try:
        [(stored, content_bytes)] = read_record([line])
    except Wrong as wrong:
        raise BadRecord(number, wrong.code, wrong.detail) from None

    content = stored["commit"]
    if hashlib.sha256(content_bytes).hexdigest() != stored["hash"]:
        detail = "the commit does not fit its hash"
        raise BadRecord(number, "hash_differs", detail)
    if content.get("version") == 1 and number > 1:
        detail = "another record begins here. Send each by itself, or import the file of a dump"
        raise BadRecord(number, "out_of_order", detail)
    if content.get("version") != number:
        detail = f"this line is not commit {number}"
        raise BadRecord(number, "out_of_order", detail)
    if content.get("prev") != hash_before:
        detail = "it does not name the hash of the commit before it"
        raise BadRecord(number, "chain_broken", detail)
    return stored["hash"]


def entries_of(commits: Sequence[StoredCommit], loaded: Loaded, now: int, by: str) -> list[Entry]:
    """Return the journal's entries for a verified match.

    The first entry stores time and author of the import in the metadata.
    """
    import_note = {IMPORTED: canonical({"at": timestamp(now), "by": by}).decode()}
    last_head = replace(head_of(loaded), imported=now)

    entries = []
    for number, stored in enumerate(commits, 1):
        entry = Entry(
            match=loaded.id,
            expected=number - 1,
            prev=stored["commit"]["prev"],
            commit_bytes=canonical(stored),
            head=replace(last_head, version=number, hash=stored["hash"]),
            metadata=import_note if number == 1 else {},
        )
        entries.append(entry)
    return entries


def audit(
    ctx: Context, match_id: str, version: int | None = None, progress: Progress = quiet
) -> AuditReport:
    """Return the report on a match up to a version (None: as it is now).

    The commits are checked with all their secrets. In a report on the present version the head and
    the names are checked, too. Raises NotFound, MatchDeleted, OtherStream.
    """
    # Read head and names at once: names read earlier or later may be of another holder of a seat.
    metadata = ctx.journal.metadata.dump(match_id)
    head = metadata.head
    if head is None:
        raise why_missing(ctx, match_id)

    version = version or head.version
    audited = verify_stored(_as_stored(ctx, match_id, version), progress, bases_in(ctx))
    report = audited.report
    if report.wrong is None:
        report.wrong = _compare_beside_chain(audited, version, head, metadata.fields)
    if report.wrong is None:
        report.end_is_known()
    else:
        _demand_same(ctx, match_id, head)
    return report


def _as_stored(ctx: Context, match_id: str, version: int) -> Iterator[bytes]:
    """Yield the commits up to a version, damaged ones too. Missing commits end the audit early."""
    after = 0
    while after < version:
        entries = ctx.journal.events.read(match_id, after, min(PIECE, version - after))
        if not entries:
            return
        yield from entries
        after += len(entries)


def _demand_same(ctx: Context, match_id: str, head: Head) -> None:
    """Demand that the match has only moved on since its head was read.

    Raises NotFound, MatchDeleted. Raises OtherStream if the journal has gone back meanwhile, since
    the fault may be none.
    """
    present = ctx.journal.events.head(match_id)
    if present is None:
        raise why_missing(ctx, match_id)
    is_behind = present.version < head.version
    if is_behind or (present.version == head.version and present.hash != head.hash):
        raise OtherStream


def _compare_beside_chain(
    audited: RecordAudit, version: int, head: Head, stored: Mapping[str, str]
) -> Wrong | None:
    """Compare head and names of a match with the chain, if the chain was read to its end."""
    report = audited.report
    if report.commits < version:
        detail = "the journal lacks commits up to its head"
        return Wrong(report.commits, "head_differs", detail)
    if version < head.version:
        return None
    if report.hash != head.hash:
        return Wrong(0, "head_differs", "the journal's head is not the last commit")

    if audited.loaded is None:
        return None
    return metadata_changes.fault(audited.loaded.match, stored)
