"""What 200 open streams on one web process do to the p99 of other requests; the goal is 2x at most.

`python -m benchmarks.streams [streams]` runs a web process and plays matches over HTTP: with no
streams open, with all of them on matches that lie still ("idle"), and with all of them on the match
that is played ("hot"). Some of their readers never read.
"""

import selectors
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from benchmarks.measure import Ratio, p99
from benchmarks.web import HOST, Client, open_match, server, web
from domain.games import GAMES

STREAMS = 200
NEVER_READ = 10  # of the streams
MOVES = 150
RUNS = 3
GOAL = 2.0
GAME = next(iter(GAMES))
NOTICED_SECONDS = 6  # until the server has noticed that readers have gone
RECEIVED = 65536  # bytes at once


def nothing(_match_id: str) -> None:
    """Open no stream on the match that is played."""


def play(port: int, watch: Callable[[str], object] = nothing) -> list[float]:
    """Play a match; return the seconds that each move and each look at the state took."""
    client = Client(port)
    match = open_match(client, GAME)
    watch(match["id"])

    seconds: list[float] = []
    for number in range(MOVES):
        took = play_once(client, match, number)
        if not took:
            break
        seconds += took
    return seconds


def play_once(client: Client, match: dict[str, Any], number: int) -> list[float]:
    """Make a move and look at the state; return the seconds of both, or nothing at the end."""
    path = f"/v1/matches/{match['id']}"
    _, document = client.ask("GET", path)
    seats = document["waiting_for"]["seats"]
    if not seats:
        return []

    token = match["tokens"][f"seat:{seats[0]}"]
    _, legal = client.ask("GET", f"{path}/moves", token=token)
    moves = legal["moves"]
    move = moves[number % len(moves)]
    return [
        seconds_of(client, "POST", f"{path}/moves", move, token),
        seconds_of(client, "GET", f"{path}/state", None, token),
    ]


def seconds_of(client: Client, method: str, path: str, body: Any, token: str) -> float:
    """Return how long a request took."""
    start = time.perf_counter()
    status, _ = client.ask(method, path, body, token)
    took = time.perf_counter() - start
    assert status in (200, 201)
    return took


@contextmanager
def streams(port: int, match_id: str, number: int) -> Iterator[None]:
    """Hold streams of a match open in another process."""
    arguments = ["hold", str(port), match_id, str(number)]
    command = [sys.executable, "-m", "benchmarks.streams", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        yield
        holder.terminate()


def hold(port: int, match_id: str, number: int) -> None:
    """Open streams and read all but a few of them, until a signal ends this process."""
    selector = selectors.DefaultSelector()
    never_read = []
    for index in range(number):
        stream = open_stream(port, match_id)
        if index < NEVER_READ:
            never_read.append(stream)
        else:
            selector.register(stream, selectors.EVENT_READ, data=stream)

    print("open", flush=True)
    while True:
        for key, _ in selector.select():
            key.data.recv(RECEIVED)


def open_stream(port: int, match_id: str) -> socket.socket:
    """Return a connection on which the stream of a match has begun."""
    connection = socket.create_connection((HOST, port))
    request = f"GET /v1/matches/{match_id}/stream HTTP/1.1\r\nHost: {HOST}\r\n\r\n"
    connection.sendall(request.encode())
    assert connection.recv(15).startswith(b"HTTP/1.1 200")
    return connection


def measure(port: int, number: int) -> dict[str, list[float]]:
    """Return the seconds that requests took, by where the streams were."""
    seconds: dict[str, list[float]] = {"none": [], "idle": [], "hot": []}
    play(port)  # what only the first match makes does not count

    for _ in range(RUNS):
        seconds["none"] += play(port)

        idle = open_match(Client(port), GAME)
        with streams(port, idle["id"], number):
            seconds["idle"] += play(port)
        time.sleep(NOTICED_SECONDS)

        with ExitStack() as held:

            def watch(match_id: str, held: ExitStack = held) -> None:
                held.enter_context(streams(port, match_id, number))

            seconds["hot"] += play(port, watch)
        time.sleep(NOTICED_SECONDS)
    return seconds


def main(number: int = STREAMS) -> list[Ratio]:
    """Print the times with and without streams; return the ratios."""
    with server() as url, web(url) as port:
        seconds = measure(port, number)

    for name, took in seconds.items():
        p50 = statistics.median(took) * 1000
        print(f"{name:5} p50 {p50:6.2f} ms   p99 {p99(took) * 1000:6.2f} ms")

    alone = p99(seconds["none"])
    ratios = [
        Ratio(
            f"p99 with {number} {name} streams against none",
            p99(seconds[name]) / alone,
            GOAL,
            smaller_is_better=True,
        )
        for name in ("idle", "hot")
    ]
    print(*ratios, sep="\n")
    return ratios


if __name__ == "__main__":
    if sys.argv[1:2] == ["hold"]:
        hold(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    else:
        main(*map(int, sys.argv[1:]))
