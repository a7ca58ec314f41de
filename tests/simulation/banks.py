"""The clock of a match, told anew from its commits and from whom the journal says it waits for.

It is the model that M15 is held to: it shares no code with the product.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from service.journal.values import Entry, Head

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Banks:
    """How much time each seat has left after a commit, in milliseconds.

    full: what a bank holds at most.   more: what is added after a turn.
    humans: the seats that humans hold.   away: those whose time has run out.
    awaited: for whom the match waits.   paying: whose time runs.   since: from when on.
    """

    full: int
    more: int
    left: tuple[int, ...]
    humans: frozenset[int]
    away: frozenset[int] = frozenset()
    awaited: frozenset[int] = frozenset()
    paying: frozenset[int] = frozenset()
    since: int = 0

    @classmethod
    def opened(cls, event: Json) -> Self | None:
        """Return the banks that an opening fills; None without a clock."""
        clock = event.get("clock")
        if clock is None:
            return None
        kinds = [seat["kind"] for seat in event["seats"]]
        humans = frozenset(seat for seat, kind in enumerate(kinds) if kind == "human")
        full = clock["bank_s"] * 1000
        return cls(full, clock["move_s"] * 1000, (full,) * len(kinds), humans)

    @property
    def due(self) -> int | None:
        """When the first bank is empty; None if nobody pays."""
        return min((self.since + self.left[seat] for seat in self.paying), default=None)

    def filled(self, seat: int) -> "Banks":
        """Return the banks with what is added for a seat."""
        left = list(self.left)
        left[seat] = min(self.full, left[seat] + self.more)
        return replace(self, left=tuple(left))

    def after(self, content: Json, head: Head) -> tuple["Banks", str]:
        """Return the banks after a commit, and what is wrong with it, "" for nothing."""
        at = _milliseconds(content["time"])
        complaint = self._why_not_out(content["events"], at)

        elapsed = max(0, at - self.since)
        left = [
            max(0, bank - elapsed) if seat in self.paying else bank
            for seat, bank in enumerate(self.left)
        ]
        after = replace(self, left=tuple(left), since=max(self.since, at))
        for event in content["events"]:
            after = after._with_event(event)

        waiting = frozenset(head.waiting)
        mover = _mover(content)
        if mover in self.humans & self.awaited and mover not in waiting:
            after = after.filled(mover)
        paying = waiting if head.status == "running" and not head.awaiting else frozenset()
        return replace(after, awaited=waiting, paying=paying), complaint

    def _why_not_out(self, events: Sequence[Json], at: int) -> str:
        """Return what is wrong with what a commit says of time that ran out."""
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
        if kind == "seat_joined":
            return replace(self, humans=self.humans | {seat})
        if kind == "time_ran_out":
            return replace(self, away=self.away | {seat})
        if kind == "seat_restored":
            back = self.filled(seat) if seat in self.away else self
            return replace(back, humans=back.humans | {seat}, away=back.away - {seat})
        return self


def banks_after(before: Banks | None, entry: Entry, content: Json) -> tuple[Banks | None, str]:
    """Return the banks after a commit, and what is wrong with it; None without a clock."""
    if content["version"] == 1:
        before = Banks.opened(content["events"][0])
    return (None, "") if before is None else before.after(content, entry.head)


def _mover(content: Json) -> int:
    """Return the seat that has moved in a commit, -1 for none."""
    actor, _, seat = content["actor"].partition(":")
    is_move = actor == "seat" and content["command"]["type"] not in ("leave", "return", "resign")
    return int(seat) if is_move else -1


def _milliseconds(time: str) -> int:
    return round(datetime.fromisoformat(time).timestamp() * 1000)
