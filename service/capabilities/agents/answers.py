"""The answer to a message of an agent."""

from typing import Annotated, Literal, NotRequired, TypedDict

from domain.json_types import Json


class McpError(TypedDict):
    """Reason for a message without a result (JSON-RPC 2.0)."""

    code: Annotated[int, "The reason, for programs."]
    message: Annotated[str, "The reason in words."]
    data: NotRequired[Annotated[Json, "More about it."]]


class McpAnswer(TypedDict):
    """The answer to a message of the Model Context Protocol: a result or an error."""

    jsonrpc: Annotated[Literal["2.0"], "The version of JSON-RPC."]
    id: Annotated[str | int | None, "The id of the message. Null if it cannot be read."]
    result: NotRequired[Annotated[Json, "Result of the method."]]
    error: NotRequired[Annotated[McpError, "The error, if there is no result."]]
