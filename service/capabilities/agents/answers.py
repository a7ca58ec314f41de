"""The answer to a message of an agent."""

from typing import Annotated, Literal, NotRequired, TypedDict

from domain.json_types import Json


class McpError(TypedDict):
    """Why a message has no result (JSON-RPC 2.0)."""

    code: Annotated[int, "What is wrong, for programs."]
    message: Annotated[str, "What is wrong."]
    data: NotRequired[Annotated[Json, "More about it."]]


class McpAnswer(TypedDict):
    """The answer to a message of the Model Context Protocol: a result or an error."""

    jsonrpc: Annotated[Literal["2.0"], "The version of JSON-RPC."]
    id: Annotated[str | int | None, "The id of the message; null where it cannot be read."]
    result: NotRequired[Annotated[Json, "What the method answers."]]
    error: NotRequired[Annotated[McpError, "Why it does not."]]
