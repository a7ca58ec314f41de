"""Codec of stored commits: messages to JSON with separate secret parts, and back.

The stored bytes of an event never change. If the event's tag or fields got new names, functions in
UPCASTERS translate the old JSON into newer terms, step by step. Commits of this service's journal
are trusted and read fast. Commits from outside are read strictly (`decode`), or their events are
compared with those of a new decision (`decode_for_decision`).

Secret fields stand in parts of their own. A part is `{"salt":HEX,PLACE:{FIELD:VALUE}}`. PLACE is
"command" or the number of an event, "0" for the first. The part's audience is "house", or a seat
such as "seat:1". If a seat signs a command with hidden fields, the seat's part also holds the
signature (`service.record.signatures`).
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from domain import wire
from domain.errors import RulesUnknown
from domain.games import RULES
from domain.match import messages
from domain.match.state import Match
from domain.seats import HOUSE_ACTOR, seat_actor
from domain.wire import Message
from domain.wire.codec import Loader, loaders
from service.record.commit import Commit, Content, Json, StoredCommit, canonical, digest

# ---- reading -------------------------------------------------------------------------------------


def decode(stored: StoredCommit, rules: str) -> Commit:
    """Decode a commit strictly. Fields of missing secret parts are None.

    Raises domain.errors.BadMessage for unreadable messages.
    """
    classes = events_of(rules)
    return _decoded(stored, rules, lambda event: wire.decode(classes, upcast(event)))


def decode_for_decision(stored: StoredCommit, rules: str) -> Commit:
    """Decode a commit, trusting its events. The command is read strictly.

    The caller compares the events with those of a new decision. Events of a wrong form raise errors
    of many types.
    """
    readers = readers_of(rules)
    return _decoded(stored, rules, lambda event: readers[event["type"]](event))


def decode_events(commits: Iterable[StoredCommit], rules: str) -> list[Message]:
    """Return only the events of unredacted commits, trusting their stored JSON."""
    return read_events([put_back(stored)[1] for stored in commits], rules)


def read_events(event_lists: Iterable[Sequence[Json]], rules: str) -> list[Message]:
    """Return the events of several commits in one list, trusting their JSON."""
    readers = readers_of(rules)
    return [readers[event["type"]](event) for events in event_lists for event in events]


def _decoded(stored: StoredCommit, rules: str, read_event: Callable[[Json], Message]) -> Commit:
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


class Upcaster(NamedTuple):
    """One step from an old event to a newer one.

    newer: the tag of the newer event.   translate: returns the fields of the newer event.
    """

    newer: str
    translate: Callable[[Json], Json]


# Upcasters by old tag of an event. Never remove one, since stored events may need it.
UPCASTERS: dict[str, Upcaster] = {}


def upcast(event: Json) -> Json:
    """Return an event's JSON in today's terms."""
    while event["type"] in UPCASTERS:
        step = UPCASTERS[event["type"]]
        event = {"type": step.newer, **step.translate(event)}
    return event


@cache
def commands_of(rules: str) -> Mapping[str, type]:
    """Return the command classes of matches by these rules, by tag. Raises RulesUnknown."""
    return _with_own(rules, messages.COMMANDS, RULES[rules].commands)


@cache
def events_of(rules: str) -> Mapping[str, type]:
    """Return the event classes of matches by these rules, by tag. Raises RulesUnknown."""
    return _with_own(rules, messages.EVENTS, RULES[rules].events)


def _with_own(
    rules: str, of_match: Mapping[str, type[Message]], of_game: Mapping[str, type[Message]]
) -> Mapping[str, type[Message]]:
    """Return both tables as one. A game of strangers may have a tag of the match."""
    if of_match.keys() & of_game.keys():
        raise RulesUnknown(rules)
    return wire.merge(of_match, of_game)


class Readers(dict[str, Loader]):
    """Functions by tag that turn the JSON of a stored event into the event.

    An event with an old tag is upcast first. Raises RulesUnknown for an unknown tag without an
    upcaster.
    """

    def __missing__(self, tag: str) -> Loader:
        if tag not in UPCASTERS:
            raise RulesUnknown(tag)

        def read_old(old: Mapping[str, Any]) -> Message:
            event = upcast(dict(old))
            message: Message = self[event["type"]](event)
            return message

        return read_old


@cache
def readers_of(rules: str) -> Readers:
    """Return the readers of events by these rules. The readers trust their input."""
    return Readers(loaders(events_of(rules)))


# ---- secret parts --------------------------------------------------------------------------------


NO_PLACES = ("salt", "signature")  # members of a part that are no places


class Split(NamedTuple):
    """Public JSON of a command and its events, with their secret parts by audience, unsalted."""

    command: Json
    events: list[Json]
    parts: dict[str, Json]


def salt(key: bytes, version: int, audience: str) -> str:
    """Return the salt of a secret part.

    The salt is HMAC-SHA-256 over "salt|VERSION|AUDIENCE", keyed with the match's key, in hex.
    """
    message = f"salt|{version}|{audience}"
    return hmac.digest(key, message.encode(), "sha256").hex()


def split(command: Message, events: Sequence[Message]) -> Split:
    """Separate the secret fields of messages from their public JSON."""
    parts: dict[str, Json] = {}
    public_command = _public(command, "command", parts)
    public_events = [_public(event, str(index), parts) for index, event in enumerate(events)]
    return Split(public_command, public_events, parts)


def _public(message: Message, place: str, parts: dict[str, Json]) -> Json:
    """Return a message's JSON without its secret fields, and put these fields into the parts."""
    public = wire.encode(message)
    for name, audience in wire.secret_fields(type(message)):
        if name in public:
            part = parts.setdefault(_owner(message, audience), {})
            part.setdefault(place, {})[name] = public.pop(name)
    return public


def _owner(message: Any, audience: str) -> str:
    """Return the audience of a secret field: the house, or the message's seat."""
    return HOUSE_ACTOR if audience == "house" else seat_actor(message.seat)


def put_back(
    stored: StoredCommit, audiences: Sequence[str] | None = None
) -> tuple[Json, list[Json]]:
    """Return command and events with secret fields back in their places.

    audiences: audiences of the secret parts to put back. None: all audiences.
    """
    content = stored["commit"]
    command: Json = dict(content["command"])
    if not stored["secrets"]:
        return command, content["events"]

    events: list[Json] = [dict(event) for event in content["events"]]
    for audience, part in stored["secrets"].items():
        if audiences is None or audience in audiences:
            put_part_back(part, command, events)
    return command, events


def put_part_back(part: Json, command: Json, events: list[Json]) -> None:
    """Put the fields of one secret part into the command and the events, in place."""
    for place, fields in part.items():
        if place == "command":
            command.update(fields)
        elif place not in NO_PLACES:
            events[int(place)].update(fields)


# ---- writing -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewCommit:
    """The content of a commit to write.

    `command` and `events` are messages, the other fields as in Content.
    signature: signature of the actor's key, in hex. "" for none (M18).
    """

    match: str
    version: int
    time: str
    actor: str
    command: Message
    events: Sequence[Message]
    prev: str
    view: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """A written commit: the bytes to store, and the same commit as JSON values."""

    commit_bytes: bytes
    stored: StoredCommit


def write(new: NewCommit, key: bytes) -> Written:
    """Return a commit in its stored form. The match's key (M10) salts the secret parts."""
    split_messages = split(new.command, new.events)
    parts = split_messages.parts
    hides_command = "command" in parts.get(new.actor, ())
    if new.signature and hides_command:
        # A public signature would let anybody test guesses of the hidden fields.
        parts[new.actor]["signature"] = {"hex": new.signature}
    for audience, part in parts.items():
        part["salt"] = salt(key, new.version, audience)

    content: Content = {
        "match": new.match,
        "version": new.version,
        "time": new.time,
        "actor": new.actor,
        "command": split_messages.command,
        "events": split_messages.events,
        "prev": new.prev,
        "view": new.view,
        "secrets": {audience: digest(part) for audience, part in parts.items()},
    }
    if new.signature and not hides_command:
        content["signature"] = new.signature
    content_bytes = canonical(content)
    commit_hash = hashlib.sha256(content_bytes).hexdigest()

    stored: StoredCommit = {"commit": content, "hash": commit_hash, "secrets": parts}
    return Written(stored_bytes(content_bytes, commit_hash, parts), stored)


def view_digest(match: Match) -> str:
    """Return the digest of the game's public view, "" before the start."""
    if match.state is None:
        return ""
    return digest(RULES[match.rules].view(match.state, None))


def stored_bytes(content_bytes: bytes, commit_hash: object, parts: object) -> bytes:
    """Return the canonical bytes of a stored commit.

    content_bytes: canonical bytes of CONTENT.   commit_hash: hash of the commit.
    parts: secret parts of the commit.
    """
    # Names are sorted, and "commit" comes before the others.
    without_brace = canonical({"hash": commit_hash, "secrets": parts})[1:]
    return b'{"commit":%s,%s' % (content_bytes, without_brace)
