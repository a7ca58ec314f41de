"""The Model Context Protocol: agents play by the tools of `service.api.routes.tools`.

One address takes one JSON-RPC message at a time and answers in plain JSON. Nothing is kept from one
message to the next. Two forms of the protocol are spoken. In that of 2026-07-28 each message says
by which version it is meant, and headers repeat what it asks for, for those on the way who do not
read bodies. In the older ones a client begins with `initialize`; no session follows from it.

What is wrong with a message is a JSON-RPC error. What a match or its rules refuse is the answer of
the tool, marked as an error, so that the model reads it and does better.
"""

import base64
from collections.abc import Callable, Mapping
from importlib.metadata import version as version_of

import orjson
from flask import Blueprint, Response, request

from domain.json_types import Json
from service import answers
from service.api import links, problems
from service.api.contract.operations import Answer, operation
from service.api.contract.schemas import McpMessageSchema
from service.api.error_handlers import REFUSALS, problem_of
from service.api.http.context import state
from service.api.http.requests import accepted
from service.api.http.responses import JSON, answer, nothing
from service.api.routes import tools
from service.errors import Invalid, Malformed, echoed

mcp = Blueprint("mcp", __name__)

STATELESS = "2026-07-28"
WITH_HANDSHAKE = ("2025-11-25", "2025-06-18")
VERSIONS = (STATELESS, *WITH_HANDSHAKE)

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

# Members of `_meta`.
_VERSION = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"

_VERSION_HEADER = "MCP-Protocol-Version"
_METHOD_HEADER = "Mcp-Method"
_NAME_HEADER = "Mcp-Name"
_ENCODED = ("=?base64?", "?=")  # around a header's value that is no plain ASCII

_KEPT_MS = 300_000  # so long clients need not ask again what there is
_NEVER_STORED = {"Cache-Control": "no-store"}

_SERVER = {"name": "giornale", "title": "Giornale", "version": version_of("giornale")}
_CAPABLE_OF: Json = {"tools": {}}


class ProtocolError(Exception):
    """A message that cannot be answered; `status`: that of HTTP."""

    def __init__(
        self, code: int, message: str, data: Json | None = None, status: int = 400
    ) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.status = status


@mcp.post(links.MCP)
@operation(
    "callTool",
    "Play as an agent",
    tag="play",
    body=McpMessageSchema,
    answers={
        200: Answer("The result, or a JSON-RPC error.", answers.McpAnswer),
        202: Answer("A notification was taken."),
        400: Answer("A JSON-RPC error.", answers.McpAnswer),
        404: Answer("A JSON-RPC error: there is no such method.", answers.McpAnswer),
    },
    problems=(problems.NOT_ACCEPTABLE,),
)
def call_tool(data: Json) -> Response:
    """Take one message of the Model Context Protocol (2026-07-28, and 2025-11-25 or 2025-06-18 with
    `initialize`), without sessions and streams.

    `tools/list` names the tools. A tool takes a token of the match in Authorization or as an
    argument. What is refused is a result with `isError`, whose text is the problem.
    """
    accepted(JSON)
    if "id" not in data:
        return nothing(202)
    try:
        result = _answered(data)
    except ProtocolError as error:
        return _error(error, data["id"])
    return answer({"jsonrpc": "2.0", "id": data["id"], "result": result}, headers=_NEVER_STORED)


def _answered(message: Json) -> Json:
    """Return the result of a request; raises ProtocolError."""
    method: str = message["method"]
    params: Json = message["params"]
    is_stateless = _version_of(method, params) == STATELESS

    methods = _STATELESS_METHODS if is_stateless else _METHODS
    if method not in methods:
        # With sessions, 404 would say that the session is over.
        status = 404 if is_stateless else 200
        raise ProtocolError(METHOD_NOT_FOUND, f"no method {echoed(method)}", status=status)
    result = methods[method](params)
    if not is_stateless:
        return result
    return {"resultType": "complete", "_meta": {_SERVER_INFO: _SERVER}, **result}


# ---- versions, and what headers repeat -----------------------------------------------------


def _version_of(method: str, params: Json) -> str:
    """Return by which version of the protocol a request is meant.

    Raises ProtocolError for a version that is not spoken, and where headers say something else than
    the message.
    """
    meta = params.get("_meta")
    in_message = meta.get(_VERSION) if isinstance(meta, dict) else None
    if method == "initialize" and in_message is None:
        return WITH_HANDSHAKE[0]

    in_header = request.headers.get(_VERSION_HEADER)
    if in_header is None or in_message not in (None, in_header):
        raise _mismatch(_VERSION_HEADER, f"one of {', '.join(VERSIONS)}, as in the message")
    if in_header not in VERSIONS:
        detail = {"supported": list(VERSIONS), "requested": echoed(in_header)}
        raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", detail)
    if in_header == STATELESS:
        _check_stateless(method, params, meta)
    return in_header


def _check_stateless(method: str, params: Json, meta: object) -> None:
    """Check that a request says all that there is no handshake for, and its headers the same."""
    missing = [name for name in (_VERSION, _CAPABILITIES) if name not in _members(meta)]
    if missing:
        raise ProtocolError(INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}")

    if request.headers.get(_METHOD_HEADER) != method:
        raise _mismatch(_METHOD_HEADER, "the method of the message")
    name = params.get("name")
    if method == "tools/call" and _decoded(request.headers.get(_NAME_HEADER, "")) != name:
        raise _mismatch(_NAME_HEADER, "the name of the tool")


def _members(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _mismatch(header: str, expected: str) -> ProtocolError:
    return ProtocolError(HEADER_MISMATCH, f"the header {header} must be {expected}")


def _decoded(value: str) -> str | None:
    """Return what a header says, whose value may be encoded; None where it is encoded wrongly."""
    begin, end = _ENCODED
    if not (value.startswith(begin) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(begin) : -len(end)], validate=True).decode()
    except ValueError:
        return None


# ---- methods -------------------------------------------------------------------------------


def _discover(_params: Json) -> Json:
    """Say what is spoken here."""
    return {
        "supportedVersions": list(VERSIONS),
        "capabilities": _CAPABLE_OF,
        "instructions": tools.INSTRUCTIONS,
        "ttlMs": _KEPT_MS,
        "cacheScope": "public",
    }


def _initialize(params: Json) -> Json:
    """Agree on a version: the client's own, if it is spoken here."""
    wanted = params.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in WITH_HANDSHAKE else WITH_HANDSHAKE[0],
        "capabilities": _CAPABLE_OF,
        "serverInfo": _SERVER,
        "instructions": tools.INSTRUCTIONS,
    }


def _ping(_params: Json) -> Json:
    return {}


def _list_tools(params: Json) -> Json:
    """List all tools; there is one page."""
    if params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, "there is no such page; all tools are on the first")
    return {"tools": tools.listed()}


def _list_tools_kept(params: Json) -> Json:
    return {**_list_tools(params), "ttlMs": _KEPT_MS, "cacheScope": "public"}


def _call(params: Json) -> Json:
    """Let a tool answer; what it refuses is its answer, too."""
    name = params.get("name")
    tool = tools.TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        raise ProtocolError(INVALID_PARAMS, f"no such tool; there are {', '.join(tools.TOOLS)}")
    arguments = params.get("arguments", {})
    if not isinstance(arguments, dict):
        raise ProtocolError(INVALID_PARAMS, "params.arguments must be an object")

    try:
        value = tool.call(arguments)
    except REFUSALS as error:
        return _refused(error)
    return {"content": [_text(orjson.dumps(value))], "structuredContent": value, "isError": False}


def _refused(error: Exception) -> Json:
    """Return a refusal as a tool answers it: the problem that any other client would be sent."""
    response = problem_of(error)
    problem = orjson.loads(response.get_data())
    if "Retry-After" in response.headers:
        problem["retry_after"] = int(response.headers["Retry-After"])
    state().problem_status = response.status_code
    return {"content": [_text(orjson.dumps(problem))], "isError": True}


def _text(text: bytes) -> Json:
    return {"type": "text", "text": text.decode()}


Method = Callable[[Json], Json]

_METHODS: Mapping[str, Method] = {
    "initialize": _initialize,
    "ping": _ping,
    "tools/list": _list_tools,
    "tools/call": _call,
}
_STATELESS_METHODS: Mapping[str, Method] = {
    "server/discover": _discover,
    "tools/list": _list_tools_kept,
    "tools/call": _call,
}


# ---- errors of the protocol ----------------------------------------------------------------


def _error(error: ProtocolError, message_id: str | int | None = None) -> Response:
    """Return an error as JSON-RPC has it."""
    members: Json = {"code": error.code, "message": str(error)}
    if error.data is not None:
        members["data"] = error.data
    value = {"jsonrpc": "2.0", "id": message_id, "error": members}
    return answer(value, error.status, _NEVER_STORED)


@mcp.errorhandler(Malformed)
def _not_json(error: Malformed) -> Response:
    return _error(ProtocolError(PARSE_ERROR, str(error)))


@mcp.errorhandler(Invalid)
def _no_message(error: Invalid) -> Response:
    """Answer what is JSON and no message, such as several in a list."""
    if any(place.parameter for place in error.places):
        return problem_of(error)
    return _error(ProtocolError(INVALID_REQUEST, str(error)))
