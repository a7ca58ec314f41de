"""Which matches there are: the public ones, and those that wait for the bearer of some tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

from service.errors import NotFound
from service.journal.values import Head
from service.keys import tokens
from service.ledger.canonical import Json
from service.ledger.times import timestamp
from service.matches import seating
from service.matches.desk import Desk
from service.matches.seating import FIELDS

# When a match is listed, in milliseconds since the epoch, and its id.
Cursor = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Page:
    """Some matches, newest first.

    next: the cursor of what is older, None at the end.
    """

    matches: list[Json]
    next: Cursor | None


class Asked(NamedTuple):
    """Which public matches are asked for.

    status: "" for all.   game: None for all.   before: listed before this cursor.
    """

    status: str
    game: str | None
    before: Cursor | None
    limit: int


class Look(NamedTuple):
    """What the journal says of the matches of a page, before it is told.

    cursors: of all that are listed.   overviews: the head of each, and the fields FIELDS of its
    sidecar.
    """

    cursors: list[Cursor]
    overviews: list[tuple[Head | None, dict[str, str]]]


def public(
    desk: Desk,
    status: str,
    game: str | None,
    before: Cursor | None,
    limit: int,
) -> Page:
    """Return public matches listed before a cursor."""
    asked = Asked(status, game, before, limit)
    return told(desk, asked, look(desk, asked))


def look(desk: Desk, asked: Asked) -> Look:
    """Look at the public matches that are asked for."""
    cursors = desk.journal.listing(asked.status, asked.before, asked.limit, asked.game or "")
    overviews = desk.journal.overviews([(match, FIELDS) for _, match in cursors])
    return Look(cursors, overviews)


def told(desk: Desk, asked: Asked, look: Look) -> Page:
    """Return a page of what a look has found.

    A match that moves on or is deleted between its listing and the look at its head is left out:
    a page may be short of its limit and yet have a next one.
    """
    found = []
    for (_, match), overview in zip(look.cursors, look.overviews, strict=True):
        head, sidecar = overview
        if not _fits(head, asked.status, game=None):
            continue

        shown = _summary_if_there(desk, match, head, sidecar)
        if shown is not None:
            found.append(shown)

    is_full = len(look.cursors) == asked.limit
    return Page(matches=found, next=look.cursors[-1] if is_full else None)


def mine(
    desk: Desk,
    held: Sequence[str],
    status: str,
    game: str | None,
    *,
    waiting: bool,
) -> Page:
    """Return the matches of some tokens, newest first.

    waiting: only those that wait for the seat of a token.
    """
    asked = [(tokens.match_of(token) or "", tokens.field(token)) for token in held]
    overviews = desk.journal.overviews([(match, (field, *FIELDS)) for match, field in asked])

    # By cursor, since several tokens may belong to one match.
    found: dict[Cursor, Json] = {}
    for (match, field), overview in zip(asked, overviews, strict=True):
        head, sidecar = overview
        holder = sidecar.get(field)
        if holder is None or not _fits(head, status, game):
            continue
        if waiting and tokens.caller(holder).seat not in head.waiting:
            continue

        shown = _summary_if_there(desk, match, head, sidecar)
        if shown is not None:
            found[head.listed, match] = shown

    newest_first = sorted(found, reverse=True)
    return Page(matches=[found[cursor] for cursor in newest_first], next=None)


def _fits(head: Head | None, status: str, game: str | None) -> TypeGuard[Head]:
    """Return whether there is such a match, of a status ("": any) and a game (None: any)."""
    if head is None:
        return False
    return status in ("", head.status) and game in (None, head.game)


def _summary_if_there(
    desk: Desk, match_id: str, head: Head, sidecar: Mapping[str, str]
) -> Json | None:
    """Return what a list says of a match, None if it has been deleted meanwhile."""
    try:
        return summary(desk, match_id, head, sidecar)
    except NotFound:
        return None


def summary(desk: Desk, match_id: str, head: Head, sidecar: Mapping[str, str]) -> Json:
    """Return what a list says of a match.

    sidecar: the fields FIELDS of its sidecar.
    Raises NotFound for a match that was deleted meanwhile, if its seats were not kept beside it.
    """
    sidecar = seating.beside(desk, match_id, sidecar)
    seats = seating.seats_beside(desk, match_id, sidecar)
    bots = [seat for seat in head.waiting if seats[seat]["kind"] == "bot"]
    shown: Json = {
        "id": match_id,
        "game": head.game,
        "visibility": head.visibility,
        "advice": seating.ADVICE in sidecar,
        "status": head.status,
        "version": head.version,
        "created": timestamp(head.created),
        "updated": timestamp(head.updated),
        "waiting_for": {
            "house": head.work == "house",
            "seats": list(head.waiting),
            "bots": bots,
        },
        "seats": seats,
    }
    if head.imported:
        shown["imported"] = timestamp(head.imported)
    return shown
