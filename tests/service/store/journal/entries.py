"""Commits and heads for the tests of the journal, and a journal's answers about them."""

from dataclasses import fields, replace
from typing import Any

from service.store.journal.keys import partition_of
from service.store.journal.ports import Journal
from service.store.journal.values import CLOCK, HOOK, STATUSES, Entry, Head

LEASES_MS = {CLOCK: 60_000, HOOK: 60_000}  # the lease of claimed timers

PARTITIONS = 16
FEED = partition_of("m", PARTITIONS)  # the partition of the match "m"
LATE = 10_000_000  # later than any time in these tests, in milliseconds

RUNNING = Head(
    version=1,
    hash="h1",
    status="running",
    awaiting="",
    waiting=(0, 2),
    game="calimala",
    visibility="public",
    created=1_000,
    updated=1_000,
)

_OF_HEAD = {field.name for field in fields(Head)}


def entry(match: str = "m", version: int = 1, **changes: Any) -> Entry:
    """Return the entry of a version of a match.

    changes: fields of the entry and of its head with unusual values.
    """
    given_of_head = {name: value for name, value in changes.items() if name in _OF_HEAD}
    given_of_entry = {name: value for name, value in changes.items() if name not in _OF_HEAD}

    usual_head = replace(RUNNING, version=version, hash=f"h{version}", updated=1_000 + version)
    usual = Entry(
        match=match,
        expected=version - 1,
        prev=f"h{version - 1}" if version > 1 else "",
        commit_bytes=f'{{"match":"{match}","version":{version}}}'.encode(),
        head=replace(usual_head, **given_of_head),
    )
    return replace(usual, **given_of_entry)


def commit(journal: Journal, match: str = "m", version: int = 1, **changes: Any) -> Entry:
    """Append the entry of a version of a match, and return it."""
    new = entry(match, version, **changes)
    journal.events.append(new)
    return new


def grow(journal: Journal, match: str, versions: int, **head: Any) -> list[bytes]:
    """Append the first versions of a match and return their bytes."""
    entries = [commit(journal, match, version, **head) for version in range(1, versions + 1)]
    return [new.commit_bytes for new in entries]


def everything(journal: Journal, match: str, feed: int = FEED) -> list[object]:
    """Return everything a journal tells about a match, to see whether something has changed."""
    listings = [
        journal.index.listing(status, None, 100, game)
        for status in ("", *STATUSES)
        for game in ("", "calimala")
    ]
    return [
        journal.events.read(match),
        journal.events.head(match),
        journal.metadata.fields(match),
        [waiting.match for waiting in journal.pending.due(0, 100)],
        listings,
        journal.events.feed(feed, "", 100),
    ]


def listed(journal: Journal, status: str = "", game: str = "") -> list[str]:
    """Return the matches of a listing, newest first."""
    return [match for _, match in journal.index.listing(status, None, 100, game)]


def lines(journal: Journal, feed: int = FEED) -> list[tuple[str, int]]:
    """Return match and version of each line of a feed."""
    return [(match, version) for _, match, version in journal.events.feed(feed, "", 999)]
