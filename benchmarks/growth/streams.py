"""What more open streams mean to those who play: streams of other matches, and of their own."""

import os
import time
from contextlib import ExitStack

from benchmarks.growth.curves import Curve
from benchmarks.measure import p99
from benchmarks.streams import GAME, NOTICED_SECONDS, play, streams
from benchmarks.web import Client, open_match, server, web

NUMBERS = (1, 50, 100, 200)


def measure() -> list[Curve]:
    """Play beside more and more streams; return the p99 in milliseconds."""
    os.environ.setdefault("PYTHONPATH", ".")
    with server() as url, web(url) as port:
        play(port)  # what only the first match makes does not count
        return [
            Curve("streams", "of other matches, p99", "ms", _points(port, are_hot=False)),
            Curve("streams", "of the match itself, p99", "ms", _points(port, are_hot=True)),
        ]


def _points(port: int, *, are_hot: bool) -> dict[int, float]:
    """Return the p99 of moves and looks at the state by the number of streams.

    are_hot: the streams are of the match that is played.
    """
    return {number: 1000 * p99(_played_beside(port, number, are_hot=are_hot)) for number in NUMBERS}


def _played_beside(port: int, number: int, *, are_hot: bool) -> list[float]:
    """Play a match beside some streams; return the seconds of each request."""
    with ExitStack() as held:
        if are_hot:
            seconds = play(
                port, lambda match_id: held.enter_context(streams(port, match_id, number))
            )
        else:
            idle = open_match(Client(port), GAME)
            held.enter_context(streams(port, idle["id"], number))
            seconds = play(port)

    time.sleep(NOTICED_SECONDS)  # streams that nobody reads any more are still counted
    return seconds
