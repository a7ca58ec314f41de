"""Long examples that stand in more than one place, such as a record, made components."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
LONG = 1000  # characters


def shared_examples(paths: dict[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return the paths with references to repeated examples, and these examples by name."""
    uses = Counter(text for _, text in _long_examples(paths))
    names = {text: name.title() for name, text in _long_examples(paths) if uses[text] > 1}

    replaced: dict[str, Json] = _with_references(paths, names)
    components = {name: {"value": text} for text, name in names.items()}
    return replaced, components


def _long_examples(value: Any) -> Iterator[tuple[str, str]]:
    """Yield name and text of every long example."""
    if isinstance(value, dict):
        for name, member in value.items():
            if _is_long(member):
                yield name, member["value"]
            else:
                yield from _long_examples(member)
    elif isinstance(value, list):
        for member in value:
            yield from _long_examples(member)


def _is_long(value: Any) -> bool:
    text = value.get("value") if isinstance(value, dict) else None
    return isinstance(text, str) and len(text) > LONG


def _with_references(value: Any, names: dict[str, str]) -> Any:
    if _is_long(value) and value["value"] in names:
        return {"$ref": f"#/components/examples/{names[value['value']]}"}
    if isinstance(value, dict):
        return {name: _with_references(member, names) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_references(member, names) for member in value]
    return value
