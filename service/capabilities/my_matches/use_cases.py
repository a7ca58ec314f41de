"""My matches: how each match of some tokens stands now, and every change, as one stream.

It is level-triggered: an event says how a match stands, not what has happened in it. So nothing is
lost with an event, and a reader that comes back is sent what differs from what it knows.
"""

import hashlib
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from domain.errors import RulesUnknown
from service.base import answers
from service.base.errors import MatchDeleted, NotFound
from service.base.metadata_fields import DEADLINE, SEATS
from service.matches import repository, views
from service.matches.context import Context
from service.matches.seats import has_bot
from service.record import replay
from service.record.commit import parse_commit
from service.record.terms.sides import NEWS_FIELDS, SIDES
from service.store.journal.errors import ArchiveUnavailable, HeadDamaged, JournalUnavailable
from service.store.journal.notifications import Notifications
from service.store.journal.values import ENDED, Head
from service.store.keys import tokens

MOST_TOKENS = 50

# One look in so many is at tokens, too; the others are at heads alone. A match is looked at in full
# before its news are sent, so a token that was replaced without a commit is sent none meanwhile.
_FULL_LOOK_EVERY = 6

# A slow reader's tokens are checked again after so long.
_CHECK_SECONDS = 1.0

_DIGITS = 8  # of a hash, which tell one history from another
_UNREPORTED = ""
_GONE = "x"
_REPORT = rf"[1-9][0-9]{{0,14}}-[0-9a-f]{{{_DIGITS}}}"

POSITION = rf"[0-9a-f]{{{_DIGITS}}}(:({_REPORT}|{_GONE}|{_UNREPORTED})){{1,{MOST_TOKENS}}}"
"""The form of a position: which tokens it is of, then what was last reported for each of them."""

# A seat is here for so many seconds after the last sign of it. A stream gives one after its first
# beat, so a glance of a hidden page gives none, and then one in so many seconds at most.
HERE_SECONDS = 180
_SIGN_SECONDS = 60

# Notes that seats of matches are here, and returns for each match the seats that are.
Presence = Callable[[Mapping[str, Sequence[int]]], dict[str, list[int]]]

Render = Callable[[answers.MatchNews, str], bytes]


class KnownVersion(NamedTuple):
    """What a reader knows of a match: its version, and how the hash of that version begins."""

    version: int
    hash: str

    @classmethod
    def of(cls, head: Head) -> "KnownVersion":
        """Return what a reader knows who was sent how a match stands."""
        return cls(head.version, head.hash[:_DIGITS])


GONE = KnownVersion(0, _GONE)  # the token is not, or no longer, a token of a match


@dataclass(slots=True)
class _WatchedToken:
    """A token whose match is watched.

    report: None: nothing was reported yet.
    is_final: nothing will follow.
    seat: whose token it is; None: of no seat, or not known yet.
    """

    match: str
    holder_field: str
    report: KnownVersion | None = None
    is_final: bool = False
    seat: int | None = None

    @property
    def is_seated(self) -> bool:
        """Whether it is a seat's, and something may follow."""
        return self.seat is not None and not self.is_final


class MyMatches:
    """The matches of some tokens, as a reader knows them."""

    def __init__(
        self, held_tokens: Sequence[str], position: str = "", note_here: Presence | None = None
    ) -> None:
        """Watch the matches of tokens.

        position: what was last reported, as `position` returned it; "" for nothing. One of other
        tokens counts as nothing.   note_here: None: nobody is to know which seats are here.
        """
        self.note_here = note_here
        once_each = dict.fromkeys(held_tokens)
        self._watched = [
            _WatchedToken(tokens.match_of(token) or "", tokens.field(token)) for token in once_each
        ]
        self._here: dict[str, list[int]] = {}
        fields = ",".join(watched.holder_field for watched in self._watched)
        self._fingerprint = hashlib.sha256(fields.encode()).hexdigest()[:_DIGITS]

        fingerprint, *reports = position.split(":")
        if fingerprint == self._fingerprint and len(reports) == len(self._watched):
            for watched, report in zip(self._watched, reports, strict=True):
                watched.report = _read_report(report)

    @property
    def matches(self) -> list[str]:
        """The matches in which something may follow, each once."""
        matches = (watched.match for watched in self._watched if not watched.is_final)
        return list(dict.fromkeys(matches))

    @property
    def seats(self) -> dict[str, list[int]]:
        """The seats of the tokens, by the match in which something may follow."""
        found: dict[str, list[int]] = {}
        for watched in self._watched:
            if watched.seat is not None and watched.is_seated:
                found.setdefault(watched.match, []).append(watched.seat)
        return found

    @property
    def are_final(self) -> bool:
        """Whether nothing will follow in any of them."""
        return all(watched.is_final for watched in self._watched)

    def presence(self, note: Presence) -> Iterator[answers.MatchNews]:
        """Note that the seats are here, and yield who is, match by match, where that is new."""
        seated = {watched.match: watched for watched in self._watched if watched.is_seated}
        for match, here in note(self.seats).items():
            watched = seated[match]
            if self._here.get(match) == here or watched.report is None:
                continue

            self._here[match] = here
            yield {
                "event": "presence",
                "match": match,
                "version": watched.report.version,
                "seat": watched.seat,
                "here": here,
            }

    @property
    def position(self) -> str:
        """What was last reported of each match, in the form POSITION."""
        reports = [_written(watched.report) for watched in self._watched]
        return ":".join([self._fingerprint, *reports])

    def news(
        self, ctx: Context, matches: Sequence[str] | None = None
    ) -> Iterator[answers.MatchNews]:
        """Yield what differs from what was reported, and count it as reported.

        matches: only of these; None: of all, also of those in which nothing was to follow: the
        journal may have gone back before their end. A match whose archive cannot be read now is
        left out. Raises JournalUnavailable.
        """
        asked = deque(
            watched for watched in self._watched if matches is None or watched.match in matches
        )
        while asked:
            yield from self._fresh_news(ctx, asked)

    def _fresh_news(self, ctx: Context, asked: deque[_WatchedToken]) -> Iterator[answers.MatchNews]:
        """Take matches off a queue, and yield the news of each.

        Ends early if the tokens were checked too long ago, because the reader is slow.
        """
        overviews = ctx.journal.events.overviews(
            [
                (watched.match, (watched.holder_field, SEATS, DEADLINE, *NEWS_FIELDS))
                for watched in asked
            ]
        )
        checked_at = time.monotonic()
        for head, metadata in overviews:
            watched = asked.popleft()
            holder = metadata.get(watched.holder_field)
            if head is None or holder is None:
                yield from _gone(watched)
            elif isinstance(head, Head):  # a damaged one says nothing until it is mended
                seat = watched.seat = tokens.caller(holder).seat
                with suppress(ArchiveUnavailable, HeadDamaged):
                    yield from _news_of(ctx, watched, head, seat, metadata)
            if time.monotonic() - checked_at >= _CHECK_SECONDS:
                return

    def moved(self, ctx: Context) -> list[str]:
        """Return the matches that are not at the version that was reported.

        It costs a third of `news`, which then says what is new of them. It does not find a token
        that was replaced without a commit. Raises JournalUnavailable.
        """
        matches = list(dict.fromkeys(watched.match for watched in self._watched))
        heads = ctx.journal.events.heads(matches)
        reports = {
            match: GONE if head is None else KnownVersion.of(head)
            for match, head in zip(matches, heads, strict=True)
            if not isinstance(head, HeadDamaged)
        }
        moved = [
            watched.match
            for watched in self._watched
            if watched.match in reports and watched.report != reports[watched.match]
        ]
        return list(dict.fromkeys(moved))


def follow(
    ctx: Context, notifications: Notifications, mine: MyMatches, beat: float, render: Render
) -> Iterator[bytes]:
    """Yield how each match stands, then every change, and b"" in every silence.

    beat: after so many seconds all heads are looked at, and now and then all tokens too, since a
    notification may be lost.   render: writes news and the position that it leads to.
    Ends when nothing will follow in any match, or when the process stops. While the journal is away
    there is silence.
    """
    with notifications.follow_many(mine.matches) as channels:
        notified: Sequence[str] | None = None
        next_look = time.monotonic() + beat
        next_sign = next_look
        looks = 0

        while not notifications.stopped:
            # What is not found out now, because the journal is away, is found out at the next look.
            with suppress(JournalUnavailable):
                is_quick = notified is None and looks % _FULL_LOOK_EVERY > 0
                for one in mine.news(ctx, mine.moved(ctx) if is_quick else notified):
                    yield render(one, mine.position)
            if mine.are_final:
                return

            notified = channels.wait(max(0.0, next_look - time.monotonic()))
            if mine.note_here and time.monotonic() >= next_sign:
                next_sign = time.monotonic() + _SIGN_SECONDS
                with suppress(JournalUnavailable):
                    # Of a token that no longer counts nothing is noted, and it is told nothing.
                    for one in chain(mine.news(ctx), mine.presence(mine.note_here)):
                        yield render(one, mine.position)
            if time.monotonic() >= next_look:
                yield b""
                notified = None
                looks += 1
                next_look = time.monotonic() + beat


def _gone(watched: _WatchedToken) -> Iterator[answers.MatchNews]:
    """Yield that a token does not count, or that its match was deleted; not which of the two."""
    watched.is_final = True
    if watched.report != GONE:
        watched.report = GONE
        yield {"event": "gone", "match": watched.match, "version": 0, "seat": None}


def _news_of(
    ctx: Context, watched: _WatchedToken, head: Head, seat: int | None, metadata: Mapping[str, str]
) -> Iterator[answers.MatchNews]:
    """Yield what is new of a match whose token counts.

    seat: the token's, None for a token of no seat.
    metadata: the fields SEATS, DEADLINE and NEWS_FIELDS.
    """
    before = watched.report
    after = KnownVersion.of(head)
    if before == after:
        watched.is_final = head.final
        return

    if before not in (None, GONE) and not _leads_on(ctx, watched.match, before, head):
        watched.report = None
        yield {"event": "rewritten", "match": watched.match, "version": head.version, "seat": seat}

    news = _standing(ctx, watched.match, head, seat, metadata)
    if news is not None:
        for side in SIDES:
            # It comes before the match counts as reported, so a reader that misses what follows is
            # sent both again.
            yield from side.news(metadata, seat, news)
        watched.report = after
        watched.is_final = head.final
        yield news


def _leads_on(ctx: Context, match: str, before: KnownVersion | None, head: Head) -> bool:
    """Return whether the match at a head is the one that was reported, gone on."""
    if before is None or head.version <= before.version:
        return False

    commits = ctx.journal.events.read(match, before.version - 1, 1)
    return bool(commits) and parse_commit(commits[0])["hash"].startswith(before.hash)


def _standing(
    ctx: Context, match: str, head: Head, seat: int | None, metadata: Mapping[str, str]
) -> answers.MatchNews | None:
    """Return how a match stands for the holder of a seat; None if it was deleted meanwhile."""
    news: answers.MatchNews = {
        "event": "waiting",
        "match": match,
        "version": head.version,
        "seat": seat,
        "status": head.status,
        "waiting_for": {"house": head.awaiting == "house", "seats": list(head.waiting)},
        "deadline": views.deadline(metadata),
    }
    if head.status in ENDED:
        try:
            news["outcome"] = replay.outcome(repository.load(ctx, match))
        except (NotFound, MatchDeleted):
            return None
        except RulesUnknown:
            news["outcome"] = None
        news["event"] = "ended"
    elif seat is not None and seat in head.waiting and not has_bot(metadata.get(SEATS, ""), seat):
        news["event"] = "turn"
    return news


def _written(report: KnownVersion | None) -> str:
    """Return what a reader knows of a match, as a position has it."""
    if report is None:
        return _UNREPORTED
    return _GONE if report == GONE else f"{report.version}-{report.hash}"


def _read_report(text: str) -> KnownVersion | None:
    """Return what `_written` has written."""
    if text == _GONE:
        return GONE
    if not re.fullmatch(_REPORT, text):
        return None
    version, hash_begins = text.split("-")
    return KnownVersion(int(version), hash_begins)
