"""Agents play by the official client of the Model Context Protocol, in both of its forms."""

import asyncio
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from domain.games import GAMES
from service.capabilities.agents.routes import STATELESS, WITH_HANDSHAKE
from service.capabilities.agents.tools.table import TOOLS
from tests.e2e.agents import agent, play, rivals, run
from tests.e2e.slips import LAST, SLIPS, is_right
from tests.running import LONGEST_POLL_SECONDS, PATIENCE, RunningService

Json = dict[str, Any]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_client_finds_out_how_to_speak(service: RunningService, mode: str) -> None:
    """The client agrees on the newest version that both speak, and lists all tools."""

    async def meet() -> tuple[str | None, list[str]]:
        async with Client(f"{service.url}/mcp", mode=mode) as client:
            listed = await client.list_tools()
            return client.session.protocol_version, [tool.name for tool in listed.tools]

    spoken, names = run(meet())

    assert spoken == (STATELESS if mode == "auto" else WITH_HANDSHAKE[0])
    assert names == list(TOOLS)


@pytest.mark.whole
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("mode", [STATELESS, "legacy"])
def test_an_agent_plays_a_whole_match(service: RunningService, game: str, mode: str) -> None:
    """An agent plays by tools alone, and nothing is refused. Then the history is found right.

    The client holds every answer against the tool's schema.
    """

    async def meet() -> tuple[Json, Json]:
        async with agent(service, mode) as one:
            ended = await play(one, game, random.Random(game), rivals(game))
            match = {"match": ended["match"]}
            async with asyncio.timeout(PATIENCE):
                while (report := await one.call("verify", **match))["status"] == "checking":
                    await asyncio.sleep(LONGEST_POLL_SECONDS)
            return ended, report

    ended, report = run(meet())

    assert ended["status"] == "ended"
    assert sorted(ended["outcome"]) == ["points", "ranks"]
    assert (report["verdict"], report["wrong"]) == ("right", None)
    assert report["checked"] > 20 or game not in ("calimala", "firenze")


def test_a_token_in_a_header_stands_for_all_calls(service: RunningService) -> None:
    """An agent can be set up so for one seat of one match."""

    async def meet() -> Json:
        async with agent(service) as one:
            seats = [{"kind": "human"}] * GAMES["firenze"].seats[0]
            opened = await one.call("open", game="firenze", seats=seats)
        headers = {"Authorization": f"Bearer {opened['tokens']['seat:1']}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"{service.url}/mcp", http_client=http)
            async with Client(transport, mode=STATELESS) as client:
                result = await client.call_tool("view", {"match": opened["match"]})
        content: Json = result.structured_content
        return content

    assert run(meet())["seat"] == 1


def test_errors_of_the_protocol_reach_the_client(service: RunningService) -> None:
    """An unknown tool is an error. A refusal of a known tool is an answer that the model reads."""

    async def meet() -> Any:
        async with Client(f"{service.url}/mcp", mode=STATELESS) as client:
            with pytest.raises(MCPError, match="no such tool"):
                await client.call_tool("fly", {})
            return await client.call_tool("rules", {"game": "chess"})

    refused = run(meet())
    assert refused.is_error
    assert "must be one of calimala" in refused.content[0].text


@pytest.mark.parametrize("mode", [STATELESS, "legacy"])
def test_no_slip_of_a_model_ends_a_session(service: RunningService, mode: str) -> None:
    """Each answer names the wrong argument, or the tools."""

    async def slip() -> Json:
        answers: Json = {}
        async with Client(f"{service.url}/mcp", mode=mode) as client:
            for name, one in SLIPS.items():
                try:
                    result: Any = await client.call_tool(one.tool, one.arguments)
                except MCPError as error:
                    answers[name] = {"error": True, "text": str(error)}
                else:
                    text = result.content[0].text
                    answers[name] = {"error": False, "is_error": result.is_error, "text": text}
            answers[LAST] = not (await client.call_tool(LAST, {})).is_error
        return answers

    answers = run(slip())

    assert [name for name, one in SLIPS.items() if not is_right(one, answers[name])] == []
    assert answers[LAST] is True


CLIENT_BEFORE_2 = "mcp==1.30.0"


@pytest.mark.whole
def test_a_models_slip_ends_no_session_of_client_version_1(service: RunningService) -> None:
    """That client gives a session up at the first status of 400 or more."""
    uv = str(Path(sys.executable).with_name("uv"))
    own_environment = [uv, "run", "--isolated", "--no-project", "--with", CLIENT_BEFORE_2]
    there = subprocess.run([*own_environment, "python", "-c", ""], capture_output=True, check=False)
    if there.returncode:
        pytest.skip(f"{CLIENT_BEFORE_2} cannot be had")

    sending = [*own_environment, "python", "-m", "tests.e2e.slips", f"{service.url}/mcp"]
    completed = subprocess.run(
        sending, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert completed.returncode == 0, completed.stderr[-2000:]
    answers = json.loads(completed.stdout)

    assert [name for name, one in SLIPS.items() if not is_right(one, answers[name])] == []
    assert answers[LAST]["is_error"] is False
    assert answers["version"] == WITH_HANDSHAKE[0]
