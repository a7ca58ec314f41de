"""A move on a watcher's screen: how long after the answer to its POST it is seen."""

import time
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser

from benchmarks.browsing.steps import WINDOW, open_table
from benchmarks.browsing.times import Times
from benchmarks.web import Client, open_match

LIVE = ".table-live"
PAUSE = 0.15  # seconds between two moves


@dataclass(frozen=True, slots=True)
class Live:
    """Moves as a client makes them and another one's page shows them.

    posts: from the request to its answer.   shown: from the answer to the screen; below 0 where the
    screen was first.
    """

    posts: Times
    shown: Times


def watched_moves(browser: Browser, port: int, game: str, number: int) -> Live:
    """Make moves in a new match of three people while a page looks on."""
    client = Client(port)
    match = open_match(client, game, seed="watched")
    context = browser.new_context(viewport=WINDOW)
    page = context.new_page()
    open_table(page, f"http://127.0.0.1:{port}/matches/{match['id']}")
    page.locator(LIVE).wait_for()
    page.evaluate("void clock.look()")

    posts: list[float] = []
    shown: list[float] = []
    for index in range(number):
        answer = move(client, match, index)
        seen_at = page.evaluate("(version) => clock.seen(version)", answer.version)
        posts.append(answer.took)
        shown.append(seen_at - answer.at)
        time.sleep(PAUSE)
    context.close()
    client.connection.close()
    return Live(Times(posts), Times(shown))


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a move: the version that it made.

    at: when it came, in milliseconds since the epoch.   took: milliseconds since the request.
    """

    version: int
    at: float
    took: float


def move(client: Client, match: dict[str, Any], index: int) -> Answer:
    """Make a move for whoever is to act."""
    path = f"/v1/matches/{match['id']}"
    _, document = client.ask("GET", path)
    seat = document["waiting_for"]["seats"][0]
    token = match["tokens"][f"seat:{seat}"]
    _, legal = client.ask("GET", f"{path}/moves", token=token)
    chosen = legal["moves"][index % len(legal["moves"])]

    start = time.time()
    status, commit = client.ask("POST", f"{path}/moves", chosen, token)
    end = time.time()
    assert status == 201, commit
    return Answer(version=commit["version"], at=end * 1000, took=(end - start) * 1000)
