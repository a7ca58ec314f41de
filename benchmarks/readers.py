"""Readers of matches, each in a separate process: streams, a bare XREAD BLOCK, one far behind.

`reading`, below, starts `python -m benchmarks.readers ROLE ARGUMENTS`, for the benchmark `streams`.
A reader prints "reading" as soon as it reads. A line on its standard input stops it, and it prints
all commits that it received.
"""

import json
import re
import select
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import NamedTuple

from redis import Redis

from benchmarks.web import HOST, REQUEST_SECONDS
from service.base.config import Config
from service.store.journal.keys import COMMITS, Keys
from tests.running import address_of

RECEIVED = 65536  # bytes at once
_EVENT = re.compile(rb"id: (\d+)\nevent: commit\n")


class Arrival(NamedTuple):
    """The time at which a reader received a commit of a match, in seconds since the epoch."""

    match: str
    version: int
    time: float


@contextmanager
def reading(role: str, *arguments: object) -> Iterator[list[Arrival]]:
    """Let a process read. After the block the list has all commits that it received."""
    command = [sys.executable, "-m", "benchmarks.readers", role, *map(str, arguments)]
    arrivals: list[Arrival] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"reading\n"
        yield arrivals
        rest, _ = reader.communicate(b"stop\n")
    arrivals += [Arrival(*each) for each in json.loads(rest)]


def may_stop(seconds: float = 0) -> bool:
    """Return True if a line came on the standard input within so many seconds."""
    return bool(select.select([sys.stdin], [], [], seconds)[0])


class Stream:
    """A stream of a match, from now on."""

    def __init__(self, port: int, match: str, address: str) -> None:
        self.match = match
        self.connection = socket.create_connection((HOST, port), source_address=(address, 0))
        self._unread = b""
        request = f"GET /v1/matches/{match}/stream HTTP/1.1\r\nHost: {HOST}\r\n\r\n"
        self.connection.sendall(request.encode())

        # The interval for reconnecting comes first: then the match is followed.
        head = b""
        while b"retry: " not in head:
            head += self.connection.recv(RECEIVED)

    def take(self, arrivals: list[Arrival]) -> None:
        """Note each commit in the received bytes."""
        received = self.connection.recv(RECEIVED)
        now = time.time()
        self._unread += received
        end = 0
        for event in _EVENT.finditer(self._unread):
            arrivals.append(Arrival(self.match, int(event[1]), now))
            end = event.end()
        self._unread = self._unread[end:]


def read_streams(port: str, ids: str, number: str, never_read: str) -> list[Arrival]:
    """Hold so many streams open, in turn of the matches. Some of them are never read."""
    arrivals: list[Arrival] = []
    matches = ids.split(",")
    streams = [
        Stream(int(port), matches[place % len(matches)], address_of(place))
        for place in range(int(number))
    ]
    with selectors.DefaultSelector() as selector:
        for stream in streams[int(never_read) :]:
            selector.register(stream.connection, selectors.EVENT_READ, stream)
        selector.register(sys.stdin, selectors.EVENT_READ)

        print("reading", flush=True)
        while True:
            for key, _ in selector.select():
                if key.data is None:
                    return arrivals
                key.data.take(arrivals)


def read_bare(url: str, ids: str) -> list[Arrival]:
    """Follow the matches' streams in the server itself."""
    arrivals: list[Arrival] = []
    keys = Keys(Config.load({}).partitions, sharded=False)
    names = {keys.of(match, COMMITS).encode(): match for match in ids.split(",")}
    with Redis.from_url(url) as client:
        last = dict.fromkeys(names, b"1-0")  # after the first commit
        print("reading", flush=True)
        while not may_stop():
            for name, entries in client.xread(last, block=200):
                now = time.time()
                for entry_id, _ in entries:
                    arrivals.append(Arrival(names[name], int(entry_id.split(b"-")[0]), now))
                    last[name] = entry_id
    return arrivals


def catch_up(port: str, match: str, commits: str) -> list[Arrival]:
    """Catch up with a match from its first commit again and again, one stream after the other."""
    print("reading", flush=True)
    last = f"id: {commits}\n".encode()
    while not may_stop(0.25):  # meanwhile the server notices that the last reader has gone
        connection = HTTPConnection(HOST, int(port), timeout=REQUEST_SECONDS)
        connection.request("GET", f"/v1/matches/{match}/stream?after=1")
        answer = connection.getresponse()
        while answer.readline() != last:
            pass
        connection.close()
    return []


ROLES: dict[str, Callable[..., list[Arrival]]] = {
    "streams": read_streams,
    "bare": read_bare,
    "behind": catch_up,
}


if __name__ == "__main__":
    print(json.dumps(ROLES[sys.argv[1]](*sys.argv[2:])), flush=True)
