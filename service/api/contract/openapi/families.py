"""Names that tell moves from recorded commands: the same words in the rules, two shapes here.

A move is posted: whole, and without a seat, which the token tells. A command is read in a commit:
with its seat, and without what the reader may not see. So a schema of each is needed, and its name
ends accordingly.
"""

from typing import Any

Json = dict[str, Any]

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
