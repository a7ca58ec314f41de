"""Receivers of reports about matches: a follower of one stream, and the receiver of webhooks.

Reports must be of the history, and lasting versions must be reported. See `check_reports`.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any

import orjson

from service.base import answers
from service.capabilities.my_matches import use_cases as my_matches
from service.capabilities.webhooks import use_cases as webhooks
from service.capabilities.webhooks.calls import Resolution
from service.capabilities.webhooks.use_cases import OVER, TURN, Call, CallResult
from service.store.journal.errors import JournalUnavailable
from service.store.journal.values import ENDED
from tests.simulation.clients import BEAT, Client, Member
from tests.simulation.kernel import MILLISECOND, SECOND, Died

if TYPE_CHECKING:
    from tests.simulation.world import World

URL = "https://receiver.example/"
ADDRESS = "203.0.113.1"
BOUND = 10 * SECOND  # the time to report a lasting version once the faults have ended
ONE_CALL = 20 * SECOND  # the longest duration of a call, and of the questions before it
LONGEST = 30  # news and beats of one stream, before the follower starts another

# A receiver's answers while there are faults, with weights.
STATUSES = {204: 6, 500: 2, 0: 2}


class Receiver:
    """Takes calls, in the place of `service.capabilities.webhooks.calls.WebhookClient`.

    received: the version of the last 2xx of each match, holder and event.
    """

    def __init__(self, world: "World") -> None:
        self._world = world
        self._random = Random(f"{world.seed}|receiver")
        self._answered: dict[str, int] = {}
        self.received: dict[tuple[str, str, str], int] = {}

    def find(self, _url: str, **_proven: bool) -> Resolution:
        """Return the one existing address, after a pause."""
        self._world.kernel.pause(self._world.travel())
        return Resolution(ADDRESS, ends=inf)

    def call(
        self, call: Call, _found: Resolution, _may_go_on: Callable[[], bool] = lambda: True
    ) -> CallResult:
        """Check a call: it is about the present, and comes once unless a fault excuses a repeat."""
        world = self._world
        world.kernel.pause(world.travel())
        world.say(
            f"call of {call.holder} for {call.event} {world.trace.name(call.match)} v{call.version}"
        )
        world.checker.told_call(call.match, call.version, ONE_CALL)
        is_excused = self._answered.get(call.id, world.faults_end) <= world.faults_end
        events = {name for _, name in world.plan.events}
        may_be_lost = bool(world.plan.journal or events - {"flush"})
        is_first = call.id not in self._answered
        complaint = f"{call.holder} of {call.match} was called again about version {call.version}"
        world.checker.demand(is_first or (is_excused and may_be_lost), complaint)

        status = self._status()
        world.kernel.pause(self._random.randrange(200 * MILLISECOND))
        if status == 204:
            self._answered[call.id] = world.kernel.now
            self.received[call.match, call.holder, call.event] = call.version
        return CallResult(status, str(status))

    def _status(self) -> int:
        is_well = self._world.kernel.now > self._world.faults_end
        [status] = self._random.choices(list(STATUSES), list(STATUSES.values()))
        return 204 if is_well else status


class Subscriber(Member):
    """A client with a webhook for a match."""

    def live(self) -> None:
        """Ask for the webhook until there is an answer."""
        place = self.place

        def put(ctx: Any) -> object:
            return webhooks.put(ctx, place.match, place.token, URL, (TURN, OVER))

        self.think(500)
        self.insist(f"webhook for {self.name}", put)


class Follower(Client):
    """A client with one stream of all matches, from the beginning to the end.

    tokens: of the matches. Later ones are added. last: the last report of each match.
    """

    def __init__(self, world: "World", name: str) -> None:
        super().__init__(world, name)
        self.tokens: list[str] = []
        self.last: dict[str, answers.MatchNews] = {}
        self._position = ""

    def live(self) -> None:
        """Start a new stream whenever the last one has ended."""
        while True:
            self.think(300)
            if self.tokens:
                with suppress(JournalUnavailable, Died):
                    self._follow(list(self.tokens))

    def _follow(self, tokens: Sequence[str]) -> None:
        world = self.world
        process = self.random.choice(world.webs)
        began = world.kernel.now
        with process.entered() as ctx:
            mine = my_matches.MyMatches(tokens, self._position)
            notifications: Any = process.wakes
            stream = my_matches.follow(ctx, notifications, mine, BEAT, _as_line)
            for _, line in zip(range(LONGEST), stream, strict=False):
                if line:
                    news = orjson.loads(line)
                    self._position = news.pop("position")
                    self._take(news, began)
                if len(self.tokens) > len(tokens):
                    return

    def _take(self, news: answers.MatchNews, began: int) -> None:
        """Check news, and keep them."""
        checker = self.world.checker
        if news["event"] == "rewritten":
            checker.demand(checker.gone_back_at >= 0, "a stream was rewritten without a reason")
            return
        if news["event"] == "gone":
            facts = checker.matches.get(news["match"], [])
            events = [event for one in facts for event in one.content["events"]]
            if any(event["type"] == "seat_left" and event["seat"] == 0 for event in events):
                return  # this seat's token is gone. The owner's still tells of the match
            checker.demand(checker.gone_back_at >= 0, "a match was gone without a reason")
        else:
            is_there = news["version"] <= len(checker.matches.get(news["match"], []))
            complaint = f"version {news['version']} of {news['match']} was reported, not there"
            checker.demand(is_there or checker.is_excused(began), complaint)
        self.last[news["match"]] = news


def _as_line(news: answers.MatchNews, position: str) -> bytes:
    return orjson.dumps({**news, "position": position})


def check_reports(world: "World") -> None:
    """Check that the last state of each match was reported to all, if it has lasted."""
    journal = world.store.journal
    for match, commits in world.checker.matches.items():
        appended = world.checker.appended[commits[-1].hash]
        if world.kernel.now - max(appended, world.faults_end) < BOUND:
            continue
        head = journal.events.head(match)
        assert head is not None
        is_followed = match in (token.split("_")[1] for token in world.follower.tokens)
        last = world.follower.last.get(match)
        is_reported = last is not None and last["version"] == head.version
        name = f"version {head.version} of {match}"
        world.checker.demand(is_reported or not is_followed, f"{name} is not on the stream: {last}")

        if appended <= world.checker.gone_back_at:
            continue  # the timer may be lost that was set with a webhook. A commit sets it anew
        ctx = replace(world.webs[0].ctx, journal=journal)
        calls, again = webhooks.calls(ctx, match)
        world.checker.demand(not calls and again is None, f"{name} has calls left: {calls} {again}")
        for field in journal.metadata.fields(match):
            kind, _, holder = field.partition(":")
            if kind == "hook" and head.status in ENDED:
                is_called = (match, holder, OVER) in world.receiver.received
                world.checker.demand(is_called, f"{holder} was not called about the end of {match}")
