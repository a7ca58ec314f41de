"""Operations: a view function with all that openapi.yaml says of it, so that they cannot differ."""

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

# Groups of problems that many operations share.
ANYWHERE = (
    api_problems.INVALID,
    api_problems.MISDIRECTED,
    api_problems.RATE_LIMITED,
    api_problems.INTERNAL,
    api_problems.UNAVAILABLE,
    api_problems.OVERLOADED,
)
STORED = (  # of a match whose rules need not be known
    api_problems.UNAUTHORIZED,
    api_problems.FORBIDDEN,
    api_problems.NOT_FOUND,
    api_problems.MATCH_DELETED,
)
OF_A_MATCH = (*STORED, api_problems.RULES_UNKNOWN)
WITH_A_BODY = (
    api_problems.MALFORMED,
    api_problems.SLOW_BODY,
    api_problems.TOO_LARGE,
    api_problems.MEDIA_TYPE,
)
A_COMMIT = (
    api_problems.ILLEGAL,
    api_problems.BUSY,
    api_problems.IN_PROGRESS,
    api_problems.STALE,
    api_problems.KEY_REUSED,
)

# Of what a seat with a key signs (M18).
SIGNED = (api_problems.VERSION_NEEDED, api_problems.SIGNATURE)

View = Callable[..., Response]
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class AnswerSpec:
    """One answer of an operation."""

    text: str
    # A type of service.base.answers; None: the answer has no body.
    schema: type | None = None
    media: tuple[str, ...] = (JSON,)
    # What one line or one event holds, if it is not of that type.
    item: type | None = None
    # The names of its server-sent events.
    events: tuple[str, ...] = ("commit",)
    # What the event `rewritten` holds, after which the stream ends.
    rewritten: type | None = None
    headers: tuple[str, ...] = ()
    # OpenAPI links by name.
    links: Mapping[str, object] = field(default_factory=dict)
    # The component that operations share it as, and the one of them that shows its example.
    component: str = ""
    shown_by: str = ""


UNCHANGED = AnswerSpec("Nothing has changed since the ETag in If-None-Match.", headers=("ETag",))


@dataclass(frozen=True, slots=True)
class Operation:
    """What the contract says of one view function; used as its decorator.

    The decorated view is handed its parameters by keyword, strictly read, and its body as `data`:
    the object itself, what `body` loads from it if that is a Schema class, or an iterator over its
    lines if `takes` is not JSON. The view's docstring becomes the operation's description.
    """

    name: str
    summary: str
    _: KW_ONLY
    tag: str
    answers: Mapping[int, AnswerSpec]
    parameters: Sequence[Parameter] = ()
    body: str | type[Schema] | None = None
    problems: Sequence[Kind] = ()
    # "none", "optional", "needed", or "operator" for the operator's token instead of a match's.
    tokens: str = "optional"
    # The media type of the body.
    takes: str = JSON
    # Reads a body whose refusals are of another form than problems.
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
        """Return what raises Unauthorized or Forbidden for a request without a needed token."""
        if self.tokens == "needed":
            return _require_token
        if self.tokens == "operator":
            return partial(require_operator, operation=self.name)
        return None

    def _body_reader(self) -> Callable[[Environ], object] | None:
        """Return the function that reads the body of a request, None if there is none."""
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
        of_the_body = WITH_A_BODY if self.body else ()
        return (*self.problems, *of_the_body, *ANYWHERE)


def _require_token(environ: Environ) -> None:
    if "HTTP_AUTHORIZATION" not in environ:
        raise Unauthorized("a token is needed: Authorization: Bearer gio_...")


# Where it decorates a view it is written as other decorators are.
operation = Operation


def operation_of(view: object) -> Operation | None:
    """Return what the contract says of a view function, None if it is no operation."""
    return getattr(view, "operation", None)


def load(schema: Schema, given: Json) -> Json:
    """Return what a schema makes of JSON values; raises Invalid naming every wrong place."""
    try:
        loaded: Json = schema.load(given)
    except ValidationError as error:
        wrong_places = _wrong_places(error.messages, ())
        first_places = islice(wrong_places, MOST_PLACES)
        named = [Mistake(pointer(path), detail) for path, detail in first_places]

        unnamed = sum(1 for _ in wrong_places)
        raise Invalid(*named, more=unnamed) from None
    return loaded


def _wrong_places(messages: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the path and the detail of everything that marshmallow found wrong."""
    if not isinstance(messages, dict):
        for text in messages:
            yield path, str(text)
        return

    for name, inner_messages in messages.items():
        inner_path = path if name == "_schema" else (*path, name)
        yield from _wrong_places(inner_messages, inner_path)
