"""Context: what every use case works with, and what one process remembers of matches and tokens.

The journal stays the truth. All that is remembered is bounded, and nothing of it is ever changed,
so threads share it. It only saves time: before an answer depends on it the journal confirms it, by
the hash of the commit that made the version, or by the append that follows.
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
    """The values that were used last, at most `size` of them; safe among threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, key: object) -> bool:
        """Return whether a key is remembered."""
        return key in self._values

    def get(self, key: K) -> V | None:
        """Return the value of a key, None without one."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: K, value: V) -> None:
        """Remember a value; the one that was used longest ago makes room."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._size:
                self._values.popitem(last=False)

    def drop(self, key: K) -> None:
        """Forget the value of a key."""
        with self._lock:
            self._values.pop(key, None)

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._values.clear()


class MatchCache:
    """Matches at their heads and at checkpoints, their rules, holders of tokens, the generation.

    heads: matches as they were when last seen, by id; they may have moved on since.
    checkpoints: matches at multiples of `checkpoint_every` versions, by id and version.
    rules: the versions of the rules of matches, by id.
    unknown_rules: names of rules of matches that are unknown here, "" if all are known, by id.
    holders: whose a token was when last seen, by the field that names it in a match's metadata.
    generation: the id of the journal's generation when it was last looked at, "" without one.
    lost_generation: True while the journal has no generation, and had one before.
    foreign: which rules in the journal are unknown here, until a time of `monotonic`.
    damaged: which heads in the journal are damaged, until a time of `monotonic`.
    """

    def __init__(self, matches: int = MATCHES, checkpoint_every: int = CHECKPOINT_EVERY) -> None:
        """Remember at most so many matches at their heads."""
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
        """Return a match at a version whose commit has this hash in the stream, None without it."""
        loaded = self.heads.get(match_id)
        if loaded is None or loaded.version != version:
            loaded = self.checkpoints.get((match_id, version))
        return loaded if loaded is not None and loaded.hash == commit_hash else None

    def checkpoint_before(self, match_id: str, version: int) -> Loaded | None:
        """Return the last checkpoint that is not after a version, None without any.

        The stream may have become another one since.
        """
        every = self.checkpoint_every
        latest = version - version % every
        for checkpoint in range(latest, 0, -every):
            loaded = self.checkpoints.get((match_id, checkpoint))
            if loaded is not None:
                return loaded
        return None

    def put(self, loaded: Loaded) -> None:
        """Remember a match at its head, unless a later version of it is remembered."""
        known = self.heads.get(loaded.id)
        if known is None or known.version < loaded.version:
            self.heads.put(loaded.id, loaded)

    def forget(self) -> None:
        """Forget all matches and tokens: the journal has become another one."""
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

    journal: where commits lie.   secret: the server's own 32 bytes.
    clock: returns milliseconds since the epoch.
    enqueue(match, version, awaiting): has workers do what a match awaits: the "house", "bots", or
    "exhibition" (bots among whom no human sits); "retry" where that has failed before. It never
    raises.
    allow_seed: whether an opening may name the seed of all draws.
    signer: signs receipts; None: there are none.
    log: the order of all commits, as far as it is published; None: there is none.
    ratings: what follows from the log for players; None: there is no log.
    cache: what this process remembers of matches and tokens.
    exhibitions: how many matches may wait for bots when another bots-only match begins; 0: any.
    silence_ms: time without a commit before the owner may replace a seat of a running match (M8).
    unhurried: how many matches may wait for bots before each bot thinks less; 0: any.
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
