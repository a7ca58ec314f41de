"""A client of Giornale in one file, which needs Python 3.11 or newer and nothing else.

    from giornale_client import Client

    giornale = Client("http://127.0.0.1:8000")
    opened = giornale.open("calimala", ["human", "bot:greedy", "bot:random"])

    seat = opened.seat(0)
    seat.act(lambda view, moves: moves[0])
    for event in seat.follow(after=0):
        print(event.name, event.data["version"])

`play` plays all of one's seats to the end of their matches, through cut connections and restarts of
the server. Whatever is refused or fails raises `Problem`. Tokens and private keys stand in no repr,
log or error. A `Key` signs what is done on a seat, so that nobody else can do anything there.
"""

import hashlib
import json
import logging
import os
import queue
import random
import re
import secrets
import shutil
import socket
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPMessage,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
    InvalidURL,
)
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import SplitResult, quote, urlencode, urlsplit

__all__ = [
    "Answer",
    "Client",
    "Entropy",
    "Event",
    "Key",
    "Match",
    "Memory",
    "Moves",
    "Opened",
    "Problem",
    "Tokens",
    "play",
]

Json = dict[str, Any]

MOST_TOKENS = 50
"""How many seats one stream follows."""

_log = logging.getLogger("giornale_client")

_WAIT_SECONDS = 20
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
_PAGE = 500

# Bounds of what a server may send. A record has its own, as for `giornale verify URL`.
_MOST_ANSWER = 16 * 1024 * 1024
_MOST_RECORD = 256 * 1024 * 1024
_MOST_LINE = 1024 * 1024  # of a stream
_MOST_SECONDS = 300.0  # for one answer, and for the head of a stream
_PIECE = 65_536
_SHOWN_MOVES = 5
_MOST_LOOKS = 8  # at a match that moves on all the time
_STANDS_IN = "greedy"  # the bot for a seat that resigns in a match without a clock
_NO_CONTENT = 204
_NOT_MODIFIED = 304
_FIRST_REFUSAL = 300

# What passes if one waits: the server is busy, starts again, or there is none behind its proxy.
_PASSING = frozenset({0, 408, 429, 502, 503, 504})
_STALE = 412
_CONFLICT = 409
_DELETED = 410
_MOST_JOINS = 8  # so often a lost race is run again
_GONE = frozenset({401, 403, 404, _DELETED})
_MISSING = 404
_NO_SUCH_ROUTE = frozenset({_MISSING, 405})

_JSON = "application/json"
_NDJSON = "application/x-ndjson"
_EVENTS = "text/event-stream"

_AFTER_IN_LINK = re.compile('[?&]after=([0-9]+)[^>]*>; rel="next"')
_TOKEN = re.compile("gio_([a-z0-9]{26})_[A-Za-z0-9_-]{43}")  # names its match


# ---- what is answered ----------------------------------------------------------------------


class Problem(Exception):
    """A request that was refused or failed, with the fields of the problem (RFC 9457).

    status: as in HTTP; 0 if no server answered, or if the fault was found before anything was sent.
    fields: all fields of the problem, also those that only this kind has.
    retry_after: after so many seconds it may be tried again; None if that was not said.
    passes: whether the same request may succeed later.
    """

    def __init__(
        self, status: int, fields: Mapping[str, Any], retry_after: float | None = None
    ) -> None:
        self.status = status
        self.fields = dict(fields)
        self.retry_after = retry_after
        is_busy = status == _CONFLICT and retry_after is not None
        self.passes = status in _PASSING or is_busy
        self.type = str(fields.get("type", "about:blank"))
        self.title = str(fields.get("title", ""))
        self.detail = str(fields.get("detail", ""))
        self.instance = str(fields.get("instance", ""))
        super().__init__(self.detail or self.title)

    @property
    def kind(self) -> str:
        """The last part of its type, such as "illegal-move"."""
        _, _, kind = self.type.rpartition("/")
        return kind

    def __str__(self) -> str:
        told = [str(self.status or ""), self.title, self.detail]
        return ": ".join(part for part in told if part)


class Answer(dict[str, Any]):
    """A JSON object as the server answered it.

    etag: names what was answered, as If-Match and If-None-Match want it.
    """

    etag: str = ""


class Moves(list[Json]):
    """The legal moves of a seat, each as it may be made; none if it is not the seat's turn.

    beyond: by command what is legal and not listed, because it has too many forms.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer["moves"])
        self.etag = answer.etag
        self.version: int = answer["version"]
        self.seat: int | None = answer["seat"]
        self.beyond: Json = answer["beyond"]
        self.waiting_for: Json = answer["waiting_for"]


class Tokens(dict[str, str]):
    """Secret tokens by whose they are: "owner", "seat:0". Their repr shows none."""

    def __repr__(self) -> str:
        return f"Tokens({', '.join(self)})"

    __str__ = __repr__


@dataclass(frozen=True, slots=True)
class Event:
    """What a stream tells.

    name: of one match "commit" or "rewritten"; of many "turn", "waiting", "take_back", "ended",
        "gone", "rewritten" or "presence".
    id: where the stream stands after it.
    data: what happened; "match" and "seat" say where.
    """

    name: str
    id: str
    data: Json

    @property
    def match(self) -> str:
        """The match's id."""
        return str(self.data.get("match", ""))


Choose = Callable[[Answer, Moves], Json]
"""Takes the state as the seat sees it and its legal moves; returns the move to make."""


# ---- the server ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Request:
    """What is asked. Headers and body may hold secrets, so they stand in no repr."""

    method: str
    path: str
    token: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, object] = field(default_factory=dict)
    body: object = field(default=None, repr=False)
    # So many seconds the server may keep it beside the usual time.
    wait: int = 0
    most_bytes: int = _MOST_ANSWER  # of the answer

    @property
    def target(self) -> str:
        """The path with the query; what is None is left out."""
        given = {name: value for name, value in self.query.items() if value is not None}
        return f"{self.path}?{urlencode(given)}" if given else self.path

    @property
    def content(self) -> bytes | None:
        """The bytes of the body."""
        return None if self.body is None else json.dumps(self.body).encode()

    @property
    def all_headers(self) -> dict[str, str]:
        """The headers with those of every request; raises Problem for what is no token."""
        headers = {"Accept": _JSON, "User-Agent": "giornale-client", **self.headers}
        if self.body is not None:
            headers["Content-Type"] = _JSON
        if self.token is not None:
            match_of(self.token)
            headers["Authorization"] = f"Bearer {self.token}"
        return headers


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    headers: HTTPMessage = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def etag(self) -> str:
        """Names what was answered."""
        return str(self.headers.get("ETag", ""))


class Client:
    """A server of Giornale. It may be used from several threads.

    url: where it serves, such as "https://games.example/giornale".
    timeout: seconds of silence after which a connection counts as broken.
    patience: seconds for which a request is tried again while the server cannot be reached or says
        that it cannot answer now. Each is safe to repeat.
    """

    def __init__(self, url: str, *, timeout: float = 30, patience: float = 60) -> None:
        parts = urlsplit(url)
        self.url = url.rstrip("/")
        self.timeout = timeout
        self.patience = patience
        self._address = _address(parts)
        self._prefix = parts.path.rstrip("/")
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._idle: deque[HTTPConnection] = deque()
        self._polls = _Polls()

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are open and not in use."""
        while self._idle:
            self._idle.pop().close()

    # ---- matches ----

    def open(
        self,
        game: str,
        seats: Sequence[str | Json],
        *,
        token: str | None = None,
        key: str = "",
        **more: Any,
    ) -> "Opened":
        """Open a match and return it with its tokens, which nobody else is shown.

        seats: how each begins: "human", "open", "bot", "bot:LEVEL", or as the API takes it. The
            `key` of a seat is a `Key`, which signs the opening as a proof.
        token: of a fork alone, that of the match it goes on from (`Match.fork`).
        key: the same key brings the same match; keep it secret.
        more: other members of the request, such as options, visibility, advice.
        """
        body = {"game": game, "seats": [_seat_plan(seat) for seat in seats], **more}
        key = key or secrets.token_hex(16)
        answer = self.post("/v1/matches", _proven(body, key), token, key=key)
        tokens = Tokens(answer.pop("tokens"))
        for token in tokens.values():
            match_of(token)
        return Opened(self, answer, tokens)

    def match(self, match: str, token: str | None = None) -> "Match":
        """Return a match by its id, for the holder of a token, or for the public."""
        return Match(self, match, token)

    def seat(self, token: str) -> "Match":
        """Return the match of a token, which says itself which match it is for."""
        return Match(self, match_of(token), token)

    def follow(self, tokens: Iterable[str]) -> Iterator[Event]:
        """Yield where each match of some seats stands, then what changes, until all have ended.

        A match is "gone" when none of its tokens counts any more. A cut connection is opened again;
        nothing is missed that still holds. Where the server has
        no stream of many matches, each is asked in a thread.
        """
        held = _checked(tokens)
        left = Counter(match_of(token) for token in held)
        for event in self._events_of_all(held):
            if event.match not in left:
                continue
            if event.name == "gone":
                left -= Counter([event.match])
                if event.match in left:
                    continue
            if event.name == "ended":
                del left[event.match]
            yield event
            if not left:
                return

    def feed(
        self,
        after: int = 0,
        *,
        log: str | None = None,
        game: str | None = None,
        token: str | None = None,
        wait: int | None = 20,
    ) -> Iterator[Json]:
        """Yield all commits of the server in their one order, then each as it comes.

        after: number of positions that were read. Go on later with the last `position` plus one.
        log: ID of the log that `after` counts in, the `log` of any commit. Raises Problem of the
            type `another-log` if the server has begun another one. Start at 0 then.
        game: only its commits.   token: of a private match, whose commits are shown whole.
        wait: seconds that one request waits for more; None: end where nothing is new.
        """
        while True:
            page = self.get("/v1/commits", token, wait=wait, after=after, log=log, game=game)
            assert page is not None
            commits, following = page.get("commits"), page.get("next")
            is_page = isinstance(commits, list) and all(isinstance(one, dict) for one in commits)
            if not is_page or type(following) is not int or following < after:
                raise _found("The server answers with no page of its feed", "is it of Giornale?")
            log = page.get("log") or log
            yield from page["commits"]
            if wait is None and page["next"] == after:
                return
            after = page["next"]

    def records(
        self,
        ended_from: str | None = None,
        ended_to: str | None = None,
        *,
        game: str | None = None,
    ) -> Iterator[bytes]:
        """Yield whole records of public matches that ended within a time, in pages of lines.

        ended_from, ended_to: times as in RFC 3339, from the first on and before the second.
        All pages together are what `giornale dump` has. Which matches the server cannot read is
        logged.
        """
        asked: dict[str, object] = {"ended_from": ended_from, "ended_to": ended_to, "game": game}
        while True:
            headers = {"Accept": _NDJSON}
            request = _Request(
                "GET", "/v1/records", headers=headers, query=asked, most_bytes=_MOST_RECORD
            )
            reply = self._ask(request)
            if missing := reply.headers.get("Giornale-Missing"):
                _log.warning("matches that the server cannot read are left out: %a", missing)
            yield reply.body

            following = _AFTER_IN_LINK.search(reply.headers.get("Link", ""))
            if following is None:
                return
            asked["after"] = following[1]

    def _events_of_all(self, tokens: Sequence[str]) -> Iterator[Event]:
        first, *others = tokens
        headers = {"Giornale-Tokens": ",".join(others)} if others else {}
        try:
            yield from self.stream("/v1/me/stream", first, headers=headers)
        except Problem as problem:
            if problem.status not in _NO_SUCH_ROUTE:
                raise
        else:
            return
        yield from _Watch([self.seat(token) for token in tokens]).events()

    # ---- requests ----

    def get(
        self,
        path: str,
        token: str | None = None,
        *,
        seen: str = "",
        wait: int | None = None,
        **query: object,
    ) -> Answer | None:
        """Return what a GET is answered with; None if that is what one has seen.

        seen: an ETag.   wait: so many seconds to wait for another.   query: None is left out.
        """
        headers = {"If-None-Match": seen} if seen else {}
        asked = {**query, "wait": wait}
        request = _Request("GET", path, token, headers, query=asked, wait=wait or 0)
        asked_at = time.monotonic()
        reply = self._ask(request)
        answer = None if reply.status == _NOT_MODIFIED else _answer(reply)
        if wait:
            is_empty = answer is None or answer.get("next", -1) == query.get("after")
            self._polls.answered(request, time.monotonic() - asked_at, is_empty=is_empty)
        return answer

    def post(  # noqa: PLR0913 - the last three are given only where they are needed
        self,
        path: str,
        body: object = None,
        token: str | None = None,
        *,
        seen: str = "",
        key: str = "",
        signature: str = "",
    ) -> Answer:
        """Return what a POST is answered with. Its Idempotency-Key makes it safe to repeat.

        seen: the ETag of what it was thought up for; if that no longer holds: 412.
        signature: of a seat that has a key (M18), in hex.
        """
        headers = {"Idempotency-Key": key or secrets.token_hex(16)}
        if seen:
            headers["If-Match"] = seen
        if signature:
            headers["Giornale-Signature"] = signature
        return _answer(self._ask(_Request("POST", path, token, headers, body=body)))

    def read(self, path: str, token: str | None = None, *, accept: str = _NDJSON) -> bytes:
        """Return the bytes that a GET is answered with."""
        request = _Request("GET", path, token, {"Accept": accept}, most_bytes=_MOST_RECORD)
        return self._ask(request).body

    def stream(
        self,
        path: str,
        token: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        **query: object,
    ) -> Iterator[Event]:
        """Yield the events of a stream; after a cut it goes on after the last one.

        It ends when the server says that nothing will follow.
        """
        own = {"Accept": _EVENTS, **(headers or {})}
        attempts = _Attempts(self.patience)
        while True:
            request = _Request("GET", path, token, own, query=query)
            try:
                with self._opened(request) as response:
                    _refuse(response)
                    if response.status == _NO_CONTENT:
                        return
                    attempts.answered()
                    for event in _events(_lines_of(response)):
                        if event is not None:
                            attempts.moved()
                            if event.id:
                                own["Last-Event-ID"] = event.id
                            yield event
            except Problem as problem:
                attempts.failed(problem, request)
            except (OSError, HTTPException) as error:
                attempts.failed(_unanswered(self.url, error), request)
            attempts.pause()

    def _ask(self, request: _Request) -> _Reply:
        """Return the reply to a request, which is sent again while what went wrong may pass."""
        attempts = _Attempts(self.patience)
        while True:
            try:
                with self._opened(request) as response:
                    _refuse(response)
                    body = _whole(response, request.most_bytes)
                _log.debug("%s %s: %d", request.method, request.path, response.status)
                return _Reply(response.status, response.headers, body)
            except Problem as problem:
                attempts.failed(problem, request)
            except (OSError, HTTPException) as error:
                attempts.failed(_unanswered(self.url, error), request)
            attempts.pause()

    @contextmanager
    def _opened(self, request: _Request) -> Iterator[HTTPResponse]:
        """Send a request and yield the response; the connection is kept if all of it was read."""
        connection, response = self._sent(request)
        try:
            yield response
        finally:
            if response.isclosed() and not response.will_close:
                self._idle.append(connection)
            else:
                connection.close()
                response.close()

    def _sent(self, request: _Request) -> tuple[HTTPConnection, HTTPResponse]:
        """Send a request on a connection that is open, else on a new one.

        The server may have closed the open one meanwhile: that is no fault.
        """
        while self._idle:
            try:
                return self._exchange(self._idle.pop(), request)
            except (OSError, HTTPException):
                _log.debug("a connection that was kept is closed")
        return self._exchange(self._connection(), request)

    def _connection(self) -> HTTPConnection:
        host, port = self._address
        if self._tls is not None:
            return HTTPSConnection(host, port, timeout=self.timeout, context=self._tls)
        return HTTPConnection(host, port, timeout=self.timeout)

    def _exchange(
        self, connection: HTTPConnection, request: _Request
    ) -> tuple[HTTPConnection, HTTPResponse]:
        try:
            if connection.sock is None:
                connection.connect()
            connection.sock.settimeout(self.timeout + request.wait)
            target = self._prefix + request.target
            connection.request(request.method, target, request.content, request.all_headers)
            with _cut_after(_MOST_SECONDS, connection):
                return connection, connection.getresponse()
        except BaseException:
            connection.close()
            raise


@contextmanager
def _cut_after(seconds: float, connection: HTTPConnection) -> Iterator[None]:
    """Cut a connection after some seconds: no timeout ends a head that comes a byte at a time."""

    def cut() -> None:
        with suppress(OSError):
            if connection.sock is not None:
                connection.sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _Polls:
    """Long polls that come back without news. A pause follows each that came too early.

    A server without a free place for a long answer answers a poll at once. Each pause is twice as
    long as the one before, with jitter, until there is news or a poll has lasted.
    """

    def __init__(self) -> None:
        # By what is asked; no more than the polls that a program makes at a time.
        self._pauses: dict[tuple[str, str | None], float] = {}

    def answered(self, request: _Request, seconds: float, *, is_empty: bool) -> None:
        """Note an answer that came after some seconds, and pause if it came early and empty."""
        asked = (request.path, request.token)
        pause = self._pauses.pop(asked, _FIRST_PAUSE_SECONDS)
        if not is_empty or seconds >= request.wait / 2:
            return
        self._pauses[asked] = min(pause * 2, _LONGEST_PAUSE_SECONDS)
        time.sleep(pause * random.uniform(0.5, 1.5))


class _Attempts:
    """How often something has failed, and for how long it is tried again."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._gives_up: float | None = None
        self._pause = _FIRST_PAUSE_SECONDS
        self._asked: float | None = None

    def answered(self) -> None:
        """Note that the server can be reached: patience begins anew with the next failure."""
        self._gives_up = None

    def moved(self) -> None:
        """Note that something has come."""
        self.answered()
        self._pause = _FIRST_PAUSE_SECONDS

    def failed(self, problem: Problem, request: _Request) -> None:
        """Note a problem; raises it if it does not pass, or not in time."""
        self._asked = problem.retry_after
        now = time.monotonic()
        if self._gives_up is None:
            self._gives_up = now + self._patience
        if not problem.passes or now + self._next() > self._gives_up:
            raise problem
        _log.info("%s %s: %s; it is tried again", request.method, request.path, problem)

    def pause(self) -> None:
        """Wait as long as the server has said, and longer each time; not all clients at once."""
        time.sleep(self._next() + random.uniform(0, self._pause / 2))
        self._pause = min(self._pause * 2, _LONGEST_PAUSE_SECONDS)
        self._asked = None

    def _next(self) -> float:
        return max(self._pause, self._asked or 0)


# ---- what a key has verified and signed ----------------------------------------------------


class _Place(NamedTuple):
    """The last commit of a match that a key's holder has verified, version 0 for none.

    view: the digest of what the public saw after it.   is_final: no commit can follow.
    """

    version: int
    hash: str
    view: str
    is_final: bool


_NOWHERE = _Place(0, "", "", False)


class _Signed(NamedTuple):
    """A request that is signed for the next version of a match.

    text: what is signed.   path, body, etag, key: what is sent with the signature.
    """

    text: str
    path: str
    body: str
    etag: str
    key: str


class Memory:
    """What keys have verified and signed (M18), in an SQLite file or as long as the program runs.

    A key signs one text for a version at most. So the text is stored before its signature leaves
    this machine, and a program that starts again sends the same bytes again. Any number of
    processes may share the file.

    Of each match the last verified commit is stored, and the request for the version after it.
    A request for a verified version is deleted, since nothing is signed for such a version.
    """

    _TABLES = """
        CREATE TABLE IF NOT EXISTS verified (
            key TEXT, match TEXT, version INTEGER, hash TEXT, view TEXT, is_final INTEGER,
            PRIMARY KEY (key, match));
        CREATE TABLE IF NOT EXISTS signed (
            key TEXT, match TEXT, text TEXT, path TEXT, body TEXT, etag TEXT, idempotency_key TEXT,
            PRIMARY KEY (key, match));
    """

    def __init__(self, path: str | Path | None = None) -> None:
        """Store it in a file, for its user alone to read. None: in memory."""
        self._path = path
        self._lock = threading.Lock()
        self._unstored = None
        if path is None:
            self._unstored = sqlite3.connect(
                ":memory:", isolation_level=None, check_same_thread=False
            )

    def place(self, key: str, match: str) -> _Place:
        """Return the last verified commit of a match."""
        with self._transaction() as database:
            return self._place(database, key, match)

    def advance(self, key: str, match: str, place: _Place) -> None:
        """Store that a match was verified up to a place, unless it was verified further.

        Raises Problem if another history was verified up to there.
        """
        with self._transaction() as database:
            before = self._place(database, key, match)
            if before.version == place.version and before.hash != place.hash:
                raise _two_histories(place.version)
            if before.version >= place.version:
                return
            row = (key, match, *place)
            database.execute("REPLACE INTO verified VALUES (?, ?, ?, ?, ?, ?)", row)
            database.execute("DELETE FROM signed WHERE key = ? AND match = ?", (key, match))

    def claim(self, key: str, match: str, place: _Place, request: _Signed) -> _Signed | None:
        """Return the one request that is signed after a place: this one, or an earlier one.

        None: the match was verified beyond the place. After the revelation nothing is stored, since
        no commit can follow.
        """
        if place.is_final:
            return request
        with self._transaction() as database:
            if self._place(database, key, match) != place:
                return None
            found = self._signed(database, key, match)
            if found is not None:
                return found
            row = (key, match, *request)
            database.execute("INSERT INTO signed VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return request

    def signed(self, key: str, match: str) -> _Signed | None:
        """Return the request that is signed for the version after the last verified commit."""
        with self._transaction() as database:
            return self._signed(database, key, match)

    @staticmethod
    def _place(database: sqlite3.Connection, key: str, match: str) -> _Place:
        question = "SELECT version, hash, view, is_final FROM verified WHERE key = ? AND match = ?"
        row = database.execute(question, (key, match)).fetchone()
        if row is None:
            return _NOWHERE
        version, commit_hash, view, is_final = row
        return _Place(version, commit_hash, view, bool(is_final))

    @staticmethod
    def _signed(database: sqlite3.Connection, key: str, match: str) -> _Signed | None:
        question = (
            "SELECT text, path, body, etag, idempotency_key FROM signed WHERE key = ? AND match = ?"
        )
        row = database.execute(question, (key, match)).fetchone()
        return None if row is None else _Signed(*row)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Hold the database alone. Raises Problem if it cannot be read or written."""
        try:
            with self._lock, self._opened() as database:
                database.execute("BEGIN IMMEDIATE")
                try:
                    yield database
                except BaseException:
                    database.execute("ROLLBACK")
                    raise
                database.execute("COMMIT")
        except (OSError, sqlite3.Error) as error:
            title = "The memory of what was signed cannot be used, so nothing is signed"
            raise _found(title, f"{self._path}: {error}") from None

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        if self._unstored is not None:
            self._unstored.executescript(self._TABLES)
            yield self._unstored
            return
        assert self._path is not None
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        stored = sqlite3.connect(self._path, timeout=_WAIT_SECONDS, isolation_level=None)
        with closing(stored) as database:
            database.execute("PRAGMA synchronous = EXTRA")
            database.executescript(self._TABLES)
            yield database


_MEMORY = Memory()


def _two_histories(version: int) -> "Problem":
    return _found(
        "The server tells two histories, so nothing is signed",
        f"version {version} is not the one that was verified here",
    )


def _checked_lines(record: bytes, match: str, place: _Place) -> list[_Place]:
    """Return the places after each commit of a record that goes on from a place.

    Each commit must fit its hash, name the hash of the one before, and hold the digests of its
    secret parts. Raises Problem.
    """
    places = [place]
    for line in record.splitlines():
        before = places[-1]
        try:
            data = _json(line)["data"]
            content = data["commit"]
            is_next = content["version"] == before.version + 1 and content["match"] == match
            fits = (
                is_next
                and content["prev"] == before.hash
                and data["hash"] == _digest(content)
                and all(
                    content["secrets"].get(audience) == _digest(part)
                    for audience, part in data["secrets"].items()
                )
            )
            is_final = any(event["type"] == "secrets_revealed" for event in content["events"])
            after = _Place(before.version + 1, data["hash"], str(content["view"]), is_final)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            fits = False
        if not fits:
            raise _found(
                "The server tells a broken history, so nothing is signed",
                f"the commit of version {before.version + 1} does not follow from the one before",
            )
        places.append(after)
    return places


# Members of a view that a seat alone sees (docs/fairness.md, section 3). Nothing seals them.
_OWN_MEMBERS = ("own", "build")


def _is_shown_as_sealed(shown: object, view: str) -> bool:
    """Return True if a seat's view is the public one that a commit has sealed, and its own part."""
    if not isinstance(shown, dict):
        return shown is None and view == ""
    own = [name for name in _OWN_MEMBERS if name in shown]
    return any(
        _digest({name: value for name, value in shown.items() if name not in left_out}) == view
        for size in range(len(own) + 1)
        for left_out in combinations(own, size)
    )


# ---- a key that signs ----------------------------------------------------------------------


@dataclass(frozen=True)
class Key:
    """A key of Ed25519 (RFC 8032), which signs what its holder does on a seat (M18).

    Python brings no Ed25519, and this file needs nothing beside it, so the curve is written out
    below. How long it takes depends on the key; only this machine can measure that.

    seed: its 32 private bytes. Keep them: a seat whose key is lost cannot move any more.
    memory: what it has verified and signed. By default that of the program, which ends with it.
    """

    seed: bytes = field(repr=False)
    memory: Memory = field(default=_MEMORY, repr=False, compare=False)

    @classmethod
    def kept(cls, path: str | Path) -> Self:
        """Return the key in a file. Make one if there is none, for its user alone to read.

        What it has verified and signed is stored beside it, in `PATH.signed`.
        """
        file = Path(path)
        memory = Memory(file.with_name(f"{file.name}.signed"))
        while True:
            try:
                text = file.read_text(errors="replace").strip()
            except FileNotFoundError:
                _write_once(file, f"{secrets.token_hex(32)}\n")
                continue
            if re.fullmatch("[0-9a-f]{64}", text) is None:
                raise _found("This is no key", f"{file} must hold 64 digits of hex")
            return cls(bytes.fromhex(text), memory)

    @cached_property
    def public(self) -> str:
        """The public key in hex, which stands in the history of each match for ever."""
        return _packed(_times(self._scalar, _BASE)).hex()

    def sign(self, text: bytes) -> str:
        """Return the signature of a text in hex."""
        public = bytes.fromhex(self.public)
        nonce = _number(hashlib.sha512(self.seed).digest()[32:] + text)
        point = _packed(_times(nonce, _BASE))
        response = (nonce + _number(point + public + text) * self._scalar) % _ORDER
        return (point + response.to_bytes(32, "little")).hex()

    @property
    def _scalar(self) -> int:
        number = int.from_bytes(hashlib.sha512(self.seed).digest()[:32], "little")
        return number & ((1 << 254) - 8) | (1 << 254)


def _write_once(file: Path, text: str) -> None:
    """Write a file whole, for its user alone, unless it is there.

    The draft becomes the file by one step, so a full disk or a crash leaves no part of it. Of
    several processes the first one wins.
    """
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as new_file:
            new_file.write(text)
            new_file.flush()
            os.fsync(new_file.fileno())
        with suppress(FileExistsError):
            os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    _sync_directory(file.parent)


def _sync_directory(directory: Path) -> None:
    """Have a directory's new names outlive a power cut, on systems that can."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# The curve: x^2 * -1 + y^2 = 1 + D * x^2 * y^2. A point is a multiple of (x, y, 1, x * y).
_Point = tuple[int, int, int, int]
_PRIME = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _PRIME) % _PRIME
_BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202
_BASE_Y = 4 * pow(5, -1, _PRIME) % _PRIME
_BASE: _Point = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _PRIME)


def _number(content: bytes) -> int:
    return int.from_bytes(hashlib.sha512(content).digest(), "little") % _ORDER


def _times(number: int, point: _Point) -> _Point:
    """Return a point added to itself so many times."""
    total: _Point = (0, 1, 1, 0)
    while number:
        if number & 1:
            total = _plus(total, point)
        point = _plus(point, point)
        number >>= 1
    return total


def _plus(one: _Point, other: _Point) -> _Point:
    """Return the sum of two points (RFC 8032, section 5.1.4)."""
    a = (one[1] - one[0]) * (other[1] - other[0])
    b = (one[1] + one[0]) * (other[1] + other[0])
    c = 2 * one[3] * other[3] * _D
    d = 2 * one[2] * other[2]
    e, f, g, h = (b - a) % _PRIME, (d - c) % _PRIME, (d + c) % _PRIME, (b + a) % _PRIME
    return e * f % _PRIME, g * h % _PRIME, f * g % _PRIME, e * h % _PRIME


def _packed(point: _Point) -> bytes:
    """Return a point as 32 bytes: its y, and the last bit of its x."""
    inverse = pow(point[2], -1, _PRIME)
    x, y = point[0] * inverse % _PRIME, point[1] * inverse % _PRIME
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _canonical(value: object) -> bytes:
    """Return canonical JSON (docs/fairness.md, section 1)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


# ---- what seats pledge ---------------------------------------------------------------------


class Entropy:
    """Bytes that seats have pledged and will disclose before their match starts (M19).

    Nobody else may know them until then, so they come from this machine, and follow from no token.
    A file keeps them over a restart, for its user alone to read.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        """Keep what is pledged in a file, a line each; without one as long as the program runs.

        A line has the pledge and its bytes. Once these were given, it comes again, with a digest of
        the pledges of all.
        """
        self._path = None if path is None else Path(path)
        lines = self._path.read_text().splitlines() if self._path and self._path.exists() else []
        self._kept = {pledge: words for pledge, *words in filter(None, map(str.split, lines))}

    def pledge(self, seat: int) -> str:
        """Draw new bytes for a seat, keep them, and return their pledge."""
        entropy = secrets.token_hex(32)
        pledge = _digest({"entropy": entropy, "seat": seat})
        self._keep(pledge, entropy)
        return pledge

    def pledged_by(self, seat: int, pledges: Mapping[int, str]) -> str:
        """Return the bytes behind a seat's pledge, to be disclosed for these pledges of all.

        They are given for the same pledges again, and for no others: a server that has read them
        could let others pledge anew. Raises Problem, also for a pledge that was not made here.
        """
        pledge = pledges[seat]
        of_all = _digest([[number, pledges[number]] for number in sorted(pledges)])
        match self._kept.get(pledge):
            case [entropy]:
                self._keep(pledge, entropy, of_all)
            case [entropy, given_for] if given_for == of_all:
                pass
            case None:
                detail = "disclose where it was pledged, or leave the seat and take it again"
                raise _found("The seat's pledge was not made here", detail)
            case _:
                detail = "leave the seat; the server may have read what it pledged"
                raise _found("Others have pledged anew since it was to be disclosed", detail)
        return entropy

    def _keep(self, pledge: str, *words: str) -> None:
        if self._path is not None:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "a") as file:
                # The line before may have been cut off by a full disk.
                file.write("\n" + " ".join((pledge, *words)) + "\n")
                file.flush()
                os.fsync(file.fileno())
        self._kept[pledge] = list(words)


def _digest(value: object) -> str:
    return hashlib.sha256(_canonical(value)).hexdigest()


def _pledges(record: bytes, state: Answer) -> dict[int, str]:
    """Return what each human has pledged, "" for nothing, in the history that leads to a state.

    Each commit must fit its hash, and follow the one before. Raises Problem.
    """
    pledges: dict[int, str] = {}
    prev = ""
    for line in record.splitlines()[: state["version"]]:
        content = json.loads(line)["data"]["commit"]
        if content["prev"] != prev:
            break
        prev = _digest(content)
        for event in content["events"]:
            _note_pledge(pledges, event)
    if prev != state["hash"]:
        raise _found("The server tells two histories", f"version {state['version']} is not one")
    return pledges


def _note_pledge(pledges: dict[int, str], event: Json) -> None:
    """Note what an event changes in what humans have pledged (docs/fairness.md, section 13)."""
    kind = event["type"]
    if kind == "match_opened":
        for seat, plan in enumerate(event["seats"]):
            if plan["kind"] == "human":
                pledges[seat] = plan.get("pledge", "")
    elif kind == "pledges_dropped":
        pledges.update(dict.fromkeys(pledges, ""))
    elif kind in ("seat_joined", "seat_restored"):
        pledges[event["seat"]] = event.get("pledge", "")
    elif kind == "entropy_pledged":
        pledges[event["seat"]] = event["digest"]
    elif kind in ("seat_left", "seat_replaced"):
        pledges.pop(event["seat"], None)


# ---- one match -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opened:
    """A match that was just opened, and its tokens."""

    client: Client
    document: Answer = field(repr=False)
    tokens: Tokens

    @property
    def id(self) -> str:
        """The match's id."""
        return str(self.document["id"])

    @property
    def owner(self) -> "Match":
        """The match for its owner."""
        return self.client.match(self.id, self.tokens["owner"])

    def seat(self, seat: int) -> "Match":
        """Return the match for the holder of a seat."""
        return self.client.match(self.id, self.tokens[f"seat:{seat}"])


@dataclass(frozen=True, slots=True)
class Match:
    """One match, for the holder of a token, or for the public.

    key: signs what is done on the token's seat; None: the seat has no key.
    """

    client: Client
    id: str
    token: str | None = field(default=None, repr=False)
    key: Key | None = None

    @property
    def path(self) -> str:
        """Where the match is, below the server's URL."""
        return f"/v1/matches/{quote(self.id, safe='')}"

    def document(self) -> Answer:
        """Return what the match is, who plays, whom it waits for, and how it has ended."""
        return self._get("")

    def join(self, seat: int, *, key: Key | None = None, **more: str) -> "Match":
        """Take an open seat and return the match for its holder.

        key: signs there, and proves by a signature that it joins. more: name, and entropy for the
        draws. Of a private match the token is its invitation.
        """
        path, once = f"{self.path}/seats/{seat}", secrets.token_hex(16)
        if key is None:
            answer = self.client.post(path, more, self.token, key=once)
        else:
            answer = self._join_proven(path, key, seat, more, once)
        token = answer.get("token")
        if not isinstance(token, str) or match_of(token) != self.id:
            raise _found("The server answers with no token of the match", "none is stored")
        return replace(self, token=token, key=key)

    def _join_proven(
        self, path: str, key: Key, seat: int, more: Mapping[str, str], once: str
    ) -> Answer:
        """Join with a proof at the head of a verified history. Retry after another commit."""
        refused = ""
        for _ in range(_MOST_JOINS):
            head = self.document()
            if self._verify_up_to(key, head).version > head["version"]:
                continue
            if head["hash"] == refused:
                raise _same_history(head["version"])
            proof = key.sign(_join_text(key, self.id, head["hash"], seat))
            body = {**more, "key": key.public, "proof": proof}
            try:
                return self.client.post(path, body, self.token, seen=head.etag, key=once)
            except Problem as problem:
                if problem.status != _STALE:
                    raise
                refused = head["hash"]
        raise _found("The match moved on too often meanwhile", "do it again")

    def rematch(self, *, key: Key | None = None, **more: str) -> "Match":
        """Play again: return the next match for the same holder, one seat further on (M20).

        The match has ended. The first caller opens the next one, which starts once all humans have
        come. A repeat returns the same seat. With the owner's token it is the match for its owner.

        key: signs there, and proves by a signature that it joins. more: entropy for the draws.
        """
        answer = self._post("/rematch", more) if key is None else self._rematch_proven(key, more)
        match, seat, told = (answer.get(name) for name in ("match", "seat", "tokens"))
        holder = "owner" if seat is None else f"seat:{seat}"
        token = told.get(holder) if isinstance(told, dict) else None
        if not isinstance(token, str) or match_of(token) != match:
            raise _found("The server answers with no token of the match", "none is stored")
        return Match(self.client, match, token, key)

    def _rematch_proven(self, key: Key, more: Mapping[str, str]) -> Answer:
        """Ask for the next match with a key, which signs a join of that match and nothing else."""
        body: Json = {**more, "key": key.public}
        seats = len(self.document()["seats"])
        kept = (_seat_of(self) - 1) % seats
        for _ in range(_MOST_JOINS):
            try:
                return self._post("/rematch", body)
            except Problem as problem:
                if problem.kind != "signature-wrong" or "to_sign" not in problem.fields:
                    raise
                text = problem.fields["to_sign"]
            # Without a proof the server tells the text anew.
            body.pop("proof", None)
            if self._is_join_at_head(key, text, kept):
                body["proof"] = key.sign(text.encode())
        raise _found("The next match moved on too often meanwhile", "do it again")

    def _is_join_at_head(self, key: Key, text: object, seat: int) -> bool:
        """Return True if a text joins the next match at its head, in a verified history.

        Nobody reads a private match before joining it. Its text is signed only by a key that has
        verified nothing of the match. Raises Problem for a text that is anything else.
        """
        try:
            told = _json(str(text))
            match, prev = told["match"], told["prev"]
            is_text = isinstance(match, str) and isinstance(prev, str)
            is_join = is_text and text == _join_text(key, match, prev, seat).decode()
        except (ValueError, TypeError, KeyError):
            is_join = False
        if not is_join or match == self.id:
            raise _found("The server wants something else to be signed", f"seat {seat} is meant")
        following = Match(self.client, match)
        try:
            head = following.document()
        except Problem as problem:
            place = key.memory.place(key.public, match)
            if problem.status != _MISSING or place != _NOWHERE:
                raise
            return True
        if head.get("rematch_of") != self.id:
            raise _found("The server names another match as the next one", f"it is {match}")
        following._verify_up_to(key, head)
        return bool(head["hash"] == prev)

    def signing(self, key: Key) -> "Match":
        """Return the match for the same holder, who signs with a key from now on.

        Raises Problem unless it is the key with which the seat was opened or joined.
        """
        if not self._has(key, _seat_of(self)):
            raise _found("The seat has another key, or none", "it was not opened with this one")
        return replace(self, key=key)

    def _has(self, key: Key, seat: int) -> bool:
        """Return whether a key is that of a seat."""
        return bool(self.document()["seats"][seat].get("key") == key.public)

    def start(self) -> Answer:
        """Begin to play, as the owner, and return the commit."""
        return self._post("/start")

    def draw(self, kept: Entropy) -> Answer | None:
        """Pledge or disclose what the seat owes before the start; return the commit (M19).

        None: it owes nothing now. kept: holds what was pledged until it is disclosed. That is done
        only where the history shows, each commit by its hash, that all humans have pledged.
        """
        while True:
            state, document = self.state(), self.document()
            if state["version"] != document["version"]:
                continue
            seat = state["seat"]
            owed = None if seat is None else document["seats"][seat].get("owes")
            if owed is None:
                return None
            try:
                return (
                    self._pledge(state, kept) if owed == "pledge" else self._disclose(state, kept)
                )
            except Problem as problem:
                if problem.status != _STALE:
                    raise

    def _pledge(self, state: Answer, kept: Entropy) -> Answer:
        digest = kept.pledge(state["seat"])
        command = {"type": "pledge", "digest": digest}
        return self._do("/pledge", {"digest": digest}, state if self.key else None, command)

    def _disclose(self, state: Answer, kept: Entropy) -> Answer:
        """Disclose after a state what the seat has pledged; raises Problem."""
        pledges = _pledges(self.record(), state)
        if not all(pledges.values()):
            raise _found("The server wants a disclosure too early", "not all humans have pledged")
        entropy = kept.pledged_by(state["seat"], pledges)
        command = {"type": "disclose", "entropy": entropy}
        # It is not asked about first: what is disclosed belongs under a signature.
        return self._do("/disclose", {"entropy": entropy}, state, command, is_legal=True)

    def fork(self, version: int, seats: Sequence[str | Json], **more: Any) -> "Opened":
        """Open a match that goes on from a version of this one; seats and more as in `open`.

        This one is revealed, or it is the token holder's own and has kept no secret so far.
        """
        base = {"match": self.id, "version": version}
        game = self.document()["game"]
        return self.client.open(game, seats, token=self.token, fork=base, **more)

    def state(
        self,
        version: int | None = None,
        at: str | None = None,
        *,
        wait: int | None = None,
        seen: Answer | None = None,
    ) -> Answer:
        """Return the state as the token's holder sees it: now, at a version, or at a time.

        at: a time as in RFC 3339.
        wait, seen: wait up to so many seconds for another one than was seen; else return that.
        """
        return self._get("/state", seen, version=version, at=at, wait=wait)

    def moves(self, *, wait: int | None = None, seen: Moves | None = None) -> Moves:
        """Return the legal moves of the token's seat.

        wait, seen: wait up to so many seconds for the match to move on; else return what was seen.
        """
        tag = seen.etag if seen is not None else ""
        answer = self.client.get(f"{self.path}/moves", self.token, seen=tag, wait=wait)
        if answer is None:
            assert seen is not None
            return seen
        return Moves(answer)

    def move(self, move: Json, *, seen: Moves | Answer | None = None, key: str = "") -> Answer:
        """Make a move and return the commit.

        seen: the moves or the state that it was chosen for. If the match has moved on since, it is
        refused with 412. Without it the move is made whatever has happened, if it is legal.
        """
        is_legal = isinstance(seen, Moves) and move in seen
        return self._do("/moves", move, seen, move, key, is_legal=is_legal)

    def act(self, choose: Choose) -> Answer | None:
        """Let a function choose a move and make it; return the commit, None if it is not the turn.

        If the match moves on meanwhile, it looks again and lets it choose again.
        """
        while True:
            moves = self.moves()
            if not moves and not moves.beyond:
                return None
            view = self.state(version=moves.version)
            move = _legal(choose(view, moves), moves, self.id)
            seen = moves if self.key is None else view
            try:
                return self._do("/moves", move, seen, move, is_legal=move in moves)
            except Problem as problem:
                if problem.status != _STALE:
                    problem.add_note(_described(move, moves, self.id))
                    raise

    def try_line(
        self, version: int, moves: Sequence[Json], *, seed: str = "", **more: Any
    ) -> Answer:
        """Return what would follow from a version on if moves were made; nothing is written.

        moves: each with its `seat`; what may follow is in `moves` of the answer, in the same form.
        seed: what all draws follow from.   more: `seat`, who looks on, once the match has ended.
        """
        body = {"version": version, "moves": list(moves), "seed": seed, **more}
        return self._post("/lines", body)

    def take_back(self, to: int, *, seen: Moves | Answer | None = None) -> Answer:
        """Ask to go back to how the match was at a version, and return the commit (M17).

        Where nobody else has to agree, its event `taken_back` says that the match went back.
        """
        return self._do("/take-back", {"to": to}, seen, {"type": "ask_take_back", "to": to})

    def agree(self, *, seen: Moves | Answer | None = None) -> Answer:
        """Agree to what another seat asks to take back, and return the commit.

        seen: the state in which that is asked; if anything else is asked now, it is refused (412).
        """
        return self._do("/take-back/agree", None, seen, {"type": "agree_take_back"})

    def refuse(self, *, seen: Moves | Answer | None = None) -> Answer:
        """Refuse what another seat asks to take back, or ask no more; return the commit."""
        return self._do("/take-back/refuse", None, seen, {"type": "refuse_take_back"})

    def resign(self) -> Answer:
        """Leave the seat to a bot to the end of the match, and return the commit (M16)."""
        command = {"type": "resign", "level": _STANDS_IN}
        clock = None if self.key is None else self.document().get("clock")
        if clock:
            command["level"] = clock["level"]
        return self._do("/resign", None, None, command)

    def return_(self) -> Answer:
        """Play on where a bot stood in, and return the commit (M8, M15).

        The match's document says in `seats` who may: `may_return`.
        """
        return self._do("/return", None, None, {"type": "return"})

    def follow(self, after: int | None = None) -> Iterator[Event]:
        """Yield each commit as it is made, until the last; after a cut it goes on where it was.

        after: begin after this version; by default with what is new. The event "rewritten" says
        that the server has lost commits that were received, and that the history begins anew.
        """
        # The version is asked for first: a cut before the first event must not move the beginning.
        start = self.document()["version"] if after is None else after
        return self.client.stream(f"{self.path}/stream", self.token, after=start)

    def history(self, after: int = 0) -> Iterator[Json]:
        """Yield the commits after a version, as the token's holder may see them."""
        while True:
            page = self._get("/commits", None, after=after, limit=_PAGE)["commits"]
            if not page:
                return
            yield from page
            after = page[-1]["version"]

    def record(self) -> bytes:
        """Return the record of the match, with which anybody can verify it: a commit a line."""
        return self.client.read(f"{self.path}/record", self.token)

    def verify(self) -> Json:
        """Return the report on the match of the command `giornale verify`.

        Raises Problem if that is not installed here, or cannot read the match.
        """
        command = [_installed(), "verify", "--json", self.client.url + self.path]
        # Others may read the words of a command, but not its environment.
        environment = {**os.environ, "GIORNALE_TOKEN": self.token or ""}
        if self.token is None:
            del environment["GIORNALE_TOKEN"]
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        try:
            report: Json = json.loads(done.stdout)
        except ValueError:
            raise _found("The match cannot be verified", done.stderr.decode().strip()) from None
        return report

    def _do(  # noqa: PLR0913 - the last two are given by few
        self,
        path: str,
        body: object,
        seen: Moves | Answer | None,
        command: Json,
        key: str = "",
        *,
        is_legal: bool = False,
    ) -> Answer:
        """Do something on one's seat, signed if it has a key. Return the commit.

        command: as the commit will hold it, without the seat.
        is_legal: the server has listed it. Else it is asked about before it is signed.
        """
        if self.key is None:
            return self._post(path, body, seen, key)

        for _ in range(_MOST_LOOKS):
            try:
                return self._do_signed(self.key, path, body, seen, command, key, is_legal)
            except Problem as problem:
                # It is signed for the last commit, but may be meant whatever that is.
                if problem.status != _STALE or seen is not None:
                    raise
        raise _found("The match moved on too often meanwhile", "do it again")

    def _do_signed(  # noqa: PLR0913 - as `_do`, with the key
        self,
        signer: Key,
        path: str,
        body: object,
        seen: Moves | Answer | None,
        command: Json,
        key: str,
        is_legal: bool,
    ) -> Answer:
        """Sign a command for the state that was seen, once and for all, and send it.

        Raises Problem: with the status 412 if the match has moved on.
        """
        state = self._state_seen(seen)
        place = self._verified(signer, state)
        request = _Signed(
            text=self._text(signer, state, command),
            path=path,
            body=json.dumps(body),
            etag=state.etag,
            key=key or secrets.token_hex(16),
        )
        if not is_legal and signer.memory.signed(signer.public, self.id) is None:
            self._demand_legal(request)
        claimed = signer.memory.claim(signer.public, self.id, place, request)
        if claimed is None:
            raise _moved_on("the match was verified further meanwhile")
        is_other = claimed.text != request.text
        try:
            commit = self._send(claimed, signer.sign(claimed.text.encode()))
        except Problem as problem:
            if problem.status == _STALE:
                self._demand_news(signer, place)
            elif is_other:
                told = json.loads(claimed.text)["command"]
                problem.add_note(f"signed for this version, so sent again, was {told}")
            raise
        if is_other:
            self._demand_news(signer, place)
            raise _moved_on("what was signed for this version before was sent again and is made")
        return commit

    def _demand_legal(self, request: _Signed) -> None:
        """Ask unsigned: the server must want this very text signed. Raises its refusal else."""
        try:
            self._send(request, "")
        except Problem as problem:
            if problem.kind != "signature-wrong" or "to_sign" not in problem.fields:
                raise
            if problem.fields["to_sign"] != request.text:
                title = "The server wants something else to be signed"
                raise _found(title, f"meant was {request.text}") from None
            return
        raise _found("The server has taken it without a signature", "the seat has a key")

    def _demand_news(self, signer: Key, place: _Place) -> None:
        """Raise Problem unless the server shows commits after a place that it has called old."""
        state = self.state()
        if (state["version"], state["hash"]) == (place.version, place.hash):
            raise _same_history(place.version)
        self._verify_up_to(signer, state)

    def _send(self, request: _Signed, signature: str) -> Answer:
        return self.client.post(
            self.path + request.path,
            json.loads(request.body),
            self.token,
            seen=request.etag,
            key=request.key,
            signature=signature,
        )

    def _verified(self, signer: Key, state: Answer) -> _Place:
        """Return the place of a state that was shown, once its history and view are checked.

        Raises Problem: with the status 412 if the match has moved on since.
        """
        place = self._verify_up_to(signer, state)
        if place.version > state["version"]:
            raise _moved_on(f"the match is at version {place.version}")
        if not _is_shown_as_sealed(state["state"], place.view):
            raise _found(
                "The server shows another table than the history has sealed, so nothing is signed",
                f"the view of version {place.version} does not fit its digest",
            )
        return place

    def _verify_up_to(self, signer: Key, state: Answer) -> _Place:
        """Verify the commits since the last verified one, and return the place of the last.

        It may be beyond the state. Raises Problem if the state is of another history.
        """
        memory, version = signer.memory, state["version"]
        place = memory.place(signer.public, self.id)
        places = [place]
        if version > place.version:
            record = self.client.read(f"{self.path}/record?after={place.version}", self.token)
            places = _checked_lines(record, self.id, place)
            memory.advance(signer.public, self.id, places[-1])
        elif version < place.version and self.state()["version"] < place.version:
            raise _two_histories(place.version)
        shown = [one for one in places if one.version == version]
        if version >= place.version and [one.hash for one in shown] != [state["hash"]]:
            raise _two_histories(version)
        return places[-1]

    def _text(self, key: Key, state: Answer, command: Json) -> str:
        """Return what is signed of a command after a state (docs/fairness.md, section 12)."""
        signed = {
            "command": {**command, "seat": state["seat"]},
            "key": key.public,
            "match": self.id,
            "prev": state["hash"],
            "version": state["version"] + 1,
        }
        return _canonical(signed).decode()

    def _state_seen(self, seen: Moves | Answer | None) -> Answer:
        """Return the state in which something was seen, now if nothing was."""
        if isinstance(seen, Answer) and "hash" in seen and "state" in seen:
            return seen
        if seen is None:
            return self.state()
        return self.state(version=seen.version if isinstance(seen, Moves) else seen["version"])

    def _post(
        self,
        path: str,
        body: object = None,
        seen: Moves | Answer | None = None,
        key: str = "",
        signature: str = "",
    ) -> Answer:
        return self.client.post(
            self.path + path,
            body,
            self.token,
            seen=seen.etag if seen is not None else "",
            key=key,
            signature=signature,
        )

    def _get(
        self, path: str, seen: Answer | None = None, wait: int | None = None, **query: object
    ) -> Answer:
        tag = seen.etag if seen is not None else ""
        answer = self.client.get(self.path + path, self.token, seen=tag, wait=wait, **query)
        if answer is None:
            assert seen is not None
            return seen
        return answer


# ---- many matches --------------------------------------------------------------------------


def play(  # noqa: PLR0913 - the last three are given only where they are needed
    client: Client,
    tokens: Iterable[str],
    choose: Choose,
    *,
    key: Key | None = None,
    kept: Entropy | None = None,
    report: Callable[[Event], object] = lambda _: None,
) -> None:
    """Play every seat whose token is given until its match has ended.

    choose: is never called twice at a time.   key: signs on the seats that have it.
    kept: what seats pledge and disclose where humans draw together; None: until this ends.
    report: is handed each event, and each commit that was made here as an event "made". Raises
    Problem for a token that is no seat's, and for a move that is not legal.
    """
    held = _checked(tokens)
    kept = kept or Entropy()
    seats = _seats(client, held, key)
    for event in client.follow(held):
        report(event)
        if event.name != "turn":
            continue
        is_open = event.data.get("status") == "open"
        for seat in _meant(seats, event):
            _act(seat, partial(seat.draw, kept) if is_open else partial(seat.act, choose), report)


def _seats(client: Client, tokens: Sequence[str], key: Key | None) -> dict[tuple[str, int], Match]:
    """Return the matches of some tokens by match and seat, without those that were deleted.

    key: signs on the seats that have it.
    """
    seats = {}
    for number, token in enumerate(tokens, 1):
        match = client.seat(token)
        try:
            with _noted(f"token {number} of {len(tokens)}, for match {match.id}"):
                seat = _seat_of(match)
                signs = key is not None and match._has(key, seat)
                seats[match.id, seat] = replace(match, key=key) if signs else match
        except Problem as problem:
            if problem.status != _DELETED:
                raise
    return seats


def _seat_of(match: Match) -> int:
    """Return the seat of a match's token; raises Problem for another's, such as the owner's."""
    seat = match.moves().seat
    if seat is None:
        raise _found("The token is no seat's", "only a seat's token makes moves")
    return seat


def _meant(seats: Mapping[tuple[str, int], Match], event: Event) -> list[Match]:
    """Return the seats whose turn an event tells: one, or all of its match if it names none."""
    seat = event.data.get("seat")
    return [
        match
        for (match_id, own), match in seats.items()
        if match_id == event.match and seat in (own, None)
    ]


def _act(seat: Match, act: Callable[[], Answer | None], report: Callable[[Event], object]) -> None:
    """Do what a seat is to do until it is its turn no longer; a match may be gone meanwhile."""
    try:
        while commit := act():
            report(Event("made", str(commit["version"]), commit))
    except Problem as problem:
        if problem.status not in _GONE:
            raise
        _log.info("match %s: %s", seat.id, problem)


class _Watch:
    """Asks for the state of each match in a thread, where the server has no stream of many."""

    def __init__(self, seats: Sequence[Match]) -> None:
        self._seats = seats
        self._news: queue.SimpleQueue[Event | Problem] = queue.SimpleQueue()
        self._stopped = threading.Event()

    def events(self) -> Iterator[Event]:
        """Yield the events of all matches."""
        try:
            for seat in self._seats:
                threading.Thread(target=self._watch, args=(seat,), daemon=True).start()
            while True:
                news = self._news.get()
                if isinstance(news, Problem):
                    raise news
                yield news
        finally:
            self._stopped.set()

    def _watch(self, seat: Match) -> None:
        state: Answer | None = None
        try:
            while not self._stopped.is_set():
                next_state = seat.state(wait=_WAIT_SECONDS if state else None, seen=state)
                if next_state is state:
                    continue
                if state is not None and next_state["version"] < state["version"]:
                    self._tell("rewritten", next_state)
                state = next_state
                if self._tell_state(seat, state):
                    return
        except Problem as problem:
            is_gone = problem.status in _GONE
            self._news.put(Event("gone", "", {"match": seat.id}) if is_gone else problem)
        except (LookupError, TypeError, AttributeError) as error:
            reason = f"{type(error).__name__}: {error}"
            self._news.put(_found("The server's answer has no form of Giornale's", reason))

    def _tell_state(self, seat: Match, state: Answer) -> bool:
        """Tell where a match stands, and return whether it has ended."""
        if state["status"] in ("finished", "aborted"):
            self._tell("ended", state, outcome=seat.document()["outcome"])
            return True
        if state["seat"] in state["waiting_for"]["seats"]:
            self._tell("turn", state, seat=state["seat"], deadline=None, status=state["status"])
        else:
            self._tell("waiting", state)
        return False

    def _tell(self, name: str, state: Answer, **more: Any) -> None:
        data = {"match": state["match"], "version": state["version"], **more}
        self._news.put(Event(name, "", data))


# ---- what is sent and read -----------------------------------------------------------------


def _address(parts: SplitResult) -> tuple[str, int | None]:
    """Return host and port of a URL; raises Problem for what is no server's."""
    try:
        port = parts.port
    except ValueError:
        port = -1
    is_web = parts.scheme in ("http", "https") and not parts.username
    if not is_web or not parts.hostname or port == -1:
        raise _found("This is no server's URL", "it must be http(s)://HOST..., without a user")
    return parts.hostname, port


def match_of(token: str) -> str:
    """Return the match that a token is for; raises Problem for what is no token."""
    found = _TOKEN.fullmatch(token)
    if found is None:
        raise _found("This is no token", "one is gio_, 26 letters and digits, _, 43 characters")
    return found[1]


def _checked(tokens: Iterable[str]) -> list[str]:
    """Return tokens, each once; raises Problem if they are none, too many, or no tokens."""
    held = list(dict.fromkeys(tokens))
    if not 1 <= len(held) <= MOST_TOKENS:
        raise _found("Not so many tokens", f"there are {len(held)}; it takes 1 to {MOST_TOKENS}")
    for number, token in enumerate(held, 1):
        with _noted(f"token {number} of {len(held)}"):
            match_of(token)
    return held


@contextmanager
def _noted(note: str) -> Iterator[None]:
    """Add to a problem what it is about."""
    try:
        yield
    except Problem as problem:
        problem.add_note(note)
        raise


def _legal(move: object, moves: Moves, match: str) -> Json:
    """Return the move that was chosen; raises Problem if it cannot be legal."""
    if isinstance(move, dict) and (move in moves or move.get("type") in moves.beyond):
        return move
    raise _found("No legal move was chosen", _described(move, moves, match))


def _described(move: object, moves: Moves, match: str) -> str:
    """Return a sentence about a move that was chosen, and what would be legal."""
    listed = [json.dumps(one) for one in moves[:_SHOWN_MOVES]]
    if len(moves) > _SHOWN_MOVES:
        listed.append(f"{len(moves) - _SHOWN_MOVES} more")
    listed += [f"other forms of {name}" for name in moves.beyond]
    where = f"seat {moves.seat} of match {match} at version {moves.version}"
    return f"chosen was {move!r} for {where}; legal are {', '.join(listed)}"


def _seat_plan(seat: str | Json) -> Json:
    if not isinstance(seat, str):
        return seat
    kind, _, level = seat.partition(":")
    return {"kind": kind, "level": level} if level else {"kind": kind}


def _json(text: bytes | str) -> Any:
    """Return the value of a JSON text. Raises ValueError, also if it is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _proven(body: Json, idempotency_key: str) -> Json:
    """Return an opening in which each `Key` of a seat is public and has signed it (M18)."""
    signers = [plan.get("key") for plan in body["seats"]]
    plans = [
        {**plan, "key": signer.public} if isinstance(signer, Key) else plan
        for plan, signer in zip(body["seats"], signers, strict=True)
    ]
    request = {**body, "seats": plans}
    proven = []
    for number, (plan, signer) in enumerate(zip(plans, signers, strict=True)):
        if isinstance(signer, Key):
            signed = {"key": signer.public, "open": request, "seat": number}
            text = _canonical({**signed, "idempotency_key": idempotency_key})
            plan = {**plan, "proof": signer.sign(text)}
        proven.append(plan)
    return {**request, "seats": proven}


def _answer(reply: _Reply) -> Answer:
    try:
        answer = Answer(_json(reply.body))
    except (ValueError, TypeError):
        raise _found("The server does not answer with JSON", "is it one of Giornale?") from None
    answer.etag = reply.etag
    return answer


def _whole(response: HTTPResponse, most: int = _MOST_ANSWER) -> bytes:
    """Return the body of a response; raises IncompleteRead if it or its head was cut off.

    A head that was cut off has lost what says how long the body is; to http.client it is whole.
    Raises Problem for more bytes or seconds than an answer may take.
    """
    has_body = response.status not in (_NO_CONTENT, _NOT_MODIFIED)
    if has_body and response.length is None and not response.chunked:
        raise IncompleteRead(b"")
    expected = response.length
    ends_at = time.monotonic() + _MOST_SECONDS
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise _found("The server answers with too much", f"more than {most} bytes")
        if time.monotonic() > ends_at:
            raise _found("The server answers too slowly", f"more than {_MOST_SECONDS:.0f} seconds")
    if expected is not None and size < expected:
        raise IncompleteRead(b"".join(pieces), expected - size)
    response.read()  # lets the connection go
    return b"".join(pieces)


def _lines_of(response: HTTPResponse) -> Iterator[bytes]:
    """Yield the lines of a stream. Raises Problem for one that is too long."""
    while line := response.readline(_MOST_LINE + 1):
        if len(line) > _MOST_LINE:
            raise _found("The server answers with too much", f"a line of {_MOST_LINE} bytes")
        yield line


def _refuse(response: HTTPResponse) -> None:
    """Raise the problem that a response is; nothing is redirected, so no token goes elsewhere."""
    if response.status < _FIRST_REFUSAL or response.status == _NOT_MODIFIED:
        return
    try:
        fields = _json(_whole(response))
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        fields = {"title": response.reason, "detail": "the answer is no problem of Giornale's"}
    after = response.headers.get("Retry-After", "")
    raise Problem(response.status, fields, float(after) if after.isdecimal() else None)


def _found(title: str, detail: str) -> Problem:
    """Return a problem that was found here, which does not pass."""
    problem = Problem(0, {"title": title, "detail": detail})
    problem.passes = False
    return problem


def _join_text(key: Key, match: str, prev: str, seat: int) -> bytes:
    """Return the text that proves a join with a key (docs/fairness.md, section 12)."""
    return _canonical({"key": key.public, "match": match, "prev": prev, "seat": seat})


def _same_history(version: int) -> Problem:
    """Return the problem that the server refuses the head that it shows."""
    return _found(
        "The server shows the same history and refuses what was signed for it as outdated",
        f"nothing else is signed for version {version + 1}; try again later",
    )


def _moved_on(detail: str) -> Problem:
    """Return the problem that a match has moved on, as the server would tell it."""
    return Problem(_STALE, {"title": "The match has moved on", "detail": detail})


def _unanswered(url: str, error: Exception) -> Problem:
    """Return the problem that no answer came, or not all of it."""
    problem = _found("No answer", f"{url}: {error or type(error).__name__}")
    problem.passes = not isinstance(error, ssl.SSLCertVerificationError | InvalidURL)
    return problem


def _events(lines: Iterable[bytes]) -> Iterator[Event | None]:
    """Yield the events of a stream (WHATWG), and None for each comment; drop half an event."""
    name = "message"
    last_id = ""
    data: list[str] = []
    size = 0
    for line in lines:
        text = line.decode(errors="replace").rstrip("\r\n")
        key, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if not text:
            if data:
                yield Event(name, last_id, _event_data("\n".join(data)))
            name, data, size = "message", [], 0
        elif key == "":
            yield None
        elif key == "event":
            name = value
        elif key == "id":
            last_id = value
        elif key == "data":
            data.append(value)
            size += len(value) + 1
            if size > _MOST_LINE:
                raise _found("The server answers with too much", f"an event of {size} letters")


def _event_data(text: str) -> Json:
    """Return the data of an event. Raises Problem for what is no JSON object."""
    try:
        data = _json(text)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise _found("The server sends an event that is no JSON object", "is it one of Giornale?")
    return data


def _installed() -> str:
    """Return the command `giornale`, of this Python or on the PATH; raises Problem without one."""
    places = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    command = shutil.which("giornale", path=os.pathsep.join(places))
    if command is None:
        raise _found("Giornale is not installed here", "`pip install giornale` brings `verify`")
    return command
