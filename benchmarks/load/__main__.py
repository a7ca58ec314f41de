"""`python -m benchmarks.load`: more and more clients, to the knee and to twice the knee.

The knee is the smallest number of clients that makes nearly as many moves a second as any number.
At the knee and at twice the knee the clients stay for a minute. Every answer must be a commit, or
429 or 503, which say that nothing was done; afterwards every match must hold just the moves that
were acknowledged. Then the clients go, and one that is left must soon be answered as fast as
before. At last the clients of the knee stay for a quarter of an hour, while the memory, the threads
and the open files of the web processes are watched.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from benchmarks.load.crowd import Crowd, Outcome
from benchmarks.load.footprint import watched
from benchmarks.matches import common_moves
from benchmarks.web import HOST, settings
from domain.games import GAMES
from service.process.address import free_port

WEB_PROCESSES = 2
MOST_CLIENTS = 256
NEARLY = 0.9
CALM_SECONDS = 5  # in which the service should be itself again after the load
SLOWER = 2  # p99 of one client after the load may be so many times what it was before
_START_SECONDS = 90
_STOP_SECONDS = 30
_MINUTE = 60


@contextmanager
def service() -> Iterator[str]:
    """Run a whole service that limits nobody; yield its URL. What it says goes nowhere."""
    port = free_port(HOST, 0)
    url = f"http://{HOST}:{port}"
    limits = {"RATE_LIMIT": "0", "ADDRESS_LIMIT": "0", "WEB_WORKERS": str(WEB_PROCESSES)}

    with tempfile.TemporaryDirectory() as directory:
        environ = settings("", directory, PORT=str(port), **limits)
        process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", "serve"],
            env=os.environ | environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _await_ready(url)
            yield url
        finally:
            process.terminate()
            process.wait(_STOP_SECONDS)


def _await_ready(url: str) -> None:
    """Return when the service is ready; raises TimeoutError."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        try:
            httpx.get(f"{url}/readyz", timeout=1).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(f"{url} was not ready after {_START_SECONDS} s")


def find_knee(crowd: Crowd, seconds: float) -> Outcome:
    """Try ever more clients; return the fewest that bring nearly as much as any number."""
    outcomes = []
    clients = 1
    while clients <= MOST_CLIENTS:
        outcomes.append(_stay(crowd, clients, seconds))
        clients *= 2

    most = max(outcome.rate for outcome in outcomes)
    return next(outcome for outcome in outcomes if outcome.rate >= NEARLY * most)


def recovery(crowd: Crowd, calm_p99_ms: float) -> int:
    """Return after how many seconds one client is answered about as fast as before the load."""
    for second in range(1, _MINUTE + 1):
        outcome = crowd.play(clients=1, seconds=1)
        if outcome.p99_ms <= SLOWER * calm_p99_ms:
            return second
    raise AssertionError(f"after {_MINUTE} s a client still waits longer than before the load")


def soak(crowd: Crowd, clients: int, minutes: float) -> None:
    """Keep clients at work for some minutes; print what the web processes used."""
    with watched(crowd.url) as footprint:
        outcome = _stay(crowd, clients, minutes * _MINUTE)

    print(f"\n{minutes:g} minutes of {clients} clients, {len(outcome.tally.seconds)} moves")
    growth = footprint.growth()
    for measure, most in footprint.largest().items():
        print(f"{measure}: at most {most:,.0f}, last third against second: {growth[measure]:.3f}")


def _stay(crowd: Crowd, clients: int, seconds: float) -> Outcome:
    """Have clients play for some seconds, print what came of it, and check their matches."""
    outcome = crowd.play(clients, seconds)
    print(outcome, flush=True)
    crowd.check(outcome)
    return outcome


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--step", type=float, default=10, help="seconds a number of clients")
    parser.add_argument("--stay", type=float, default=60, help="seconds at the knee and beyond")
    parser.add_argument("--soak", type=float, default=15, help="minutes of the last, long load")
    return parser.parse_args()


def main() -> None:
    """Find the knee, stay there and beyond, see the service recover, then keep it under load."""
    os.environ.setdefault("PYTHONPATH", ".")
    arguments = _arguments()
    moves = {game: common_moves(game) for game in GAMES}

    with service() as url:
        crowd = Crowd(url, moves)
        crowd.play(clients=1, seconds=2)  # what only the first requests pay does not count
        knee = find_knee(crowd, arguments.step)
        calm = _stay(crowd, 1, arguments.step)

        print(f"\nthe knee is at {knee.clients} clients")
        _stay(crowd, knee.clients, arguments.stay)
        _stay(crowd, 2 * knee.clients, arguments.stay)
        seconds = recovery(crowd, calm.p99_ms)
        print(f"one client is answered as before after {seconds} s (goal: {CALM_SECONDS} s)")

        if arguments.soak:
            soak(crowd, knee.clients, arguments.soak)


if __name__ == "__main__":
    main()
