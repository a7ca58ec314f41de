"""What 200 open streams on one web process do to the p99 of the other requests; the goal is within 2x.

`python -m benchmarks.streams [streams]` runs a web process, plays matches over HTTP with no streams open, with all
of them on matches that lie still, and with all of them on the match that is played, some of whose readers never read.
"""

import selectors
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from benchmarks.web import HOST, Client, open_match, server, web
from domain.games import GAMES

STREAMS = 200
SLOW = 10  # of them never read
MOVES = 150
GOAL = 2.0


def play(port: int, moves: int, watched: Callable[[str], object] = str) -> list[float]:
    """Play a match; return the seconds that each move and each look at the state took."""
    client = Client(port)
    match = open_match(client, next(iter(GAMES)))
    watched(match["id"])
    path, took = f"/v1/matches/{match['id']}", []
    for number in range(moves):
        _, state = client.ask("GET", path)
        if not state["waiting_for"]["seats"]:
            break
        token = match["tokens"][f"seat:{state['waiting_for']['seats'][0]}"]
        _, legal = client.ask("GET", f"{path}/moves", token=token)
        move = legal["moves"][number % len(legal["moves"])]
        for method, where, body in (("POST", "moves", move), ("GET", "state", None)):
            start = time.perf_counter()
            status, _ = client.ask(method, f"{path}/{where}", body, token)
            took.append(time.perf_counter() - start)
            assert status in (200, 201)
    return took


@contextmanager
def streams(port: int, match: str, number: int) -> Iterator[None]:
    """Hold streams of a match open in another process."""
    command = [sys.executable, "-m", "benchmarks.streams", "hold", str(port), match, str(number)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        yield
        holder.terminate()


def hold(port: int, match: str, number: int) -> None:
    """Open streams and read all but a few of them until the end."""
    chosen, slow = selectors.DefaultSelector(), []
    for one in range(number):
        opened = socket.create_connection((HOST, port))
        opened.sendall(f"GET /v1/matches/{match}/stream HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
        assert opened.recv(15).startswith(b"HTTP/1.1 200")
        if one < SLOW:
            slow.append(opened)
        else:
            chosen.register(opened, selectors.EVENT_READ)
    print("open", flush=True)
    while True:
        for key, _ in chosen.select():
            key.fileobj.recv(65536)  # type: ignore[union-attr]


def p99(took: list[float]) -> float:
    """Return the 99th percentile in milliseconds."""
    return statistics.quantiles(took, n=100)[98] * 1000


def main(number: int = STREAMS, runs: int = 3) -> None:
    """Measure and print."""
    figures: dict[str, list[float]] = {"none": [], "idle": [], "hot": []}
    with server() as url, web(url) as port:
        play(port, MOVES)
        for _ in range(runs):
            figures["none"] += play(port, MOVES)
            with streams(port, open_match(Client(port), next(iter(GAMES)))["id"], number):
                figures["idle"] += play(port, MOVES)
            with ExitStack() as held:
                figures["hot"] += play(
                    port, MOVES, lambda match: held.enter_context(streams(port, match, number))
                )
            time.sleep(6)  # until the server has noticed that the readers have gone
    for name, took in figures.items():
        ratio, p50 = p99(took) / p99(figures["none"]), statistics.median(took) * 1000
        print(
            f"{name:5} p50 {p50:6.2f} ms   p99 {p99(took):6.2f} ms   {ratio:4.2f}x (goal {GOAL:g}x)"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["hold"]:
        hold(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    else:
        main(*map(int, sys.argv[1:]))
