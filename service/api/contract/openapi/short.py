"""The contract in short: without examples and descriptions, for programs that read it and have little room."""

from typing import Any

_NAMES_FOLLOW = frozenset(
    {"properties", "schemas", "responses", "headers", "parameters", "links", "mapping"}
)
_LEFT_OUT = frozenset({"description", "summary", "example", "examples", "links"})


def shortened(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document without examples, descriptions and links; it says the same about every request and answer.

    The description of a response stays as "", because OpenAPI demands it.
    """
    short: dict[str, Any] = _without(document, names=False)
    short["info"]["description"] = "The contract in short; /openapi.json is the whole of it."
    return short


def _without(value: Any, *, names: bool) -> Any:
    """Return a value without what is left out; names: the keys are names of things and all stay."""
    if isinstance(value, list):
        return [_without(inner, names=False) for inner in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, inner in value.items():
        if names or key not in _LEFT_OUT:
            kept[key] = _without(inner, names=not names and key in _NAMES_FOLLOW)
    if not names and _is_response(value):
        kept["description"] = ""
    return kept


def _is_response(value: dict[str, Any]) -> bool:
    """Return whether an object is an answer of an operation: only there a description stands beside these."""
    described = isinstance(value.get("description"), str)
    return described and (
        "content" in value or "headers" in value or list(value) == ["description"]
    )
