"""Context: what every use case works with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.journal.port import Journal
from service.matches.cache import MatchCache

if TYPE_CHECKING:
    from service.keys.signer import Signer


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
    cache: what this process remembers of matches and tokens.
    exhibitions: how many matches may wait for bots when another bots-only match begins; 0: any.
    unhurried: how many matches may wait for bots before each bot thinks less; 0: any.
    """

    journal: Journal
    secret: bytes
    clock: Callable[[], int]
    enqueue: Callable[[str, int, str], None]
    allow_seed: bool = False
    signer: "Signer | None" = None
    cache: MatchCache = field(default_factory=MatchCache)
    exhibitions: int = 0
    unhurried: int = 0
