"""The feed: all commits of the house in the order of the log, as a reader may see them.

A reader keeps one number, how many positions it has seen, and the server keeps nothing of it.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import orjson

from service import answers
from service.errors import Overloaded
from service.journal.errors import JournalUnavailable
from service.journal.keys import LOG
from service.journal.notifications import Notifications
from service.keys import tokens
from service.log.checkpoint import read_checkpoint, read_note
from service.log.entries import Entry, LogUnavailable, NotIndexed
from service.log.index import Listed, Wanted
from service.log.log import Log
from service.log.proof import Proof
from service.matches.context import Context

MOST = 1000  # positions looked at for one page
_FORGOTTEN_AT_ONCE = 20  # deleted matches that one page leaves out of those that follow

_PRIVATE = "private"


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads the feed, and what of it.

    game: its key; then commits of private matches of others are left out, too. None: all.
    own: private matches whose tokens the reader holds.
    """

    game: str | None = None
    own: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Page:
    """Commits in the order of the log.

    next: how many positions have been seen with this page.
    full: nothing will ever be added to this page.
    log: the key of the log.   size: how far it went.
    """

    commits: list[answers.LoggedCommit]
    next: int
    full: bool
    log: str
    size: int


def reader(ctx: Context, held: Sequence[str], game: str | None) -> Reader:
    """Return who reads with some tokens; those that do not count show nothing."""
    asked = [(tokens.match_of(token) or "", tokens.field(token)) for token in held]
    overviews = ctx.journal.events.overviews([(match, (field,)) for match, field in asked])
    own = frozenset(
        match
        for (match, field), (head, metadata) in zip(asked, overviews, strict=True)
        if head is not None and head.visibility == _PRIVATE and field in metadata
    )
    return Reader(game, own)


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


def proof(ctx: Context, commit_hash: str) -> Proof:
    """Return the proof that a commit is in the log; raises Overloaded if it is not there yet.

    The checkpoint in it is the one that enough witnesses have signed, where that goes so far.
    """
    log = log_of(ctx)
    try:
        position = log.position(commit_hash)
    except NotIndexed as error:
        raise Overloaded(str(error)) from None
    if position is None:
        raise Overloaded("the commit has no position in the log yet: try again")

    order = log.state()
    is_witnessed = position < order.cosigned_size
    note = order.cosigned if is_witnessed else order.checkpoint
    size = read_checkpoint(read_note(note)).size if note else 0
    if position >= size:
        raise LogUnavailable("the log is shorter than it was")
    return Proof(position, tuple(log.inclusion(position, size)), note)


def page(ctx: Context, reading: Reader, after: int, limit: int) -> Page:
    """Return the page of at most so many positions after those that were seen.

    Commits that the reader has not asked for are left out. Raises JournalUnavailable.
    """
    log = log_of(ctx)
    order = log.state()
    entries = log.entries(after, limit, order.published)
    return Page(
        commits=list(_shown(reading, entries)),
        next=after + len(entries),
        full=len(entries) == limit,
        log=order.key,
        size=order.published,
    )


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


def follow(
    ctx: Context, notifications: Notifications, reading: Reader, after: int, beat: float
) -> Iterator[bytes]:
    """Yield the commits after those that were seen, as server-sent events, and b"" in silence.

    Each event's id is how many positions have been seen with it. Ends when the process stops.
    While the journal or the files are away there is silence.
    """
    log = log_of(ctx)
    is_behind = True
    with notifications.follow(LOG) as channel:
        while not notifications.stopped:
            seen = channel.ticks
            if is_behind:
                # What is old each reads alone: it is long, and would be kept for nobody.
                entries = _entries(log, after)
                channel.release_next()
            else:
                # Many readers are at the same position, and read it once.
                question = (after, time.monotonic() // beat)
                entries = channel.query(question, seen, partial(_entries, log, after))
            is_behind = len(entries) == MOST
            after += len(entries)
            is_silent = True
            for commit in _shown(reading, entries):
                yield _event(commit)
                is_silent = False
            # Where all is left out, too, something is sent: so a reader who has gone is noticed.
            if is_silent and (entries or not channel.wait(seen, beat)):
                yield b""


def _entries(log: Log, after: int) -> list[Entry]:
    """Return what follows; nothing while the journal or the files are away."""
    try:
        return log.entries(after, MOST)
    except JournalUnavailable:
        return []


def _event(commit: answers.LoggedCommit) -> bytes:
    data = orjson.dumps(commit)
    return b"id: %d\nevent: commit\ndata: %s\n\n" % (commit["position"] + 1, data)


def _shown(reading: Reader, entries: Sequence[Entry]) -> Iterator[answers.LoggedCommit]:
    """Yield what a reader is shown of entries."""
    for entry in entries:
        is_shown = not entry.is_private or entry.match in reading.own
        if reading.game is not None and not (is_shown and entry.game == reading.game):
            continue
        yield _commit(entry) if is_shown else {"position": entry.position, "hash": entry.hash}


def _commit(entry: Entry) -> answers.LoggedCommit:
    """Return all that is known of an entry."""
    if not entry.hash:
        leaf = orjson.loads(entry.leaf)
        return {
            "position": entry.position,
            "generation": leaf["generation"],
            "gone_back": leaf["gone_back"],
        }
    return {
        "position": entry.position,
        "match": entry.match,
        "version": entry.version,
        "hash": entry.hash,
        "time": entry.time,
        "game": entry.game,
        "status": entry.status,
    }
