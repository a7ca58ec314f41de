"""Choices that stand in many schemas, made components of their own with a name.

A generator then makes one type of a choice, such as `CalimalaColour`, and not one for each field that holds it.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from domain.wire import Named
from service.api.contract.schemas.messages import camel
from service.journal.port import STATUSES
from service.matches.opening import LEVELS

Json = dict[str, Any]
Words = tuple[str, ...]

SERVICE: dict[Words, tuple[str, str]] = {
    STATUSES: ("MatchStatus", "Where a match stands."),
    LEVELS: ("BotLevel", "How a bot chooses its moves."),
    ("public", "private"): (
        "Visibility",
        "Who may see a match: anybody, or the bearers of its tokens.",
    ),
    ("human", "bot", "open"): ("SeatKind", "Who holds a seat."),
}


def name_enums(schemas: dict[str, Json]) -> dict[str, Json]:
    """Return the schemas with every known choice that stands in more than one place replaced by a reference."""
    known = _known()
    for name, schema in schemas.items():
        if _words(schema):
            known[_words(schema)] = (name, schema.get("description", ""))
    uses = Counter(words for words in _enums(schemas) if words in known)
    shared = {words: known[words] for words, count in uses.items() if count > 1}
    replaced: dict[str, Json] = {}
    for name, schema in schemas.items():
        replaced[name] = schema if _words(schema) else _replaced(schema, shared)
    for words, (name, description) in shared.items():
        named = {"type": "string", "enum": list(words), "description": description}
        assert replaced.setdefault(name, named)["enum"] == list(words), (
            f"two choices are called {name}"
        )
    return replaced


def _known() -> dict[Words, tuple[str, str]]:
    """Return name and description of every choice that has one: the service's own, and the games' enumerations."""
    known = dict(SERVICE)
    for cls in _enumerations(Named):
        words = tuple(member.wire for member in cls)
        game = cls.__module__.split(".")[1]
        text = " ".join((cls.__doc__ or "").split())
        known.setdefault(words, (f"{camel(game)}{cls.__name__}", text))
    return known


def _enumerations(base: type[Named]) -> Iterator[type[Named]]:
    for cls in base.__subclasses__():
        yield cls
        yield from _enumerations(cls)


def _words(schema: Any) -> Words:
    """Return the choices of a schema that is a choice of more than one word, "null" left out; () for any other."""
    if not isinstance(schema, dict) or not isinstance(schema.get("enum"), list):
        return ()
    words = tuple(word for word in schema["enum"] if isinstance(word, str))
    return words if len(words) > 1 else ()


def _enums(value: Any) -> Iterator[Words]:
    if words := _words(value):
        yield words
        return
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        yield from _enums(one)


def _replaced(value: Any, shared: dict[Words, tuple[str, str]]) -> Any:
    words = _words(value)
    if words in shared:
        return _reference(value, shared[words][0])
    if isinstance(value, dict):
        return {name: _replaced(inner, shared) for name, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, shared) for inner in value]
    return value


def _reference(schema: Json, name: str) -> Json:
    """Return a reference in place of a choice, with what else its schema says; it may be null if the choice may."""
    said = {key: inner for key, inner in schema.items() if key in ("description", "default")}
    target = {"$ref": f"#/components/schemas/{name}"}
    nullable = None in schema["enum"] or "null" in schema.get("type", ())
    if nullable:
        return {"anyOf": [target, {"type": "null"}], **said}
    return {**target, **said}
