"""The load: all clients together, and after the faults the end of every match."""

import time
from dataclasses import dataclass, field
from itertools import count
from types import TracebackType
from typing import Self

from service.matches.automation import PAUSES_MS
from tests.campaign.clients import (
    OK,
    Asker,
    Client,
    Player,
    Reader,
    Request,
    Table,
    is_final,
    is_over,
    new_key,
)
from tests.campaign.reported import Follower, Receiver, Thinker
from tests.campaign.settings import Settings
from tests.promises.checker import STUCK, Finding
from tests.promises.history import History
from tests.promises.reports import CALLS_SECONDS
from tests.running import address_of


@dataclass(slots=True)
class Load:
    """Players, readers and followers, and every match that was opened."""

    players: list[Player] = field(default_factory=list)
    readers: list[Reader] = field(default_factory=list)
    followers: list[Follower] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    @classmethod
    def of(cls, settings: Settings, history: History, port: int, receiver: Receiver) -> Self:
        """Return the clients that the settings ask for, not yet started."""
        load = cls()
        shared: list[Table] = []
        addresses = map(address_of, count())
        for number in range(settings.players):
            asker = Asker(port, history, f"player {number}", next(addresses))
            seed = f"{settings.seed}-player-{number}"
            if number % 4 == 2:
                thinker = Thinker(asker, seed, settings.client_pause, load.tables, receiver)
                load.players.append(thinker)
                continue
            # Of each four players the second shares the tables of the first, and races with them.
            has_rival = number % 4 == 1
            shared = shared if has_rival else []
            load.players.append(Player(asker, seed, settings.client_pause, shared, load.tables))

        for player in load.players:
            player.most_tables = settings.matches
        for number in range(settings.readers):
            asker = Asker(port, history, f"reader {number}", next(addresses))
            seed = f"{settings.seed}-reader-{number}"
            load.readers.append(Reader(asker, seed, settings.client_pause, load.tables))
        for number in range(settings.followers):
            asker = Asker(port, history, f"follower {number}", next(addresses))
            load.followers.append(Follower(asker, f"{settings.seed}-{number}", load.tables))
        return load

    @property
    def clients(self) -> list[Client]:
        """All clients."""
        return [*self.players, *self.readers, *self.followers]

    @property
    def thinkers(self) -> list[Thinker]:
        """The players with webhooks."""
        return [player for player in self.players if isinstance(player, Thinker)]

    @property
    def is_reported(self) -> bool:
        """Whether the end of each match was reported by streams and webhooks."""
        is_followed = any(follower.followed for follower in self.followers)
        return not is_followed and not any(thinker.uncalled for thinker in self.thinkers)

    @property
    def is_opening(self) -> bool:
        """Whether a player waits for the answer to an opening."""
        return any(player.is_opening for player in self.players)

    def raise_failures(self) -> None:
        """Raise an error of a client itself."""
        for client in self.clients:
            if client.failure is not None:
                raise client.failure

    def open_no_more(self) -> None:
        """Have the players play on without opening matches, and as fast as they can."""
        for player in self.players:
            player.opens = False
            player.pause = 0.0

    def __enter__(self) -> Self:
        for client in self.clients:
            client.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for client in self.clients:
            client.stopping.set()
        for client in self.clients:
            client.join()


# A match that waits for the service must move on within so many seconds once no fault lasts. One
# that failed during the faults may wait first for the longest pause before a retry.
STUCK_SECONDS = 20.0 + PAUSES_MS[-1] / 1000
LONGEST_FINISH_SECONDS = 1200.0
TEST_AFTER_SECONDS = 5.0
_LOOK_SECONDS = 0.5


@dataclass(slots=True)
class Progress:
    """The last seen version of a match, and the time at which it was first seen."""

    version: int = 0
    since: float = field(default_factory=time.monotonic)


class Finisher:
    """Sees to the end of all matches, and finds those that are stuck."""

    def __init__(self, asker: Asker, load: Load) -> None:
        self._asker = asker
        self._load = load
        self._progress: dict[str, Progress] = {}
        self._given_up: set[str] = set()
        self._aborted: set[str] = set()

    def finish(self, number: int) -> list[Finding]:
        """Wait until every match is over. Return those that do not get there.

        number: so many are played to their end, and the others aborted; -1: all are played.
        """
        self._load.open_no_more()
        findings: list[Finding] = []
        deadline = time.monotonic() + LONGEST_FINISH_SECONDS

        while self._load.is_opening or self._open_tables():
            self._load.raise_failures()
            if number >= 0:
                for table in self._open_tables()[number:]:
                    self._abort(table)

            for table in self._open_tables():
                findings += self._look(table, deadline)
            time.sleep(_LOOK_SECONDS)
        self._settle()
        return findings

    def _settle(self) -> None:
        """Wait until the ends are reported, and look at each match once more. See `reports`."""
        began = time.monotonic()
        has_asked = False
        while not self._load.is_reported and time.monotonic() < began + CALLS_SECONDS:
            self._load.raise_failures()
            if not has_asked and time.monotonic() > began + TEST_AFTER_SECONDS:
                has_asked = True
                self._ask_tests()
            time.sleep(_LOOK_SECONDS)

        for table in self._load.tables:
            self._asker.ask(self._request("match", "GET", table, table.path))

    def _ask_tests(self) -> None:
        """Ask for test calls, so that failed calls are made again early."""
        for thinker in self._load.thinkers:
            for table, holder in thinker.uncalled:
                self._asker.ask(thinker.webhook(table, holder, "POST"))

    def _open_tables(self) -> list[Table]:
        """Return the matches that are not over, without those that were given up."""
        tables = self._load.tables
        return [table for table in tables if not table.ended and table.match not in self._given_up]

    def _look(self, table: Table, deadline: float) -> list[Finding]:
        """Look at a match. Return a finding if it is stuck."""
        now = time.monotonic()
        progress = self._progress.setdefault(table.match, Progress())
        reply = self._asker.ask(self._request("match", "GET", table, table.path))
        if reply.status == OK:
            document = reply.document
            table.ended = is_over(document)
            if document["version"] != progress.version:
                progress.version = document["version"]
                progress.since = now

        stands_still = now - progress.since > STUCK_SECONDS
        if table.ended or not (stands_still or now > deadline):
            return []

        self._given_up.add(table.match)
        waits = reply.document.get("waiting_for", "an answer")
        reason = f"no move for {STUCK_SECONDS:.0f} s" if stands_still else "still no end"
        text = f"{reason} at version {progress.version}: {waits}"
        return [Finding(STUCK, table.match, text)]

    def _abort(self, table: Table) -> None:
        """Have the owner abort a match, so that the house reveals it. Once is enough."""
        if table.match in self._aborted:
            return

        self._aborted.add(table.match)
        path = f"{table.path}/abort"
        request = self._request("abort", "POST", table, path)

        while not is_final(self._asker.ask(request)):
            time.sleep(_LOOK_SECONDS)

    def _request(self, what: str, method: str, table: Table, path: str) -> Request:
        """Return a request of the owner."""
        history = self._asker.history
        is_write = method == "POST"
        return Request(
            number=history.next_request(),
            what=what,
            method=method,
            path=path,
            match=table.match,
            actor="owner" if is_write else "",
            token=table.tokens["owner"],
            key=new_key(self._load.players[0].lots) if is_write else "",
        )
