"""A tool: a function for agents, with its arguments, its answer and its text.

A Schema describes the arguments, and a TypedDict the answer. The docstring of the function is the
text for the agent.
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
from service.base.errors import Invalid, Mistake, pointer


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    takes: schema of the arguments.
    run: the function, called with the arguments by keyword, without the token.
    changes: True if the tool changes a match.
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

        A token among the arguments takes the place of the token in Authorization.
        """
        request_state = state()
        request_state.operation += f".{self.name}"
        values = load(self.takes, arguments)
        request_state.match = values.get("match", "")
        token = values.pop("token", "")
        if token:
            request_state.token = shown_token(f"Bearer {token}")
        try:
            return self.run(**values)
        except Invalid as error:
            raise Invalid(*map(_in_arguments, error.places), more=error.more) from None

    def described(self, components: Mapping[str, Json]) -> Json:
        """Return the tool in the form of the protocol.

        components: components of the contract. Arguments and answers may refer to them.
        """
        takes = type(self.takes)
        [schema] = sent_schemas([takes]).values()
        answered = domain_types.returned(self.run)
        by_name = {**components, **json_types.components_of("", answered)}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.text,
            "inputSchema": json_types.self_contained(schema, by_name),
            "outputSchema": json_types.self_contained(
                json_types.object_schema("", answered), by_name
            ),
            "annotations": {
                "title": self.title,
                "readOnlyHint": not self.changes,
                "destructiveHint": False,  # tools only add to a history
                "idempotentHint": not self.changes,
                "openWorldHint": False,
            },
        }


def _in_arguments(place: Mistake) -> Mistake:
    """Return a mistake. A mistake in an HTTP parameter becomes one in the argument of the tool."""
    if not place.parameter:
        return place
    return Mistake(pointer((place.parameter.lower().replace("-", "_"),)), place.detail)


Run = Callable[..., Any]


def tool(
    name: str, title: str, takes: type[Schema], *, changes: bool = False
) -> Callable[[Run], Tool]:
    """Return a decorator that makes a tool of a function."""

    def make(run: Run) -> Tool:
        return Tool(name, title, takes(), run, changes)

    return make
