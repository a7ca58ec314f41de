"""My matches: how each match of some tokens stands now, and every change, as one stream.

It is level-triggered: an event says how a match stands, not what has happened in it. So nothing is
lost with an event, and a reader that comes back is sent what differs from what it knows.
"""

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from service import answers
from service.errors import MatchDeleted, NotFound
from service.journal.errors import ArchiveUnavailable, JournalUnavailable
from service.journal.notifications import Notifications
from service.journal.values import DEADLINE, ENDED, Head
from service.keys import tokens
from service.ledger import replay
from service.ledger.commit import parse_commit
from service.matches import repository, views
from service.matches.context import Context
from service.matches.seats import ASK, SEATS, asked_to_agree, has_bot

MOST_TOKENS = 50

_DIGITS = 8  # of a hash, which tell one history from another
_UNREPORTED = ""
_GONE = "x"
_REPORT = rf"[1-9][0-9]{{0,14}}-[0-9a-f]{{{_DIGITS}}}"

POSITION = rf"[0-9a-f]{{{_DIGITS}}}(:({_REPORT}|{_GONE}|{_UNREPORTED})){{1,{MOST_TOKENS}}}"
"""The form of a position: which tokens it is of, then what was last reported for each of them."""

Render = Callable[[answers.MatchNews, str], bytes]


class Report(NamedTuple):
    """What a reader knows of a match: its version, and how the hash of that version begins."""

    version: int
    hash: str

    @classmethod
    def of(cls, head: Head) -> "Report":
        """Return what a reader knows who was sent how a match stands."""
        return cls(head.version, head.hash[:_DIGITS])


GONE = Report(0, _GONE)  # the token is not, or no longer, a token of a match


@dataclass(slots=True)
class _Watched:
    """A token whose match is watched.

    report: None: nothing was reported yet.
    is_final: nothing will follow.
    is_checked: the token was found to count at the version that was reported.
    """

    match: str
    holder_field: str
    report: Report | None = None
    is_final: bool = False
    is_checked: bool = False

    def stands_at(self, head: Head | None) -> bool:
        """Return whether a look would find nothing new, the match being at a head."""
        return self.is_checked and head is not None and self.report == Report.of(head)


class MyMatches:
    """The matches of some tokens, as a reader knows them."""

    def __init__(self, held_tokens: Sequence[str], position: str = "") -> None:
        """Watch the matches of tokens.

        position: what was last reported, as `position` returned it; "" for nothing. One of other
        tokens counts as nothing.
        """
        once_each = dict.fromkeys(held_tokens)
        self._watched = [
            _Watched(tokens.match_of(token) or "", tokens.field(token)) for token in once_each
        ]
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
    def are_final(self) -> bool:
        """Whether nothing will follow in any of them."""
        return all(watched.is_final for watched in self._watched)

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
        asked = [
            watched for watched in self._watched if matches is None or watched.match in matches
        ]
        if not asked:
            return
        overviews = ctx.journal.events.overviews(
            [(watched.match, (watched.holder_field, SEATS, DEADLINE, ASK)) for watched in asked]
        )

        for watched, (head, metadata) in zip(asked, overviews, strict=True):
            holder = metadata.get(watched.holder_field)
            if head is None or holder is None:
                yield from _gone(watched)
            else:
                seat = tokens.caller(holder).seat
                with suppress(ArchiveUnavailable):
                    yield from _news_of(ctx, watched, head, seat, metadata)

    def differing(self, ctx: Context) -> list[str]:
        """Return the matches that must be looked at, as their heads say; raises JournalUnavailable.

        What is reported changes with commits alone, and each commit changes the head. So a match
        at the head that was reported needs no look, once its token was found to count there.
        """
        matches = list(dict.fromkeys(watched.match for watched in self._watched))
        heads = dict(zip(matches, ctx.journal.events.heads(matches), strict=True))
        differing = (
            watched.match
            for watched in self._watched
            if not watched.stands_at(heads[watched.match])
        )
        return list(dict.fromkeys(differing))


def follow(
    ctx: Context, notifications: Notifications, mine: MyMatches, beat: float, render: Render
) -> Iterator[bytes]:
    """Yield how each match stands, then every change, and b"" in every silence.

    beat: after so many seconds the heads of all matches are looked at, since a notification may be
    lost.   render: writes news and the position that it leads to.
    Ends when nothing will follow in any match, or when the process stops. While the journal is away
    there is silence.
    """
    with notifications.follow_many(mine.matches) as channels:
        notified: Sequence[str] | None = None
        next_look = time.monotonic() + beat

        while not notifications.stopped:
            # What is not found out now, because the journal is away, is found out at the next look.
            with suppress(JournalUnavailable):
                matches = mine.differing(ctx) if notified is None else notified
                for one in mine.news(ctx, matches):
                    yield render(one, mine.position)
            if mine.are_final:
                return

            notified = channels.wait(max(0.0, next_look - time.monotonic()))
            if time.monotonic() >= next_look:
                yield b""
                notified = None
                next_look = time.monotonic() + beat


def _gone(watched: _Watched) -> Iterator[answers.MatchNews]:
    """Yield that a token does not count, or that its match was deleted; not which of the two."""
    watched.is_final = True
    watched.is_checked = False
    if watched.report != GONE:
        watched.report = GONE
        yield {"event": "gone", "match": watched.match, "version": 0, "seat": None}


def _news_of(
    ctx: Context, watched: _Watched, head: Head, seat: int | None, metadata: Mapping[str, str]
) -> Iterator[answers.MatchNews]:
    """Yield what is new of a match whose token counts.

    seat: the token's, None for a token of no seat.
    metadata: the fields SEATS, DEADLINE and ASK.
    """
    before = watched.report
    after = Report.of(head)
    if before == after:
        watched.is_final = head.final
        watched.is_checked = True
        return

    if before not in (None, GONE) and not _leads_on(ctx, watched.match, before, head):
        watched.report = None
        yield {"event": "rewritten", "match": watched.match, "version": head.version, "seat": seat}

    news = _standing(ctx, watched.match, head, seat, metadata)
    if news is not None:
        to = asked_to_agree(metadata.get(ASK, ""), seat)
        if to is not None:
            # It comes before the match counts as reported, so a reader that misses what follows is
            # sent both again.
            yield {**news, "event": "take_back", "to": to}
        watched.report = after
        watched.is_final = head.final
        watched.is_checked = True
        yield news


def _leads_on(ctx: Context, match: str, before: Report | None, head: Head) -> bool:
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
        news["event"] = "ended"
    elif seat is not None and seat in head.waiting and not has_bot(metadata.get(SEATS, ""), seat):
        news["event"] = "turn"
    return news


def _written(report: Report | None) -> str:
    """Return what a reader knows of a match, as a position has it."""
    if report is None:
        return _UNREPORTED
    return _GONE if report == GONE else f"{report.version}-{report.hash}"


def _read_report(text: str) -> Report | None:
    """Return what `_written` has written."""
    if text == _GONE:
        return GONE
    if not re.fullmatch(_REPORT, text):
        return None
    version, hash_begins = text.split("-")
    return Report(int(version), hash_begins)
