"""Put the records of a dump into a journal. All records are checked before the first is stored.

1. `check` reads the file without a journal. Each record is decided again, and its SHA-256 noted.
2. `check_forks` compares each fork with its base in the dump or in the journal (M21).
3. `store` reads the file again. It stores each match whole or not at all, and stops if the bytes
   differ from the checked bytes.

One record is in memory at a time, with some 300 bytes for each other record. Bases of forks are
copied to a temporary directory. After an interruption run the import again: matches that are in the
journal stay as they are.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from domain.match.terms import base_of
from service.base.errors import BadRecord
from service.base.metadata_fields import COMMAND_LINE
from service.matches import records
from service.matches.context import Context
from service.matches.forks import bases_in
from service.ops.backup import dump_file
from service.ops.backup.dump_file import DumpedRecord
from service.ops.backup.export import Progress
from service.ops.backup.restore import Restored, put
from service.record.commit import parse_commit
from service.record.record import commit_in
from service.record.replay import replay_commits
from service.record.verify.audit import FindBase, RecordAudit, verify_record
from service.record.verify.files import Unreadable
from service.record.verify.redecide import MOST_FORKS, not_at_hand

_NOTHING = "Nothing was imported"


@dataclass(slots=True)
class CheckedDump:
    """A dump with right records, as far as each can be checked by itself.

    digests: SHA-256 of each record by match.   bases: match of the base by fork.
    left_out: forks that could not be compared with a base in the dump or in the journal.
    """

    path: Path
    commits: int = 0
    digests: dict[str, bytes] = field(default_factory=dict)
    bases: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def check(path: Path, now: int, progress: Progress) -> CheckedDump:
    """Check every record of a dump by itself, and the file by the lists beside it.

    progress: counts bytes of the file. Raises Unreadable, and BadRecord at the first fault.
    """
    listed = dump_file.listed_digests(path)
    checked = CheckedDump(path)
    for record in dump_file.records(path):
        digest = _digest(record.lines)
        if record.match in checked.digests:
            raise _bad(record.match, "its record is in the dump twice")
        if listed.pop(record.match, digest.hex()) != digest.hex():
            raise _bad(record.match, "its record does not fit its SHA-256 in the list")

        _check_record(record, checked, now)
        checked.digests[record.match] = digest
        checked.commits += len(record.lines)
        progress(record.size)

    if listed:
        raise _bad(next(iter(listed)), "its record is in the list, but not in the dump")
    return checked


def _check_record(record: DumpedRecord, checked: CheckedDump, now: int) -> None:
    """Check a record by itself. The base of a fork is checked later. Raises BadRecord."""
    try:
        audit = verify_record(records.linked(record.lines))
        fork = base_of(audit.loaded.match) if audit.loaded is not None else None
        if fork is not None:
            checked.bases[record.match] = fork.match
            unnamed = not_at_hand({"match": fork.match, "version": fork.version})
            audit.report.unchecked.remove(unnamed)
        records.demand_importable(audit, now)
    except BadRecord as error:
        raise _bad(record.match, str(error)) from None


def check_forks(ctx: Context, checked: CheckedDump) -> None:
    """Compare each fork with its base. Note the forks that lack a base in `left_out`.

    Raises Unreadable, JournalError, and BadRecord if a fork differs from its base.
    """
    if not checked.bases:
        return

    bases = set(checked.bases.values())
    with TemporaryDirectory() as directory:
        for record in _again(checked):
            if record.match in bases:
                Path(directory, record.match).write_bytes(b"".join(record.lines))

        find_base = _bases(ctx, Path(directory), checked)
        for record in _again(checked):
            if record.match not in checked.bases:
                continue
            report = verify_record(record.lines, find_base=find_base).report
            if report.wrong is not None:
                raise _bad(record.match, str(report.wrong))
            if report.unchecked:
                checked.left_out.append(record.match)


def _bases(ctx: Context, directory: Path, checked: CheckedDump, most: int = MOST_FORKS) -> FindBase:
    """Return a search for the base of a fork, in a directory and in the journal."""

    def find_base(match: str, version: int) -> RecordAudit | None:
        if match not in checked.digests:
            return bases_in(ctx, most)(match, version)
        if not most:
            return None
        with Path(directory, match).open("rb") as lines:
            return verify_record(lines, find_base=_bases(ctx, directory, checked, most - 1))

    return find_base


def store(ctx: Context, checked: CheckedDump, progress: Progress) -> Restored:
    """Put the matches of a checked dump into the journal, each whole or not at all.

    progress: counts commits. Raises Unreadable if the file has changed, JournalUnavailable.
    """
    result = Restored()
    left_out = set(checked.left_out)
    for record in _again(checked):
        if record.match not in left_out:
            many_commit_bytes = [commit_in(line) for line in record.lines]
            loaded = replay_commits(None, many_commit_bytes)
            assert loaded is not None, "a record has commits"
            commits = list(map(parse_commit, many_commit_bytes))
            put(ctx.journal, records.entries_of(commits, loaded, ctx.clock(), COMMAND_LINE), result)
        progress(len(record.lines))
    return result


def _again(checked: CheckedDump) -> Iterator[DumpedRecord]:
    """Yield the records of a checked dump. Raises Unreadable if the file has changed since."""
    changed = Unreadable(f"{checked.path} has changed since the check. Import it again")
    digests = dict(checked.digests)
    for record in dump_file.records(checked.path):
        if digests.pop(record.match, b"") != _digest(record.lines):
            raise changed
        yield record
    if digests:
        raise changed


def _digest(lines: Sequence[bytes]) -> bytes:
    return hashlib.sha256(b"".join(lines)).digest()


def _bad(match: str, detail: str) -> BadRecord:
    return BadRecord(0, "bad_dump", f"match {match}: {detail}. {_NOTHING}")
