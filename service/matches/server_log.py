"""The log of this server, as far as the kernel needs it: ID, index of public matches, growth.

The capability `service.capabilities.log` has the feed and the proofs.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

from service.base.errors import AnotherLog, Overloaded
from service.matches.context import Context
from service.record.tlog.checkpoint import read_verifier
from service.store.journal.keys import LOG
from service.store.journal.notifications import Notifications
from service.store.journal.values import Order
from service.store.tlog.entries import LogUnavailable, NotIndexed
from service.store.tlog.index import Listed, MatchSelection
from service.store.tlog.log import Log

LOG_ID = "[0-9a-f]{8}"  # the form of the ID of a log
_FORGOTTEN_AT_ONCE = 20  # most deleted matches removed from the index for one page


@lru_cache(maxsize=16)
def log_id(key: str) -> str:
    """Return the ID of a log: the key ID of its verifier key, in hex (C2SP signed-note).

    "" for no key: the log has no entry yet.
    """
    return read_verifier(key).key_id.hex() if key else ""


def check_log(ctx: Context, log: str) -> None:
    """Raise AnotherLog if this server's log has another ID. log: the ID, "" for any log."""
    if log:
        check_order(log, log_of(ctx).state())


def check_order(log: str, order: Order) -> None:
    """Raise AnotherLog if an order is of a log with another ID. log: the ID, "" for any log.

    A log without entries has no ID yet, so it differs from every log with an ID.
    """
    current = log_id(order.key)
    if log not in ("", current):
        raise AnotherLog(current)


def log_of(ctx: Context) -> Log:
    """Return the log. Raises LogUnavailable without one."""
    if ctx.log is None:
        raise LogUnavailable("this server has no log")
    return ctx.log


def listed(ctx: Context, selection: MatchSelection, limit: int) -> list[Listed]:
    """Return the public matches of a selection, ordered by the position of their last commit.

    limit: largest number of matches. Raises Overloaded while the index is behind, and
    LogUnavailable.
    """
    try:
        return log_of(ctx).listed(selection, limit)
    except NotIndexed as error:
        raise Overloaded(str(error)) from None


def forget_deleted(ctx: Context, matches: Sequence[str]) -> None:
    """Remove deleted matches from the index, at most _FORGOTTEN_AT_ONCE of the given ones.

    The index follows from the log alone, and the log has no deletions.
    """
    looked_at = matches[:_FORGOTTEN_AT_ONCE]
    deleted = [one for one in looked_at if ctx.journal.lifecycle.deleted(one) is not None]
    if deleted:
        with suppress(LogUnavailable):  # the next list removes them
            log_of(ctx).forget(deleted)


def wait_beyond(ctx: Context, notifications: Notifications, after: int, seconds: float) -> None:
    """Wait until the log has more than `after` positions, for so many seconds at most.

    Return earlier if the process stops. Raises LogUnavailable.
    """
    log = log_of(ctx)
    end = time.monotonic() + seconds
    with notifications.follow(LOG) as channel:
        while not notifications.stopped:
            seconds_left = end - time.monotonic()
            ticks = channel.ticks
            if seconds_left <= 0 or log.size() > after:
                return
            channel.wait(ticks, seconds_left)
            channel.release_next()
