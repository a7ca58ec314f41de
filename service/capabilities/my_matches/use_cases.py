"""My matches: the standing of each match of some tokens, and every change, as one stream.

An event tells the present state of a match, not its history. So a lost event loses nothing, and a
reader that comes back is sent only the differences.

States of a watched token:

    unreported --look--> reported --new version--> reported
                         reported --journal has gone back--> unreported (event `rewritten`)
    any --token invalid, or match deleted--> gone (final)
    any --final version reported--> final

Nothing follows in a final match, unless the journal goes back to a time before its end. So looks at
all matches include the final ones.

`position` is the text form of all reports. Each event has the position as its ID. Each stream has a
MyMatches of its own. A notification names the matches to look at. Regular looks find changes if a
notification is lost.

A crash: the process dies after it wrote an event, and the event does not arrive. The reader sends
the position of the last event that it received. `MyMatches` reads the reports in the position.
`news` compares them with the heads, and sends the lost state again. If the journal went back
meanwhile, `_continues` finds that the head has no higher version, or that the reported version has
another hash. Then `rewritten` comes first.
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
from service.record import replay
from service.record.commit import parse_commit
from service.record.terms.sides import NEWS_FIELDS, SIDES
from service.store.journal.errors import ArchiveUnavailable, HeadDamaged, JournalUnavailable
from service.store.journal.notifications import Notifications
from service.store.journal.values import ENDED, Head
from service.store.keys import tokens
from service.store.seat_holders import has_bot

MOST_TOKENS = 50

# One in _FULL_LOOK_EVERY looks reads the tokens, too. The other looks read only heads, and miss a
# token that was replaced without a commit. That token gets no news meanwhile, because `news` reads
# the token before it reports a match.
_FULL_LOOK_EVERY = 6

# The tokens of a slow reader are checked again after this time.
_CHECK_SECONDS = 1.0

_DIGITS = 8  # of a hash, enough to distinguish histories
_UNREPORTED = ""
_GONE = "x"
_REPORT = rf"[1-9][0-9]{{0,14}}-[0-9a-f]{{{_DIGITS}}}"

# The form of a position: a fingerprint of its tokens, then the last report for each of them.
POSITION = rf"[0-9a-f]{{{_DIGITS}}}(:({_REPORT}|{_GONE}|{_UNREPORTED})){{1,{MOST_TOKENS}}}"

# A seat is present for HERE_SECONDS after its last sign. A stream gives its first sign after the
# first `beat`, so a page that connects only briefly gives none. Later signs are at least
# _SIGN_SECONDS apart.
HERE_SECONDS = 180
_SIGN_SECONDS = 60

# Notes seats of matches as present, and returns the seats present in each match.
Presence = Callable[[Mapping[str, Sequence[int]]], dict[str, list[int]]]

Render = Callable[[answers.MatchNews, str], bytes]


class KnownVersion(NamedTuple):
    """A version of a match that a reader knows, and the beginning of its hash."""

    version: int
    hash: str

    @classmethod
    def of(cls, head: Head) -> "KnownVersion":
        """Return the version of a head."""
        return cls(head.version, head.hash[:_DIGITS])


GONE = KnownVersion(0, _GONE)  # the token is invalid, or the match was deleted


@dataclass(slots=True)
class _WatchedToken:
    """A token with its watched match.

    report: last reported version, None before the first report.   is_final: nothing will follow.
    seat: seat of the token. None for a token of no seat, and before the first look.
    """

    match: str
    holder_field: str
    report: KnownVersion | None = None
    is_final: bool = False
    seat: int | None = None

    @property
    def is_seated(self) -> bool:
        """True for a token of a seat if something may follow."""
        return self.seat is not None and not self.is_final


class MyMatches:
    """The matches of some tokens, and the versions that a reader knows."""

    def __init__(
        self, held_tokens: Sequence[str], position: str = "", note_here: Presence | None = None
    ) -> None:
        """Watch the matches of tokens.

        position: of the last event, "" for none. A position of other tokens is ignored.
        note_here: notes the presence of seats. None: presence is not noted.
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
        """The seats of the tokens by match, without final matches."""
        seats: dict[str, list[int]] = {}
        for watched in self._watched:
            if watched.seat is not None and watched.is_seated:
                seats.setdefault(watched.match, []).append(watched.seat)
        return seats

    @property
    def are_final(self) -> bool:
        """True if nothing will follow in any match."""
        return all(watched.is_final for watched in self._watched)

    def presence(self, note: Presence) -> Iterator[answers.MatchNews]:
        """Note the seats as present. Yield the present seats of each match if they have changed."""
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
        """The last report of each match, in the form POSITION."""
        reports = [_written(watched.report) for watched in self._watched]
        return ":".join([self._fingerprint, *reports])

    def news(
        self, ctx: Context, matches: Sequence[str] | None = None
    ) -> Iterator[answers.MatchNews]:
        """Yield the differences from the reports, and update the reports.

        matches: matches to look at. None: all, including final matches, since the journal may have
            gone back to a time before their end.
        A match with a damaged head or an unreadable archive is left out. Raises
        JournalUnavailable.
        """
        queue = deque(
            watched for watched in self._watched if matches is None or watched.match in matches
        )
        while queue:
            yield from self._fresh_news(ctx, queue)

    def _fresh_news(self, ctx: Context, queue: deque[_WatchedToken]) -> Iterator[answers.MatchNews]:
        """Take matches off a queue, and yield the news of each.

        Ends early if the reader is slow and the tokens were checked too long ago.
        """
        overviews = ctx.journal.events.overviews(
            [
                (watched.match, (watched.holder_field, SEATS, DEADLINE, *NEWS_FIELDS))
                for watched in queue
            ]
        )
        checked_at = time.monotonic()
        for head, metadata in overviews:
            watched = queue.popleft()
            holder = metadata.get(watched.holder_field)
            if head is None or holder is None:
                yield from _gone(watched)
            elif isinstance(head, Head):  # a damaged head gives no news until it is repaired
                seat = watched.seat = tokens.caller(holder).seat
                with suppress(ArchiveUnavailable, HeadDamaged):
                    yield from _news_of(ctx, watched, head, seat, metadata)
            if time.monotonic() - checked_at >= _CHECK_SECONDS:
                return

    def moved(self, ctx: Context) -> list[str]:
        """Return the matches at another version than the reported one.

        A call is cheaper than a call of `news`. Call `news` with the returned matches. A token that
        was replaced without a commit is not found. Raises JournalUnavailable.
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
    """Yield the state of each match, then every change, and b"" in every silence.

    beat: seconds between looks at all heads, because a notification may be lost. Each
    _FULL_LOOK_EVERY-th look reads the tokens, too.
    render: writes news and the position after them.

    Ends if nothing will follow in any match, or if the process stops. Yields only b"" while the
    journal is unavailable.
    """
    with notifications.follow_many(mine.matches) as channels:
        notified: Sequence[str] | None = None
        next_look = time.monotonic() + beat
        next_sign = next_look
        looks = 0

        while not notifications.stopped:
            # While the journal is unavailable, changes wait for the next look.
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
                    # `news` runs first and makes invalid tokens final. The presence of a final
                    # token is neither noted nor sent.
                    for one in chain(mine.news(ctx), mine.presence(mine.note_here)):
                        yield render(one, mine.position)
            if time.monotonic() >= next_look:
                yield b""
                notified = None
                looks += 1
                next_look = time.monotonic() + beat


def _gone(watched: _WatchedToken) -> Iterator[answers.MatchNews]:
    """Yield the event for an invalid token or a deleted match. The event is the same for both."""
    watched.is_final = True
    if watched.report != GONE:
        watched.report = GONE
        yield {"event": "gone", "match": watched.match, "version": 0, "seat": None}


def _news_of(
    ctx: Context, watched: _WatchedToken, head: Head, seat: int | None, metadata: Mapping[str, str]
) -> Iterator[answers.MatchNews]:
    """Yield the news of a match for a valid token.

    seat: seat of the token, None for a token of no seat.
    metadata: the fields SEATS, DEADLINE and NEWS_FIELDS.
    """
    before = watched.report
    after = KnownVersion.of(head)
    if before == after:
        watched.is_final = head.final
        return

    if before not in (None, GONE) and not _continues(ctx, watched.match, before, head):
        watched.report = None
        yield {"event": "rewritten", "match": watched.match, "version": head.version, "seat": seat}

    news = _standing(ctx, watched.match, head, seat, metadata)
    if news is not None:
        for side in SIDES:
            # Yield the news of terms before the match counts as reported. A reader that misses the
            # state then gets the state and this news again.
            yield from side.news(metadata, seat, news)
        watched.report = after
        watched.is_final = head.final
        yield news


def _continues(ctx: Context, match: str, before: KnownVersion | None, head: Head) -> bool:
    """Return True if the match at a head continues the reported version."""
    if before is None or head.version <= before.version:
        return False

    commits = ctx.journal.events.read(match, before.version - 1, 1)
    return bool(commits) and parse_commit(commits[0])["hash"].startswith(before.hash)


def _standing(
    ctx: Context, match: str, head: Head, seat: int | None, metadata: Mapping[str, str]
) -> answers.MatchNews | None:
    """Return the state of a match for a token's holder. None if the match was deleted meanwhile."""
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
    """Return a report as the text in a position."""
    if report is None:
        return _UNREPORTED
    return _GONE if report == GONE else f"{report.version}-{report.hash}"


def _read_report(text: str) -> KnownVersion | None:
    """Return the report of a text from `_written`. None for any other text."""
    if text == _GONE:
        return GONE
    if not re.fullmatch(_REPORT, text):
        return None
    version, hash_begins = text.split("-")
    return KnownVersion(int(version), hash_begins)
