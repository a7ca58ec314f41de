"""Readers of a benchmark, each in a process of its own: streams over HTTP, and a bare XREAD BLOCK.

`python -m benchmarks.following.readers streams PORT MATCHES NUMBER` or `bare URL MATCHES`. A reader
prints "reading" as soon as it reads, and, once it is told to stop by a line on its standard input,
all that it was told.
"""

import json
import re
import selectors
import socket
import sys
import threading
import time
from typing import NamedTuple

from redis import Redis

from benchmarks.web import HOST
from service.config import Config
from service.journal.keys import COMMITS, Keys

_RECEIVED = 65536  # bytes at once
_BLOCK_MS = 200

_EVENT = re.compile(rb"id: (\d+)\nevent: commit\n")


class EventTime(NamedTuple):
    """When a reader was told a commit of a match, in seconds since the epoch."""

    match: str
    version: int
    time: float


class Stream:
    """A stream of a match, from now on."""

    def __init__(self, port: int, match: str) -> None:
        self.match = match
        self.connection = socket.create_connection((HOST, port))
        self._unread = b""
        request = f"GET /v1/matches/{match}/stream HTTP/1.1\r\nHost: {HOST}\r\n\r\n"
        self.connection.sendall(request.encode())

        # What comes first is the interval for connecting again: then the match is followed.
        begun = b""
        while b"retry: " not in begun:
            begun += self.connection.recv(_RECEIVED)

    def take(self, told: list[EventTime]) -> None:
        """Note each commit in what has come."""
        received = self.connection.recv(_RECEIVED)
        now = time.time()
        self._unread += received
        end = 0
        for event in _EVENT.finditer(self._unread):
            told.append(EventTime(self.match, int(event[1]), now))
            end = event.end()
        self._unread = self._unread[end:]


def read_streams(port: int, matches: list[str], number: int) -> list[EventTime]:
    """Read so many streams, in turn of the matches, until a line comes on standard input."""
    told: list[EventTime] = []
    with selectors.DefaultSelector() as selector:
        for index in range(number):
            stream = Stream(port, matches[index % len(matches)])
            selector.register(stream.connection, selectors.EVENT_READ, stream)
        selector.register(sys.stdin, selectors.EVENT_READ)

        print("reading", flush=True)
        while True:
            for key, _ in selector.select():
                if key.data is None:
                    return told
                key.data.take(told)


def read_bare(url: str, matches: list[str]) -> list[EventTime]:
    """Follow the matches' streams in the server itself, until a line comes on standard input."""
    told: list[EventTime] = []
    keys = Keys(Config.load({}).partitions, sharded=False)
    names = {keys.of(match, COMMITS).encode(): match for match in matches}
    stopped = threading.Event()
    threading.Thread(target=_stop_at_a_line, args=[stopped], daemon=True).start()

    with Redis.from_url(url) as client:
        seen = dict.fromkeys(names, b"1-0")  # the first commit has been made
        print("reading", flush=True)
        while not stopped.is_set():
            for name, entries in client.xread(seen, block=_BLOCK_MS):
                now = time.time()
                for entry_id, _ in entries:
                    told.append(EventTime(names[name], int(entry_id.split(b"-")[0]), now))
                    seen[name] = entry_id
    return told


def _stop_at_a_line(stopped: threading.Event) -> None:
    sys.stdin.readline()
    stopped.set()


def main() -> None:
    """Read as the arguments say, and print what was told."""
    kind, where, matches, *number = sys.argv[1:]
    if kind == "streams":
        told = read_streams(int(where), matches.split(","), int(*number))
    else:
        told = read_bare(where, matches.split(","))
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
