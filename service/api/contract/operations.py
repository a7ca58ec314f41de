"""Operations: a view function with all that openapi.yaml says of it, so that the two cannot drift apart."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from itertools import islice
from typing import Any

from flask import Response, request
from marshmallow import Schema, ValidationError

from service.api.contract.parameters import Parameter, read_all
from service.api.http.answers import JSON, body, no_body
from service.api.http.intake import lines
from service.api.http.operator import require_operator
from service.api.problems import kinds
from service.api.problems.kinds import Kind
from service.errors import MOST_PLACES, Invalid, Place, Unauthorized, pointer

NDJSON = "application/x-ndjson"
EVENTS = "text/event-stream"
HTML = "text/html"

CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
ANYWHERE = (
    kinds.INVALID,
    kinds.MISDIRECTED,
    kinds.RATE_LIMITED,
    kinds.INTERNAL,
    kinds.UNAVAILABLE,
    kinds.OVERLOADED,
)
OF_A_MATCH = (kinds.UNAUTHORIZED, kinds.FORBIDDEN, kinds.NOT_FOUND, kinds.MATCH_DELETED)
WITH_A_BODY = (kinds.MALFORMED, kinds.SLOW_BODY, kinds.TOO_LARGE, kinds.MEDIA_TYPE)
A_COMMIT = (kinds.ILLEGAL, kinds.BUSY, kinds.IN_PROGRESS, kinds.STALE, kinds.KEY_REUSED)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of an operation. schema: the name of a component, or a Schema class; links: name -> OpenAPI link."""

    text: str
    schema: str | type[Schema] | None = None
    media: tuple[str, ...] = (JSON,)
    headers: tuple[str, ...] = ()
    links: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Operation:
    """What the contract says of one view function."""

    name: str
    summary: str
    tag: str
    parameters: Sequence[Parameter]
    body: str | type[Schema] | None
    answers: Mapping[int, Answer]
    problems: Sequence[Kind]
    tokens: str
    text: str
    takes: str


def operation(
    name: str, summary: str, *, tag: str, answers: Mapping[int, Answer], parameters: Sequence[Parameter] = (),
    body: str | type[Schema] | None = None, problems: Sequence[Kind] = (), tokens: str = "optional",
    takes: str = JSON,
) -> Callable[[Callable[..., Response]], Callable[..., Response]]:  # fmt: skip
    """Make a view function an operation of the contract.

    The view is handed its parameters by keyword, strictly read, and its body as `data` (loaded, if `body` is a Schema
    class; an iterator over lines, if `takes` is not JSON). tokens: "none", "optional", "needed", or "operator" for the
    operator's token instead of a match's. The view's docstring is the operation's description.
    """
    schema = body() if isinstance(body, type) else None

    def wrap(view: Callable[..., Response]) -> Callable[..., Response]:
        @wraps(view)
        def run(**path: Any) -> Response:
            if tokens == "needed" and "Authorization" not in request.headers:
                raise Unauthorized("a token is needed: Authorization: Bearer gio_...")
            if tokens == "operator":
                require_operator(name)
            values = read_all(parameters)
            if body is not None:
                values["data"] = _body(schema) if takes == JSON else lines(takes)
            elif request.method in CHANGING:
                no_body()
            return view(**path, **values)

        kinds_ = (*problems, *(WITH_A_BODY if body else ()), *ANYWHERE)
        text = " ".join((view.__doc__ or "").split())
        run.operation = Operation(  # type: ignore[attr-defined]
            name, summary, tag, parameters, body, answers, kinds_, tokens, text, takes
        )
        return run

    return wrap


def _body(schema: Schema | None) -> dict[str, Any]:
    data = body()
    return data if schema is None else load(schema, data)


def load(schema: Schema, data: Any) -> dict[str, Any]:
    """Return what a schema makes of JSON values; raises Invalid naming every wrong place."""
    try:
        loaded: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        wrong = _wrong(error.messages, ())
        places = [Place(pointer(path), detail) for path, detail in islice(wrong, MOST_PLACES)]
        raise Invalid(*places, more=sum(1 for _ in wrong)) from None
    return loaded


def _wrong(
    messages: Any, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the path and the detail of everything that marshmallow found wrong."""
    if isinstance(messages, dict):
        for name, inner in messages.items():
            yield from _wrong(inner, path if name == "_schema" else (*path, name))
    else:
        for text in messages:
            yield path, str(text)
