"""Put a backup into a journal, through the journal's own port: it makes all indexes anew.

A backup is read match by match, and checked to its last byte before anything of it is believed.
"""

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO

from service.base.metadata_fields import DEADLINE, GAPS
from service.capabilities.clock import use_cases as clocks
from service.matches.evaluations import version_of
from service.ops.backup import file_format
from service.ops.backup.export import Progress
from service.record.commit import StoredCommit, clock, milliseconds, parse_commit
from service.record.verify import chain
from service.record.verify.report import Wrong
from service.store.journal.errors import Conflict, Deleted
from service.store.journal.ports import Journal
from service.store.journal.values import Entry, Head, Metadata

_FIELDS = 500  # of the metadata, set with one commit

_MOST_SECRET = 1024 * 1024  # bytes; the secret and the keys have a fraction of it
_MOST_MANIFEST = 64 * 1024 * 1024
_PIECE = 1024 * 1024


# ---- reading -------------------------------------------------------------------------------------


class _Digested:
    """A member that is read line by line, and its digest."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content
        self._digest = hashlib.sha256()
        self._size = 0

    def line(self) -> bytes:
        """Return the next line without its line feed, b"" at the end; raises BadBackup."""
        line = self._content.readline(file_format.MOST_LINE)
        self._note(line)
        if line and not line.endswith(b"\n"):
            raise file_format.BadBackup("a line has no end, or is too long")
        return line[:-1]

    def whole(self, most: int) -> bytes:
        """Return all of a small member, at most so many bytes; raises BadBackup."""
        content = self._content.read(most + 1)
        self._note(content)
        if len(content) > most:
            raise file_format.BadBackup("a member is too long")
        return content

    def _note(self, content: bytes) -> None:
        self._digest.update(content)
        self._size += len(content)

    @property
    def seen(self) -> tuple[int, str]:
        """Size and SHA-256 of what was read."""
        return self._size, self._digest.hexdigest()


class BackupReader:
    """A backup. `manifest` and `private` are known once `stored` has come to its end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._manifest: file_format.Manifest | None = None
        self.private: dict[str, bytes] = {}

    @property
    def manifest(self) -> file_format.Manifest:
        """What the backup says of itself."""
        assert self._manifest is not None, "the backup was read to its end"
        return self._manifest

    def stored(self) -> Iterator[file_format.MatchBackup]:
        """Yield the matches.

        Raises BadBackup, at its end at the latest, if it is not what its manifest says.
        """
        seen: dict[str, tuple[int, str]] = {}
        counts = {"matches": 0, "deleted": 0, "commits": 0}
        self._manifest = None
        try:
            for stored in self._members(seen):
                counts["matches" if stored.metadata.head else "deleted"] += 1
                counts["commits"] += len(stored.commits)
                yield stored
        except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error):
            raise file_format.BadBackup("it is no backup, or cut short, or damaged") from None
        self._compare(seen, counts)

    def _members(self, seen: dict[str, tuple[int, str]]) -> Iterator[file_format.MatchBackup]:
        """Yield the matches of all members; `seen` gets size and digest of each member by name."""
        with (
            gzip.open(self._path) as unpacked,
            tarfile.open(fileobj=unpacked, mode="r|") as archive,
        ):
            for member in archive:
                yield from self._read(archive, member, seen)

            # The checksum of gzip comes after the tar, and is checked when all was read.
            while unpacked.read(_PIECE):
                continue

    def _read(
        self, archive: tarfile.TarFile, member: tarfile.TarInfo, seen: dict[str, tuple[int, str]]
    ) -> Iterator[file_format.MatchBackup]:
        content = archive.extractfile(member)
        if content is None or self._manifest is not None or member.name in seen:
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
        seen[member.name] = digested.seen

    def _compare(self, seen: dict[str, tuple[int, str]], counts: dict[str, int]) -> None:
        """Hold what was read against the manifest; raises BadBackup."""
        manifest = self._manifest
        if manifest is None:
            raise file_format.BadBackup("it has no manifest at its end: it was cut short")

        for name in seen.keys() | manifest.parts.keys():
            if seen.get(name) != manifest.parts.get(name):
                raise file_format.BadBackup(
                    f"the part {name} is not the one that the manifest tells of"
                )
        for name, count in counts.items():
            expected = getattr(manifest, name)
            if count != expected:
                raise file_format.BadBackup(
                    f"it holds {count} {name}, and its manifest tells of {expected}"
                )


def check(path: Path, progress: Progress) -> BackupReader:
    """Return a backup that was checked whole: every digest, every match's chain.

    Raises BadBackup, OSError.
    """
    reader = BackupReader(path)
    for stored in reader.stored():
        if stored.metadata.head is not None:
            checked(stored)
            progress(len(stored.commits))
    return reader


def checked(stored: file_format.MatchBackup) -> list[StoredCommit]:
    """Return a match's commits, each upon the one before and the last one the head's.

    Raises BadBackup.
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
    """Yield the matches of a part, one after the other."""
    while line := part.line():
        match, metadata = file_format.read_first_line(line)
        yield file_format.MatchBackup(match, metadata, _commits(part, metadata))


def _commits(part: _Digested, metadata: Metadata) -> list[bytes]:
    """Return the lines that follow the first line of a match: as many as it has commits.

    Raises BadBackup at the first that is empty or missing, whatever number the first line tells.
    """
    lines: list[bytes] = []
    while metadata.head is not None and len(lines) < metadata.head.version:
        line = part.line()
        if not line:
            raise file_format.BadBackup("there is no commit where its match tells of one")
        lines.append(line)
    return lines


# ---- restoring -----------------------------------------------------------------------------------


class NotEmpty(Exception):
    """The journal holds matches already."""


@dataclass(slots=True)
class Restored:
    """What became of the matches of a backup.

    restored, deleted: how many were put in, and how many tombstones were laid.
    present: how many were there already, at the backup's commit or beyond it, or were deleted here.
    differing: those that are there with other commits, or with fewer; they were left as they are.
    """

    restored: int = 0
    deleted: int = 0
    present: int = 0
    differing: list[str] = field(default_factory=list)


def demand_empty(journal: Journal) -> None:
    """Raise NotEmpty if a journal holds matches or marks of deleted ones."""
    if next(journal.events.matches(), None) is not None:
        raise NotEmpty


def restore(journal: Journal, reader: BackupReader, progress: Progress, *, merge: bool) -> Restored:
    """Put the matches of a checked backup into a journal, each whole or not at all.

    Return what was done. When it is cut short, a merge goes on from there.

    merge: add what is not there; else the journal must be empty.
    Raises NotEmpty, BadBackup, JournalUnavailable.
    """
    if not merge:
        demand_empty(journal)

    done = Restored()
    begun = milliseconds(reader.manifest.begun)
    for stored in reader.stored():
        if stored.metadata.head is None:
            _put_tombstone(journal, stored, done)
        else:
            _put(journal, _with_gap(stored, begun), done)
            progress(len(stored.commits))
    return done


def _put_tombstone(journal: Journal, stored: file_format.MatchBackup, done: Restored) -> None:
    assert stored.metadata.tombstone is not None, "a match that is not there was deleted"
    if journal.lifecycle.put_tombstone(stored.match, stored.metadata.tombstone):
        done.deleted += 1
    elif journal.events.head(stored.match) is None:
        done.present += 1
    else:
        done.differing.append(stored.match)


def _put(journal: Journal, stored: file_format.MatchBackup, done: Restored) -> None:
    try:
        journal.events.restore(_entries(stored))
    except Deleted:
        done.present += 1
    except Conflict:
        if _leads_through(journal, stored):
            done.present += 1
        else:
            done.differing.append(stored.match)
    else:
        done.restored += 1


def _with_gap(stored: file_format.MatchBackup, begun: int) -> file_format.MatchBackup:
    """Return a match whose clock does not count the time from its backup to its return."""
    fields = stored.metadata.fields
    if DEADLINE not in fields:
        return stored

    gaps = clocks.restored(fields.get(GAPS, ""), begun, clock())
    metadata = replace(stored.metadata, fields={**fields, GAPS: gaps})
    return replace(stored, metadata=metadata)


def _leads_through(journal: Journal, stored: file_format.MatchBackup) -> bool:
    """Return whether the journal's match has the last commit of the backup's."""
    head = _head_of(stored)
    here = journal.events.read(stored.match, head.version - 1, 1)
    if not here:
        return False
    return parse_commit(here[0])["hash"] == head.hash


def _head_of(stored: file_format.MatchBackup) -> Head:
    """Return the head of a match that was not deleted."""
    assert stored.metadata.head is not None, "it has commits"
    return stored.metadata.head


def _entries(stored: file_format.MatchBackup) -> list[Entry]:
    """Return what the journal is to hold of a match: each commit with the command id that made it.

    The head of each is the last one's, so the indexes are at once as they must be at the end.
    """
    last_head = _head_of(stored)
    made_by = {
        version: (command_id, mark) for command_id, (version, mark) in stored.metadata.ids.items()
    }
    pieces = _pieces(stored.metadata.fields)
    thoughts = {version_of(thought): thought for thought in stored.metadata.thoughts}
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

    # Metadata of more pieces than there are commits: the last commit takes the rest.
    for piece in pieces:
        last = entries[-1]
        entries[-1] = replace(last, metadata={**last.metadata, **piece})
    return entries


def _pieces(fields_by_name: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield metadata in pieces, since a script takes a bounded number of arguments at once."""
    fields = iter(fields_by_name.items())
    while piece := dict(islice(fields, _FIELDS)):
        yield piece
