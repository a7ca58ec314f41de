"""Long examples that stand in more than one place, such as a record, made components."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import orjson

Json = dict[str, Any]
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
    replaced: dict[str, Json] = _with_references(bodies, names)
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


def _with_references(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_with_references(member, names) for member in value]
    if not isinstance(value, dict):
        return value

    replaced = {}
    for key, member in value.items():
        if key == "examples":
            replaced[key] = {
                name: _reference(names[_text(example)]) if _text(example) in names else example
                for name, example in member.items()
            }
        else:
            replaced[key] = _with_references(member, names)
    return replaced


def _reference(name: str) -> Json:
    return {"$ref": f"#/components/examples/{name}"}
