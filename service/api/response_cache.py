"""Response cache: serves stored responses while the journal confirms their validators.

Reads repeat: a page polls for news, several pages watch one match, and the past does not change.
Asking the journal if an answer still holds is cheaper than making the answer again.

    absent --a complete answer 200 or 304 with a validator, not too long--> stored, as sent
    stored --the same key, and the validator holds--> stored, and served
    stored --the same key, and the validator does not hold--> absent, and answered anew
    stored --the same key, and the journal is unavailable--> stored, but answered anew
    stored --least recently used without room, or match deleted by this process--> absent

A route leaves the validator in the state of the request (`service.api.http.validators`). Requests
without a `CacheKey`, and answers without a validator, pass through to the application.

Threads of requests run here at the same time. The lock guards the store alone. Two threads may make
the same answer, and the answer stored later replaces the other. A match may be deleted by another
process: its responses stay stored here, but their validators find no head and do not hold.

Example: a page reads /state with If-None-Match. `_ask` stores the answer with a `HistoryValidator`
of the route. At the next poll `_confirm` asks the journal for head and caller in one round trip.
Both are unchanged, so `_send` sends the stored bytes. Then somebody moves. The head has changed,
`_confirm` drops the response, and the application answers.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from werkzeug.wsgi import ClosingIterator

from service.api import problems
from service.api.http.context import AppServices, RequestState, state_of
from service.api.http.limits import LONG_BYTES, StreamPermit, in_pieces
from service.api.http.validators import Validator
from service.api.wsgi import App, Environ, Headers, Refusal, StartResponse, compression
from service.api.wsgi.codings import preferred
from service.api.wsgi.compression import ResponseStart
from service.api.wsgi.gate import NO_ROOM
from service.base import metrics
from service.record.commit import MATCH_ID
from service.store.journal.errors import JournalUnavailable

# Largest size of all stored responses of a process, and of one body.
MOST_BYTES = 32 * 1024 * 1024
LONGEST = 2 * 1024 * 1024  # 500 states of a long match, not compressed, take 0.9 MB
OVERHEAD = 2000  # estimate of a response's bytes beside its body

_OF_MATCHES = f"matches(?:/{MATCH_ID}/[a-z]+(?:\\.ndjson)?)?"
_PATH = re.compile(f"/v1/(?:{_OF_MATCHES}|commits(?:\\.ndjson)?)")
_OF_DELETION = re.compile(f"/v1/matches/({MATCH_ID})")

# Requests with this text in the query (such as long polls) or with several tokens bypass the cache.
_WAITS = "wait"
_MORE_TOKENS = "HTTP_GIORNALE_TOKENS"


class CacheKey(NamedTuple):
    """The parts of a GET request that select a cached response.

    holder_field: identifies the token, so that no caller gets the view of another. "": no token.
    if_none_match: the header If-None-Match.   coding: preferred content coding, "" for none.
    """

    path: str
    query: str
    holder_field: str
    if_none_match: str
    coding: str


class CachedResponse(NamedTuple):
    """A response as sent, and its validator.

    operation: name of the operation in the contract.
    is_stream: True for an answer of many lines. Until all are sent, it holds a stream permit.
    """

    validator: Validator
    operation: str
    status: str
    headers: Headers
    body: bytes
    is_stream: bool = False


class CachedResponses:
    """The most recently used responses, up to a size. Safe to share among threads."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._by_key: OrderedDict[CacheKey, CachedResponse] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: CacheKey) -> CachedResponse | None:
        """Return the stored response to a request, None if there is none."""
        with self._lock:
            response = self._by_key.get(key)
            if response is not None:
                self._by_key.move_to_end(key)
            return response

    def put(self, key: CacheKey, response: CachedResponse) -> None:
        """Store a response. The least recently used responses are dropped if there is no room."""
        with self._lock:
            self._remove(key)
            self._by_key[key] = response
            self._bytes += _size(key, response)
            while self._bytes > self._most_bytes:
                self._remove(next(iter(self._by_key)))

    def drop(self, key: CacheKey) -> None:
        """Drop one response."""
        with self._lock:
            self._remove(key)

    def forget(self, match: str) -> None:
        """Drop all responses of a match."""
        with self._lock:
            stored = self._by_key.items()
            for key in [key for key, response in stored if response.validator.match == match]:
                self._remove(key)

    def matches(self) -> set[str]:
        """Return the matches with stored responses."""
        with self._lock:
            return {response.validator.match for response in self._by_key.values()}

    def _remove(self, key: CacheKey) -> None:
        removed = self._by_key.pop(key, None)
        if removed is not None:
            self._bytes -= _size(key, removed)


class ResponseCache:
    """A WSGI application around another: serves reads from the cache, and compresses them.

    The long body of a GET is sent in pieces and holds a stream permit until it is sent. Without a
    free permit the request is refused.
    """

    def __init__(self, inner: App, services: AppServices) -> None:
        self.stored = CachedResponses()
        self._inner = inner
        self._ctx = services.ctx
        self._streams = services.stream_limit
        prefix = services.config.path_prefix
        self._no_room = Refusal.of(prefix, problems.OVERLOADED, NO_ROOM, after=1)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        method = environ["REQUEST_METHOD"]
        if method == "GET":
            return self._read(environ, start_response)
        if method == "HEAD":
            start, body = compression.answer(self._inner, environ)
            start_response(start.status, start.headers, *start.error)
            return body

        body = self._inner(environ, start_response)
        if method == "DELETE":
            self._forget(environ["PATH_INFO"])
        return body

    def _read(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a GET from the cache, or let the application answer."""
        state = state_of(environ)
        key = _key_of(environ, state)
        if key is None:
            return self._ask(environ, start_response, state, None)

        stored = self.stored.get(key)
        if stored is None or not self._confirm(key, stored):
            return self._ask(environ, start_response, state, key)

        permit = self._permit(state) if stored.is_stream else None
        if stored.is_stream and permit is None:
            return self._inner(environ, start_response)  # the route refuses the request

        state.operation = stored.operation
        start = ResponseStart(stored.status, stored.headers)
        return self._send(environ, start_response, start, [stored.body], permit)

    def _confirm(self, key: CacheKey, stored: CachedResponse) -> bool:
        """Return True if the journal confirms a stored response."""
        try:
            holds = stored.validator.holds(self._ctx)
        except JournalUnavailable:
            return False
        if not holds:
            self.stored.drop(key)
        return holds

    def _ask(
        self,
        environ: Environ,
        start_response: StartResponse,
        state: RequestState,
        key: CacheKey | None,
    ) -> Iterable[bytes]:
        """Let the application answer, and store an answer with a validator."""
        start, pieces = compression.answer(self._inner, environ)

        validator = state.validator
        if key is not None and validator is not None and start.status.startswith(("200", "304")):
            response = CachedResponse(
                validator=validator,
                operation=state.operation,
                status=start.status,
                headers=start.headers,
                body=b"",
                is_stream=start.status.startswith("200") and not start.header("Content-Length"),
            )
            pieces = self._store(pieces, key, response)
        return self._send(environ, start_response, start, pieces)

    def _store(
        self, pieces: Iterable[bytes], key: CacheKey, response: CachedResponse
    ) -> Iterable[bytes]:
        """Return the body. Store it once it is complete, unless it is too long."""
        if isinstance(pieces, list):
            body = b"".join(pieces)
            if len(body) <= LONGEST:
                self.stored.put(key, response._replace(body=body))
            return pieces
        return ClosingIterator(self._stored_when_sent(pieces, key, response), _closer_of(pieces))

    def _stored_when_sent(
        self, pieces: Iterable[bytes], key: CacheKey, response: CachedResponse
    ) -> Iterator[bytes]:
        body = b""
        for piece in pieces:
            yield piece
            if len(body) <= LONGEST:
                body += piece
        if len(body) <= LONGEST:
            self.stored.put(key, response._replace(body=body))

    def _send(
        self,
        environ: Environ,
        start_response: StartResponse,
        start: ResponseStart,
        pieces: Iterable[bytes],
        permit: StreamPermit | None = None,
    ) -> Iterable[bytes]:
        """Send an answer, a long one in pieces.

        permit: stream permit of a stored answer of many lines. Other long bodies take one here.
        """
        is_whole = isinstance(pieces, list)
        if is_whole and permit is None and sum(map(len, pieces)) > LONG_BYTES:
            permit = self._permit(state_of(environ))
            if permit is None:
                metrics.SHED.labels("answer").inc()
                return self._no_room.send(environ, start_response)

        start_response(start.status, start.headers, *start.error)
        if permit is None:
            return pieces
        return ClosingIterator(in_pieces(b"".join(pieces)), permit.give_back)

    def _permit(self, state: RequestState) -> StreamPermit | None:
        return self._streams.take(*state.sender(self._ctx.cache.holders))

    def _forget(self, path: str) -> None:
        """Drop the responses of a deleted match."""
        match = _OF_DELETION.fullmatch(path)
        if match is not None:
            self.stored.forget(match[1])


def _key_of(environ: Environ, state: RequestState) -> CacheKey | None:
    """Return the cache key of a request, None if the request bypasses the cache."""
    path = environ["PATH_INFO"]
    query = environ.get("QUERY_STRING", "")
    if _MORE_TOKENS in environ or _WAITS in query or _PATH.fullmatch(path) is None:
        return None
    if state.token is None and "HTTP_AUTHORIZATION" in environ:
        return None
    coding = preferred(environ.get("HTTP_ACCEPT_ENCODING", ""))
    return CacheKey(
        path=path,
        query=query,
        holder_field=state.token.holder_field if state.token else "",
        if_none_match=environ.get("HTTP_IF_NONE_MATCH", ""),
        coding=coding.name if coding else "",
    )


def _size(key: CacheKey, response: CachedResponse) -> int:
    """Return an estimate of a response's size in bytes."""
    of_request = len(key.path) + len(key.query) + len(key.if_none_match)
    return OVERHEAD + of_request + len(response.body)


def _closer_of(pieces: Iterable[bytes]) -> list[Callable[[], None]]:
    """Return the callback for the end of a body (PEP 3333)."""
    return [pieces.close] if hasattr(pieces, "close") else []
