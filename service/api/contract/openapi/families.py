"""Names that tell moves from recorded commands: the same words in the rules, two shapes in the contract.

A move is posted: whole, and without a seat, which the token tells. A command is read in a commit: with its
seat, and without what the reader may not see. So a schema of each is needed, and its name ends accordingly.
"""

from typing import Any

Json = dict[str, Any]

FAMILIES = {
    "Move": "As it is posted: whole, and without a seat, which the token tells.",
    "Command": "As it was recorded in a commit: with its seat, and without what the reader may not see.",
}
_PLACE = "#/components/schemas/"


def told_apart(schemas: dict[str, Json]) -> dict[str, Json]:
    """Return the schemas with `Move` or `Command` at the end of the name of each member of such a union."""
    renamed: dict[str, str] = {}
    described: dict[str, Json] = {}
    for name, schema in schemas.items():
        described[name] = schema
        family = next((end for end in FAMILIES if name.endswith(end)), None)
        if family is not None and "discriminator" in schema:
            for target in schema["discriminator"]["mapping"].values():
                renamed[target] = f"{target}{family}"
            text = f"{schema['description']} {FAMILIES[family]}"
            described[name] = {**schema, "description": text}
    return {
        renamed.get(f"{_PLACE}{name}", f"{_PLACE}{name}").removeprefix(_PLACE): _renamed(
            schema, renamed
        )
        for name, schema in described.items()
    }


def _renamed(value: Any, renamed: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _renamed(inner, renamed) for name, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, renamed) for inner in value]
    return renamed.get(value, value) if isinstance(value, str) else value
