"""Agents that play by the Model Context Protocol alone, through its official client.

`python -m tests.e2e.agents [matches]` lets a random agent play so many matches of each game against
bots, several at a time, and prints how many calls it made. It fails at the first refused call.
"""

import asyncio
import json
import random
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client
from mcp.types import TextContent

from domain.games import GAMES
from tests.running import PATIENCE, RunningService, running_service

Json = dict[str, Any]
Done = TypeVar("Done")

MATCHES = 50  # of each game
AT_ONCE = 5  # matches
SETTINGS = {"GIORNALE_OPENINGS": "0", "GIORNALE_RATE_LIMIT": "0", "GIORNALE_ADDRESS_LIMIT": "0"}


STALE = 412  # the answer to a move for a version that is no longer the last


def run(work: Coroutine[Any, Any, Done]) -> Done:
    """Do some work to its end, and return its result.

    The work has a thread of its own: in the present one Playwright may have left a loop running.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


class Refused(Exception):
    """A tool has refused a call for a lasting reason, given in `problem`."""

    def __init__(self, tool: str, problem: Json) -> None:
        super().__init__(f"{tool}: {problem}")
        self.problem = problem


@dataclass
class Agent:
    """A caller of tools.

    calls: their number, by tool. put_off: calls that were refused only for a while, and then
    repeated. overtaken: the number of moves refused because another seat's came first.
    """

    client: Client
    calls: Counter[str] = field(default_factory=Counter)
    put_off: list[str] = field(default_factory=list)
    overtaken: int = 0

    async def call(self, tool: str, **arguments: Any) -> Json:
        """Return a tool's answer. The client checks it against its schema. Raises Refused."""
        while True:
            self.calls[tool] += 1
            result = await self.client.call_tool(tool, arguments)
            if not result.is_error:
                answered: Json = result.structured_content
                return answered

            [content] = result.content
            assert isinstance(content, TextContent)
            problem = json.loads(content.text)
            if "retry_after" not in problem:
                raise Refused(tool, problem)
            self.put_off.append(f"{tool}: {problem['detail']}")
            await asyncio.sleep(problem["retry_after"])


@asynccontextmanager
async def agent(service: RunningService, mode: str = "2026-07-28") -> AsyncIterator[Agent]:
    """Yield an agent of a running service. mode: the protocol's version, or legacy."""
    async with Client(f"{service.url}/mcp", mode=mode, read_timeout_seconds=PATIENCE) as client:
        yield Agent(client)


async def every_move(one: Agent, seat: Json) -> tuple[int, list[Json]]:
    """Return the version, and all legal moves of a seat from all pages."""
    moves: list[Json] = []
    while True:
        page = await one.call("moves", **seat, skip=len(moves))
        moves += page["moves"]
        if not page["more"]:
            return page["version"], moves


async def play(one: Agent, game: str, chance: random.Random, levels: Sequence[str]) -> Json:
    """Open a match against bots of some levels, play it by chance, and return how it ended."""
    human = {"kind": "human", "name": "Agent"}
    bots = [{"kind": "bot", "level": level} for level in levels]
    opened = await one.call("open", game=game, seats=[human, *bots])
    seat = {"match": opened["match"], "token": opened["tokens"]["seat:0"]}

    standing = await one.call("wait", **seat)
    while standing["status"] == "running":
        if not standing["your_turn"]:
            standing = await one.call("wait", **seat)
            continue
        version, moves = await every_move(one, seat)
        move = chance.choice(moves)["move"]
        key = uuid.uuid4().hex
        arguments = {"move": move, "version": version, "idempotency_key": key}
        try:
            standing = await one.call("move", **seat, **arguments)
        except Refused as refused:
            if refused.problem["status"] != STALE:
                raise
            one.overtaken += 1
    return standing


def rivals(game: str) -> list[str]:
    """Return the levels of bots that fill a table for three, or as many as may play."""
    allowed = GAMES[game].seats
    number = 3 if 3 in allowed else allowed[0]
    return ["random"] * (number - 1)


async def play_many(service: RunningService, matches: int, seed: int = 1) -> Agent:
    """Let a random agent play so many matches of each game. Return it."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one_match(one: Agent, game: str, number: int) -> None:
        async with room:
            chance = random.Random(f"{seed} {game} {number}")
            ended = await play(one, game, chance, rivals(game))
            assert ended["status"] == "ended", ended

    async with agent(service) as one:
        numbers = [(game, number) for game in GAMES for number in range(matches)]
        await asyncio.gather(*(one_match(one, game, number) for game, number in numbers))
        return one


def main(matches: int = MATCHES) -> None:
    """Play, and print the results."""
    with (
        tempfile.TemporaryDirectory() as directory,
        running_service(Path(directory), **SETTINGS) as service,
    ):
        one = asyncio.run(play_many(service, matches))
    print(f"{matches} matches of each of {', '.join(GAMES)}: all ended")
    print(f"{one.calls.total()} calls ({dict(one.calls)}), none refused")
    print(f"{one.overtaken} moves overtaken by another seat's, and made anew")
    print(f"{len(one.put_off)} calls put off for a while {Counter(one.put_off).most_common(5)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
