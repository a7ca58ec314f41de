"""openapi.yaml: made from the operations and the marshmallow schemas by apispec."""

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask
from marshmallow import Schema

from service.api import links
from service.api.contract import examples
from service.api.contract.openapi import unions
from service.api.contract.openapi.enums import name_enums
from service.api.contract.openapi.examples import shared_examples
from service.api.contract.openapi.families import told_apart
from service.api.contract.openapi.parameters import parameters_of, shared_parameters
from service.api.contract.openapi.responses import SharedResponses, headers, problem_response
from service.api.contract.openapi.texts import ABOUT, HEADERS, TAGS
from service.api.contract.operations import CHANGING, EVENTS, NDJSON, Answer, Operation
from service.api.contract.schemas import answers, matches, records
from service.api.contract.schemas.base import reference
from service.api.http.answers import JSON
from service.api.problems import kinds
from service.api.problems.kinds import Kind

Json = dict[str, Any]
LINES = "One JSON object a line; `x-itemSchema` says what a line holds."
LIVE = "Server-sent events (WHATWG HTML); `x-itemSchema` says what an event holds."


def document(app: Flask) -> Json:
    """Return the contract of everything that is mounted on the application."""
    with app.app_context():
        return _document(app)


def _document(app: Flask) -> Json:
    plugin = MarshmallowPlugin(schema_name_resolver=_name)
    spec = APISpec(
        "Giornale", version("giornale"), "3.1.0", [plugin],
        info={"description": ABOUT, "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[{"url": links.home()}], security=[],
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
    )  # fmt: skip
    assert plugin.converter is not None
    plugin.converter.add_attribute_function(reference)  # type: ignore[no-untyped-call]
    _components(spec)
    shared = SharedResponses()
    for rule in app.url_map.iter_rules():
        found: Operation | None = getattr(app.view_functions[rule.endpoint], "operation", None)
        if found is not None:
            methods = (rule.methods or set()) - {"HEAD", "OPTIONS"}
            path = re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule)
            method = min(methods)
            told = _operation(found, path, _problems(found, method), shared)
            spec.path(path, operations={method.lower(): told})
    spec.components.responses.update(shared.made)
    return _tidy(spec.to_dict())


def _components(spec: APISpec) -> None:
    spec.components.security_scheme(
        "token",
        {
            "type": "http",
            "scheme": "bearer",
            "description": "The token of a seat, owner or spectator.",
        },
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
    for name, parameter in shared_parameters().items():
        spec.components.parameters[name] = parameter
    for module in (answers, matches, records):
        for name, cls in vars(module).items():
            if isinstance(cls, type) and name.endswith("Schema") and cls is not Schema:
                _schema(spec, name.removesuffix("Schema"), cls)
    unions_made = unions.components(lambda name, cls: _schema(spec, name, cls))
    spec.components.schemas.update(unions_made)


def _schema(spec: APISpec, name: str, cls: type[Schema]) -> None:
    if name not in spec.components.schemas:
        spec.components.schema(name, schema=cls)
        description = " ".join((cls.__doc__ or "").split())
        spec.components.schemas[name].setdefault("description", description)


def _name(schema: Any) -> str:
    cls = schema if isinstance(schema, type) else type(schema)
    return str(cls.__name__).removesuffix("Schema")


def _problems(one: Operation, method: str) -> list[Kind]:
    """Return every kind of problem that an operation may answer with."""
    changes = (kinds.CROSS_SITE, kinds.MEDIA_TYPE) if method in CHANGING else ()
    return list(dict.fromkeys((*one.problems, *changes)))


def _operation(
    one: Operation, path: str, problems: Sequence[Kind], shared: SharedResponses
) -> Json:
    """Return an operation; what it shares with others it refers to."""
    made: Json = {
        "operationId": one.name,
        "summary": one.summary,
        "description": one.text,
        "tags": [one.tag],
    }
    if parameters := parameters_of(path, one.parameters):
        made["parameters"] = parameters
    if one.body is not None:
        shape = {"schema": _ref(one.body)} if one.takes == JSON else _sequence(one.takes, one.body)
        content = {**shape, "examples": examples.of(one.name, "request")}
        made["requestBody"] = {"required": True, "content": {one.takes: content}}
    if one.tokens != "none":
        made["security"] = _SECURITY[one.tokens]
    made["responses"] = _responses(one, problems, shared)
    return made


_SECURITY: dict[str, list[dict[str, list[str]]]] = {
    "optional": [{}, {"token": []}],
    "needed": [{"token": []}],
    "operator": [{"operator": []}],
}


def _responses(one: Operation, problems: Sequence[Kind], shared: SharedResponses) -> Json:
    """Return the answers of an operation by status."""
    made: Json = {}
    for status, answer in one.answers.items():
        made[str(status)] = (
            shared.unchanged(answer.text) if status == 304 else _answer(one, status, answer)
        )
    others = [kind for kind in problems if kind.status not in one.answers]
    for status, told in shared.problems(others).items():
        made[str(status)] = told
    for status in one.answers:
        both = [kind for kind in problems if kind.status == status]
        if both:
            made[str(status)] = _merged(made[str(status)], problem_response(status, both))
    return dict(sorted(made.items()))


def _merged(answer: Json, problem: Json) -> Json:
    """Return an answer that may also be a problem of the same status."""
    return {
        "description": f"{answer['description']} Or: {problem['description']}",
        "headers": {**problem.get("headers", {}), **answer.get("headers", {})},
        "content": {**answer["content"], **problem["content"]},
    }


def _answer(one: Operation, status: int, answer: Answer) -> Json:
    names = list(answer.headers)
    if "ETag" in answer.headers:
        names += ["Cache-Control", "Vary"]
    made: Json = {"description": answer.text}
    if names:
        made["headers"] = headers(names)
    if answer.schema is not None:
        made["content"] = {kind: _content(one, status, answer, kind) for kind in answer.media}
    if answer.links:
        made["links"] = dict(answer.links)
    return made


def _content(one: Operation, status: int, answer: Answer, kind: str) -> Json:
    """Return what an answer holds in one media type, with an example."""
    assert answer.schema is not None
    if kind == JSON:
        return {"schema": _ref(answer.schema), "examples": examples.of(one.name, str(status))}
    return {**_sequence(kind, answer.schema), "examples": examples.of(one.name, kind)}


def _sequence(kind: str, item: str | type[Schema]) -> Json:
    """Return the schema of a body that is text to OpenAPI 3.1, and what its lines or events hold.

    OpenAPI 3.2 has `itemSchema` for this; as long as client generators refuse 3.2 it is an extension.
    """
    if kind == NDJSON:
        return {"schema": {"type": "string", "description": LINES}, "x-itemSchema": _ref(item)}
    if kind == EVENTS:
        data = {
            "type": "string",
            "contentMediaType": JSON,
            "contentSchema": _ref(item),
        }
        members = {"id": {"type": "string"}, "event": {"const": "commit"}, "data": data}
        event = {"type": "object", "properties": members, "required": ["id", "event", "data"]}
        return {"schema": {"type": "string", "description": LIVE}, "x-itemSchema": event}
    return {"schema": {"type": "string"}}


def _ref(schema: str | type[Schema]) -> dict[str, str]:
    name = schema if isinstance(schema, str) else _name(schema)
    return {"$ref": f"#/components/schemas/{name}"}


def _tidy(spec: Mapping[str, Any]) -> Json:
    """Name what is shared, and sort what has no order of its own, so that the file changes only with the contract."""
    schemas = name_enums(told_apart(spec["components"]["schemas"]))
    paths, shown = shared_examples(dict(sorted(spec["paths"].items())))
    parts = {**spec["components"], "schemas": schemas, "examples": shown}
    components = {kind: dict(sorted(held.items())) for kind, held in sorted(parts.items())}
    return {"openapi": spec["openapi"], **spec, "paths": paths, "components": components}
