"""Commits as the store took them, read with the standard library alone.

This shares no code with the product: what it says of a commit follows from the commit's bytes.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.journal.values import Entry

Json = dict[str, Any]
Intent = tuple[str, str, str]  # match, actor, command

AROUND = ("open", "join", "leave", "start", "abort", "replace", "restore")

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """A commit as the store took it.

    hands: the toy's card of each seat after it.   bots: the seats that bots hold after it.
    """

    match: str
    version: int
    hash: str
    content: Json
    secrets: Json
    command_id: str
    hands: Mapping[int, int]
    bots: frozenset[int]

    @property
    def name(self) -> str:
        """What a complaint calls it."""
        return f"commit {self.version} of {self.match}"

    @property
    def intent(self) -> Intent:
        """Whose will the commit was; an opening is no match's, since nobody knows its id before."""
        match = "" if self.version == 1 else self.match
        return (match, self.content["actor"], command_text(self.full_command()))

    @property
    def time(self) -> datetime:
        """When the commit was made, as it tells itself."""
        return datetime.fromisoformat(self.content["time"])

    def full_command(self) -> Json:
        """Return the command with its actor's own secret fields."""
        part = self.secrets.get(self.content["actor"], {})
        return {**self.content["command"], **part.get("command", {})}


def canonical(value: Any) -> str:
    """Return JSON with sorted names and without blanks (RFC 8785, for what Giornale writes)."""
    return _encode(value)


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical form, in hex."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def command_text(command: Mapping[str, Any]) -> str:
    """Return a command as a text by which it is counted.

    Of commands around the game only the kind and the seat count: they hold digests that no client
    knows beforehand.
    """
    kind = command["type"]
    if kind in AROUND:
        return f"{kind} {command.get('seat', '')}"
    told = {name: value for name, value in command.items() if value is not None}
    return canonical(told)


def fact_of(entry: Entry, known: Mapping[str, Fact]) -> Fact:
    """Return an entry as a fact; known: the facts before, by their hashes."""
    stored = json.loads(entry.commit_bytes)
    content = stored["commit"]
    parts = stored["secrets"]
    before = known.get(content["prev"])

    hands = before.hands if before else {}
    bots = before.bots if before else frozenset()
    return Fact(
        match=entry.match,
        version=content["version"],
        hash=stored["hash"],
        content=content,
        secrets=parts,
        command_id=entry.command_id,
        hands=_hands_after(hands, content["events"], parts),
        bots=_bots_after(bots, content["events"]),
    )


def _hands_after(hands: Mapping[int, int], events: list[Json], parts: Json) -> Mapping[int, int]:
    """Return the toy's card of each seat after some events."""
    hands_after = dict(hands)
    for number, event in enumerate(events):
        kind = event["type"]
        if kind == "card_dealt":
            seat = event["seat"]
            secret_fields = parts[f"seat:{seat}"][str(number)]
            hands_after[seat] = secret_fields["card"]
        elif kind == "round_paid":
            hands_after = {}
    return hands_after


def _bots_after(bots: frozenset[int], events: list[Json]) -> frozenset[int]:
    """Return the seats that bots hold after some events."""
    for event in events:
        kind = event["type"]
        if kind == "match_opened":
            bots = frozenset(
                seat for seat, plan in enumerate(event["seats"]) if plan["kind"] == "bot"
            )
        elif kind == "seat_replaced":
            bots |= {event["seat"]}
        elif kind in ("seat_restored", "seat_joined"):
            bots -= {event["seat"]}
    return bots


def as_seen(fact: Fact, seat: int | None) -> tuple[Json, list[Json]]:
    """Return the command and the events of a commit as a seat may see them."""
    part = {} if seat is None else fact.secrets.get(f"seat:{seat}", {})
    command = {**fact.content["command"], **part.get("command", {})}
    events = [
        {**event, **part.get(str(number), {})}
        for number, event in enumerate(fact.content["events"])
    ]
    return command, events
