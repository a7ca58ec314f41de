"""The journal: eight small ports over one store of matches, a file for each.

The store in memory and Redis implement the ports under the same file names, and one suite of tests
runs for both. Times are milliseconds since the epoch.
"""

from collections.abc import Callable
from dataclasses import dataclass

from service.store.journal.ports.events import EventsPort
from service.store.journal.ports.index import IndexPort
from service.store.journal.ports.lifecycle import LifecyclePort
from service.store.journal.ports.metadata import MetadataPort
from service.store.journal.ports.order import OrderPort
from service.store.journal.ports.pending import PendingPort
from service.store.journal.ports.server import ServerPort
from service.store.journal.ports.timers import TimersPort


def _nothing() -> None:
    """Close nothing."""


@dataclass(frozen=True, slots=True)
class Journal:
    """Streams of commits, one a match: version n is the nth commit.

    close: closes all connections.
    """

    events: EventsPort
    index: IndexPort
    pending: PendingPort
    timers: TimersPort
    metadata: MetadataPort
    lifecycle: LifecyclePort
    order: OrderPort
    server: ServerPort
    close: Callable[[], None] = _nothing
