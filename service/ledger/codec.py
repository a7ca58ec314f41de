"""A commit as bytes and back: canonical JSON, the hash chain, secret parts, old wire names.

One entry is `{"commit":CONTENT,"hash":HEX,"secrets":{...}}`. CONTENT is canonical JSON (RFC 8785; Giornale writes no
fractions) of the public part, `secrets` in it being the digests of the secret parts, `prev` the predecessor's hash and
`view` the digest of the public view after the commit. The hash is SHA-256 of CONTENT's bytes. A secret part is a JSON
object with its own salt, kept outside CONTENT under its audience ("seat:1", "house"); its digest is SHA-256 of its
canonical bytes. So a commit verifies with any of its secret parts left out.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from domain import wire
from domain.games import RULES
from domain.match import messages
from domain.seats import HOUSE_ACTOR, seat_actor
from domain.wire.trusted import Loader, loaders

Json = dict[str, Any]

# Old event tags and how they are read today: each function returns an event in newer terms. Never remove one.
UPCASTERS: dict[str, Callable[[Json], Json]] = {}


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, decoded. `command` and `events` are messages; `time` is RFC 3339 in UTC with milliseconds."""

    match: str
    version: int
    time: str
    actor: str
    command: Any
    events: tuple[Any, ...]
    prev: str
    hash: str
    view: str


@dataclass(frozen=True, slots=True)
class Written:
    """What `write` made: the entry's bytes, its hash, and the JSON of its public content and secret parts."""

    data: bytes
    hash: str
    content: Json
    secrets: Mapping[str, Json]


def canonical(value: Any) -> bytes:
    """Return JSON values as canonical bytes (RFC 8785, for strings, whole numbers, booleans, lists and objects)."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical bytes, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def salt(secret: bytes, version: int, audience: str) -> str:
    """Return the salt of a secret part: HMAC-SHA-256 keyed with the match's secret, over "salt|VERSION|AUDIENCE"."""
    return hmac.digest(secret, f"salt|{version}|{audience}".encode(), "sha256").hex()


def write(
    match: str, version: int, time: str, actor: str, command: Any, events: Sequence[Any], *,
    prev: str, view: str, secret: bytes,
) -> Written:  # fmt: skip
    """Return one commit as an entry; `secret` (32 bytes) salts the secret parts."""
    public, parts = split(command, events)
    for audience, part in parts.items():
        part["salt"] = salt(secret, version, audience)
    content: Json = {
        "match": match, "version": version, "time": time, "actor": actor, **public, "prev": prev, "view": view,
        "secrets": {audience: digest(part) for audience, part in parts.items()},
    }  # fmt: skip
    body = canonical(content)
    number = hashlib.sha256(body).hexdigest()
    return Written(joined(body, number, parts), number, content, parts)


def joined(body: bytes, number: Any, parts: Any) -> bytes:
    """Return the canonical bytes of an entry from its CONTENT's, its hash and its secret parts."""
    return b'{"commit":%s,"hash":%s,"secrets":%s}' % (body, canonical(number), canonical(parts))


def split(command: Any, events: Sequence[Any]) -> tuple[Json, dict[str, Json]]:
    """Return the public JSON of a command and its events, and the secret parts by audience."""
    parts: dict[str, Json] = {}

    def public(message: Any, place: str) -> Json:
        result = wire.encode(message)
        cls: Any = type(message)
        for name, audience in wire.secret_fields(cls):
            if name in result:
                owner = HOUSE_ACTOR if audience == "house" else seat_actor(message.seat)
                parts.setdefault(owner, {}).setdefault(place, {})[name] = result.pop(name)
        return result

    return {
        "command": public(command, "command"),
        "events": [public(event, str(index)) for index, event in enumerate(events)],
    }, parts


def parse(data: bytes) -> Json:
    """Return an entry's JSON as stored: commit, hash, secrets."""
    entry: Json = orjson.loads(data)
    return entry


def opened(entry: Json, audiences: Sequence[str] | None = None) -> tuple[Json, list[Json]]:
    """Return command and events with the secret parts of the audiences (None: all) put back in their places."""
    commit, secrets = entry["commit"], entry["secrets"]
    command: Json = dict(commit["command"])
    events: list[Json] = (
        [dict(event) for event in commit["events"]] if secrets else commit["events"]
    )
    for audience, part in secrets.items():
        if audiences is None or audience in audiences:
            for place, fields in part.items():
                if place == "command":
                    command.update(fields)
                elif place != "salt":
                    events[int(place)].update(fields)
    return command, events


def rules_of(first: Json) -> str:
    """Return the rules version that a match's first entry names."""
    rules: str = first["commit"]["events"][0]["rules"]
    return rules


def decode(entry: Json, rules: str) -> Commit:
    """Return a parsed, unredacted entry as a Commit; raises domain.errors.BadMessage where it cannot be read."""
    events = _tables(rules)[1]
    return _commit(entry, rules, lambda event: wire.decode(events, upcast(event)))


def decode_for_decision(entry: Json, rules: str) -> Commit:
    """Return a parsed, unredacted entry as a Commit, its events trusted: they will be compared with what is decided."""
    readers = _readers(rules)
    return _commit(entry, rules, lambda event: readers[event["type"]](event))


def _commit(entry: Json, rules: str, read: Callable[[Json], Any]) -> Commit:
    command, happened = opened(entry)
    commit = entry["commit"]
    return Commit(
        commit["match"], commit["version"], commit["time"], commit["actor"], wire.decode(_tables(rules)[0], command),
        tuple(map(read, happened)), commit["prev"], entry["hash"], commit["view"],
    )  # fmt: skip


def decode_events(entries: Iterable[Json], rules: str) -> list[Any]:
    """Return the events alone of parsed, unredacted entries, trusting what was once appended: all that replay needs."""
    readers = _readers(rules)
    return [
        readers[event["type"]](event)
        for entry in entries
        for event in (opened(entry)[1] if entry["secrets"] else entry["commit"]["events"])
    ]


def parse_all(entries: Sequence[bytes]) -> list[Json]:
    """Return many entries' JSON at once."""
    parsed: list[Json] = orjson.loads(b"[" + b",".join(entries) + b"]")
    return parsed


def upcast(event: Json) -> Json:
    """Return an event in today's terms."""
    while (step := UPCASTERS.get(event["type"])) is not None:
        event = step(event)
    return event


class _Readers(dict[str, Loader]):
    """A function by tag that makes today's event of a stored one; an old tag, not in the table, is upcast first."""

    def __missing__(self, tag: str) -> Loader:
        if tag not in UPCASTERS:
            raise KeyError(tag)
        return lambda old: self[(event := upcast(dict(old)))["type"]](event)


@cache
def _readers(rules: str) -> _Readers:
    return _Readers(loaders(_tables(rules)[1]))


@cache
def _tables(rules: str) -> tuple[Mapping[str, type], Mapping[str, type]]:
    game = RULES[rules]
    return wire.merge(messages.COMMANDS, game.commands), wire.merge(messages.EVENTS, game.events)
