"""The rounds of the log: commits get positions, checkpoints are published, the index follows.

A commit takes these steps:

    in its feed --decide--> in the order --publish--> under a checkpoint --catch_up--> indexed

append.lua adds each commit to the feed of its partition. A round of the sequencer decides the order
of the new lines of all feeds, writes files from the decided lines, and publishes a checkpoint over
them. Then the index of this machine catches up.

Several schedulers may run these rounds at the same time. The journal changes the order only if the
order is still as the sequencer has read it. So each line is decided once, and all sequencers build
the same files from the decided lines.

Example: a sequencer dies after it saved the files and before it published their checkpoint. The
files are then ahead of the order. The next sequencer finds the files' checkpoint before it
publishes (`Sequencer._repair`). If the order still has the same lines, this checkpoint is published
(`_publish_saved`). Otherwise the order has gone back, and the files replace the order (`_adopt`).

If the journal lacks lines of the log, `Sequencing.attempt` gets LostLines and notes the loss. The
log then stands still until an operator accepts the loss.
"""

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

SEQUENCE_SECONDS = 0.2  # between two rounds
PUBLISH_REMOTELY_SECONDS = 1.0  # between publications in a remote place, since each file costs time
SEQUENCE_AGAIN_SECONDS = 2.0  # until the next round after a failure
INDEX_SECONDS = 0.1  # longest time of a round for the index, since new commits wait meanwhile
_INDEXED_AT_ONCE = 4  # bundles


def open_rounds(ctx: Context, sequencer: Sequencer) -> Rounds:
    """Return the rounds of a sequencer."""
    return Rounds("log", Sequencing(ctx, sequencer).attempt)


class Sequencing:
    """Gives commits their positions in the log."""

    def __init__(self, ctx: Context, sequencer: Sequencer) -> None:
        self._ctx = ctx
        self._sequencer = sequencer
        self._outage = Outage(_log, "log")
        self._next_publication = 0.0
        self._trouble = ""

    def attempt(self) -> float:
        """Make one round. Return the pause before the next one, in seconds. Never raises."""
        try:
            return self._round()
        except LostLines as lost:
            with suppress(JournalUnavailable):
                journal_watch.notice_loss(self._ctx, lost.feeds)
        except LogUnavailable as error:
            self._complain(str(error))
        except (RedisError, JournalUnavailable) as error:
            self._outage.begin(error)
        except Exception as error:  # noqa: BLE001 - moves must go on in any case
            _log.exception("log could not be written")
            self._complain(type(error).__name__)
        return SEQUENCE_AGAIN_SECONDS

    def _round(self) -> float:
        now = monotonic()
        is_time = now >= self._next_publication
        result = self._sequencer.round(publish=is_time)
        if is_time and self._sequencer.is_remote:
            self._next_publication = now + PUBLISH_REMOTELY_SECONDS

        self._outage.end()
        has_more = result.has_more or self._is_index_behind()
        self._trouble = ""
        return CATCH_UP_SECONDS if has_more else SEQUENCE_SECONDS

    def _is_index_behind(self) -> bool:
        """Let the index of this machine catch up for a moment. Return True if it is still behind.

        If the index has caught up, readers of a position need not wait for it.
        """
        end = monotonic() + INDEX_SECONDS
        while self._ctx.log is not None and self._ctx.log.catch_up(_INDEXED_AT_ONCE):
            if monotonic() >= end:
                return True
        return False

    def _complain(self, trouble: str) -> None:
        """Log a failure of the log once, and note it in the journal for all processes."""
        if trouble != self._trouble:
            self._trouble = trouble
            _log.error("log stopped", extra={"reason": trouble})
        with suppress(RedisError, JournalUnavailable):
            self._sequencer.report(trouble)
