"""What an operator asks about matches: status, how long they are idle, size, whom they wait for."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from service.journal.values import Head
from service.ledger.canonical import Json
from service.ledger.times import timestamp
from service.matches import listing
from service.matches.desk import Desk
from service.matches.loading import PIECE, why_missing
from service.matches.seating import FIELDS

_ASKED = 500  # heads read in one go


@dataclass(frozen=True, slots=True)
class Filter:
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
    """Matches, those that were moved in last first.   total: how many fit the filter."""

    matches: list[Json]
    total: int


def overviews(desk: Desk, wanted: Filter, limit: int) -> Overviews:
    """Return what there is to know of at most so many matches."""
    now = desk.clock()
    total = 0

    def fitting() -> Iterator[tuple[int, str]]:
        nonlocal total
        for match, head in _heads(desk):
            if wanted.takes(head, now):
                total += 1
                yield head.updated, match

    found = heapq.nlargest(limit, fitting())
    matches = [_overview_if_there(desk, match) for _, match in found]
    return Overviews([shown for shown in matches if shown is not None], total)


def overview(desk: Desk, match_id: str) -> Json:
    """Return what there is to know of a match; raises NotFound, MatchDeleted.

    It is what a list says of the match, and in addition `hash`; `idle_ms`, the time since its last
    commit; `bytes`, the size of its commits; `archived`, when it was, or None.
    """
    shown = _overview_if_there(desk, match_id)
    if shown is None:
        raise why_missing(desk, match_id)
    return shown


def _overview_if_there(desk: Desk, match_id: str) -> Json | None:
    [(head, sidecar)] = desk.journal.overviews([(match_id, FIELDS)])
    if head is None:
        return None

    marker = desk.journal.archived(match_id)
    size = marker.stored if marker else _size(desk, match_id, head)
    return {
        **listing.summary(desk, match_id, head, sidecar),
        "hash": head.hash,
        "idle_ms": max(0, desk.clock() - head.updated),
        "bytes": size,
        "archived": timestamp(marker.at) if marker else None,
    }


def _size(desk: Desk, match_id: str, head: Head) -> int:
    """Return how many bytes the commits of a match have."""
    size = 0
    for after in range(0, head.version, PIECE):
        size += sum(map(len, desk.journal.read(match_id, after, PIECE)))
    return size


def _heads(desk: Desk) -> Iterator[tuple[str, Head]]:
    """Yield every match that is there."""
    matches = desk.journal.matches()
    while names := list(islice(matches, _ASKED)):
        for match, head in zip(names, desk.journal.heads(names), strict=True):
            if head is not None:
                yield match, head
