"""openapi.yaml: made from the operations and the types of what is sent and answered."""

from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import orjson
from flask import Flask

from service.api import links
from service.api.contract.openapi.components import components
from service.api.contract.openapi.paths import paths_of
from service.api.contract.openapi.texts import ABOUT, TAGS
from service.api.contract.schemas.json_types import Json


def document(app: Flask) -> Json:
    """Return the contract of everything that is mounted on the application.

    What has no order of its own is sorted, so the file changes only when the contract does.
    """
    with app.app_context():
        paths, responses = paths_of(app)
        bodies, examples = shared_examples(
            {"paths": dict(sorted(paths.items())), "responses": responses}
        )
        parts = {**components(), "responses": bodies["responses"], "examples": examples}
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


# ---- the contract in short -----------------------------------------------------------------

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
