"""`giornale_client`, `giornale feed` and `giornale bot` against a malicious server."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import giornale_client
from giornale_client import Client, Problem
from service.ops.cli.commands import main

MATCH = "a" * 26
ESCAPES = "\x1b]0;owned\x07\x9b31m\u202e"
DEEP = b"[" * 200_000
HEAD = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


@contextmanager
def answering(*answers: bytes, endless: bytes = b"") -> Iterator[str]:
    """A server that sends these bytes, the last again and again, then endless ones."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        number = 0
        with suppress(OSError):
            while True:
                wire, _ = listener.accept()
                with wire, suppress(OSError):
                    wire.recv(65_536)
                    wire.sendall(answers[min(number, len(answers) - 1)])
                    while endless:
                        wire.sendall(endless)
                number += 1

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)


def whole(body: bytes, status: bytes = b"200 OK") -> bytes:
    """Return a whole answer."""
    return HEAD % (status, len(body)) + body


def stream(text: bytes = b"") -> bytes:
    """Return the beginning of a stream."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + text


def test_an_endless_answer_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(giornale_client, "_MOST_ANSWER", 1_000_000)
    head = HEAD % (b"200 OK", 10**10)
    with (
        answering(head, endless=b" " * 65_536) as url,
        Client(url, patience=0) as client,
        pytest.raises(Problem, match="too much"),
    ):
        client.match(MATCH).document()


@pytest.mark.parametrize("line", [b"data: " + b"x" * 65_000, b"data: x\n" * 8000, b":" * 65_000])
def test_an_endless_event_is_cut(line: bytes) -> None:
    with (
        answering(stream(b"event: turn\n"), endless=line) as url,
        Client(url, patience=0) as client,
        pytest.raises(Problem, match="too much"),
    ):
        list(client.match(MATCH).follow(after=0))


def test_an_answer_that_trickles_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow head is cut, and so is a slow body."""
    monkeypatch.setattr(giornale_client, "_MOST_SECONDS", 0.3)
    for begin in (b"HTTP/1.1 200 OK\r\nX: ", HEAD % (b"200 OK", 10**6)):
        with (
            answering(begin, endless=b" ") as url,
            Client(url, patience=0) as client,
            pytest.raises(Problem),
        ):
            client.match(MATCH).document()


@pytest.mark.parametrize("answer", [whole(DEEP), whole(DEEP, b"404 Not Found")])
def test_an_answer_that_is_nested_deeply_is_refused(answer: bytes) -> None:
    with answering(answer) as url, Client(url, patience=0) as client, pytest.raises(Problem):
        client.match(MATCH).document()


@pytest.mark.parametrize("data", [DEEP, b"7", b"no JSON"])
def test_an_event_that_is_no_object_is_refused(data: bytes) -> None:
    with (
        answering(stream(b"data: " + data + b"\n\n")) as url,
        Client(url, patience=0) as client,
        pytest.raises(Problem, match="no JSON object"),
    ):
        list(client.match(MATCH).follow(after=0))


NEXT = "/v1/commits?after=1"


@pytest.mark.parametrize(
    "page",
    [
        {},
        {"commits": 7, "next": NEXT},
        {"commits": [7], "next": NEXT},
        {"commits": [], "next": 1},
        {"commits": [], "next": "/v1/commits"},
        {"commits": [], "next": "/v1/commits?after=-1"},
    ],
)
def test_a_page_that_is_none_ends_the_feed(page: object) -> None:
    with answering(whole(json.dumps(page).encode())) as url:
        result = CliRunner().invoke(main, ["feed", url, "--once", "--patience", "0"])
    assert result.exit_code == 1
    assert "no page of its feed" in result.output


def test_the_feed_prints_no_escape_of_a_terminal() -> None:
    page: dict[str, Any] = {"commits": [{"match": ESCAPES, ESCAPES: "\ud83d"}], "next": NEXT}
    end = {"commits": [], "next": NEXT}
    answers = [whole(json.dumps(one).encode()) for one in (page, end)]
    with answering(*answers) as url:
        result = CliRunner().invoke(main, ["feed", url, "--once", "--patience", "0"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output) == page["commits"][0]
    assert result.output.isascii()
    assert result.output.rstrip("\n").isprintable()


@pytest.mark.parametrize("token", ["x\nrm -rf", "gio_" + "b" * 26 + "_" + "A" * 43, 7, ESCAPES])
def test_no_text_of_a_server_comes_into_the_file_of_tokens(token: object, tmp_path: Path) -> None:
    file = tmp_path / "tokens.txt"
    document = {"seats": [{"seat": 0, "kind": "open"}]}
    answers = [whole(json.dumps(one).encode()) for one in (document, {"token": token, "seat": 0})]
    with answering(*answers) as url:
        arguments = ["bot", url, "json:dumps", "--tokens", str(file)]
        arguments += ["--join", MATCH, "--patience", "0"]
        result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    assert not file.exists()
    assert "\x1b" not in result.output
