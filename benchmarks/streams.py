"""What open streams on one web process do to the p99 of other requests; the goal is 2x at most.

Matches are played over HTTP: with no streams open, with more and more of them on a match that lies
still ("idle"), and with as many on the match that is played ("hot"). Some readers never read.
"""

import time
from contextlib import nullcontext
from functools import partial
from typing import Any

from benchmarks.measure import Curve, Figures, limit, p99, show, timed
from benchmarks.readers import reading
from benchmarks.web import Client, legal_move, open_match, server, web
from domain.games import GAMES

NUMBERS = (1, 50, 100, 200)  # streams
NEVER_READ = 10  # of the streams
MOVES = 150
RUNS = 3
GOAL = 2.0
GAME = next(iter(GAMES))
NOTICED_SECONDS = 6  # until the server has noticed that readers have gone


def play(port: int, streams: int, *, are_hot: bool) -> list[float]:
    """Play a match; return the seconds that each move and each look at the state took.

    are_hot: the streams are of this match, not of another one.
    """
    client = Client(port)
    match = open_match(client, GAME)
    watched = match if are_hot else open_match(client, GAME)
    never_read = min(NEVER_READ, streams // 2)
    held = reading("streams", port, watched["id"], streams, never_read)

    seconds: list[float] = []
    with held if streams else nullcontext():
        for number in range(MOVES):
            seconds += _play_once(client, match, number)

    if streams:
        time.sleep(NOTICED_SECONDS)
    return seconds


def _play_once(client: Client, match: dict[str, Any], number: int) -> list[float]:
    """Make a move and look at the state; return the seconds of both, or nothing at the end."""
    found = legal_move(client, match, number)
    if found is None:
        return []

    token, move = found
    path = f"/v1/matches/{match['id']}"

    def ask(method: str, what: str, body: Any) -> None:
        status, answer = client.ask(method, f"{path}/{what}", body, token)
        assert status in (200, 201), answer

    return [timed(partial(ask, "POST", "moves", move)), timed(partial(ask, "GET", "state", None))]


def p99_beside(port: int, streams: int, *, are_hot: bool) -> float:
    """Return the p99 of some matches in milliseconds."""
    played = [play(port, streams, are_hot=are_hot) for _ in range(RUNS)]
    return 1000 * p99([seconds for match in played for seconds in match])


def main() -> Figures:
    """Print the p99 with and without streams; return the ratios of the most, and the curves."""
    with server() as url, web(url) as port:
        play(port, 0, are_hot=False)  # what only the first match makes does not count
        alone = p99_beside(port, 0, are_hot=False)
        idle = {number: p99_beside(port, number, are_hot=False) for number in NUMBERS}
        hot = {number: p99_beside(port, number, are_hot=True) for number in NUMBERS}

    most = NUMBERS[-1]
    show(f"p99 with {most} streams", {"none": alone, "idle": idle[most], "hot": hot[most]}, "ms")
    return [
        limit(f"p99 with {most} idle streams against none", idle[most] / alone, GOAL),
        limit(f"p99 with {most} hot streams against none", hot[most] / alone, GOAL),
        Curve("streams", "of other matches, p99", "ms", idle),
        Curve("streams", "of the match itself, p99", "ms", hot),
    ]
