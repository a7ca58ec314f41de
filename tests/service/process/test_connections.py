"""Connections of a web process: how many there may be, and what becomes of answers nobody reads."""

import errno
import socket
import sys

import pytest

from service.api.http.stream_limit import SENT_AHEAD_BYTES
from service.process import web

LONG_ANSWERS = 512


@pytest.mark.parametrize(
    ("files", "most", "in_line"),
    [(200, 128, 128), (1024, 384, 384), (4096, 3328, 1024), (65_536, 16_384, 1024)],
)
def test_connections_leave_files_for_all_else(files: int, most: int, in_line: int) -> None:
    """A long answer may need a second file; what waits for room is no more than what has it."""
    assert web.connections_for(files, LONG_ANSWERS) == most
    assert web.most_in_line(most) == in_line


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends what does not move")
def test_an_answer_that_nobody_reads_ends_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little is taken of it before it is read; when nothing moves the sender is told in time."""
    monkeypatch.setattr(web, "_STUCK_SECONDS", 1)
    piece = bytes(SENT_AHEAD_BYTES)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        web._bound(listener)
        with socket.socket() as reader:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, len(piece))
            reader.connect(listener.getsockname())
            sender, _ = listener.accept()
            sender.settimeout(60)

            with sender, pytest.raises(TimeoutError) as ended:
                sender.sendall(10 * piece)
    assert ended.value.errno == errno.ETIMEDOUT
