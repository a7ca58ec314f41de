"""Commits, command ids and heads are read."""

from collections.abc import Sequence

from service.journal.keys import COMMITS, HEAD, IDS, SIDECAR
from service.journal.packing import (
    commits_in,
    present_fields,
    read_head,
    read_made,
    text_or_none,
)
from service.journal.redis import confirming
from service.journal.redis.connection import retries_once
from service.journal.redis.direct import Command
from service.journal.redis.store import Store
from service.journal.values import Head, Tail, made_by


@retries_once
def version_made(store: Store, match_id: str, command_id: str, fingerprint: str) -> int | None:
    """Return the version that a command id has made; raises KeyReused."""
    # The caller answers with this commit, so it is to last as if it were made now.
    packed = confirming.ask(store, match_id, "HGET", store.keys.of(match_id, IDS), command_id)
    if packed is None:
        return None

    return made_by({command_id: read_made(packed.decode())}, command_id, fingerprint)


@retries_once
def read(store: Store, match_id: str, after: int, limit: int | None) -> list[bytes]:
    """Return commits after a version."""
    [entries] = store.ask(_range_of(store.keys.of(match_id, COMMITS), after, limit))
    return commits_in(entries)


@retries_once
def tail(store: Store, match_id: str, after: int, field: str, limit: int | None) -> Tail:
    """Return commits after a version, one field of the sidecar and the head."""
    # The head comes first: commits made meanwhile may lead beyond it, none falls short of it.
    packed_head, entries, value = store.ask(
        ("GET", store.keys.of(match_id, HEAD)),
        _range_of(store.keys.of(match_id, COMMITS), after, limit),
        ("HGET", store.keys.of(match_id, SIDECAR), field),
    )
    return Tail(
        commits=commits_in(entries),
        value=text_or_none(value),
        head=read_head(packed_head),
    )


@retries_once
def heads(store: Store, matches: Sequence[str]) -> list[Head | None]:
    """Return the heads of many matches."""
    commands = [("GET", store.keys.of(match, HEAD)) for match in matches]
    return [read_head(packed) for packed in store.ask(*commands)]


@retries_once
def overviews(
    store: Store, asked: Sequence[tuple[str, Sequence[str]]]
) -> list[tuple[Head | None, dict[str, str]]]:
    """Return the heads of many matches, each with some fields of its sidecar."""
    commands: list[Command] = []
    for match, fields in asked:
        commands.append(("GET", store.keys.of(match, HEAD)))
        commands.append(("HMGET", store.keys.of(match, SIDECAR), *fields))
    answers = store.ask(*commands)

    # Each match has two answers, one after the other: its head and the values of its fields.
    found = []
    for number, (_, fields) in enumerate(asked):
        packed_head, values = answers[2 * number : 2 * number + 2]
        found.append((read_head(packed_head), present_fields(fields, values)))
    return found


def _range_of(stream: str, after: int, limit: int | None) -> Command:
    """Return the command that reads commits after a version."""
    span: Command = ("XRANGE", stream, _entry_id(after + 1), "+")
    return span if limit is None else (*span, "COUNT", limit)


def _entry_id(version: int) -> str:
    """Return the id that a version has in the stream."""
    return f"{version}-0"
