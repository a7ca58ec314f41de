"""The client on raw sockets knows where an answer ends, however it comes."""

import socket
import threading

import pytest

from benchmarks.sockets import Connection, request_bytes
from benchmarks.web import HOST

ASKED = request_bytes("GET", "/state", {"If-Match": '"3"'})


def answer(head: str, body: bytes = b"") -> bytes:
    """Return an answer as it is sent."""
    return head.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body


def serve_one(listening: socket.socket, sent: bytes, piece: int) -> None:
    """Take a connection, read its request, and answer piece by piece."""
    connection, _ = listening.accept()
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        received = b""
        while received != ASKED:
            received += connection.recv(1000)
        for start in range(0, len(sent), piece):
            connection.sendall(sent[start : start + piece])


@pytest.mark.parametrize("piece", [3, 10_000])
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        pytest.param(answer("HTTP/1.1 200 OK\nContent-Length: 5", b"12345"), 200, id="length"),
        pytest.param(answer("HTTP/1.1 201 Created\ncontent-length:0"), 201, id="no-body"),
        pytest.param(
            answer("HTTP/1.1 200 OK\nTransfer-Encoding: chunked", b"3\r\nabc\r\n0\r\n\r\n"),
            200,
            id="chunks",
        ),
        pytest.param(answer('HTTP/1.1 304 Not Modified\nETag: "3"'), 304, id="unchanged"),
    ],
)
def test_an_answer_is_whole_at_its_end(sent: bytes, status: int, piece: int) -> None:
    """Not before: the server ends the connection after it, and nothing more is asked of it."""
    with socket.create_server((HOST, 0)) as listening:
        serving = threading.Thread(target=serve_one, args=(listening, sent, piece), daemon=True)
        serving.start()
        connection = Connection(listening.getsockname()[1])
        connection.send(ASKED)
        while not connection.receive():
            assert bytes(connection._received) != sent
        serving.join()

    assert bytes(connection._received) == sent
    assert connection.status == status
    connection.close()


def test_a_request_with_a_body_tells_its_length() -> None:
    assert request_bytes("POST", "/moves", {"A": "b"}, b"{}") == (
        b"POST /moves HTTP/1.1\r\nHost: 127.0.0.1\r\nA: b\r\nContent-Length: 2\r\n\r\n{}"
    )
