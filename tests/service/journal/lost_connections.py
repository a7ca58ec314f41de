"""Connections to Redis that break while a script is under way."""

from collections.abc import Callable
from typing import Any, Literal

import pytest
from redis.connection import UnixDomainSocketConnection
from redis.exceptions import ConnectionError as Unreachable

# "request": the script never arrives. "reply": it runs, and its answer is lost.
What = Literal["request", "reply"]
Lose = Callable[[What, int], None]

_SCRIPT = b"\r\nEVALSHA\r\n"


def losing_connections(monkeypatch: pytest.MonkeyPatch) -> Lose:
    """Return what breaks connections a number of times from now on."""

    def lose(what: What, times: int) -> None:
        breaks = iter(range(times))
        send: Any = UnixDomainSocketConnection.send_packed_command
        receive: Any = UnixDomainSocketConnection.read_response
        with_a_script: set[Any] = set()

        def perhaps_break(connection: Any) -> None:
            if next(breaks, None) is not None:
                connection.disconnect()
                raise Unreachable("the connection was lost")

        def send_packed(connection: Any, command: Any, **options: object) -> None:
            is_script = _SCRIPT in b"".join(command)
            if is_script:
                with_a_script.add(connection)
            else:
                with_a_script.discard(connection)

            if is_script and what == "request":
                perhaps_break(connection)
            send(connection, command, **options)

        def read_response(connection: Any, *args: object, **options: object) -> object:
            response = receive(connection, *args, **options)
            if connection in with_a_script and what == "reply":
                perhaps_break(connection)
            return response

        monkeypatch.setattr(UnixDomainSocketConnection, "send_packed_command", send_packed)
        monkeypatch.setattr(UnixDomainSocketConnection, "read_response", read_response)

    return lose
