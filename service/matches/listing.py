"""Listing: the public matches, the matches of some tokens, and all matches for operators."""

import heapq
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeGuard

import orjson

from domain.names import normal
from service.base import answers
from service.base.errors import MatchDeleted, NotFound
from service.base.metadata_fields import ADVICE, OUTCOME, REMATCH_OF
from service.matches import derived, server_log, views
from service.matches.access import why_missing
from service.matches.context import Context
from service.matches.derived import FIELDS
from service.record.commit import Json, timestamp
from service.record.terms.sides import SIDES
from service.store import seat_holders
from service.store.journal.errors import ArchiveDamaged, HeadDamaged
from service.store.journal.values import FoundHead, Head
from service.store.keys import tokens
from service.store.tlog.index import MatchSelection

_log = logging.getLogger(__name__)

_LOOKED_AT = 500  # matches searched for a player, for one page

# The time that orders a match in lists, in milliseconds since the epoch, and the id of the match.
# `latest` has positions of the log in place of times.
Cursor = tuple[int, str]


@dataclass(frozen=True, slots=True)
class MatchPage:
    """Some matches, newest first.

    next: the cursor of older matches, None at the end.
    """

    matches: list[answers.MatchSummary]
    next: Cursor | None


class ListingQuery(NamedTuple):
    """A query for public matches.

    status: "" for all.   game: None for all.   before: cursor. Only older matches are listed.
    """

    status: str
    game: str | None
    before: Cursor | None
    limit: int


class ListingRows(NamedTuple):
    """The journal's rows for a page.

    cursors: of all listed matches.   overviews: the head of each, and the fields FIELDS of its
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
    """Return public matches older than a cursor, newest first. None: from the newest on."""
    query = ListingQuery(status, game, before, limit)
    return page_of(ctx, query, find(ctx, query))


def find(ctx: Context, query: ListingQuery) -> ListingRows:
    """Find the public matches of a query."""
    cursors = ctx.journal.index.listing(query.status, query.before, query.limit, query.game or "")
    overviews = ctx.journal.events.overviews([(match, FIELDS) for _, match in cursors])
    return ListingRows(cursors, overviews)


def page_of(ctx: Context, query: ListingQuery, result: ListingRows) -> MatchPage:
    """Return a page of rows.

    A match is left out if it cannot be read, or if after its listing it was deleted or got another
    status than the query's. So a page may have fewer matches than its limit although a next page
    follows.
    """
    page_summaries = []
    for (_, match), overview in zip(result.cursors, result.overviews, strict=True):
        head, metadata = overview
        if not _fits(head, query.status, game=None):
            continue

        entry = _summary_if_there(ctx, match, head, metadata)
        if entry is not None:
            page_summaries.append(entry)

    is_full = len(result.cursors) == query.limit
    return MatchPage(matches=page_summaries, next=result.cursors[-1] if is_full else None)


def of_player(ctx: Context, query: ListingQuery, player: str) -> MatchPage:
    """Return public matches with a seat of this name now, newest first.

    Names are in no index, since they can be erased. So at most _LOOKED_AT matches are read for a
    page. The page may have fewer matches than its limit although a next page follows. The order
    never changes.
    """
    looked_at = query._replace(limit=_LOOKED_AT)
    result = find(ctx, looked_at)
    page_summaries: list[answers.MatchSummary] = []
    for cursor, (head, metadata) in zip(result.cursors, result.overviews, strict=True):
        if not _fits(head, query.status, game=None):
            continue
        entry = _summary_if_there(ctx, cursor[1], head, metadata)
        if entry is None or not _has_player(entry, player):
            continue
        page_summaries.append(entry)
        if len(page_summaries) == query.limit:
            is_last = cursor == result.cursors[-1] and len(result.cursors) < _LOOKED_AT
            return MatchPage(page_summaries, next=None if is_last else cursor)

    is_full = len(result.cursors) == _LOOKED_AT
    return MatchPage(page_summaries, next=result.cursors[-1] if is_full else None)


def latest(ctx: Context, selection: MatchSelection, limit: int, player: str = "") -> MatchPage:
    """Return public matches by the position of their last commit in the log, highest first.

    player: only matches with a seat of this name now, "" for all. Names are in no index, as in
        `of_player`.
    A cursor is the position of a match's last commit in the log, and the id of the match. A match
    with a new commit meanwhile moves before the first page. Raises Overloaded and LogUnavailable.
    """
    page_summaries: list[answers.MatchSummary] = []
    at_once = _LOOKED_AT if player else limit
    listed = server_log.listed(ctx, selection, at_once)
    overviews = ctx.journal.events.overviews([(one.match, FIELDS) for one in listed])
    gone = [one.match for one, (head, _) in zip(listed, overviews, strict=True) if head is None]
    server_log.forget_deleted(ctx, gone)

    last = None
    for one, (head, metadata) in zip(listed, overviews, strict=True):
        last = (one.position, one.match)
        if _fits(head, selection.status, game=None):
            entry = _summary_if_there(ctx, one.match, head, metadata)
            if entry is not None and _has_player(entry, player):
                page_summaries.append(entry)
        if len(page_summaries) == limit:
            break

    is_all = len(listed) < at_once and (not listed or last == listed[-1][:2])
    return MatchPage(page_summaries, next=None if is_all else last)


def _has_player(entry: answers.MatchSummary, player: str) -> bool:
    return not player or any(normal(seat.get("name", "")) == player for seat in entry["seats"])


def mine(
    ctx: Context,
    bearer_tokens: Sequence[str],
    status: str,
    game: str | None,
    *,
    waiting: bool,
) -> MatchPage:
    """Return the matches of some tokens, newest first.

    waiting: only those that wait for the seat of a token.
    """
    queries = [(tokens.match_of(token) or "", tokens.field(token)) for token in bearer_tokens]
    overviews = ctx.journal.events.overviews(
        [(match, (field, *FIELDS)) for match, field in queries]
    )

    # By cursor, since several tokens may belong to one match.
    by_cursor: dict[Cursor, answers.MatchSummary] = {}
    for (match, field), overview in zip(queries, overviews, strict=True):
        head, metadata = overview
        holder = metadata.get(field)
        if holder is None or not _fits(head, status, game):
            continue
        if waiting and tokens.caller(holder).seat not in head.waiting:
            continue

        entry = _summary_if_there(ctx, match, head, metadata)
        if entry is not None:
            by_cursor[head.listed, match] = entry

    newest_first = sorted(by_cursor, reverse=True)
    return MatchPage(matches=[by_cursor[cursor] for cursor in newest_first], next=None)


def _fits(head: FoundHead, status: str, game: str | None) -> TypeGuard[Head]:
    """Return True for a readable head of a status ("": any) and a game (None: any)."""
    if not isinstance(head, Head):
        return False
    return status in ("", head.status) and game in (None, head.game)


def summaries(ctx: Context, matches: Sequence[str]) -> dict[str, answers.MatchSummary]:
    """Return the summaries of some matches by id, without missing and unreadable ones."""
    overviews = ctx.journal.events.overviews([(match, FIELDS) for match in matches])
    by_id = {}
    for match, (head, metadata) in zip(matches, overviews, strict=True):
        if not isinstance(head, Head):
            continue
        entry = _summary_if_there(ctx, match, head, metadata)
        if entry:
            by_id[match] = entry
    return by_id


def _summary_if_there(
    ctx: Context, match_id: str, head: Head, metadata: Mapping[str, str]
) -> answers.MatchSummary | None:
    """Return the summary of a match, None if the match is missing or cannot be read."""
    try:
        return summary(ctx, match_id, head, metadata)
    except (NotFound, MatchDeleted):
        return None
    except (HeadDamaged, ValueError, LookupError, TypeError) as error:
        details = {"match": match_id, "error": type(error).__name__}
        _log.error("match could not be listed", extra=details)
        return None


def summary(
    ctx: Context, match_id: str, head: Head, metadata: Mapping[str, str]
) -> answers.MatchSummary:
    """Return the summary of a match for lists.

    metadata: the fields FIELDS of its metadata.
    Raises NotFound or MatchDeleted if the match is gone meanwhile, and its derived metadata are not
    stored.
    """
    metadata = derived.with_derived(ctx, match_id, metadata)
    seats = seat_holders.stored_seat_holders(metadata, head.status)
    bots = [seat for seat in head.waiting if seats[seat]["kind"] == "bot"]
    answer: answers.MatchSummary = {
        "match": match_id,
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
        answer["rematch_of"] = metadata[REMATCH_OF]
    for side in SIDES:
        side.summary(metadata, answer)
    if head.imported:
        answer["imported"] = timestamp(head.imported)
    return answer


# Overviews for operators: status, idle time, size and awaited parties of matches.


_HEADS_AT_ONCE = 500  # heads read in one go
_PIECE = 200  # commits read in one go


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """A filter of matches, private ones too.

    status, game: "" for all.   idle: least time since the last commit, in milliseconds.
    """

    status: str = ""
    game: str = ""
    idle: int = 0

    def takes(self, head: Head, now: int) -> bool:
        """Return True if a match passes the filter."""
        fits = self.status in ("", head.status) and self.game in ("", head.game)
        return fits and now - head.updated >= self.idle


@dataclass(frozen=True, slots=True)
class Overviews:
    """Matches, the latest commit first.

    total: number of matches in the filter.
    damaged: matches with an unreadable head, also outside of the filter. Of the latest matches in
        the filter, also those with an unreadable archive marker or file, or without commits.
    """

    matches: list[Json]
    total: int
    damaged: list[str]


def overviews(ctx: Context, match_filter: MatchFilter, limit: int) -> Overviews:
    """Return overviews of the matches in a filter, at most `limit`."""
    now = ctx.clock()
    total = 0
    damaged: list[str] = []

    def fitting() -> Iterator[tuple[int, str]]:
        nonlocal total
        for match, head in _heads(ctx):
            if isinstance(head, HeadDamaged):
                damaged.append(match)
            elif match_filter.takes(head, now):
                total += 1
                yield head.updated, match

    latest_first = heapq.nlargest(limit, fitting())
    matches = []
    for _, match in latest_first:
        try:
            entry = _overview_if_there(ctx, match)
        except MatchDeleted:  # meanwhile
            continue
        except (ArchiveDamaged, NotFound):
            damaged.append(match)
        else:
            matches += [entry] if entry is not None else []
    return Overviews(matches, total, damaged)


def overview(ctx: Context, match_id: str) -> Json:
    """Return the overview of a match. Raises NotFound, MatchDeleted.

    An overview has the summary of the match, and also `hash`, `idle_ms` (the time since its last
    commit), `bytes` (the size of its commits) and `archived` (the time of archiving, or None).
    """
    entry = _overview_if_there(ctx, match_id)
    if entry is None:
        raise why_missing(ctx, match_id)
    return entry


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
    """Return the size of a match's commits, in bytes."""
    size = 0
    for after in range(0, head.version, _PIECE):
        size += sum(map(len, ctx.journal.events.read(match_id, after, _PIECE)))
    return size


def _heads(ctx: Context) -> Iterator[tuple[str, Head | HeadDamaged]]:
    """Yield every existing match with its head."""
    matches = ctx.journal.events.matches()
    while names := list(islice(matches, _HEADS_AT_ONCE)):
        for match, head in zip(names, ctx.journal.events.heads(names), strict=True):
            if head is not None:
                yield match, head
