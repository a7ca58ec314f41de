"""The examples of the contract: real requests and answers.

tests/service/api/recording.py records them.
"""

import json
from functools import cache
from pathlib import Path

from domain.json_types import Json
from service.api import links
from service.api.problems import Kind

FILE = Path(__file__).parents[1] / "examples.json"


@cache
def recorded() -> dict[str, Json]:
    """Return the examples by operation, part and name."""
    examples: dict[str, Json] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return examples


def of(operation: str, part: str) -> Json:
    """Return the examples of a part of an operation: of its request, or of an answer.

    part: "request", or the status or the media type of the answer.
    """
    by_name = recorded().get(operation, {}).get(part, {})
    return {name: {"value": links.mounted(value)} for name, value in by_name.items()}


def problem(kind: Kind) -> Json:
    """Return an example of a kind of problem."""
    plain = {
        "type": links.problem(kind.name),
        "title": kind.title,
        "status": kind.status,
        "detail": kind.text,
    }
    example = recorded().get("problems", {}).get(kind.name)
    result: Json = plain if example is None else links.mounted(example)
    return result
