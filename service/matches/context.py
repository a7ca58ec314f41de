"""What every use case works with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.journal.port import Journal
from service.matches.cache import Shelf

if TYPE_CHECKING:
    from service.keys.signer import Signer

MATCHES_REMEMBERED = 512
CHECKPOINTS_REMEMBERED = 1024


@dataclass(frozen=True, slots=True)
class Context:
    """The parts that a process opens once.

    journal: where commits lie.   secret: the server's own 32 bytes.
    clock: returns milliseconds since the epoch.
    wake(match, version, work): tells the workers that a match waits for the "house", for "bots", or
    for "exhibition", the bots among whom no human sits, or that it has failed and is to be tried
    again, for "retry"; never raises.
    allow_seed: whether an opening may name the seed of all draws.
    signer: writes receipts; None: there are none.
    shelf: matches at their heads, by id.   past: matches at earlier versions, by "ID@VERSION".
    holders: tokens' fields of the sidecar, and whose they were when last looked up.
    epoch: the id of the journal's epoch when it was last looked at, alone in the list; [] before.
    exhibitions: how many matches may wait for bots when another one of bots alone begins; 0: any.
    unhurried: how many matches may wait for bots before each bot thinks less; 0: any.
    """

    journal: Journal
    secret: bytes
    clock: Callable[[], int]
    wake: Callable[[str, int, str], None]
    allow_seed: bool = False
    signer: "Signer | None" = None
    shelf: Shelf = field(default_factory=lambda: Shelf(MATCHES_REMEMBERED))
    past: Shelf = field(default_factory=lambda: Shelf(CHECKPOINTS_REMEMBERED))
    holders: dict[str, str] = field(default_factory=dict)
    epoch: list[str] = field(default_factory=list)
    exhibitions: int = 0
    unhurried: int = 0

    def forget(self) -> None:
        """Forget all that is remembered of matches: the journal has become another one."""
        self.shelf.clear()
        self.past.clear()
        self.holders.clear()
