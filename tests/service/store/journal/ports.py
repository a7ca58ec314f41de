"""The ports of a journal: their methods by name, and ports in front of others."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, cast

from service.store.journal.ports import Journal
from service.store.journal.ports.events import EventsPort
from service.store.journal.ports.index import IndexPort
from service.store.journal.ports.lifecycle import LifecyclePort
from service.store.journal.ports.metadata import MetadataPort
from service.store.journal.ports.order import OrderPort
from service.store.journal.ports.pending import PendingPort
from service.store.journal.ports.server import ServerPort
from service.store.journal.ports.timers import TimersPort
from service.store.journal.redis.store import RedisStore
from service.store.journal.values import (
    Cursor,
    Generation,
    Last,
    Marker,
    Order,
    Timer,
    Tombstone,
    Whole,
)
from tests.service.store.journal.entries import entry

PORTS = {
    "events": EventsPort,
    "index": IndexPort,
    "pending": PendingPort,
    "timers": TimersPort,
    "metadata": MetadataPort,
    "lifecycle": LifecyclePort,
    "order": OrderPort,
    "server": ServerPort,
}
METHODS = [
    f"{name}.{method}"
    for name, protocol in PORTS.items()
    for method in vars(protocol)
    if not method.startswith("_")
]
assert [*PORTS, "close"] == [field.name for field in fields(Journal)]


def store_of(journal: Journal) -> RedisStore:
    """Return the store of a journal in Redis."""
    server: Any = journal.server
    store: RedisStore = server._store
    return store


class Over:
    """A port over another one. It passes on everything a subclass does not define."""

    def __init__(self, below: object) -> None:
        self.below: Any = below

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


# Takes the name of a method, such as events.append, and its arguments.
Call = Callable[..., Any]


class _Calls:
    """A port with one call for all methods."""

    def __init__(self, name: str, call: Call) -> None:
        self._name = name
        self._call = call

    def __getattr__(self, name: str) -> Any:
        def method(*arguments: Any, **keywords: Any) -> Any:
            return self._call(f"{self._name}.{name}", *arguments, **keywords)

        setattr(self, name, method)
        return method


def journal_of_calls(call: Call) -> Journal:
    """Return a journal with ports whose methods are all one call."""
    return Journal(**{name: cast("Any", _Calls(name, call)) for name in PORTS})


# Arguments for every method of every port on an empty journal.
MARKER = Marker(sha256="ab", size=1, commits=1, stored=1, at=1)
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "events.append": (entry(),),
    "events.restore": ([entry()],),
    "events.version_made": ("m", "c", "f"),
    "events.read": ("m",),
    "events.tail": ("m", 0, "x"),
    "events.head": ("m",),
    "events.heads": (["m"],),
    "events.overview": ("m", ["x"]),
    "events.overviews": ([("m", ["x"])],),
    "events.feed": (0, "", 1),
    "events.feed_ends": ({},),
    "events.matches": (),
    "events.commit_count": (),
    "index.listing": ("", None, 1),
    "index.listed_counts": (),
    "index.written": (),
    "index.idle": (1, 1),
    "index.look_again": ({"m": 1},),
    "pending.due": (1, 1),
    "pending.totals": (),
    "pending.claim": (1, 1, 1),
    "pending.fail": ("m", "ValueError", [1]),
    "pending.free": ("m",),
    "pending.rouse": ("m",),
    "pending.forget": (["m"],),
    "timers.beat": (1, 1),
    "timers.set_backs": (),
    "timers.time": (),
    "timers.claim": ({"clock": 1, "hook": 1}, 1),
    "timers.settle": (Timer("clock", "m", 1, 1), None),
    "timers.ring": ("hook", "m"),
    "metadata.field": ("m", "x"),
    "metadata.fields": ("m",),
    "metadata.put": ("m", {"x": "y"}),
    "metadata.put_if_missing": ("m", "x", "y"),
    "metadata.dump": ("m",),
    "metadata.thoughts": ("m",),
    "metadata.snapshot": ("m",),
    "metadata.put_snapshot": ("m", b""),
    "lifecycle.delete": ("m", Tombstone(1, "ada")),
    "lifecycle.deleted": ("m",),
    "lifecycle.put_tombstone": ("m", Tombstone(1, "ada")),
    "lifecycle.archive": ("m", MARKER, Last("h", ids=0)),
    "lifecycle.unarchive": ("m", MARKER, Whole([b"c"], {})),
    "lifecycle.archived": ("m",),
    "lifecycle.all_archived": (),
    "lifecycle.generation": (),
    "lifecycle.replace_generation": (None, Generation("e", since=1)),
    "order.state": (),
    "order.settled": (),
    "order.news": ({0: Cursor("1", "m", 1)}, 1),
    "order.decide": (Order(), [b"line"], {}, ""),
    "order.decided": (0, 1),
    "order.publish": (0, [], "key", b"note"),
    "order.adopt": (0, 0, Order(), []),
    "order.cosign": (0, b"note"),
    "order.trim": (0, Cursor("2", "m", 1), 0, 1),
    "order.report": ("",),
    "server.memory": (),
    "server.check": (),
    "server.upgrade": (),
    "server.ping": (),
}
assert set(ARGUMENTS) == set(METHODS), "every method of the ports is in the table"


def ask(journal: Journal, name: str) -> object:
    """Call a method, such as "events.read", with the arguments above.

    Return the first item of an iterator.
    """
    port_name, method = name.split(".")
    answer = getattr(getattr(journal, port_name), method)(*ARGUMENTS[name])
    return next(answer, None) if isinstance(answer, Iterator) else answer
