"""Response cache: serves stored responses while the journal confirms their validators.

Of what is read most, the same is asked again and again: a page looks whether there is something
new, several watch one match, and the past does not change. To make such an answer anew takes up to
ten times as long as to ask the journal whether it still holds. So an answer whose route has left a
validator of what it follows from (`service.api.http.validators`) is stored as it was sent,
compressed or not, 304 or not. When all of a request that decides its answer comes again, the
validator asks the journal, in one round trip, whether history, caller and match are what they were.
What it does not confirm is answered by the application, and so is every request that is not as most
are.
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
from service.api.wsgi.compression import ResponseStart, accepts_gzip
from service.api.wsgi.gate import NO_ROOM
from service.base import metrics
from service.record.commit import MATCH_ID
from service.store.journal.errors import JournalUnavailable

# Bytes that the stored responses of a process take, and the longest that is stored.
MOST_BYTES = 32 * 1024 * 1024
LONGEST = 2 * 1024 * 1024  # 500 states of a long match, not compressed, take 0.9 MB
OVERHEAD = 2000  # bytes that a response takes beside its body, about

_OF_A_MATCH = r"(?:(?:state|states|commits|record|story)(?:\.ndjson)?|story\.txt|curve)"
_OF_MATCHES = f"matches(?:/{MATCH_ID}/{_OF_A_MATCH})?"
_PATH = re.compile(f"/v1/(?:{_OF_MATCHES}|commits(?:\\.ndjson)?)")
_OF_DELETION = re.compile(f"/v1/matches/({MATCH_ID})")

# An answer that is waited for is another one later; a list by several tokens is of no one caller.
_WAITS = "wait"
_MORE_TOKENS = "HTTP_GIORNALE_TOKENS"


class CacheKey(NamedTuple):
    """All of a request that decides how it is answered, once it is let in.

    holder_field: stands for the token, "" for none. So no token is shown what another one sees.
    accept, held: the headers Accept and If-None-Match.   gzip: whether that is accepted.
    """

    path: str
    query: str
    holder_field: str
    accept: str
    held: str
    gzip: bool


class CachedResponse(NamedTuple):
    """A response as it was sent, and the validator of what it follows from.

    operation: how the contract calls what was asked for.
    is_stream: it is one of many lines, which holds a stream permit until it is sent.
    """

    validator: Validator
    operation: str
    status: str
    headers: Headers
    body: bytes
    is_stream: bool = False


class CachedResponses:
    """The stored responses that were asked for last, as many as fit; safe among threads."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._by_key: OrderedDict[CacheKey, CachedResponse] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: CacheKey) -> CachedResponse | None:
        """Return the response that is stored for a request, None if there is none."""
        with self._lock:
            found = self._by_key.get(key)
            if found is not None:
                self._by_key.move_to_end(key)
            return found

    def put(self, key: CacheKey, response: CachedResponse) -> None:
        """Store a response instead of an older one; those asked for longest ago make room."""
        with self._lock:
            self._remove(key)
            self._by_key[key] = response
            self._bytes += _size(key, response)
            while self._bytes > self._most_bytes:
                self._remove(next(iter(self._by_key)))

    def drop(self, key: CacheKey) -> None:
        """Forget one response."""
        with self._lock:
            self._remove(key)

    def forget(self, match: str) -> None:
        """Forget all that is stored of a match."""
        with self._lock:
            stored = self._by_key.items()
            for key in [key for key, response in stored if response.validator.match == match]:
                self._remove(key)

    def matches(self) -> set[str]:
        """Return the matches of which something is stored."""
        with self._lock:
            return {response.validator.match for response in self._by_key.values()}

    def _remove(self, key: CacheKey) -> None:
        removed = self._by_key.pop(key, None)
        if removed is not None:
            self._bytes -= _size(key, removed)


class ResponseCache:
    """A WSGI application around another: what is read passes here, and is compressed.

    Long bodies are sent in pieces, each holding a stream permit. Where there is none, a question
    for a long answer is refused.
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
            begun, body = compression.answer(self._inner, environ)
            start_response(begun.status, begun.headers, *begun.error)
            return body

        body = self._inner(environ, start_response)
        if method == "DELETE":
            self._forget(environ["PATH_INFO"])
        return body

    def _read(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer what is asked with GET: from the store, or anew."""
        state = state_of(environ)
        key = _key_of(environ, state)
        if key is None:
            return self._ask(environ, start_response, state, None)

        stored = self.stored.get(key)
        if stored is None or not self._confirm(key, stored):
            return self._ask(environ, start_response, state, key)

        permit = self._permit(state) if stored.is_stream else None
        if stored.is_stream and permit is None:
            return self._inner(environ, start_response)  # which says why

        state.operation = stored.operation
        begun = ResponseStart(stored.status, stored.headers)
        return self._send(environ, start_response, begun, [stored.body], permit)

    def _confirm(self, key: CacheKey, stored: CachedResponse) -> bool:
        """Return whether the journal confirms that a stored response still holds."""
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
        """Let the application answer; store what it answers if there is a validator for it."""
        begun, pieces = compression.answer(self._inner, environ)

        validator = state.validator
        if key is not None and validator is not None and begun.status.startswith(("200", "304")):
            response = CachedResponse(
                validator=validator,
                operation=state.operation,
                status=begun.status,
                headers=begun.headers,
                body=b"",
                is_stream=begun.status.startswith("200") and not begun.header("Content-Length"),
            )
            pieces = self._store(pieces, key, response)
        return self._send(environ, start_response, begun, pieces)

    def _store(
        self, pieces: Iterable[bytes], key: CacheKey, response: CachedResponse
    ) -> Iterable[bytes]:
        """Return a body that is stored once all of it is there, unless it is too long."""
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
        begun: ResponseStart,
        pieces: Iterable[bytes],
        permit: StreamPermit | None = None,
    ) -> Iterable[bytes]:
        """Send an answer, a long one in pieces.

        permit: that of an answer of many lines, which comes from the store.
        """
        is_whole = isinstance(pieces, list)
        if is_whole and permit is None and sum(map(len, pieces)) > LONG_BYTES:
            permit = self._permit(state_of(environ))
            if permit is None:
                metrics.SHED.labels("answer").inc()
                return self._no_room.send(environ, start_response)

        start_response(begun.status, begun.headers, *begun.error)
        if permit is None:
            return pieces
        return ClosingIterator(in_pieces(b"".join(pieces)), permit.give_back)

    def _permit(self, state: RequestState) -> StreamPermit | None:
        return self._streams.take(*state.sender(self._ctx.cache.holders))

    def _forget(self, path: str) -> None:
        """Forget what is stored of a match that is deleted."""
        found = _OF_DELETION.fullmatch(path)
        if found is not None:
            self.stored.forget(found[1])


def _key_of(environ: Environ, state: RequestState) -> CacheKey | None:
    """Return the key of a request whose answer may be stored, None for any other request."""
    path = environ["PATH_INFO"]
    query = environ.get("QUERY_STRING", "")
    if _MORE_TOKENS in environ or _WAITS in query or _PATH.fullmatch(path) is None:
        return None
    if state.token is None and "HTTP_AUTHORIZATION" in environ:
        return None
    return CacheKey(
        path=path,
        query=query,
        holder_field=state.token.holder_field if state.token else "",
        accept=environ.get("HTTP_ACCEPT", ""),
        held=environ.get("HTTP_IF_NONE_MATCH", ""),
        gzip=accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")),
    )


def _size(key: CacheKey, response: CachedResponse) -> int:
    """Return about how many bytes a response takes."""
    of_request = len(key.path) + len(key.query) + len(key.accept) + len(key.held)
    return OVERHEAD + of_request + len(response.body)


def _closer_of(pieces: Iterable[bytes]) -> list[Callable[[], None]]:
    """Return what is to be called when a body is sent (PEP 3333)."""
    return [pieces.close] if hasattr(pieces, "close") else []
