"""Operations: view functions with their texts in openapi.yaml. So view and text cannot differ."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial, wraps
from itertools import islice
from typing import Any

from flask import Response, request
from marshmallow import Schema, ValidationError

from domain.json_types import Json
from service.api import problems as api_problems
from service.api.contract.parameters import Parameter, read_all
from service.api.http.context import Environ, require_operator, state_of
from service.api.http.requests import body, lines, no_body
from service.api.http.responses import JSON
from service.api.problems import Kind
from service.base.errors import MOST_PLACES, Invalid, Mistake, Unauthorized, pointer

NDJSON = "application/x-ndjson"
EVENTS = "text/event-stream"
TEXT = "text/plain"

CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})

# Problems in the `default` answer of every operation. ANYWHERE is for any request, WITH_A_BODY for
# a request with a body, WITH_A_CHANGE for a request for a change.
ANYWHERE = (
    api_problems.INVALID,
    api_problems.MISDIRECTED,
    api_problems.RATE_LIMITED,
    api_problems.INTERNAL,
    api_problems.UNAVAILABLE,
    api_problems.OVERLOADED,
)
WITH_A_BODY = (
    api_problems.MALFORMED,
    api_problems.SLOW_BODY,
    api_problems.TOO_LARGE,
    api_problems.MEDIA_TYPE,
)
WITH_A_CHANGE = (api_problems.CROSS_SITE, api_problems.MEDIA_TYPE)
OF_ANY_OPERATION = tuple(dict.fromkeys((*ANYWHERE, *WITH_A_BODY, *WITH_A_CHANGE)))

# Groups of problems that many operations share.
STORED = (  # problems of requests that do not need the rules of the match
    api_problems.UNAUTHORIZED,
    api_problems.FORBIDDEN,
    api_problems.NOT_FOUND,
    api_problems.MATCH_DELETED,
)
OF_A_MATCH = (*STORED, api_problems.RULES_UNKNOWN)
# Problems of a read from a seat's view.
WITH_A_SEAT = (api_problems.NO_SUCH_SEAT, api_problems.NOT_REVEALED)
A_COMMIT = (
    api_problems.ILLEGAL,
    api_problems.BUSY,
    api_problems.IN_PROGRESS,
    api_problems.STALE,
    api_problems.KEY_REUSED,
)

# Problems of requests that a seat signs with its key (M18).
SIGNED = (api_problems.VERSION_NEEDED, api_problems.SIGNATURE)

View = Callable[..., Response]
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class AnswerSpec:
    """One answer of an operation."""

    text: str
    # A type of service.base.answers, or the name of a union. None: the answer has no body.
    schema: type | str | None = None
    media: tuple[str, ...] = (JSON,)
    # Type of a line or an event, if that is not `schema`.
    item: type | None = None
    # The names of server-sent events, without `rewritten`.
    events: tuple[str, ...] = ("commit",)
    # Type of the event `rewritten`. The stream ends after it.
    rewritten: type | None = None
    headers: tuple[str, ...] = ()
    # OpenAPI links by name.
    links: Mapping[str, Json] = field(default_factory=dict)
    # Name of the component in OpenAPI if several operations share the answer.
    component: str = ""
    # Name of the operation whose example is shown, if it is another operation.
    shown_by: str = ""


UNCHANGED = AnswerSpec("Nothing has changed since the ETag in If-None-Match.", headers=("ETag",))


@dataclass(frozen=True, slots=True)
class Operation:
    """The operation of one view function in the contract, used as its decorator.

    The decorated view gets its parameters by keyword, after strict checks. It gets the body of the
    request as `data`: a JSON object, or the value loaded by `body` if `body` is a Schema class. If
    `takes` is not JSON, `data` is an iterator over lines. The view's docstring becomes the
    operation's description.
    """

    name: str
    summary: str
    _: KW_ONLY
    tag: str
    answers: Mapping[int, AnswerSpec]
    parameters: Sequence[Parameter] = ()
    body: str | type[Schema] | None = None
    problems: Sequence[Kind] = ()
    # "none", "optional" or "needed": for tokens of matches. "operator": the operator's token is
    # needed.
    tokens: str = "optional"
    # The media type of the body.
    takes: str = JSON
    # Reads the body in place of the usual reader, for refusals that are no problem documents.
    reads: Callable[[Environ], object] | None = None
    text: str = ""

    def __call__(self, view: View) -> View:
        """Return the view as an operation: it checks the request, then calls the view."""
        check_token = self._token_check()
        read_body = self._body_reader()

        @wraps(view)
        def run(**path: object) -> Response:
            environ = request.environ
            state_of(environ).operation = self.name
            if check_token is not None:
                check_token(environ)
            arguments = read_all(self.parameters, environ)
            if read_body is not None:
                arguments["data"] = read_body(environ)
            elif environ["REQUEST_METHOD"] in CHANGING:
                no_body(environ)
            return view(**path, **arguments)

        run.operation = replace(  # type: ignore[attr-defined]
            self,
            problems=self._all_problems(),
            text=" ".join((view.__doc__ or "").split()),
        )
        return run

    def _token_check(self) -> Callable[[Environ], None] | None:
        """Return the check of a needed token, None if none is needed."""
        if self.tokens == "needed":
            return _require_token
        if self.tokens == "operator":
            return partial(require_operator, operation=self.name)
        return None

    def _body_reader(self) -> Callable[[Environ], object] | None:
        """Return the function that reads the body of a request, None if requests have no body."""
        if self.body is None:
            return None
        if self.reads is not None:
            return self.reads
        if self.takes != JSON:
            return partial(lines, kind=self.takes)
        if not isinstance(self.body, type):
            return body

        schema = self.body()
        return lambda environ: load(schema, body(environ))

    def _all_problems(self) -> tuple[Kind, ...]:
        of_the_operator = (api_problems.FEATURE_OFF,) if self.tokens == "operator" else ()
        of_the_body = WITH_A_BODY if self.body else ()
        return (*self.problems, *of_the_operator, *of_the_body, *ANYWHERE)


def _require_token(environ: Environ) -> None:
    if "HTTP_AUTHORIZATION" not in environ:
        raise Unauthorized("a token is needed: Authorization: Bearer gio_...")


# A decorator is written in small letters.
operation = Operation


def operation_of(view: object) -> Operation | None:
    """Return the operation of a view function, None without an operation."""
    return getattr(view, "operation", None)


def load(schema: Schema, values: Json) -> Json:
    """Return the values that a schema loads from JSON.

    Raises Invalid with the first MOST_PLACES mistakes, and the number of all others.
    """
    try:
        loaded: Json = schema.load(values)
    except ValidationError as error:
        wrong_places = _wrong_places(error.messages, ())
        first_places = islice(wrong_places, MOST_PLACES)
        mistakes = [Mistake(pointer(path), detail) for path, detail in first_places]

        unnamed = sum(1 for _ in wrong_places)
        raise Invalid(*mistakes, more=unnamed) from None
    return loaded


def _wrong_places(messages: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the path and the detail of every mistake that marshmallow reports."""
    if not isinstance(messages, dict):
        for text in messages:
            yield path, str(text)
        return

    for name, inner_messages in messages.items():
        inner_path = path if name == "_schema" else (*path, name)
        yield from _wrong_places(inner_messages, inner_path)
