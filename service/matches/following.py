"""A match is followed live: each commit as it is made, as far as the caller may see it."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from service.journal.wakes import Channel, Wakes
from service.keys import tokens
from service.keys.tokens import Caller
from service.ledger.canonical import Json
from service.ledger.commit import parse_commit
from service.matches import reading
from service.matches.desk import Desk
from service.matches.loading import PIECE

Render = Callable[[Json], bytes]


@dataclass(frozen=True, slots=True)
class Follower:
    """Who follows a match, and how.

    token: None for a stranger to a public match.
    beat: after so many seconds without news the follower is sent b"".
    render: writes a commit. It must be the same function for all followers, because those with the
        same token, or with none, share what it writes.
    """

    match: str
    token: str | None = field(repr=False)
    beat: float
    render: Render


@dataclass(frozen=True, slots=True)
class _News:
    """Commits up to a version, rendered.

    last: none will ever follow.
    """

    version: int
    rendered: bytes
    last: bool


def follow(desk: Desk, wakes: Wakes, follower: Follower, after: int) -> Iterator[bytes]:
    """Yield the commits after a version as they are made, and b"" in every silence.

    Ends after the last commit of all, when the token no longer counts, when the match is deleted,
    or when the process stops.
    """
    with wakes.follow(follower.match) as channel:
        while not wakes.stopped:
            seen = channel.ticks
            news = _shared_news(desk, channel, follower, after, seen)
            if news is None:
                return

            if news.rendered:
                yield news.rendered
            if news.last:
                return

            after = news.version
            if not news.rendered and not channel.wait(seen, follower.beat):
                yield b""


def wait_beyond(desk: Desk, wakes: Wakes, match_id: str, version: int, seconds: float) -> None:
    """Return as soon as a match is beyond a version or gone, or after so many seconds.

    Also returns when the process stops.
    """
    end = time.monotonic() + seconds
    with wakes.follow(match_id) as channel:
        while not wakes.stopped:
            seconds_left = end - time.monotonic()
            if seconds_left <= 0:
                return

            seen = channel.ticks
            head = desk.journal.head(match_id)
            if head is None or head.version > version:
                return
            channel.wait(seen, seconds_left)


def _shared_news(
    desk: Desk, channel: Channel, follower: Follower, after: int, seen: int
) -> _News | None:
    """Return the news after a version, as fresh as the ticks seen, read once for all who ask it.

    None if the match is gone or the token no longer counts.
    """
    holder_field = tokens.field(follower.token) if follower.token else ""
    # Every beat asks another question, because a message of news may be lost.
    beats = time.monotonic() // follower.beat
    question = (holder_field, after, beats)
    return channel.ask(question, seen, lambda: _news(desk, follower, holder_field, after))


def _news(desk: Desk, follower: Follower, holder_field: str, after: int) -> _News | None:
    entries, holder, head = desk.journal.tail(follower.match, after, holder_field, PIECE)
    token_is_gone = bool(holder_field) and holder is None
    if head is None or token_is_gone:
        return None

    caller = tokens.caller(holder) if holder else Caller()
    commits = [reading.shown(parse_commit(entry), caller) for entry in entries]
    if not commits:
        return _News(version=after, rendered=b"", last=False)

    newest = commits[-1]
    return _News(
        version=newest["version"],
        rendered=b"".join(map(follower.render, commits)),
        last=newest["events"][-1]["type"] == "secrets_revealed",
    )
