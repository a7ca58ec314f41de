"""Agents at the table: messages of the Model Context Protocol, and the answers of each tool.

tests/e2e/test_agents.py plays whole matches with the protocol's official client.
"""

import base64
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from json import dumps, loads
from typing import Any
from unittest import mock

import jsonschema_rs
import pytest
from werkzeug.test import TestResponse

from domain.games import GAMES
from service.api.http.limits import RateLimits
from service.capabilities.agents import routes as mcp
from service.capabilities.agents.routes import STATELESS, VERSIONS, WITH_HANDSHAKE
from service.capabilities.agents.tools.past import MOST_COMMITS
from service.capabilities.agents.tools.play import MOST_MOVES
from service.capabilities.agents.tools.table import INSTRUCTIONS, TOOLS
from service.store.journal.errors import JournalUnavailable
from tests.running import PATIENCE
from tests.service.api.conftest import (
    IN_THE_LOBBY,
    KEY,
    OPERATOR,
    Door,
    json,
    moved,
    opened,
    problem,
    work,
)
from tests.service.api.test_non_interference import GAMES_WITH_SECRETS, masked, played
from tests.service.api.test_refusals import MALFORMED
from tests.signing import ADA, BEA
from tests.whole import whole_but

Json = dict[str, Any]

OF_A_MATCH = [name for name in TOOLS if name not in ("rules", "games", "open")]
CHANGING = {"open", "join", "move"}
ID = "a" * 26
FORGED = f"gio_{ID}_{'A' * 43}"
HUMAN = {"kind": "human"}
META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass
class Agent:
    """An agent at a door. It sends one message after another by a version of the protocol."""

    door: Door
    version: str = STATELESS

    def send(self, message: Any, **headers: str) -> TestResponse:
        """Send a message, or bytes, with some headers beside those it needs."""
        body = message if isinstance(message, bytes) else dumps(message).encode()
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        all_headers = {"Content-Type": "application/json", **more}
        return self.door.ask("POST", "/mcp", headers=all_headers, data=body)

    def ask(self, method: str, authorization: str = "", **params: Any) -> TestResponse:
        """Call a method in the form of the agent's protocol version."""
        headers = {"MCP_Protocol_Version": self.version}
        if authorization:
            headers["Authorization"] = authorization
        if self.version == STATELESS:
            params = {"_meta": META, **params}
            headers |= {"Mcp_Method": method, "Mcp_Name": str(params.get("name", ""))}
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        return self.send(message, **headers)

    def result(self, method: str, **params: Any) -> Json:
        """Return the result of a method."""
        answer = self.ask(method, **params)
        assert answer.status_code == 200, answer.text
        answered = json(answer)
        assert (answered["jsonrpc"], answered["id"]) == ("2.0", 7)
        content: Json = answered["result"]
        return content

    def call(self, tool: str, who: str = "", **arguments: Any) -> Json:
        """Return the answer of a tool. The door's match and the caller's token are put in."""
        if tool in OF_A_MATCH:
            arguments.setdefault("match", self.door.match)
        if who:
            arguments.setdefault("token", self.door.tokens.get(who, who))
        return self.result("tools/call", name=tool, arguments=arguments)

    def answer(self, tool: str, who: str = "", **arguments: Any) -> Json:
        """Return the answer of a tool. Fail if it refuses, or if its text and its JSON differ."""
        result = self.call(tool, who, **arguments)
        assert result["isError"] is False, result
        content: Json = result["structuredContent"]
        assert said(result) == content
        return content

    def refusal(self, tool: str, who: str = "", **arguments: Any) -> Json:
        """Return the problem that a tool answers."""
        result = self.call(tool, who, **arguments)
        assert result["isError"] is True, result
        assert "structuredContent" not in result
        return said(result)


def said(result: Json) -> Json:
    """Return the value in the text of an answer, for models that read nothing else."""
    [content] = result["content"]
    assert content["type"] == "text"
    answer: Json = loads(content["text"])
    return answer


@pytest.fixture
def agent(match: Door) -> Agent:
    """An agent at the door of a match of three humans."""
    return Agent(match)


# ---- versions of the protocol, and tools ---------------------------------------------------


def test_a_client_learns_the_protocol_versions(agent: Agent) -> None:
    """Clients without a handshake call `server/discover`, all others `initialize`."""
    discovery = agent.result("server/discover")
    assert discovery["supportedVersions"] == list(VERSIONS)
    assert discovery["capabilities"] == {"tools": {}}
    assert discovery["instructions"] == INSTRUCTIONS
    assert discovery["resultType"] == "complete"

    for version in (*WITH_HANDSHAKE, "2024-11-05"):
        answer = agent.send(message("initialize", params={"protocolVersion": version}))
        result = json(answer)["result"]
        assert result["protocolVersion"] == (version if version in VERSIONS else WITH_HANDSHAKE[0])
        assert result["serverInfo"]["name"] == "giornale"
        assert "Mcp-Session-Id" not in answer.headers


@pytest.mark.parametrize("version", VERSIONS)
def test_tools_are_described_whole(agent: Agent, version: str) -> None:
    """Each tool has schemas without references, and annotations of its effects."""
    agent.version = version
    answer = agent.ask("tools/list")
    listed = json(answer)["result"]["tools"]

    assert [tool["name"] for tool in listed] == list(TOOLS)
    for tool in listed:
        assert len(tool["description"]) > 40
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            jsonschema_rs.Draft202012Validator(schema)
            assert schema["type"] == "object"
            assert "$ref" not in dumps(schema)
        changes = tool["name"] in CHANGING
        assert tool["annotations"]["readOnlyHint"] is not changes
        assert tool["annotations"]["idempotentHint"] is not changes
        assert tool["annotations"]["destructiveHint"] is False
        assert tool["annotations"]["openWorldHint"] is False

    assert len(answer.data) < 30_000, "an agent reads them before it does anything"


def test_every_answer_is_as_its_tool_says(agent: Agent) -> None:
    """The answers of tools are valid by their listed schemas."""
    schemas = {tool["name"]: tool["outputSchema"] for tool in agent.result("tools/list")["tools"]}
    first = agent.answer("moves", "seat:0")["moves"][0]["move"]
    calls: dict[str, Json] = {
        "games": {},
        "rules": {"game": "match"},
        "open": {"game": "calimala", "seats": [HUMAN, HUMAN, {"kind": "open"}]},
        "view": {},
        "moves": {"who": "seat:0"},
        "move": {"who": "seat:0", "move": first},
        "wait": {"seconds": 0},
        "story": {},
        "verify": {},
    }
    for name, arguments in calls.items():
        answer = agent.answer(name, **arguments)
        assert jsonschema_rs.is_valid(schemas[name], answer), name
        if name == "open":
            join = agent.answer("join", match=answer["match"], name="Ada")
            assert jsonschema_rs.is_valid(schemas["join"], join)
            assert join["seat"] == 2


# ---- malformed messages --------------------------------------------------------------------


def message(method: Any = "tools/list", **changed: Any) -> Json:
    """Return a valid message with some changes. `...` leaves a member out."""
    whole = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": method,
        "params": {"_meta": META},
        **changed,
    }
    return {name: value for name, value in whole.items() if value is not ...}


def call_of(name: Any = "games", arguments: Any = ..., **meta: Any) -> Json:
    """Return a call of a tool."""
    params = {"_meta": {**META, **meta}, "name": name}
    if arguments is not ...:
        params["arguments"] = arguments
    return message("tools/call", params=params)


RIGHT = {"MCP_Protocol_Version": STATELESS, "Mcp_Method": "tools/list"}
CALL = {"MCP_Protocol_Version": STATELESS, "Mcp_Method": "tools/call", "Mcp_Name": "games"}
OLD = {"MCP_Protocol_Version": WITH_HANDSHAKE[0]}
OTHER = {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "1900-01-01"}}
LONG = "x" * 60_000

# Headers that name no tool.
NO_NAMES = {
    "no-base64": "=?base64?%%?=",
    "name-not-ascii": "=?base64?\xe9?=",
    "name-not-utf8": "=?base64?/w==?=",
}


@pytest.mark.parametrize(
    ("payload", "headers", "status", "code"),
    [
        *(
            pytest.param(body, RIGHT, 400, mcp.PARSE_ERROR, id=name)
            for name, body in MALFORMED.items()
            if name != "deep"  # the member is unknown, however deep it is nested
        ),
        pytest.param(message(id=1.5), RIGHT, 400, mcp.INVALID_REQUEST, id="id-fraction"),
        pytest.param([message()] * 50, RIGHT, 400, mcp.INVALID_REQUEST, id="batch"),
        pytest.param([], RIGHT, 400, mcp.INVALID_REQUEST, id="empty-batch"),
        pytest.param("ping", RIGHT, 400, mcp.INVALID_REQUEST, id="text"),
        pytest.param(
            message(method=..., result={}), RIGHT, 400, mcp.INVALID_REQUEST, id="an-answer"
        ),
        pytest.param(message(jsonrpc="1.0"), RIGHT, 400, mcp.INVALID_REQUEST, id="jsonrpc-1"),
        pytest.param(message(jsonrpc=...), RIGHT, 400, mcp.INVALID_REQUEST, id="no-jsonrpc"),
        pytest.param(message(id=None), RIGHT, 400, mcp.INVALID_REQUEST, id="id-null"),
        pytest.param(message(id=True), RIGHT, 400, mcp.INVALID_REQUEST, id="id-true"),
        pytest.param(message(id={"a": 1}), RIGHT, 400, mcp.INVALID_REQUEST, id="id-object"),
        pytest.param(message(method=7), RIGHT, 400, mcp.INVALID_REQUEST, id="method-number"),
        pytest.param(message(params=[1]), RIGHT, 400, mcp.INVALID_REQUEST, id="params-list"),
        pytest.param(message(extra=1), RIGHT, 400, mcp.INVALID_REQUEST, id="unknown-member"),
        pytest.param(
            message("resources/list"),
            RIGHT | {"Mcp_Method": "resources/list"},
            404,
            mcp.METHOD_NOT_FOUND,
            id="unknown-method",
        ),
        pytest.param(
            message(LONG), RIGHT | {"Mcp_Method": "x"}, 400, mcp.HEADER_MISMATCH, id="long-method"
        ),
        pytest.param(message("ping"), OLD, 400, mcp.HEADER_MISMATCH, id="another-version-said"),
        pytest.param(
            message("resources/list", params={}), OLD, 200, mcp.METHOD_NOT_FOUND, id="unknown-old"
        ),
        pytest.param(
            message(LONG, params={}), OLD, 200, mcp.METHOD_NOT_FOUND, id="long-method-old"
        ),
        pytest.param(message(), {}, 400, mcp.HEADER_MISMATCH, id="no-header"),
        pytest.param(message(params={}), RIGHT, 400, mcp.INVALID_PARAMS, id="no-meta"),
        pytest.param(
            message(params={"_meta": 5}), RIGHT, 400, mcp.INVALID_PARAMS, id="meta-number"
        ),
        pytest.param(
            message(params={"_meta": {next(iter(META)): STATELESS}}),
            RIGHT,
            400,
            mcp.INVALID_PARAMS,
            id="no-capabilities",
        ),
        pytest.param(message(params=OTHER), RIGHT, 400, mcp.HEADER_MISMATCH, id="versions-differ"),
        pytest.param(
            message(params=OTHER),
            {"MCP_Protocol_Version": "1900-01-01"},
            400,
            mcp.UNSUPPORTED_VERSION,
            id="unknown-version",
        ),
        pytest.param(
            message(params={}),
            {"MCP_Protocol_Version": LONG[:4000]},
            400,
            mcp.UNSUPPORTED_VERSION,
            id="long-version",
        ),
        pytest.param(
            message(), RIGHT | {"Mcp_Method": "ping"}, 400, mcp.HEADER_MISMATCH, id="other-method"
        ),
        pytest.param(call_of("moves"), CALL, 400, mcp.HEADER_MISMATCH, id="other-name"),
        *(
            pytest.param(call_of(), CALL | {"Mcp_Name": name}, 400, mcp.HEADER_MISMATCH, id=what)
            for what, name in NO_NAMES.items()
        ),
        pytest.param(call_of(7), CALL, 400, mcp.HEADER_MISMATCH, id="name-number"),
        pytest.param(
            call_of(LONG), CALL | {"Mcp_Name": ""}, 400, mcp.HEADER_MISMATCH, id="long-name"
        ),
        pytest.param(
            call_of("fly"), CALL | {"Mcp_Name": "fly"}, 400, mcp.INVALID_PARAMS, id="unknown-tool"
        ),
        pytest.param(call_of("games", [1]), CALL, 400, mcp.INVALID_PARAMS, id="arguments-list"),
        pytest.param(call_of("games", None), CALL, 400, mcp.INVALID_PARAMS, id="arguments-null"),
        pytest.param(
            message(params={"_meta": META, "cursor": "2"}),
            RIGHT,
            400,
            mcp.INVALID_PARAMS,
            id="second-page",
        ),
    ],
)
def test_a_malformed_message_is_an_error_of_the_protocol(
    agent: Agent, payload: Any, headers: dict[str, str], status: int, code: int
) -> None:
    """The error is short and has a code, and the id of the message if there is one."""
    answer = agent.send(payload, **headers)

    assert answer.status_code == status, answer.text
    reply = json(answer)
    assert reply["error"]["code"] == code
    assert "result" not in reply
    has_id = isinstance(payload, dict) and payload.get("id") == 7
    assert reply["id"] == (7 if has_id else None), "JSON-RPC 2.0, 5"
    assert len(answer.data) < 600
    assert answer.headers["Cache-Control"] == "no-store"
    if code == mcp.UNSUPPORTED_VERSION:
        assert reply["error"]["data"]["supported"] == list(VERSIONS)


@pytest.mark.parametrize("headers", [{}, OLD, {"MCP_Protocol_Version": WITH_HANDSHAKE[1]}])
@pytest.mark.parametrize(
    ("changed", "code"),
    [
        pytest.param({"method": "resources/list"}, mcp.METHOD_NOT_FOUND, id="unknown-method"),
        pytest.param({"method": 7}, mcp.INVALID_REQUEST, id="method-number"),
        pytest.param({"method": ...}, mcp.INVALID_REQUEST, id="no-method"),
        pytest.param({"params": None}, mcp.INVALID_REQUEST, id="params-null"),
        pytest.param({"params": [1]}, mcp.INVALID_REQUEST, id="params-list"),
        pytest.param({"params": "{}"}, mcp.INVALID_REQUEST, id="params-text"),
        pytest.param({"params": {"cursor": "2"}}, mcp.INVALID_PARAMS, id="second-page"),
        pytest.param({"params": {"cursor": 1.5}}, mcp.INVALID_REQUEST, id="fraction"),
        pytest.param({"params": {"cursor": float("nan")}}, mcp.PARSE_ERROR, id="no-json"),
        pytest.param({"extra": 1}, mcp.INVALID_REQUEST, id="unknown-member"),
        pytest.param({"jsonrpc": "1.0"}, mcp.INVALID_REQUEST, id="jsonrpc-1"),
        *(
            pytest.param(
                {"method": "tools/call", "params": params}, mcp.INVALID_PARAMS, id=f"call-{name}"
            )
            for name, params in {
                "without-a-name": {},
                "of-no-tool": {"name": "fly"},
                "by-a-number": {"name": 7},
                "arguments-null": {"name": "games", "arguments": None},
                "arguments-text": {"name": "rules", "arguments": '{"game": "match"}'},
                "arguments-list": {"name": "rules", "arguments": ["match"]},
            }.items()
        ),
    ],
)
def test_no_error_ends_the_session_of_an_older_client(
    agent: Agent, headers: dict[str, str], changed: Json, code: int
) -> None:
    """A status of 400 or more would end the session of an older client, so the answer is 200."""
    answer = agent.send(message(**{"params": {}, **changed}), **headers)

    assert answer.status_code == 200
    reply = json(answer)
    assert (reply["id"], reply["error"]["code"]) == (7, code)


@pytest.mark.usefixtures("one_window")
def test_too_many_requests_end_no_session(agent: Agent) -> None:
    """The answer is 200 with an error. The error of a tool says when to retry."""
    agent.door.change(rate_limits=RateLimits(agent.door.services.queues, 1, 1))
    agent.version = WITH_HANDSHAKE[0]
    answers = [agent.ask("ping") for _ in range(3)]
    refused = agent.refusal("rules", game="match")

    assert {answer.status_code for answer in answers} == {200}
    error = json(answers[-1])["error"]
    assert error["code"] == mcp.INTERNAL_ERROR
    assert error["data"]["status"] == refused["status"] == 429
    assert 0 < refused["retry_after"] <= 60


@pytest.mark.parametrize(("version", "status"), [(WITH_HANDSHAKE[0], 200), (STATELESS, 500)])
def test_an_unexpected_error_is_an_error_of_the_protocol(
    agent: Agent, version: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error hides its cause. For a version with sessions the status is 200."""
    agent.version = version
    broken = mock.Mock(side_effect=ZeroDivisionError)
    monkeypatch.setitem(TOOLS, "games", replace(TOOLS["games"], run=broken))
    answer = agent.ask("tools/call", name="games", arguments={})

    assert answer.status_code == status
    assert json(answer)["error"]["code"] == mcp.INTERNAL_ERROR
    assert json(answer)["error"]["data"]["type"] == "/problems/internal"
    assert "ZeroDivision" not in answer.text


def test_a_message_too_long_is_a_problem(agent: Agent) -> None:
    """The message is refused with 413, as by the API."""
    assert problem(agent.send(b"{" * 70_000)) == (413, "too-large")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_no_stream_and_no_session(agent: Agent, method: str) -> None:
    """GET and DELETE by clients of older versions are refused with 405."""
    answer = agent.door.ask(method, "/mcp", headers={"Accept": "text/event-stream"})

    assert problem(answer) == (405, "method-not-allowed")
    assert "POST" in answer.headers["Allow"]


@pytest.mark.parametrize("version", ["", *VERSIONS])
def test_a_notification_is_taken_and_has_no_answer(agent: Agent, version: str) -> None:
    """A notification is answered 202 without a body, because the service needs none."""
    headers = {"MCP_Protocol_Version": version} if version else {}
    answer = agent.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, **headers)

    assert (answer.status_code, answer.data) == (202, b"")


def test_a_name_may_come_encoded(agent: Agent) -> None:
    """The header Mcp-Name may be in base64, as the protocol writes text other than plain ASCII."""
    encoded = f"=?base64?{base64.b64encode(b'games').decode()}?="
    answer = agent.send(call_of(), **CALL | {"Mcp_Name": encoded})

    assert answer.status_code == 200


@pytest.mark.parametrize("version", WITH_HANDSHAKE)
def test_an_older_client_is_answered_by_its_version(agent: Agent, version: str) -> None:
    """Results lack the members of later versions."""
    agent.version = version

    assert agent.result("ping") == {}
    assert agent.result("tools/list").keys() == {"tools"}
    assert agent.call("games").keys() == {"content", "structuredContent", "isError"}


@pytest.mark.parametrize(
    ("origin", "host", "allowed", "status"),
    [
        (None, "localhost:8000", "", 200),
        ("http://localhost:8000", "localhost:8000", "", 200),
        ("http://localhost:3000", "localhost:8000", "", 403),
        ("http://evil.example", "localhost:8000", "", 403),
        ("http://evil.example:8000", "evil.example:8000", "", 421),
        ("null", "localhost:8000", "", 403),
        ("", "localhost:8000", "", 403),
        ("https://a.example", "localhost:8000", "https://a.example", 200),
        ("https://b.example", "localhost:8000", "https://a.example", 403),
        ("null", "localhost:8000", "*", 200),
    ],
)
def test_a_foreign_origin_is_refused(
    agent: Agent, origin: str | None, host: str, allowed: str, status: int
) -> None:
    """An origin that is not allowed is refused even without Sec-Fetch-Site (DNS rebinding)."""
    config = replace(agent.door.services.config, cors_origins=tuple(allowed.split()))
    agent.door.change(config=config)
    headers = {"Host": host} | ({} if origin is None else {"Origin": origin})

    assert agent.send(message(), **RIGHT, **headers).status_code == status


# ---- what tools answer ---------------------------------------------------------------------


@pytest.mark.parametrize("key", [*GAMES, "match"])
def test_rules_are_read_in_parts(agent: Agent, key: str) -> None:
    """`rules` returns how a game goes, its whole text, a part by title, or a rule by number."""
    how_it_goes = agent.answer("rules", game=key)
    assert "](" not in how_it_goes["text"], "pictures are left out"

    everything = agent.answer("rules", game=key, about="all")["text"]
    for title in how_it_goes["parts"][1:]:
        part = agent.answer("rules", game=key, about=title)["text"]
        assert part in everything
        assert "\n## " not in part

    number = everything.partition("\n- ")[2].split()[0]
    assert agent.answer("rules", game=key, about=number)["text"].startswith(f"{number} ")


def test_games_are_those_of_the_registry(agent: Agent) -> None:
    """`games` returns the registered games with all levels of bots, without long defaults."""
    games = agent.answer("games")["games"]
    answered = json(agent.door.ask("GET", "/v1/games"))["games"]

    assert [game["key"] for game in games] == [*GAMES]
    for game, as_answered in zip(games, answered, strict=True):
        for member in ("key", "title", "seats", "bots", "moves"):
            assert game[member] == as_answered[member]
        assert len(dumps(game)) < 5000


@pytest.mark.whole
@pytest.mark.parametrize("game", GAMES)
def test_all_legal_moves_are_listed_and_said(door: Door, game: str) -> None:
    """The pages of `moves` have the legal moves in the API's order, each in words, also by type."""
    agent = Agent(opened(door, game, seats=[HUMAN] * GAMES[game].seats[0]))
    longest = 0

    for _ in range(40):
        moved(door, 1)
        seats = door.waiting_seats()
        if not seats:
            continue
        who = f"seat:{seats[0]}"
        legal = door.moves(who)
        listed: list[Json] = []
        while True:
            page = agent.answer("moves", who, skip=len(listed))
            assert len(page["moves"]) <= MOST_MOVES
            listed += page["moves"]
            if not page["more"]:
                break

        assert [one["move"] for one in listed] == legal
        assert all(one["text"].endswith(".") for one in listed)
        assert sum(page["types"].values()) == len(legal)
        a_type = legal[0]["type"]
        of_type = agent.answer("moves", who, type=a_type)["moves"]
        assert {one["move"]["type"] for one in of_type} == {a_type}
        longest = max(longest, len(legal))

    assert longest > 1


@pytest.mark.parametrize(
    ("tool", "numbers"),
    [
        ("view", {"version": 1}),
        ("moves", {"skip": 1}),
        ("wait", {"seconds": 0, "after": 0}),
        ("story", {"after": 0, "limit": 1}),
    ],
)
def test_numbers_of_tools_may_be_written_as_fractions(
    agent: Agent, tool: str, numbers: dict[str, int]
) -> None:
    fractions = {name: float(number) for name, number in numbers.items()}

    assert agent.answer(tool, "seat:0", **fractions) == agent.answer(tool, "seat:0", **numbers)


def test_a_move_of_a_tool_may_be_written_with_fractions(door: Door) -> None:
    """A repeated call with 0.0 instead of 0 counts once."""
    agent = Agent(opened(door, "firenze"))
    move = {"type": "take_card", "slot": 0}
    first = agent.answer("move", "seat:0", move=move, version=1, idempotency_key=KEY)
    move_with_fractions = {**move, "slot": 0.0}
    again = agent.answer(
        "move", "seat:0", move=move_with_fractions, version=1.0, idempotency_key=KEY
    )

    assert again["version"] == first["version"] == 2


def test_a_move_tells_its_events_and_the_next_seat(agent: Agent) -> None:
    """A repeated call counts once. A call for another version is refused."""
    listed = agent.answer("moves", "seat:0")
    arguments = {"move": listed["moves"][0]["move"], "version": listed["version"]}

    first = agent.answer("move", "seat:0", **arguments, idempotency_key=KEY)
    again = agent.answer("move", "seat:0", **arguments, idempotency_key=KEY)

    assert (first["version"], first["your_turn"], first["seat"]) == (2, False, 0)
    assert first["story"] == agent.answer("story", "seat:0", after=1)["story"]
    assert again == first
    assert agent.refusal("move", "seat:0", **arguments)["status"] == 412


@pytest.mark.parametrize("reading", ["enter_at_head", "story_lines"])
def test_a_move_that_was_made_is_no_error(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, reading: str
) -> None:
    """If the journal goes away after the move, the answer has the new version without events."""
    listed = agent.answer("moves", "seat:0")
    lost = mock.Mock(side_effect=JournalUnavailable)
    monkeypatch.setattr(f"service.capabilities.agents.tools.play.{reading}", lost)
    result = agent.answer("move", "seat:0", move=listed["moves"][0]["move"])

    assert lost.called
    assert result["version"] == listed["version"] + 1
    assert (result["seat"], result["story"]) == (0, [])
    assert result["more"] == (
        f"The move is made. What it caused: story with after={listed['version']}."
    )


def test_a_seat_with_a_key_signs_its_move(door: Door) -> None:
    """The refusal says how to sign (M18). A joining player may bring a key, too."""
    seats = [{"kind": "human", "key": ADA.key}, HUMAN, {"kind": "open"}]
    agent = Agent(opened(door, seats=seats))
    bare = agent.refusal("join", key=BEA.key)
    proof = BEA.private.sign(bare["to_sign"].encode()).hex()
    agent.answer("join", key=BEA.key, proof=proof)
    assert door.post("start", None, "owner").status_code == 201

    listed = agent.answer("moves", "seat:0")
    arguments = {"move": listed["moves"][0]["move"], "version": listed["version"]}
    refused = agent.refusal("move", "seat:0", **arguments)
    signature = ADA.private.sign(refused["to_sign"].encode()).hex()
    result = agent.answer("move", "seat:0", **arguments, signature=signature)

    assert result["version"] == listed["version"] + 1


def test_a_past_board_is_seen(agent: Agent) -> None:
    """A past version has the same view as when it was the last one."""
    before = agent.answer("view", "seat:0")
    moved(agent.door, 3)

    assert agent.answer("view", "seat:0")["version"] == 4
    assert agent.answer("view", "seat:0", version=1) == before
    assert agent.answer("view")["seat"] is None


def test_a_story_is_read_piece_by_piece(agent: Agent) -> None:
    """An answer names the omitted part of the story. `wait` has only its last lines."""
    moved(agent.door, 30)
    whole = agent.answer("story", limit=MOST_COMMITS)
    first = agent.answer("story", limit=10)
    rest = agent.answer("story", after=10)

    assert whole["more"] == ""
    assert first["more"] == "Go on with after=10."
    assert [line for line in whole["story"] if line][-1] == rest["story"][-1]
    news = agent.answer("wait", seconds=0, after=1)
    assert "after=1" in news["more"]
    assert len(news["story"]) < len(whole["story"])


def test_a_waiting_player_is_told_of_their_turn(agent: Agent) -> None:
    """A player's `wait` ends at the commit that makes it their turn, not at an earlier one."""
    agent.door.move("seat:0")
    with ThreadPoolExecutor(1) as another:
        waiting = another.submit(agent.answer, "wait", "seat:0", after=2)
        while (seats := agent.door.waiting_seats()) != [0]:
            agent.door.move(f"seat:{seats[-1]}")
        news = waiting.result(PATIENCE)

    assert news["your_turn"]
    assert (news["version"], len([line for line in news["story"] if line])) == (6, 4)
    assert agent.answer("wait", "seat:0", after=news["version"])["story"] == []


def test_a_spectator_waits_for_the_next_commit(agent: Agent) -> None:
    """A spectator's `wait` ends at the next commit, or at once if there is one after `after`."""
    with ThreadPoolExecutor(1) as another:
        waiting = another.submit(agent.answer, "wait", "", after=1)
        agent.door.move("seat:0")
        news = waiting.result(PATIENCE)

    assert (news["version"], len(news["story"])) == (2, 1)
    assert agent.answer("wait", after=1)["version"] == 2


def test_a_wait_ends_in_time(agent: Agent) -> None:
    """If nothing is new in time, `wait` answers without an error."""
    moved(agent.door, 1)
    news = agent.answer("wait", "seat:0", seconds=1)

    assert (news["your_turn"], news["story"]) == (False, [])


def test_advice_and_audits_are_results_of_workers(door: Door, as_worker: None) -> None:
    """The first call starts the work. A later one gets the result."""
    agent = Agent(opened(door, advice=True))
    assert agent.answer("advice", "seat:0")["status"] == "thinking"
    assert agent.answer("verify")["status"] == "checking"

    work(door, "advice")
    work(door, "audits")

    advised = agent.answer("advice", "seat:0")
    legal = door.moves("seat:0")
    assert advised["status"] == "ready"
    assert all(one["move"] in legal for one in advised["best"])
    audit = agent.answer("verify")
    assert (audit["status"], audit["verdict"], audit["wrong"]) == ("done", "right", None)
    assert door.get(audit["record"]).status_code == 200


# ---- what tools refuse ---------------------------------------------------------------------

PLACE_DISC = {"type": "place_disc", "street": "0-1", "disc": "white"}
SEAT_0 = {"who": "seat:0"}


@pytest.mark.parametrize(
    ("tool", "arguments", "status", "word"),
    [
        *((name, {"unknown": 1}, 422, "/unknown") for name in TOOLS),
        *((name, {"match": "x"}, 422, "/match") for name in OF_A_MATCH),
        *((name, {"match": 7}, 422, "/match") for name in OF_A_MATCH),
        *((name, {"token": "gio_"}, 422, "/token") for name in OF_A_MATCH),
        ("rules", {}, 422, "/game"),
        ("rules", {"game": "chess"}, 422, "calimala"),
        ("rules", {"game": "../match"}, 422, "/game"),
        ("rules", {"game": "calimala", "about": "C99"}, 422, "A turn"),
        ("rules", {"game": "calimala", "about": "x" * 101}, 422, "/about"),
        ("open", {"game": "chess", "seats": [HUMAN]}, 422, "/game"),
        ("open", {"game": "calimala", "seats": [HUMAN]}, 422, "/seats"),
        ("open", {"game": "calimala", "seats": [HUMAN] * 17}, 422, "/seats"),
        ("open", {"game": "calimala", "seats": [HUMAN] * 3, "seed": "x"}, 422, "/seed"),
        (
            "open",
            {"game": "calimala", "seats": [HUMAN] * 3, "idempotency_key": "short"},
            422,
            "/idempotency_key",
        ),
        ("join", {}, 409, "M2"),
        ("join", {"seat": 16}, 422, "/seat"),
        ("join", {"idempotency_key": KEY}, 422, "/seat"),
        ("join", {"seat": "0"}, 422, "/seat"),
        ("join", {"name": "a\nb"}, 422, "/name"),
        ("view", {"version": 0}, 422, "/version"),
        ("view", {"version": 2}, 404, "versions 1 to 1"),
        ("moves", {}, 401, "token of a seat"),
        ("moves", {"who": "owner"}, 403, "owner"),
        ("moves", {**SEAT_0, "skip": -1}, 422, "/skip"),
        ("move", {"move": PLACE_DISC}, 401, "token of a seat"),
        ("move", {"move": PLACE_DISC, "who": "owner"}, 403, "owner"),
        ("move", SEAT_0, 422, "/move"),
        ("move", {**SEAT_0, "move": {}}, 422, "/type"),
        ("move", {**SEAT_0, "move": {"type": "castle"}}, 422, "keep_scoring_card"),
        ("move", {**SEAT_0, "move": [PLACE_DISC]}, 422, "/move"),
        ("move", {**SEAT_0, "move": PLACE_DISC}, 409, "C12"),
        ("move", {**SEAT_0, "move": PLACE_DISC, "version": 9}, 412, "version 1"),
        ("move", {**SEAT_0, "move": PLACE_DISC, "version": "1"}, 422, "/version"),
        ("wait", {"seconds": 26}, 422, "/seconds"),
        ("wait", {"seconds": True}, 422, "/seconds"),
        ("wait", {"after": -1}, 422, "/after"),
        ("story", {"limit": MOST_COMMITS + 1}, 422, "/limit"),
        ("advice", {}, 401, "token of a seat"),
        ("advice", {"who": "owner"}, 403, "owner"),
        ("advice", SEAT_0, 409, "M14"),
        *((name, {"match": ID}, 404, "no match") for name in OF_A_MATCH if name != "move"),
        *((name, {"who": FORGED}, 403, "another match") for name in OF_A_MATCH if name != "move"),
        ("move", {"match": ID, "move": PLACE_DISC}, 404, "no match"),
        ("move", {"who": FORGED, "move": PLACE_DISC}, 403, "another match"),
    ],
)
def test_a_refusal_is_the_problem_of_the_api(
    agent: Agent, tool: str, arguments: Json, status: int, word: str
) -> None:
    """The refusal has the status and a reason. It contains no token, and the match is unchanged."""
    refused = agent.refusal(tool, **arguments)

    assert refused["status"] == status, refused
    assert word in dumps(refused)
    assert refused["type"].startswith("/problems/")
    assert FORGED not in dumps(refused)
    assert json(agent.door.get())["version"] == 1


ODD: list[Any] = [
    None,
    True,
    -1,
    2**53 - 1,
    "",
    "\x00",
    "seat:0",
    "x" * 5000,
    [],
    [[[]]] * 100,
    {},
    {"type": {"type": ["take_card"]}},
]


@pytest.mark.parametrize("tool", TOOLS)
def test_odd_arguments_are_refused_in_words(agent: Agent, tool: str) -> None:
    """An odd value of an argument gets an answer or a short refusal, and no server error."""
    listed = {one["name"]: one for one in agent.result("tools/list")["tools"]}
    places = [name for name in listed[tool]["inputSchema"].get("properties", {}) if name != "match"]
    right: dict[str, Json] = {
        "rules": {"game": "match"},
        "open": {"game": "calimala", "seats": [HUMAN] * 3},
        "move": {"move": PLACE_DISC},
        "wait": {"seconds": 0},
    }

    for place in [*places, "unknown"]:
        for value in ODD:
            result = agent.call(tool, **right.get(tool, {}) | {place: value})
            if result["isError"]:
                assert 400 <= said(result)["status"] < 500, (place, value)
                assert len(dumps(result)) < 3000


def test_every_tool_answers_before_the_start(lobby: Door) -> None:
    """Reads are answered. Tools that need a game are refused by its rule."""
    agent = Agent(lobby)

    assert agent.answer("view", "seat:0")["state"] is None
    assert agent.answer("moves", "seat:0")["moves"] == []
    assert agent.answer("wait", "seat:0", seconds=0, after=0)["status"] == "open"
    assert agent.refusal("move", "seat:0", move=PLACE_DISC)["rule"] == "M4"
    assert agent.refusal("advice", "seat:0")["rule"] == "M14"
    assert agent.answer("join", name="Bea")["seat"] == 1


def test_a_match_that_is_drawn_together_is_joined_over_the_api(door: Door) -> None:
    """M19: `join` is refused, since an agent has no tool to disclose and would lose the seat."""
    agent = Agent(opened(door, seats=[HUMAN, HUMAN, {"kind": "open"}], joint_entropy=True))

    assert "draw together (M19)" in agent.refusal("join")["detail"]
    assert agent.answer("view")["seats"][2]["kind"] == "open"


def test_an_illegal_move_names_its_rule_and_legal_moves(agent: Agent) -> None:
    """The refusal of an illegal move has all members of the API's answer."""
    refused = agent.refusal("move", "seat:0", move=PLACE_DISC)
    content = json(agent.door.post("moves", PLACE_DISC, "seat:0"))

    assert refused == content
    assert refused["rule_url"] == f"/rules/calimala#{refused['rule']}"
    assert agent.door.get(refused["legal_moves"], "seat:0").status_code == 200


@pytest.mark.parametrize("tool", OF_A_MATCH)
def test_a_private_match_is_for_its_tokens(door: Door, tool: str) -> None:
    """Strangers get the same refusal as for an unknown match, even after a deletion."""
    agent = Agent(opened(door, visibility="private"))
    arguments: Json = {"move": PLACE_DISC} if tool == "move" else {}

    stranger = agent.refusal(tool, **arguments)
    never = agent.refusal(tool, **arguments, match=ID)
    assert stranger == loads(dumps(never).replace(ID, door.match))

    door.delete("", OPERATOR)
    assert agent.refusal(tool, **arguments) == stranger


@pytest.mark.parametrize("tool", OF_A_MATCH)
def test_a_deleted_match_is_gone(agent: Agent, tool: str) -> None:
    """The refusal has the time of the deletion."""
    agent.door.delete("", OPERATOR)
    arguments: Json = {"move": PLACE_DISC} if tool == "move" else {}

    refused = agent.refusal(tool, "seat:0", **arguments)
    assert refused["status"] == 410
    assert refused["deleted"].startswith("20")


def test_a_full_queue_says_when_to_come_again(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """`retry_after` in the refusal stands for the header Retry-After."""
    monkeypatch.setattr("service.capabilities.advice.jobs.MOST_ADVICE_WAITING", 0)
    agent = Agent(opened(door, advice=True))

    refused = agent.refusal("advice", "seat:0")
    assert (refused["status"], refused["retry_after"]) == (503, 5)


# ---- tokens --------------------------------------------------------------------------------


def test_a_token_counts_in_both_places(agent: Agent) -> None:
    """A token may be in Authorization or among the arguments. The argument takes precedence."""
    tokens = agent.door.tokens
    arguments = {"name": "view", "arguments": {"match": agent.door.match}}
    of_seat_1 = f"Bearer {tokens['seat:1']}"

    in_header = json(agent.ask("tools/call", of_seat_1, **arguments))["result"]
    assert in_header["structuredContent"]["seat"] == 1
    arguments["arguments"] = {"match": agent.door.match, "token": tokens["seat:2"]}
    for header in (of_seat_1, "Basic Zm9v"):
        in_both = json(agent.ask("tools/call", header, **arguments))["result"]
        assert in_both["structuredContent"]["seat"] == 2

    arguments["arguments"] = {"match": agent.door.match}
    wrong = json(agent.ask("tools/call", "Basic Zm9v", **arguments))["result"]
    assert said(wrong)["status"] == 401


def test_an_opening_with_its_key_gives_the_same_tokens_again(agent: Agent) -> None:
    """A repeated `open` returns the same tokens. Then each `join` gets the next open seat."""
    wish: Json = {"game": "calimala", "seats": IN_THE_LOBBY, "idempotency_key": KEY}
    one = agent.answer("open", **wish)

    assert agent.answer("open", **wish) == one
    assert agent.refusal("open", **wish, visibility="private")["status"] == 422
    seats = [agent.answer("join", match=one["match"])["seat"] for _ in range(2)]
    assert seats == [1, 2]
    assert agent.refusal("join", match=one["match"])["rule"] == "M2"


def test_a_join_with_its_key_gives_the_same_token_again(agent: Agent) -> None:
    match = agent.answer("open", game="calimala", seats=IN_THE_LOBBY)["match"]
    call = {"match": match, "seat": 1, "idempotency_key": KEY}
    assert agent.answer("join", **call) == agent.answer("join", **call)


def test_a_line_of_log_names_tool_match_and_refusal_and_no_token(
    agent: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has the status of the refusal, although HTTP answers 200."""
    caplog.set_level(logging.INFO, "giornale.request")
    agent.call("move", "seat:0", move=PLACE_DISC)
    agent.call("view", "seat:0")
    agent.ask("tools/list")

    lines = [one.__dict__ for one in caplog.records if one.name == "giornale.request"]
    facts = [(line["operation"], line["status"], line.get("match")) for line in lines]
    assert facts == [
        ("callTool.move", 409, agent.door.match),
        ("callTool.view", 200, agent.door.match),
        ("callTool", 200, None),
    ]
    assert agent.door.tokens["seat:0"] not in str(lines)


# ---- what is hidden ------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES_WITH_SECRETS)
@pytest.mark.parametrize("who", whole_but(["seat:1"], ["seat:1", "owner", ""]))
def test_hidden_state_changes_no_answer_of_a_tool(game: str, who: str) -> None:
    """Two secret choices of seat 0 give the same answers of every tool, except digests (C43)."""
    in_one = seen(Agent(played(game, 0)), who)
    in_other = seen(Agent(played(game, 1)), who)

    assert {name for name, _ in in_one} == set(TOOLS)
    assert in_one == in_other


@pytest.mark.parametrize("game", GAMES_WITH_SECRETS)
def test_the_seat_itself_sees_a_difference(game: str) -> None:
    """The two matches differ for seat 0. Otherwise the test of hidden state would prove nothing."""
    in_one = seen(Agent(played(game, 0)), "seat:0")
    in_other = seen(Agent(played(game, 1)), "seat:0")

    differing = {name for name, text in in_one.items() if text != in_other[name]}
    assert {name for name, _ in differing} >= {"view", "story"}


def seen(agent: Agent, who: str) -> dict[tuple[str, str], str]:
    """Return the answers of every tool to a caller, without digests."""
    game = json(agent.door.get())["game"]
    legal = agent.call("moves", who).get("structuredContent", {}).get("moves", [])
    a_move = legal[0]["move"] if legal else {"type": "end_activation"}
    calls: list[tuple[str, Json]] = [
        ("rules", {"game": game}),
        ("games", {}),
        *(("view", {"version": version} if version else {}) for version in (0, 2, 4)),
        ("moves", {}),
        ("moves", {"skip": 1}),
        ("wait", {"seconds": 0}),
        ("wait", {"seconds": 0, "after": 0}),
        ("story", {}),
        ("story", {"after": 2, "limit": 2}),
        ("advice", {}),
        ("verify", {}),
        ("join", {}),
        ("join", {"seat": 1}),
        ("move", {"move": a_move, "version": 2}),
        ("move", {"move": {"type": "castle"}}),
        ("move", {"move": a_move}),
        ("story", {"after": 3}),
        (
            "open",
            {"game": game, "seats": [HUMAN] * GAMES[game].seats[0], "idempotency_key": KEY * 2},
        ),
    ]
    texts = {}
    for tool, arguments in calls:
        asking = who if tool in OF_A_MATCH else ""
        texts[tool, dumps(arguments)] = masked(dumps(agent.call(tool, asking, **arguments)))
    return texts
