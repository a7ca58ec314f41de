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
    messages = [command, *events]
    places = ["command", *map(str, range(len(events)))]
    as_json = [wire.encode(message) for message in messages]

    parts: dict[str, Json] = {}
    for message, place, public in zip(messages, places, as_json, strict=True):
        message_class: Any = type(message)
        for name, audience in wire.secret_fields(message_class):
            if name in public:
                owner = HOUSE_ACTOR if audience == "house" else seat_actor(message.seat)
                part = parts.setdefault(owner, {})
                part.setdefault(place, {})[name] = public.pop(name)

    return Split(command=as_json[0], events=as_json[1:], parts=parts)


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
            _put_back_part(part, command, events)
    return command, events


def _put_back_part(part: Json, command: Json, events: list[Json]) -> None:
    for place, fields in part.items():
        if place == "command":
            command.update(fields)
        elif place != "salt":
            events[int(place)].update(fields)
