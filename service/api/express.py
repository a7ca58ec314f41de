"""The express way: a move that is made is answered without Flask.

Flask and Werkzeug take a third of the processor time of a move. So a POST of a move that looks as
most do is answered here, with the functions that the route calls too (`routes.moves.make_move`,
which the contract describes). Every other request, and every error, is Flask's: what goes wrong
here is left in the request's visit, and Flask answers it as if its own route had raised it.
Nothing is done twice.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson
from werkzeug.exceptions import ClientDisconnected

from service.api import access_log, links
from service.api.contract.operations import operation_of
from service.api.contract.parameters import IDEMPOTENCY_KEY, IF_MATCH, Expected, Parameter
from service.api.guard import Guard
from service.api.http import requests
from service.api.http.auth import shown_token
from service.api.http.concurrency import once_at_a_time
from service.api.http.rate_limits import Parts, Visit, allowance_headers, count_request, visit_of
from service.api.http.responses import JSON
from service.api.routes.history import headers_of, seen
from service.api.routes.moves import make_move
from service.api.wsgi.middleware import App, Environ, Headers, StartResponse
from service.config import Config
from service.ledger.commit import MATCH_ID
from service.matches import moves
from service.matches.command_handler import Committed, Submission

_PATH = re.compile(f"/v1/matches/({MATCH_ID})/moves")
_CREATED = 201
_STATUS_LINE = "201 CREATED"

_operation = operation_of(make_move)
_OPERATION = _operation.name if _operation else access_log.NO_OPERATION


@dataclass(frozen=True, slots=True)
class Posted:
    """A move as it was posted: for whom and when it is meant, and how long its body is."""

    submission: Submission
    body_bytes: int


class Express:
    """A WSGI application around Flask's that answers moves, and hands on everything else."""

    def __init__(self, inner: App, parts: Parts, config: Config) -> None:
        """Stand before `inner`; parts: what the application works with."""
        self._inner = inner
        self._parts = parts
        self._config = config

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        posted = self._posted(environ)
        if posted is None:
            return self._inner(environ, start_response)

        visit = visit_of(environ)
        try:
            made = self._make(environ, posted)
            body = orjson.dumps(seen(made, made.maker), option=orjson.OPT_SORT_KEYS)
        except Exception as error:  # noqa: BLE001 - Flask answers it, whatever it is
            visit.raised = error
            return self._inner(environ, start_response)

        headers = self._headers(environ, visit, made, len(body))
        start_response(_STATUS_LINE, headers)
        return [body]

    def _posted(self, environ: Environ) -> Posted | None:
        """Return the move that a request posts, None for any request that is Flask's.

        Nothing has been done of it yet.
        """
        if environ["REQUEST_METHOD"] != "POST" or environ.get("QUERY_STRING"):
            return None
        path = _PATH.fullmatch(environ["PATH_INFO"])
        if path is None:
            return None

        length = self._length_of_json(environ)
        token = shown_token(environ)
        guard: Guard = self._parts["guard"]
        if not length or token is None or token.match != path[1] or not guard.lets_in(environ):
            return None

        try:
            if_match: Expected = _header(environ, IF_MATCH, "HTTP_IF_MATCH")
            key: str = _header(environ, IDEMPOTENCY_KEY, "HTTP_IDEMPOTENCY_KEY")
        except ValueError:
            return None
        submission = Submission(path[1], token.text, if_match.version, key, if_match.hash)
        return Posted(submission, length)

    def _length_of_json(self, environ: Environ) -> int:
        """Return how many bytes of JSON a request brings, 0 if it does not say, or too many."""
        length = environ.get("CONTENT_LENGTH", "")
        is_coded = "HTTP_TRANSFER_ENCODING" in environ or "HTTP_CONTENT_ENCODING" in environ
        is_plain = environ.get("CONTENT_TYPE") == JSON and not is_coded
        if not is_plain or not length.isdecimal() or len(length) > len(str(self._config.max_body)):
            return 0
        return int(length) if int(length) <= self._config.max_body else 0

    def _make(self, environ: Environ, posted: Posted) -> Committed:
        """Make a move; raises what the route would."""
        count_request(environ, self._parts)
        body_bytes = _whole_body(environ, posted.body_bytes)
        move = requests.read(body_bytes, self._config.max_depth)

        submission = posted.submission
        with once_at_a_time(submission.match, submission.token, submission.key):
            return moves.move(self._parts["ctx"], submission, move)

    def _headers(self, environ: Environ, visit: Visit, made: Committed, body_bytes: int) -> Headers:
        """Return the headers of the answer, and keep of the request what is kept of every one."""
        match = made.entry["commit"]["match"]
        location = links.commit_under(self._config.path_prefix, match, made.version)
        of_commit = headers_of(made, made.maker, location)
        answered = access_log.Answered(
            operation=_OPERATION,
            method="POST",
            status=_CREATED,
            match=match,
            etag=of_commit["ETag"],
            repeated=made.repeated,
        )
        access_log.note(visit, answered, self._parts["say"])

        guard: Guard = self._parts["guard"]
        return [
            ("Content-Type", JSON),
            ("Content-Length", str(body_bytes)),
            *of_commit.items(),
            ("X-Request-Id", visit.request_id),
            *allowance_headers(visit),
            *guard.headers(environ),
        ]


def _header(environ: Environ, parameter: Parameter, key: str) -> Any:
    """Return the value of a header, its default where it was not sent; raises ValueError."""
    given = environ.get(key)
    return parameter.default if given is None else parameter.read(given)


def _whole_body(environ: Environ, length: int) -> bytes:
    """Return the body of a request, of a length; raises ClientDisconnected if less comes."""
    source = environ["wsgi.input"]
    body_bytes: bytes = source.read(length)
    while len(body_bytes) < length:
        piece = source.read(length - len(body_bytes))
        if not piece:
            raise ClientDisconnected
        body_bytes += piece
    return body_bytes
