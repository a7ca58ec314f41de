"""Archiving of ended matches in a thread, so that slow storage, such as S3, delays no round."""

import logging
import queue
import threading
from contextlib import suppress

from service.matches import lifecycle
from service.matches.context import Context
from service.store.archive.archive import Archive
from service.store.journal.errors import ArchiveDamaged, ArchiveUnavailable, JournalUnavailable
from service.store.journal.values import Head

_log = logging.getLogger(__name__)

STOP_SECONDS = 3.0  # for the current match when the scheduler stops
LOOK_AGAIN_MS = 600_000  # until the next look at an ended match that is not archived
MOST_WAITING = 500  # queued matches
_END = ""  # queued in place of a match, to end the thread


class Archiving:
    """Archives the queued matches, one after the other.

    after_ms: time from the end of a match until the match is due.
    """

    def __init__(self, ctx: Context, archive: Archive, after_ms: int) -> None:
        self._ctx = ctx
        self._archive = archive
        self._after_ms = after_ms
        self._waiting: queue.Queue[str] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._work, name="archiving", daemon=True)

    def look(self, match_id: str, head: Head, now: int) -> int | None:
        """Queue an ended match if it is due. Return the time of the next look, None for never.

        A match is looked at again until it is archived.
        """
        if not head.final:
            return now + LOOK_AGAIN_MS  # the house has not revealed the match yet

        due_at = head.updated + self._after_ms
        if due_at > now:
            return due_at
        try:
            if self._ctx.journal.lifecycle.archived(match_id) is not None:
                return None
        except ArchiveDamaged:
            return now + LOOK_AGAIN_MS

        if not self._waiting.full():
            self._waiting.put(match_id)
        return now + LOOK_AGAIN_MS

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """End after the current match, or after STOP_SECONDS. Later looks find dropped matches."""
        # A check of `empty` is no use: the thread may take the last match right after the check.
        with suppress(queue.Empty):
            while True:
                self._waiting.get_nowait()
        self._waiting.put(_END)
        self._thread.join(STOP_SECONDS)

    def take(self) -> int:
        """Archive the queued matches, without waiting for more. Return the number of successes."""
        count = 0
        while not self._waiting.empty():
            count += self._try(self._waiting.get())
        return count

    def _work(self) -> None:
        while True:
            match_id = self._waiting.get()
            if match_id == _END:
                return
            self._try(match_id)

    def _try(self, match_id: str) -> bool:
        """Archive one match. Return True on success. An error in one match stops no other match."""
        try:
            marker = lifecycle.archive(self._ctx, self._archive, match_id)
        except ArchiveUnavailable as error:
            _log.error("match could not be archived", extra={"reason": str(error)})
            return False
        except JournalUnavailable as error:
            reason = {"error": type(error).__name__}
            _log.warning("archiving postponed: journal unavailable", extra=reason)
            return False
        except Exception:  # noqa: BLE001 - one match must not stop the others
            _log.exception("match could not be archived", extra={"match": match_id})
            return False

        if marker is None:
            return False
        details = {"match": match_id, "commits": marker.commits, "bytes": marker.size}
        _log.info("match archived", extra=details)
        return True
