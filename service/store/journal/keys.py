"""Names of the keys and channels in Redis.

Every key of a match carries the hash tag of its partition, so all of them lie in one slot of a
Redis Cluster.
"""

import zlib

PARTITIONS = "giornale:partitions"  # holds with how many partitions the journal was begun
PROBE = "giornale:probe"  # written to see whether the server can be written
_OF_PARTITION = "probe"  # the same of a partition: whether its server can, and its replicas copy
GENERATION = "giornale:epoch"  # holds which history the journal goes on with
BEAT = "giornale:beat"  # holds when timers were last seen to, and when nobody did
LAYOUT = "giornale:layout"  # holds which indexes the journal has
ORDER = ("giornale:{log}:order", "giornale:{log}:state")  # as decide.lua describes them
LOG = "log"  # stands for a match where the log's news are published and followed
HEADS = "giornale:{p*}:match:*:head"  # a pattern for SCAN

# How the keys of a match end. That of the metadata's fields is older than its name here: stored
# names stay.
COMMITS = "commits"
HEAD = "head"
IDS = "ids"
FIELDS = "aside"
TOMBSTONE = "deleted"
SNAPSHOT = "snapshot"
THOUGHTS = "thoughts"


def partition_of(match_id: str, partitions: int) -> int:
    """Return the partition of a match: CRC-32 of its id, modulo the number of partitions."""
    return zlib.crc32(match_id.encode()) % partitions


def probe_beside(key: str) -> str:
    """Return the key in the slot of another key that is written for replicas to confirm."""
    tag, _, _ = key.partition("}")
    return f"{tag}}}:{_OF_PARTITION}"


def beside_head(head: str) -> tuple[str, list[str]]:
    """Return the match of a head's key, and the keys of index.lua for it in their order."""
    root, _, rest = head.partition(":match:")
    match = rest.removesuffix(f":{HEAD}")
    return match, [head, f"{root}:listing", f"{root}:idle"]


class Keys:
    """The names of all keys of a journal with a number of partitions.

    A partition is written in hex, as wide as the largest. `roots` holds how the keys of each
    partition begin. `pending`, `feed`, `begun`, `trimmed`, `listing`, `idle` and `archived` are a
    key for each partition; so are `timers`, and `probe`, which nothing reads. `late` is three:
    since when each match waits that was claimed or has failed, when to look at it again, and how it
    has failed.

    sharded: the partitions are spread over the masters of a cluster.
    """

    def __init__(self, partitions: int, *, sharded: bool = False) -> None:
        self.partitions = partitions
        self._sharded = sharded
        width = len(f"{partitions - 1:x}")
        self.roots = [f"giornale:{{p{partition:0{width}x}}}" for partition in range(partitions)]

        self.pending = [f"{root}:pending" for root in self.roots]
        self.feed = [f"{root}:feed" for root in self.roots]
        self.begun = [f"{root}:begun" for root in self.roots]
        self.trimmed = [f"{root}:trimmed" for root in self.roots]
        self.listing = [f"{root}:listing" for root in self.roots]
        self.idle = [f"{root}:idle" for root in self.roots]
        self.probe = [f"{root}:{_OF_PARTITION}" for root in self.roots]
        self.archived = [f"{root}:archived" for root in self.roots]
        self.late = [(f"{root}:late", f"{root}:again", f"{root}:failing") for root in self.roots]
        self.timers = [f"{root}:timers" for root in self.roots]

    def partition_of(self, match_id: str) -> int:
        """Return the partition of a match."""
        return partition_of(match_id, self.partitions)

    def of(self, match_id: str, part: str) -> str:
        """Return the key of one part of a match, such as COMMITS."""
        partition = partition_of(match_id, self.partitions)
        return f"{self.roots[partition]}:match:{match_id}:{part}"

    def channel(self, match_id: str) -> str:
        """Return the channel on which each new version of a match is published.

        In a cluster it carries the tag of the match's partition, so that the node that holds the
        match publishes it to its own subscribers alone (sharded pub/sub).
        """
        if not self._sharded:
            return f"giornale:wake:{match_id}"
        if match_id == LOG:
            return "giornale:{log}:wake"
        return f"{self.roots[self.partition_of(match_id)]}:wake:{match_id}"

    def of_append(self, match_id: str) -> list[str]:
        """Return the keys that an append may touch, in the order of append.lua."""
        partition = partition_of(match_id, self.partitions)
        start = f"{self.roots[partition]}:match:{match_id}"
        return [
            f"{start}:{COMMITS}",
            f"{start}:{HEAD}",
            f"{start}:{IDS}",
            f"{start}:{FIELDS}",
            f"{start}:{TOMBSTONE}",
            self.pending[partition],
            self.feed[partition],
            self.listing[partition],
            self.idle[partition],
            *self.late[partition],
            f"{start}:{THOUGHTS}",
            self.timers[partition],
        ]

    def of_metadata(self, match_id: str) -> list[str]:
        """Return the keys of a match's head, command ids, fields, tombstone and thoughts."""
        return [self.of(match_id, part) for part in (HEAD, IDS, FIELDS, TOMBSTONE, THOUGHTS)]

    def of_tombstone(self, match_id: str) -> list[str]:
        """Return the keys that tombstone.lua touches, in its order."""
        feed = self.feed[self.partition_of(match_id)]
        return [self.of(match_id, HEAD), self.of(match_id, TOMBSTONE), feed]

    def of_deletion(self, match_id: str) -> list[str]:
        """Return the keys that delete.lua touches, in its order."""
        partition = self.partition_of(match_id)
        parts = (COMMITS, HEAD, IDS, FIELDS, TOMBSTONE, SNAPSHOT)
        return [
            *(self.of(match_id, part) for part in parts),
            self.pending[partition],
            self.listing[partition],
            self.idle[partition],
            *self.late[partition],
            self.archived[partition],
            self.of(match_id, THOUGHTS),
            self.timers[partition],
        ]

    def of_archived(self, match_id: str) -> str:
        """Return the key of the markers of a match's partition."""
        return self.archived[self.partition_of(match_id)]

    def of_archiving(self, match_id: str) -> list[str]:
        """Return the keys that archive.lua touches, in its order; unarchive.lua takes the same."""
        partition = self.partition_of(match_id)
        parts = (COMMITS, HEAD, IDS, SNAPSHOT)
        return [
            *(self.of(match_id, part) for part in parts),
            self.archived[partition],
            self.idle[partition],
            self.of(match_id, THOUGHTS),
        ]

    def of_failure(self, match_id: str) -> list[str]:
        """Return the keys that fail.lua touches, in its order; the first is the head."""
        partition = self.partition_of(match_id)
        return [self.of(match_id, HEAD), self.pending[partition], *self.late[partition]]
