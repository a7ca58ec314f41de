"""Listing: the public matches, those of some tokens, and for operators all of them."""

import heapq
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeGuard

import orjson

from domain.names import normal
from service.base import answers
from service.base.errors import NotFound
from service.base.metadata_fields import ADVICE, OUTCOME, REMATCH_OF
from service.matches import derived, seats as seat_holders, server_log, views
from service.matches.access import why_missing
from service.matches.context import Context
from service.matches.derived import FIELDS
from service.matches.repository import PIECE
from service.record.commit import Json, timestamp
from service.record.terms.sides import SIDES
from service.store.journal.errors import ArchiveDamaged, HeadDamaged
from service.store.journal.values import FoundHead, Head
from service.store.keys import tokens
from service.store.tlog.index import Wanted

_log = logging.getLogger(__name__)

_LOOKED_AT = 500  # matches among which a player is looked for, for one page

# When a match is listed, in milliseconds since the epoch, and its id.
Cursor = tuple[int, str]


@dataclass(frozen=True, slots=True)
class MatchPage:
    """Some matches, newest first.

    next: the cursor of what is older, None at the end.
    """

    matches: list[answers.MatchSummary]
    next: Cursor | None


class ListingQuery(NamedTuple):
    """Which public matches are asked for.

    status: "" for all.   game: None for all.   before: listed before this cursor.
    """

    status: str
    game: str | None
    before: Cursor | None
    limit: int


class ListingRows(NamedTuple):
    """What the journal has found for a page.

    cursors: of all that are listed.   overviews: the head of each, and the fields FIELDS of its
    metadata.
    """

    cursors: list[Cursor]
    overviews: list[tuple[FoundHead, dict[str, str]]]


def public(
    ctx: Context,
    status: str,
    game: str | None,
    before: Cursor | None,
    limit: int,
) -> MatchPage:
    """Return public matches listed before a cursor."""
    asked = ListingQuery(status, game, before, limit)
    return page_of(ctx, asked, find(ctx, asked))


def find(ctx: Context, asked: ListingQuery) -> ListingRows:
    """Find the public matches that are asked for."""
    cursors = ctx.journal.index.listing(asked.status, asked.before, asked.limit, asked.game or "")
    overviews = ctx.journal.events.overviews([(match, FIELDS) for _, match in cursors])
    return ListingRows(cursors, overviews)


def page_of(ctx: Context, asked: ListingQuery, result: ListingRows) -> MatchPage:
    """Return a page of what was found.

    A match that moves on or is deleted between its listing and the reading of its head is left out:
    a page may be short of its limit and yet have a next one.
    """
    found = []
    for (_, match), overview in zip(result.cursors, result.overviews, strict=True):
        head, metadata = overview
        if not _fits(head, asked.status, game=None):
            continue

        shown = _summary_if_there(ctx, match, head, metadata)
        if shown is not None:
            found.append(shown)

    is_full = len(result.cursors) == asked.limit
    return MatchPage(matches=found, next=result.cursors[-1] if is_full else None)


def of_player(ctx: Context, asked: ListingQuery, player: str) -> MatchPage:
    """Return public matches with a seat of this name now, newest first.

    Names are in no index, since they can be erased. So _LOOKED_AT matches are looked at for a page,
    and the page may be short of its limit and yet have a next one. The order never changes.
    """
    looked_at = asked._replace(limit=_LOOKED_AT)
    result = find(ctx, looked_at)
    found: list[answers.MatchSummary] = []
    for cursor, (head, metadata) in zip(result.cursors, result.overviews, strict=True):
        if not _fits(head, asked.status, game=None):
            continue
        shown = _summary_if_there(ctx, cursor[1], head, metadata)
        if shown is None or not _has_player(shown, player):
            continue
        found.append(shown)
        if len(found) == asked.limit:
            is_last = cursor == result.cursors[-1] and len(result.cursors) < _LOOKED_AT
            return MatchPage(found, next=None if is_last else cursor)

    is_full = len(result.cursors) == _LOOKED_AT
    return MatchPage(found, next=result.cursors[-1] if is_full else None)


def latest(ctx: Context, wanted: Wanted, limit: int, player: str = "") -> MatchPage:
    """Return public matches in the order of their last commits, which the log knows; last first.

    player: only those in which a seat has this name now, "" for all. Names are in no index, since
    they can be erased, so _LOOKED_AT matches are looked at for one page.
    A cursor is the position of a match's last commit in the log, and its id. A match that moves on
    meanwhile stands before the first page. Raises Overloaded.
    """
    found: list[answers.MatchSummary] = []
    at_once = _LOOKED_AT if player else limit
    listed = server_log.listed(ctx, wanted, at_once)
    overviews = ctx.journal.events.overviews([(one.match, FIELDS) for one in listed])
    gone = [one.match for one, (head, _) in zip(listed, overviews, strict=True) if head is None]
    server_log.forget_deleted(ctx, gone)

    last = None
    for one, (head, metadata) in zip(listed, overviews, strict=True):
        last = (one.position, one.match)
        if _fits(head, wanted.status, game=None):
            shown = _summary_if_there(ctx, one.match, head, metadata)
            if shown is not None and _has_player(shown, player):
                found.append(shown)
        if len(found) == limit:
            break

    is_all = len(listed) < at_once and (not listed or last == listed[-1][:2])
    return MatchPage(found, next=None if is_all else last)


def _has_player(shown: answers.MatchSummary, player: str) -> bool:
    return not player or any(normal(seat.get("name", "")) == player for seat in shown["seats"])


def mine(
    ctx: Context,
    held: Sequence[str],
    status: str,
    game: str | None,
    *,
    waiting: bool,
) -> MatchPage:
    """Return the matches of some tokens, newest first.

    waiting: only those that wait for the seat of a token.
    """
    asked = [(tokens.match_of(token) or "", tokens.field(token)) for token in held]
    overviews = ctx.journal.events.overviews([(match, (field, *FIELDS)) for match, field in asked])

    # By cursor, since several tokens may belong to one match.
    found: dict[Cursor, answers.MatchSummary] = {}
    for (match, field), overview in zip(asked, overviews, strict=True):
        head, metadata = overview
        holder = metadata.get(field)
        if holder is None or not _fits(head, status, game):
            continue
        if waiting and tokens.caller(holder).seat not in head.waiting:
            continue

        shown = _summary_if_there(ctx, match, head, metadata)
        if shown is not None:
            found[head.listed, match] = shown

    newest_first = sorted(found, reverse=True)
    return MatchPage(matches=[found[cursor] for cursor in newest_first], next=None)


def _fits(head: FoundHead, status: str, game: str | None) -> TypeGuard[Head]:
    """Return True for a readable head of a status ("": any) and a game (None: any)."""
    if not isinstance(head, Head):
        return False
    return status in ("", head.status) and game in (None, head.game)


def summaries(ctx: Context, matches: Sequence[str]) -> dict[str, answers.MatchSummary]:
    """Return what a list says of some matches, by their ids; of those that are there."""
    overviews = ctx.journal.events.overviews([(match, FIELDS) for match in matches])
    found = {}
    for match, (head, metadata) in zip(matches, overviews, strict=True):
        if not isinstance(head, Head):
            continue
        shown = _summary_if_there(ctx, match, head, metadata)
        if shown:
            found[match] = shown
    return found


def _summary_if_there(
    ctx: Context, match_id: str, head: Head, metadata: Mapping[str, str]
) -> answers.MatchSummary | None:
    """Return the summary of a match. None if it was deleted meanwhile, or cannot be read."""
    try:
        return summary(ctx, match_id, head, metadata)
    except NotFound:
        return None
    except (HeadDamaged, ValueError, LookupError, TypeError) as error:
        details = {"match": match_id, "error": type(error).__name__}
        _log.error("a match cannot be listed", extra=details)
        return None


def summary(
    ctx: Context, match_id: str, head: Head, metadata: Mapping[str, str]
) -> answers.MatchSummary:
    """Return what a list says of a match.

    metadata: the fields FIELDS of its metadata.
    Raises NotFound for a match that was deleted meanwhile, if what is shown was not kept beside it.
    """
    metadata = derived.with_derived(ctx, match_id, metadata)
    seats = seat_holders.stored_seat_holders(metadata, head.status)
    bots = [seat for seat in head.waiting if seats[seat]["kind"] == "bot"]
    shown: answers.MatchSummary = {
        "id": match_id,
        "game": head.game,
        "visibility": head.visibility,
        "advice": ADVICE in metadata,
        "status": head.status,
        "version": head.version,
        "created": timestamp(head.created),
        "updated": timestamp(head.updated),
        "waiting_for": {
            "house": head.awaiting == "house",
            "seats": list(head.waiting),
            "bots": bots,
        },
        "deadline": views.deadline(metadata),
        "seats": seats,
        "outcome": orjson.loads(metadata.get(OUTCOME, "null")),
    }
    if REMATCH_OF in metadata:
        shown["rematch_of"] = metadata[REMATCH_OF]
    for side in SIDES:
        side.summary(metadata, shown)
    if head.imported:
        shown["imported"] = timestamp(head.imported)
    return shown


# What an operator asks about matches: status, how long they are idle, size, whom they wait for.


_ASKED = 500  # heads read in one go


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches are asked for, private ones too.

    status, game: "" for all.   idle: in milliseconds; only those whose last commit is so old.
    """

    status: str = ""
    game: str = ""
    idle: int = 0

    def takes(self, head: Head, now: int) -> bool:
        """Return whether a match is asked for."""
        fits = self.status in ("", head.status) and self.game in ("", head.game)
        return fits and now - head.updated >= self.idle


@dataclass(frozen=True, slots=True)
class Overviews:
    """Matches, the latest commit first.

    total: number of matches in the filter.
    damaged: matches with an unreadable head, also outside of the filter, and matches in the filter
    with an unreadable archive marker.
    """

    matches: list[Json]
    total: int
    damaged: list[str]


def overviews(ctx: Context, wanted: MatchFilter, limit: int) -> Overviews:
    """Return what there is to know of at most so many matches."""
    now = ctx.clock()
    total = 0
    damaged: list[str] = []

    def fitting() -> Iterator[tuple[int, str]]:
        nonlocal total
        for match, head in _heads(ctx):
            if isinstance(head, HeadDamaged):
                damaged.append(match)
            elif wanted.takes(head, now):
                total += 1
                yield head.updated, match

    found = heapq.nlargest(limit, fitting())
    matches = []
    for _, match in found:
        try:
            shown = _overview_if_there(ctx, match)
        except ArchiveDamaged:
            damaged.append(match)
        else:
            matches += [shown] if shown is not None else []
    return Overviews(matches, total, damaged)


def overview(ctx: Context, match_id: str) -> Json:
    """Return what there is to know of a match; raises NotFound, MatchDeleted.

    It is what a list says of the match, and in addition `hash`; `idle_ms`, the time since its last
    commit; `bytes`, the size of its commits; `archived`, when it was, or None.
    """
    shown = _overview_if_there(ctx, match_id)
    if shown is None:
        raise why_missing(ctx, match_id)
    return shown


def _overview_if_there(ctx: Context, match_id: str) -> Json | None:
    head, metadata = ctx.journal.events.overview(match_id, FIELDS)
    if head is None:
        return None

    marker = ctx.journal.lifecycle.archived(match_id)
    size = marker.stored if marker else _size(ctx, match_id, head)
    return {
        **summary(ctx, match_id, head, metadata),
        "hash": head.hash,
        "idle_ms": max(0, ctx.clock() - head.updated),
        "bytes": size,
        "archived": timestamp(marker.at) if marker else None,
    }


def _size(ctx: Context, match_id: str, head: Head) -> int:
    """Return how many bytes the commits of a match have."""
    size = 0
    for after in range(0, head.version, PIECE):
        size += sum(map(len, ctx.journal.events.read(match_id, after, PIECE)))
    return size


def _heads(ctx: Context) -> Iterator[tuple[str, Head | HeadDamaged]]:
    """Yield every match that is there."""
    matches = ctx.journal.events.matches()
    while names := list(islice(matches, _ASKED)):
        for match, head in zip(names, ctx.journal.events.heads(names), strict=True):
            if head is not None:
                yield match, head
