"""examples/relay: the feed in a stream of a real NATS server, through a kill and a second relay."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from giornale_client import Client
from service.matches.context import Context
from service.ops.process.preflight import free_port
from tests.running import PATIENCE, until
from tests.service.ops.cli.conftest import Seal
from tests.service.ops.cli.test_dump import played

ROOT = Path(__file__).parents[4]
EXAMPLE = ROOT / "examples/relay"
SERVER = shutil.which("nats-server")

pytestmark = pytest.mark.skipif(SERVER is None, reason="nats-server is not on the PATH")
nats = pytest.importorskip("nats", reason="the package nats-py is not installed")

# The program, killed when its third line is in the stream.
KILLED = """
import asyncio, os, signal, sys
import relay
from giornale_client import Client

hand_on = relay.hand_on

async def hand_on_and_die(jetstream, commit, last):
    name = await hand_on(jetstream, commit, last)
    if commit["position"] == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return name

relay.hand_on = hand_on_and_die
asyncio.run(relay.relay(Client(sys.argv[1]), sys.argv[2], once=True))
"""

# One line of the feed, handed on after a position by a relay that is far behind, or far ahead.
OUT_OF_TURN = """
import asyncio, sys
import nats, relay

async def hand_on():
    connection = await nats.connect(sys.argv[1])
    position = int(sys.argv[3])
    line = {"log": sys.argv[2], "position": position, "hash": "of another relay"}
    await relay.hand_on(connection.jetstream(), line, f"{sys.argv[2]}-{position - 1}")
    await connection.close()

asyncio.run(hand_on())
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A NATS server with JetStream."""
    port = free_port("127.0.0.1", 0)
    files = str(tmp_path / "nats")
    command = [str(SERVER), "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", files]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        until(lambda: _listens(port), "the NATS server")
        yield f"nats://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(PATIENCE)


def _listens(port: int) -> bool:
    """Return True if somebody takes connections at a port."""
    try:
        socket.create_connection(("127.0.0.1", port), PATIENCE).close()
    except OSError:
        return False
    return True


def run(*arguments: str | Path) -> int:
    """Run Python beside the example. Return its exit code."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(EXAMPLE), str(ROOT)])}
    command = [sys.executable, *map(str, arguments)]
    completed = subprocess.run(
        command, env=environment, timeout=PATIENCE, check=False, stderr=subprocess.DEVNULL
    )
    return completed.returncode


def relayed(url: str, address: str) -> list[Any]:
    """Run the program to the end of the feed. Return the messages of the stream."""
    assert run(EXAMPLE / "relay.py", url, address, "--once") == 0
    return asyncio.run(_messages(address))


async def _messages(address: str) -> list[Any]:
    """Return the subject, the id and the line of each message of the stream, in its order."""
    connection = await nats.connect(address)
    jetstream = connection.jetstream()
    state = (await jetstream.stream_info("GIORNALE")).state
    messages = []
    for number in range(1, state.last_seq + 1):
        message = await jetstream.get_msg("GIORNALE", number)
        headers = message.headers or {}
        line = orjson.loads(message.data or b"")
        messages.append((message.subject, headers["Nats-Msg-Id"], line))
    await connection.close()
    return messages


@pytest.mark.whole
def test_each_line_is_handed_on_once_in_order_through_a_kill(
    here: Context, url: str, seal: Seal, address: str
) -> None:
    """A message has log and position as its id.

    A restarted relay goes on after the last message.
    """
    match = played(here, 1)
    played(here, 2, "private")
    seal()
    assert run("-c", KILLED, url, address) == -signal.SIGKILL
    assert len(asyncio.run(_messages(address))) == 3

    messages = relayed(url, address)
    with Client(url) as client:
        commits = list(client.feed(wait=None))
    assert [line for _, _, line in messages] == commits
    names = [f"{one['log']}-{one['position']}" for one in commits]
    assert [name for _, name, _ in messages] == names
    ended = {one[0] for one in messages if one[2].get("status") == "ended"}
    assert ended == {"giornale.toy.ended"}
    private = [one for one in messages if one[0] == "giornale.private"]
    assert private
    assert all("match" not in line for _, _, line in private)
    assert {line["match"] for _, _, line in messages if "match" in line} == {match}

    played(here, 3)
    seal()
    more = relayed(url, address)
    assert more[: len(messages)] == messages
    assert len(more) > len(messages)
    assert relayed(url, address) == more


@pytest.mark.whole
def test_no_line_is_taken_out_of_turn(here: Context, url: str, seal: Seal, address: str) -> None:
    """The stream refuses a line after a missing one, and an old line with a forgotten id."""
    asyncio.run(_forgetful(address))
    played(here, 1)
    seal()
    messages = relayed(url, address)

    log = messages[0][2]["log"]
    assert run("-c", OUT_OF_TURN, address, log, str(len(messages) + 1)) == 1
    until(lambda: run("-c", OUT_OF_TURN, address, log, "1") == 1, "the id to be forgotten")
    assert asyncio.run(_messages(address)) == messages


async def _forgetful(address: str) -> None:
    """Make the stream, so that it recognizes an id for a tenth of a second only."""
    connection = await nats.connect(address)
    await connection.jetstream().add_stream(
        name="GIORNALE", subjects=["giornale.>"], duplicate_window=0.1
    )
    await connection.close()
