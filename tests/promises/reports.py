"""Reports of one stream of many matches and of webhooks, compared with clients' observations.

Clients do not know the time of a commit. A version existed once an answer told of it or of a later
one. It was still the last version when a client asked, if the answer said so. So it lasted at least
from the first answer with it or a later version to the last question with it as the answer.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Self

from tests.promises.checker import CALLED_AGAIN, PASSED_TURN, UNREPORTED, Finding
from tests.promises.history import CALL, NEWS, WEBHOOK, Try

TURN = "turn"
ENDED = "ended"
OWNER = "owner"

# A lasting version is reported within STREAM_SECONDS, in spite of any fault. Of a time without any
# answer only LONGEST_SILENCE counts.
LONGEST_SILENCE = 10.0
STREAM_SECONDS = 30.0
# A call lost with its process is made anew after the lease of its timer, half a minute. A failed
# one, after a minute.
CALLS_SECONDS = 180.0
CALL_SECONDS = 20.0  # the longest duration of one call
NOTE_SECONDS = 5.0  # from an answer until it is noted

NEVER = float("inf")

Span = tuple[float, float]


@dataclass(slots=True)
class Seen:
    """Clients' observations of a match: each version's beginning, end and awaited seats."""

    since: dict[int, float] = field(default_factory=dict)
    until: dict[int, float] = field(default_factory=dict)
    seats: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, tries: Iterable[Try]) -> Self:
        """Return the observations in the tries of one match."""
        result = cls()
        for one in tries:
            if not one.version or one.what == CALL:
                continue
            first = result.since.get(one.version, one.ended)
            result.since[one.version] = min(first, one.ended)
            if one.seats is not None:
                result.seats[one.version] = one.seats
                last = result.until.get(one.version, one.sent)
                result.until[one.version] = max(last, one.sent)

        earliest = NEVER
        for version in sorted(result.since, reverse=True):
            earliest = min(earliest, result.since[version])
            result.since[version] = earliest
        return result

    def turn_since(self, seat: int, version: int) -> int:
        """Return the version after which the present turn of a seat has begun."""
        others = [one for one, seats in self.seats.items() if one < version and seat not in seats]
        return max(others, default=0)

    def awaits(self, actor: str, version: int) -> bool:
        """Return True if a seat was awaited at a version."""
        return actor in {f"seat:{seat}" for seat in self.seats.get(version, ())}


def check_reports(
    tries: Sequence[Try], last: Mapping[str, int], excuses: Sequence[Span] = ()
) -> list[Finding]:
    """Return the broken promises of streams and webhooks.

    last: the last version of each match. The match has ended. excuses: spans in which the note of
    an answer to a call may have been lost.
    """
    by_match: defaultdict[str, list[Try]] = defaultdict(list)
    for one in tries:
        by_match[one.match].append(one)

    answered = sorted(one.ended for one in tries if one.status and one.what != CALL)
    findings: list[Finding] = []
    for match, own in by_match.items():
        ended = last.get(match, 0)
        timeline = Seen.of(own)
        lapse = Lapse(timeline, answered)
        findings += _check_news(match, _by_actor(own, NEWS), lapse, ended)

        calls = _by_actor(own, CALL)
        for actor, requests in _by_actor(own, WEBHOOK).items():
            stored = [one.ended for one in requests if one.status in (200, 201)]
            if stored:
                hook = Hook(match, actor, max(stored), calls.get(actor, []))
                findings += _check_called(hook, lapse, ended)
                findings += _check_present(hook, timeline)
                findings += _check_repeats(hook, excuses)
    return findings


@dataclass(frozen=True, slots=True)
class Lapse:
    """Clients' observations of a match, and the times of all answers."""

    seen: Seen
    answered: Sequence[float]

    def is_over(self, version: int, since: float, came: float, seconds: float) -> bool:
        """Return True if a version lasted so many seconds, and no report of it came in these."""
        start = max(self.seen.since[version], since)
        end = min(self.seen.until[version], came)
        if end - start <= seconds:
            return False
        first, last = bisect_left(self.answered, start), bisect_left(self.answered, end)
        times = [start, *self.answered[first:last], end]
        return sum(min(after - at, LONGEST_SILENCE) for at, after in pairwise(times)) > seconds


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook: its holder, the time from which it was certainly there, and its calls."""

    match: str
    actor: str
    stored: float
    calls: Sequence[Try]


def _by_actor(tries: Iterable[Try], what: str) -> dict[str, list[Try]]:
    """Return the tries of a kind by the holder of the token."""
    grouped: defaultdict[str, list[Try]] = defaultdict(list)
    for one in tries:
        if one.what == what:
            grouped[one.actor].append(one)
    return grouped


def _check_news(
    match: str, by_actor: Mapping[str, Sequence[Try]], lapse: Lapse, last: int
) -> Iterator[Finding]:
    """Check that streams reported every lasting version as the right kind."""
    for actor, news in by_actor.items():
        followed = min(one.sent for one in news)
        came = {(one.version, one.event): one.ended for one in reversed(news)}
        for version in lapse.seen.until:
            event = _wanted(lapse.seen, actor, version, last)
            at = came.get((version, event), NEVER)
            if lapse.is_over(version, followed, at, STREAM_SECONDS):
                text = f"the stream of {actor} did not report version {version} as {event}"
                yield Finding(UNREPORTED, match, text, version)


def _wanted(timeline: Seen, actor: str, version: int, last: int) -> str:
    """Return the kind of a version's report to the holder of a token."""
    if version == last:
        return ENDED
    return TURN if timeline.awaits(actor, version) else "waiting"


def _check_called(hook: Hook, lapse: Lapse, last: int) -> Iterator[Finding]:
    """Check that a webhook was called about every lasting turn, and a lasting end."""
    timeline = lapse.seen
    for version in timeline.until:
        if version == last:
            since, event = 0, ENDED
        elif timeline.awaits(hook.actor, version):
            since, event = timeline.turn_since(int(hook.actor.removeprefix("seat:")), version), TURN
        else:
            continue

        called = [
            one.sent for one in hook.calls if one.event == event and since < one.version <= version
        ]
        at = min(called, default=NEVER)
        if lapse.is_over(version, hook.stored, at, CALLS_SECONDS):
            text = f"no call to {hook.actor} about the {event} at version {version}"
            yield Finding(UNREPORTED, hook.match, text, version)


def _check_present(hook: Hook, timeline: Seen) -> Iterator[Finding]:
    """Check that no call was about a turn that had passed long before the call."""
    for call in hook.calls:
        if call.event == TURN and _had_passed(call, timeline):
            text = f"{hook.actor} was called for version {call.version}, which had long passed"
            yield Finding(PASSED_TURN, hook.match, text, call.version)


def _had_passed(call: Try, timeline: Seen) -> bool:
    """Return True if a turn had passed for longer than a call takes.

    A turn passes with a later version at which its seat is not awaited, for the owner with any.
    """
    versions = [
        version
        for version in timeline.seats
        if version > call.version
        and (call.actor == OWNER or not timeline.awaits(call.actor, version))
    ]
    passed = min((timeline.since[version] for version in versions), default=NEVER)
    return call.sent > passed + CALL_SECONDS


def _check_repeats(hook: Hook, excuses: Sequence[Span]) -> Iterator[Finding]:
    """Check that no call came again after a 2xx, unless a fault may have lost its note."""
    calls = [one for one in hook.calls if one.sent > hook.stored]
    answered: dict[str, float] = {}
    for one in sorted(calls, key=lambda call: call.sent):
        before = answered.get(one.key)
        if before is not None and not _is_excused(before, excuses):
            yield Finding(
                CALLED_AGAIN, hook.match, f"{one.key} was answered with 2xx, and came again"
            )
        if 200 <= one.status < 300:
            answered[one.key] = one.ended


def _is_excused(answered: float, excuses: Sequence[Span]) -> bool:
    """Return True if something was broken between an answer and its note."""
    return any(
        began - 1 <= answered + NOTE_SECONDS and answered <= ended + NOTE_SECONDS
        for began, ended in excuses
    )
