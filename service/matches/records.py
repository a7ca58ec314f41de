"""Records: a match exported as lines, imported from verified lines, audited in the journal."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from service.base.errors import AlreadyThere, BadRecord, MatchDeleted, NotFound
from service.base.metadata_fields import IMPORTED
from service.matches import metadata_changes, server_log
from service.matches.access import Access, enter, why_missing
from service.matches.bots import LEVELS
from service.matches.command_handler import MOST_LINE, MOST_RECORD_COMMITS, head_of
from service.matches.context import Context
from service.matches.forks import bases_in
from service.matches.lifecycle import COMMAND_LINE
from service.matches.repository import pieces
from service.matches.views import audiences
from service.record import record
from service.record.commit import StoredCommit, canonical, parse_commit, timestamp
from service.record.replay import Loaded
from service.record.verify.audit import RecordAudit, verify_record, verify_stored
from service.record.verify.chain import read_record
from service.record.verify.report import AuditReport, Progress, Wrong, quiet
from service.store.journal.errors import ArchiveDamaged, Conflict, Deleted, HeadDamaged
from service.store.journal.values import Entry, Head
from service.store.keys.tokens import Caller
from service.store.tlog.index import Wanted

AHEAD_MS = 60_000  # how far another server's clock may be ahead of this one's

# What a page of records holds at most; a match with more commits is a page.
MOST_MATCHES = 100
MOST_COMMITS = 10_000


def export(ctx: Context, match_id: str, token: str | None) -> Iterator[bytes]:
    """Return the lines of a match's record as the caller may see it.

    The record is whole once the match's secrets are revealed (M9). Raises NotFound, Unauthorized.
    """
    return lines_of(ctx, enter(ctx, match_id, token))


def lines_of(ctx: Context, access: Access, after: int = 0) -> Iterator[bytes]:
    """Yield the lines of a match's record after a version, as the caller may see them."""
    may_see = audiences(access.caller)
    for commit_bytes in chain.from_iterable(pieces(ctx, access.match, after, access.version)):
        stored = parse_commit(commit_bytes)
        if not access.head.final:
            stored = record.redact(stored, may_see)
        yield record.line(stored)


@dataclass(frozen=True, slots=True)
class EndedMatches:
    """Matches whose records are a page.

    next: the position of the log to go on from; None at the end.
    """

    found: list[Access]
    next: int | None


def ended(ctx: Context, wanted: Wanted) -> EndedMatches:
    """Return public matches that have ended and are revealed, first ended first.

    One whose last commit has no position yet is left out: it comes later, at that position.
    Raises Overloaded.
    """
    listed = server_log.listed(ctx, wanted, MOST_MATCHES)
    heads = ctx.journal.events.heads([one.match for one in listed])
    gone = [one.match for one, head in zip(listed, heads, strict=True) if head is None]
    server_log.forget_deleted(ctx, gone)

    found: list[Access] = []
    commits = 0
    for one, head in zip(listed, heads, strict=True):
        if not isinstance(head, Head) or not head.final or timestamp(head.updated) != one.time:
            continue
        commits += head.version
        if found and commits > MOST_COMMITS:
            return EndedMatches(found, one.position)
        found.append(Access(one.match, head, Caller()))

    is_full = len(listed) == MOST_MATCHES
    return EndedMatches(found, listed[-1].position + 1 if is_full else None)


def lines_of_all(ctx: Context, found: Iterable[Access], missing: list[str]) -> Iterator[bytes]:
    """Yield the lines of one record after the other, without matches that were deleted meanwhile.

    missing: gets the ids of those that cannot be read.
    """
    for access in found:
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
    """Take in a whole, ended match.

    Return what was verified and whether the match was there already. Nothing is stored unless every
    line verifies, every command is decided again and nothing is left unchecked, and then all at
    once. An imported match has no tokens and no names; it says when it was imported and by whom
    (`by`). A fork is imported where its base is (M21). Raises BadRecord, AlreadyThere.
    """
    audit = verify_record(_linked(lines), progress, bases_in(ctx))
    report = audit.report
    _demand_checked(report)

    loaded = audit.loaded
    assert loaded is not None, "a match that was decided to its last commit is at hand"
    _demand_known(ctx, loaded)

    entries = _entries(audit.commits, loaded, ctx.clock(), by)
    try:
        ctx.journal.events.restore(entries)
    except Deleted:
        raise AlreadyThere(f"{why_missing(ctx, report.match)}; nothing was imported") from None
    except Conflict:
        head = ctx.journal.events.head(report.match)
        if head is None or (head.version, head.hash) != (report.commits, report.hash):
            detail = f"there is another match {report.match}; nothing was imported"
            raise AlreadyThere(detail) from None
        return audit, True
    return audit, False


def _demand_checked(report: AuditReport) -> None:
    """Demand a whole record of which everything was checked and is right; raises BadRecord."""
    if report.wrong is not None:
        raise BadRecord(report.wrong.commit, report.wrong.code, report.wrong.detail)
    if report.redacted or not report.ended:
        detail = "only an ended match with all its secrets can be imported"
        raise BadRecord(report.commits, "not_whole", detail)
    if report.unchecked or report.decided < report.commits:
        unchecked = "; ".join(report.unchecked) or "not every command was decided again"
        detail = f"only what is checked to the last can be imported. Not checked: {unchecked}"
        raise BadRecord(0, "not_checked", detail)


def _demand_known(ctx: Context, loaded: Loaded) -> None:
    """Demand that this server could have held the match: bots it can name, and no time to come.

    Raises BadRecord.
    """
    known_levels = ("", *LEVELS)
    if not all(seat.level in known_levels for seat in loaded.match.seats):
        detail = "a seat is held by a bot of a level that is not known here"
        raise BadRecord(loaded.version, "level_unknown", detail)

    latest = timestamp(ctx.clock() + AHEAD_MS)
    if loaded.time > latest:
        detail = (
            f"its last commit is of {loaded.time}, which is still to come; "
            f"a commit may be of {latest} at the latest"
        )
        raise BadRecord(loaded.version, "future", detail)


def bounded(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines of a record, as long and as many as one over HTTP may have.

    Raises BadRecord at the first beyond.
    """
    for number, line in enumerate(lines, 1):
        if number > MOST_RECORD_COMMITS:
            detail = f"at most {MOST_RECORD_COMMITS} commits are taken"
            raise BadRecord(number, "too_many_commits", detail)
        if len(line) > MOST_LINE:
            detail = f"a line may have at most {MOST_LINE} bytes, not {len(line)}"
            raise BadRecord(number, "line_too_long", detail)
        yield line


def _linked(lines: Iterable[bytes]) -> list[bytes]:
    """Return the lines if each is a commit upon the one before.

    Raises BadRecord at the first that is not. Objects take many times the room of their bytes, so
    this first look holds one commit at a time as objects. A record whose chain is wrong goes no
    further.
    """
    linked_lines: list[bytes] = []
    hash_before = ""
    for number, line in enumerate(lines, 1):
        hash_before = _check_link(number, line, hash_before)
        linked_lines.append(line)
    return linked_lines


def _check_link(number: int, line: bytes, hash_before: str) -> str:
    """Check that a line is the commit of a number upon the one before.

    Return its hash. Raises BadRecord.
    """
    try:
        [(stored, content_bytes)] = read_record([line])
    except Wrong as wrong:
        raise BadRecord(number, wrong.code, wrong.detail) from None

    content = stored["commit"]
    if hashlib.sha256(content_bytes).hexdigest() != stored["hash"]:
        detail = "the commit is not the one its hash was made of"
        raise BadRecord(number, "hash_differs", detail)
    if content.get("version") != number:
        detail = f"what stands here is not commit {number}"
        raise BadRecord(number, "out_of_order", detail)
    if content.get("prev") != hash_before:
        detail = "it does not name the hash of the commit before it"
        raise BadRecord(number, "chain_broken", detail)
    return stored["hash"]


def _entries(commits: Sequence[StoredCommit], loaded: Loaded, now: int, by: str) -> list[Entry]:
    """Return what the journal is to hold of a verified match.

    The note of the import goes into the metadata.
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

    Its commits are checked with all their secrets, then its head and its names.
    Raises NotFound, MatchDeleted.
    """
    # Head and names of one moment: names read earlier or later may be of another holder of a seat.
    metadata = ctx.journal.metadata.dump(match_id)
    head = metadata.head
    if head is None:
        raise why_missing(ctx, match_id)

    version = version or head.version
    many_commit_bytes = chain.from_iterable(pieces(ctx, match_id, 0, version))
    audited = verify_stored(many_commit_bytes, progress, bases_in(ctx))
    report = audited.report
    if report.wrong is None:
        report.wrong = _beside_the_chain(audited, version, head, metadata.fields)
    if report.wrong is None:
        report.end_is_known()
    return report


def _beside_the_chain(
    audited: RecordAudit, version: int, head: Head, stored: Mapping[str, str]
) -> Wrong | None:
    """Hold the head and the names beside a chain against it, where it was read to its end."""
    report = audited.report
    if report.commits < version:
        detail = "the journal lacks commits that its head knows of"
        return Wrong(report.commits, "head_differs", detail)
    if version < head.version:
        return None
    if report.hash != head.hash:
        return Wrong(0, "head_differs", "the journal's head is not the last commit")

    if audited.loaded is None:
        return None
    return metadata_changes.fault(audited.loaded.match, stored)
