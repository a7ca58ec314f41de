"""Seat holders: stored beside the chain of a match, so that lists show them without replay.

Beside them stands which of them are asked to agree to a take-back (M17), in the field ASK.

The metadata field SEATS is written with every commit that changes a seat. Matches from before there
was one, and imported ones, have none: the first list that shows such a match works it out and
stores it.
"""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress

import orjson

from domain.games import RULES
from domain.match.state import Match, Seat
from service import answers
from service.journal.errors import JournalUnavailable
from service.journal.values import DEADLINE
from service.ledger.commit import Json, digest
from service.matches.context import Context
from service.matches.repository import load

SEATS = "seats"
_NAME = "name:"
_MOST_SEATS = max(game.seats[-1] for game in RULES.values())
_NAMES = [f"{_NAME}{seat}" for seat in range(_MOST_SEATS)]
ADVICE = "advice"  # the field that is there if humans may ask for advice (M14)
ASK = "take_back"  # the field that is there while seats are asked to agree
FIELDS = (SEATS, ADVICE, DEADLINE, *_NAMES)  # what a list needs of the metadata


def stored(match: Match) -> dict[str, str | None]:
    """Return the metadata fields that say who holds the seats of a match."""
    holders = [_holder(seat) for seat in match.seats]
    fields: dict[str, str | None] = {SEATS: orjson.dumps(holders).decode()}
    if match.advice:
        fields[ADVICE] = "true"
    return fields


def stored_ask(match: Match) -> dict[str, str | None]:
    """Return the metadata field that says which seats are asked to agree to what (M17)."""
    ask = match.take_back.ask if match.take_back is not None else None
    if ask is None:
        return {ASK: None}
    return {ASK: orjson.dumps({"to": ask.to, "seats": match.asked_to_agree}).decode()}


def asked_to_agree(asked: str, seat: int | None) -> int | None:
    """Return the version to which a seat is asked to agree to go back, None if it is not asked.

    asked: the metadata field ASK; "" where there is none.
    """
    if not asked or seat is None:
        return None
    ask: Json = orjson.loads(asked)
    to: int = ask["to"]
    return to if seat in ask["seats"] else None


def seat_holders(match: Match, names: Mapping[int, str]) -> list[answers.Seat]:
    """Return who holds each seat, with their names: number, kind, level of a bot, name, absent."""
    return _named([_holder(seat) for seat in match.seats], names)


def stored_seat_holders(
    ctx: Context, match_id: str, metadata: Mapping[str, str]
) -> list[answers.Seat]:
    """Return the same as `seat_holders` from the metadata fields in FIELDS."""
    whole = with_seats(ctx, match_id, metadata)
    return _named(orjson.loads(whole[SEATS]), names_in(whole))


def with_seats(ctx: Context, match_id: str, metadata: Mapping[str, str]) -> Mapping[str, str]:
    """Return the metadata fields in FIELDS, completed by those of `stored` where there are none.

    Raises NotFound for a match that was deleted meanwhile, if that was not there.
    """
    if SEATS in metadata:
        return metadata

    missing = {name: value or "" for name, value in stored(load(ctx, match_id).match).items()}
    # It only saves time later: a journal that takes no writes is read all the same. The seats come
    # last, since nobody looks for more where they are.
    with suppress(JournalUnavailable):
        for name in sorted(missing):
            ctx.journal.metadata.put_if_missing(match_id, name, missing[name])
    return {**metadata, **missing}


def has_bot(holders: str, seat: int) -> bool:
    """Return whether a bot holds a seat.

    holders: the metadata field SEATS; "" where that was never needed.
    """
    return bool(holders) and orjson.loads(holders)[seat]["kind"] == "bot"


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
        if field.startswith(_NAME):
            seat = int(field.removeprefix(_NAME))
            names[seat] = orjson.loads(record)["name"]
    return names


def _holder(seat: Seat) -> Json:
    holder: Json = {"kind": seat.kind}
    if seat.level:
        holder["level"] = seat.level
    if seat.absent:
        holder["absent"] = True
    return holder


def _named(holders: Sequence[Json], names: Mapping[int, str]) -> list[answers.Seat]:
    """Return holders with the numbers of their seats and their names."""
    named = []
    for number, holder in enumerate(holders):
        seat: answers.Seat = {"seat": number, "kind": holder["kind"]}
        if "level" in holder:
            seat["level"] = holder["level"]
        if "absent" in holder:
            seat["absent"] = holder["absent"]
        if number in names:
            seat["name"] = names[number]
        named.append(seat)
    return named
