"""The answers that many operations share, written once under components/responses.

A problem answer holds all kinds of problems of one status that an operation may answer with.
Operations with the same kinds share one component, which is named after them, such as `NotFound`
or `IllegalMoveOrBusy`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from service.api import links
from service.api.contract import examples
from service.api.contract.openapi.texts import OF_STATUS
from service.api.contract.schemas.base import camel
from service.api.problems.kinds import KINDS, Kind
from service.api.problems.mapping import PROBLEM

Json = dict[str, Any]
UNCHANGED = "NotModified"

# Kinds are sorted by this, so that the same kinds always make the same component.
_ORDER = list(KINDS.values())


def headers(names: Iterable[str]) -> Json:
    """Return the headers of an answer, each as a reference to its component."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


class SharedResponses:
    """The components that operations have asked for so far, by name."""

    def __init__(self) -> None:
        self.made: dict[str, Json] = {}

    def problems(self, kinds: Sequence[Kind]) -> dict[int, Json]:
        """Return a reference to the answer of each status that the kinds have."""
        by_status: dict[int, list[Kind]] = {}
        for kind in sorted(kinds, key=_ORDER.index):
            by_status.setdefault(kind.status, []).append(kind)
        return {status: self._problem(status, same) for status, same in by_status.items()}

    def unchanged(self, description: str) -> Json:
        """Return a reference to the answer that the caller has everything already."""
        names = ("ETag", "Cache-Control", "Vary")
        return self._kept(UNCHANGED, {"description": description, "headers": headers(names)})

    def _problem(self, status: int, kinds: Sequence[Kind]) -> Json:
        name = "Or".join(camel(kind.name) for kind in kinds)
        return self._kept(name, problem_response(status, kinds))

    def _kept(self, name: str, response: Json) -> Json:
        self.made[name] = response
        return {"$ref": f"#/components/responses/{name}"}


def problem_response(status: int, kinds: Sequence[Kind]) -> Json:
    """Return the answer that is one of some kinds of problems, with one example."""
    sentences = [f"{kind.title} (`{links.problem(kind.name)}`)." for kind in kinds]
    response: Json = {"description": " ".join(sentences)}

    header_names = OF_STATUS.get(status, ())
    if header_names:
        response["headers"] = headers(header_names)

    shown = kinds[0]
    content = {
        "schema": {"$ref": "#/components/schemas/Problem"},
        "examples": {shown.name: {"value": examples.problem(shown)}},
    }
    response["content"] = {PROBLEM: content}
    return response
