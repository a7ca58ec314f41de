"""The feed: all commits of the server in the order of the log, as a reader may see them.

A reader stores the ID of the log and a position in it. The server stores nothing for a reader.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import orjson

from service.base.errors import Overloaded
from service.capabilities.log.answers import LoggedCommit
from service.matches.context import Context
from service.matches.server_log import check_order, log_id, log_of
from service.record.tlog.checkpoint import read_checkpoint, read_note
from service.record.tlog.proof import Proof
from service.store.journal.errors import JournalUnavailable
from service.store.journal.keys import LOG
from service.store.journal.notifications import Notifications
from service.store.journal.values import Head
from service.store.keys import tokens
from service.store.tlog.entries import LogEntry, LogUnavailable, NotIndexed
from service.store.tlog.log import Log

MOST = 1000  # positions looked at for one page

_PRIVATE = "private"


@dataclass(frozen=True, slots=True)
class FeedReader:
    """A reader of the feed.

    game: key of the only game to read. Others' private matches are then left out, too. None: all
        games, and others' private matches.
    own: private matches with a valid token of the reader.
    token_fields: metadata fields of the reader's valid tokens, by private match.
    """

    game: str | None = None
    own: frozenset[str] = frozenset()
    token_fields: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def still_owns(self, ctx: Context, match: str) -> bool:
        """Return True if a token of the reader for a match is still valid.

        Raises JournalUnavailable.
        """
        names = self.token_fields.get(match, ())
        [(head, metadata)] = ctx.journal.events.overviews([(match, tuple(names))])
        return isinstance(head, Head) and any(name in metadata for name in names)


class FeedPosition(NamedTuple):
    """A position in the feed.

    log: ID of the log, "" for the log of this server.   after: number of entries before the
        position.
    """

    log: str
    after: int


@dataclass(frozen=True, slots=True)
class FeedPage:
    """Commits in the order of the log.

    next: number of positions before the next page.
    full: True if nothing will be added to this page.
    log: ID of the log, "" before its first entry.   size: number of published entries.
    """

    commits: list[LoggedCommit]
    next: int
    full: bool
    log: str
    size: int


@dataclass(frozen=True, slots=True)
class FeedValidator:
    """The validator of a cached page of the feed for readers without tokens.

    log, size, next, full: as in FeedPage.
    """

    log: str
    size: int
    next: int
    full: bool

    @property
    def match(self) -> str:
        """Empty, because a page has commits of several matches."""
        return ""

    def holds(self, ctx: Context) -> bool:
        """Return True if the log is the same and nothing was added to the page."""
        order = log_of(ctx).state()
        has_all = order.published >= self.next if self.full else order.published == self.size
        return has_all and log_id(order.key) == self.log


def reader(ctx: Context, bearer_tokens: Sequence[str], game: str | None) -> FeedReader:
    """Return the reader with the given tokens. Invalid tokens show nothing."""
    names = [(tokens.match_of(token) or "", tokens.field(token)) for token in bearer_tokens]
    overviews = ctx.journal.events.overviews([(match, (name,)) for match, name in names])
    own: dict[str, list[str]] = {}
    for (match, name), (head, metadata) in zip(names, overviews, strict=True):
        if isinstance(head, Head) and head.visibility == _PRIVATE and name in metadata:
            own.setdefault(match, []).append(name)
    return FeedReader(game, frozenset(own), own)


def proof(ctx: Context, commit_hash: str) -> Proof:
    """Return the proof that a commit is in the log.

    Raises Overloaded before the commit has a position.

    The proof has the newest checkpoint with enough witnesses if that checkpoint covers the commit.
    Otherwise the proof has the newest checkpoint. Raises LogUnavailable if that checkpoint does not
    cover the commit.
    """
    log = log_of(ctx)
    try:
        position = log.position(commit_hash)
    except NotIndexed as error:
        raise Overloaded(str(error)) from None
    if position is None:
        raise Overloaded("the commit has no position in the log yet. Try again")

    order = log.state()
    is_witnessed = position < order.cosigned_size
    note = order.cosigned if is_witnessed else order.checkpoint
    size = read_checkpoint(read_note(note)).size if note else 0
    if position >= size:
        raise LogUnavailable("the log is shorter than before")
    return Proof(position, tuple(log.inclusion(position, size)), note)


def page(ctx: Context, reading: FeedReader, start: FeedPosition, limit: int) -> FeedPage:
    """Return the page after a position, of at most `limit` positions.

    Commits of other games and of others' private matches are left out if the reader reads one game.
    Raises AnotherLog, JournalUnavailable.
    """
    log = log_of(ctx)
    state = log.state()
    check_order(start.log, state)
    entries = log.entries(start.after, limit, state.published)
    current = log_id(state.key)
    commits = (_visible(reading, current, entry) for entry in entries)
    return FeedPage(
        commits=[commit for commit in commits if commit is not None],
        next=start.after + len(entries),
        full=len(entries) == limit,
        log=current,
        size=state.published,
    )


def follow(
    ctx: Context,
    notifications: Notifications,
    reading: FeedReader,
    start: FeedPosition,
    beat: float,
) -> Iterator[bytes]:
    """Yield the commits after a position as server-sent events, and b"" in every silence.

    Each event's ID is the position after the event. If the server has another log, the last event
    is `rewritten`, with the ID of that log. The stream also ends when the process stops. While the
    journal or the files are unavailable, there is silence. The tokens of a private match are
    checked again for each commit of the match.
    """
    log = log_of(ctx)
    reader_log, after = start
    is_behind = True
    with notifications.follow(LOG) as channel:
        while not notifications.stopped:
            ticks = channel.ticks
            if is_behind:
                # A reader that is behind reads alone, because no other reader is likely to need the
                # same page.
                news = _news(log, after)
                channel.release_next()
            else:
                # Many readers are at the same position and share one read.
                question = (after, time.monotonic() // beat)
                news = channel.query(question, ticks, partial(_news, log, after))
            reader_log = reader_log or news.log
            if news.log not in ("", reader_log):
                yield _rewritten(news.log)
                return

            is_behind = len(news.entries) == MOST
            is_silent = True
            try:
                for entry in news.entries:
                    commit = _visible_now(ctx, reading, reader_log, entry)
                    after = entry.position + 1
                    if commit is not None:
                        yield _event(commit)
                        is_silent = False
            except JournalUnavailable:
                is_behind = True
                channel.wait(ticks, beat)
            # Send something even if all entries are left out, so that a lost connection is noticed.
            if is_silent and (news.entries or not channel.wait(ticks, beat)):
                yield b""


class _NewEntries(NamedTuple):
    """Entries after a position, and the ID of their log. The ID is "" without a readable log."""

    log: str
    entries: list[LogEntry]


def _news(log: Log, after: int) -> _NewEntries:
    try:
        state = log.state()
        return _NewEntries(log_id(state.key), log.entries(after, MOST, state.published))
    except JournalUnavailable:
        return _NewEntries("", [])


def _event(commit: LoggedCommit) -> bytes:
    data = orjson.dumps(commit)
    number = commit["position"] + 1
    return b"id: %s-%d\nevent: commit\ndata: %s\n\n" % (commit["log"].encode(), number, data)


def _rewritten(log: str) -> bytes:
    """Return the event for a reader of another log. The reader begins at the start of this log."""
    name = log.encode()
    return b'id: %s-0\nevent: rewritten\ndata: {"log":"%s"}\n\n' % (name, name)


def _visible_now(
    ctx: Context, reading: FeedReader, log: str, entry: LogEntry
) -> LoggedCommit | None:
    """Return an entry as the reader may see it now. Raises JournalUnavailable."""
    commit = _visible(reading, log, entry)
    is_own = entry.is_private and entry.match in reading.own
    if commit is None or not is_own or reading.still_owns(ctx, entry.match):
        return commit
    return None if reading.game is not None else _hash_alone(log, entry)


def _visible(reading: FeedReader, log: str, entry: LogEntry) -> LoggedCommit | None:
    """Return an entry as the reader may see it, None if the reader's game leaves it out.

    A reader of one game gets no commits of other games, and none of others' private matches.
    """
    is_shown = not entry.is_private or entry.match in reading.own
    if reading.game is not None and not (is_shown and entry.game == reading.game):
        return None
    return _commit(log, entry) if is_shown else _hash_alone(log, entry)


def _hash_alone(log: str, entry: LogEntry) -> LoggedCommit:
    return {"log": log, "position": entry.position, "hash": entry.hash}


def _commit(log: str, entry: LogEntry) -> LoggedCommit:
    """Return an entry with all its members."""
    if not entry.hash:
        leaf = orjson.loads(entry.leaf)
        return {
            "log": log,
            "position": entry.position,
            "generation": leaf["generation"],
            "gone_back": leaf["gone_back"],
        }
    return {
        "log": log,
        "position": entry.position,
        "match": entry.match,
        "version": entry.version,
        "hash": entry.hash,
        "time": entry.time,
        "game": entry.game,
        "status": entry.status,
    }
