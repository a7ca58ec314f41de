"""Indexes of the public matches and of the matches that may be idle.

Each partition has its own indexes, so lists, counts and `idle` ask all partitions, in one round
trip a server. Scripts put lists and counts together on the servers.
"""

import itertools
import re
from collections.abc import Mapping

from service.store.journal.encoding import listing_bounds, read_listing_member
from service.store.journal.redis.connection import retries_once
from service.store.journal.redis.store import RedisPort
from service.store.journal.stored_status import stored_status
from service.store.journal.values import STATUSES

# Lines of INFO. Each write changes one of them. rdb_saves is needed too, since two saves may fall
# within one second of rdb_last_save_time.
_COUNTS = (b"rdb_changes_since_last_save", b"rdb_last_save_time", b"rdb_saves")
_WRITTEN = re.compile(rb"^(?:%s):\d+" % b"|".join(_COUNTS), re.MULTILINE)


class RedisIndex(RedisPort):
    """Two sorted sets for each partition: public matches, and matches by their next look."""

    @retries_once
    def listing(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str = ""
    ) -> list[tuple[int, str]]:
        """Return (listed, match) of public matches before a cursor, newest first."""
        store = self._store
        stored = stored_status(status)
        group = f"@{game}:{stored}" if game else stored
        newest, oldest = listing_bounds(group, before)
        prefix = f"{group}:"
        arguments: list[str | int] = [
            newest,
            oldest,
            limit,
            _first_read(limit, store.keys.partitions),
            len(prefix) + 1,
            int(store.servers.is_cluster),
        ]

        answers = store.send_each(store.scripts.list, store.keys.listing, arguments)
        members = itertools.chain.from_iterable(answers)
        newest_first = sorted(members, reverse=True)[:limit]
        return [
            read_listing_member(member.decode().removeprefix(prefix)) for member in newest_first
        ]

    @retries_once
    def listed_counts(self) -> dict[str, int]:
        """Return the number of public matches by status, over all partitions."""
        bounds = []
        for status in STATUSES:
            newest, oldest = listing_bounds(stored_status(status), before=None)
            bounds.append(f"{oldest} {newest}")

        store = self._store
        answers = store.send_each(store.scripts.sum, store.keys.listing, ["ZLEXCOUNT", *bounds])
        counts = map(sum, zip(*answers, strict=True))
        return dict(zip(STATUSES, counts, strict=True))

    @retries_once
    def written(self) -> str:
        """Return a fingerprint of all writes to one server, "" in a cluster or with Sentinels.

        INFO tells the number of changes since the last save to a file, the time of that save and
        the number of saves.
        """
        store = self._store
        if store.raw is None:
            return ""

        answers = store.raw.query([("INFO", "persistence")])
        if answers is None:
            store.client.ping()  # raises the error, if there still is one
            return ""
        counts = _WRITTEN.findall(answers[0])
        return b" ".join(counts).decode() if len(counts) == len(_COUNTS) else ""

    @retries_once
    def idle(self, before: int, limit: int) -> list[str]:
        """Return matches due for a look by a time, first due first."""
        with self._store.pipeline() as pipeline:
            for key in self._keys.idle:
                pipeline.zrangebyscore(key, "-inf", before, start=0, num=limit, withscores=True)
            answers = pipeline.execute()

        members = itertools.chain.from_iterable(answers)
        due = sorted((int(time), match.decode()) for match, time in members)
        return [match for _, match in due[:limit]]

    @retries_once
    def look_again(self, times: Mapping[str, int | None]) -> None:
        """Reschedule the looks at matches. None: never."""
        keys = self._keys
        with self._store.pipeline() as pipeline:
            for match, time in times.items():
                key = keys.idle[keys.partition_of(match)]
                if time is None:
                    pipeline.zrem(key, match)
                else:
                    pipeline.zadd(key, {match: time})

            pipeline.execute()


def _first_read(limit: int, partitions: int) -> int:
    """Return the number of members in the first read of each partition.

    Few partitions have more than twice their share of the newest members. list.lua reads more
    members of such a partition.
    """
    return 2 * limit // partitions + 1
