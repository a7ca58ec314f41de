"""Names of the keys and channels in Redis.

Every key of a match carries the hash tag of the match's partition. So all keys of the match lie in
one slot of a Redis Cluster.
"""

import zlib

PARTITIONS = "giornale:partitions"  # number of partitions, set once
PROBE = "giornale:probe"  # written to test the server for writes
_OF_PARTITION = "probe"  # a key of each partition, to test its server and to wait for its replicas
GENERATION = "giornale:epoch"  # the generation of the journal
BEAT = "giornale:beat"  # the last beat, the gaps and the set-backs
LAYOUT = "giornale:layout"  # number of the layout of the keys
ORDER = ("giornale:{log}:order", "giornale:{log}:state")  # as decide.lua describes them
LOG = "log"  # takes the place of a match in the channel of the log
HEADS = "giornale:{p*}:match:*:head"  # a pattern for SCAN

# Last parts of the keys of a match.
COMMITS = "commits"
HEAD = "head"
IDS = "ids"
FIELDS = "aside"  # the metadata; stored under its former name
TOMBSTONE = "deleted"
SNAPSHOT = "snapshot"
THOUGHTS = "thoughts"


def partition_of(match_id: str, partitions: int) -> int:
    """Return the partition of a match: CRC-32 of its id, modulo the number of partitions."""
    return zlib.crc32(match_id.encode()) % partitions


def probe_beside(key: str) -> str:
    """Return the probe in the slot of a key. Replicas that have it have earlier writes too."""
    tag, _, _ = key.partition("}")
    return f"{tag}}}:{_OF_PARTITION}"


def beside_head(head: str) -> tuple[str, list[str]]:
    """Return the match of a head's key, and its keys for index.lua in their order."""
    root, _, rest = head.partition(":match:")
    match = rest.removesuffix(f":{HEAD}")
    return match, [head, f"{root}:listing", f"{root}:idle"]


class Keys:
    """The names of the keys of a journal with a number of partitions.

    Each list has one entry for each partition. An entry of `roots` is the beginning of all keys of
    a partition, with its number in hex. An entry of `late` has three keys: :late, :again and
    :failing. The comments of the scripts describe the keys. claim.lua and timers.lua have one key
    more, for their last answers.

    sharded: True if the partitions are spread over the masters of a cluster.
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
        """Return the channel for new versions of a match.

        In a cluster the channel has the hash tag of the match's partition. So the node of the match
        publishes to its own subscribers alone (sharded pub/sub).
        """
        if not self._sharded:
            return f"giornale:wake:{match_id}"
        if match_id == LOG:
            return "giornale:{log}:wake"
        return f"{self.roots[self.partition_of(match_id)]}:wake:{match_id}"

    def of_append(self, match_id: str) -> list[str]:
        """Return the keys of append.lua, in its order."""
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
        """Return the keys of tombstone.lua, in its order."""
        feed = self.feed[self.partition_of(match_id)]
        return [self.of(match_id, HEAD), self.of(match_id, TOMBSTONE), feed]

    def of_deletion(self, match_id: str) -> list[str]:
        """Return the keys of delete.lua, in its order."""
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
        """Return the keys of archive.lua and unarchive.lua, in their order."""
        partition = self.partition_of(match_id)
        parts = (COMMITS, HEAD, IDS, SNAPSHOT)
        return [
            *(self.of(match_id, part) for part in parts),
            self.archived[partition],
            self.idle[partition],
            self.of(match_id, THOUGHTS),
        ]

    def of_failure(self, match_id: str) -> list[str]:
        """Return the keys of fail.lua and rouse.lua, in their order. The first is the head."""
        partition = self.partition_of(match_id)
        return [self.of(match_id, HEAD), self.pending[partition], *self.late[partition]]
