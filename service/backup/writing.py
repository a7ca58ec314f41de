"""Make a backup while the service goes on.

Each match is written as it is at one moment, and the file whole or not at all. Matches do not
depend on each other, so matches that are each consistent make a consistent whole. A commit that was
acknowledged before the backup began is in it, unless its match cannot be read: such a match is left
out, and the manifest names it.
"""

import gzip
import hashlib
import io
import os
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import IO

from service.backup.form import LAYOUT, MANIFEST, MATCHES, PART_BYTES, Manifest, first_line_of
from service.journal.errors import ArchiveDamaged
from service.journal.port import Journal
from service.ledger.times import timestamp
from service.matches.loading import PIECE

# Called with how many commits more are done.
Progress = Callable[[int], None]

_LEVEL = 6  # of compression: a higher one takes much longer and saves little
_MODE = 0o600
_MOST_IN_MEMORY = 2 * PART_BYTES  # of a part; only that of a huge match is more


class _Gone(Exception):
    """The match has fewer commits than its head tells: it was deleted meanwhile, or is damaged."""


class _Writer:
    """A tar that is being written, and what its manifest will say."""

    def __init__(self, archive: tarfile.TarFile, part: IO[bytes]) -> None:
        self._archive = archive
        self._part = part
        self._parts: dict[str, tuple[int, str]] = {}
        self._counts = {"matches": 0, "deleted": 0, "commits": 0}
        self.missing: list[str] = []

    def add(self, journal: Journal, match_id: str, progress: Progress) -> None:
        """Add a match as it is now, or note that it is missing; close the part if that fills it."""
        start = self._part.tell()
        try:
            self._add_or_bury(journal, match_id, progress)
        except (ArchiveDamaged, _Gone):
            self._cut(start)
            self.missing.append(match_id)

        if self._part.tell() >= PART_BYTES:
            self.close_part()

    def _add_or_bury(self, journal: Journal, match_id: str, progress: Progress) -> None:
        """Add a match, or its tombstone if it is deleted meanwhile."""
        start = self._part.tell()
        try:
            self._add_now(journal, match_id, progress)
        except _Gone:
            self._cut(start)
            self._add_now(journal, match_id, progress)

    def _cut(self, end: int) -> None:
        """Take back what was written to the part after a place."""
        self._part.seek(end)
        self._part.truncate()

    def _add_now(self, journal: Journal, match_id: str, progress: Progress) -> None:
        metadata = journal.metadata(match_id)
        if metadata.head is None and metadata.tombstone is None:
            return

        self._part.write(first_line_of(match_id, metadata))
        if metadata.head is None:
            self._counts["deleted"] += 1
            return

        version = metadata.head.version
        done = 0
        while done < version:
            many_commit_bytes = journal.read(match_id, done, min(PIECE, version - done))
            if not many_commit_bytes:
                raise _Gone
            self._part.writelines(commit_bytes + b"\n" for commit_bytes in many_commit_bytes)
            done += len(many_commit_bytes)
            progress(len(many_commit_bytes))

        self._counts["matches"] += 1
        self._counts["commits"] += done

    def close_part(self) -> None:
        """Put what was collected into the tar as a part of its own."""
        if self._part.tell() == 0:
            return
        number = len(self._parts) + 1
        self.put(f"{MATCHES}{number:06d}.ndjson", self._part)
        self._cut(0)

    def put(self, name: str, content: IO[bytes]) -> None:
        """Put a file into the tar and note its size and digest."""
        size = content.seek(0, os.SEEK_END)
        content.seek(0)
        digest = hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]
        content.seek(0)

        member = tarfile.TarInfo(name)
        member.size = size
        member.mode = _MODE
        self._archive.addfile(member, content)
        self._parts[name] = (size, digest)

    def manifest(self, begun: int, ended: int) -> Manifest:
        """Return what was written."""
        return Manifest(
            layout=LAYOUT,
            giornale=version("giornale"),
            begun=timestamp(begun),
            ended=timestamp(ended),
            parts=dict(self._parts),
            missing=tuple(self.missing),
            **self._counts,
        )


def write(
    journal: Journal,
    file: IO[bytes],
    private: Mapping[str, bytes],
    clock: Callable[[], int],
    progress: Progress,
) -> Manifest:
    """Write a backup of a journal to a file, and return its manifest.

    private: the secret and the keys, by the names of their members; {} to leave them out.
    clock: milliseconds since the epoch.   Raises JournalUnavailable, OSError; what was written is
    no backup then.
    """
    begun = clock()
    with (
        gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|") as archive,
        tempfile.SpooledTemporaryFile(max_size=_MOST_IN_MEMORY) as part,
    ):
        writer = _Writer(archive, part)
        for match in journal.matches():
            writer.add(journal, match, progress)
        writer.close_part()
        for name, content in private.items():
            writer.put(name, io.BytesIO(content))

        # The manifest comes last because it tells what was written.
        manifest = writer.manifest(begun, clock())
        writer.put(MANIFEST, io.BytesIO(manifest.written()))
    return manifest
