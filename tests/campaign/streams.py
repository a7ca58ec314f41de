"""Readers of live streams: what each server-sent event tells is written down."""

import json
import threading
import time
from http.client import HTTPResponse

from tests.campaign.asker import Asker, Request
from tests.campaign.history import ANSWERED, UNKNOWN, Told

FOLLOW_SECONDS = 2.0
MOST_EVENTS = 200
OK = 200
_DATA = b"data: "


def follow(asker: Asker, request: Request, stopping: threading.Event) -> None:
    """Follow a stream for a moment, then leave it; raises OSError where it breaks."""
    begun = asker.send(request)
    told: list[Told] = []
    status = 0
    try:
        response = asker.response()
        status = response.status
        if status == OK:
            _read(response, told, stopping)
    finally:
        asker.cut()
        outcome = ANSWERED if status else UNKNOWN
        asker.history.end(begun, outcome, status=status, told=tuple(told))


def _read(response: HTTPResponse, told: list[Told], stopping: threading.Event) -> None:
    """Read events until enough of them or enough time has passed."""
    deadline = time.monotonic() + FOLLOW_SECONDS
    while time.monotonic() < deadline and not stopping.is_set():
        if len(told) == MOST_EVENTS:
            return

        line = response.readline()
        is_cut_off = not line.endswith(b"\n")  # also where the stream has ended
        if is_cut_off:
            return

        if line.startswith(_DATA):
            commit = json.loads(line.removeprefix(_DATA))
            pair = (commit["version"], commit["hash"])
            told.append(pair)
