"""A client of Giornale in one file. It needs Python 3.11 or newer and no package.

    from giornale_client import Client

    giornale = Client("http://127.0.0.1:8000")
    opened = giornale.open("calimala", ["human", "bot:greedy", "bot:random"])

    seat = opened.seat(0)
    seat.act(lambda view, moves: moves[0])
    for event in seat.follow(after=0):
        print(event.name, event.data["version"])

`play` plays all seats of some tokens to the end of their matches, through cut connections and
restarts of the server. Refused and failed requests raise `Problem`. Tokens and private keys appear
in no repr, log or error. A `Key` signs all actions of a seat, so that nobody else can act there.
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
"""Greatest number of tokens that `Client.follow` and `play` take."""

_log = logging.getLogger("giornale_client")

_WAIT_SECONDS = 20
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
_PAGE = 500

# Limits for the answers of a server. Records have a larger limit, as in `giornale verify URL`.
_MOST_ANSWER = 16 * 1024 * 1024
_MOST_RECORD = 256 * 1024 * 1024
_MOST_LINE = 1024 * 1024  # for a line of a stream
_MOST_SECONDS = 300.0  # for the head of an answer, and for the body unless the body is a stream
_PIECE = 65_536
_SHOWN_MOVES = 5
_MOST_LOOKS = 8  # attempts to sign an action while the match moves on
_SUBSTITUTE_LEVEL = "greedy"  # level of the bot for a resigned seat, in a match without a clock
_NO_CONTENT = 204
_NOT_MODIFIED = 304
_FIRST_REFUSAL = 300

# Statuses worth a retry: the server is busy or restarts, its proxy has no server, or no answer
# came.
_PASSING = frozenset({0, 408, 429, 502, 503, 504})
_STALE = 412
_CONFLICT = 409
_DELETED = 410
_MOST_JOINS = 8  # attempts to join while the match moves on
_GONE = frozenset({401, 403, 404, _DELETED})
_MISSING = 404
_NO_SUCH_ROUTE = frozenset({_MISSING, 405})

_JSON = "application/json"
_IS_GIORNALE = "is it a server of Giornale?"

_AFTER = re.compile("[?&]after=([0-9]{1,16})(?![0-9])")
_TOKEN = re.compile("gio_([a-z0-9]{26})_[A-Za-z0-9_-]{43}")  # the group is the match ID


# ---- answers -------------------------------------------------------------------------------


class Problem(Exception):
    """A refused or failed request, with the fields of the problem (RFC 9457).

    status: HTTP status. 0 if no server answered, or if the client itself found the fault. 412 also
        if the client finds that the match has moved on.
    fields: all fields of the problem, including fields that only its type has.
    retry_after: seconds until a retry makes sense. None if the server did not say.
    passes: True if the same request may succeed later.
    type, title, detail, instance: the fields of RFC 9457. A missing type is "about:blank", any
        other missing field is "".
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
        """Last part of the type, such as "illegal-move"."""
        _, _, kind = self.type.rpartition("/")
        return kind

    def __str__(self) -> str:
        parts = [str(self.status or ""), self.title, self.detail]
        return ": ".join(part for part in parts if part)


class Answer(dict[str, Any]):
    """A JSON object from the server.

    etag: the ETag of the answer, for later requests. "" if the answer had none.
    """

    etag: str = ""


class Moves(list[Json]):
    """The legal moves of a seat, ready to be sent.

    If the seat may not move, both the list and `beyond` are empty.

    etag: ETag for `newer_than` of `Client.get` and `expected` of `Client.post`.
    version: version of the match at which these moves are legal.
    seat: number of the seat. None without the token of a seat.
    beyond: legal forms of commands with too many legal moves to list, by command.
    waiting_for: the awaited seats, or the house.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer["moves"])
        self.etag = answer.etag
        self.version: int = answer["version"]
        self.seat: int | None = answer["seat"]
        self.beyond: Json = answer["beyond"]
        self.waiting_for: Json = answer["waiting_for"]


class Tokens(dict[str, str]):
    """Secret tokens by holder: "owner", "seat:0". The repr shows no token."""

    def __repr__(self) -> str:
        return f"Tokens({', '.join(self)})"

    __str__ = __repr__


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a stream.

    name: in the stream of one match "commit" or "rewritten". In the stream of many matches "turn",
        "waiting", "take_back", "ended", "gone", "rewritten" or "presence".
    id: position in the stream, for `Last-Event-ID`. "" if the event has none.
    data: the JSON object of the event, for example with members "match" and "seat".
    """

    name: str
    id: str
    data: Json

    @property
    def match(self) -> str:
        """ID of the match. "" if the event names no match."""
        return str(self.data.get("match", ""))


Choose = Callable[[Answer, Moves], Json]
"""Takes the state as the seat sees it, and the seat's legal moves. Returns one move."""


# ---- the server ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Request:
    """An HTTP request. Headers and body may hold secrets, so the repr shows neither."""

    method: str
    path: str
    token: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, object] = field(default_factory=dict)
    body: object = field(default=None, repr=False)
    # Seconds of long polling, on top of the client's timeout.
    wait: int = 0
    most_bytes: int = _MOST_ANSWER  # limit of the answer

    @property
    def target(self) -> str:
        """Path and query. Parameters of value None are left out."""
        query = {name: value for name, value in self.query.items() if value is not None}
        mark = "&" if "?" in self.path else "?"
        return f"{self.path}{mark}{urlencode(query)}" if query else self.path

    @property
    def content(self) -> bytes | None:
        """The body as bytes."""
        return None if self.body is None else json.dumps(self.body).encode()

    @property
    def all_headers(self) -> dict[str, str]:
        """Own and common headers of the request. Raises Problem for a malformed token."""
        headers = {"User-Agent": "giornale-client", **self.headers}
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
        """The answer's ETag. "" if it had none."""
        return str(self.headers.get("ETag", ""))


class Client:
    """A server of Giornale. Threads may share one client.

    url: address of the server, such as "https://games.example/giornale". Raises Problem if it is
        no HTTP URL.
    timeout: seconds of silence before a connection counts as broken.
    patience: seconds of retries while the server cannot be reached or is busy. A retry never acts
        twice.
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
        """Close the idle connections."""
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
        """Open a match and return it with its tokens.

        seats: each seat at the start: "human", "open", "bot", "bot:LEVEL", or a dict as in the API.
            In a dict, `key` may be a `Key`. This key signs the opening as a proof.
        token: for forks only: the token of the continued match (`Match.fork`).
        key: Idempotency-Key. Default: a random key. The same request with the same key returns the
            same match and tokens, so keep the key secret.
        more: other members of the request, such as options, visibility, advice.
        """
        body = {"game": game, "seats": [_seat_plan(seat) for seat in seats], **more}
        key = key or secrets.token_hex(16)
        answer = self.post("/v1/matches", _with_proofs(body, key), token, key=key)
        tokens = Tokens(answer.pop("tokens"))
        for token in tokens.values():
            match_of(token)
        return Opened(self, answer, tokens)

    def match(self, match: str, token: str | None = None) -> "Match":
        """Return a match by its ID, as the holder of a token or as the public sees it."""
        return Match(self, match, token)

    def seat(self, token: str) -> "Match":
        """Return the match of a token. Raises Problem if the text is no token."""
        return Match(self, match_of(token), token)

    def follow(self, tokens: Iterable[str]) -> Iterator[Event]:
        """Yield the current situation of each match, then each change, until all matches are over.

        tokens: 1 to 50. Raises Problem for another number, and for a text that is no token.

        A match is "gone" once none of its tokens is valid. After a cut the client connects again,
        and misses no situation that still holds. If the server has no stream of many matches, a
        thread for each token polls the token's match.
        """
        token_list = _unique_tokens(tokens)
        remaining = Counter(match_of(token) for token in token_list)
        for event in self._events_of_all(token_list):
            if event.match not in remaining:
                continue
            if event.name == "gone":
                remaining -= Counter([event.match])
                if event.match in remaining:
                    continue
            if event.name == "ended":
                del remaining[event.match]
            yield event
            if not remaining:
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
        """Yield all commits of the server in the order of its log, then each new commit.

        after: number of positions read so far. Resume with the last `position` plus one.
        log: ID of the log with the position `after`. Each commit has this ID in `log`. Raises
            Problem of the type `another-log` if the server has begun another log. Then start at 0.
        game: only commits of this game.
        token: token of a private match. The commits of that match are then yielded in full.
        wait: seconds that one request waits for new commits. None: end at the last commit.
        """
        while True:
            page = self.get("/v1/commits", token, wait=wait, after=after, log=log, game=game)
            assert page is not None
            commits, following = page.get("commits"), _after_in(page.get("next"))
            is_page = isinstance(commits, list) and all(isinstance(one, dict) for one in commits)
            if not is_page or following is None or following < after:
                raise _fault("The server answers with no page of its feed", _IS_GIORNALE)
            log = page.get("log") or log
            yield from page["commits"]
            if wait is None and following == after:
                return
            after = following

    def records(
        self,
        ended_from: str | None = None,
        ended_to: str | None = None,
        *,
        game: str | None = None,
    ) -> Iterator[bytes]:
        """Yield the records of public matches that ended within a span of time, as pages of lines.

        ended_from, ended_to: times in RFC 3339. The first is included, the second is not.
        game: only matches of this game.

        All pages together have the content of `giornale dump`. Matches that the server cannot read
        are left out and logged.
        """
        query: dict[str, object] = {"ended_from": ended_from, "ended_to": ended_to, "game": game}
        while True:
            request = _Request("GET", "/v1/records", query=query, most_bytes=_MOST_RECORD)
            reply = self._ask(request)
            if missing := reply.headers.get("Giornale-Missing"):
                _log.warning("matches that the server cannot read are left out: %a", missing)
            yield reply.body

            following = _after_in(reply.headers.get("Link"))
            if following is None:
                return
            query["after"] = following

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
        newer_than: str = "",
        wait: int | None = None,
        **query: object,
    ) -> Answer | None:
        """Send a GET and return the answer. None if `newer_than` is still the current ETag (304).

        path: path below the server's URL, or the `next` of a page.
        newer_than: ETag of an earlier answer.
        wait: seconds that the server may wait for news. If an answer comes early and without news,
            the client pauses before it returns.
        query: parameters. Parameters of value None are left out.
        """
        path = path.removeprefix(self._prefix)
        headers = {"If-None-Match": newer_than} if newer_than else {}
        request = _Request(
            "GET", path, token, headers, query={**query, "wait": wait}, wait=wait or 0
        )
        asked_at = time.monotonic()
        reply = self._ask(request)
        answer = None if reply.status == _NOT_MODIFIED else _answer(reply)
        if wait:
            following = None if answer is None else _after_in(answer.get("next"))
            is_empty = answer is None or (
                following is not None and following == _after_in(request.target)
            )
            self._polls.answered(request, time.monotonic() - asked_at, is_empty=is_empty)
        return answer

    def post(  # noqa: PLR0913 - few calls need the last three
        self,
        path: str,
        body: object = None,
        token: str | None = None,
        *,
        expected: str = "",
        key: str = "",
        signature: str = "",
    ) -> Answer:
        """Send a POST and return the answer. The Idempotency-Key makes the request safe to repeat.

        expected: ETag of the state seen before the request. Raises Problem 412 if the state
            has changed.
        key: Idempotency-Key. Default: a random key.
        signature: signature in hex by the key of the seat (M18). "": none.
        """
        headers = {"Idempotency-Key": key or secrets.token_hex(16)}
        if expected:
            headers["If-Match"] = expected
        if signature:
            headers["Giornale-Signature"] = signature
        return _answer(self._ask(_Request("POST", path, token, headers, body=body)))

    def read(self, path: str, token: str | None = None) -> bytes:
        """Send a GET and return the body, at most 256 MiB."""
        request = _Request("GET", path, token, most_bytes=_MOST_RECORD)
        return self._ask(request).body

    def stream(
        self,
        path: str,
        token: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        **query: object,
    ) -> Iterator[Event]:
        """Yield the events of a stream. After a cut, resume after the last event.

        The stream ends once the server says that no more events will follow (204).
        """
        own = dict(headers or {})
        attempts = _Attempts(self.patience)
        while True:
            request = _Request("GET", path, token, own, query=query)
            try:
                with self._response_to(request) as response:
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
                attempts.failed(_no_answer(self.url, error), request)
            attempts.pause()

    def _ask(self, request: _Request) -> _Reply:
        """Return the reply to a request. Retry as long as the failure may pass."""
        attempts = _Attempts(self.patience)
        while True:
            try:
                with self._response_to(request) as response:
                    _refuse(response)
                    body = _body(response, request.most_bytes)
                _log.debug("%s %s: %d", request.method, request.path, response.status)
                return _Reply(response.status, response.headers, body)
            except Problem as problem:
                attempts.failed(problem, request)
            except (OSError, HTTPException) as error:
                attempts.failed(_no_answer(self.url, error), request)
            attempts.pause()

    @contextmanager
    def _response_to(self, request: _Request) -> Iterator[HTTPResponse]:
        """Send a request and yield the response. If it was read whole, keep the connection."""
        connection, response = self._send(request)
        try:
            yield response
        finally:
            if response.isclosed() and not response.will_close:
                self._idle.append(connection)
            else:
                connection.close()
                response.close()

    def _send(self, request: _Request) -> tuple[HTTPConnection, HTTPResponse]:
        """Send a request on an idle connection, else on a new one.

        An idle connection may fail, because the server may have closed it meanwhile.
        """
        while self._idle:
            try:
                return self._exchange(self._idle.pop(), request)
            except (OSError, HTTPException):
                _log.debug("an idle connection failed, retrying on another")
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
    """Cut a connection after some seconds.

    The socket's timeout alone is no limit, since it starts again with each byte.
    """

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
    """Pauses after long polls that came back early without news.

    A server without a free place for a long poll answers the poll at once. Each pause is twice as
    long as the pause before, with jitter, up to a limit. News, or a poll that lasted at least half
    of its time, resets the pauses.
    """

    def __init__(self) -> None:
        # Next pause by path and token. A program makes few polls at a time, so entries are few.
        self._pauses: dict[tuple[str, str | None], float] = {}

    def answered(self, request: _Request, seconds: float, *, is_empty: bool) -> None:
        """Note an answer after some seconds. Pause if the answer came early and without news."""
        poll = (request.path, request.token)
        pause = self._pauses.pop(poll, _FIRST_PAUSE_SECONDS)
        if not is_empty or seconds >= request.wait / 2:
            return
        self._pauses[poll] = min(pause * 2, _LONGEST_PAUSE_SECONDS)
        time.sleep(pause * random.uniform(0.5, 1.5))


class _Attempts:
    """The retries of a request or stream: its patience and its growing pauses."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._gives_up: float | None = None
        self._pause = _FIRST_PAUSE_SECONDS
        self._retry_after: float | None = None

    def answered(self) -> None:
        """Note that the server can be reached: patience starts over at the next failure."""
        self._gives_up = None

    def moved(self) -> None:
        """Note an event: patience and pauses start over."""
        self.answered()
        self._pause = _FIRST_PAUSE_SECONDS

    def failed(self, problem: Problem, request: _Request) -> None:
        """Note a problem. Raises it if a retry cannot help, or would come after the time limit."""
        self._retry_after = problem.retry_after
        now = time.monotonic()
        if self._gives_up is None:
            self._gives_up = now + self._patience
        if not problem.passes or now + self._next() > self._gives_up:
            raise problem
        _log.info("%s %s failed, retrying: %s", request.method, request.path, problem)

    def pause(self) -> None:
        """Wait, at least for Retry-After, and double the next pause. Jitter spreads the clients."""
        time.sleep(self._next() + random.uniform(0, self._pause / 2))
        self._pause = min(self._pause * 2, _LONGEST_PAUSE_SECONDS)
        self._retry_after = None

    def _next(self) -> float:
        return max(self._pause, self._retry_after or 0)


# ---- memory of a key -----------------------------------------------------------------------


class _Place(NamedTuple):
    """The last verified commit of a match for one key. Version 0: no commit is verified.

    view: digest of the public view after the commit.   is_final: True if no commit can follow.
    """

    version: int
    hash: str
    view: str
    is_final: bool


_NOWHERE = _Place(0, "", "", False)


class _SignedRequest(NamedTuple):
    """A signed request for the next version of a match.

    text: the signed text.   path, body, etag, key: sent along with the signature.
    """

    text: str
    path: str
    body: str
    etag: str
    key: str


class Memory:
    """The verified commits and signed requests of keys (M18).

    A key signs at most one text for a version. The text is stored before its signature leaves this
    machine. With a file, a restarted program sends the same bytes again, and any number of
    processes may share the file.

    For each key and match the memory stores the last verified commit, and the request signed for
    the next version. Once the commit of this version is verified, the request is deleted.

    All methods raise Problem if the file cannot be used.
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
        """Store all in an SQLite file that only its user can read. None: store in memory."""
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
        """Store a verified commit, unless this or a later commit is stored.

        Raises Problem if another commit of the same version is stored.
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

    def claim(
        self, key: str, match: str, place: _Place, request: _SignedRequest
    ) -> _SignedRequest | None:
        """Store a request as the only request to sign after a verified commit, and return it.

        If another request was stored before, return the earlier request. None: a later commit was
        verified. After the revelation the request is not stored, since no commit can follow.
        """
        if place.is_final:
            return request
        with self._transaction() as database:
            if self._place(database, key, match) != place:
                return None
            earlier = self._signed_request(database, key, match)
            if earlier is not None:
                return earlier
            row = (key, match, *request)
            database.execute("INSERT INTO signed VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return request

    def signed_request(self, key: str, match: str) -> _SignedRequest | None:
        """Return the signed request for the version after the last verified commit, if any."""
        with self._transaction() as database:
            return self._signed_request(database, key, match)

    @staticmethod
    def _place(database: sqlite3.Connection, key: str, match: str) -> _Place:
        question = "SELECT version, hash, view, is_final FROM verified WHERE key = ? AND match = ?"
        row = database.execute(question, (key, match)).fetchone()
        if row is None:
            return _NOWHERE
        version, commit_hash, view, is_final = row
        return _Place(version, commit_hash, view, bool(is_final))

    @staticmethod
    def _signed_request(
        database: sqlite3.Connection, key: str, match: str
    ) -> _SignedRequest | None:
        question = (
            "SELECT text, path, body, etag, idempotency_key FROM signed WHERE key = ? AND match = ?"
        )
        row = database.execute(question, (key, match)).fetchone()
        return None if row is None else _SignedRequest(*row)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Run an exclusive transaction. Raises Problem if the database fails."""
        try:
            with self._lock, self._connection() as database:
                database.execute("BEGIN IMMEDIATE")
                try:
                    yield database
                except BaseException:
                    database.execute("ROLLBACK")
                    raise
                database.execute("COMMIT")
        except (OSError, sqlite3.Error) as error:
            title = "The memory of signed requests cannot be used, so nothing is signed"
            raise _fault(title, f"{self._path}: {error}") from None

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
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
    return _fault(
        "The server tells two histories, so nothing is signed",
        f"version {version} differs from the one that was verified here",
    )


def _checked_lines(record: bytes, match: str, place: _Place) -> list[_Place]:
    """Return a verified commit and its successors in a record.

    Each commit must fit its hash, name the hash of the commit before, and hold the digests of its
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
            raise _fault(
                "The server tells a broken history, so nothing is signed",
                f"the commit of version {before.version + 1} does not follow from the one before",
            )
        places.append(after)
    return places


# Members of a view for one seat alone (docs/reference/record.md, section 3). No digest covers them.
_OWN_MEMBERS = ("own", "build")


def _fits_seal(state: object, view: str) -> bool:
    """Return True if a seat's state has the digest `view`, with or without each of _OWN_MEMBERS."""
    if not isinstance(state, dict):
        return state is None and view == ""
    own = [name for name in _OWN_MEMBERS if name in state]
    return any(
        _digest({name: value for name, value in state.items() if name not in left_out}) == view
        for size in range(len(own) + 1)
        for left_out in combinations(own, size)
    )


# ---- a key that signs ----------------------------------------------------------------------


@dataclass(frozen=True)
class Key:
    """An Ed25519 key (RFC 8032) that signs the actions of its holder on a seat (M18).

    Python has no Ed25519, and this file uses no package, so the curve is written out below. The
    time of a signature depends on the key, so nobody else should be able to measure it precisely.

    seed: the 32 private bytes. Keep a copy: a seat with a lost key cannot move any more.
    memory: verified commits and signed requests. Default: one memory for all keys, until the
        program ends.
    """

    seed: bytes = field(repr=False)
    memory: Memory = field(default=_MEMORY, repr=False, compare=False)

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read the key from a file. If the file is missing, write a new key, for its user alone.

        The memory of the key is stored beside the file, in `PATH.signed`. Raises Problem if the
        file holds no key.
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
                raise _fault("This is no key", f"{file} must hold 64 digits of hex")
            return cls(bytes.fromhex(text), memory)

    @cached_property
    def public(self) -> str:
        """The public key in hex. It stays in the history of each match for ever."""
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
    """Write a whole file that only its user can read, unless it exists.

    The draft gets the file's name in one step, so a full disk or a crash leaves no partial key. Of
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
    """Make new names in a directory survive a power cut, if the system can."""
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
    """Return a multiple of a point."""
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
    """Return canonical JSON (docs/reference/record.md, section 1)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


# ---- pledges of seats ----------------------------------------------------------------------


class Entropy:
    """Secret bytes that seats pledge, and disclose before their match starts (M19).

    Nobody else may know the bytes before the disclosure. They are drawn on this machine, and derive
    from no token.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        """Store pledges in a file for its user alone, to survive a restart. None: in memory.

        A line holds a pledge and its bytes. The first call of `disclosure` adds a line with the
        same pledge and bytes, and a digest of all pledges.
        """
        self._path = None if path is None else Path(path)
        lines = self._path.read_text().splitlines() if self._path and self._path.exists() else []
        self._entries = {pledge: words for pledge, *words in filter(None, map(str.split, lines))}

    def pledge(self, seat: int) -> str:
        """Draw new bytes for a seat, store them, and return their pledge in hex."""
        entropy = secrets.token_hex(32)
        pledge = _digest({"entropy": entropy, "seat": seat})
        self._store(pledge, entropy)
        return pledge

    def disclosure(self, seat: int, pledges: Mapping[int, str]) -> str:
        """Return the bytes of a seat's pledge in hex, to disclose them.

        pledges: the pledges of all humans by seat. Later calls need the same pledges, because a
            server that has read the bytes could let others pledge anew.

        Raises Problem if a later call has other pledges, and for a pledge that was not made here.
        """
        pledge = pledges[seat]
        of_all = _digest([[number, pledges[number]] for number in sorted(pledges)])
        match self._entries.get(pledge):
            case [entropy]:
                self._store(pledge, entropy, of_all)
            case [entropy, given_for] if given_for == of_all:
                pass
            case None:
                detail = "disclose with the `Entropy` that pledged, or join the seat again"
                raise _fault("The seat's pledge was not made here", detail)
            case _:
                detail = "leave the seat, since the server may have read its bytes"
                raise _fault("Others have pledged anew since it was to be disclosed", detail)
        return entropy

    def _store(self, pledge: str, *words: str) -> None:
        if self._path is not None:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "a") as file:
                # Begin a new line, since a full disk may have cut off the line before.
                file.write("\n" + " ".join((pledge, *words)) + "\n")
                file.flush()
                os.fsync(file.fileno())
        self._entries[pledge] = list(words)


def _digest(value: object) -> str:
    return hashlib.sha256(_canonical(value)).hexdigest()


def _pledges(record: bytes, state: Answer) -> dict[int, str]:
    """Return the pledge of each human by seat, "" for none, from the commits up to a state.

    Each commit must fit its hash, and name the hash of the commit before. Raises Problem.
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
        detail = f"the record does not lead to the state of version {state['version']}"
        raise _fault("The server tells two histories", detail)
    return pledges


def _note_pledge(pledges: dict[int, str], event: Json) -> None:
    """Apply an event to the pledges of the humans (docs/reference/proofs.md, section 13)."""
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
    """A new match and its tokens. `document` is the answer to the opening."""

    client: Client
    document: Answer = field(repr=False)
    tokens: Tokens

    @property
    def id(self) -> str:
        """ID of the match."""
        return str(self.document["match"])

    @property
    def owner(self) -> "Match":
        """The match, as its owner."""
        return self.client.match(self.id, self.tokens["owner"])

    def seat(self, seat: int) -> "Match":
        """Return the match as the holder of a seat. Raises KeyError for a seat without a token."""
        return self.client.match(self.id, self.tokens[f"seat:{seat}"])


@dataclass(frozen=True, slots=True)
class Match:
    """One match, as the holder of a token or as the public.

    key: signs the actions on the token's seat. None: the seat has no key.

    Methods that act on the match return the commit, with `version`, `hash` and `events`.
    """

    client: Client
    id: str
    token: str | None = field(default=None, repr=False)
    key: Key | None = None

    @property
    def path(self) -> str:
        """Path of the match below the server's URL."""
        return f"/v1/matches/{quote(self.id, safe='')}"

    def document(self) -> Answer:
        """Return the document of the match: its game, seats, status, awaited seats and outcome."""
        return self._get("")

    def join(self, seat: int, *, key: Key | None = None, **more: str) -> "Match":
        """Take an open seat and return the match as the holder of the seat.

        key: signs on the seat from now on, and proves the join by a signature.
        more: `name`, and `entropy` for the draws, or `pledge` in a match with joint entropy.

        In a private match, the `token` of this object must be the invitation or the owner's token.
        """
        path, once = f"{self.path}/seats/{seat}", secrets.token_hex(16)
        if key is None:
            answer = self.client.post(path, more, self.token, key=once)
        else:
            answer = self._join_with_key(path, key, seat, more, once)
        token = answer.get("token")
        if not isinstance(token, str) or match_of(token) != self.id:
            raise _fault("The server answers with no token of the match", "none is stored")
        return replace(self, token=token, key=key)

    def _join_with_key(
        self, path: str, key: Key, seat: int, more: Mapping[str, str], once: str
    ) -> Answer:
        """Join with a proof at the head of a verified history. Retry if another commit is first."""
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
                return self.client.post(path, body, self.token, expected=head.etag, key=once)
            except Problem as problem:
                if problem.status != _STALE:
                    raise
                refused = head["hash"]
        raise _fault("The match moved on too often meanwhile", "do it again")

    def rematch(self, *, key: Key | None = None, **more: str) -> "Match":
        """Play again: return the next match as the holder of a seat, or as its owner (M20).

        This match must have ended. The first call opens the next match, and the next match starts
        once all humans have come. The player of seat 1 gets seat 0, the player of seat 0 the last
        seat. A repeat returns the same seat.

        key: signs in the next match, and proves the join by a signature.
        more: `entropy` for the draws.
        """
        answer = self._post("/rematch", more) if key is None else self._rematch_with_key(key, more)
        match, seat, tokens = (answer.get(name) for name in ("match", "seat", "tokens"))
        holder = "owner" if seat is None else f"seat:{seat}"
        token = tokens.get(holder) if isinstance(tokens, dict) else None
        if not isinstance(token, str) or match_of(token) != match:
            raise _fault("The server answers with no token of the match", "none is stored")
        return Match(self.client, match, token, key)

    def _rematch_with_key(self, key: Key, more: Mapping[str, str]) -> Answer:
        """Ask for the next match with a key. The key signs only a join of that match."""
        body: Json = {**more, "key": key.public}
        seats = len(self.document()["seats"])
        next_seat = (_seat_of(self) - 1) % seats
        for _ in range(_MOST_JOINS):
            try:
                return self._post("/rematch", body)
            except Problem as problem:
                if problem.kind != "signature-wrong" or "to_sign" not in problem.fields:
                    raise
                text = problem.fields["to_sign"]
            # If the next request has no proof, the server tells the new text to sign.
            body.pop("proof", None)
            if self._is_join_at_head(key, text, next_seat):
                body["proof"] = key.sign(text.encode())
        raise _fault("The next match moved on too often meanwhile", "do it again")

    def _is_join_at_head(self, key: Key, text: object, seat: int) -> bool:
        """Return True if a text is a join of the next match at its head, in a verified history.

        A private match is hidden until the join. The join of a hidden match is signed only if the
        key has verified nothing of the match. Raises Problem if the text is no such join.
        """
        try:
            join = _json(str(text))
            match, prev = join["match"], join["prev"]
            is_text = isinstance(match, str) and isinstance(prev, str)
            is_join = is_text and text == _join_text(key, match, prev, seat).decode()
        except (ValueError, TypeError, KeyError):
            is_join = False
        if not is_join or match == self.id:
            detail = f"it should be a join on seat {seat}"
            raise _fault("The server wants something else to be signed", detail)
        following = Match(self.client, match)
        try:
            head = following.document()
        except Problem as problem:
            place = key.memory.place(key.public, match)
            if problem.status != _MISSING or place != _NOWHERE:
                raise
            return True
        if head.get("rematch_of") != self.id:
            raise _fault("The server names another match as the next one", f"it is {match}")
        following._verify_up_to(key, head)
        return bool(head["hash"] == prev)

    def signing(self, key: Key) -> "Match":
        """Return the match as the same holder, signing with a key from now on.

        Raises Problem unless the seat was opened or joined with this key.
        """
        if not self._has(key, _seat_of(self)):
            raise _fault("The seat has another key, or none", "it was not opened with this one")
        return replace(self, key=key)

    def _has(self, key: Key, seat: int) -> bool:
        """Return True if a seat has this key."""
        return bool(self.document()["seats"][seat].get("key") == key.public)

    def start(self) -> Answer:
        """Start the match as its owner, and return the commit."""
        return self._post("/start")

    def draw(self, entropy: Entropy) -> Answer | None:
        """Pledge or disclose for the seat before the start (M19). Return the commit.

        None: the seat owes nothing now.

        entropy: stores the pledged bytes. They are disclosed only if a history with pledges of all
            humans leads to the current state. Each commit of the history is checked by its hash.
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
                    self._pledge(state, entropy)
                    if owed == "pledge"
                    else self._disclose(state, entropy)
                )
            except Problem as problem:
                if problem.status != _STALE:
                    raise

    def _pledge(self, state: Answer, entropy: Entropy) -> Answer:
        digest = entropy.pledge(state["seat"])
        command = {"type": "pledge", "digest": digest}
        return self._do("/pledge", {"digest": digest}, state if self.key else None, command)

    def _disclose(self, state: Answer, entropy: Entropy) -> Answer:
        """Disclose the bytes of the seat's pledge after a state. Raises Problem."""
        pledges = _pledges(self.record(), state)
        if not all(pledges.values()):
            raise _fault("The server wants a disclosure too early", "not all humans have pledged")
        secret = entropy.disclosure(state["seat"], pledges)
        command = {"type": "disclose", "entropy": secret}
        # Send no unsigned request first: disclosed bytes belong under a signature.
        return self._do("/disclose", {"entropy": secret}, state, command, is_legal=True)

    def fork(self, version: int, seats: Sequence[str | Json], **more: Any) -> "Opened":
        """Continue this match from a version as another match.

        seats, more: as in `Client.open`.

        This match must be revealed. Otherwise the token must be a seat's or the owner's, and the
        match must have kept no secret up to the version.
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
        newer_than: Answer | None = None,
    ) -> Answer:
        """Return the state as the token's holder sees it. Default: the current state.

        version: the state after this commit.   at: the state at a time in RFC 3339.
        newer_than, wait: an earlier state, and the seconds to wait for another state. If no other
            state comes, the earlier state is returned.
        """
        return self._get("/state", newer_than, version=version, at=at, wait=wait)

    def moves(self, *, wait: int | None = None, newer_than: Moves | None = None) -> Moves:
        """Return the legal moves of the token's seat.

        newer_than, wait: earlier moves, and the seconds to wait for the match to move on. If the
            match does not move on, the earlier moves are returned.
        """
        tag = newer_than.etag if newer_than is not None else ""
        answer = self.client.get(f"{self.path}/moves", self.token, newer_than=tag, wait=wait)
        if answer is None:
            assert newer_than is not None
            return newer_than
        return Moves(answer)

    def move(self, move: Json, *, expected: Moves | Answer | None = None, key: str = "") -> Answer:
        """Make a move and return the commit.

        expected: the moves or the state seen before the choice. Raises Problem 412 if the
            match has moved on. Default: the move is made in any state if it is legal there.
        key: Idempotency-Key. Default: a random key.
        """
        is_legal = isinstance(expected, Moves) and move in expected
        return self._do("/moves", move, expected, move, key, is_legal=is_legal)

    def act(self, choose: Choose) -> Answer | None:
        """Let a function choose a move, make the move and return the commit.

        None: it is not the seat's turn.

        If the match moves on meanwhile, the function chooses again. Raises Problem for a move that
        is not legal.
        """
        while True:
            moves = self.moves()
            if not moves and not moves.beyond:
                return None
            view = self.state(version=moves.version)
            move = _legal(choose(view, moves), moves, self.id)
            expected = moves if self.key is None else view
            try:
                return self._do("/moves", move, expected, move, is_legal=move in moves)
            except Problem as problem:
                if problem.status != _STALE:
                    problem.add_note(_description(move, moves, self.id))
                    raise

    def try_line(
        self, version: int, moves: Sequence[Json], *, seed: str = "", **more: Any
    ) -> Answer:
        """Try moves after a version and return the result. Nothing is written.

        moves: each with its `seat`. The answer lists the next legal moves in `moves`, in the same
            form.
        seed: source of all draws.
        more: `seat`, the viewer's seat, once the match is revealed.
        """
        body = {"version": version, "moves": list(moves), "seed": seed, **more}
        return self._post("/lines", body)

    def take_back(self, to: int, *, expected: Moves | Answer | None = None) -> Answer:
        """Ask to go back to a version, and return the commit (M17).

        If nobody else has to agree, the commit has an event `taken_back`: the match went back.
        """
        return self._do("/take-back", {"to": to}, expected, {"type": "ask_take_back", "to": to})

    def agree(self, *, expected: Moves | Answer | None = None) -> Answer:
        """Agree to the take-back of another seat, and return the commit.

        expected: the state with that request. Raises Problem 412 if the match has moved on.
        """
        return self._do("/take-back/agree", None, expected, {"type": "agree_take_back"})

    def refuse(self, *, expected: Moves | Answer | None = None) -> Answer:
        """Refuse another seat's take-back, or withdraw this seat's. Return the commit."""
        return self._do("/take-back/refuse", None, expected, {"type": "refuse_take_back"})

    def resign(self) -> Answer:
        """Leave the seat to a bot to the end of the match, and return the commit (M16)."""
        command = {"type": "resign", "level": _SUBSTITUTE_LEVEL}
        clock = None if self.key is None else self.document().get("clock")
        if clock:
            command["level"] = clock["level"]
        return self._do("/resign", None, None, command)

    def return_(self) -> Answer:
        """Take the seat back from the bot that stood in, and return the commit (M8, M15).

        `may_return` in `seats` of the document marks the seats that can be taken back.
        """
        return self._do("/return", None, None, {"type": "return"})

    def follow(self, after: int | None = None) -> Iterator[Event]:
        """Yield each new commit, until the last. After a cut the stream resumes.

        after: start after this version. Default: the current version.

        The event "rewritten" says that the server has lost commits that were received. After this
        event the commits follow from the first one on.
        """
        # Read the version first: a cut before the first event must not move the start.
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
        """Return the record of the match, a commit a line. Anybody can verify the match with it."""
        return self.client.read(f"{self.path}/record", self.token)

    def verify(self) -> Json:
        """Run `giornale verify` on the match and return the report.

        Raises Problem if the command is not installed here, or cannot read the match.
        """
        command = [_command_path(), "verify", "--json", self.client.url + self.path]
        # Other users can read the arguments of a command, but not its environment.
        environment = {**os.environ, "GIORNALE_TOKEN": self.token or ""}
        if self.token is None:
            del environment["GIORNALE_TOKEN"]
        process = subprocess.run(command, env=environment, capture_output=True, check=False)
        try:
            report: Json = json.loads(process.stdout)
        except ValueError:
            raise _fault("The match cannot be verified", process.stderr.decode().strip()) from None
        return report

    def _do(  # noqa: PLR0913 - few calls need the last two
        self,
        path: str,
        body: object,
        expected: Moves | Answer | None,
        command: Json,
        key: str = "",
        *,
        is_legal: bool = False,
    ) -> Answer:
        """Act on the token's seat. Sign the action if the seat has a key. Return the commit.

        command: the stored form of the action, without the seat.
        is_legal: False to send the action without a signature first. The server then refuses an
            illegal action, or demands the signature.
        """
        if self.key is None:
            return self._post(path, body, expected, key)

        for _ in range(_MOST_LOOKS):
            try:
                return self._do_signed(self.key, path, body, expected, command, key, is_legal)
            except Problem as problem:
                # The match has moved on. Without `expected` the action fits any state: try again.
                if problem.status != _STALE or expected is not None:
                    raise
        raise _fault("The match moved on too often meanwhile", "do it again")

    def _do_signed(  # noqa: PLR0913 - as `_do`, with the key
        self,
        signer: Key,
        path: str,
        body: object,
        expected: Moves | Answer | None,
        command: Json,
        key: str,
        is_legal: bool,
    ) -> Answer:
        """Sign a command for the state of `expected`, and send it.

        The key never signs another command for this state. Raises Problem. The status is 412 if the
        match has moved on.
        """
        state = self._state_of(expected)
        place = self._verify(signer, state)
        request = _SignedRequest(
            text=self._text(signer, state, command),
            path=path,
            body=json.dumps(body),
            etag=state.etag,
            key=key or secrets.token_hex(16),
        )
        if not is_legal and signer.memory.signed_request(signer.public, self.id) is None:
            self._demand_legal(request)
        claimed = signer.memory.claim(signer.public, self.id, place, request)
        if claimed is None:
            raise _moved_on("a later version was verified meanwhile")
        is_other = claimed.text != request.text
        try:
            commit = self._send(claimed, signer.sign(claimed.text.encode()))
        except Problem as problem:
            if problem.status == _STALE:
                self._demand_news(signer, place)
            elif is_other:
                earlier = json.loads(claimed.text)["command"]
                problem.add_note(f"already signed for this version, so sent again: {earlier}")
            raise
        if is_other:
            self._demand_news(signer, place)
            raise _moved_on("another command was already signed, and was sent again and made")
        return commit

    def _demand_legal(self, request: _SignedRequest) -> None:
        """Send a request unsigned. The server must demand a signature of the same text.

        Raises the refusal of the server if the refusal has another reason.
        """
        try:
            self._send(request, "")
        except Problem as problem:
            if problem.kind != "signature-wrong" or "to_sign" not in problem.fields:
                raise
            if problem.fields["to_sign"] != request.text:
                title = "The server wants something else to be signed"
                raise _fault(title, f"it should be {request.text}") from None
            return
        raise _fault("The server accepted a command without a signature", "the seat has a key")

    def _demand_news(self, signer: Key, place: _Place) -> None:
        """Raise Problem unless the server shows commits after a head that it called outdated."""
        state = self.state()
        if (state["version"], state["hash"]) == (place.version, place.hash):
            raise _same_history(place.version)
        self._verify_up_to(signer, state)

    def _send(self, request: _SignedRequest, signature: str) -> Answer:
        return self.client.post(
            self.path + request.path,
            json.loads(request.body),
            self.token,
            expected=request.etag,
            key=request.key,
            signature=signature,
        )

    def _verify(self, signer: Key, state: Answer) -> _Place:
        """Verify the history and view of a state, and return its commit.

        Raises Problem. The status is 412 if the match has moved on since.
        """
        place = self._verify_up_to(signer, state)
        if place.version > state["version"]:
            raise _moved_on(f"the match is at version {place.version}")
        if not _fits_seal(state["state"], place.view):
            raise _fault(
                "The server shows another table than the history has sealed, so nothing is signed",
                f"the view of version {place.version} does not fit its digest",
            )
        return place

    def _verify_up_to(self, signer: Key, state: Answer) -> _Place:
        """Verify the commits since the last verified commit. Return the newest verified commit.

        The newest may be later than the state. Raises Problem if the state is of another history.
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
        hashes = [one.hash for one in places if one.version == version]
        if version >= place.version and hashes != [state["hash"]]:
            raise _two_histories(version)
        return places[-1]

    def _text(self, key: Key, state: Answer, command: Json) -> str:
        """Return the text to sign for a command after a state (docs/reference/proofs.md, 12)."""
        signed = {
            "command": {**command, "seat": state["seat"]},
            "key": key.public,
            "match": self.id,
            "prev": state["hash"],
            "version": state["version"] + 1,
        }
        return _canonical(signed).decode()

    def _state_of(self, expected: Moves | Answer | None) -> Answer:
        """Return the state that `expected` belongs to. For None return the current state."""
        if isinstance(expected, Answer) and "hash" in expected and "state" in expected:
            return expected
        if expected is None:
            return self.state()
        return self.state(
            version=expected.version if isinstance(expected, Moves) else expected["version"]
        )

    def _post(
        self,
        path: str,
        body: object = None,
        expected: Moves | Answer | None = None,
        key: str = "",
        signature: str = "",
    ) -> Answer:
        return self.client.post(
            self.path + path,
            body,
            self.token,
            expected=expected.etag if expected is not None else "",
            key=key,
            signature=signature,
        )

    def _get(
        self, path: str, newer_than: Answer | None = None, wait: int | None = None, **query: object
    ) -> Answer:
        tag = newer_than.etag if newer_than is not None else ""
        answer = self.client.get(self.path + path, self.token, newer_than=tag, wait=wait, **query)
        if answer is None:
            assert newer_than is not None
            return newer_than
        return answer


# ---- many matches --------------------------------------------------------------------------


def play(  # noqa: PLR0913 - few calls need the last three
    client: Client,
    tokens: Iterable[str],
    choose: Choose,
    *,
    key: Key | None = None,
    entropy: Entropy | None = None,
    report: Callable[[Event], object] = lambda _: None,
) -> None:
    """Play the seats of some tokens until their matches have ended.

    choose: chooses each move. Only one call runs at a time.
    key: signs the actions of the seats that have this key.
    entropy: stores pledges, for matches with joint entropy. None: in memory.
    report: receives each event, and each commit made here as an event "made".

    Raises Problem for a token of no seat, and for a move that is not legal.
    """
    token_list = _unique_tokens(tokens)
    entropy = entropy or Entropy()
    seats = _seats(client, token_list, key)
    for event in client.follow(token_list):
        report(event)
        if event.name != "turn":
            continue
        is_open = event.data.get("status") == "open"
        for seat in _seats_of(seats, event):
            _act(
                seat, partial(seat.draw, entropy) if is_open else partial(seat.act, choose), report
            )


def _seats(client: Client, tokens: Sequence[str], key: Key | None) -> dict[tuple[str, int], Match]:
    """Return the matches of some tokens by match and seat, without deleted matches.

    key: signs the actions of the seats that have this key.
    """
    seats = {}
    for number, token in enumerate(tokens, 1):
        match = client.seat(token)
        try:
            with _with_note(f"token {number} of {len(tokens)}, for match {match.id}"):
                seat = _seat_of(match)
                signs = key is not None and match._has(key, seat)
                seats[match.id, seat] = replace(match, key=key) if signs else match
        except Problem as problem:
            if problem.status != _DELETED:
                raise
    return seats


def _seat_of(match: Match) -> int:
    """Return the seat of a match's token. Raises Problem for other tokens, such as the owner's."""
    seat = match.moves().seat
    if seat is None:
        raise _fault("The token belongs to no seat", "only a seat's token makes moves")
    return seat


def _seats_of(seats: Mapping[tuple[str, int], Match], event: Event) -> list[Match]:
    """Return the seats of a "turn" event. If it names no seat, return all seats of its match."""
    seat = event.data.get("seat")
    return [
        match
        for (match_id, own), match in seats.items()
        if match_id == event.match and seat in (own, None)
    ]


def _act(seat: Match, act: Callable[[], Answer | None], report: Callable[[Event], object]) -> None:
    """Act until it is no longer the seat's turn, or until the match is gone."""
    try:
        while commit := act():
            report(Event("made", str(commit["version"]), commit))
    except Problem as problem:
        if problem.status not in _GONE:
            raise
        _log.info("match %s: %s", seat.id, problem)


class _Watch:
    """Polls each match in a thread, for servers without a stream of many matches."""

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
                next_state = seat.state(wait=_WAIT_SECONDS if state else None, newer_than=state)
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
            self._news.put(_fault("The server's answer has an unknown form", reason))

    def _tell_state(self, seat: Match, state: Answer) -> bool:
        """Send the situation of a match as an event. Return True if it has ended."""
        if state["status"] in ("ended", "aborted"):
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


# ---- requests and replies ------------------------------------------------------------------


def _address(parts: SplitResult) -> tuple[str, int | None]:
    """Return host and port of a URL. Raises Problem if it is not the URL of a server."""
    try:
        port = parts.port
    except ValueError:
        port = -1
    is_web = parts.scheme in ("http", "https") and not parts.username
    if not is_web or not parts.hostname or port == -1:
        detail = "it must be http(s)://HOST..., without a user"
        raise _fault("This is not the URL of a server", detail)
    return parts.hostname, port


def match_of(token: str) -> str:
    """Return the match ID in a token. Raises Problem if the text is no token."""
    parts = _TOKEN.fullmatch(token)
    if parts is None:
        detail = "a token is `gio_`, 26 letters and digits, `_`, 43 characters"
        raise _fault("This is no token", detail)
    return parts[1]


def _unique_tokens(tokens: Iterable[str]) -> list[str]:
    """Return the tokens, each once. Raises Problem for malformed tokens and for a wrong number."""
    unique = list(dict.fromkeys(tokens))
    if not 1 <= len(unique) <= MOST_TOKENS:
        raise _fault(
            "Too many tokens, or none", f"{len(unique)}, and 1 to {MOST_TOKENS} are allowed"
        )
    for number, token in enumerate(unique, 1):
        with _with_note(f"token {number} of {len(unique)}"):
            match_of(token)
    return unique


@contextmanager
def _with_note(note: str) -> Iterator[None]:
    """Add a note to a problem."""
    try:
        yield
    except Problem as problem:
        problem.add_note(note)
        raise


def _legal(move: object, moves: Moves, match: str) -> Json:
    """Return a chosen move. Raises Problem if it cannot be legal."""
    if isinstance(move, dict) and (move in moves or move.get("type") in moves.beyond):
        return move
    raise _fault("No legal move was chosen", _description(move, moves, match))


def _description(move: object, moves: Moves, match: str) -> str:
    """Return a sentence about a chosen move and the legal moves."""
    listed = [json.dumps(one) for one in moves[:_SHOWN_MOVES]]
    if len(moves) > _SHOWN_MOVES:
        listed.append(f"{len(moves) - _SHOWN_MOVES} more")
    listed += [f"other forms of {name}" for name in moves.beyond]
    where = f"seat {moves.seat} of match {match} at version {moves.version}"
    return f"chosen was {move!r} for {where}. Legal are {', '.join(listed)}"


def _seat_plan(seat: str | Json) -> Json:
    if isinstance(seat, Mapping):
        return seat
    if not isinstance(seat, str):
        raise TypeError(f'a seat is a string such as "human" or a dict, not {seat!r}')
    kind, _, level = seat.partition(":")
    return {"kind": kind, "level": level} if level else {"kind": kind}


def _json(text: bytes | str) -> Any:
    """Return the value of a JSON text. Raises ValueError, also for a text nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _with_proofs(body: Json, idempotency_key: str) -> Json:
    """Return an opening with the public keys of its seats and their proofs (M18)."""
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


def _after_in(url: object) -> int | None:
    """Return the position `after` in the URL or Link of a list's next page."""
    after = _AFTER.search(url) if isinstance(url, str) else None
    return int(after[1]) if after else None


def _answer(reply: _Reply) -> Answer:
    try:
        answer = Answer(_json(reply.body))
    except (ValueError, TypeError):
        raise _fault("The server does not answer with JSON", _IS_GIORNALE) from None
    answer.etag = reply.etag
    return answer


def _body(response: HTTPResponse, most: int = _MOST_ANSWER) -> bytes:
    """Return the body of a response. Raises IncompleteRead if the body or the head was cut off.

    A head that was cut off lacks the length of the body. http.client would then take any bytes for
    the whole body. Raises Problem for too many bytes or seconds.
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
            raise _fault("The server answers with too much", f"more than {most} bytes")
        if time.monotonic() > ends_at:
            raise _fault("The server answers too slowly", f"more than {_MOST_SECONDS:.0f} seconds")
    if expected is not None and size < expected:
        raise IncompleteRead(b"".join(pieces), expected - size)
    response.read()  # releases the connection
    return b"".join(pieces)


def _lines_of(response: HTTPResponse) -> Iterator[bytes]:
    """Yield the lines of a stream. Raises Problem if a line is too long."""
    while line := response.readline(_MOST_LINE + 1):
        if len(line) > _MOST_LINE:
            raise _fault("The server answers with too much", f"a line of {_MOST_LINE} bytes")
        yield line


def _refuse(response: HTTPResponse) -> None:
    """Raise the problem in a response. No redirect is followed, so no token goes elsewhere."""
    if response.status < _FIRST_REFUSAL or response.status == _NOT_MODIFIED:
        return
    try:
        fields = _json(_body(response))
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        fields = {"title": response.reason, "detail": "the answer is no problem of Giornale"}
    after = response.headers.get("Retry-After", "")
    raise Problem(response.status, fields, float(after) if after.isdecimal() else None)


def _fault(title: str, detail: str) -> Problem:
    """Return a problem that the client itself has found. A retry does not help."""
    problem = Problem(0, {"title": title, "detail": detail})
    problem.passes = False
    return problem


def _join_text(key: Key, match: str, prev: str, seat: int) -> bytes:
    """Return the text of a key's proof to join (docs/reference/proofs.md, section 12)."""
    return _canonical({"key": key.public, "match": match, "prev": prev, "seat": seat})


def _same_history(version: int) -> Problem:
    """Return the problem of a server that shows a head, but calls signatures for it outdated."""
    return _fault(
        "The server shows the same history, and refuses a signature for it as outdated",
        f"nothing else is signed for version {version + 1}, so try again later",
    )


def _moved_on(detail: str) -> Problem:
    """Return a problem like the server's, for a match that has moved on."""
    return Problem(_STALE, {"title": "The match has moved on", "detail": detail})


def _no_answer(url: str, error: Exception) -> Problem:
    """Return the problem of a missing or partial answer."""
    problem = _fault("No answer", f"{url}: {error or type(error).__name__}")
    problem.passes = not isinstance(error, ssl.SSLCertVerificationError | InvalidURL)
    return problem


def _events(lines: Iterable[bytes]) -> Iterator[Event | None]:
    """Yield the events of a stream (WHATWG), and None for each comment. Drop a partial event."""
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
                raise _fault("The server answers with too much", f"an event of {size} letters")


def _event_data(text: str) -> Json:
    """Return the data of an event. Raises Problem if it is no JSON object."""
    try:
        data = _json(text)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise _fault("The server sends an event that is no JSON object", _IS_GIORNALE)
    return data


def _command_path() -> str:
    """Return the path of the command `giornale`, for this Python or on PATH. Raises Problem."""
    places = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    command = shutil.which("giornale", path=os.pathsep.join(places))
    if command is None:
        # No package index has the wheel, so its file is installed.
        way = "`verify` is in the wheel `giornale`: `pipx install ./giornale-*.whl`"
        raise _fault("Giornale is not installed here", way)
    return command
