"""The service words every refusal of a body or an argument itself."""

from collections.abc import Iterator
from typing import Any

import pytest
from marshmallow import Schema
from marshmallow.fields import Dict, Field, List

from service.api.contract.fields import Strict
from service.api.contract.operations import load
from service.base.errors import Invalid
from service.capabilities.agents.tools.table import TOOLS
from tests.service.api.contract_file import quiet_app

# Values of each type of JSON. Any one field refuses most of them.
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    0.5,
    "",
    "?",
    "x" * 5000,
    [],
    [None],
    [1] * 200,
    {},
    {"?": 1},
)


def subclasses(cls: type[Schema]) -> Iterator[type[Schema]]:
    for subclass in cls.__subclasses__():
        yield subclass
        yield from subclasses(subclass)


def schemas() -> list[type[Schema]]:
    """Return the schemas of all bodies and arguments of the application."""
    quiet_app()
    return sorted(
        {cls for cls in subclasses(Schema) if cls.__module__.startswith("service.")} - {Strict},
        key=lambda cls: (cls.__module__, cls.__name__),
    )


def fields_of(schema: Schema) -> Iterator[tuple[str, Field[Any]]]:
    """Yield the fields of a schema and those inside them, with their names."""
    for name, field in schema.load_fields.items():
        yield name, field
        if isinstance(field, List):
            yield f"{name}/0", field.inner
        if isinstance(field, Dict) and field.key_field is not None:
            yield f"{name}/?", field.key_field


def sentences(field: Field[Any]) -> Iterator[str]:
    """Yield the possible refusals by a field and its checks."""
    yield from map(str, field.error_messages.values())
    for check in field.validators:
        error = getattr(check, "error", None)
        names = [name for name in dir(check) if "message" in name]
        yield from [error] if error else [str(getattr(check, name)) for name in names]


def details(schema: Schema, body: Any) -> list[str]:
    """Return the errors a schema finds in a body."""
    try:
        load(schema, body)
    except Invalid as error:
        return [place.detail for place in error.places]
    return []


def is_own(sentence: str) -> bool:
    """Return True if a sentence has our form. Marshmallow's sentences begin with a capital."""
    return sentence[0].islower() and not sentence.endswith(".")


def test_all_schemas_are_looked_at() -> None:
    classes = set(schemas())

    assert {type(tool.takes) for tool in TOOLS.values()} <= classes
    assert len(classes) > len(TOOLS) + 10
    assert all(issubclass(cls, Strict) for cls in classes)


def test_no_field_has_a_sentence_of_marshmallow() -> None:
    foreign = [
        (cls.__name__, name, sentence)
        for cls in schemas()
        for name, field in fields_of(cls())
        for sentence in sentences(field)
        if not is_own(sentence)
    ]
    assert foreign == []


@pytest.mark.parametrize("cls", schemas(), ids=lambda cls: cls.__name__)
def test_wrong_values_are_refused_in_own_sentences(cls: type[Schema]) -> None:
    schema = cls()
    bodies: list[Any] = [{"?": 1}, [], None]
    bodies += [{name: value} for name in schema.load_fields for value in VALUES]

    for body in bodies:
        assert [detail for detail in details(schema, body) if not is_own(detail)] == [], body


def test_an_unknown_field_names_the_known_ones() -> None:
    with pytest.raises(Invalid) as refused:
        load(TOOLS["wait"].takes, {"sekonds": 1, "match": "a" * 26})

    [place] = refused.value.places
    assert (place.pointer, place.detail) == (
        "/sekonds",
        "unknown field. Known fields: match, token, seconds, after",
    )
