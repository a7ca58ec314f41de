"""The Model Context Protocol: agents play by the tools of `service.capabilities.agents.tools`.

One address takes one JSON-RPC message at a time and answers in plain JSON. Nothing is stored
between messages. In the version 2026-07-28 of the protocol each message names its version, and
headers repeat parts of the message for intermediaries that do not read bodies. In the older
versions a client begins with `initialize`, and gets no session.

A wrong message gets a JSON-RPC error. A refusal by a match or its rules is a result of the tool,
marked as an error, so that the model reads it and can react. Wrong arguments are answered in the
same way.

Clients of the older versions end their session at any HTTP status from 400 on. So in these versions
a request with an id is answered with 200, even if an error follows after the request was read.
"""

import base64
import json
from collections.abc import Callable, Mapping
from importlib.metadata import version as version_of

import orjson
from flask import Blueprint, Response, current_app, request

from domain.json_types import Json
from service.api import links
from service.api.contract.operations import AnswerSpec, load, operation
from service.api.contract.parameters import BIGGEST, Parameter
from service.api.error_handlers import REFUSALS, problem_of
from service.api.http.context import Environ, check_allowance, config, contract_of, state
from service.api.http.requests import body_bytes, check_values, json_object
from service.api.http.responses import JSON, answer, nothing
from service.api.routes.pages import cacheable
from service.base.errors import Invalid, Malformed, echoed
from service.capabilities.agents.answers import McpAnswer
from service.capabilities.agents.schemas import McpMessageSchema
from service.capabilities.agents.tools.table import INSTRUCTIONS, TOOLS, listed

mcp = Blueprint("mcp", __name__)

STATELESS = "2026-07-28"
WITH_HANDSHAKE = ("2025-11-25", "2025-06-18")
VERSIONS = (STATELESS, *WITH_HANDSHAKE)

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

# Names of members of `_meta` in a message.
_VERSION = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"

_ENCODED = ("=?base64?", "?=")  # around an encoded header value

_ARGUMENTS = ("params", "arguments")  # path to a tool's arguments in a message

_CACHE_MS = 300_000  # time for which clients may cache the lists
_NEVER_STORED = {"Cache-Control": "no-store"}

_SERVER = {"name": "giornale", "title": "Giornale", "version": version_of("giornale")}
_CAPABLE_OF: Json = {"tools": {}}
_DESCRIPTION = "Play and watch board games, and check every match."


class ProtocolError(Exception):
    """A message that gets an error instead of a result.

    status: HTTP status of the answer, for protocol versions that do not demand 200.
    """

    def __init__(
        self, code: int, message: str, data: Json | None = None, status: int = 400
    ) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.status = status


class UnreadableMessage(ProtocolError):
    """A body that is no valid message.

    message_id: id in the body, None without an id.
    """

    def __init__(self, code: int, message: str, message_id: str | int | None) -> None:
        super().__init__(code, message)
        self.message_id = message_id


# ---- headers that repeat the message --------------------------------------------------------


def _repeated(name: str, text: str, example: str, **form: object) -> Parameter:
    """Return a header. The route itself reads it, so that a refusal is a JSON-RPC error."""
    schema: Json = {"type": "string", **form}
    return Parameter(name, text, str, schema, place="header", example=example)


VERSION_HEADER = _repeated(
    "MCP-Protocol-Version",
    f"Version of the protocol. Needed for {STATELESS}.",
    WITH_HANDSHAKE[0],
    enum=list(VERSIONS),
)
METHOD_HEADER = _repeated(
    "Mcp-Method", f"Method of the message. Needed for {STATELESS}.", "tools/call"
)
NAME_HEADER = _repeated("Mcp-Name", f"Name of the tool. Needed for {STATELESS}.", "rules")


# ---- messages ------------------------------------------------------------------------------

_MESSAGE = McpMessageSchema()


def read_message(environ: Environ) -> Json:
    """Return the message in a body. Raises UnreadableMessage.

    The arguments of a tool are not checked here.
    """
    body = body_bytes(environ)
    try:
        message = load(_MESSAGE, json_object(body))
        check_values(_without_arguments(message), config().max_depth)
    except Malformed as error:
        raise UnreadableMessage(PARSE_ERROR, str(error), _id_in(body)) from None
    except Invalid as error:
        raise UnreadableMessage(INVALID_REQUEST, str(error), _id_in(body)) from None
    return message


def _without_arguments(message: Json) -> Json:
    params, arguments = _ARGUMENTS
    others = {name: value for name, value in message[params].items() if name != arguments}
    return {**message, params: others}


def _id_in(body: bytes) -> str | int | None:
    """Return the id in a body that is no valid message, None without an id."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    message_id = value.get("id") if isinstance(value, dict) else None
    if type(message_id) is int and abs(message_id) <= BIGGEST:
        return message_id
    return message_id if isinstance(message_id, str) and message_id.isprintable() else None


@mcp.get("/.well-known/mcp.json")
def server_card() -> Response:
    """Answer the server card (SEP-2127, a draft). Agents find the tools of this server by it."""
    card: Json = {
        "serverInfo": _SERVER,
        "description": _DESCRIPTION,
        "transport": {"type": "streamable-http", "endpoint": links.to(links.MCP)},
        "protocolVersions": list(VERSIONS),
        "capabilities": _CAPABLE_OF,
        "authentication": {"required": False},
        "documentation": links.to("/llms.txt"),
        "tools": [{"name": one.name, "title": one.title} for one in TOOLS.values()],
    }
    return cacheable(orjson.dumps(card), JSON)


@mcp.post(links.MCP)
@operation(
    "callTool",
    "Play as an agent",
    tag="play",
    body=McpMessageSchema,
    reads=read_message,
    parameters=(VERSION_HEADER, METHOD_HEADER, NAME_HEADER),
    answers={
        200: AnswerSpec("The result, or a JSON-RPC error.", McpAnswer),
        202: AnswerSpec("The notification was accepted."),
        400: AnswerSpec("A JSON-RPC error.", McpAnswer),
        404: AnswerSpec("A JSON-RPC error: there is no such method.", McpAnswer),
    },
)
def call_tool(data: Json, **_headers: object) -> Response:
    """Take one message of the Model Context Protocol, without sessions and streams.

    The versions are 2026-07-28, and with `initialize` 2025-11-25 or 2025-06-18. `tools/list` names
    the tools. A tool takes a token of the match in Authorization or as an argument. A refusal is a
    result with `isError`. Its text is the problem. In the versions of 2025 a request with an id is
    answered with 200, even by a JSON-RPC error.
    """
    if "id" not in data:
        return nothing(202)
    message_id = data["id"]
    try:
        result = _answered(data)
    except ProtocolError as error:
        return _error(error, message_id, data["params"])
    except Exception as error:  # noqa: BLE001 - an error is logged, and must not end the session
        return _error(_failure(error), message_id, data["params"])
    return answer({"jsonrpc": "2.0", "id": message_id, "result": result}, headers=_NEVER_STORED)


def _answered(message: Json) -> Json:
    """Return the result of a request. Raises ProtocolError."""
    method: str = message["method"]
    params: Json = message["params"]
    is_stateless = _version_of(method, params) == STATELESS

    methods = _STATELESS_METHODS if is_stateless else _METHODS
    if method not in methods:
        raise ProtocolError(METHOD_NOT_FOUND, f"no method {echoed(method)}", status=404)
    if method != "tools/call":  # `_call` checks the allowance itself, to refuse in a result
        check_allowance()
    result = methods[method](params)
    if not is_stateless:
        return result
    return {"resultType": "complete", "_meta": {_SERVER_INFO: _SERVER}, **result}


# ---- versions, and repeating headers --------------------------------------------------------


def _version_of(method: str, params: Json) -> str:
    """Return the protocol version of a request.

    Raises ProtocolError for an unsupported version, and for headers that contradict the message.
    """
    in_message = _version_in(params)
    if method == "initialize" and in_message is None:
        return WITH_HANDSHAKE[0]
    if _has_handshake(params):
        return request.headers.get(VERSION_HEADER.name, WITH_HANDSHAKE[-1])

    in_header = request.headers.get(VERSION_HEADER.name)
    if in_header is None or in_message not in (None, in_header):
        raise _mismatch(VERSION_HEADER, f"one of {', '.join(VERSIONS)}, as in the message")
    if in_header != STATELESS:
        detail = {"supported": list(VERSIONS), "requested": echoed(in_header)}
        raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", detail)
    _check_stateless(method, params, params.get("_meta"))
    return STATELESS


def _version_in(params: Json) -> object:
    """Return the version in a message, None without a version."""
    return _members(params.get("_meta")).get(_VERSION)


def _has_handshake(params: Json) -> bool:
    """Return True for a message in an older version, even if the message names no version."""
    in_header = request.headers.get(VERSION_HEADER.name)
    in_message = _version_in(params)
    if in_header is None:
        return in_message is None
    return in_header in WITH_HANDSHAKE and in_message in (None, in_header)


def _check_stateless(method: str, params: Json, meta: object) -> None:
    """Check the members that replace the handshake, and the headers that repeat the message."""
    missing = [name for name in (_VERSION, _CAPABILITIES) if name not in _members(meta)]
    if missing:
        raise ProtocolError(INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}")

    if request.headers.get(METHOD_HEADER.name) != method:
        raise _mismatch(METHOD_HEADER, "the method of the message")
    name = params.get("name")
    if method == "tools/call" and _decoded(request.headers.get(NAME_HEADER.name, "")) != name:
        raise _mismatch(NAME_HEADER, "the name of the tool")


def _members(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _mismatch(header: Parameter, expected: str) -> ProtocolError:
    return ProtocolError(HEADER_MISMATCH, f"the header {header.name} must be {expected}")


def _decoded(value: str) -> str | None:
    """Return the value of a header, decoded if it is encoded. None for a wrong encoding."""
    begin, end = _ENCODED
    if not (value.startswith(begin) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(begin) : -len(end)], validate=True).decode()
    except ValueError:
        return None


# ---- methods -------------------------------------------------------------------------------


def _discover(_params: Json) -> Json:
    """Return the description of this server: versions, capabilities, instructions."""
    return {
        "supportedVersions": list(VERSIONS),
        "capabilities": _CAPABLE_OF,
        "instructions": INSTRUCTIONS,
        "ttlMs": _CACHE_MS,
        "cacheScope": "public",
    }


def _initialize(params: Json) -> Json:
    """Agree on the client's version if possible, else on the newest version with a handshake."""
    version = params.get("protocolVersion")
    return {
        "protocolVersion": version if version in WITH_HANDSHAKE else WITH_HANDSHAKE[0],
        "capabilities": _CAPABLE_OF,
        "serverInfo": _SERVER,
        "instructions": INSTRUCTIONS,
    }


def _ping(_params: Json) -> Json:
    return {}


def _list_tools(params: Json) -> Json:
    """List all tools, on one page."""
    if params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, "there is only one page of tools")
    return {"tools": listed(contract_of(current_app))}


def _list_tools_with_ttl(params: Json) -> Json:
    return {**_list_tools(params), "ttlMs": _CACHE_MS, "cacheScope": "public"}


def _call(params: Json) -> Json:
    """Return the result of a tool. A refusal is a result, too."""
    name = params.get("name")
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        raise ProtocolError(INVALID_PARAMS, f"there is no such tool. Tools: {', '.join(TOOLS)}")
    arguments = params.get("arguments", {})
    if not isinstance(arguments, dict):
        raise ProtocolError(INVALID_PARAMS, "params.arguments must be an object")

    try:
        check_allowance()
        check_values(arguments, config().max_depth - len(_ARGUMENTS))
        value = tool.call(arguments)
    except REFUSALS as error:
        return _refused(error)
    return {"content": [_text(orjson.dumps(value))], "structuredContent": value, "isError": False}


def _refused(error: Exception) -> Json:
    """Return a refusal as the result of a tool. It has the problem document of the error."""
    return {"content": [_text(orjson.dumps(_problem(error)))], "isError": True}


def _problem(error: Exception) -> Json:
    """Return the problem document of an error. The header Retry-After becomes a member."""
    response = problem_of(error)
    problem: Json = orjson.loads(response.get_data())
    if "Retry-After" in response.headers:
        problem["retry_after"] = int(response.headers["Retry-After"])
    state().problem_status = response.status_code
    return problem


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
    "tools/list": _list_tools_with_ttl,
    "tools/call": _call,
}


# ---- errors of the protocol ----------------------------------------------------------------


def _failure(error: Exception) -> ProtocolError:
    """Return the JSON-RPC error for too many requests, or for an unexpected error."""
    problem = _problem(error)
    return ProtocolError(INTERNAL_ERROR, problem["detail"], problem, problem["status"])


def _error(error: ProtocolError, message_id: str | int | None, params: Json) -> Response:
    """Return an error as a JSON-RPC answer. params: params of the message."""
    members: Json = {"code": error.code, "message": str(error)}
    if error.data is not None:
        members["data"] = error.data
    value = {"jsonrpc": "2.0", "id": message_id, "error": members}
    keeps_session = message_id is not None and _has_handshake(params)
    return answer(value, 200 if keeps_session else error.status, _NEVER_STORED)


@mcp.errorhandler(UnreadableMessage)
def _unreadable(error: UnreadableMessage) -> Response:
    return _error(error, error.message_id, {})
