"""Seat holders: stored beside the chain of a match, so that lists show them without replay.

`service.matches.derived` stores them. What the first release stored says of no bot why it stands
in: there only the owner could put one on a human's seat.
"""

import secrets
from collections.abc import Mapping, Sequence

import orjson

from domain.games import RULES
from domain.match.state import Match
from service.base import answers
from service.base.metadata_fields import NAME, SEATS
from service.record.commit import Json, digest

_MOST_SEATS = max(game.seats[-1] for game in RULES.values())
NAMES = [f"{NAME}{seat}" for seat in range(_MOST_SEATS)]

_REASONS: dict[str, answers.AbsentBecause] = {"time": "time_ran_out", "resigned": "resigned"}
_BY_OWNER: answers.AbsentBecause = "replaced"


def seat_holders(match: Match, names: Mapping[int, str]) -> list[answers.Seat]:
    """Return who holds each seat, with their names, and why bots stand in where they do."""
    return _named(holders(match), names, match.status.name)


def stored_seat_holders(metadata: Mapping[str, str], status: str) -> list[answers.Seat]:
    """Return the same as `seat_holders` from the metadata that `derived.with_derived` returns.

    status: that of the match.
    """
    return _named(orjson.loads(metadata[SEATS]), names_in(metadata), status)


def has_bot(holders: str, seat: int) -> bool:
    """Return whether a bot holds a seat.

    holders: the metadata field SEATS; "" where that was never needed.
    """
    return bool(holders) and orjson.loads(holders)[seat]["kind"] == "bot"


def may_have_key(metadata: Mapping[str, str]) -> bool:
    """Return whether a seat may have a key; where the field SEATS is missing, nobody knows."""
    return '"key"' in metadata.get(SEATS, '"key"')


def name_field(seat: int) -> str:
    """Return the metadata field that holds the name of a seat."""
    return f"{NAME}{seat}"


def name_record(name: str) -> tuple[str, str]:
    """Return a name as stored beside the chain, and the digest that binds it to the chain.

    Each has another salt: JSON `{"name","salt"}`.
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
    """Return what is stored of each seat: kind, level of a bot, why it stands in, and a key."""
    shown = []
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
        shown.append(holder)
    return shown


def _named(holders: Sequence[Json], names: Mapping[int, str], status: str) -> list[answers.Seat]:
    """Return holders with the numbers of their seats and their names.

    status: that of the match; after its end no human returns.
    """
    named = []
    for number, holder in enumerate(holders):
        seat: answers.Seat = {"seat": number, "kind": holder["kind"]}
        if "level" in holder:
            seat["level"] = holder["level"]
        if "absent" in holder:
            is_of_first_release = "absent_because" not in holder
            seat["absent"] = holder["absent"]
            seat["absent_because"] = holder.get("absent_because", _BY_OWNER)
            if status == "running" and (is_of_first_release or "may_return" in holder):
                seat["may_return"] = True
        if "owes" in holder and status == "open":
            seat["owes"] = holder["owes"]
        if "key" in holder:
            seat["key"] = holder["key"]
        if number in names:
            seat["name"] = names[number]
        named.append(seat)
    return named
