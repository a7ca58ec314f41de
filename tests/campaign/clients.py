"""The clients: they play and read, race with each other, and repeat unanswered requests."""

import json
import random
import threading
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any

from tests.campaign.service import HOST
from tests.promises.history import (
    ANSWERED,
    CREATED,
    REMATCH,
    UNDER_WAY,
    UNKNOWN,
    History,
    Told,
    Try,
)

ANSWER_SECONDS = 3.0

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request: its number in the history, its name there, and its content."""

    number: int
    what: str
    method: str
    path: str
    match: str = ""
    actor: str = ""
    token: str = field(default="", repr=False)
    key: str = ""
    expected: int = 0
    body: Json | None = None
    more_headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that are sent."""
        values = {
            "Authorization": f"Bearer {self.token}" if self.token else "",
            "Idempotency-Key": self.key,
            "If-Match": f'"{self.expected}"' if self.expected else "",
            "Content-Type": "application/json" if self.body is not None else "",
            **self.more_headers,
        }
        return {name: value for name, value in values.items() if value}


@dataclass(frozen=True, slots=True)
class Reply:
    """How a try ended, and the document that was answered, empty for none."""

    noted: Try
    document: Json

    @property
    def status(self) -> int:
        """The status of the answer, 0 for none."""
        return self.noted.status


class Asker:
    """A client with one connection, made anew whenever it breaks."""

    def __init__(self, port: int, history: History, name: str, address: str = HOST) -> None:
        self.history = history
        self.name = name
        self._port = port
        self._address = address
        self._connection = self._connect()
        self._failure: Exception | None = None

    def ask(self, request: Request) -> Reply:
        """Send a request and wait for its answer."""
        attempt = self.send(request)
        return self.receive(attempt)

    def send(self, request: Request) -> Try:
        """Send a request. Its answer is read with `receive`."""
        attempt = self.history.begin(
            request.number,
            self.name,
            request.what,
            match=request.match,
            actor=request.actor,
            key=request.key,
            expected=request.expected,
        )

        body = None if request.body is None else json.dumps(request.body)
        self._failure = None
        try:
            self._connection.request(request.method, request.path, body, request.headers)
        except (OSError, HTTPException) as error:
            self._failure = error
        return attempt

    def receive(self, attempt: Try) -> Reply:
        """Wait for the answer to the last request."""
        try:
            response = self.response()
            content = response.read()
            document: Json = json.loads(content) if content else {}
        except (OSError, HTTPException, ValueError) as error:
            self.cut()
            problem = type(error).__name__
            never_answered = self.history.end(attempt, UNKNOWN, problem=problem)
            return Reply(never_answered, {})

        facts = _facts(attempt, response, document)
        answered = self.history.end(attempt, ANSWERED, **facts)
        return Reply(answered, document)

    def response(self) -> HTTPResponse:
        """Return the unread answer to the last request. Raises OSError or HTTPException."""
        if self._failure is not None:
            raise self._failure
        return self._connection.getresponse()

    def cut(self) -> None:
        """Throw the connection away. The next request makes a new one."""
        self._connection.close()
        self._connection = self._connect()

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def _connect(self) -> HTTPConnection:
        source = (self._address, 0)
        return HTTPConnection(HOST, self._port, timeout=ANSWER_SECONDS, source_address=source)


def _facts(attempt: Try, response: HTTPResponse, document: Json) -> dict[str, Any]:
    """Return the history's facts of an answer."""
    problem = ""
    if response.status >= 400 and "status" in document:
        _, _, problem = document.get("type", "").rpartition("/")

    return {
        "status": response.status,
        "problem": problem,
        "match": attempt.match or document.get("match", ""),
        "version": document.get("version", 0),
        "told": told_in(document),
        "repeated": response.getheader("Idempotent-Replayed") == "true",
        "seats": awaited_in(document),
        "rematch": document.get("match", "") if attempt.what == REMATCH else "",
    }


def awaited_in(document: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Return the seats of humans that a document says are awaited, None if it does not say."""
    waiting_for = document.get("waiting_for")
    if waiting_for is None:
        return None
    return tuple(seat for seat in waiting_for["seats"] if seat not in waiting_for["bots"])


def told_in(document: Mapping[str, Any]) -> tuple[Told, ...]:
    """Return all pairs of version and hash in a document: its own, its receipt's, its commits'."""
    places = [document, document.get("receipt") or {}, *document.get("commits", [])]
    pairs = [(place["version"], place["hash"]) for place in places if "hash" in place]
    return tuple(dict.fromkeys(pairs))


GAMES = ("calimala", "firenze")
HUMAN = {"kind": "human"}
BOT = {"kind": "bot", "level": "random"}

# Plans of seats, with weights: one to three humans and bots on the other seats, or bots alone.
SEATINGS = (
    ([HUMAN, BOT, BOT], 5),
    ([HUMAN, HUMAN, BOT], 4),
    ([HUMAN, HUMAN, HUMAN], 3),
    ([BOT, BOT, BOT], 1),
)

CLOCK_SHARE = 1 / 3  # of the matches with humans
CLOCK = {"bank_s": 15, "move_s": 3, "level": "random"}
TAKE_BACKS = ("own", "consent", None)  # of the matches with humans, each as often
TAKE_BACK_SHARE = 1 / 10  # of the moves. After one a player asks for a take-back, or agrees
REMATCH_SHARE = 1 / 3  # of the ended matches. Their players play again
TWIN_SHARE = 1 / 5  # of the asks for a rematch. They are sent twice at once

MATCHES_PATH = "/v1/matches"


@dataclass(slots=True)
class Table:
    """One match as its players know it.

    tokens: by holder, "owner" or "seat:N". acting: the seat of the turn at the last look. ended:
    True if it is over and everything is revealed.
    """

    match: str
    tokens: dict[str, str] = field(repr=False)
    acting: int = 0
    ended: bool = False

    @property
    def path(self) -> str:
        """The path of the match."""
        return f"{MATCHES_PATH}/{self.match}"

    @property
    def seats(self) -> list[int]:
        """The seats that clients hold."""
        numbers = [name.partition(":")[2] for name in self.tokens]
        return sorted(int(number) for number in numbers if number)


def opening(lots: random.Random) -> dict[str, Any]:
    """Draw the body of an opening."""
    seatings = [seats for seats, _weight in SEATINGS]
    weights = [weight for _seats, weight in SEATINGS]
    [seats] = lots.choices(seatings, weights)
    body: dict[str, Any] = {"game": lots.choice(GAMES), "seats": seats}
    if all(seat["kind"] == "bot" for seat in seats):
        return body

    if lots.random() < CLOCK_SHARE:
        body["clock"] = CLOCK
    take_back = lots.choice(TAKE_BACKS)
    if take_back is not None:
        body["take_back"] = take_back
    return body


def new_key(lots: random.Random) -> str:
    """Draw an idempotency key."""
    return str(uuid.UUID(int=lots.getrandbits(128), version=4))


def is_over(document: dict[str, Any]) -> bool:
    """Return True if nobody must act any more: the match has ended and is revealed."""
    waiting_for = document["waiting_for"]
    return not any((waiting_for["seats"], waiting_for["house"], waiting_for["bots"]))


RETRY_SECONDS = 0.05
READ_AGAIN_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 1.0
PASSING_STATUSES = (408, 429, 503)
OK = 200

# How a move is sent, with how often that is drawn. "versioned": with the version it was thought up
# for; "free": with none; "twins": twice at once; "echo": once more after its answer; "stale": for
# the version before.
WAYS = {"versioned": 50, "free": 25, "twins": 10, "echo": 10, "stale": 5}


class Client(threading.Thread):
    """A thread with a connection. pause: seconds between two of its acts."""

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
        except BaseException as error:  # noqa: BLE001 - the thread that started it raises it
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
        """Send a request until it is finally answered. None if told to stop before.

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
    """Return True if an answer settles its request."""
    is_passing = reply.status in PASSING_STATUSES or reply.noted.problem in (UNDER_WAY, "busy")
    return reply.status != 0 and not is_passing


class Player(Client):
    """Plays at some tables by random legal moves. Tables may be shared with a rival.

    tables: those at which the player, and a rival, play now. all_tables: every match of the
    campaign. New ones are added.
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
        """Make one move at one of the tables, or open a match. Ask for some rematches."""
        ended = [table for table in self.tables if table.ended]
        for table in ended:
            if self.leave(table) and self.lots.random() < REMATCH_SHARE:
                self.is_opening = self.opens
                if self.is_opening:
                    self.play_again(table)
                    self.is_opening = False

        self.is_opening = self.opens and len(self.tables) < self.most_tables
        if self.is_opening:
            self.open_match()
            self.is_opening = False
            return

        tables = list(self.tables)
        if tables:
            self.play(self.lots.choice(tables))
        else:
            # Without a pause, idle threads would slow down those that still play.
            self.stopping.wait(READ_AGAIN_SECONDS)

    def open_match(self) -> None:
        """Open a match, by repeating the request until it is answered."""
        key = new_key(self.lots)
        body = opening(self.lots)
        request = self.request("open", "POST", MATCHES_PATH, actor="owner", key=key, body=body)
        reply = self.insist(request)
        if reply is None or reply.status != CREATED:
            return

        self.sit_down(Table(reply.document["match"], reply.document["tokens"]))

    def play_again(self, ended: Table) -> None:
        """Ask for a rematch with each token of a match that has ended, and play it."""
        holders = ["owner", *(f"seat:{seat}" for seat in ended.seats)]
        self.lots.shuffle(holders)
        table = Table("", {})
        for holder in holders:
            request = self.request(
                REMATCH,
                "POST",
                f"{ended.path}/rematch",
                match=ended.match,
                actor=holder,
                token=ended.tokens[holder],
                body={},
            )
            if self.lots.random() < TWIN_SHARE:
                self.send_twin(request)
            reply = self.insist(request)
            if reply is None or reply.status != OK:
                return
            table.match = reply.document["match"]
            table.tokens |= reply.document["tokens"]
        self.sit_down(table)

    def sit_down(self, table: Table) -> None:
        """Play at a new table with players."""
        self.all_tables.append(table)
        if table.seats:
            self.tables.append(table)

    def leave(self, table: Table) -> bool:
        """Leave a table. Return False if a rival has done so before."""
        try:
            self.tables.remove(table)
        except ValueError:
            return False
        return True

    def play(self, table: Table) -> None:
        """Look for the turn, and move if it is a client's."""
        seat = table.acting if table.acting in table.seats else table.seats[0]
        view = self.look(table, seat)
        if view is None:
            return

        table.ended = is_over(view)
        awaited = [number for number in view["waiting_for"]["seats"] if number in table.seats]
        if awaited and seat not in awaited:
            table.acting = awaited[0]

        if view["moves"]:
            self.think(table, seat)
            self.move(table, seat, view)
            if self.lots.random() < TAKE_BACK_SHARE:
                self.take_back(table, seat, view["version"])

    def think(self, table: Table, seat: int) -> None:
        """Take no time to think."""

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

    def move(self, table: Table, seat: int, view: Json) -> None:
        """Make a random legal move in one of the ways."""
        [way] = self.lots.choices(list(WAYS), list(WAYS.values()))
        expected = _expected_version(way, view["version"])
        request = self.request(
            "move",
            "POST",
            f"{table.path}/moves",
            match=table.match,
            actor=f"seat:{seat}",
            token=table.tokens[f"seat:{seat}"],
            key=new_key(self.lots),
            expected=expected,
            body=self.lots.choice(view["moves"]),
        )

        if way == "twins":
            self.send_twin(request)
        self.insist(request)
        if way == "echo":
            self.asker.ask(request)

    def take_back(self, table: Table, seat: int, version: int) -> None:
        """Ask to take back the commits since a version, or agree to another's request.

        Most often the rules refuse it, and then nothing may have changed.
        """
        asks = self.lots.random() < 0.5
        path = f"{table.path}/take-back"
        request = self.request(
            "take-back",
            "POST",
            path if asks else f"{path}/agree",
            match=table.match,
            actor=f"seat:{seat}",
            token=table.tokens[f"seat:{seat}"],
            key=new_key(self.lots),
            body={"to": version} if asks else None,
        )
        self.insist(request)

    def send_twin(self, request: Request) -> None:
        """Send a request and throw its connection away without reading the answer."""
        attempt = self.asker.send(request)
        self.asker.cut()
        self.asker.history.end(attempt, UNKNOWN, problem="thrown away")


def _expected_version(way: str, version: int) -> int:
    """Return the version that a move names when it is sent in a way, 0 for none."""
    if way == "free":
        return 0
    if way == "stale":
        return max(1, version - 1)
    return version


NEWEST_TABLES = 30  # of these a reader reads


class Reader(Client):
    """Reads matches of others: documents, pages of commits and live streams."""

    def __init__(self, asker: Asker, seed: str, pause: float, all_tables: list[Table]) -> None:
        super().__init__(asker, seed, pause)
        self.all_tables = all_tables

    def act(self) -> None:
        """Read something of a match, rather a new one than an old one."""
        if not self.all_tables:
            return

        newest_tables = self.all_tables[-NEWEST_TABLES:]
        table = self.lots.choice(newest_tables)
        lot = self.lots.random()
        if lot < 0.5:
            self.read("match", table, table.path)
        elif lot < 0.8:
            after = self.lots.randint(0, 200)
            self.read("commits", table, f"{table.path}/commits?after={after}&limit=50")
        else:
            self.follow(table)

    def read(self, what: str, table: Table, path: str) -> None:
        """Read something of a match once."""
        request = self.request(what, "GET", path, match=table.match)
        self.asker.ask(request)

    def follow(self, table: Table) -> None:
        """Follow a match from its beginning for a while."""
        path = f"{table.path}/stream?after=0"
        request = self.request("stream", "GET", path, match=table.match)
        with suppress(OSError, HTTPException):
            follow(self.asker, request, self.stopping)


FOLLOW_SECONDS = 2.0
MOST_EVENTS = 200
_DATA = b"data: "


def follow(asker: Asker, request: Request, stopping: threading.Event) -> None:
    """Follow a stream for a moment, then leave it. Raises OSError or HTTPException if it breaks."""
    attempt = asker.send(request)
    pairs: list[Told] = []
    status = 0
    try:
        response = asker.response()
        status = response.status
        if status == OK:
            _read(response, pairs, stopping)
    finally:
        asker.cut()
        outcome = ANSWERED if status else UNKNOWN
        asker.history.end(attempt, outcome, status=status, told=tuple(pairs))


def _read(response: HTTPResponse, pairs: list[Told], stopping: threading.Event) -> None:
    """Read events until enough of them or enough time has passed."""
    deadline = time.monotonic() + FOLLOW_SECONDS
    while time.monotonic() < deadline and not stopping.is_set():
        if len(pairs) == MOST_EVENTS:
            return

        line = response.readline()
        is_cut_off = not line.endswith(b"\n")  # also if the stream has ended
        if is_cut_off:
            return

        if line.startswith(_DATA):
            commit = json.loads(line.removeprefix(_DATA))
            pair = (commit["version"], commit["hash"])
            pairs.append(pair)
