"""Following: each commit of a match as it is made, as far as the caller may see it."""

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

PIECE = 50  # commits sent at once to a follower who is behind; longer pieces hold others up


class FollowerCursor(NamedTuple):
    """How far a follower has come: a version, and the hash of the commit that made it.

    hash: "" for version 0. Of a version after the match's last it does not matter.
    """

    version: int
    hash: str


@dataclass(frozen=True, slots=True)
class Follower:
    """Who follows a match, and how.

    token: None for a stranger to a public match.
    beat: after so many seconds without news the follower is sent b"".
    render: writes a commit. It must be the same function for all followers, because those with the
        same token, or with none, share what it writes.
    rewritten: writes that the journal has gone back, given the version at which the match is now.
    """

    match: str
    token: str | None = field(repr=False)
    beat: float
    render: Callable[[answers.Commit], bytes]
    rewritten: Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class _NewVersions:
    """What is new after a place, rendered, and the place that it leads to.

    last: none will ever follow.
    more: this was a piece of what is new, and the next one is there already.
    """

    place: FollowerCursor
    rendered: bytes = b""
    last: bool = False
    more: bool = False


def follow(
    ctx: Context, notifications: Notifications, follower: Follower, place: FollowerCursor
) -> Iterator[bytes]:
    """Yield the commits after a place as they are made, and b"" in every silence.

    Ends after the last commit of all, when the token no longer counts, when the match is deleted,
    or when the process stops. A follower who has received what the journal no longer holds is
    informed of it, and then it ends too. While the journal is away there is silence.
    """
    holder_field = tokens.field(follower.token) if follower.token else ""
    with notifications.follow(follower.match) as channel:
        # What others received before this one came may be of a history that is gone.
        seen = channel.ticks
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

            if not channel.wait(seen, follower.beat):
                yield b""
            seen = channel.ticks
            news = _shared_news(ctx, channel, follower, place, seen)


def wait_until(
    ctx: Context,
    notifications: Notifications,
    access: Access,
    reached: Callable[[Head], bool],
    seconds: float,
) -> None:
    """Return as soon as a match has reached something or is gone, or after so many seconds.

    access: the match as the caller has found it. Returns also when that head is not in the journal
    any more, and when the process stops.
    """
    end = time.monotonic() + seconds
    with notifications.follow(access.match) as channel:
        while not notifications.stopped:
            seconds_left = end - time.monotonic()
            if seconds_left <= 0:
                return

            seen = channel.ticks
            head = ctx.journal.events.head(access.match)
            if head is None or reached(head) or _has_gone_back(head, access.head):
                return
            channel.wait(seen, seconds_left)
            channel.release_next()


def _has_gone_back(head: Head, known: Head) -> bool:
    """Return whether a head cannot have come after the one that was known."""
    if head.version == known.version:
        return head.hash != known.hash
    return head.version < known.version


def _shared_news(
    ctx: Context, channel: Channel, follower: Follower, place: FollowerCursor, seen: int
) -> _NewVersions | None:
    """Return the news after a place, as fresh as the ticks seen, read once for all who ask it.

    None if the match is gone or the token no longer counts.
    """
    holder_field = tokens.field(follower.token) if follower.token else ""
    # Every beat asks another question, because a message of news may be lost.
    beats = time.monotonic() // follower.beat
    question = (holder_field, place, beats)
    return channel.query(question, seen, lambda: _news(ctx, follower, holder_field, place))


def _news(
    ctx: Context, follower: Follower, holder_field: str, place: FollowerCursor
) -> _NewVersions | None:
    try:
        entries, holder, head = ctx.journal.events.tail(
            follower.match, place.version, holder_field, PIECE
        )
        commits = list(parse_commits(entries))
        # Without commits there is nothing to show by the rules.
        rules = rules_of(ctx, follower.match, commits) if commits else ""
    except (NotFound, MatchDeleted):
        return None
    except (JournalUnavailable, HeadDamaged):
        # The follower waits: when the journal is back, everything since is sent.
        return _NewVersions(place)

    token_is_gone = bool(holder_field) and holder is None
    if head is None or token_is_gone:
        return None

    if not _leads_on(place, commits, head):
        return _NewVersions(place, follower.rewritten(head.version), last=True)
    if not commits:
        return _NewVersions(place)

    caller = tokens.caller(holder) if holder else Caller()
    shown = [views.shown(commit, rules, caller) for commit in commits]
    newest = commits[-1]
    return _NewVersions(
        place=FollowerCursor(newest["commit"]["version"], newest["hash"]),
        rendered=b"".join(map(follower.render, shown)),
        last=shown[-1]["events"][-1]["type"] == "secrets_revealed",
        more=len(commits) == PIECE,
    )


def _leads_on(place: FollowerCursor, commits: list[StoredCommit], head: Head) -> bool:
    """Return whether what the journal holds follows from what a follower has received.

    The head was read before the commits.
    """
    if commits:
        first_prev: str = commits[0]["commit"]["prev"]
        return first_prev == place.hash
    if head.version == place.version:
        return head.hash == place.hash
    return head.version > place.version
