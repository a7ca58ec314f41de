"""Commits and heads for the tests of the journal."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from service.journal.port import Journal
from service.journal.values import Entry, Head

RUNNING = Head(
    version=1,
    hash="h1",
    status="running",
    work="",
    waiting=(0, 2),
    game="calimala",
    visibility="public",
    created=1_000,
    updated=1_000,
)


def entry(
    match: str = "m",
    version: int = 1,
    command_id: str = "",
    fingerprint: str = "",
    sidecar: Mapping[str, str | None] | None = None,
    commit_bytes: bytes | None = None,
    **head: Any,
) -> Entry:
    """Return the entry that makes a version of a match, with whatever of its head is given."""
    new = replace(RUNNING, version=version, hash=f"h{version}", updated=1_000 + version)
    return Entry(
        match=match,
        expected=version - 1,
        prev=f"h{version - 1}" if version > 1 else "",
        commit_bytes=commit_bytes or f'{{"match":"{match}","version":{version}}}'.encode(),
        head=replace(new, **head),
        command_id=command_id,
        fingerprint=fingerprint,
        sidecar=sidecar or {},
    )


def grow(journal: Journal, match: str, versions: int, **head: Any) -> list[bytes]:
    """Append the first versions of a match and return their bytes."""
    entries = [entry(match, version, **head) for version in range(1, versions + 1)]
    for one in entries:
        journal.append(one)
    return [one.commit_bytes for one in entries]


def everything(journal: Journal, match: str, feed: int) -> list[object]:
    """Return all that a journal tells about a match, to see whether something has changed."""
    return [
        journal.read(match),
        journal.head(match),
        journal.sidecar(match),
        journal.pending(10_000_000, 100),
        [
            journal.listing(status, None, 100, game)
            for status in ("", "open", "running", "finished", "aborted")
            for game in ("", "calimala")
        ],
        journal.feed(feed, "", 100),
    ]
