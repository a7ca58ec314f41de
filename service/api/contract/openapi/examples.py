"""Long examples that stand in more than one place, such as a record, made components."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
LONG = 1000  # characters


def shared_examples(paths: dict[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return the paths with references to what stands in them more than once, and that by name."""
    uses = Counter(text for _, text in _long(paths))
    named = {text: name.title() for name, text in _long(paths) if uses[text] > 1}
    replaced: dict[str, Json] = _replaced(paths, named)
    return replaced, {name: {"value": text} for text, name in named.items()}


def _long(value: Any) -> Iterator[tuple[str, str]]:
    """Yield name and text of every long example."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if _is_long(inner):
                yield name, inner["value"]
            else:
                yield from _long(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _long(inner)


def _is_long(value: Any) -> bool:
    text = value.get("value") if isinstance(value, dict) else None
    return isinstance(text, str) and len(text) > LONG


def _replaced(value: Any, named: dict[str, str]) -> Any:
    if _is_long(value) and value["value"] in named:
        return {"$ref": f"#/components/examples/{named[value['value']]}"}
    if isinstance(value, dict):
        return {name: _replaced(inner, named) for name, inner in value.items()}
    return [_replaced(inner, named) for inner in value] if isinstance(value, list) else value
