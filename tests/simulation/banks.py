"""The clock of a match, computed again from its commits and from the journal's awaited actors.

It is the model for M15, with M17's rules for banks, and shares no code with the product. Gaps
without a look at clocks can be cut out, as they must be before time has run out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any, Self

from service.store.journal.values import Head

Json = dict[str, Any]

# A commit and the head that was stored with it.
Made = tuple[Json, Head]
# Returns the banks after an earlier version of the same match.
Earlier = Callable[[int], "Banks | None"]
# From one moment to another, in milliseconds since the epoch.
Gap = tuple[int, int]

LONGEST_PAUSE = 5_000  # milliseconds between two beats. A longer one is a gap
# Milliseconds that bots wait for a human. The least replaces the product's: runs then see the end.
LEAST_REST, MOST_REST = 3_000, 86_400_000
NO_MOVES = (
    "leave",
    "return",
    "resign",
    "ask_take_back",
    "agree_take_back",
    "refuse_take_back",
    "pledge",
    "disclose",
)


def gaps_of(beats: Sequence[int]) -> list[Gap]:
    """Return the gaps without a look at clocks. beats: the times of the looks."""
    return [(one, next_one) for one, next_one in pairwise(beats) if next_one - one > LONGEST_PAUSE]


def counted(time: int, gaps: Sequence[Gap]) -> int:
    """Return a time without the gaps before it. The gaps must not overlap."""
    return time - sum(min(time, end) - start for start, end in gaps if start < time)


@dataclass(frozen=True, slots=True)
class Banks:
    """Each seat's remaining time after a commit, in milliseconds.

    full: the limit of a bank. more: the time added after a turn, up to the limit. gained: the time
    added to each bank in all turns. refunds: a take-back without consent gives the others their
    time back (match rules 2). humans: the seats of humans. away: the seats out of time, until they
    return or resign. awaited: the awaited seats. paying: the seats with a running clock. since: the
    time of the last commit. ran_out: the time of the last commit with `time_ran_out`, 0 for none.
    rest_ends: the end of the bots' wait for a human's return after it. None if they do not wait.
    """

    full: int
    more: int
    left: tuple[int, ...]
    gained: tuple[int, ...]
    refunds: bool
    humans: frozenset[int]
    away: frozenset[int] = frozenset()
    awaited: frozenset[int] = frozenset()
    paying: frozenset[int] = frozenset()
    since: int = 0
    ran_out: int = 0
    rest_ends: int | None = None

    @classmethod
    def opened(cls, event: Json) -> Self | None:
        """Return the full banks of an opening. None without a clock."""
        clock = event.get("clock")
        if clock is None:
            return None
        kinds = [seat["kind"] for seat in event["seats"]]
        humans = frozenset(seat for seat, kind in enumerate(kinds) if kind == "human")
        full = clock["bank_s"] * 1000
        nothing = (0,) * len(kinds)
        banks = (full,) * len(kinds)
        refunds = event.get("match_rules", 1) > 1
        return cls(full, clock["move_s"] * 1000, banks, nothing, refunds, humans)

    @property
    def due(self) -> int | None:
        """The time at which the first bank is empty. None if nobody pays."""
        return min((self.since + self.left[seat] for seat in self.paying), default=None)

    def filled(self, seat: int, *, after_turn: bool) -> "Banks":
        """Return the banks with the time added for a seat."""
        remaining, gained = list(self.left), list(self.gained)
        more = min(self.more, self.full - remaining[seat])
        remaining[seat] += more
        if after_turn:
            gained[seat] += more
        return replace(self, left=tuple(remaining), gained=tuple(gained))

    def back_to(self, then: "Banks", asker: int | None) -> "Banks":
        """Return the banks after going back: without the gains since, none above its value then.

        asker: the seat going back without consent, None with it.
        """
        seats = zip(self.left, self.gained, then.left, then.gained, strict=True)
        remaining = [
            max(0, min(then_left, own - (got - had))) for own, got, then_left, had in seats
        ]
        if self.refunds and asker is not None:
            remaining = [
                remaining[seat] if seat == asker else bank for seat, bank in enumerate(then.left)
            ]
        return replace(self, left=tuple(remaining), gained=then.gained)

    def after(self, commit: Made, at: int, earlier: Earlier) -> "Banks":
        """Return the banks after a commit that was made at a moment."""
        content, head = commit
        elapsed = max(0, at - self.since)
        remaining = [
            max(0, bank - elapsed) if seat in self.paying else bank
            for seat, bank in enumerate(self.left)
        ]
        after = replace(self, left=tuple(remaining), since=max(self.since, at))
        for event in content["events"]:
            after = after._with_event(event)
            if event["type"] == "time_ran_out":
                after = replace(after, ran_out=at)

        waiting = frozenset(head.waiting)
        mover = mover_of(content)
        if mover in self.humans & self.awaited and mover not in waiting:
            after = after.filled(mover, after_turn=True)
        last_event = content["events"][-1]
        if last_event["type"] == "taken_back":
            then = earlier(last_event["to"])
            assert then is not None, "a match has a clock from its opening on, or never"
            command = content["command"]
            is_alone = command["type"] == "ask_take_back"
            after = after.back_to(then, command["seat"] if is_alone else None)
        paying = waiting if head.status == "running" and not head.awaiting else frozenset()
        may_return = bool(after.away) and after.more > 0
        rests = head.awaiting == "exhibition" and may_return
        rest_ends = after.ran_out + min(max(after.full, LEAST_REST), MOST_REST)
        rest = rest_ends if rests and rest_ends > at else None
        return replace(after, awaited=waiting, paying=paying, rest_ends=rest)

    def why_not_out(self, events: Sequence[Json], at: int) -> str:
        """Return the fault of a commit's statements about expired time."""
        for event in events:
            if event["type"] != "time_ran_out":
                continue
            seat = event["seat"]
            if seat not in self.paying:
                return f"seat {seat} ran out while its time did not run"
            due = self.since + self.left[seat]
            if event["due"] != due or at < due:
                return f"seat {seat} ran out at {at}, said {event['due']}, and was due at {due}"
        return ""

    def _with_event(self, event: Json) -> "Banks":
        seat: int = event.get("seat", -1)
        kind = event["type"]
        if kind in ("seat_left", "seat_replaced"):
            return replace(self, humans=self.humans - {seat})
        if kind == "seat_resigned":
            return replace(self, away=self.away - {seat})
        if kind == "seat_joined":
            return replace(self, humans=self.humans | {seat})
        if kind == "time_ran_out":
            return replace(self, away=self.away | {seat})
        if kind == "seat_restored":
            back = self.filled(seat, after_turn=False) if seat in self.away else self
            return replace(back, humans=back.humans | {seat}, away=back.away - {seat})
        return self


def banks_after(commit: Made, earlier: Earlier) -> tuple[Banks | None, str]:
    """Return the banks after a commit, and its fault. None without a clock."""
    content, _head = commit
    at = milliseconds(content["time"])
    is_first = content["version"] == 1
    before = Banks.opened(content["events"][0]) if is_first else earlier(content["version"] - 1)
    if before is None:
        return None, ""
    return before.after(commit, at, earlier), before.why_not_out(content["events"], at)


def banks_without(history: Sequence[Made], gaps: Sequence[Gap]) -> Banks:
    """Return the banks of a match with a clock after all its commits, had gaps taken no time."""
    opening, _head = history[0]
    banks = Banks.opened(opening["events"][0])
    assert banks is not None, "the match has a clock"
    versions: list[Banks] = []
    for content, head in history:
        at = counted(milliseconds(content["time"]), gaps)
        banks = banks.after((content, head), at, lambda version: versions[version - 1])
        versions.append(banks)
    return banks


def mover_of(content: Json) -> int:
    """Return the moving seat of a commit, -1 for none."""
    actor, _, seat = content["actor"].partition(":")
    is_move = actor == "seat" and content["command"]["type"] not in NO_MOVES
    return int(seat) if is_move else -1


def milliseconds(time: str) -> int:
    """Return a time of a commit in milliseconds since the epoch."""
    return round(datetime.fromisoformat(time).timestamp() * 1000)
