"""Debts before the start of a match, computed again from its commits (M19).

It is written from docs/rules/match.md, and shares no code with the product.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

Json = dict[str, Any]

HOUR_MS = 3_600_000
STIRRING = (
    *("seat_joined", "seat_left", "seat_replaced", "seat_restored"),
    *("entropy_pledged", "entropy_disclosed", "pledges_dropped"),
)


@dataclass(frozen=True, slots=True)
class Debts:
    """Kinds of seats, pledges and disclosures after a commit.

    patience: the milliseconds for which a debt may last. since: the time of the last change.
    is_over: the match has started or ended.
    """

    patience: int
    kinds: tuple[str, ...]
    pledged: frozenset[int]
    disclosed: frozenset[int]
    since: int
    is_over: bool = False

    @classmethod
    def opened(cls, event: Json, at: int) -> Self | None:
        """Return the debts of an opening, None without joint draws."""
        if not event.get("joint_entropy"):
            return None
        clock = event.get("clock")
        pledged = [seat for seat, plan in enumerate(event["seats"]) if plan.get("pledge")]
        return cls(
            patience=clock["bank_s"] * 1000 if clock else HOUR_MS,
            kinds=tuple(plan["kind"] for plan in event["seats"]),
            pledged=frozenset(pledged),
            disclosed=frozenset(),
            since=at,
        )

    @property
    def owing(self) -> frozenset[int]:
        """The seats with a debt now."""
        if self.is_over or "open" in self.kinds:
            return frozenset()
        humans = frozenset(seat for seat, kind in enumerate(self.kinds) if kind == "human")
        return humans - self.pledged or humans - self.disclosed

    @property
    def due(self) -> int | None:
        """The time at which the owing seats lapse. None if nothing is owed."""
        return self.since + self.patience if self.owing else None

    def after(self, events: Sequence[Json], at: int) -> "Debts":
        """Return the debts after a commit that was made at a moment."""
        debts = self
        for event in events:
            debts = debts._with_event(event)
        is_stirred = any(event["type"] in STIRRING for event in events)
        return replace(debts, since=at) if is_stirred else debts

    def why_wrong(self, command: Json, events: Sequence[Json], at: int) -> str:
        """Return the fault of the next commit, "" for none."""
        return self._why_not_lapsed(command, events, at) or self._why_not_dropped(events)

    def _why_not_dropped(self, events: Sequence[Json]) -> str:
        """Return the fault of the standing pledges, "" for none.

        All are dropped if a human's seat changes hands once all humans have pledged.
        """
        humans = {seat for seat, kind in enumerate(self.kinds) if kind == "human"}
        may_disclose = not self.is_over and "open" not in self.kinds and humans == self.pledged
        changed = {
            event["seat"]
            for event in events
            if event["type"] == "seat_restored"
            or (event["type"] in ("seat_left", "seat_replaced") and event["seat"] in humans)
        }
        is_dropped = any(event["type"] == "pledges_dropped" for event in events)
        if may_disclose and humans and changed and not is_dropped:
            return f"all had pledged, seats {changed} change hands, and nobody pledges anew"
        return ""

    def _why_not_lapsed(self, command: Json, events: Sequence[Json], at: int) -> str:
        """Return the fault of a lapse, "" for none."""
        if command["type"] != "lapse":
            return ""
        leavers = {event["seat"] for event in events if event["type"] == "seat_left"}
        if leavers != self.owing:
            return f"seats {leavers} lapse, and {set(self.owing)} owe something"
        if command["due"] != self.due or at < command["due"]:
            return f"they lapse at {at}, said {command['due']}, and were due at {self.due}"
        return ""

    def _with_event(self, event: Json) -> "Debts":
        kind = event["type"]
        if kind in ("match_started", "match_aborted", "match_expired"):
            return replace(self, is_over=True)
        if kind == "pledges_dropped":
            return replace(self, pledged=frozenset(), disclosed=frozenset())
        if kind not in STIRRING:
            return self

        seat: int = event["seat"]
        if kind == "entropy_pledged":
            return replace(self, pledged=self.pledged | {seat})
        if kind == "entropy_disclosed":
            return replace(self, disclosed=self.disclosed | {seat})
        now = {"seat_left": "open", "seat_replaced": "bot"}.get(kind, "human")
        pledged = self.pledged | {seat} if event.get("pledge") else self.pledged - {seat}
        kinds = (*self.kinds[:seat], now, *self.kinds[seat + 1 :])
        return replace(self, kinds=kinds, pledged=pledged, disclosed=self.disclosed - {seat})
