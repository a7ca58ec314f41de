"""Where things lie in Redis: every key of a match carries the hash tag of its partition, so they share one slot."""

import zlib

PARTITIONS = "giornale:partitions"
PROBE = "giornale:probe"


def partition_of(match: str, partitions: int) -> int:
    """Return the partition of a match: CRC-32 of its id, modulo the number of partitions."""
    return zlib.crc32(match.encode()) % partitions


def wake(match: str) -> str:
    """Return the channel on which each new version of a match is published."""
    return f"giornale:wake:{match}"


class Keys:
    """The names of all keys for a number of partitions; a partition is written in hex, as wide as the largest."""

    def __init__(self, partitions: int) -> None:
        self.partitions = partitions
        width = len(f"{partitions - 1:x}")
        self._roots = [f"giornale:{{p{partition:0{width}x}}}" for partition in range(partitions)]
        self.pending = [f"{root}:pending" for root in self._roots]
        self.feed = [f"{root}:feed" for root in self._roots]
        self.listing = [f"{root}:listing" for root in self._roots]
        self._shared = [list(keys) for keys in zip(self.pending, self.feed, self.listing, strict=True)]

    def of(self, match: str, part: str) -> str:
        """Return the key of one part of a match: commits, head, ids, aside or snapshot."""
        return f"{self._roots[partition_of(match, self.partitions)]}:match:{match}:{part}"

    def appended(self, match: str) -> list[str]:
        """Return the keys that an append may touch, in the order of append.lua."""
        partition = partition_of(match, self.partitions)
        root = f"{self._roots[partition]}:match:{match}"
        own = [f"{root}:commits", f"{root}:head", f"{root}:ids", f"{root}:aside"]
        return own + self._shared[partition]
