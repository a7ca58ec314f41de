"""The watch over the journal: all its earlier content must still be there."""

import logging
from contextlib import suppress
from pathlib import Path
from time import monotonic

from service.base.private_files import remove_drafts
from service.matches import journal_watch
from service.matches.context import Context
from service.matches.journal_watch import JournalNote, read_note, write_note
from service.store.journal.errors import JournalUnavailable

_log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0  # least time between two looks


class JournalWatch:
    """Compares the journal with a note of its earlier content, and updates the note."""

    def __init__(self, ctx: Context, file: Path) -> None:
        self._ctx = ctx
        self._file = file
        self._noted = read_note(file)
        self._next_look = 0.0
        self._is_written = True
        for draft in remove_drafts(file):
            _log.warning("draft removed: left by a killed process", extra={"file": str(draft)})

    def look(self) -> None:
        """Compare journal and note if the last look is LOOK_SECONDS old.

        Do nothing if the journal does not answer.
        """
        now = monotonic()
        if now < self._next_look:
            return

        self._next_look = now + LOOK_SECONDS
        with suppress(JournalUnavailable):
            note = journal_watch.compare(self._ctx, self._noted)
            if note is not None:
                self._keep(note)

    def _keep(self, note: JournalNote) -> None:
        if self._is_written and not note.says_more_than(self._noted):
            return

        self._noted = note
        try:
            write_note(self._file, note)
            self._is_written = True
        except OSError as error:
            if self._is_written:
                extra = {"file": str(self._file), "error": type(error).__name__}
                _log.warning("note of the journal could not be written", extra=extra)
            self._is_written = False
