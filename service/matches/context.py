"""Context: the parts for every use case, and the cache of one process for matches and tokens.

The cache only saves time. Before an answer depends on a cached match or token, the journal confirms
the cached value: by the hash of a commit, or by the append that follows. The cache is bounded.
Threads share the cache, since no cached value is ever changed.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from service.record.replay import Loaded
from service.store.journal.ports import Journal

if TYPE_CHECKING:
    from service.store.keys.signer import Signer
    from service.store.tlog.log import Log
    from service.store.tlog.ratings import Ratings

MATCHES = 512
CHECKPOINTS = 1024
TOKENS = 10_000
RULES = 10_000
CHECKPOINT_EVERY = 50

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LRUCache(Generic[K, V]):
    """The most recently used values, at most `size` of them. Safe among threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, key: object) -> bool:
        """Return True if a key is cached."""
        return key in self._values

    def get(self, key: K) -> V | None:
        """Return the value of a key, None without one."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: K, value: V) -> None:
        """Cache a value, and evict the least recently used one if there are too many."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._size:
                self._values.popitem(last=False)

    def drop(self, key: K) -> None:
        """Evict the value of a key."""
        with self._lock:
            self._values.pop(key, None)

    def clear(self) -> None:
        """Evict all values."""
        with self._lock:
            self._values.clear()


class MatchCache:
    """Cached matches at heads and checkpoints, their rules, holders of tokens, and the generation.

    heads: matches at their last known heads, by id. The journal may have later commits.
    checkpoints: matches at multiples of `checkpoint_every` versions, by id and version.
    rules: rules versions of matches, by id.
    unknown_rules: the name of a match's rules if they are unknown here, else "", by id.
    holders: last known holders of tokens, by their metadata fields.
    generation: id of the journal's generation as last read, "" without one.
    lost_generation: True while the journal has no generation, and had one before.
    foreign: rules in the journal that are unknown here. Valid until `foreign_until`, a time of
        `monotonic`.
    damaged: damaged heads in the journal. Valid until `damaged_until`.
    """

    def __init__(self, matches: int = MATCHES, checkpoint_every: int = CHECKPOINT_EVERY) -> None:
        """Make an empty cache. matches: most matches at their heads."""
        self.heads: LRUCache[str, Loaded] = LRUCache(matches)
        self.checkpoints: LRUCache[tuple[str, int], Loaded] = LRUCache(CHECKPOINTS)
        self.rules: LRUCache[str, str] = LRUCache(RULES)
        self.unknown_rules: LRUCache[str, str] = LRUCache(RULES)
        self.holders: LRUCache[str, str] = LRUCache(TOKENS)
        self.checkpoint_every = checkpoint_every
        self.generation = ""
        self.lost_generation = False
        self.foreign = ""
        self.foreign_until = 0.0
        self.damaged = ""
        self.damaged_until = 0.0

    def get(self, match_id: str, version: int, commit_hash: str) -> Loaded | None:
        """Return the cached match with this version and commit hash, None without one."""
        loaded = self.heads.get(match_id)
        if loaded is None or loaded.version != version:
            loaded = self.checkpoints.get((match_id, version))
        return loaded if loaded is not None and loaded.hash == commit_hash else None

    def checkpoint_before(self, match_id: str, version: int) -> Loaded | None:
        """Return the last cached checkpoint up to a version, None without any.

        The checkpoint may belong to another stream, if the journal has gone back since.
        """
        every = self.checkpoint_every
        latest = version - version % every
        for checkpoint in range(latest, 0, -every):
            loaded = self.checkpoints.get((match_id, checkpoint))
            if loaded is not None:
                return loaded
        return None

    def put(self, loaded: Loaded) -> None:
        """Cache a match at its head, unless this or a later version of it is cached."""
        cached = self.heads.get(loaded.id)
        if cached is None or cached.version < loaded.version:
            self.heads.put(loaded.id, loaded)

    def forget(self) -> None:
        """Evict all values: the journal has gone back, or has become another one."""
        self.heads.clear()
        self.checkpoints.clear()
        self.rules.clear()
        self.unknown_rules.clear()
        self.holders.clear()
        self.foreign_until = 0.0
        self.damaged_until = 0.0


@dataclass(frozen=True, slots=True)
class Context:
    """The parts that a process opens once.

    journal: the store of commits.   secret: the server's own 32 bytes.
    clock: returns milliseconds since the epoch.
    enqueue(match, version, awaiting): enqueues a job for the next work on a match. `awaiting` is
    "house", "bots", "exhibition" (bots of a bots-only match), or "retry" after a failure. A queue
    that is down raises nothing.
    allow_seed: True if an opening may name the seed of all draws.
    signer: signs receipts. None: there are none.
    log: the published order of all commits. None: there is none.
    ratings: of players, from the log. None: there is no log.
    cache: matches and tokens cached by this process.
    exhibitions: a bots-only match begins only if fewer matches than this wait for the house or for
        bots. 0: always.
    silence_ms: time without a commit before the owner may replace a seat of a running match without
        a clock (M8).
    unhurried: if more jobs than this wait in the queue for bots, or for advice, searching
        bots think less. 0: never.
    """

    journal: Journal
    secret: bytes
    clock: Callable[[], int]
    enqueue: Callable[[str, int, str], None]
    allow_seed: bool = False
    signer: "Signer | None" = None
    log: "Log | None" = None
    ratings: "Ratings | None" = None
    cache: MatchCache = field(default_factory=MatchCache)
    exhibitions: int = 0
    silence_ms: int = 0
    unhurried: int = 0
