"""Read a backup match by match, and check it to its last byte before anything is believed."""

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from service.backup.form import (
    KEYS,
    MANIFEST,
    MATCHES,
    MOST_LINE,
    SECRET,
    BadBackup,
    Manifest,
    Stored,
    read_line,
    read_manifest,
)
from service.backup.writing import Progress
from service.journal.port import Beside
from service.ledger.commit import StoredCommit
from service.verify import chain
from service.verify.report import Wrong

_SMALL = 1024 * 1024  # bytes; the secret and the keys have a fraction of it
_MOST_MANIFEST = 64 * 1024 * 1024


class _Digested:
    """A member that is read line by line, and its digest."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content
        self._digest = hashlib.sha256()
        self.size = 0

    def line(self) -> bytes:
        """Return the next line without its line feed, b"" at the end; raises BadBackup."""
        line = self._content.readline(MOST_LINE)
        self._digest.update(line)
        self.size += len(line)
        if line and not line.endswith(b"\n"):
            raise BadBackup("a line has no end, or is too long")
        return line[:-1]

    def whole(self, most: int) -> bytes:
        """Return all of a small member; raises BadBackup."""
        content = self._content.read(most + 1)
        self._digest.update(content)
        self.size += len(content)
        if len(content) > most:
            raise BadBackup("a member is too long")
        return content

    @property
    def seen(self) -> tuple[int, str]:
        """Size and SHA-256 of what was read."""
        return self.size, self._digest.hexdigest()


class Reader:
    """A backup. `manifest` and `private` are known once `stored` has come to its end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._manifest: Manifest | None = None
        self.private: dict[str, bytes] = {}

    @property
    def manifest(self) -> Manifest:
        """What the backup says of itself."""
        assert self._manifest is not None, "the backup was read to its end"
        return self._manifest

    def stored(self) -> Iterator[Stored]:
        """Yield the matches; raises BadBackup, at its end at the latest, if it is not what its manifest says."""
        seen: dict[str, tuple[int, str]] = {}
        counts = {"matches": 0, "deleted": 0, "commits": 0}
        self._manifest = None
        try:
            with (
                gzip.open(self._path) as packed,
                tarfile.open(fileobj=packed, mode="r|") as archive,
            ):
                for member in archive:
                    for one in self._read(archive, member, seen):
                        counts["matches" if one.beside.head else "deleted"] += 1
                        counts["commits"] += len(one.commits)
                        yield one
                while packed.read(_SMALL):  # to the checksum at the end
                    continue
        except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error):
            raise BadBackup("it is no backup, or cut short, or damaged") from None
        self._compare(seen, counts)

    def _read(
        self, archive: tarfile.TarFile, member: tarfile.TarInfo, seen: dict[str, tuple[int, str]]
    ) -> Iterator[Stored]:
        content = archive.extractfile(member)
        if content is None or self._manifest is not None or member.name in seen:
            raise BadBackup(f"the member {member.name!r} does not belong there")

        digested = _Digested(content)
        if member.name == MANIFEST:
            self._manifest = read_manifest(digested.whole(_MOST_MANIFEST))
            return
        if member.name in (SECRET, KEYS):
            self.private[member.name] = digested.whole(_SMALL)
        elif member.name.startswith(MATCHES):
            yield from _matches(digested)
        else:
            raise BadBackup(f"the member {member.name!r} does not belong there")
        seen[member.name] = digested.seen

    def _compare(self, seen: dict[str, tuple[int, str]], counts: dict[str, int]) -> None:
        """Hold what was read against the manifest; raises BadBackup."""
        if self._manifest is None:
            raise BadBackup("it has no manifest at its end: it was cut short")
        for name in seen.keys() | self._manifest.parts.keys():
            if seen.get(name) != self._manifest.parts.get(name):
                raise BadBackup(f"the part {name} is not the one that the manifest tells of")
        for name, count in counts.items():
            if count != getattr(self._manifest, name):
                raise BadBackup(
                    f"it holds {count} {name}, and its manifest tells of {getattr(self._manifest, name)}"
                )


def check(path: Path, progress: Progress) -> Reader:
    """Return a backup that was checked whole: every digest, every match's chain. Raises BadBackup, OSError."""
    reader = Reader(path)
    for one in reader.stored():
        if one.beside.head is not None:
            checked(one)
            progress(len(one.commits))
    return reader


def checked(stored: Stored) -> list[StoredCommit]:
    """Return a match's commits, each upon the one before and the last one the head's; raises BadBackup."""
    head = stored.beside.head
    assert head is not None, "a deleted match has no commits"
    try:
        entries = chain.check(chain.read_stored(stored.commits))
    except Wrong as wrong:
        raise BadBackup(f"match {stored.match}: {wrong}") from None

    last = entries[-1]
    if (last["commit"]["match"], last["commit"]["version"], last["hash"]) != (
        stored.match,
        head.version,
        head.hash,
    ):
        raise BadBackup(f"match {stored.match}: its commits do not lead to its head")
    return entries


def _matches(part: _Digested) -> Iterator[Stored]:
    while line := part.line():
        match, beside = read_line(line)
        yield Stored(match, beside, _commits(part, beside))


def _commits(part: _Digested, beside: Beside) -> list[bytes]:
    if beside.head is None:
        return []
    return [part.line() for _ in range(beside.head.version)]
