"""What a commit hides: secret fields are taken out of its messages into salted parts, and put back.

A secret part is `{"salt":HEX,PLACE:{FIELD:VALUE}}`. PLACE is "command" or the number of an event,
"0" for the first. The part's audience is "house", or the seat that may see it: "seat:1".
"""

import hmac
from collections.abc import Sequence
from typing import Any, NamedTuple

from domain import wire
from domain.seats import HOUSE_ACTOR, seat_actor
from service.ledger.canonical import Json
from service.ledger.commit import StoredCommit


class Split(NamedTuple):
    """Public JSON of a command and its events; their secret parts by audience, without salts."""

    command: Json
    events: list[Json]
    parts: dict[str, Json]


def salt(key: bytes, version: int, audience: str) -> str:
    """Return the salt of a secret part.

    It is HMAC-SHA-256, keyed with the match's key, over "salt|VERSION|AUDIENCE".
    """
    message = f"salt|{version}|{audience}"
    return hmac.digest(key, message.encode(), "sha256").hex()


def split(command: Any, events: Sequence[Any]) -> Split:
    """Return the messages' JSON with their secret fields apart."""
    parts: dict[str, Json] = {}
    public_command = _public(command, "command", parts)
    public_events = [_public(event, str(index), parts) for index, event in enumerate(events)]
    return Split(public_command, public_events, parts)


def _public(message: Any, place: str, parts: dict[str, Json]) -> Json:
    """Return a message's JSON without its secret fields, which go into the parts."""
    public = wire.encode(message)
    message_class: Any = type(message)
    for name, audience in wire.secret_fields(message_class):
        if name in public:
            part = parts.setdefault(_owner(message, audience), {})
            part.setdefault(place, {})[name] = public.pop(name)
    return public


def _owner(message: Any, audience: str) -> str:
    """Return whose part holds a secret field: the house's, or that of the message's seat."""
    return HOUSE_ACTOR if audience == "house" else seat_actor(message.seat)


def put_back(
    stored: StoredCommit, audiences: Sequence[str] | None = None
) -> tuple[Json, list[Json]]:
    """Return command and events with secret fields put back in their places.

    audiences: whose secret parts are put back; None: all.
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
        elif place != "salt":
            events[int(place)].update(fields)
