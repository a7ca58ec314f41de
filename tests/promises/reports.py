"""What one stream of many matches and webhooks have reported, held against what clients saw.

Nobody outside knows when a commit was made. A version was there when somebody had been told of it,
and it was the present one when somebody was told so who had asked later. So a version lasted at
least from the first answer that tells it, or a later one, to the last question it was an answer to.
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

# Within so many seconds a version that lasts is reported, whatever breaks meanwhile. Of a time in
# which nobody was answered only the first seconds count.
LONGEST_SILENCE = 10.0
STREAM_SECONDS = 30.0
# A call that died with its process is made anew after the lease of its timer, half a minute; one
# that failed, after a minute.
CALLS_SECONDS = 180.0
CALL_SECONDS = 20.0  # what one call may take in all
NOTE_SECONDS = 5.0  # from an answer until it is noted

NEVER = float("inf")

Span = tuple[float, float]


@dataclass(slots=True)
class Seen:
    """What clients saw of a match: of each version since when, until when, and who was awaited."""

    since: dict[int, float] = field(default_factory=dict)
    until: dict[int, float] = field(default_factory=dict)
    seats: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, tries: Iterable[Try]) -> Self:
        """Return what the tries of one match say of it."""
        seen = cls()
        for one in tries:
            if not one.version or one.what == CALL:
                continue
            first = seen.since.get(one.version, one.ended)
            seen.since[one.version] = min(first, one.ended)
            if one.seats is not None:
                seen.seats[one.version] = one.seats
                last = seen.until.get(one.version, one.sent)
                seen.until[one.version] = max(last, one.sent)

        earliest = NEVER
        for version in sorted(seen.since, reverse=True):
            earliest = min(earliest, seen.since[version])
            seen.since[version] = earliest
        return seen

    def turn_since(self, seat: int, version: int) -> int:
        """Return after which version the turn of a seat has begun that it has at a version."""
        others = [one for one, seats in self.seats.items() if one < version and seat not in seats]
        return max(others, default=0)

    def awaits(self, actor: str, version: int) -> bool:
        """Return whether a seat was awaited at a version."""
        return actor in {f"seat:{seat}" for seat in self.seats.get(version, ())}


def check_reports(
    tries: Sequence[Try], last: Mapping[str, int], excuses: Sequence[Span] = ()
) -> list[Finding]:
    """Return the broken promises of streams and webhooks.

    last: the last version of each match, which has ended.
    excuses: while these lasted the note of an answer to a call may have been lost.
    """
    by_match: defaultdict[str, list[Try]] = defaultdict(list)
    for one in tries:
        by_match[one.match].append(one)

    answered = sorted(one.ended for one in tries if one.status and one.what != CALL)
    found: list[Finding] = []
    for match, own in by_match.items():
        ended = last.get(match, 0)
        seen = Seen.of(own)
        lapse = Lapse(seen, answered)
        found += _check_news(match, _by_actor(own, NEWS), lapse, ended)

        calls = _by_actor(own, CALL)
        for actor, requests in _by_actor(own, WEBHOOK).items():
            stored = [one.ended for one in requests if one.status in (200, 201)]
            if stored:
                hook = Hook(match, actor, max(stored), calls.get(actor, []))
                found += _check_called(hook, lapse, ended)
                found += _check_present(hook, seen)
                found += _check_repeats(hook, excuses)
    return found


@dataclass(frozen=True, slots=True)
class Lapse:
    """What clients saw of a match, and when anybody was answered."""

    seen: Seen
    answered: Sequence[float]

    def is_over(self, version: int, since: float, came: float, seconds: float) -> bool:
        """Return whether a version lasted so many seconds, and no report of it came in these."""
        begun = max(self.seen.since[version], since)
        end = min(self.seen.until[version], came)
        if end - begun <= seconds:
            return False
        first, last = bisect_left(self.answered, begun), bisect_left(self.answered, end)
        times = [begun, *self.answered[first:last], end]
        return sum(min(after - at, LONGEST_SILENCE) for at, after in pairwise(times)) > seconds


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook: whose it is, when it was there for certain, and its calls."""

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
    """Check that streams reported every version that lasted, and as what it was."""
    for actor, news in by_actor.items():
        followed = min(one.sent for one in news)
        came = {(one.version, one.event): one.ended for one in reversed(news)}
        for version in lapse.seen.until:
            wanted = _wanted(lapse.seen, actor, version, last)
            at = came.get((version, wanted), NEVER)
            if lapse.is_over(version, followed, at, STREAM_SECONDS):
                text = f"the stream of {actor} did not report version {version} as {wanted}"
                yield Finding(UNREPORTED, match, text, version)


def _wanted(seen: Seen, actor: str, version: int, last: int) -> str:
    """Return as what a version is reported to the holder of a token."""
    if version == last:
        return ENDED
    return TURN if seen.awaits(actor, version) else "waiting"


def _check_called(hook: Hook, lapse: Lapse, last: int) -> Iterator[Finding]:
    """Check that a webhook was called about every turn, and the end, that lasted."""
    seen = lapse.seen
    for version in seen.until:
        if version == last:
            begun, event = 0, ENDED
        elif seen.awaits(hook.actor, version):
            begun, event = seen.turn_since(int(hook.actor.removeprefix("seat:")), version), TURN
        else:
            continue

        called = [
            one.sent for one in hook.calls if one.event == event and begun < one.version <= version
        ]
        at = min(called, default=NEVER)
        if lapse.is_over(version, hook.stored, at, CALLS_SECONDS):
            text = f"no call to {hook.actor} about the {event} at version {version}"
            yield Finding(UNREPORTED, hook.match, text, version)


def _check_present(hook: Hook, seen: Seen) -> Iterator[Finding]:
    """Check that no call was about a turn that had passed when it began."""
    for call in hook.calls:
        if call.event == TURN and _had_passed(call, seen):
            text = f"{hook.actor} was called for version {call.version}, which had long passed"
            yield Finding(PASSED_TURN, hook.match, text, call.version)


def _had_passed(call: Try, seen: Seen) -> bool:
    """Return whether a turn had passed for longer than a call takes.

    A turn passes with a later version at which its seat is not awaited, for the owner with any.
    """
    versions = [
        version
        for version in seen.seats
        if version > call.version and (call.actor == OWNER or not seen.awaits(call.actor, version))
    ]
    passed = min((seen.since[version] for version in versions), default=NEVER)
    return call.sent > passed + CALL_SECONDS


def _check_repeats(hook: Hook, excuses: Sequence[Span]) -> Iterator[Finding]:
    """Check that no call came again after a 2xx, unless a fault kept that from being noted."""
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
    """Return whether something was broken between an answer and its note."""
    return any(
        began - 1 <= answered + NOTE_SECONDS and answered <= ended + NOTE_SECONDS
        for began, ended in excuses
    )
