"""The matches of the journal and of backups, for the replay test.

The command imports this file on demand: it needs the packages of the extra `server`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from domain.match.state import Status
from service.base.metadata_fields import OUTCOME
from service.matches.context import Context
from service.ops.backup.file_format import BadBackup
from service.ops.backup.restore import BackupReader
from service.ops.cli.local_journal import failed_requests, local_context
from service.record.replay_test import ReplayTask, StoredBeside
from service.record.verify.files import Unreadable
from service.store.journal.errors import ArchiveDamaged, HeadDamaged
from service.store.journal.values import Head, Metadata


@contextmanager
def open_journal() -> Iterator["JournalMatches"]:
    """Yield the matches of the local journal. End with the reason if it cannot be read."""
    with failed_requests(), local_context() as ctx:
        yield JournalMatches(ctx)


class JournalMatches:
    """The matches of a journal, archived ones too. Nothing is written."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def matches(self) -> Iterator[str]:
        """Yield the id of each match, deleted ones too."""
        return self._ctx.journal.events.matches()

    def tasks(self, chosen: frozenset[str] | None) -> Iterator[ReplayTask]:
        """Yield a task for each match that is not deleted, or for the chosen ones."""
        for match in self.matches():
            if chosen is None or match in chosen:
                task = self._task(match)
                if task is not None:
                    yield task

    def _task(self, match: str) -> ReplayTask | None:
        """Return the task of a match, None for a deleted one."""
        journal = self._ctx.journal
        try:
            metadata = journal.metadata.dump(match)
            if metadata.head is None:
                return None
            commits = self._commits(match, metadata.head.version)
        except (ArchiveDamaged, HeadDamaged) as error:
            return ReplayTask(match, damage=str(error))
        beside = replace(
            _beside(metadata, metadata.head), snapshot=journal.metadata.snapshot(match)
        )
        return ReplayTask(match, commits, beside)

    def _commits(self, match: str, version: int) -> list[bytes]:
        """Return the commits up to a version, fewer if the journal lacks some."""
        commits: list[bytes] = []
        while len(commits) < version:
            piece = self._ctx.journal.events.read(match, len(commits), version - len(commits))
            if not piece:
                break
            commits += piece
        return commits


def tasks_of_backup(path: Path) -> Iterator[ReplayTask]:
    """Yield a task for each match of a backup. Raises Unreadable."""
    try:
        for stored in BackupReader(path).stored():
            if stored.metadata.head is not None:
                beside = _beside(stored.metadata, stored.metadata.head)
                yield ReplayTask(stored.match, stored.commits, beside)
    except (BadBackup, OSError) as error:
        raise Unreadable(f"{path} is not a valid backup: {error}") from None


def _beside(metadata: Metadata, head: Head) -> StoredBeside:
    worker = "bots" if head.awaiting == "exhibition" else head.awaiting
    status = Status(head.status, head.waiting, awaiting=worker)
    return StoredBeside(head.hash, status, metadata.fields.get(OUTCOME))
