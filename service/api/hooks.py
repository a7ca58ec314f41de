"""What happens around every request.

Before: it gets an id; the guard may refuse or answer it; it is counted.

After: its answer gets the headers that depend on the request; it is measured and logged.
"""

import re
import secrets
from time import perf_counter

from flask import Flask, Request, Response, current_app, g, request
from flask.sessions import NullSession, SessionInterface, SessionMixin

from service.api import observing
from service.api.guard import Guard
from service.api.http.counting import allowance_headers, count_request
from service.api.wsgi.middleware import MORE_HEADERS, Headers

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

# Those who ask may know nothing of the service but an address.
_FOR_ANY_HOST = frozenset({"health.live", "health.ready"})


class NoSessions(SessionInterface):
    """What Flask asks for a session: there is none, because there are no cookies."""

    def open_session(self, app: Flask, request: Request) -> SessionMixin:  # noqa: ARG002
        """Return a session that holds nothing."""
        return NullSession()

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Save nothing."""


def init(app: Flask) -> None:
    """Let the hooks run around every request."""
    app.session_interface = NoSessions()
    app.before_request(_begin)
    app.after_request(_end)


def _begin() -> Response | None:
    """Return the answer to a request that gets no further, None for all others."""
    g.began = perf_counter()
    given_id = request.headers.get("X-Request-Id", "")
    g.request_id = given_id if _REQUEST_ID.fullmatch(given_id) else secrets.token_hex(8)

    endpoint = request.endpoint
    for_any_host = endpoint in _FOR_ANY_HOST
    answer = _guard().answer(request.environ, for_any_host=for_any_host)
    if answer is not None:
        return answer

    if endpoint not in observing.QUIET:
        count_request()
    return None


def _end(response: Response) -> Response:
    """Leave the headers that depend on the request for the outermost layer, and observe."""
    for_other_pages = _guard().headers(request.environ)
    headers: Headers = [
        ("X-Request-Id", g.request_id),
        *allowance_headers(),
        *for_other_pages,
    ]

    # Werkzeug would make sure that this header is ASCII, which all our paths are: 2 % of a move.
    location = response.headers.pop("Location", None)
    if location is not None:
        headers.append(("Location", location))

    request.environ[MORE_HEADERS] = headers
    observing.end(response)
    return response


def _guard() -> Guard:
    guard: Guard = current_app.extensions["guard"]
    return guard
