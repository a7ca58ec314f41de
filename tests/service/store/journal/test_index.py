"""The port `index`: pages of lists, and the fingerprint of writes.

In test_model.py listings and counts follow the heads in any run of calls.
"""

from collections.abc import Callable
from itertools import count, islice
from random import Random
from typing import Any

import pytest

from service.store.journal.keys import partition_of
from service.store.journal.memory import memory_journal
from service.store.journal.ports import Journal
from tests.service.store.journal.entries import PARTITIONS, commit

# ---- listings ------------------------------------------------------------------------------------

MATCHES = 90


def in_partition(partition: int) -> list[str]:
    """Return ids of matches in one partition."""
    ids = (f"m{number}" for number in count())
    matches = (match for match in ids if partition_of(match, PARTITIONS) == partition)
    return list(islice(matches, MATCHES))


# How matches lie in partitions and in time: an id and a time for each number, from the oldest on.
SPREADS: dict[str, Callable[[int], tuple[str, int]]] = {
    "even": lambda number: (f"m{number}", 1_000 + number),
    "in one partition": lambda number: (in_partition(3)[number], 1_000 + number),
    "newest in one partition": lambda number: (
        in_partition(3)[number] if number > 40 else f"n{number}",
        1_000 + number,
    ),
    "at one time": lambda number: (f"m{number}", 1_000),
    "at one time in one partition": lambda number: (in_partition(3)[number], 1_000),
}


@pytest.mark.parametrize("spread", SPREADS.values(), ids=SPREADS)
def test_a_page_holds_exactly_the_newest(
    journal: Journal, spread: Callable[[int], tuple[str, int]]
) -> None:
    """Pages are right for several spreads of matches, cursors and sizes."""
    opened = [spread(number) for number in range(MATCHES)]
    Random(1).shuffle(opened)
    for match, time in opened:
        commit(journal, match, created=time)

    newest_first = sorted(((time, match) for match, time in opened), reverse=True)
    for after in (0, 1, 30, 88):
        cursor = newest_first[after - 1] if after else None
        for size in (1, 2, 17, 50, 200):
            page = journal.index.listing("running", cursor, size)
            assert page == newest_first[after : after + size]


# ---- what was written ----------------------------------------------------------------------------


def test_the_fingerprint_changes_with_every_write(redis_journal: Journal, client: Any) -> None:
    """Commits and metadata change the fingerprint, reading does not. A journal in memory has none.

    No fingerprint comes again after a save, although the server then counts changes from 0.
    """
    fingerprints = [redis_journal.index.written()]
    commit(redis_journal, "m")
    fingerprints.append(redis_journal.index.written())
    redis_journal.metadata.put("m", {"name:0": "x"})
    fingerprints.append(redis_journal.index.written())
    redis_journal.index.listing("", None, 5)
    redis_journal.events.tail("m", 0, "")

    assert "" not in fingerprints
    assert len(set(fingerprints)) == len(fingerprints)
    assert redis_journal.index.written() == fingerprints[-1]

    fingerprints = []
    for number in range(5):
        client.save()
        client.set("key", number)
        fingerprints.append(redis_journal.index.written())

    assert len(set(fingerprints)) == len(fingerprints)

    assert memory_journal().index.written() == ""
