"""openapi.yaml: made from the operations and the marshmallow schemas by apispec."""

from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

import orjson
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask

from domain.wire import Named
from service.api import links
from service.api.contract.openapi.components import add_components, component_name
from service.api.contract.openapi.paths import add_paths
from service.api.contract.openapi.texts import ABOUT, TAGS
from service.api.contract.schemas.fields import camel, reference
from service.journal.values import STATUSES
from service.matches import bots

# §§§ service.api.contract.openapi.document
# Choices that stand in many schemas, made components of their own with a name.
#
# A generator then makes one type of a choice, such as `CalimalaColour`, and not one for each
# field.


Json = dict[str, Any]
Words = tuple[str, ...]


class _Component(NamedTuple):
    name: str
    description: str


# The service's own choices.
_SERVICE: dict[Words, _Component] = {
    STATUSES: _Component("MatchStatus", "Where a match stands."),
    bots.NAMES: _Component("BotLevel", "How a bot chooses its moves."),
    ("public", "private"): _Component(
        "Visibility", "Who may see a match: anybody, or the bearers of its tokens."
    ),
    ("human", "bot", "open"): _Component("SeatKind", "Who holds a seat."),
}


def name_enums(schemas: dict[str, Json]) -> dict[str, Json]:
    """Return the schemas with references to each known choice that stands in several places."""
    known = _known_choices(schemas)
    uses = Counter(words for words in _choices_in(schemas) if words in known)
    shared = {words: known[words] for words, count in uses.items() if count > 1}

    named: dict[str, Json] = {}
    for name, schema in schemas.items():
        is_itself_a_choice = bool(_words(schema))
        if is_itself_a_choice:
            named[name] = schema
        else:
            named[name] = _with_references(schema, shared)

    for words, (name, description) in shared.items():
        component = {
            "type": "string",
            "enum": list(words),
            "description": description,
        }
        kept = named.setdefault(name, component)
        assert kept["enum"] == list(words), f"two choices are called {name}"
    return named


def _known_choices(schemas: dict[str, Json]) -> dict[Words, _Component]:
    """Return every choice that has a name: the service's, the games' enumerations, components."""
    known = dict(_SERVICE)

    for enumeration in _enumerations(Named):
        words = tuple(member.wire for member in enumeration)
        _, game, *_ = enumeration.__module__.split(".")
        component = _Component(
            name=f"{camel(game)}{enumeration.__name__}",
            description=" ".join((enumeration.__doc__ or "").split()),
        )
        known.setdefault(words, component)

    for name, schema in schemas.items():
        words = _words(schema)
        if words:
            known[words] = _Component(name, schema.get("description", ""))
    return known


def _enumerations(base: type[Named]) -> Iterator[type[Named]]:
    for enumeration in base.__subclasses__():
        yield enumeration
        yield from _enumerations(enumeration)


def _words(schema: Any) -> Words:
    """Return the choices of a schema that has more than one word to choose from, else ().

    "null" is no word.
    """
    if not isinstance(schema, dict) or not isinstance(schema.get("enum"), list):
        return ()
    words = tuple(word for word in schema["enum"] if isinstance(word, str))
    return words if len(words) > 1 else ()


def _choices_in(value: Any) -> Iterator[Words]:
    words = _words(value)
    if words:
        yield words
        return

    members: Any = ()
    if isinstance(value, dict):
        members = value.values()
    elif isinstance(value, list):
        members = value
    for member in members:
        yield from _choices_in(member)


def _with_references(value: Any, shared: dict[Words, _Component]) -> Any:
    words = _words(value)
    if words in shared:
        return _reference(value, shared[words].name)
    if isinstance(value, dict):
        return {name: _with_references(member, shared) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_references(member, shared) for member in value]
    return value


def _reference(schema: Json, name: str) -> Json:
    """Return a reference in place of a choice, with its description and its default.

    It may be null if the choice may.
    """
    target = {"$ref": f"#/components/schemas/{name}"}
    kept = {key: value for key, value in schema.items() if key in ("description", "default")}
    nullable = None in schema["enum"] or "null" in schema.get("type", ())
    if nullable:
        return {"anyOf": [target, {"type": "null"}], **kept}
    return {**target, **kept}


# §§§ service.api.contract.openapi.document
# Names that tell moves from recorded commands: the same words in the rules, two shapes here.
#
# A move is posted: whole, and without a seat, which the token tells. A command is read in a
# commit: with its seat, and without what the reader may not see. So a schema of each is needed,
# and its name ends accordingly.


# What is said of the members of a union whose name ends so.
FAMILIES = {
    "Move": "As it is posted: whole, and without a seat, which the token tells.",
    "Command": (
        "As it was recorded in a commit: with its seat, and without what the reader may not see."
    ),
}
_PLACE = "#/components/schemas/"


def told_apart(schemas: dict[str, Json]) -> dict[str, Json]:
    """Return the schemas, each member of such a union with `Move` or `Command` in its name."""
    new_places: dict[str, str] = {}
    described: dict[str, Json] = {}
    for name, schema in schemas.items():
        family = _family_of(name, schema)
        if family is None:
            described[name] = schema
            continue
        for place in schema["discriminator"]["mapping"].values():
            new_places[place] = f"{place}{family}"
        text = f"{schema['description']} {FAMILIES[family]}"
        described[name] = {**schema, "description": text}

    renamed = {}
    for name, schema in described.items():
        place = new_places.get(_PLACE + name, _PLACE + name)
        renamed[place.removeprefix(_PLACE)] = _with_new_places(schema, new_places)
    return renamed


def _family_of(name: str, schema: Json) -> str | None:
    """Return the family that a union holds, None for any other schema."""
    if "discriminator" not in schema:
        return None
    return next((family for family in FAMILIES if name.endswith(family)), None)


def _with_new_places(value: Any, new_places: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _with_new_places(member, new_places) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_new_places(member, new_places) for member in value]
    if isinstance(value, str):
        return new_places.get(value, value)
    return value


# §§§ service.api.contract.openapi.document
# Long examples that stand in more than one place, such as a record, made components.


LONG = 350  # characters


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
    components = dict(repeated.values())
    assert len(components) == len(names), "two shared examples have one name"
    replaced: dict[str, Json] = _with_example_references(bodies, names)
    return replaced, components


def _long_examples(value: Any) -> Iterator[tuple[str, Json]]:
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


def _with_example_references(value: Any, names: dict[str, str]) -> Any:
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


# §§§ service.api.contract.openapi.document


def document(app: Flask) -> Json:
    """Return the contract of everything that is mounted on the application."""
    with app.app_context():
        spec = _empty_document()
        add_components(spec)
        add_paths(spec, app)
        return _tidy(spec.to_dict())


def _empty_document() -> APISpec:
    marshmallow = MarshmallowPlugin(schema_name_resolver=component_name)
    spec = APISpec(
        title="Giornale",
        version=version("giornale"),
        openapi_version="3.1.0",
        plugins=[marshmallow],
        info={"description": ABOUT, "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[{"url": links.home()}],
        security=[],
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
    )

    assert marshmallow.converter is not None
    marshmallow.converter.add_attribute_function(reference)  # type: ignore[no-untyped-call]
    return spec


def _tidy(spec: Mapping[str, Any]) -> Json:
    """Name what is shared and sort what has no order of its own.

    So the file changes only when the contract does.
    """
    schemas = name_enums(told_apart(spec["components"]["schemas"]))
    bodies = {
        "paths": dict(sorted(spec["paths"].items())),
        "responses": spec["components"]["responses"],
    }
    bodies, examples = shared_examples(bodies)

    parts = {
        **spec["components"],
        "responses": bodies["responses"],
        "schemas": schemas,
        "examples": examples,
    }
    components = {kind: dict(sorted(by_name.items())) for kind, by_name in sorted(parts.items())}
    return {"openapi": spec["openapi"], **spec, "paths": bodies["paths"], "components": components}


# §§§ service.api.contract.openapi.document
# The contract in short, for programs that read it and have little room.


_LEFT_OUT = frozenset({"description", "summary", "example", "examples", "links"})

# What stands under these keys is named by its own keys, which all stay.
_NAMES_FOLLOW = frozenset(
    {"properties", "schemas", "responses", "headers", "parameters", "links", "mapping"}
)


def shortened(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document without examples, descriptions and links.

    It says the same about every request and answer. The description of a response stays as "",
    because OpenAPI demands one.
    """
    short: dict[str, Any] = _without_texts(document, keys_are_names=False)
    short["info"]["description"] = "The contract in short; /openapi.json is the whole of it."
    return short


def _without_texts(value: Any, *, keys_are_names: bool) -> Any:
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


def _is_response(value: dict[str, Any]) -> bool:
    """Return whether an object is an answer: only there a description stands beside these."""
    if not isinstance(value.get("description"), str):
        return False
    return "content" in value or "headers" in value or list(value) == ["description"]
