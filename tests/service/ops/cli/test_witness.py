"""`giornale log witness`: a run of two witnesses over HTTP, and requests of strangers."""

import http.client
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from service.capabilities.log.witnesses import Cosigning
from service.ops.cli.witness import AT_ONCE, EACH_AT_ONCE, WitnessServer
from service.record.tlog.proof import Trusted, read_policy_to_ask
from service.store.tlog.witness import MOST_BYTES
from tests.running import no_threads, until
from tests.service.ops.cli.conftest import Run
from tests.service.store.tlog.conftest import House, run_out
from tests.service.store.tlog.test_witness import asked, log_key, made

HOST = "127.0.0.1"


# ---- the command ---------------------------------------------------------------------------------


@dataclass
class Running:
    """A running witness, and its output."""

    process: subprocess.Popen[str]
    key: str
    url: str

    def end(self, number: signal.Signals) -> int:
        """Send a signal. Return the exit status."""
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def running(data: Path, *options: str) -> Iterator[Running]:
    """Run a witness on a free port of its own."""
    command = [sys.executable, "-m", "workers.giornale", "log", "witness", str(data), *options]
    with subprocess.Popen(
        [*command, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            key, url = (process.stdout.readline().strip() for _ in range(2))
            yield Running(process, key, url)
        finally:
            process.kill()


@pytest.mark.whole
def test_a_log_is_witnessed_over_http(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Two witnesses by one command each. One is killed and comes back. A forked log is refused."""
    house = House(tmp_path / "house")
    house.fill(5)
    run_out(house.sequencer())
    log = house.journal.order.state().key
    (tmp_path / "logs").write_text(f"# the logs to watch\n\n{log}\n")
    counted: list[str] = []

    def cosigning(of: House, *witnesses: Running) -> Cosigning:
        names = [f"w{number}" for number in range(len(witnesses))]
        pairs = zip(names, witnesses, strict=True)
        lines = [f"witness {name} {one.key} {one.url}" for name, one in pairs]
        policy = tmp_path / "policy"
        quorum = f"group both all {' '.join(names)}\nquorum both\n"
        policy.write_text("\n".join([f"log {log}", *lines, quorum]))
        return Cosigning(read_policy_to_ask(policy), of.log, counted.append)

    def seen() -> tuple[int, tuple[str, ...]]:
        policy = read_policy_to_ask(tmp_path / "policy")
        checkpoint = Trusted.of(house.log.cosigned_checkpoint(), policy)
        return checkpoint.size, checkpoint.seen_by

    first, second = tmp_path / "first", tmp_path / "second"
    with (
        running(first, "--logs", str(tmp_path / "logs"), "--name", "example.org/first") as one,
        running(second, "--log", log, "--prefix", "/witness") as two,
    ):
        assert one.key.startswith("example.org/first+")
        cosigning(house, one, two).round()
        assert seen() == (5, ("w0", "w1"))

        assert one.end(signal.SIGKILL) == -signal.SIGKILL
        house.fill(300)
        run_out(house.sequencer())
        with running(first, "--log", log) as again:
            assert again.key == one.key
            cosigning(house, again, two).round()
            assert seen() == (305, ("w0", "w1"))

            fork = House(tmp_path / "fork")
            shutil.copy(house.root / "log-keys.json", fork.root / "log-keys.json")
            fork.fill(400, matches=2)
            run_out(fork.sequencer())
            counted.clear()
            cosigning(fork, again, two).round()
            assert counted == ["refused", "refused"]
            assert fork.log.cosigned_checkpoint() == b""
            assert "has seen another history" in caplog.text

            assert again.end(signal.SIGTERM) == 0
        assert two.end(signal.SIGINT) == 0


def test_configuration_errors_are_told(run_alone: Run, tmp_path: Path) -> None:
    """Wrong options and damaged files of a witness are refused with their fault."""
    data, log = tmp_path / "witness", str(log_key())
    assert "name a log" in run_alone("log", "witness", data).stderr
    assert "not a verifier key" in run_alone("log", "witness", data, "--log", "x").stderr
    own = made(data, "example.org/w")
    wrong_kind = run_alone("log", "witness", data, "--log", own.verifier)
    assert "not the key of a log" in wrong_kind.stderr
    (tmp_path / "logs").write_bytes(b"\xff")
    unreadable = run_alone("log", "witness", data, "--logs", tmp_path / "logs")
    assert (unreadable.exit_code, "cannot be read" in unreadable.stderr) == (1, True)
    prefix = run_alone("log", "witness", data, "--log", log, "--prefix", "x/")
    assert "--prefix" in prefix.stderr
    other = run_alone("log", "witness", data, "--log", log, "--name", "other")
    assert (other.exit_code, "example.org/w for ever" in other.stderr) == (1, True)

    key = (data / "witness-key.json").read_bytes()
    (data / "witness-key.json").unlink()
    lost = run_alone("log", "witness", data, "--log", log)
    assert (lost.exit_code, "witness-key.json is missing" in lost.stderr) == (1, True)
    (data / "witness-key.json").write_bytes(key)

    (data / "witness.json").write_text("{")
    damaged = run_alone("log", "witness", data, "--log", log)
    assert (damaged.exit_code, "is damaged" in damaged.stderr) == (1, True)


# ---- what strangers send -------------------------------------------------------------------------


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., WitnessServer]]:
    """Start a server of a new witness. It ends with the test."""
    started: list[tuple[WitnessServer, threading.Thread]] = []

    def start(**more: Any) -> WitnessServer:
        server = WitnessServer((HOST, 0), made(tmp_path / "witness"), **more)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        started.append((server, thread))
        return server

    yield start
    for server, thread in started:
        server.shutdown()
        thread.join()
        server.server_close()


def post(server: WitnessServer, body: bytes, path: str = "/add-checkpoint") -> tuple[int, bytes]:
    """Send a request. Return the status and the body of the answer."""
    connection = http.client.HTTPConnection(HOST, server.server_port, timeout=60)
    connection.request("POST", path, body)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


def raw(server: WitnessServer, *pieces: bytes) -> bytes:
    """Send bytes, and return everything received until the connection is closed."""
    with socket.create_connection((HOST, server.server_port), 60) as connection:
        for piece in pieces:
            connection.sendall(piece)
        return received(connection)


def received(connection: socket.socket) -> bytes:
    """Return everything received until a connection is closed, and close it."""
    data = b""
    with connection, suppress(ConnectionResetError):
        while more := connection.recv(4096):
            data += more
    return data


def test_one_connection_serves_many_requests(serve: Callable[..., WitnessServer]) -> None:
    """Each answer has its media type. Paths outside the prefix are 404."""
    server = serve(prefix="/w", seconds=60)
    connection = http.client.HTTPConnection(HOST, server.server_port, timeout=60)
    for old, size, status, kind in (
        (0, 4, 200, "text/plain; charset=utf-8"),
        (0, 4, 409, "text/x.tlog.size"),
        (4, 9, 200, "text/plain; charset=utf-8"),
    ):
        connection.request("POST", "/w/add-checkpoint", asked(old, size))
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("Content-Type")) == (status, kind)
        assert answer.read() != b""
    connection.close()
    for path in ("/add-checkpoint", "/w", "/w/add-checkpoint/", "/w/add-checkpoint?x=1"):
        assert post(server, asked(9, 9), path)[0] == 404


START = b"POST /add-checkpoint HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (b"\r\n", b"411"),
        (b"Content-Length: x\r\n\r\n", b"411"),
        (b"Content-Length: -1\r\n\r\n", b"411"),
        (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", b"411"),
        (b"Content-Length: %d\r\n\r\n" % (MOST_BYTES + 1), b"413"),
        (b"Content-Length: 99999999999999999999\r\n\r\n", b"411"),
        (b"X: " + b"x" * 70_000 + b"\r\n\r\n", b"431"),
        (b"X: x\r\n" * 200 + b"\r\n", b"431"),
    ],
)
def test_a_body_without_bound_is_not_read(
    serve: Callable[..., WitnessServer], headers: bytes, status: bytes
) -> None:
    """A body without a bound is refused by its headers, and the connection is closed."""
    answer = raw(serve(seconds=60), START, headers)
    assert answer.split(b" ")[1] == status


def test_other_methods_are_refused(serve: Callable[..., WitnessServer]) -> None:
    """The answer is 501 in plain text."""
    answer = raw(serve(seconds=60), b"GET /add-checkpoint HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 501 ")
    assert b"text/plain" in answer


@pytest.mark.parametrize(
    "sent_bytes",
    [b"", START, START + b"X: ", START + b"Content-Length: 50\r\n\r\nold 0"],
    ids=["nothing", "no header", "half a header", "half a body"],
)
def test_clients_that_are_too_slow_make_room_for_others(
    serve: Callable[..., WitnessServer], sent_bytes: bytes
) -> None:
    """Slow connections of an address are closed in time. Then another request is answered."""
    server = serve(seconds=0.3)
    connections = opened(server, HOST, EACH_AT_ONCE)
    for connection in connections:
        with suppress(ConnectionError):
            connection.sendall(sent_bytes)
    for connection in connections:
        answer = received(connection)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 408 ")
    until(lambda: _is_answered(server), "a request to be answered")


def opened(server: WitnessServer, address: str, number: int) -> list[socket.socket]:
    """Return so many silent connections from an address of the loopback."""
    to = (HOST, server.server_port)
    return [socket.create_connection(to, 60, source_address=(address, 0)) for _ in range(number)]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
def test_one_address_does_not_take_every_place(serve: Callable[..., WitnessServer]) -> None:
    """Beside 40 idle connections of one address, a request of another is answered."""
    server = serve(seconds=60)
    idle = opened(server, "127.0.0.2", 40)
    until(lambda: server._open["127.0.0.2"] == EACH_AT_ONCE, "half of the places to be taken")

    body = asked(0, 4)
    answer = raw(server, START, b"Content-Length: %d\r\n\r\n" % len(body), body)

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"\r\nConnection: close\r\n" in answer
    for connection in idle:
        connection.close()
    until(lambda: not server._open, "the places to be free again")


def test_an_answer_without_a_thread(serve: Callable[..., WitnessServer]) -> None:
    """A connection without a free thread is closed, and takes no place from later ones."""
    server = serve(seconds=60)
    with no_threads():
        for _ in range(AT_ONCE + 1):
            assert raw(server, b"") == b""
    assert not server._open
    assert post(server, asked(0, 4))[0] == 200
    with no_threads():
        assert raw(server, b"") == b""


def test_each_byte_in_time_is_too_slow_all_the_same(serve: Callable[..., WitnessServer]) -> None:
    """The deadline is for the whole request, even if each byte comes in time."""
    server = serve(seconds=0.3)
    with socket.create_connection((HOST, server.server_port), 60) as connection:
        connection.sendall(START + b"Content-Length: 9000\r\n\r\n")
        connection.settimeout(0.02)
        for _ in range(9000):
            try:
                connection.sendall(b"x")
                if not connection.recv(4096).startswith(b"x"):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            pytest.fail("the server has read on")


def test_more_connections_than_there_are_places_are_closed(
    serve: Callable[..., WitnessServer],
) -> None:
    """A connection beyond AT_ONCE is closed. When earlier ones end, another is answered."""
    server = serve(seconds=60)
    sockets = [socket.create_connection((HOST, server.server_port), 60) for _ in range(AT_ONCE)]
    try:
        assert raw(server, b"") == b""
    finally:
        for connection in sockets:
            connection.close()

    until(lambda: _is_answered(server), "a place is free")


def _is_answered(server: WitnessServer) -> bool:
    try:
        return post(server, asked(0, 4))[0] in (200, 409)
    except (OSError, http.client.HTTPException):
        return False
