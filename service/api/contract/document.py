"""The contract, made from the operations and the types of bodies and answers."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import orjson
from flask import Flask

from domain.games import GAMES
from domain.json_types import Json
from service.api import links
from service.api.contract import examples, operations
from service.api.contract.by_game import Games
from service.api.contract.components import components, parameters_of, schema_reference
from service.api.contract.json_types import camel
from service.api.contract.texts import ABOUT, EVENTS_TEXT, OF_STATUS, TAGS
from service.api.http.context import contract_of
from service.api.http.responses import JSON
from service.api.problems import KINDS, PROBLEM, Kind

Components = dict[str, dict[str, Json]]  # by kind and name


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the contract: some operations, with the types of some games."""

    title: str
    text: str
    # Games by key. Without games, states, moves and commits are objects of any game.
    games: Games
    # Returns True if the document includes an operation.
    includes: Callable[[operations.Operation], bool] = lambda _: True
    # Chooses examples of a body by name. Its first argument is "request", "problem", or the status
    # or media type of an answer.
    examples: Callable[[str, Json], Json] = lambda _, by_name: by_name

    def shown(self, place: str, by_name: Json) -> Json:
        """Return the keyword `examples` with the chosen examples of a body, {} without examples."""
        chosen = self.examples(place, by_name)
        return {"examples": chosen} if chosen else {}


WHOLE = Document("Giornale", ABOUT, GAMES)


def document(app: Flask, part: Document = WHOLE) -> Json:
    """Return the contract of all operations of the application, or of a part of it.

    Members without an order of their own are sorted, so the file changes only with the contract.
    """
    with app.app_context():
        paths, responses = paths_of(app, part)
        bodies, examples_by_name = shared_examples(
            {"paths": dict(sorted(paths.items())), "responses": responses}
        )
        parts: Components = {
            **components(contract_of(app), part.games),
            "responses": bodies["responses"],
            "examples": examples_by_name,
        }
        # The whole contract also has components that no operation names, such as messages for the
        # pages.
        if part is not WHOLE:
            parts = _referred(bodies["paths"], parts)
        return {
            "openapi": "3.1.0",
            "info": {
                "contact": {"name": "The operator of this server"},
                "description": part.text,
                "license": {"name": "MIT", "identifier": "MIT"},
                "title": part.title,
                "version": version("giornale"),
            },
            "servers": [{"url": links.home()}],
            "security": [],
            "tags": _tags(bodies["paths"]),
            "paths": bodies["paths"],
            "components": {
                kind: dict(sorted(by_name.items())) for kind, by_name in sorted(parts.items())
            },
        }


def _tags(paths: Json) -> list[Json]:
    used = {
        tag for path in paths.values() for operation in path.values() for tag in operation["tags"]
    }
    return [{"name": name, "description": text} for name, text in TAGS.items() if name in used]


def _referred(paths: Json, all_components: Components) -> Components:
    """Return the components that paths refer to, directly or not."""
    referred: Components = {}
    places = list(_places_in(paths))
    while places:
        kind, name = places.pop()
        of_kind = referred.setdefault(kind, {})
        if name not in of_kind:
            of_kind[name] = all_components[kind][name]
            places += _places_in(of_kind[name])
    return referred


def _places_in(value: object) -> Iterator[tuple[str, str]]:
    """Yield kind and name of every component referred to in a part of the contract."""
    if isinstance(value, str) and value.startswith(_COMPONENTS):
        kind, _, name = value.removeprefix(_COMPONENTS).partition("/")
        yield kind, name
    elif isinstance(value, list):
        for member in value:
            yield from _places_in(member)
    elif isinstance(value, dict):
        for key, member in value.items():
            if key == "security":
                yield from (("securitySchemes", name) for scheme in member for name in scheme)
            else:
                yield from _places_in(member)


_COMPONENTS = "#/components/"


# ---- examples in several places ------------------------------------------------------------

LONG = 200  # characters. A longer example is shared.


def shared_examples(bodies: dict[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Replace repeated long examples by references. Return the bodies, and the examples by name.

    bodies: the paths and the shared answers.
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


# ---- paths ----------------------------------------------------------------------------------

UNCHANGED = "NotModified"
DEFAULT = "AnyProblem"

_FLASK_VARIABLE = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
_NOT_OURS = {"HEAD", "OPTIONS"}
_SECURITY: dict[str, list[dict[str, list[str]]]] = {
    "optional": [{}, {"token": []}],
    "needed": [{"token": []}],
    "operator": [{"operator": []}],
}

# Order of kinds in a component, so that the same kinds always make the same component.
_ORDER = list(KINDS.values())


def paths_of(app: Flask, part: Document) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return the operations of a part, by path and method, and their shared answers."""
    mounted = [
        (rule, operation)
        for rule in app.url_map.iter_rules()
        if (operation := operations.operation_of(app.view_functions[rule.endpoint])) is not None
        and part.includes(operation)
    ]
    shared = SharedResponses(part, _of_every([operation for _, operation in mounted]))
    names = {operation.name for _, operation in mounted}
    paths: dict[str, Json] = {}

    for rule, operation in mounted:
        path = _FLASK_VARIABLE.sub(r"{\1}", rule.rule)
        names_in_path = _FLASK_VARIABLE.findall(rule.rule)
        [method] = (rule.methods or set()) - _NOT_OURS
        writer = _OperationWriter(operation, method, shared, part, names)
        paths.setdefault(path, {})[method.lower()] = writer.write(names_in_path)

    return paths, shared.made


def _of_every(mounted: list[operations.Operation]) -> list[Kind]:
    """Return the problems that any operation of a document may have, for the `default` answers."""
    of_all = [kind for kind in _ORDER if all(kind in one.problems for one in mounted)]
    return list(dict.fromkeys((*operations.OF_ANY_OPERATION, *of_all)))


class SharedResponses:
    """The components requested by operations so far, by name.

    of_every: the problems that every operation may have.
    """

    def __init__(self, part: Document, of_every: Sequence[Kind]) -> None:
        self.made: dict[str, Json] = {}
        self.of_every = of_every
        self._part = part

    def problems(self, kinds: Sequence[Kind]) -> dict[int, Json]:
        """Return a reference to an answer for each status of some kinds of problems."""
        by_status: dict[int, list[Kind]] = {}
        for kind in sorted(kinds, key=_ORDER.index):
            by_status.setdefault(kind.status, []).append(kind)
        return {status: self._problem(status, same) for status, same in by_status.items()}

    def unchanged(self, description: str) -> Json:
        """Return a reference to the answer 304."""
        names = ("ETag", "Cache-Control", "Vary")
        return self._shared(UNCHANGED, {"description": description, "headers": headers(names)})

    def default(self) -> Json:
        """Return a reference to the problems of any operation."""
        return self._shared(DEFAULT, default_response(self.of_every, self._part))

    def answer(self, name: str, response: Json) -> Json:
        """Return a reference to a shared answer."""
        return self._shared(name, response)

    def _problem(self, status: int, kinds: Sequence[Kind]) -> Json:
        name = "Or".join(camel(kind.name) for kind in kinds)
        return self._shared(name, problem_response(status, kinds, self._part))

    def _shared(self, name: str, response: Json) -> Json:
        self.made[name] = response
        return {"$ref": f"#/components/responses/{name}"}


def problem_response(status: int, kinds: Sequence[Kind], part: Document) -> Json:
    """Return an answer for some kinds of problems with one status, with at most one example."""
    sentences = [f"{kind.title} (`{links.problem(kind.name)}`)." for kind in kinds]
    response: Json = {"description": " ".join(sentences)}

    header_names = OF_STATUS.get(status, ())
    if header_names:
        response["headers"] = headers(header_names)

    first_kind = kinds[0]
    content = {
        "schema": {"$ref": "#/components/schemas/Problem"},
        **part.shown("problem", {first_kind.name: {"value": examples.problem(first_kind)}}),
    }
    response["content"] = {PROBLEM: content}
    return response


def default_response(kinds: Sequence[Kind], part: Document) -> Json:
    """Return an answer for the problems that any operation may have."""
    response = problem_response(kinds[0].status, kinds, part)
    names = dict.fromkeys(name for kind in kinds for name in OF_STATUS.get(kind.status, ()))
    return {
        **response,
        "description": f"A problem that any operation may have. {response['description']}",
        "headers": headers(names),
    }


class _OperationWriter:
    """The writer of one operation. Shared answers and parameters become references."""

    def __init__(
        self,
        operation: operations.Operation,
        method: str,
        shared: SharedResponses,
        part: Document,
        names: Collection[str],
    ) -> None:
        self._operation = operation
        self._shared = shared
        self._part = part
        self._names = names  # names of the operations in the document
        self._problems = _problems(operation, method)

    def write(self, names_in_path: list[str]) -> Json:
        """Return the operation in the form of OpenAPI."""
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
        content |= self._shown(self._operation.name, "request")
        return {"required": True, "content": {media_type: content}}

    def _shown(self, operation: str, place: str) -> Json:
        return self._part.shown(place, examples.of(operation, place))

    def _responses(self) -> Json:
        """Return the answers by status. An answer and problems of one status are merged."""
        answers = self._operation.answers
        written: Json = {}

        for status, answer in answers.items():
            written[str(status)] = self._answer_or_both(status, answer)

        # `default` stands for the problems of every operation.
        of_every = self._shared.of_every
        particular = {kind.status for kind in self._problems if kind not in of_every}
        own = particular - answers.keys()
        references = self._shared.problems([kind for kind in self._problems if kind.status in own])
        for status, reference in references.items():
            written[str(status)] = reference

        return {**dict(sorted(written.items())), "default": self._shared.default()}

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
        return _merged(written, problem_response(status, same_status, self._part))

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
        followed = {
            name: link for name, link in answer.links.items() if link["operationId"] in self._names
        }
        if followed:
            written["links"] = followed
        return written

    def _content(
        self, answer: operations.AnswerSpec, schema: str | type, media_type: str, status: int
    ) -> Json:
        """Return the content of an answer in one media type, with an example."""
        name = answer.shown_by or self._operation.name
        if media_type == JSON:
            example = self._shown(name, "201" if answer.shown_by else str(status))
            return {"schema": schema_reference(schema), **example}
        if media_type == operations.EVENTS:
            written = _event_stream(schema, answer)
        else:
            written = _sequence(media_type, schema)
        return {**written, **self._shown(name, media_type)}


def _problems(operation: operations.Operation, method: str) -> list[Kind]:
    """Return every kind of problem of an operation, each once."""
    all_problems = list(operation.problems)
    if method in operations.CHANGING:
        all_problems += operations.WITH_A_CHANGE
    return list(dict.fromkeys(all_problems))


def _merged(answer: Json, problem: Json) -> Json:
    """Return an answer that may also be a problem of the same status."""
    return {
        "description": f"{answer['description']} Or: {problem['description']}",
        "headers": {**problem.get("headers", {}), **answer.get("headers", {})},
        "content": {**answer["content"], **problem["content"]},
    }


def _sequence(media_type: str, item: str | type) -> Json:
    """Return the schema of a body that is a text to OpenAPI 3.1, and the schema of its lines.

    OpenAPI 3.2 has `itemSchema` for lines. Client generators refuse 3.2, so an extension is used.
    """
    if media_type == operations.NDJSON:
        return {"schema": schema_reference("Lines"), "x-itemSchema": schema_reference(item)}
    return {"schema": {"type": "string"}}


def _event_stream(item: str | type, answer: operations.AnswerSpec) -> Json:
    """Return the schema of a stream of events, and the schema of an event."""
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
