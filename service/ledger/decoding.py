"""From stored commits to messages.

What comes from outside is read strictly, what this service has appended is read fast.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from domain import wire
from service.ledger.canonical import Json
from service.ledger.commit import Commit, StoredCommit
from service.ledger.secrets import put_back
from service.ledger.upcasting import commands_of, events_of, readers_of, upcast


def decode(stored: StoredCommit, rules: str) -> Commit:
    """Return an unredacted commit decoded.

    Raises domain.errors.BadMessage where it cannot be read.
    """
    known = events_of(rules)
    return _decoded(stored, rules, lambda event: wire.decode(known, upcast(event)))


def decode_for_decision(stored: StoredCommit, rules: str) -> Commit:
    """Return an unredacted commit decoded, its events trusted.

    They will be compared with what is decided.
    """
    readers = readers_of(rules)
    return _decoded(stored, rules, lambda event: readers[event["type"]](event))


def decode_events(commits: Iterable[StoredCommit], rules: str) -> list[Any]:
    """Return the events alone of unredacted commits, trusting what was once appended."""
    return read_events([put_back(stored)[1] for stored in commits], rules)


def read_events(event_lists: Iterable[Sequence[Json]], rules: str) -> list[Any]:
    """Return the events of commits in one list, trusting their JSON."""
    readers = readers_of(rules)
    return [readers[event["type"]](event) for events in event_lists for event in events]


def _decoded(stored: StoredCommit, rules: str, read_event: Callable[[Json], Any]) -> Commit:
    command, events = put_back(stored)
    content = stored["commit"]
    return Commit(
        match=content["match"],
        version=content["version"],
        time=content["time"],
        actor=content["actor"],
        command=wire.decode(commands_of(rules), command),
        events=tuple(map(read_event, events)),
        prev=content["prev"],
        hash=stored["hash"],
        view=content["view"],
    )
