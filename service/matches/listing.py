"""Which matches there are: the public ones, newest first; and those that wait for the bearer of some tokens."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeGuard

from service.errors import NotFound
from service.journal.values import Head
from service.keys import tokens
from service.ledger.canonical import Json
from service.ledger.times import timestamp
from service.matches.desk import Desk
from service.matches.seating import FIELDS, seats_beside

Cursor = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Page:
    """Some matches, newest first; `next`: the cursor of what is older, None at the end."""

    matches: list[Json]
    next: Cursor | None


def public(desk: Desk, status: str, game: str | None, before: Cursor | None, limit: int) -> Page:
    """Return public matches listed before a cursor.

    A match that moves on or is deleted between its listing and the look at its head is left out: a page may be short of
    its limit and yet have a next one.
    """
    listed = desk.journal.listing(status, before, limit, game or "")
    overviews = desk.journal.overviews([(match, FIELDS) for _, match in listed])
    found: list[Json] = []
    for (_, match), (head, sidecar) in zip(listed, overviews, strict=True):
        if head is not None and status in ("", head.status):
            with suppress(NotFound):
                found.append(summary(desk, match, head, sidecar))
    return Page(found, listed[-1] if len(listed) == limit else None)


def mine(desk: Desk, held: Sequence[str], status: str, game: str | None, *, waiting: bool) -> Page:
    """Return the matches of some tokens, newest first; waiting: only those that wait for a token's seat."""
    asked = [(tokens.match_of(token) or "", tokens.field(token)) for token in held]
    overviews = desk.journal.overviews([(match, (field, *FIELDS)) for match, field in asked])
    found = {}
    for (match, field), (head, sidecar) in zip(asked, overviews, strict=True):
        name = sidecar.get(field)
        if name is None or not _fits(head, status, game):
            continue
        if not waiting or tokens.caller(name).seat in head.waiting:
            with suppress(NotFound):
                found[head.listed, match] = summary(desk, match, head, sidecar)
    return Page([found[key] for key in sorted(found, reverse=True)], None)


def summary(desk: Desk, match: str, head: Head, sidecar: Mapping[str, str]) -> Json:
    """Return what a list says of a match; `sidecar`: the fields FIELDS of its sidecar.

    Raises NotFound for a match that has been deleted meanwhile, if its seats were not kept beside it.
    """
    seats = seats_beside(desk, match, sidecar)
    bots = [seat for seat in head.waiting if seats[seat]["kind"] == "bot"]
    waiting_for = {"house": head.work == "house", "seats": list(head.waiting), "bots": bots}
    return {
        "id": match, "game": head.game, "visibility": head.visibility, "status": head.status, "version": head.version,
        "created": timestamp(head.created), "updated": timestamp(head.updated),
        "waiting_for": waiting_for, "seats": seats,
        **({"imported": timestamp(head.imported)} if head.imported else {}),
    }  # fmt: skip


def _fits(head: Head | None, status: str, game: str | None) -> TypeGuard[Head]:
    """Return whether there is such a match, of a status and a game (None, "": any)."""
    return head is not None and game in (None, head.game) and status in ("", head.status)
