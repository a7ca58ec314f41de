"""Floods of connections, half-sent requests, slow readers and bursts: the door stays open."""

import gzip
import select
import socket
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from json import dumps, loads
from pathlib import Path
from statistics import median

import pytest

from service.ops.process.valkey import Server
from service.ops.process.web import IDLE_SECONDS
from tests.attacks.flooding import (
    HOST,
    OTHER_FILES,
    THREE,
    Answer,
    Target,
    connections,
    for_seconds,
    need_files,
    rest,
    target,
)
from tests.running import until

HALF_A_BODY = (
    b"POST /v1/matches HTTP/1.1\r\n"
    b"Host: localhost\r\n"
    b"Content-Type: application/json\r\n"
    b"Content-Length: 55000\r\n"
    b"\r\n"
    b"{"
)
# Nothing, half a head, one request.
IDLE = (
    b"",
    b"GET /livez HTTP/1.1\r\nHost",
    b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
)
RECORD = Path("tests/records/calimala/1-3-00.ndjson.gz")
FLOOD_SECONDS = 2.0
SLOWER = 10  # times as long as without a flood an answer may take beside one, and a little more
OPERATOR = "the operator's own token of 32 bytes"


needs_loopback_addresses = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8 on its loopback"
)


@pytest.fixture(scope="module")
def attacked(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """A web process with little room, so that small floods fill it."""
    directory = tmp_path_factory.mktemp("attacked")
    room = {"WEB_THREADS": "2", "STREAMS": "8"}
    with target(server.url, directory, **room, OPERATOR_TOKEN=OPERATOR) as running:
        yield running


@pytest.fixture(scope="module")
def usual(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """A web process with the default room."""
    directory = tmp_path_factory.mktemp("usual")
    with target(server.url, directory, OPERATOR_TOKEN=OPERATOR) as running:
        yield running


def check(answer: Answer, *good: int) -> None:
    """Fail unless a request was answered well, or refused for want of room."""
    assert answer.status in (*good, 503)
    if answer.status == 503:
        assert answer.headers["retry-after"] == "1"
        assert loads(answer.body)["type"] == "/problems/overloaded"


def check_that_others_go_on(attacked: Target, path: str, usual: Target) -> None:
    """Fail unless /livez and a match are mostly answered in time during a flood.

    Fewer than half of the looks at the match may be refused for want of room (503). If the flood
    held others up, most answers would come late: bodies and idle connections are ended after five
    seconds.
    usual: a process without a flood. A busy machine slows it down as much at the same time.
    """
    usual_lives: list[float] = []
    lives: list[float] = []
    looks: list[Answer] = []

    def ask() -> None:
        usual_lives.append(usual.lives())
        lives.append(attacked.lives())
        look = attacked.ask("GET", path)
        check(look, 200)
        looks.append(look)

    for_seconds(FLOOD_SECONDS, ask)
    refused = [look for look in looks if look.status == 503]
    assert len(refused) < len(looks) / 2
    assert median(lives) < 1 + SLOWER * median(usual_lives)
    assert median(look.took for look in looks) < 4 + SLOWER * median(usual_lives)


def reads_a_body(attacked: Target) -> bool:
    """Return True if a body is read and understood."""
    return attacked.ask("POST", "/v1/matches", {"game": "firenze"}).status == 422


@pytest.mark.whole
def test_half_sent_bodies_hold_nobody_up(attacked: Target, usual: Target) -> None:
    """During 600 endless bodies others are answered. Over 500 of the senders get 408 or 503."""
    path = attacked.open_match()
    files_before = attacked.descriptors()

    with connections(attacked.port, 600, HALF_A_BODY) as sockets:
        check_that_others_go_on(attacked, path, usual)
        until(lambda: reads_a_body(attacked), "a body to be read")
        answers = [rest(connection) for connection in sockets]

    statuses = Counter(status_of(answer) for answer in answers)
    assert set(statuses) <= {b"408", b"503", b""}
    assert statuses[b"408"] + statuses[b"503"] > 500
    until(lambda: attacked.measure("giornale_reading_bodies ") == 0, "the bodies to be given up")
    until(lambda: attacked.descriptors() <= files_before + 20, "the connections to be closed")
    attacked.open_match()


def status_of(answer: bytes) -> bytes:
    """Return the status of an answer as it stands in its first line, b"" without an answer."""
    return answer[9:12]


@pytest.mark.whole
def test_idle_connections_shut_no_door_and_are_ended(attacked: Target, usual: Target) -> None:
    """1,100 connections of each silent kind: others go on, the server ends all of them."""
    path = attacked.open_match()
    need_files(len(IDLE) * 1100 + OTHER_FILES)

    with ExitStack() as opened:
        sockets: list[socket.socket] = []
        for payload in IDLE:
            sockets += opened.enter_context(connections(attacked.port, 1100, payload))
        # Their own 1,100 requests are answered: a busy machine takes seconds for them.
        for connection in sockets[-1100:]:
            connection.recv(1, socket.MSG_PEEK)

        check_that_others_go_on(attacked, path, usual)
        for connection in sockets:
            rest(connection)  # it ends, or the socket's timeout fails the test

    attacked.open_match()


@pytest.mark.whole
def test_idle_connections_block_a_small_door_only_for_a_while(
    server: Server, tmp_path: Path
) -> None:
    """1,100 connections to a process with 1,024 files: a probe waits 2.5 idle timeouts at most."""
    with (
        target(server.url, tmp_path, files="1024") as small,
        connections(small.port, 1100, IDLE[1]),
    ):
        answer = small.ask("GET", "/livez")

    assert answer.status == 200
    assert answer.took < 2.5 * IDLE_SECONDS


@pytest.mark.whole
def test_a_flood_of_probes_does_not_make_the_service_look_dead(attacked: Target) -> None:
    """192 requests for /livez and 64 for /metrics come at once. All for /livez are answered."""
    together = threading.Barrier(256)

    def ask(number: int) -> tuple[str, int]:
        path = "/livez" if number % 4 else "/metrics"
        together.wait()
        return path, attacked.ask("GET", path).status

    with ThreadPoolExecutor(256) as pool:
        answered = set(pool.map(ask, range(256)))

    statuses_of_livez = {status for path, status in answered if path == "/livez"}
    statuses_of_metrics = {status for path, status in answered if path == "/metrics"}
    assert statuses_of_livez == {200}
    assert statuses_of_metrics <= {200, 503}


def test_a_burst_beyond_the_knee_is_shed(attacked: Target) -> None:
    """256 clients of a server with two threads: some get 201, others 503, and none hangs."""
    together = threading.Barrier(256)

    def open_two(_number: int) -> list[Answer]:
        together.wait()
        return [attacked.ask("POST", "/v1/matches", THREE) for _ in range(2)]

    statuses: Counter[int] = Counter()
    with ThreadPoolExecutor(256) as pool:
        both_of_each = pool.map(open_two, range(256))
        attacked.lives()
        for both in both_of_each:
            for answer in both:
                check(answer, 201)
                statuses[answer.status] += 1

    assert statuses[201] > 0
    assert statuses[503] > 0
    assert attacked.measure("giornale_shed_requests_total") > 0
    assert attacked.measure("giornale_waiting_requests ") == 0
    attacked.open_match()


HEAVY = ["states?limit=500", "states.ndjson", "story.ndjson", "curve", "diff?from=1&to=100"]


@pytest.mark.whole
@pytest.mark.parametrize("resource", HEAVY)
@needs_loopback_addresses
def test_heavy_requests_of_one_address_shut_nobody_out(usual: Target, resource: str) -> None:
    """During such requests of 16 clients, each of 25 light requests of another address gets 200."""
    path = imported(usual, RECORD)
    over = threading.Event()

    def flood(_number: int) -> None:
        while not over.is_set():
            answer = usual.ask("GET", f"{path}/{resource}", address="127.0.0.2")
            assert answer.status in (200, 503)

    with ThreadPoolExecutor(16) as pool:
        floods = [pool.submit(flood, number) for number in range(16)]
        try:
            until(lambda: usual.measure("giornale_waiting_requests ") > 0, "a line to form")
            light = [usual.ask("GET", path, address="127.0.0.3") for _ in range(25)]
        finally:
            over.set()
        for flooding in floods:
            flooding.result()

    assert [answer.status for answer in light] == [200] * 25


@pytest.mark.whole
@needs_loopback_addresses
def test_probes_are_answered_beside_a_flood_of_probes(usual: Target) -> None:
    """32 connections of one address ask for /readyz and /metrics. A monitor is answered."""
    over = threading.Event()

    def flood(number: int) -> None:
        while not over.is_set():
            usual.ask("GET", ("/readyz", "/metrics")[number % 2], address="127.0.0.2")

    with ThreadPoolExecutor(32) as pool:
        floods = [pool.submit(flood, number) for number in range(32)]
        try:
            paths = ("/readyz", "/metrics") * 5
            answers = [usual.ask("GET", path, address="127.0.0.3") for path in paths]
        finally:
            over.set()
        for flooding in floods:
            flooding.result()

    # A web process alone is not ready, and says so.
    assert all(b"/problems/" not in answer.body for answer in answers)


@pytest.mark.whole
def test_slow_readers_hold_no_permit_to_work(attacked: Target, usual: Target) -> None:
    """Six connections request a record and read none of it: others are answered meanwhile.

    Each requests it once, or 30 times. With its small receive buffer, each holds a slot for streams
    until its end. The record is served afterwards.
    """
    path = imported(attacked, RECORD)
    ask = f"GET {path}/record HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()

    for times in (1, 30):
        with connections(attacked.port, 6, ask * times, receive_buffer=4096):
            until(lambda: attacked.measure("giornale_streams ") == 6, "the readers to be counted")
            check_that_others_go_on(attacked, path, usual)
        until(lambda: attacked.measure("giornale_streams ") == 0, "the slots to be free again")

    assert attacked.ask("GET", f"{path}/record").status == 200


def imported(attacked: Target, file: Path) -> str:
    """Import a record. Return the path of its match."""
    content = gzip.decompress(file.read_bytes())
    head = [
        "POST /v1/records HTTP/1.1",
        "Host: localhost",
        "Connection: close",
        "Content-Type: application/x-ndjson",
        f"Authorization: Bearer {OPERATOR}",
        f"Content-Length: {len(content)}",
    ]
    head_bytes = "\r\n".join([*head, "", ""]).encode()

    with socket.create_connection((HOST, attacked.port)) as connection:
        connection.sendall(head_bytes + content)
        _, _, body = rest(connection).partition(b"\r\n\r\n")
    return f"/v1/matches/{loads(body)['match']}"


def a_long_poll(path: str) -> bytes:
    """Return a request for a match's commits, with a wait."""
    return f"GET {path}/commits?after=1000&wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def an_agents_wait(path: str) -> bytes:
    """Return an agent's waiting request."""
    arguments = {"match": path.rpartition("/")[2], "seconds": 25}
    params = {"name": "wait", "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    body = dumps(message).encode()
    head = [
        "POST /mcp HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        "MCP-Protocol-Version: 2025-11-25",
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join([*head, "", ""]).encode() + body


@pytest.mark.parametrize("asks_of", [a_long_poll, an_agents_wait], ids=["api", "mcp"])
def test_long_polls_hold_no_permit_to_work(
    attacked: Target, asks_of: Callable[[str], bytes]
) -> None:
    """Six polls wait on a process that works on two requests at once. Others are answered."""
    path = attacked.open_match()

    with connections(attacked.port, 6, asks_of(path)):
        until(lambda: attacked.measure("giornale_streams ") == 6, "the polls to wait")
        answer = attacked.ask("GET", path)
        assert attacked.measure("giornale_streams ") == 6, "all of them still wait"

    assert answer.status == 200


HALF_A_HEAD = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 70_000
HTTP_2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
UNREAD = {
    "a head of 70 kB": (HALF_A_HEAD, b"431"),
    "a body too long": (HALF_A_BODY.replace(b"55000", b"5500000"), b"413"),
    "a body of another type": (HALF_A_BODY.replace(b"application/json", b"text/plain"), b"415"),
}


@pytest.mark.parametrize(("payload", "expected"), UNREAD.values(), ids=UNREAD)
def test_a_request_is_refused_before_its_end(
    attacked: Target, payload: bytes, expected: bytes
) -> None:
    """The rest of the head or body is never sent. The timeout would give no answer, or 408."""
    with connections(attacked.port, 1, payload) as sockets:
        assert status_of(rest(sockets[0])) == expected
    assert attacked.measure("giornale_reading_bodies ") == 0


def test_cleartext_http_2_is_ended_without_an_answer(attacked: Target) -> None:
    """It is ended before an earlier idle connection, so by no timeout, and gets not one byte."""

    def is_ended_first() -> bool:
        with (
            connections(attacked.port, 1, b"") as [idle],
            connections(attacked.port, 1, HTTP_2) as [http_2],
        ):
            assert rest(http_2) == b""
            return is_open(idle)

    # On a busy machine the idle connection may end meanwhile.
    until(is_ended_first, "HTTP/2 to be ended before an idle connection")


def is_open(connection: socket.socket) -> bool:
    """Return True if the other side has sent nothing and has not ended the connection."""
    readable, _, _ = select.select([connection], [], [], 0)
    return not readable


def test_a_body_of_64_kb_still_passes(attacked: Target) -> None:
    """The limit on heads does not apply to bodies: one of 65 kB is read and understood."""
    long = {"game": "firenze", "seats": [{"kind": "human", "name": "x" * 65_000}]}
    assert attacked.ask("POST", "/v1/matches", long).status == 422
