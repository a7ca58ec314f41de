"""The contract in short, for programs that read it and have little room."""

from typing import Any

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
