"""YAML of the contract, for people to read."""

from typing import Any

import orjson
import yaml

from domain.json_types import Json

try:
    from yaml import CSafeDumper as SafeDumper
except ImportError:  # PyYAML without libyaml: the same text, but slower
    from yaml import SafeDumper  # type: ignore[assignment]

_SHORT = 118  # characters of JSON on one line
_WIDTH = 120


def yaml_text(document: Json) -> str:
    """Return a document of the contract as YAML."""
    plain_document = orjson.loads(orjson.dumps(document))
    text: str = yaml.dump(
        _with_examples_marked(plain_document),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=_WIDTH,
    )
    return text


class _Example(dict[str, Any]):
    """An example of a body."""


def _with_examples_marked(value: Any) -> Any:
    """Return a part of the contract, with its examples marked as _Example."""
    if isinstance(value, list):
        return [_with_examples_marked(member) for member in value]
    if not isinstance(value, dict):
        return value

    marked = {key: _with_examples_marked(member) for key, member in value.items()}
    if "examples" in marked:
        examples = marked["examples"]
        marked["examples"] = {name: _Example(example) for name, example in examples.items()}
    return marked


class _Dumper(SafeDumper):
    """Writes texts of several lines as literal blocks, and short values on one line.

    Examples are written on full lines, like JSON, since deep blocks would be mostly indents.
    """

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """Return a text with line feeds as a literal block."""
        style = "|" if "\n" in text else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    def represent_values(self, values: list[Any]) -> yaml.SequenceNode:
        """Return a short list, or a list of plain values, in brackets. Other lists are blocks."""
        on_one_line = _is_short(values) or all(map(_is_plain, values))
        return self.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=on_one_line)

    def represent_members(self, members: dict[str, Any]) -> yaml.MappingNode:
        """Return a short object on one line. Other objects are blocks."""
        on_one_line = _is_short(members)
        return self.represent_mapping("tag:yaml.org,2002:map", members, flow_style=on_one_line)

    def represent_example(self, example: _Example) -> yaml.MappingNode:
        """Return an example as filled lines. An example with line feeds is a block."""
        has_paragraphs = rb"\n" in orjson.dumps(example)
        return self.represent_mapping(
            "tag:yaml.org,2002:map", example, flow_style=not has_paragraphs
        )


def _is_short(value: Any) -> bool:
    """Return True if a value fits on one line and holds no text of several lines."""
    written = orjson.dumps(value)
    return len(written) < _SHORT and rb"\n" not in written


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list) and "\n" not in str(value)


_Dumper.add_representer(str, _Dumper.represent_text)
_Dumper.add_representer(list, _Dumper.represent_values)
_Dumper.add_representer(dict, _Dumper.represent_members)
_Dumper.add_representer(_Example, _Dumper.represent_example)
