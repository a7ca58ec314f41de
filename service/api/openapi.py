"""openapi.yaml: made from the operations and the marshmallow schemas by apispec."""

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask
from marshmallow import Schema

from service.api import examples, kinds, links, unions
from service.api.answers import JSON
from service.api.contract import CHANGING, Answer, Operation
from service.api.kinds import Kind
from service.api.problems import PROBLEM
from service.api.schemas import answers, matches
from service.api.schemas.component import reference

ABOUT = """An event-sourced game log service: every move an event, every match replayable and verifiable.

Whoever opens a match gets a secret token for each human's seat and one for its owner; send one as
`Authorization: Bearer gio_...`. A request without a token sees what is public. A program that plays needs four
operations: `openMatch`, `getState`, `getMoves`, `makeMove`; `GET .../stream` tells when something has happened.

Every error is a problem (RFC 9457) whose `type` leads to a page about it. New fields, event types and problems may
come at any time: pass over what you do not know. What is here does not change its meaning within `/v1`.
"""

HEADERS: dict[str, dict[str, Any]] = {
    "ETag": {
        "description": "The version and the perspective, for If-None-Match and If-Match.",
        "example": '"17;seat:0"',
    },
    "Link": {
        "description": "Where to go on (RFC 8288): first, prev, next.",
        "example": '</v1/matches?limit=50&cursor=1772388013000.aaaaaaaaaaaaaaaaaaaaaaaaaa>; rel="next"',
    },
    "Location": {"description": "Where the new thing is.", "example": "/v1/matches/aaaaaaaaaaaaaaaaaaaaaaaaaa"},
    "Idempotent-Replayed": {"description": "`true`: this is the first answer to this key again.", "example": "true"},
    "Retry-After": {"description": "After how many seconds to come back.", "example": "1"},
    "Vary": {"description": "Which headers of the request decide what is answered.", "example": "Authorization"},
    "Cache-Control": {
        "description": "Who may keep the answer and for how long; what is past never changes.",
        "example": "private, max-age=31536000, immutable",
    },
    "WWW-Authenticate": {"description": "How to show who one is (RFC 6750).", "example": 'Bearer realm="giornale"'},
    "X-Request-Id": {
        "description": "By what name the log knows the request; as sent, if it was 1 to 64 of A-Z a-z 0-9 . _ -",
        "example": "7d7c97275f705562",
    },
    "RateLimit-Policy": {"description": "How many requests in how many seconds.", "example": '"caller";q=60000;w=60'},
    "RateLimit": {
        "description": "How many requests are left, and in how many seconds all are again.",
        "example": '"caller";r=59999;t=42',
    },
}
EVERYWHERE = ("X-Request-Id", "RateLimit-Policy", "RateLimit")
UNCOUNTED = ("X-Request-Id",)  # of probes and metrics, which count against nobody's limit
OF_STATUS = {401: ("WWW-Authenticate",), 409: ("Retry-After",), 429: ("Retry-After",), 503: ("Retry-After",)}
TAGS = ("games", "matches", "lobby", "play", "history", "service")


def _of(description: str, **schema: Any) -> dict[str, Any]:
    return {"schema": schema, "description": description}


PATH: dict[str, dict[str, Any]] = {
    "match": _of("The id of the match.", type="string", pattern="^[a-z2-7]{26}$"),
    "seat": _of("The number of the seat.", type="integer", minimum=0, maximum=15),
    "number": _of("The version that the commit made.", type="integer", minimum=1),
    "game": _of("The key of the game.", type="string", pattern="^[a-z0-9_]{1,40}$"),
    "holder": _of("Whose token it is.", type="string", pattern=f"^(?:{matches.HOLDER})$"),
}


def document(app: Flask) -> dict[str, Any]:
    """Return the contract of everything that is mounted on the application."""
    with app.app_context():
        return _document(app)


def _document(app: Flask) -> dict[str, Any]:
    plugin = MarshmallowPlugin(schema_name_resolver=_name)
    spec = APISpec(
        "Giornale", version("giornale"), "3.1.0", [plugin],
        info={"description": ABOUT, "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[{"url": links.home()}], security=[], tags=[{"name": name} for name in TAGS],
    )  # fmt: skip
    assert plugin.converter is not None
    plugin.converter.add_attribute_function(reference)  # type: ignore[no-untyped-call]
    _components(spec)
    for rule in app.url_map.iter_rules():
        found: Operation | None = getattr(app.view_functions[rule.endpoint], "operation", None)
        if found is not None:
            method = next(iter(rule.methods - {"HEAD", "OPTIONS"})).lower() if rule.methods else "get"
            path = re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule)
            spec.path(path, operations={method: _operation(found, path, method.upper())})
    return _tidy(spec.to_dict())


def _components(spec: APISpec) -> None:
    spec.components.security_scheme(
        "token", {"type": "http", "scheme": "bearer", "description": "The token of a seat, owner or spectator."}
    )
    spec.components.security_scheme(
        "operator",
        {
            "type": "http",
            "scheme": "bearer",
            "description": "The token of the server's operator, GIORNALE_OPERATOR_TOKEN; where none is set: 403.",
        },
    )
    for name, header in HEADERS.items():
        spec.components.header(name, {"schema": {"type": "string"}, **links.mounted(header)})
    for module in (answers, matches):
        for name, cls in vars(module).items():
            if isinstance(cls, type) and name.endswith("Schema") and cls is not Schema:
                _schema(spec, name.removesuffix("Schema"), cls)
    for name, made in unions.components(lambda name, cls: _schema(spec, name, cls)).items():
        spec.components.schemas[name] = made


def _schema(spec: APISpec, name: str, cls: type[Schema]) -> None:
    if name not in spec.components.schemas:
        spec.components.schema(name, schema=cls)
        spec.components.schemas[name].setdefault("description", " ".join((cls.__doc__ or "").split()))


def _name(schema: Any) -> str:
    cls = schema if isinstance(schema, type) else type(schema)
    return str(cls.__name__).removesuffix("Schema")


def _operation(one: Operation, path: str, method: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": one.name, "summary": one.summary, "description": one.text, "tags": [one.tag],
        "parameters": [*_path_parameters(path), *(_parameter(parameter) for parameter in one.parameters)],
        "responses": {str(status): _answer(one, status, answer) for status, answer in one.answers.items()},
    }  # fmt: skip
    if one.body is not None:
        schema = _ref(one.body) if one.takes == JSON else {"type": "string"}
        content = {"schema": schema, "examples": examples.of(one.name, "request")}
        made["requestBody"] = {"required": True, "content": {one.takes: content}}
    if one.tokens != "none":
        made["security"] = _SECURITY[one.tokens]
    for status, told in _problems(one, method).items():
        made["responses"][status] = _merged(made["responses"].get(status), told)
    for told in made["responses"].values():
        told["headers"] = {**told.get("headers", {}), **_headers(UNCOUNTED if one.tag == "service" else EVERYWHERE)}
    return made


_SECURITY: dict[str, list[dict[str, list[str]]]] = {
    "optional": [{}, {"token": []}],
    "needed": [{"token": []}],
    "operator": [{"operator": []}],
}


def _headers(names: Sequence[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _merged(answer: dict[str, Any] | None, problem: dict[str, Any]) -> dict[str, Any]:
    """Return an answer that may also be a problem of the same status."""
    if answer is None:
        return problem
    content = {**answer.get("content", {}), **problem["content"]}
    return {**problem, "description": f"{answer['description']} Or: {problem['description']}", "content": content}


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [{"name": name, "in": "path", "required": True, **PATH[name]} for name in re.findall(r"{(\w+)}", path)]


def _parameter(one: Any) -> dict[str, Any]:
    made = {"name": one.name, "in": one.place, "description": one.text, "schema": one.schema}
    if one.required:
        made["required"] = True
    return made if one.example is None else {**made, "example": one.example}


def _answer(one: Operation, status: int, answer: Answer) -> dict[str, Any]:
    made: dict[str, Any] = {"description": answer.text}
    if answer.headers:
        kept = ("Cache-Control", "Vary") if one.tokens == "optional" else ("Cache-Control",)
        made["headers"] = _headers((*answer.headers, *(kept if "ETag" in answer.headers else ())))
    if answer.schema is not None:
        shown = examples.of(one.name, str(status))
        plain = {"schema": _ref(answer.schema), "examples": shown}
        made["content"] = {kind: plain if kind == JSON else _other(one, kind) for kind in answer.media}
    if answer.links:
        made["links"] = dict(answer.links)
    return made


def _other(one: Operation, kind: str) -> dict[str, Any]:
    return {"schema": {"type": "string"}, "examples": examples.of(one.name, kind)}


def _problems(one: Operation, method: str) -> dict[str, Any]:
    by_status: dict[int, list[Kind]] = {}
    changes = (kinds.CROSS_SITE, kinds.MEDIA_TYPE) if method in CHANGING else ()
    for kind in dict.fromkeys((*one.problems, *changes)):
        by_status.setdefault(kind.status, []).append(kind)
    return {str(status): _problem(status, found) for status, found in sorted(by_status.items())}


def _problem(status: int, found: Sequence[Kind]) -> dict[str, Any]:
    shown = {kind.name: {"value": examples.problem(kind)} for kind in found}
    made: dict[str, Any] = {
        "description": "; ".join(kind.title for kind in found) + ".",
        "content": {PROBLEM: {"schema": _ref("Problem"), "examples": shown}},
    }
    if status in OF_STATUS:
        made["headers"] = _headers(OF_STATUS[status])
    return made


def _ref(schema: str | type[Schema]) -> dict[str, str]:
    name = schema if isinstance(schema, str) else _name(schema)
    return {"$ref": f"#/components/schemas/{name}"}


def _tidy(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Sort what has no order of its own, so that the file changes only when the contract does."""
    components = {kind: dict(sorted(held.items())) for kind, held in sorted(spec["components"].items())}
    return {"openapi": spec["openapi"], **spec, "paths": dict(sorted(spec["paths"].items())), "components": components}
