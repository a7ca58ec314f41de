"""What streams of many matches each do to moves, and how late their news are.

200 streams follow 50 matches each, by the tokens of all three seats of as many matches as that
takes. One match is played, without streams and with them. A delay begins when the journal executes
the append, by the time in the entry of the feed (a whole millisecond), and ends when the news are
read.
"""

import re
import selectors
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks.measure import Figures, limit, p99, show
from benchmarks.streams import appended
from benchmarks.web import HOST, Client, legal_move, open_match, seat_tokens, server, web
from domain.games import GAMES

STREAMS = 200
TOKENS = 50  # of each stream
MOVES = 150
RUNS = 3
GOAL = 1.3  # of the p99 of a move
GOAL_MS = 20
SETTLED_SECONDS = 1.0
GAME = next(iter(GAMES))

_NEWS = re.compile(rb'"match":"([a-z2-7]{26})","version":(\d+)')

# When news of a version of a match were read, in seconds since the epoch.
News = tuple[str, int, float]


class Stream:
    """A stream of the matches of some tokens."""

    def __init__(self, port: int, tokens: Sequence[str]) -> None:
        self.connection = socket.create_connection((HOST, port))
        lines = [
            "GET /v1/me/stream HTTP/1.1",
            f"Host: {HOST}",
            "Accept: application/x-ndjson",
            f"Giornale-Tokens: {','.join(tokens)}",
        ]
        self.connection.sendall("\r\n".join([*lines, "", ""]).encode())
        self._unread = b""
        begun: list[News] = []
        while len(begun) < len(tokens):
            self.take(begun)

    def take(self, seen: list[News]) -> None:
        """Note the news in what has come."""
        self._unread += self.connection.recv(65536)
        now = time.time()
        whole, _, self._unread = self._unread.rpartition(b"\n")
        for match, version in _NEWS.findall(whole):
            seen.append((match.decode(), int(version), now))


@contextmanager
def following(port: int, tokens: Sequence[str]) -> Iterator[list[News]]:
    """Hold the streams open; the list gets all news."""
    seen: list[News] = []
    streams = [
        Stream(port, tokens[number * TOKENS : (number + 1) * TOKENS]) for number in range(STREAMS)
    ]
    stopped = threading.Event()

    def read() -> None:
        with selectors.DefaultSelector() as selector:
            for stream in streams:
                selector.register(stream.connection, selectors.EVENT_READ, stream)
            while not stopped.is_set():
                for key, _ in selector.select(0.1):
                    key.data.take(seen)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    yield seen
    time.sleep(SETTLED_SECONDS)
    stopped.set()
    reader.join()
    for stream in streams:
        stream.connection.close()


def play(client: Client, match: dict[str, Any]) -> list[float]:
    """Make moves in a match; return the milliseconds of each."""
    taken = []
    for number in range(MOVES):
        found = legal_move(client, match, number)
        if found is None:
            break
        token, move = found
        start = time.perf_counter()
        status, answer = client.ask("POST", f"/v1/matches/{match['id']}/moves", move, token)
        taken.append(1000 * (time.perf_counter() - start))
        assert status == 201, answer
    return taken


def main() -> Figures:
    """Print the figures; return the ratios."""
    with server() as url, web(url, RATE_LIMIT="0", ADDRESS_LIMIT="0") as port:
        client = Client(port)
        opened = [open_match(client, GAME) for _ in range(STREAMS * TOKENS // 3 + RUNS)]
        tokens = [token for match in opened for token in seat_tokens(match)]

        others = [open_match(client, GAME) for _ in range(RUNS + 1)]
        play(client, others.pop())  # what only the first match makes does not count
        alone = [each for match in others for each in play(client, match)]

        with following(port, tokens) as seen:
            beside = [each for match in opened[:RUNS] for each in play(client, match)]

        played = [match["id"] for match in opened[:RUNS]]
        times = appended(url, played)
        late = [1000 * (at - times[match, version]) for match, version, at in seen]

    show("p99 of a move", {"alone": p99(alone), "beside the streams": p99(beside)}, "ms")
    show("from a commit to its news", {"p99": p99(late)}, "ms")
    return [
        limit("p99 of a move beside streams of many matches", p99(beside) / p99(alone), GOAL),
        limit("p99 of news of a commit against 20 ms", p99(late) / GOAL_MS, 1),
    ]
