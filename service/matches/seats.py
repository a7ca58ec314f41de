"""Seat holders: stored beside the chain of a match, so that lists show them without replay.

Beside them stands which of them are asked to agree to a take-back (M17), in the field ASK.

The metadata field SEATS is written with every commit that changes a seat, OUTCOME with those that
follow the end of the game. Matches from before there was a field SEATS, and imported ones, have
neither: the first list that shows such a match works both out and stores them. What the first
release stored says of no bot why it stands in: there only the owner could put one on a human's
seat.
"""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress

import orjson

from domain.errors import RulesUnknown
from domain.games import RULES
from domain.match.messages import Base
from domain.match.state import Match
from service import answers
from service.journal.errors import JournalUnavailable
from service.journal.values import DEADLINE
from service.ledger.commit import Json, digest
from service.ledger.replay import Loaded, outcome
from service.matches.context import Context
from service.matches.repository import load

SEATS = "seats"
_NAME = "name:"
_MOST_SEATS = max(game.seats[-1] for game in RULES.values())
_NAMES = [f"{_NAME}{seat}" for seat in range(_MOST_SEATS)]
ADVICE = "advice"  # the field that is there if humans may ask for advice (M14)
ASK = "take_back"  # the field that is there while seats are asked to agree
REMATCH_OF = "rematch_of"  # the field that names the match that this one follows (M20)
FORKED_FROM = "forked_from"  # the field that says of a fork what it goes on from (M21)
JOINT_ENTROPY = "joint_entropy"  # the field that is there if the humans draw together (M19)
OUTCOME = "outcome"  # the field that holds how a finished match has ended
# What a list needs of the metadata.
FIELDS = (SEATS, ADVICE, DEADLINE, REMATCH_OF, FORKED_FROM, JOINT_ENTROPY, OUTCOME, *_NAMES)

_REASONS: dict[str, answers.AbsentBecause] = {"time": "time_ran_out", "resigned": "resigned"}
_BY_OWNER: answers.AbsentBecause = "replaced"


def stored(match: Match) -> dict[str, str | None]:
    """Return the metadata fields that say who holds the seats of a match."""
    fields: dict[str, str | None] = {SEATS: orjson.dumps(_holders(match)).decode()}
    if match.advice:
        fields[ADVICE] = "true"
    if match.joint_entropy is not None:
        fields[JOINT_ENTROPY] = "true"
    if match.base is not None:
        fields[FORKED_FROM] = orjson.dumps(forked_from(match.base)).decode()
    return fields


def forked_from(base: Base) -> answers.ForkedFrom:
    """Return what a fork goes on from."""
    return {"match": base.match, "version": base.version}


def stored_outcome(loaded: Loaded) -> dict[str, str | None]:
    """Return the metadata field that says how a match has ended, none unless it is finished."""
    ended = outcome(loaded)
    return {OUTCOME: orjson.dumps(ended).decode()} if ended is not None else {}


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
    """Return who holds each seat, with their names, and why bots stand in where they do."""
    return _named(_holders(match), names, match.status.name)


def stored_seat_holders(metadata: Mapping[str, str], status: str) -> list[answers.Seat]:
    """Return the same as `seat_holders` from the metadata that `with_seats` returns.

    status: that of the match.
    """
    return _named(orjson.loads(metadata[SEATS]), names_in(metadata), status)


def with_seats(ctx: Context, match_id: str, metadata: Mapping[str, str]) -> Mapping[str, str]:
    """Return the metadata fields in FIELDS, completed where a match has none yet.

    By rules that are unknown here it has no seats, and none are stored.

    Raises NotFound for a match that was deleted meanwhile, if they were not there.
    """
    if SEATS in metadata:
        return metadata

    try:
        loaded = load(ctx, match_id)
    except RulesUnknown:
        return {**metadata, SEATS: "[]"}
    fields = {**stored(loaded.match), **stored_outcome(loaded)}
    missing = {name: value or "" for name, value in fields.items()}
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


def may_have_key(metadata: Mapping[str, str]) -> bool:
    """Return whether a seat may have a key; where the field SEATS is missing, nobody knows."""
    return '"key"' in metadata.get(SEATS, '"key"')


def name_field(seat: int) -> str:
    """Return the metadata field that holds the name of a seat."""
    return f"{_NAME}{seat}"


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


def _holders(match: Match) -> list[Json]:
    """Return what is stored of each seat: kind, level of a bot, why it stands in, and a key."""
    holders = []
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
        holders.append(holder)
    return holders


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
