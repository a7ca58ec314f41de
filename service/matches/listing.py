"""Which matches there are: the public ones, newest first; and those that wait for the bearer of some tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

from service import tokens
from service.journal import codec
from service.journal.port import Head
from service.matches.desk import Desk, timestamp

Cursor = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Page:
    """Some matches, newest first; `next`: the cursor of what is older, None at the end."""

    matches: list[codec.Json]
    next: Cursor | None


def public(desk: Desk, status: str, game: str | None, before: Cursor | None, limit: int) -> Page:
    """Return public matches listed before a cursor.

    A match that moves on or is deleted between its listing and the look at its head is left out: a page may be short of
    its limit and yet have a next one.
    """
    listed = desk.journal.listing(status, before, limit, game or "")
    heads = desk.journal.heads([match for _, match in listed])
    found = [
        summary(match, head)
        for (_, match), head in zip(listed, heads, strict=True)
        if head is not None and status in ("", head.status)
    ]
    return Page(found, listed[-1] if len(listed) == limit else None)


def mine(desk: Desk, held: Sequence[str], status: str, game: str | None, *, waiting: bool) -> Page:
    """Return the matches of some tokens, newest first; waiting: only those that wait for a token's seat."""
    found = {}
    for token in held:
        match = tokens.match_of(token) or ""
        name = desk.journal.aside(match, tokens.field(token))
        head = desk.journal.head(match) if name else None
        if name is None or head is None or game not in (None, head.game) or status not in ("", head.status):
            continue
        if not waiting or tokens.caller(name).seat in head.waiting:
            found[head.listed, match] = summary(match, head)
    return Page([found[key] for key in sorted(found, reverse=True)], None)


def summary(match: str, head: Head) -> codec.Json:
    """Return what a list says of a match."""
    return {
        "id": match, "game": head.game, "visibility": head.visibility, "status": head.status, "version": head.version,
        "created": timestamp(head.created), "updated": timestamp(head.updated),
        "waiting_for": {"house": head.work == "house", "seats": list(head.waiting)},
        **({"imported": timestamp(head.imported)} if head.imported else {}),
    }  # fmt: skip
