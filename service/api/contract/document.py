"""openapi.yaml: made from the operations and the types of what is sent and answered."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from typing import Any

import orjson
from flask import Flask

from domain.json_types import Json
from service.api import links, problems
from service.api.contract import examples, operations
from service.api.contract.components import components, parameters_of, schema_reference
from service.api.contract.json_types import camel
from service.api.contract.texts import ABOUT, EVENTS_TEXT, OF_STATUS, TAGS
from service.api.http.context import contract_of
from service.api.http.responses import JSON
from service.api.problems import KINDS, PROBLEM, Kind


def document(app: Flask) -> Json:
    """Return the contract of everything that is mounted on the application.

    What has no order of its own is sorted, so the file changes only when the contract does.
    """
    with app.app_context():
        paths, responses = paths_of(app)
        bodies, examples_by_name = shared_examples(
            {"paths": dict(sorted(paths.items())), "responses": responses}
        )
        parts = {
            **components(contract_of(app)),
            "responses": bodies["responses"],
            "examples": examples_by_name,
        }
        return {
            "openapi": "3.1.0",
            "info": {
                "description": ABOUT,
                "license": {"name": "MIT", "identifier": "MIT"},
                "title": "Giornale",
                "version": version("giornale"),
            },
            "servers": [{"url": links.home()}],
            "security": [],
            "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
            "paths": bodies["paths"],
            "components": {
                kind: dict(sorted(by_name.items())) for kind, by_name in sorted(parts.items())
            },
        }


# ---- examples that stand in several places -------------------------------------------------

LONG = 200  # characters


def shared_examples(bodies: dict[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return parts of the contract with references for repeated examples, and these by name.

    bodies: the paths and the shared answers, in which examples of bodies stand.
    """
    uses = Counter(_text(example) for _, example in _long_examples(bodies))
    repeated = {
        _text(example): (name.title(), example)
        for name, example in _long_examples(bodies)
        if uses[_text(example)] > 1
    }

    names = {text: name for text, (name, _) in repeated.items()}
    examples_by_name = dict(repeated.values())
    assert len(examples_by_name) == len(names), "two shared examples have one name"
    replaced: dict[str, Json] = _with_example_references(bodies, names)
    return replaced, examples_by_name


def _long_examples(value: object) -> Iterator[tuple[str, Json]]:
    """Yield every long example with its name."""
    if isinstance(value, list):
        for member in value:
            yield from _long_examples(member)
    if not isinstance(value, dict):
        return

    for key, member in value.items():
        if key == "examples":
            yield from ((name, example) for name, example in member.items() if _is_long(example))
        else:
            yield from _long_examples(member)


def _is_long(example: Json) -> bool:
    return len(_text(example)) > LONG


def _text(example: Json) -> str:
    return orjson.dumps(example).decode()


def _with_example_references(value: object, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_with_example_references(member, names) for member in value]
    if not isinstance(value, dict):
        return value

    replaced = {}
    for key, member in value.items():
        if key == "examples":
            replaced[key] = {
                name: _example_reference(names[_text(example)])
                if _text(example) in names
                else example
                for name, example in member.items()
            }
        else:
            replaced[key] = _with_example_references(member, names)
    return replaced


def _example_reference(name: str) -> Json:
    return {"$ref": f"#/components/examples/{name}"}


# ---- the contract in short -----------------------------------------------------------------

_LEFT_OUT = frozenset({"description", "summary", "example", "examples", "links"})

# What stands under these keys is named by its own keys, which all stay.
_NAMES_FOLLOW = frozenset(
    {"properties", "schemas", "responses", "headers", "parameters", "links", "mapping"}
)


def shortened(document: Json) -> Json:
    """Return the document without examples, descriptions and links.

    It says the same about every request and answer. The description of a response stays as "",
    because OpenAPI demands one.
    """
    short: Json = _without_texts(document, keys_are_names=False)
    short["info"]["description"] = "The contract in short; /openapi.json is the whole of it."
    return short


def _without_texts(value: object, *, keys_are_names: bool) -> Any:
    if isinstance(value, list):
        return [_without_texts(member, keys_are_names=False) for member in value]
    if not isinstance(value, dict):
        return value

    kept = {}
    for key, member in value.items():
        if keys_are_names or key not in _LEFT_OUT:
            names_follow = not keys_are_names and key in _NAMES_FOLLOW
            kept[key] = _without_texts(member, keys_are_names=names_follow)
    if not keys_are_names and _is_response(value):
        kept["description"] = ""
    return kept


def _is_response(value: Json) -> bool:
    """Return whether an object is an answer: only there a description stands beside these."""
    if not isinstance(value.get("description"), str):
        return False
    return "content" in value or "headers" in value or list(value) == ["description"]


# ---- paths ----------------------------------------------------------------------------------

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
        operation = operations.operation_of(app.view_functions[rule.endpoint])
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

    def answer(self, name: str, response: Json) -> Json:
        """Return a reference to an answer that many operations have."""
        return self._kept(name, response)

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

    def __init__(
        self, operation: operations.Operation, method: str, shared: SharedResponses
    ) -> None:
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

    def _answer_or_both(self, status: int, answer: operations.AnswerSpec) -> Json:
        """Return an answer, merged with the problems of the same status if there are any."""
        if status == 304:
            return self._shared.unchanged(answer.text)

        written = self._answer(status, answer)
        if answer.component:
            return self._shared.answer(answer.component, written)
        same_status = [kind for kind in self._problems if kind.status == status]
        if not same_status:
            return written
        return _merged(written, problem_response(status, same_status))

    def _answer(self, status: int, answer: operations.AnswerSpec) -> Json:
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
                    answer, answer.schema if media_type == JSON else item, media_type, status
                )
                for media_type in answer.media
            }
        if answer.links:
            written["links"] = dict(answer.links)
        return written

    def _content(
        self, answer: operations.AnswerSpec, schema: str | type, media_type: str, status: int
    ) -> Json:
        """Return what an answer holds in one media type, with an example."""
        name = answer.shown_by or self._operation.name
        if media_type == JSON:
            shown = examples.of(name, "201" if answer.shown_by else str(status))
            return {"schema": schema_reference(schema), "examples": shown}
        if media_type == operations.EVENTS:
            written = _event_stream(schema, answer)
        else:
            written = _sequence(media_type, schema)
        return {**written, "examples": examples.of(name, media_type)}


def _problems(operation: operations.Operation, method: str) -> list[Kind]:
    """Return every kind of problem that an operation may answer with, each once."""
    all_problems = list(operation.problems)
    if method in operations.CHANGING:
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
    """Return the schema of a body that is text to OpenAPI 3.1, with that of its lines.

    OpenAPI 3.2 has `itemSchema` for this; while client generators refuse 3.2 it is an extension.
    """
    if media_type == operations.NDJSON:
        return {"schema": schema_reference("Lines"), "x-itemSchema": schema_reference(item)}
    return {"schema": {"type": "string"}}


def _event_stream(item: str | type, answer: operations.AnswerSpec) -> Json:
    """Return the schema of a stream of events, with that of its events."""
    schema = _server_sent_event(item, {"enum": list(answer.events)})
    if answer.rewritten is not None:
        last = _server_sent_event(answer.rewritten, {"const": "rewritten"})
        schema = {"oneOf": [schema, last]}
    return {"schema": {"type": "string", "description": EVENTS_TEXT}, "x-itemSchema": schema}


def _server_sent_event(item: str | type, name: Json) -> Json:
    data = {
        "type": "string",
        "contentMediaType": JSON,
        "contentSchema": schema_reference(item),
    }
    members: Json = {"id": {"type": "string"}, "event": name, "data": data}
    return {"type": "object", "properties": members, "required": ["id", "event", "data"]}


def headers(names: Iterable[str]) -> Json:
    """Return the headers of an answer, each as a reference to its component."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
