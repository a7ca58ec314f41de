"""Matches are found: those that are listed, and those that may be idle.

Each partition has an index of its own, so every question goes to all partitions in one round trip.
"""

import heapq
import itertools
from collections.abc import Mapping, Sequence

from service.journal.packing import listing_bounds, read_listing_member
from service.journal.redis.connection import retries_once
from service.journal.redis.store import Store
from service.journal.values import STATUSES


@retries_once
def idle(store: Store, before: int, limit: int) -> list[str]:
    """Return matches that are to be looked at by a time, first due first."""
    earliest = _earliest(store, store.keys.idle, until=str(before), limit=limit)
    return [match for _, match in earliest]


def _earliest(
    store: Store, keys: Sequence[str], *, until: str, limit: int
) -> list[tuple[int, str]]:
    """Return the first (time, match) of sorted sets taken together.

    until: the latest time, as ZRANGEBYSCORE takes it; "(" before it excludes the time itself.
    """
    answers = store.ask_each(
        "zrangebyscore",
        keys,
        min="-inf",
        max=until,
        start=0,
        num=limit,
        withscores=True,
    )
    members = itertools.chain.from_iterable(answers)
    times = sorted((int(time), match.decode()) for match, time in members)
    return times[:limit]


@retries_once
def look_again(store: Store, times: Mapping[str, int | None]) -> None:
    """Set when matches are to be looked at again; None: never."""
    with store.pipeline() as pipeline:
        for match, time in times.items():
            key = store.keys.idle[store.keys.partition_of(match)]
            if time is None:
                pipeline.zrem(key, match)
            else:
                pipeline.zadd(key, {match: time})

        pipeline.execute()


@retries_once
def listing(
    store: Store, status: str, before: tuple[int, str] | None, limit: int, game: str
) -> list[tuple[int, str]]:
    """Return (listed, match) of public matches before a cursor, newest first."""
    group = f"@{game}:{status}" if game else status
    newest, oldest = listing_bounds(group, before)
    answers = store.ask_each(
        "zrevrangebylex",
        store.keys.listing,
        max=newest,
        min=oldest,
        start=0,
        num=limit,
    )

    # Each partition answers in order, so merging their answers keeps it.
    members = itertools.islice(heapq.merge(*answers, reverse=True), limit)
    prefix = f"{group}:"
    return [read_listing_member(member.decode().removeprefix(prefix)) for member in members]


@retries_once
def listed_counts(store: Store) -> dict[str, int]:
    """Return how many public matches there are of each status, counted in every partition."""
    with store.pipeline() as pipeline:
        for status in STATUSES:
            newest, oldest = listing_bounds(status, before=None)
            for key in store.keys.listing:
                pipeline.zlexcount(key, oldest, newest)

        counts = iter(pipeline.execute())

    partitions = store.keys.partitions
    return {status: sum(itertools.islice(counts, partitions)) for status in STATUSES}
