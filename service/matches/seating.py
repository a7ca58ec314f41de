"""Who holds the seats of a match, kept beside its chain, so that a list of matches can tell it without replay.

The side table's field SEATS is written with every commit that changes a seat. Matches from before it was
kept, and imported ones, have none: the first list that shows such a match works it out and keeps it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from domain.games import RULES
from domain.match.state import Match
from service.ledger.canonical import Json
from service.matches.desk import Desk
from service.matches.loading import load

SEATS = "seats"
_MOST_SEATS = max(game.seats[-1] for game in RULES.values())
FIELDS = (
    SEATS,
    *(f"name:{seat}" for seat in range(_MOST_SEATS)),
)  # what a list needs of a side table


def kept(match: Match) -> dict[str, str | None]:
    """Return what to put into the side table."""
    return {SEATS: orjson.dumps([_holder(seat) for seat in match.seats]).decode()}


def seats(match: Match, names: Mapping[int, str]) -> list[Json]:
    """Return who holds each seat, with their names: number, kind, level of a bot, name, absent."""
    return _named([_holder(seat) for seat in match.seats], names)


def seats_beside(desk: Desk, match: str, aside: Mapping[str, str]) -> list[Json]:
    """Return the same from some fields of a side table, those in FIELDS."""
    if SEATS not in aside:
        loaded = load(desk, match)
        text = kept(loaded.match)[SEATS] or ""
        desk.journal.put_aside_if_missing(match, SEATS, text)
        aside = {**aside, SEATS: text}
    return _named(orjson.loads(aside[SEATS]), names_in(aside))


def names_in(aside: Mapping[str, str]) -> dict[int, str]:
    """Return the names of seats in a side table."""
    return {
        int(field.removeprefix("name:")): orjson.loads(record)["name"]
        for field, record in aside.items()
        if field.startswith("name:")
    }


def _holder(seat: Any) -> Json:
    holder: Json = {"kind": seat.kind}
    if seat.level:
        holder["level"] = seat.level
    if seat.absent:
        holder["absent"] = True
    return holder


def _named(holders: Sequence[Json], names: Mapping[int, str]) -> list[Json]:
    return [
        {"seat": number, **holder, **({"name": names[number]} if number in names else {})}
        for number, holder in enumerate(holders)
    ]
