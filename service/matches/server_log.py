"""The log of this server, as the kernel reads it: its ID, its index of public matches, its growth.

The feed and the proofs are the capability `service.capabilities.log`.
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
from service.store.tlog.index import Listed, Wanted
from service.store.tlog.log import Log

LOG_ID = "[0-9a-f]{8}"  # the form of the ID of a log
_FORGOTTEN_AT_ONCE = 20  # deleted matches that one page leaves out of those that follow


@lru_cache(maxsize=16)
def log_id(key: str) -> str:
    """Return the ID of a log: the key ID of its verifier key, in hex (C2SP signed-note).

    "" for no key: the log has no entry yet.
    """
    return read_verifier(key).key_id.hex() if key else ""


def check_log(ctx: Context, log: str) -> None:
    """Raise AnotherLog unless a log, "" for any, is that of this server. Raises Overloaded."""
    if log:
        check_order(log, log_of(ctx).state())


def check_order(log: str, order: Order) -> None:
    """Raise AnotherLog unless an order is that of a log, "" for any. Raises Overloaded."""
    current = log_id(order.key)
    if log and not current:
        raise Overloaded("the log has no entry yet: try again")
    if log not in ("", current):
        raise AnotherLog(current)


def log_of(ctx: Context) -> Log:
    """Return the log; raises LogUnavailable where there is none."""
    if ctx.log is None:
        raise LogUnavailable("there is no log here")
    return ctx.log


def listed(ctx: Context, wanted: Wanted, limit: int) -> list[Listed]:
    """Return public matches, the one that moved on last first; raises Overloaded."""
    try:
        return log_of(ctx).listed(wanted, limit)
    except NotIndexed as error:
        raise Overloaded(str(error)) from None


def forget_deleted(ctx: Context, matches: Sequence[str]) -> None:
    """Leave those of some listed matches that were deleted out of what is listed from now on.

    The index follows from the log alone, so it learns of a deletion when a match has no head.
    """
    looked_at = matches[:_FORGOTTEN_AT_ONCE]
    deleted = [one for one in looked_at if ctx.journal.lifecycle.deleted(one) is not None]
    if deleted:
        with suppress(LogUnavailable):  # they are met again
            log_of(ctx).forget(deleted)


def wait_beyond(ctx: Context, notifications: Notifications, after: int, seconds: float) -> None:
    """Return as soon as the log has more positions than were seen, or after so many seconds."""
    log = log_of(ctx)
    end = time.monotonic() + seconds
    with notifications.follow(LOG) as channel:
        while not notifications.stopped:
            seconds_left = end - time.monotonic()
            seen = channel.ticks
            if seconds_left <= 0 or log.size() > after:
                return
            channel.wait(seen, seconds_left)
            channel.release_next()
