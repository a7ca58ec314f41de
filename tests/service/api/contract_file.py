"""openapi.yaml as it should be: the contract of a quiet application, written for people to read."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import yaml
from flask import Flask

from service.api.app import open_services
from service.api.contract import document as openapi
from service.api.http.limits import RateLimits
from service.app import create_app
from service.base.config import Config
from service.matches.context import Context
from service.store.journal.memory import memory_journal

CONTRACT = Path(__file__).parents[3] / "openapi.yaml"
START = 1_772_388_000_000  # 2026-03-01T18:00:00Z
TICK = 1000  # milliseconds from one look at the clock to the next

SHORT = 118  # characters of JSON that are written on one line
WIDTH = 120


def quiet_app(**changed: Any) -> Flask:
    """Return the application over a journal in memory; everything happens alike in it each time.

    changed: services that are others.
    """
    settings = {
        "GIORNALE_JOURNAL_URL": "redis://127.0.0.1:1",
        "GIORNALE_SECRET": "x" * 32,
    }
    config = Config.load(settings)
    services = open_services(config)

    ticks: Iterator[int] = count(START, TICK)
    ctx = Context(
        journal=memory_journal(),
        secret=b"s" * 32,
        clock=lambda: next(ticks),
        enqueue=lambda *_: None,
        allow_seed=True,
    )

    # Limits are counted in Redis, which this application does not have.
    no_limits = RateLimits(services.queues, of_a_caller=0, of_an_address=0)
    own: dict[str, Any] = {"ctx": ctx, "rate_limits": no_limits, "openings": None}
    return create_app(config, replace(services, **(own | changed)))


def contract() -> str:
    """Return openapi.yaml as it should be."""
    document = openapi.document(quiet_app())
    plain_document = orjson.loads(orjson.dumps(document))
    return yaml.dump(
        _with_examples_marked(plain_document),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=WIDTH,
    )


class _Example(dict[str, Any]):
    """An example of a body."""


def _with_examples_marked(value: Any) -> Any:
    """Return a part of the contract with the examples in it as values of their own type."""
    if isinstance(value, list):
        return [_with_examples_marked(member) for member in value]
    if not isinstance(value, dict):
        return value

    marked = {key: _with_examples_marked(member) for key, member in value.items()}
    if "examples" in marked:
        named = marked["examples"]
        marked["examples"] = {name: _Example(example) for name, example in named.items()}
    return marked


class _Dumper(yaml.SafeDumper):
    """Writes paragraphs as they are, and what is short on one line, whatever is in it.

    Examples are written in lines that are filled, as JSON is, since deep ones are mostly indents.
    """

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """Return a text with line feeds as a literal block."""
        style = "|" if "\n" in text else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    def represent_values(self, values: list[Any]) -> yaml.SequenceNode:
        """Return a short list, or one of plain values, as a line, any other as a block."""
        on_one_line = _is_short(values) or all(map(_is_plain, values))
        return self.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=on_one_line)

    def represent_members(self, members: dict[str, Any]) -> yaml.MappingNode:
        """Return a short object as a line, any other as a block."""
        on_one_line = _is_short(members)
        return self.represent_mapping("tag:yaml.org,2002:map", members, flow_style=on_one_line)

    def represent_example(self, example: _Example) -> yaml.MappingNode:
        """Return an example as filled lines, one with paragraphs as a block."""
        has_paragraphs = rb"\n" in orjson.dumps(example)
        return self.represent_mapping(
            "tag:yaml.org,2002:map", example, flow_style=not has_paragraphs
        )


def _is_short(value: Any) -> bool:
    """Return whether a value takes a line at most, and no text in it several."""
    written = orjson.dumps(value)
    return len(written) < SHORT and rb"\n" not in written


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list) and "\n" not in str(value)


_Dumper.add_representer(str, _Dumper.represent_text)
_Dumper.add_representer(list, _Dumper.represent_values)
_Dumper.add_representer(dict, _Dumper.represent_members)
_Dumper.add_representer(_Example, _Dumper.represent_example)
