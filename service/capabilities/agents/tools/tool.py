"""A tool: a function of an agent, with its arguments, its answer and its text.

The arguments are a Schema, as those of every body. The answer is a TypedDict, as every answer. The
docstring of the function is the text for the agent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import Schema

from domain import json_types as domain_types
from domain.json_types import Json, JsonMapping
from service.api.contract import json_types
from service.api.contract.components import sent_schemas
from service.api.contract.operations import load
from service.api.http.context import shown_token, state


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    takes: schema of the arguments.
    run: the function, called with the arguments by keyword, without the token.
    changes: True if it changes a match. The others only read.
    """

    name: str
    title: str
    takes: Schema
    run: Callable[..., JsonMapping]
    changes: bool

    @property
    def text(self) -> str:
        """The text for the agent."""
        return " ".join((self.run.__doc__ or "").split())

    def call(self, arguments: Json) -> JsonMapping:
        """Return the answer. Raises Invalid for wrong arguments, and the refusals of the use case.

        A token among the arguments counts as if Authorization held it, and in its place.
        """
        request_state = state()
        request_state.operation += f".{self.name}"
        given = load(self.takes, arguments)
        request_state.match = given.get("match", "")
        token = given.pop("token", "")
        if token:
            request_state.token = shown_token(f"Bearer {token}")
        return self.run(**given)

    def described(self, components: Mapping[str, Json]) -> Json:
        """Return the tool as the protocol lists it.

        components: those of the contract, which arguments and answers may refer to.
        """
        takes = type(self.takes)
        [sent] = sent_schemas([takes]).values()
        answered = domain_types.returned(self.run)
        by_name = {**components, **json_types.components_of("", answered)}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.text,
            "inputSchema": json_types.self_contained(sent, by_name),
            "outputSchema": json_types.self_contained(
                json_types.object_schema("", answered), by_name
            ),
            "annotations": {
                "title": self.title,
                "readOnlyHint": not self.changes,
                "destructiveHint": False,  # all that happens is added to a history
                "idempotentHint": not self.changes,
                "openWorldHint": False,
            },
        }


Run = Callable[..., Any]


def tool(
    name: str, title: str, takes: type[Schema], *, changes: bool = False
) -> Callable[[Run], Tool]:
    """Return a decorator that makes a tool of a function."""

    def make(run: Run) -> Tool:
        return Tool(name, title, takes(), run, changes)

    return make
