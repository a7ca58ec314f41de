"""The log of this server for the kernel: its ID, its index of public matches, its growth.

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
from service.store.tlog.index import Listed, MatchSelection
from service.store.tlog.log import Log

LOG_ID = "[0-9a-f]{8}"  # the form of the ID of a log
_FORGOTTEN_AT_ONCE = 20  # deleted matches removed from the index for one page


@lru_cache(maxsize=16)
def log_id(key: str) -> str:
    """Return the ID of a log: the key ID of its verifier key, in hex (C2SP signed-note).

    "" for no key: the log has no entry yet.
    """
    return read_verifier(key).key_id.hex() if key else ""


def check_log(ctx: Context, log: str) -> None:
    """Raise AnotherLog if a log is not the log of this server. "": any log."""
    if log:
        check_order(log, log_of(ctx).state())


def check_order(log: str, order: Order) -> None:
    """Raise AnotherLog if an order is not the order of a log. "": any log.

    A log has an ID from its first entry on. So a log without entries differs from any log with an
    ID.
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
    """Return public matches in the order of a selection, by last commits. Raises Overloaded."""
    try:
        return log_of(ctx).listed(selection, limit)
    except NotIndexed as error:
        raise Overloaded(str(error)) from None


def forget_deleted(ctx: Context, matches: Sequence[str]) -> None:
    """Remove deleted ones among some listed matches from the index.

    The index follows from the log alone, so a match without a head is the first sign of a deletion.
    """
    looked_at = matches[:_FORGOTTEN_AT_ONCE]
    deleted = [one for one in looked_at if ctx.journal.lifecycle.deleted(one) is not None]
    if deleted:
        with suppress(LogUnavailable):  # they will come up again
            log_of(ctx).forget(deleted)


def wait_beyond(ctx: Context, notifications: Notifications, after: int, seconds: float) -> None:
    """Return as soon as the log has more than `after` positions, or after so many seconds."""
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
