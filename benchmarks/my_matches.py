"""Streams of many matches: their effect on moves, the delay of their news, and their memory.

200 streams follow 50 matches each: three players have the same 50 matches, and each player has one
stream. In turn a match is played without streams, and another one with them. Three streams follow
that one. A delay begins when the journal executes the append, by the time in the entry of the feed
(a whole millisecond), and ends when the news are read.

The memory of a stream is the growth of all web processes, in their proportional set size (Linux),
divided by the streams. In the first round each stream also gets a thread. Later rounds reuse it.
"""

import os
import re
import selectors
import socket
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from benchmarks.measure import Figures, limit, milliseconds, p99, show
from benchmarks.processes import tree
from benchmarks.readers import Arrival
from benchmarks.streams import appended, delays
from benchmarks.web import HOST, Client, legal_move, open_match, post_move, seat_tokens, server, web
from domain.games import GAMES
from tests.running import address_of

STREAMS = 200
MATCHES = 50  # of each stream
MOVES = 150
RUNS = 3
SETTLED_SECONDS = 1.0
GAME = next(iter(GAMES))

_NEWS = re.compile(rb'"match":"([a-z2-7]{26})","version":(\d+)')


class Stream:
    """A stream of the matches of some tokens."""

    def __init__(self, port: int, tokens: Sequence[str], address: str) -> None:
        self.connection = socket.create_connection((HOST, port), source_address=(address, 0))
        lines = [
            "GET /v1/me/stream HTTP/1.1",
            f"Host: {HOST}",
            f"Giornale-Tokens: {','.join(tokens)}",
        ]
        self.connection.sendall("\r\n".join([*lines, "", ""]).encode())
        self._unread = b""
        first: list[Arrival] = []
        while len(first) < len(tokens):
            self.take(first)

    def take(self, arrivals: list[Arrival]) -> None:
        """Note the news in what has come."""
        self._unread += self.connection.recv(65536)
        now = time.time()
        whole, _, self._unread = self._unread.rpartition(b"\n")
        for match, version in _NEWS.findall(whole):
            arrivals.append(Arrival(match.decode(), int(version), now))


@contextmanager
def following(port: int, tokens: Sequence[Sequence[str]]) -> Iterator[list[Arrival]]:
    """Hold a stream open for each list of tokens. Yield a list that receives all news."""
    arrivals: list[Arrival] = []
    streams = [
        Stream(port, token_list, address_of(number)) for number, token_list in enumerate(tokens)
    ]
    stopped = threading.Event()

    def read() -> None:
        with selectors.DefaultSelector() as selector:
            for stream in streams:
                selector.register(stream.connection, selectors.EVENT_READ, stream)
            while not stopped.is_set():
                for key, _ in selector.select(0.1):
                    key.data.take(arrivals)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    yield arrivals
    time.sleep(SETTLED_SECONDS)
    stopped.set()
    reader.join()
    for stream in streams:
        stream.connection.close()
    time.sleep(6)  # until the server has noticed that they have gone


def play(client: Client, match: dict[str, Any]) -> list[float]:
    """Make moves in a match. Return the milliseconds of each."""
    times = []
    for number in range(MOVES):
        choice = legal_move(client, match, number)
        if choice is None:
            break
        times.append(milliseconds(partial(post_move, client, match, *choice)))
    return times


def tokens_of_streams(matches: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Return the tokens of each stream: of one seat in MATCHES matches."""
    groups = [matches[begin : begin + MATCHES] for begin in range(0, len(matches), MATCHES)]
    token_lists = [
        list(tokens) for group in groups for tokens in zip(*map(seat_tokens, group), strict=True)
    ]
    return token_lists[:STREAMS]


def web_memory() -> float:
    """Return the memory of this process's web processes in kB."""
    below = tree(os.getpid())
    return sum(one.pss for one in below if one.name.startswith("giornale web")) / 1024


def main() -> Figures:
    """Print the figures. Return the ratios."""
    alone: list[float] = []
    beside: list[float] = []
    news: list[Arrival] = []
    grown: list[float] = []

    with server() as url, web(url, RATE_LIMIT="0", ADDRESS_LIMIT="0") as port:
        client = Client(port)
        groups = -(-STREAMS // 3)
        followed = [open_match(client, GAME) for _ in range(groups * MATCHES)]
        others = [open_match(client, GAME) for _ in range(RUNS + 1)]
        play(client, others.pop())  # the first match costs more, and does not count

        for match, other in zip(followed[:RUNS], others, strict=True):
            alone += play(Client(port), other)
            before = web_memory()
            with following(port, tokens_of_streams(followed)) as arrivals:
                time.sleep(SETTLED_SECONDS)
                grown.append((web_memory() - before) / STREAMS)
                arrivals.clear()
                beside += play(Client(port), match)
            news += arrivals

        late = delays(news, appended(url, [match["match"] for match in followed[:RUNS]]))

    again = statistics.median(grown[1:] or grown)
    show("p99 of a move", {"alone": p99(alone), "beside the streams": p99(beside)}, "ms")
    show("from a commit to its news", {"p99": p99(late)}, "ms")
    show("memory of a stream", {"with its thread": grown[0], "later": again}, "kB")
    return [
        limit("p99 of a move beside streams of many matches", p99(beside) / p99(alone), 1.3),
        limit("p99 of news of a commit against 20 ms", p99(late) / 20, 1),
        limit("memory of a stream of many matches with its thread (kB)", grown[0], 60),
        limit("memory of a stream of many matches, its thread being there (kB)", again, 60),
    ]
