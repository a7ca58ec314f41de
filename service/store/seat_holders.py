"""Seat holders: stored beside the chain of a match, so that lists show them without replay.

`service.matches.derived` stores seat holders. Values of early development states of 0.2.0 give
no reason for the absence of a human. They are read as if the owner had put the bot on the seat.
"""

import secrets
from collections.abc import Mapping, Sequence

import orjson

from domain.games import RULES
from domain.match.state import Match
from domain.seats import seat_actor
from service.base import answers
from service.base.metadata_fields import HOLDER, NAME, REPLACEMENT, SEATS, fields_beside_holder
from service.record.commit import Json, digest

_MOST_SEATS = max(game.seats[-1] for game in RULES.values())
NAMES = [f"{NAME}{seat}" for seat in range(_MOST_SEATS)]

_REASONS: dict[str, answers.AbsentBecause] = {"time": "time_ran_out", "resigned": "resigned"}
_BY_OWNER: answers.AbsentBecause = "replaced"


def seat_holders(match: Match, names: Mapping[int, str]) -> list[answers.Seat]:
    """Return the holders of all seats, with names and the reasons of stand-ins."""
    return _with_names(holders(match), names, match.status.name)


def stored_seat_holders(metadata: Mapping[str, str], status: str) -> list[answers.Seat]:
    """Return the holders of all seats from the metadata, as returned by `derived.with_derived`.

    status: name of the match's status.
    """
    return _with_names(orjson.loads(metadata[SEATS]), names_in(metadata), status)


def has_bot(holders: str, seat: int) -> bool:
    """Return True if a bot holds a seat.

    holders: the metadata field SEATS, "" if it is missing.
    """
    return bool(holders) and orjson.loads(holders)[seat]["kind"] == "bot"


def may_have_key(metadata: Mapping[str, str]) -> bool:
    """Return True if a seat may have a key. Also True if the field SEATS is missing."""
    return '"key"' in metadata.get(SEATS, '"key"')


def name_field(seat: int) -> str:
    """Return the metadata field for the name of a seat."""
    return f"{NAME}{seat}"


def name_record(name: str) -> tuple[str, str]:
    """Return the stored record of a name, and its digest for the chain.

    The record is JSON, `{"name","salt"}`, with a new salt each time.
    """
    record = {"name": name, "salt": secrets.token_hex(16)}
    return orjson.dumps(record).decode(), digest(record)


def names_in(metadata: Mapping[str, str]) -> dict[int, str]:
    """Return the names of seats in a match's metadata."""
    names = {}
    for field, record in metadata.items():
        if field.startswith(NAME):
            seat = int(field.removeprefix(NAME))
            names[seat] = orjson.loads(record)["name"]
    return names


def holders(match: Match) -> list[Json]:
    """Return the stored members of each seat, such as kind, level, reason of absence and key."""
    stored = []
    owed, owing = match.owed
    for number, seat in enumerate(match.seats):
        holder: Json = {"kind": seat.kind}
        if number in owing:
            holder["owes"] = owed
        if seat.level:
            holder["level"] = seat.level
        if seat.absent:
            holder["absent"] = True
            holder["absent_because"] = _REASONS.get(seat.away, _BY_OWNER)
        if match.may_return(number):
            holder["may_return"] = True
        if seat.key:
            holder["key"] = seat.key
        stored.append(holder)
    return stored


def _with_names(
    holders: Sequence[Json], names: Mapping[int, str], status: str
) -> list[answers.Seat]:
    """Return holders with the numbers of their seats and their names.

    status: status of the match. After the end no human returns.
    """
    seats = []
    for number, holder in enumerate(holders):
        seat: answers.Seat = {"seat": number, "kind": holder["kind"]}
        if "level" in holder:
            seat["level"] = holder["level"]
        if "absent" in holder:
            has_no_reason = "absent_because" not in holder
            seat["absent"] = holder["absent"]
            seat["absent_because"] = holder.get("absent_because", _BY_OWNER)
            if status == "running" and (has_no_reason or "may_return" in holder):
                seat["may_return"] = True
        if "owes" in holder and status == "open":
            seat["owes"] = holder["owes"]
        if "key" in holder:
            seat["key"] = holder["key"]
        if number in names:
            seat["name"] = names[number]
        seats.append(seat)
    return seats


def fields_of_seat(seat: int) -> list[str]:
    """Return the fields to delete with a seat's token when a human leaves the seat."""
    holder = seat_actor(seat)
    return [HOLDER + holder, REPLACEMENT + holder, name_field(seat), *fields_beside_holder(holder)]
