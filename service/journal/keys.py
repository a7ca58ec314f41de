"""Where things lie in Redis: every key of a match carries the hash tag of its partition, so they share one slot."""

import zlib

PARTITIONS = "giornale:partitions"
PROBE = "giornale:probe"
LAYOUT = "giornale:layout"
HEADS = "giornale:{p*}:match:*:head"  # a pattern for SCAN


def partition_of(match: str, partitions: int) -> int:
    """Return the partition of a match: CRC-32 of its id, modulo the number of partitions."""
    return zlib.crc32(match.encode()) % partitions


def wake_channel(match: str) -> str:
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
        self.idle = [f"{root}:idle" for root in self._roots]

    def of(self, match: str, part: str) -> str:
        """Return the key of one part of a match: commits, head, ids, aside (the sidecar), snapshot or deleted."""
        return f"{self._roots[partition_of(match, self.partitions)]}:match:{match}:{part}"

    def appended(self, match: str) -> list[str]:
        """Return the keys that an append may touch, in the order of append.lua."""
        partition = partition_of(match, self.partitions)
        root = f"{self._roots[partition]}:match:{match}"
        own = [f"{root}:commits", f"{root}:head", f"{root}:ids", f"{root}:aside", f"{root}:deleted"]
        return [
            *own,
            self.pending[partition],
            self.feed[partition],
            self.listing[partition],
            self.idle[partition],
        ]

    def of_metadata(self, match: str) -> list[str]:
        """Return the keys of all that is kept of a match beside its commits: head, ids, sidecar, deleted."""
        return [self.of(match, part) for part in ("head", "ids", "aside", "deleted")]

    def of_tombstone(self, match: str) -> list[str]:
        """Return the keys that the tombstone of an unknown match touches, in the order of tombstone.lua."""
        feed = self.feed[partition_of(match, self.partitions)]
        return [self.of(match, "head"), self.of(match, "deleted"), feed]

    def of_deletion(self, match: str) -> list[str]:
        """Return the keys that a deletion touches, in the order of delete.lua."""
        partition = partition_of(match, self.partitions)
        parts = ("commits", "head", "ids", "aside", "deleted", "snapshot")
        own = [self.of(match, part) for part in parts]
        return [*own, self.pending[partition], self.listing[partition], self.idle[partition]]


def beside_head(head: str) -> tuple[str, list[str]]:
    """Return the match of a head's key, and the keys that index.lua touches for it."""
    root, _, rest = head.partition(":match:")
    return rest.removesuffix(":head"), [head, f"{root}:listing", f"{root}:idle"]
