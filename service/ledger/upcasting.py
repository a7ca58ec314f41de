"""Events as today's code knows them, made of stored ones that may be older.

An event's stored bytes never change. Where its tag or its fields got new names, a function in
UPCASTERS brings the old JSON into newer terms, step by step.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from domain import wire
from domain.games import RULES
from domain.match import messages
from domain.wire.trusted import Loader, loaders
from service.ledger.canonical import Json

# Old event tags and how they are read today: each function returns an event in newer terms. Never
# remove one.
UPCASTERS: dict[str, Callable[[Json], Json]] = {}


def upcast(event: Json) -> Json:
    """Return an event's JSON in today's terms."""
    while event["type"] in UPCASTERS:
        step = UPCASTERS[event["type"]]
        event = step(event)
    return event


@cache
def commands_of(rules: str) -> Mapping[str, type]:
    """Return the classes of all commands that a match by these rules knows, by tag."""
    return wire.merge(messages.COMMANDS, RULES[rules].commands)


@cache
def events_of(rules: str) -> Mapping[str, type]:
    """Return the classes of all events that a match by these rules knows, by tag."""
    return wire.merge(messages.EVENTS, RULES[rules].events)


class Readers(dict[str, Loader]):
    """A function by tag that makes today's event of a stored one.

    An old tag, not in the table, is upcast first.
    """

    def __missing__(self, tag: str) -> Loader:
        if tag not in UPCASTERS:
            raise KeyError(tag)

        def read_old(old: Mapping[str, Any]) -> Any:
            event = upcast(dict(old))
            return self[event["type"]](event)

        return read_old


@cache
def readers_of(rules: str) -> Readers:
    """Return the readers of a match's events by these rules; they trust what they read."""
    return Readers(loaders(events_of(rules)))
