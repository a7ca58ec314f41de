"""Matches are found: those that are listed, and those that may be idle.

Each partition has an index of its own, so every question goes to all partitions, in one round trip
a server. Lists and counts are put together by scripts, where the indexes are.
"""

import itertools
from collections.abc import Mapping

from service.journal.packing import listing_bounds, read_listing_member
from service.journal.redis.connection import retries_once
from service.journal.redis.store import Store
from service.journal.values import STATUSES


@retries_once
def idle(store: Store, before: int, limit: int) -> list[str]:
    """Return matches that are to be looked at by a time, first due first."""
    answers = store.ask_each(
        "zrangebyscore",
        store.keys.idle,
        min="-inf",
        max=before,
        start=0,
        num=limit,
        withscores=True,
    )
    members = itertools.chain.from_iterable(answers)
    due = sorted((int(time), match.decode()) for match, time in members)
    return [match for _, match in due[:limit]]


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
    prefix = f"{group}:"

    first_asked = _first_asked(limit, store.keys.partitions)
    in_cluster = int(store.servers.is_cluster)

    answers = store.ask_partitions(
        store.scripts.list,
        store.keys.listing,
        [newest, oldest, limit, first_asked, len(prefix) + 1, in_cluster],
    )
    members = itertools.chain.from_iterable(answers)
    newest_first = sorted(members, reverse=True)
    return [
        read_listing_member(member.decode().removeprefix(prefix)) for member in newest_first[:limit]
    ]


def _first_asked(limit: int, partitions: int) -> int:
    """Return for how many members each partition is asked first.

    Few partitions have more of the newest than twice their share of them, and those are asked
    again.
    """
    return 2 * limit // partitions + 1


@retries_once
def listed_counts(store: Store) -> dict[str, int]:
    """Return how many public matches there are of each status, counted in every partition."""
    bounds = []
    for status in STATUSES:
        newest, oldest = listing_bounds(status, before=None)
        bounds.append(f"{oldest} {newest}")

    sums = store.sums("ZLEXCOUNT", store.keys.listing, bounds)
    return dict(zip(STATUSES, sums, strict=True))
