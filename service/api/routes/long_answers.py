"""Answers that take long: what they hold of the process, and how they are sent."""

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

from flask import Response, current_app, request

from service.api.contract.operations import NDJSON
from service.api.http.context import config, desk
from service.api.http.counting import sender
from service.api.http.slots import Slot, Slots
from service.api.wsgi.gate import stepped_aside
from service.api.wsgi.long_bodies import PIECE_BYTES
from service.journal.wakes import Wakes
from service.ledger.replay import Loaded
from service.matches import following

Headers = dict[str, str]

_IN_MEMORY_BYTES = 262_144


def wakes() -> Wakes:
    """Return what tells of news in the application that serves this request."""
    found: Wakes = current_app.extensions["wakes"]
    return found


def take_slot() -> Slot:
    """Return a slot for this request's long answer; raises TooMany."""
    return _slots().must_take(*sender())


def wait_beyond(loaded: Loaded, version: int, seconds: int) -> None:
    """Wait until a match is beyond a version, at most so many seconds.

    It does not wait at all if too many long answers are at hand already.
    """
    slot = _slots().take(*sender())
    if slot is None:
        return
    try:
        with stepped_aside(request.environ):
            following.wait_beyond(desk(), wakes(), loaded, version, seconds)
    finally:
        slot.give_back()


def headers_alone(headers: Headers, kind: str) -> Response:
    """Return the answer to HEAD. Nobody closes such an answer, so it must hold nothing."""
    return Response(iter(()), headers=headers, mimetype=kind)


def in_lines(lines: Iterator[bytes], headers: Headers, kind: str = NDJSON) -> Response:
    """Return an answer of many lines, which holds a slot until all of it is sent; raises TooMany.

    kind: its media type.

    The lines are made before anything is sent, while the request holds a permit to work. So a
    failure is answered with a problem: the server would end a broken answer as if it were whole.
    Sending may take as long as the reader likes and costs a slot and a thread; what does not fit
    into a little memory waits in a file without a name.
    """
    if request.method == "HEAD":
        return headers_alone(headers, kind)

    slot = take_slot()
    directory = str(config().data)
    # The file is closed with the answer.
    kept_lines = SpooledTemporaryFile(_IN_MEMORY_BYTES, dir=directory)  # noqa: SIM115
    try:
        kept_lines.writelines(lines)
        kept_lines.seek(0)
    except BaseException:
        kept_lines.close()
        slot.give_back()
        raise

    response = Response(_pieces(kept_lines), headers=headers, mimetype=kind)
    response.call_on_close(kept_lines.close)
    response.call_on_close(slot.give_back)
    return response


def _slots() -> Slots:
    found: Slots = current_app.extensions["slots"]
    return found


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield what a file holds, and close it."""
    with file:
        while piece := file.read(PIECE_BYTES):
            yield piece
