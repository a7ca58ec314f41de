"""The paths of the contract: each operation with its parameters, its body and its answers.

Answers that many operations share stand once, under components/responses. A problem answer holds
all kinds of problems of one status that an operation may answer with. Operations with the same
kinds share one component, which is named after them, such as `NotFound` or `IllegalMoveOrBusy`.
"""

import re
from collections.abc import Iterable, Sequence

from flask import Flask

from service.api import links, problems
from service.api.contract import examples
from service.api.contract.openapi.components import parameters_of, schema_reference
from service.api.contract.openapi.texts import EVENTS_TEXT, OF_STATUS
from service.api.contract.operations import (
    CHANGING,
    EVENTS,
    NDJSON,
    Answer,
    Operation,
    operation_of,
)
from service.api.contract.schemas.json_types import Json, camel
from service.api.http.responses import JSON
from service.api.problems import KINDS, PROBLEM, Kind

UNCHANGED = "NotModified"

_FLASK_VARIABLE = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
_NOT_OURS = {"HEAD", "OPTIONS"}
_SECURITY: dict[str, list[dict[str, list[str]]]] = {
    "optional": [{}, {"token": []}],
    "needed": [{"token": []}],
    "operator": [{"operator": []}],
}

# Kinds are sorted by this, so that the same kinds always make the same component.
_ORDER = list(KINDS.values())


def paths_of(app: Flask) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return every operation that is mounted, by path and method, and the answers they share."""
    shared = SharedResponses()
    paths: dict[str, Json] = {}

    for rule in app.url_map.iter_rules():
        operation = operation_of(app.view_functions[rule.endpoint])
        if operation is None:
            continue

        path = _FLASK_VARIABLE.sub(r"{\1}", rule.rule)
        names_in_path = _FLASK_VARIABLE.findall(rule.rule)
        [method] = (rule.methods or set()) - _NOT_OURS
        writer = _OperationWriter(operation, method, shared)
        paths.setdefault(path, {})[method.lower()] = writer.write(names_in_path)

    return paths, shared.made


class SharedResponses:
    """The components that operations have asked for so far, by name."""

    def __init__(self) -> None:
        self.made: dict[str, Json] = {}

    def problems(self, kinds: Sequence[Kind]) -> dict[int, Json]:
        """Return a reference to the answer of each status that the kinds have."""
        by_status: dict[int, list[Kind]] = {}
        for kind in sorted(kinds, key=_ORDER.index):
            by_status.setdefault(kind.status, []).append(kind)
        return {status: self._problem(status, same) for status, same in by_status.items()}

    def unchanged(self, description: str) -> Json:
        """Return a reference to the answer that the caller has everything already."""
        names = ("ETag", "Cache-Control", "Vary")
        return self._kept(UNCHANGED, {"description": description, "headers": headers(names)})

    def _problem(self, status: int, kinds: Sequence[Kind]) -> Json:
        name = "Or".join(camel(kind.name) for kind in kinds)
        return self._kept(name, problem_response(status, kinds))

    def _kept(self, name: str, response: Json) -> Json:
        self.made[name] = response
        return {"$ref": f"#/components/responses/{name}"}


def problem_response(status: int, kinds: Sequence[Kind]) -> Json:
    """Return the answer that is one of some kinds of problems, with one example."""
    sentences = [f"{kind.title} (`{links.problem(kind.name)}`)." for kind in kinds]
    response: Json = {"description": " ".join(sentences)}

    header_names = OF_STATUS.get(status, ())
    if header_names:
        response["headers"] = headers(header_names)

    shown = kinds[0]
    content = {
        "schema": {"$ref": "#/components/schemas/Problem"},
        "examples": {shown.name: {"value": examples.problem(shown)}},
    }
    response["content"] = {PROBLEM: content}
    return response


class _OperationWriter:
    """Writes one operation; what it shares with others it refers to."""

    def __init__(self, operation: Operation, method: str, shared: SharedResponses) -> None:
        self._operation = operation
        self._shared = shared
        self._problems = _problems(operation, method)

    def write(self, names_in_path: list[str]) -> Json:
        """Return the operation as OpenAPI describes it."""
        operation = self._operation
        written: Json = {
            "operationId": operation.name,
            "summary": operation.summary,
            "description": operation.text,
            "tags": [operation.tag],
        }

        parameters = parameters_of(names_in_path, tuple(operation.parameters))
        if parameters:
            written["parameters"] = parameters
        if operation.body is not None:
            written["requestBody"] = self._request_body(operation.body)
        if operation.tokens != "none":
            written["security"] = _SECURITY[operation.tokens]
        written["responses"] = self._responses()
        return written

    def _request_body(self, schema: str | type) -> Json:
        media_type = self._operation.takes
        if media_type == JSON:
            content: Json = {"schema": schema_reference(schema)}
        else:
            content = _sequence(media_type, schema)
        content["examples"] = examples.of(self._operation.name, "request")
        return {"required": True, "content": {media_type: content}}

    def _responses(self) -> Json:
        """Return the answers by status: those of success, those of problems, and both in one."""
        answers = self._operation.answers
        written: Json = {}

        for status, answer in answers.items():
            written[str(status)] = self._answer_or_both(status, answer)

        problems_alone = [kind for kind in self._problems if kind.status not in answers]
        references = self._shared.problems(problems_alone)
        for status, reference in references.items():
            written[str(status)] = reference

        return dict(sorted(written.items()))

    def _answer_or_both(self, status: int, answer: Answer) -> Json:
        """Return an answer, merged with the problems of the same status if there are any."""
        if status == 304:
            return self._shared.unchanged(answer.text)

        written = self._answer(status, answer)
        same_status = [kind for kind in self._problems if kind.status == status]
        if not same_status:
            return written
        return _merged(written, problem_response(status, same_status))

    def _answer(self, status: int, answer: Answer) -> Json:
        header_names = list(answer.headers)
        if "ETag" in answer.headers:
            header_names += ["Cache-Control", "Vary"]

        written: Json = {"description": answer.text}
        if header_names:
            written["headers"] = headers(header_names)
        if answer.schema is not None:
            item = answer.item or answer.schema
            written["content"] = {
                media_type: self._content(
                    status, answer.schema if media_type == JSON else item, media_type
                )
                for media_type in answer.media
            }
        if answer.links:
            written["links"] = dict(answer.links)
        return written

    def _content(self, status: int, schema: str | type, media_type: str) -> Json:
        """Return what an answer holds in one media type, with an example."""
        name = self._operation.name
        if media_type == JSON:
            shown = examples.of(name, str(status))
            return {"schema": schema_reference(schema), "examples": shown}
        return {**_sequence(media_type, schema), "examples": examples.of(name, media_type)}


def _problems(operation: Operation, method: str) -> list[Kind]:
    """Return every kind of problem that an operation may answer with, each once."""
    all_problems = list(operation.problems)
    if method in CHANGING:
        all_problems += [problems.CROSS_SITE, problems.MEDIA_TYPE]
    return list(dict.fromkeys(all_problems))


def _merged(answer: Json, problem: Json) -> Json:
    """Return an answer that may also be a problem of the same status."""
    return {
        "description": f"{answer['description']} Or: {problem['description']}",
        "headers": {**problem.get("headers", {}), **answer.get("headers", {})},
        "content": {**answer["content"], **problem["content"]},
    }


def _sequence(media_type: str, item: str | type) -> Json:
    """Return the schema of a body that is text to OpenAPI 3.1, and what its lines or events hold.

    OpenAPI 3.2 has `itemSchema` for this; while client generators refuse 3.2 it is an extension.
    """
    if media_type == NDJSON:
        return {"schema": schema_reference("Lines"), "x-itemSchema": schema_reference(item)}
    if media_type == EVENTS:
        text = {"type": "string", "description": EVENTS_TEXT}
        return {"schema": text, "x-itemSchema": _server_sent_event(item)}
    return {"schema": {"type": "string"}}


def _server_sent_event(item: str | type) -> Json:
    data = {
        "type": "string",
        "contentMediaType": JSON,
        "contentSchema": schema_reference(item),
    }
    members: Json = {
        "id": {"type": "string"},
        "event": {"const": "commit"},
        "data": data,
    }
    return {"type": "object", "properties": members, "required": ["id", "event", "data"]}


def headers(names: Iterable[str]) -> Json:
    """Return the headers of an answer, each as a reference to its component."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
