"""The rounds of the log: commits get positions, checkpoints are published, the index follows."""

import logging
from contextlib import suppress
from time import monotonic

from redis.exceptions import RedisError

from service.base.rounds import CATCH_UP_SECONDS, Outage, Rounds
from service.matches import journal_watch
from service.matches.context import Context
from service.store.journal.errors import JournalUnavailable
from service.store.tlog.entries import LogUnavailable
from service.store.tlog.sequencer import LostLines, Sequencer

_log = logging.getLogger(__name__)

# From one look for commits that the log lacks to the next, and after something went wrong. What is
# decided is published at once; in a remote place, where each file costs, once a second at most.
SEQUENCE_SECONDS = 0.2
PUBLISH_REMOTELY_SECONDS = 1.0
SEQUENCE_AGAIN_SECONDS = 2.0
INDEX_SECONDS = 0.1  # of a round for the index: commits that come meanwhile wait no longer for it
_INDEXED_AT_ONCE = 4  # bundles


def open_rounds(ctx: Context, sequencer: Sequencer) -> Rounds:
    """Return the rounds of a sequencer."""
    return Rounds("log", Sequencing(ctx, sequencer).attempt)


class Sequencing:
    """Gives commits their positions in the log."""

    def __init__(self, ctx: Context, sequencer: Sequencer) -> None:
        self._ctx = ctx
        self._sequencer = sequencer
        self._outage = Outage(_log, "the log")
        self._next_publication = 0.0
        self._trouble = ""

    def attempt(self) -> float:
        """Make one round; return how long to wait before the next one. It never raises."""
        try:
            return self._round()
        except LostLines as lost:
            with suppress(JournalUnavailable):
                journal_watch.notice_loss(self._ctx, lost.feeds)
        except LogUnavailable as error:
            self._complain(str(error))
        except (RedisError, JournalUnavailable) as error:
            self._outage.begin(error)
        except Exception as error:  # noqa: BLE001 - whatever is wrong, moves go on
            _log.exception("the log could not be written")
            self._complain(type(error).__name__)
        return SEQUENCE_AGAIN_SECONDS

    def _round(self) -> float:
        now = monotonic()
        is_time = now >= self._next_publication
        done = self._sequencer.round(publish=is_time)
        if is_time and self._sequencer.is_remote:
            self._next_publication = now + PUBLISH_REMOTELY_SECONDS

        self._outage.end()
        has_more = done.has_more or self._is_index_behind()
        self._trouble = ""
        return CATCH_UP_SECONDS if has_more else SEQUENCE_SECONDS

    def _is_index_behind(self) -> bool:
        """Let the index of this machine catch up for a moment; return whether it needs more.

        So that nobody who looks for a position waits for it.
        """
        end = monotonic() + INDEX_SECONDS
        while self._ctx.log is not None and self._ctx.log.catch_up(_INDEXED_AT_ONCE):
            if monotonic() >= end:
                return True
        return False

    def _complain(self, trouble: str) -> None:
        """Log what is wrong with the log, once, and say it to everybody."""
        if trouble != self._trouble:
            self._trouble = trouble
            _log.error("the log stands still", extra={"reason": trouble})
        with suppress(RedisError, JournalUnavailable):
            self._sequencer.report(trouble)
