"""The clients that play: they race with each other, and repeat what was not answered."""

import random
import threading
from contextlib import suppress
from typing import Any

from tests.campaign.asker import Asker, Json, Reply, Request
from tests.campaign.history import CREATED, UNDER_WAY, UNKNOWN
from tests.campaign.tables import MATCHES_PATH, Table, is_over, new_key, opening

RETRY_SECONDS = 0.05
READ_AGAIN_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 1.0
PASSING_STATUSES = (408, 429, 503)
OK = 200

# How a move is sent, with how often that is drawn. "versioned": with the version it was thought up
# for; "free": with none; "twins": twice at once; "echo": once more after its answer; "stale": for a
# version that is long gone.
WAYS = {"versioned": 50, "free": 25, "twins": 10, "echo": 10, "stale": 5}


class Client(threading.Thread):
    """A thread with a connection; `pause` seconds lie between two things that it does."""

    def __init__(self, asker: Asker, seed: str, pause: float) -> None:
        super().__init__(name=asker.name)
        self.asker = asker
        self.lots = random.Random(seed)
        self.pause = pause
        self.stopping = threading.Event()
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Act until told to stop."""
        try:
            while not self.stopping.is_set():
                self.act()
                self.stopping.wait(self.lots.uniform(0, 2 * self.pause))
        except BaseException as error:  # noqa: BLE001 - whoever started it raises it
            self.failure = error
        finally:
            self.asker.close()

    def act(self) -> None:
        """Do one thing."""
        raise NotImplementedError

    def request(self, what: str, method: str, path: str, **facts: Any) -> Request:
        """Return a new request."""
        number = self.asker.history.next_request()
        return Request(number=number, what=what, method=method, path=path, **facts)

    def insist(self, request: Request) -> Reply | None:
        """Send a request with its key until it is answered; None if told to stop before.

        The pause between two tries grows, so that nobody hammers a service that is down.
        """
        pause = RETRY_SECONDS
        while not self.stopping.is_set():
            reply = self.asker.ask(request)
            if is_final(reply):
                return reply

            self.stopping.wait(self.lots.uniform(0, pause))
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        return None


def is_final(reply: Reply) -> bool:
    """Return whether an answer settles its request."""
    is_passing = reply.status in PASSING_STATUSES or reply.noted.problem in (UNDER_WAY, "busy")
    return reply.status != 0 and not is_passing


class Player(Client):
    """Plays at some tables by random legal moves; tables may be shared with a rival.

    tables: those at which the player, and a rival, play now.   all_tables: every match of the
    campaign, to which new ones are added.
    """

    def __init__(
        self, asker: Asker, seed: str, pause: float, tables: list[Table], all_tables: list[Table]
    ) -> None:
        super().__init__(asker, seed, pause)
        self.tables = tables
        self.all_tables = all_tables
        self.most_tables = 1
        self.opens = True
        self.is_opening = False

    def act(self) -> None:
        """Make one move at one of the tables, or open a new match."""
        ended = [table for table in self.tables if table.ended]
        for table in ended:
            with suppress(ValueError):  # a rival was faster
                self.tables.remove(table)

        self.is_opening = self.opens and len(self.tables) < self.most_tables
        if self.is_opening:
            self.open_match()
            self.is_opening = False
            return

        tables = list(self.tables)
        if tables:
            self.play(self.lots.choice(tables))

    def open_match(self) -> None:
        """Open a match, by repeating the request until it is answered."""
        key = new_key(self.lots)
        body = opening(self.lots)
        request = self.request("open", "POST", MATCHES_PATH, actor="owner", key=key, body=body)
        reply = self.insist(request)
        if reply is None or reply.status != CREATED:
            return

        table = Table(reply.document["id"], reply.document["tokens"])
        self.all_tables.append(table)
        if table.seats:
            self.tables.append(table)

    def play(self, table: Table) -> None:
        """Look whose turn it is, and move if it is a client's."""
        seat = table.acting if table.acting in table.seats else table.seats[0]
        seen = self.look(table, seat)
        if seen is None:
            return

        table.ended = is_over(seen)
        awaited = [number for number in seen["waiting_for"]["seats"] if number in table.seats]
        if awaited and seat not in awaited:
            table.acting = awaited[0]

        if seen["moves"]:
            self.move(table, seat, seen)

    def look(self, table: Table, seat: int) -> Json | None:
        """Return the legal moves of a seat, None if there was no answer."""
        token = table.tokens[f"seat:{seat}"]
        path = f"{table.path}/moves"
        request = self.request("moves", "GET", path, match=table.match, token=token)
        reply = self.asker.ask(request)

        if reply.status != OK:
            self.stopping.wait(READ_AGAIN_SECONDS)
            return None
        return reply.document

    def move(self, table: Table, seat: int, seen: Json) -> None:
        """Make a random legal move in one of the ways."""
        [way] = self.lots.choices(list(WAYS), list(WAYS.values()))
        expected = _expected_version(way, seen["version"])
        request = self.request(
            "move",
            "POST",
            f"{table.path}/moves",
            match=table.match,
            actor=f"seat:{seat}",
            token=table.tokens[f"seat:{seat}"],
            key=new_key(self.lots),
            expected=expected,
            body=self.lots.choice(seen["moves"]),
        )

        if way == "twins":
            self.send_twin(request)
        self.insist(request)
        if way == "echo":
            self.asker.ask(request)

    def send_twin(self, request: Request) -> None:
        """Send a request and throw its connection away before its answer can come."""
        begun = self.asker.send(request)
        self.asker.cut()
        self.asker.history.end(begun, UNKNOWN, problem="thrown away")


def _expected_version(way: str, version: int) -> int:
    """Return the version that a move names when it is sent in a way, 0 for none."""
    if way == "free":
        return 0
    if way == "stale":
        return max(1, version - 1)
    return version
