"""The ports of a journal: their methods by name, and ports that stand before others."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, cast

from service.journal import port
from service.journal.port import Journal
from service.journal.redis.store import Store

PORTS = {
    "events": port.EventsPort,
    "index": port.IndexPort,
    "pending": port.PendingPort,
    "metadata": port.MetadataPort,
    "lifecycle": port.LifecyclePort,
    "server": port.ServerPort,
}
METHODS = [
    f"{name}.{method}"
    for name, protocol in PORTS.items()
    for method in vars(protocol)
    if not method.startswith("_")
]
assert [*PORTS, "close"] == [field.name for field in fields(Journal)]


def store_of(journal: Journal) -> Store:
    """Return the store of a journal in Redis."""
    server: Any = journal.server
    store: Store = server._store
    return store


class Over:
    """A port over another one, which does whatever a subclass does not define."""

    def __init__(self, below: object) -> None:
        self.below: Any = below

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


# Takes the name of a method, such as events.append, and its arguments.
Call = Callable[..., Any]


class _Calls:
    """A port of which every method is one call."""

    def __init__(self, name: str, call: Call) -> None:
        self._name = name
        self._call = call

    def __getattr__(self, name: str) -> Any:
        def method(*arguments: Any, **named: Any) -> Any:
            return self._call(f"{self._name}.{name}", *arguments, **named)

        setattr(self, name, method)
        return method


def journal_of_calls(call: Call) -> Journal:
    """Return a journal of which every method of every port is one call."""
    return Journal(**{name: cast("Any", _Calls(name, call)) for name in PORTS})
