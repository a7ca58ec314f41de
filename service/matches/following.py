"""Following: each commit of a match as it is made, in the caller's view."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from service.base import answers
from service.base.errors import MatchDeleted, NotFound
from service.matches import views
from service.matches.access import Access
from service.matches.context import Context
from service.matches.repository import rules_of
from service.record.commit import StoredCommit, parse_commits
from service.store.journal.errors import HeadDamaged, JournalUnavailable
from service.store.journal.notifications import Channel, Notifications
from service.store.journal.values import Head
from service.store.keys import tokens
from service.store.keys.tokens import Caller

PIECE = 50  # commits sent at once to a lagging follower. Longer pieces delay other followers


class FollowerCursor(NamedTuple):
    """The progress of a follower: a version, and the hash of its commit.

    hash: "" for version 0. Any text for a version that the match does not have.
    """

    version: int
    hash: str


@dataclass(frozen=True, slots=True)
class Follower:
    """A follower of a match, and the form of the news.

    token: None for a stranger to a public match.
    beat: seconds without news until the follower gets b"".
    render: returns a commit as bytes. All followers of a match must have the same function, because
        followers with the same token, or with none, share its results.
    rewritten: returns the news that the journal has gone back, given the version of the match now.
    """

    match: str
    token: str | None = field(repr=False)
    beat: float
    render: Callable[[answers.Commit], bytes]
    rewritten: Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class _NewVersions:
    """The news after a cursor, rendered, and the cursor after the news.

    last: True if the follower gets no more news.
    more: True if this is a piece of the news, and the next piece may be read at once.
    """

    place: FollowerCursor
    rendered: bytes = b""
    last: bool = False
    more: bool = False


def follow(
    ctx: Context, notifications: Notifications, follower: Follower, place: FollowerCursor
) -> Iterator[bytes]:
    """Yield the commits after a place as they are made, and b"" after each `beat` of silence.

    Ends after the revelation, when the token no longer counts, when the match is gone, or when the
    process stops. If the journal has lost commits that the follower received, but not the whole
    match, the last news says so, and nothing follows. While the journal is unavailable or the head
    of the match is damaged, only b"" is yielded.
    """
    holder_field = tokens.field(follower.token) if follower.token else ""
    with notifications.follow(follower.match) as channel:
        # Read the first news for this follower alone: news that others share may be older, and of a
        # history that was lost since.
        ticks = channel.ticks
        news = _news(ctx, follower, holder_field, place)

        while news is not None and not notifications.stopped:
            if news.rendered:
                yield news.rendered
            if news.last:
                return

            place = news.place
            if news.more:
                news = _news(ctx, follower, holder_field, place)
                continue

            if not channel.wait(ticks, follower.beat):
                yield b""
            ticks = channel.ticks
            news = _shared_news(ctx, channel, follower, place, ticks)


def wait_until(
    ctx: Context,
    notifications: Notifications,
    access: Access,
    reached: Callable[[Head], bool],
    seconds: float,
) -> None:
    """Wait until the head of a match passes the test `reached`, or for so many seconds.

    access: the match as the caller has found it.

    Return earlier if the match is gone, if the journal has lost the caller's head, or if the
    process stops.
    """
    end = time.monotonic() + seconds
    with notifications.follow(access.match) as channel:
        while not notifications.stopped:
            seconds_left = end - time.monotonic()
            if seconds_left <= 0:
                return

            ticks = channel.ticks
            head = ctx.journal.events.head(access.match)
            if head is None or reached(head) or _has_gone_back(head, access.head):
                return
            channel.wait(ticks, seconds_left)
            channel.release_next()


def _has_gone_back(head: Head, earlier: Head) -> bool:
    """Return True if a head cannot have come after an earlier one."""
    if head.version == earlier.version:
        return head.hash != earlier.hash
    return head.version < earlier.version


def _shared_news(
    ctx: Context, channel: Channel, follower: Follower, place: FollowerCursor, ticks: int
) -> _NewVersions | None:
    """Return the news after a place, None if the match is gone or the token no longer counts.

    Followers with the same question share one read.
    ticks: ticks of the channel. A shared read is at least as new.
    """
    holder_field = tokens.field(follower.token) if follower.token else ""
    # Each beat asks a new question, because a notification may be lost.
    beats = time.monotonic() // follower.beat
    question = (holder_field, place, beats)
    return channel.query(question, ticks, lambda: _news(ctx, follower, holder_field, place))


def _news(
    ctx: Context, follower: Follower, holder_field: str, place: FollowerCursor
) -> _NewVersions | None:
    try:
        entries, holder, head = ctx.journal.events.tail(
            follower.match, place.version, holder_field, PIECE
        )
        commits = list(parse_commits(entries))
        # The rules are needed only to show commits.
        rules = rules_of(ctx, follower.match, commits) if commits else ""
    except (NotFound, MatchDeleted):
        return None
    except (JournalUnavailable, HeadDamaged):
        # The follower waits, and gets the missed commits once the journal is back.
        return _NewVersions(place)

    token_is_gone = bool(holder_field) and holder is None
    if head is None or token_is_gone:
        return None

    if not _leads_on(place, commits, head):
        return _NewVersions(place, follower.rewritten(head.version), last=True)
    if not commits:
        return _NewVersions(place)

    caller = tokens.caller(holder) if holder else Caller()
    answer_commits = [views.shown(commit, rules, caller) for commit in commits]
    newest = commits[-1]
    return _NewVersions(
        place=FollowerCursor(newest["commit"]["version"], newest["hash"]),
        rendered=b"".join(map(follower.render, answer_commits)),
        last=answer_commits[-1]["events"][-1]["type"] == "secrets_revealed",
        more=len(commits) == PIECE,
    )


def _leads_on(place: FollowerCursor, commits: list[StoredCommit], head: Head) -> bool:
    """Return True if the journal's commits follow from those that a follower has received.

    The head was read before the commits, so these may go beyond it.
    """
    if commits:
        first_prev: str = commits[0]["commit"]["prev"]
        return first_prev == place.hash
    if head.version == place.version:
        return head.hash == place.hash
    return head.version > place.version
