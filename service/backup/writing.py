"""Make a backup while the service goes on.

Each match is written as it is at one moment, and the file whole or not at all. Matches do not
depend on each other, so matches that are each consistent make a consistent whole. A commit that was
acknowledged before the backup began is in it.
"""

import gzip
import hashlib
import io
import os
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import IO

from service.backup.form import LAYOUT, MANIFEST, MATCHES, PART_BYTES, Manifest, first_line_of
from service.journal.port import Journal
from service.keys.private_files import private_file
from service.ledger.times import timestamp
from service.matches.loading import PIECE

# Called with how many commits more are done.
Progress = Callable[[int], None]

_LEVEL = 6  # of compression: a higher one takes much longer and saves little
_MODE = 0o600
_MOST_IN_MEMORY = 2 * PART_BYTES  # of a part; only that of a huge match is more


class _Gone(Exception):
    """The match was deleted while it was being read."""


class _Writer:
    """A tar that is being written, and what its manifest will say."""

    def __init__(self, archive: tarfile.TarFile, part: IO[bytes]) -> None:
        self._archive = archive
        self._part = part
        self._parts: dict[str, tuple[int, str]] = {}
        self._counts = {"matches": 0, "deleted": 0, "commits": 0}

    def add(self, journal: Journal, match_id: str, progress: Progress) -> None:
        """Add a match as it is now; the part is closed if that fills it."""
        start = self._part.tell()
        try:
            self._add_now(journal, match_id, progress)
        except _Gone:
            # What was written of it goes; its tombstone is written instead.
            self._part.seek(start)
            self._part.truncate()
            self._add_now(journal, match_id, progress)

        if self._part.tell() >= PART_BYTES:
            self.close_part()

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
        self._part.seek(0)
        self._part.truncate()

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
            **self._counts,
        )


def write(
    journal: Journal,
    path: Path,
    private: Mapping[str, bytes],
    clock: Callable[[], int],
    progress: Progress,
) -> Manifest:
    """Write a backup of a journal to a path, replacing what is there, and return its manifest.

    private: the secret and the keys, by the names of their members; {} to leave them out.
    clock: milliseconds since the epoch.   Raises JournalUnavailable, OSError; the path is untouched
    then.
    """
    begun = clock()
    with (
        private_file(path) as file,
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
