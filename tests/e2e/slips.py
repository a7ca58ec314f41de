"""Typical slips of models that call tools, for both official clients of the protocol.

`python -m tests.e2e.slips URL` sends them by the client of the releases before 2 and prints the
results. `uv` puts that client into an environment of its own.
"""

import asyncio
import json
import sys
from typing import Any, NamedTuple

ID = "a" * 26
SEATS = [{"kind": "human"}, {"kind": "human"}, {"kind": "bot", "level": "random"}]

# The last call: it shows that the session goes on.
LAST = "games"


class Slip(NamedTuple):
    """A wrong call. place: the argument that the refusal names, None for a wrong tool."""

    tool: str
    arguments: dict[str, Any]
    place: str | None


def _nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


SLIPS = {
    "wrong-name": Slip("make_move", {}, None),
    "no-name": Slip("", {}, None),
    "long-name": Slip("x" * 5000, {}, None),
    "missing": Slip("rules", {}, "/game"),
    "null": Slip("rules", {"game": None}, "/game"),
    "extra": Slip("rules", {"game": "calimala", "language": "en"}, "/language"),
    "number-for-text": Slip("rules", {"game": 7}, "/game"),
    "list-for-text": Slip("rules", {"game": ["calimala"]}, "/game"),
    "text-for-number": Slip("view", {"match": ID, "version": "3"}, "/version"),
    "fraction": Slip("view", {"match": ID, "version": 1.5}, "/version"),
    "enormous-number": Slip("view", {"match": ID, "version": 10**30}, "/version"),
    "enormous-fraction": Slip("view", {"match": ID, "version": 1e300}, "/version"),
    "truth-for-number": Slip("wait", {"match": ID, "seconds": True}, "/seconds"),
    "beyond-the-most": Slip("wait", {"match": ID, "seconds": 3600}, "/seconds"),
    "text-for-object": Slip("move", {"match": ID, "move": '{"type": "castle"}'}, "/move"),
    "object-for-text": Slip("move", {"match": {"id": ID}, "move": {}}, "/match"),
    "nested-too-deeply": Slip("move", {"match": ID, "move": _nested(60)}, "/move"),
    "text-for-list": Slip("open", {"game": "calimala", "seats": json.dumps(SEATS)}, "/seats"),
    "text-for-seat": Slip("open", {"game": "calimala", "seats": ["a human", *SEATS]}, "/seats/0"),
    "wrong-kind": Slip("open", {"game": "calimala", "seats": [{"kind": "ai"}]}, "/seats/0/kind"),
    "wrong-id": Slip("story", {"match": "the match"}, "/match"),
    "wrong-token": Slip("moves", {"match": ID, "token": "seat:0"}, "/token"),
}


def is_right(slip: Slip, answer: dict[str, Any]) -> bool:
    """Return True if a slip was told of as it should be: by its argument, or by the tools."""
    if slip.place is None:
        return answer["error"] is True and "Tools: rules, games" in answer["text"]
    return answer["error"] is False and answer["is_error"] is True and slip.place in answer["text"]


async def by_the_client_before_2(url: str) -> dict[str, Any]:
    """Return the older client's answer to each slip, in one session, and to a right call."""
    from mcp import ClientSession, McpError  # type: ignore[attr-defined]
    from mcp.client.streamable_http import streamablehttp_client  # type: ignore[attr-defined]

    answers: dict[str, Any] = {}
    async with (
        streamablehttp_client(url) as (reading, writing, _),
        ClientSession(reading, writing) as session,
    ):
        greeting: Any = await session.initialize()
        answers["version"] = greeting.protocolVersion
        for name, slip in {**SLIPS, LAST: Slip(LAST, {}, None)}.items():
            try:
                result: Any = await session.call_tool(slip.tool, slip.arguments)
            except McpError as error:
                answers[name] = {"error": True, "text": str(error)}
            else:
                text = result.content[0].text
                answers[name] = {"error": False, "is_error": result.isError, "text": text}
    return answers


if __name__ == "__main__":
    print(json.dumps(asyncio.run(by_the_client_before_2(sys.argv[1]))))
