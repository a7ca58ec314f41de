"""What happens around every request.

Before: it gets an id; the guard may refuse or answer it; it is counted.

After: its answer gets the headers that depend on the request; it is measured and logged.
"""

from flask import Flask, Request, Response, current_app, request
from flask.sessions import NullSession, SessionInterface, SessionMixin

from service.api import access_log
from service.api.contract.operations import operation_of
from service.api.guard import Guard
from service.api.http.rate_limits import allowance_headers, count_request, visit_of
from service.api.wsgi.middleware import MORE_HEADERS, Headers

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
    """Return the answer to a request that gets no further, None for all others.

    Raises what the express way has met, for Flask to answer.
    """
    environ = request.environ
    visit = visit_of(environ)
    if visit.raised is not None:
        raise visit.raised

    endpoint = request.endpoint
    for_any_host = endpoint in _FOR_ANY_HOST
    answer = _guard().answer(environ, for_any_host=for_any_host)
    if answer is not None:
        return answer

    if endpoint not in access_log.QUIET:
        count_request(environ, current_app.extensions)
    return None


def _end(response: Response) -> Response:
    """Leave the headers that depend on the request for the outermost layer, and observe."""
    environ = request.environ
    visit = visit_of(environ)
    headers: Headers = [
        ("X-Request-Id", visit.request_id),
        *allowance_headers(visit),
        *_guard().headers(environ),
    ]

    # Werkzeug would make sure that this header is ASCII, which all our paths are: 2 % of a move.
    location = response.headers.pop("Location", None)
    if location is not None:
        headers.append(("Location", location))

    # Flask calls an answer without a body HTML. What is streamed is not looked into.
    is_empty = response.is_sequence and not any(response.iter_encoded())
    if is_empty:
        response.headers.pop("Content-Type", None)

    environ[MORE_HEADERS] = headers
    access_log.note(visit, _answered(response), current_app.extensions["say"])
    return response


def _answered(response: Response) -> access_log.Answered:
    """Return what is kept of an answer."""
    endpoint = request.endpoint or ""
    operation = operation_of(current_app.view_functions.get(endpoint))
    return access_log.Answered(
        operation=operation.name if operation else access_log.NO_OPERATION,
        method=request.method,
        status=response.status_code,
        match=(request.view_args or {}).get("match"),
        etag=response.headers.get("ETag", ""),
        repeated="Idempotent-Replayed" in response.headers,
        quiet=endpoint in access_log.QUIET,
    )


def _guard() -> Guard:
    guard: Guard = current_app.extensions["guard"]
    return guard
