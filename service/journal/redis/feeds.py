"""The feeds: the commits of each partition, in the order they were made."""

from collections.abc import Iterator

from service.journal.packing import read_feed_line
from service.journal.redis.connection import retries_once
from service.journal.redis.store import Store

_LINES = 1000  # of a feed, read in one round trip


@retries_once
def feed(store: Store, partition: int, after: str, limit: int) -> list[tuple[str, str, int]]:
    """Return (id, match, version) of a partition's commits after an id."""
    start = f"({after}" if after else "-"
    entries = store.client.xrange(store.keys.feed[partition], min=start, count=limit)

    lines = []
    for entry_id, fields in entries:
        match, version = read_feed_line(fields[b"m"])
        lines.append((entry_id.decode(), match, version))
    return lines


def matches(store: Store) -> Iterator[str]:
    """Yield every match that was ever begun: each has one first commit in the feeds."""
    for partition in range(store.keys.partitions):
        last_id = ""
        while lines := feed(store, partition, last_id, _LINES):
            for _, match, version in lines:
                if version == 1:
                    yield match

            last_id = lines[-1][0]


@retries_once
def commit_count(store: Store) -> int:
    """Return how many commits were ever appended."""
    [commits] = store.sums("XLEN", store.keys.feed)
    return commits
