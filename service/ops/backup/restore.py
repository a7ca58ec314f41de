"""Restore a backup into a journal. The journal's own port builds all indexes again.

A backup is read twice, match by match:

1. `check` reads the file to its last byte, and checks the chain of each match, the digest of each
   part, and the manifest. Nothing is stored before.
2. `restore` reads the file again, with the same checks. Each match is stored whole or not at all.

Without `merge` the journal must be empty. With `merge` the journal may be in use, and its matches
stay as they are. Such a match counts as `present` if it has the backup's last commit, else as
`differing`. `EventsPort.restore` adds a match in one step, and refuses a known match.

A restore dies half-way: the journal has the first matches, each whole. Run the restore again with
`merge`. `put` counts these matches as present and stores the others.
"""

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO

from service.base.metadata_fields import DEADLINE, GAPS
from service.capabilities.clock import use_cases as clocks
from service.matches.bots import version_of_evaluation
from service.ops.backup import file_format
from service.ops.backup.export import Progress
from service.record.commit import StoredCommit, clock, milliseconds, parse_commit
from service.record.verify import chain
from service.record.verify.report import Wrong
from service.store.journal.errors import Conflict, Deleted
from service.store.journal.ports import Journal
from service.store.journal.values import Entry, Head, Metadata

_FIELDS = 500  # fields of the metadata that are set with one commit

_MOST_SECRET = 1024 * 1024  # bytes; the secret and the keys need a fraction of it
_MOST_MANIFEST = 64 * 1024 * 1024
_PIECE = 1024 * 1024


# ---- reading -------------------------------------------------------------------------------------


class _Digested:
    """A member, read line by line, with its digest."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content
        self._digest = hashlib.sha256()
        self._size = 0

    def line(self) -> bytes:
        """Return the next line without its line feed, b"" at the end. Raises BadBackup."""
        line = self._content.readline(file_format.MOST_LINE)
        self._note(line)
        if line and not line.endswith(b"\n"):
            raise file_format.BadBackup("a line is incomplete or too long")
        return line[:-1]

    def whole(self, most: int) -> bytes:
        """Return the content of a small member.

        most: limit in bytes. Raises BadBackup.
        """
        content = self._content.read(most + 1)
        self._note(content)
        if len(content) > most:
            raise file_format.BadBackup("a member is too long")
        return content

    def _note(self, content: bytes) -> None:
        self._digest.update(content)
        self._size += len(content)

    @property
    def size_and_digest(self) -> tuple[int, str]:
        """Size and SHA-256 of the bytes read so far."""
        return self._size, self._digest.hexdigest()


class BackupReader:
    """The reader of a backup. After the end of `stored`, `manifest` and `private` are complete."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._manifest: file_format.Manifest | None = None
        self.private: dict[str, bytes] = {}

    @property
    def manifest(self) -> file_format.Manifest:
        """The manifest of the backup."""
        assert self._manifest is not None, "the backup was read to its end"
        return self._manifest

    def stored(self) -> Iterator[file_format.MatchBackup]:
        """Yield the matches.

        Raises BadBackup if the file differs from its manifest, at the end at the latest.
        """
        digests: dict[str, tuple[int, str]] = {}
        counts = {"matches": 0, "deleted": 0, "commits": 0}
        self._manifest = None
        try:
            for stored in self._members(digests):
                counts["matches" if stored.metadata.head else "deleted"] += 1
                counts["commits"] += len(stored.commits)
                yield stored
        except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error):
            raise file_format.BadBackup(
                "it is not a backup, or it was cut short or damaged"
            ) from None
        self._compare(digests, counts)

    def _members(self, digests: dict[str, tuple[int, str]]) -> Iterator[file_format.MatchBackup]:
        """Yield the matches of all members. Add size and digest of each member to `digests`."""
        with (
            gzip.open(self._path) as unpacked,
            tarfile.open(fileobj=unpacked, mode="r|") as archive,
        ):
            for member in archive:
                yield from self._read(archive, member, digests)

            # The checksum of gzip comes after the tar: read on, so that it is checked.
            while unpacked.read(_PIECE):
                continue

    def _read(
        self, archive: tarfile.TarFile, member: tarfile.TarInfo, digests: dict[str, tuple[int, str]]
    ) -> Iterator[file_format.MatchBackup]:
        content = archive.extractfile(member)
        if content is None or self._manifest is not None or member.name in digests:
            raise file_format.BadBackup(f"the member {member.name!r} does not belong there")

        digested = _Digested(content)
        if member.name == file_format.MANIFEST:
            self._manifest = file_format.read_manifest(digested.whole(_MOST_MANIFEST))
            return
        if member.name in (file_format.SECRET, file_format.KEYS):
            self.private[member.name] = digested.whole(_MOST_SECRET)
        elif member.name.startswith(file_format.MATCHES):
            yield from _matches(digested)
        else:
            raise file_format.BadBackup(f"the member {member.name!r} does not belong there")
        digests[member.name] = digested.size_and_digest

    def _compare(self, digests: dict[str, tuple[int, str]], counts: dict[str, int]) -> None:
        """Compare members and numbers with the manifest. Raises BadBackup."""
        manifest = self._manifest
        if manifest is None:
            raise file_format.BadBackup("it has no manifest at its end: it was cut short")

        for name in digests.keys() | manifest.parts.keys():
            if digests.get(name) != manifest.parts.get(name):
                raise file_format.BadBackup(f"the part {name} does not fit the manifest")
        for name, count in counts.items():
            expected = getattr(manifest, name)
            if count != expected:
                raise file_format.BadBackup(
                    f"it has {count} {name}, and its manifest names {expected}"
                )


def check(path: Path, progress: Progress) -> BackupReader:
    """Check a whole backup, every digest and every match's chain. Return its reader.

    Raises BadBackup, OSError.
    """
    reader = BackupReader(path)
    for stored in reader.stored():
        if stored.metadata.head is not None:
            checked(stored)
            progress(len(stored.commits))
    return reader


def checked(stored: file_format.MatchBackup) -> list[StoredCommit]:
    """Return the commits of a match. Raises BadBackup.

    Each commit is chained to the commit before, and the last commit is that of the head.
    """
    head = stored.metadata.head
    assert head is not None, "a deleted match has no commits"
    try:
        commits = chain.check(chain.read_stored(stored.commits))
    except Wrong as wrong:
        raise file_format.BadBackup(f"match {stored.match}: {wrong}") from None

    last = commits[-1]
    last_told = (last["commit"]["match"], last["commit"]["version"], last["hash"])
    if last_told != (stored.match, head.version, head.hash):
        raise file_format.BadBackup(f"match {stored.match}: its commits do not lead to its head")
    return commits


def _matches(part: _Digested) -> Iterator[file_format.MatchBackup]:
    """Yield the matches of a part."""
    while line := part.line():
        match, metadata = file_format.read_first_line(line)
        yield file_format.MatchBackup(match, metadata, _commits(part, metadata))


def _commits(part: _Digested, metadata: Metadata) -> list[bytes]:
    """Return the lines of a match's commits, as many as its head has.

    Raises BadBackup at the first empty or missing line, so a false number in the head is harmless.
    """
    lines: list[bytes] = []
    while metadata.head is not None and len(lines) < metadata.head.version:
        line = part.line()
        if not line:
            raise file_format.BadBackup("a match has fewer commits than its first line says")
        lines.append(line)
    return lines


# ---- restoring -----------------------------------------------------------------------------------


class NotEmpty(Exception):
    """The journal has matches or tombstones already."""


@dataclass(slots=True)
class Restored:
    """The result for the matches of a backup or a dump.

    restored, deleted: numbers of stored matches and stored tombstones.
    present: number of matches that were in the journal with the backup's last commit, or that were
        deleted there.
    differing: matches in the journal with other or fewer commits, or deleted in the backup. They
        stay unchanged.
    """

    restored: int = 0
    deleted: int = 0
    present: int = 0
    differing: list[str] = field(default_factory=list)


def is_empty(journal: Journal) -> bool:
    """Return True if a journal has no matches and no tombstones."""
    return next(journal.events.matches(), None) is None


def demand_empty(journal: Journal) -> None:
    """Raise NotEmpty if a journal has matches or tombstones."""
    if not is_empty(journal):
        raise NotEmpty


def restore(journal: Journal, reader: BackupReader, progress: Progress, *, merge: bool) -> Restored:
    """Put the matches of a checked backup into a journal, each whole or not at all.

    After an interruption a restore with `merge` adds the other matches.

    merge: True to add missing matches. Else the journal must be empty.

    Raises NotEmpty, BadBackup, JournalError, OSError.
    """
    if not merge:
        demand_empty(journal)

    result = Restored()
    start = milliseconds(reader.manifest.begun)
    for stored in reader.stored():
        if stored.metadata.head is None:
            _put_tombstone(journal, stored, result)
        else:
            put(journal, _entries(_with_gap(stored, start)), result)
            progress(len(stored.commits))
    return result


def _put_tombstone(journal: Journal, stored: file_format.MatchBackup, result: Restored) -> None:
    assert stored.metadata.tombstone is not None, "a match that is not there was deleted"
    if journal.lifecycle.put_tombstone(stored.match, stored.metadata.tombstone):
        result.deleted += 1
    elif journal.events.head(stored.match) is None:
        result.present += 1
    else:
        result.differing.append(stored.match)


def put(journal: Journal, entries: Sequence[Entry], result: Restored) -> None:
    """Put all commits of a match into a journal at once, and note the result."""
    last = entries[-1]
    try:
        journal.events.restore(entries)
    except Deleted:
        result.present += 1
    except Conflict:
        if _leads_through(journal, last.match, last.head):
            result.present += 1
        else:
            result.differing.append(last.match)
    else:
        result.restored += 1


def _with_gap(stored: file_format.MatchBackup, start: int) -> file_format.MatchBackup:
    """Return a match with a gap in its clock, from the backup to now.

    A match without a deadline stays unchanged.

    start: beginning of the backup, in milliseconds since the epoch.
    """
    fields = stored.metadata.fields
    if DEADLINE not in fields:
        return stored

    gaps = clocks.restored(fields.get(GAPS, ""), start, clock())
    metadata = replace(stored.metadata, fields={**fields, GAPS: gaps})
    return replace(stored, metadata=metadata)


def _leads_through(journal: Journal, match_id: str, head: Head) -> bool:
    """Return True if the journal's match has the commit of a head."""
    here = journal.events.read(match_id, head.version - 1, 1)
    if not here:
        return False
    return parse_commit(here[0])["hash"] == head.hash


def _head_of(stored: file_format.MatchBackup) -> Head:
    """Return the head of a match. The match must not be deleted."""
    assert stored.metadata.head is not None, "it has commits"
    return stored.metadata.head


def _entries(stored: file_format.MatchBackup) -> list[Entry]:
    """Return the journal entries of a match: each commit with its command id.

    All have the last head, apart from version and hash. So the first entry gives the indexes their
    final state.
    """
    last_head = _head_of(stored)
    made_by = {
        version: (command_id, mark) for command_id, (version, mark) in stored.metadata.ids.items()
    }
    pieces = _pieces(stored.metadata.fields)
    thoughts = {version_of_evaluation(thought): thought for thought in stored.metadata.thoughts}
    deadline = stored.metadata.fields.get(DEADLINE)

    entries = []
    for commit, commit_bytes in zip(checked(stored), stored.commits, strict=True):
        version = commit["commit"]["version"]
        command_id, mark = made_by.get(version, ("", ""))
        entry = Entry(
            match=stored.match,
            expected=version - 1,
            prev=commit["commit"]["prev"],
            commit_bytes=commit_bytes,
            head=replace(last_head, version=version, hash=commit["hash"]),
            command_id=command_id,
            fingerprint=mark,
            metadata=next(pieces, {}),
            thought=thoughts.get(version, b""),
            deadline=int(deadline) if deadline else None,
        )
        entries.append(entry)

    # If there are more pieces of metadata than commits, the last commit takes the rest.
    for piece in pieces:
        last = entries[-1]
        entries[-1] = replace(last, metadata={**last.metadata, **piece})
    return entries


def _pieces(fields_by_name: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield metadata in pieces, because the arguments of a script are limited."""
    fields = iter(fields_by_name.items())
    while piece := dict(islice(fields, _FIELDS)):
        yield piece
