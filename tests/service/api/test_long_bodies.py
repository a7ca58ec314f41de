"""Long bodies take a slot until they were read; short ones, and what was changed, take none."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from service.api.http.concurrency import Slots
from service.api.http.rate_limits import Proxies
from service.api.wsgi.long_bodies import PIECE_BYTES, LongBodies
from service.api.wsgi.middleware import Environ, StartResponse
from service.matches.cache import MatchCache

LONG = bytes(1_000_000)


class Asked:
    """A question for a body, and its answer: the status and the pieces."""

    def __init__(self, slots: Slots, body: bytes, method: str = "GET") -> None:
        parts = {"slots": slots, "proxies": Proxies(()), "ctx": SimpleNamespace(cache=MatchCache())}

        def inner(_environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
            start_response("200 OK", [])
            return [body]

        self.status = ""
        environ = {"REQUEST_METHOD": method, "REMOTE_ADDR": "192.0.2.1"}
        self.pieces: Any = LongBodies(inner, parts, "")(environ, self._start)

    def _start(self, status: str, _headers: object, *_error: object) -> None:
        self.status = status


def test_a_long_body_holds_a_slot_until_it_was_read() -> None:
    """It comes in pieces; meanwhile another is refused, and gets the slot afterwards."""
    slots = Slots(1, 1)
    first = Asked(slots, LONG)
    assert Asked(slots, LONG).status == "503 Service Unavailable"

    pieces = list(first.pieces)
    assert b"".join(pieces) == LONG
    assert {len(piece) for piece in pieces[:-1]} == {PIECE_BYTES}

    first.pieces.close()
    assert Asked(slots, LONG).status == "200 OK"


@pytest.mark.parametrize(
    ("body", "method"), [(b"short", "GET"), (LONG, "POST")], ids=["short", "changed"]
)
def test_what_is_short_or_was_changed_needs_no_slot(body: bytes, method: str) -> None:
    """It is told in one piece, however many slots are taken."""
    slots = Slots(1, 1)
    assert slots.take("somebody") is not None

    told = Asked(slots, body, method)
    assert (told.status, told.pieces) == ("200 OK", [body])
