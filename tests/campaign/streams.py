"""Readers of live streams: what each server-sent event tells is written down."""

import json
import threading
import time
from http.client import HTTPResponse

from tests.campaign.asker import Asker, Request
from tests.campaign.history import ANSWERED, UNKNOWN, Told

FOLLOW_SECONDS = 2.0
MOST_EVENTS = 200
_DATA = b"data: "


def follow(asker: Asker, request: Request, stopping: threading.Event) -> None:
    """Follow a stream for a moment, then leave it; raises OSError where it breaks."""
    begun = asker.send(request)
    told: list[Told] = []
    status = 0
    try:
        response = asker.response()
        status = response.status
        if status == 200:
            _read(response, told, stopping)
    finally:
        asker.cut()
        outcome = ANSWERED if status else UNKNOWN
        asker.history.end(begun, outcome, status=status, told=tuple(told))


def _read(response: HTTPResponse, told: list[Told], stopping: threading.Event) -> None:
    """Read events until enough of them or enough time has passed."""
    deadline = time.monotonic() + FOLLOW_SECONDS
    while time.monotonic() < deadline and len(told) < MOST_EVENTS and not stopping.is_set():
        line = response.readline()
        if not line.endswith(b"\n"):  # it was cut off, or the stream has ended
            return
        if line.startswith(_DATA):
            commit = json.loads(line.removeprefix(_DATA))
            told.append((commit["version"], commit["hash"]))
