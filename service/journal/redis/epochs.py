"""The journal's epoch, and the ends of its feeds: by both it shows that a journal has gone back."""

from collections.abc import Mapping, Sequence

from service.journal.keys import EPOCH
from service.journal.packing import packed_epoch, read_epoch, read_feed_line
from service.journal.redis.connection import retries_once
from service.journal.redis.store import Store
from service.journal.values import Epoch, FeedEnds, Line


@retries_once
def epoch(store: Store) -> Epoch | None:
    """Return the epoch of the journal."""
    return read_epoch(store.client.get(EPOCH))


@retries_once
def replace_epoch(store: Store, old: Epoch | None, new: Epoch) -> bool:
    """Write a new epoch in the place of the old one; return whether that was still there."""
    packed_old = packed_epoch(old) if old else b""
    return bool(store.scripts.epoch(keys=[EPOCH], args=[packed_old, packed_epoch(new)]))


@retries_once
def feed_ends(store: Store, noted: Mapping[int, Line]) -> FeedEnds:
    """Return the last line of each feed, and which of the noted lines are not there."""
    feeds = store.keys.feed
    looked_for: list[str] = []
    for number, (entry_id, _match, _version) in noted.items():
        looked_for += (feeds[number], entry_id)

    answers = store.ask_partitions(store.scripts.ends, feeds, looked_for)
    numbers = {key.encode(): number for number, key in enumerate(feeds)}
    last: dict[int, Line] = {}
    found: dict[int, Line] = {}
    for last_of_server, found_of_server in answers:
        last |= _lines(last_of_server, numbers)
        found |= _lines(found_of_server, numbers)

    missing = [number for number, line in noted.items() if found.get(number) != line]
    return FeedEnds(last, frozenset(missing))


def _lines(texts: Sequence[bytes], numbers: Mapping[bytes, int]) -> dict[int, Line]:
    """Return lines by their partition, as ends.lua lists them."""
    lines: dict[int, Line] = {}
    for key, entry_id, line in zip(texts[::3], texts[1::3], texts[2::3], strict=True):
        lines[numbers[key]] = (entry_id.decode(), *read_feed_line(line))
    return lines
