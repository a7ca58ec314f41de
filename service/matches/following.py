"""Follow a match live: each commit as it is made, as far as the caller may see it."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from service.journal.wakes import Wakes
from service.keys import tokens
from service.ledger.canonical import Json
from service.ledger.commit import parse_commit
from service.matches import reading
from service.matches.desk import Desk
from service.matches.loading import PIECE

Render = Callable[[Json], bytes]


@dataclass(frozen=True, slots=True)
class News:
    """Commits up to a version, rendered; last: none will ever follow."""

    version: int
    data: bytes
    last: bool


def follow(
    desk: Desk, wakes: Wakes, match: str, token: str | None, after: int, beat: float, render: Render
) -> Iterator[bytes]:
    """Yield the commits after a version as they are made, b"" after every `beat` seconds of silence.

    Ends after the last commit of all, when the token no longer counts, when the match is deleted, or when the process
    stops. Followers with the same token, or with none, share what is read and rendered, so `render` must be the same
    for all of them.
    """
    field = tokens.field(token) if token else ""
    with wakes.follow(match) as channel:
        while not wakes.stopped:
            seen = channel.ticks
            question = (
                field,
                after,
                time.monotonic() // beat,
            )  # asked anew after a silence: a wake-up may be lost
            news = channel.ask(question, seen, lambda: _news(desk, match, field, after, render))  # noqa: B023
            if news is None:
                return
            if news.data:
                yield news.data
            after = news.version
            if news.last:
                return
            if not news.data and not channel.wait(seen, beat):
                yield b""


def wait_beyond(desk: Desk, wakes: Wakes, match: str, version: int, seconds: float) -> None:
    """Return as soon as a match is beyond a version or the process stops, or after so many seconds."""
    ends = time.monotonic() + seconds
    with wakes.follow(match) as channel:
        while (left := ends - time.monotonic()) > 0 and not wakes.stopped:
            seen = channel.ticks
            head = desk.journal.head(match)
            if head is None or head.version > version:
                return
            channel.wait(seen, left)


def _news(desk: Desk, match: str, field: str, after: int, render: Render) -> News | None:
    entries, name, head = desk.journal.tail(match, after, field, PIECE)
    if head is None or (field and name is None):
        return None
    caller = tokens.caller(name) if name else tokens.Caller()
    commits = [reading.shown(parse_commit(data), caller) for data in entries]
    version = commits[-1]["version"] if commits else after
    last = bool(commits) and commits[-1]["events"][-1]["type"] == "secrets_revealed"
    return News(version, b"".join(map(render, commits)), last)
