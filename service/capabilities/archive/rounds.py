"""Archiving of ended matches in a thread, so that a slow place, such as S3, holds up no round."""

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

STOP_SECONDS = 3.0  # to archive the match at hand when the scheduler stops
LOOK_AGAIN_MS = 600_000  # at a match that was handed over, and should have left by then
MOST_WAITING = 500  # matches handed over and not yet taken
_END = ""  # stands for no match


class Archiving:
    """Archives the matches that the scheduler hands over, one after the other.

    after_ms: time from the end of a match until it is due.
    """

    def __init__(self, ctx: Context, archive: Archive, after_ms: int) -> None:
        self._ctx = ctx
        self._archive = archive
        self._after_ms = after_ms
        self._waiting: queue.Queue[str] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._work, name="archiving", daemon=True)

    def look(self, match_id: str, head: Head, now: int) -> int | None:
        """Take an ended match if it is due; return when to look at it again, None for never.

        A match that does not leave, whatever the reason, is looked at again.
        """
        if not head.final:
            return now + LOOK_AGAIN_MS  # the house has still to reveal it

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
        """End after the match at hand, or after STOP_SECONDS. Later looks find the rest again."""
        # The thread may take the last one meanwhile, so `empty` would not say it for sure.
        with suppress(queue.Empty):
            while True:
                self._waiting.get_nowait()
        self._waiting.put(_END)
        self._thread.join(STOP_SECONDS)

    def take(self) -> int:
        """Archive what was handed over, without waiting for more; return how many have left."""
        left = 0
        while not self._waiting.empty():
            left += self._try(self._waiting.get())
        return left

    def _work(self) -> None:
        while True:
            match_id = self._waiting.get()
            if match_id == _END:
                return
            self._try(match_id)

    def _try(self, match_id: str) -> bool:
        """Archive one match; return whether it has left. One that cannot stops no other."""
        try:
            marker = lifecycle.archive(self._ctx, self._archive, match_id)
        except ArchiveUnavailable as error:
            _log.error("a match could not be archived", extra={"reason": str(error)})
            return False
        except JournalUnavailable as error:
            reason = {"error": type(error).__name__}
            _log.warning("archiving waits for Redis", extra=reason)
            return False
        except Exception:  # noqa: BLE001 - whatever is wrong with one match
            _log.exception("a match could not be archived", extra={"match": match_id})
            return False

        if marker is None:
            return False
        details = {"match": match_id, "commits": marker.commits, "bytes": marker.size}
        _log.info("a match was archived", extra=details)
        return True
