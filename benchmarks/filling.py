"""Journals filled with many short matches, as fast as a server takes them."""

import itertools
from collections.abc import Iterator

from benchmarks.append import PARTITIONS, hash_of
from service.journal.encoding import append_arguments
from service.journal.redis.servers import open_servers
from service.journal.redis.store import Store
from service.journal.values import Entry, Head

START = 1_600_000_000_000  # milliseconds since the epoch
_AT_ONCE = 500  # commits in one round trip

# Of so many matches one is open and one runs; the others are finished.
_OPEN_EVERY = 50
_RUNNING_EVERY = 20

_SEATS = {"seats": '[{"kind":"human"},{"kind":"human"},{"kind":"bot","level":"greedy"}]'}

# As long as the commits of real matches are on average.
_COMMIT_BYTES = 450


def fill(url: str, matches: int, commits: int) -> None:
    """Write matches of so many commits each into the journal on a server.

    They are what the journal knows of matches: heads, streams, command ids, feeds and indexes.
    Nothing waits for the house or for bots. What stands in their commits is no match of a game.
    """
    servers = open_servers(url)
    store = Store(servers, PARTITIONS)
    entries = _entries(matches, commits)

    while batch := list(itertools.islice(entries, _AT_ONCE)):
        with store.pipeline() as pipeline:
            for entry in batch:
                store.scripts.append(
                    keys=store.keys.of_append(entry.match),
                    args=append_arguments(entry, store.keys.channel(entry.match)),
                    client=pipeline,
                )
            pipeline.execute()

    servers.close()


def _entries(matches: int, commits: int) -> Iterator[Entry]:
    """Yield the commits of all matches, match after match."""
    for number in range(matches):
        for version in range(1, commits + 1):
            is_last = version == commits
            yield _entry(number, version, _status(number) if is_last else "running")


def _entry(number: int, version: int, status: str) -> Entry:
    """Return one commit; the later a match was begun the higher is its number."""
    match = f"filler-{number:08}"
    created = START + number * 1000
    head = Head(
        version=version,
        hash=hash_of(match, version),
        status=status,
        work="",
        waiting=() if status == "finished" else (version % 3,),
        game="calimala" if number % 2 else "firenze",
        visibility="public",
        created=created,
        updated=created + version,
    )
    return Entry(
        match=match,
        expected=version - 1,
        prev=hash_of(match, version - 1) if version > 1 else "",
        commit_bytes=_commit_bytes(head.hash),
        head=head,
        command_id=head.hash[:36],
        fingerprint=head.hash[:32],
        metadata=_SEATS if version == 1 else {},
    )


def _commit_bytes(hash_: str) -> bytes:
    """Return what stands for a commit: bytes that do not repeat, as long as those of a real one."""
    repeats = _COMMIT_BYTES // len(hash_) + 1
    return (hash_ * repeats).encode()[:_COMMIT_BYTES]


def _status(number: int) -> str:
    """Return how a match ended up."""
    if number % _OPEN_EVERY == 0:
        return "open"
    if number % _RUNNING_EVERY == 0:
        return "running"
    return "finished"
