"""Queues whose server hangs are in nobody's way: they are waited for once, for half a second."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from service.process.valkey import Server
from tests.running import until
from tests.service.api.conftest import Door, door_maker, json, opened

HUMAN_AND_BOTS = [{"kind": "human"}, *[{"kind": "bot", "level": "random"}] * 2]
LONGEST_ANSWER = 1.0  # seconds
WAKING_MOVES = 10


@pytest.fixture
def queue_server(tmp_path: Path) -> Iterator[Server]:
    """The queues' server, which a test may stop."""
    with Server(tmp_path / "queues") as server:
        yield server


@pytest.fixture
def door(redis_url: str, tmp_path: Path, queue_server: Server) -> Door:
    """The door of a service whose queues lie on a server of their own."""
    make = door_maker(redis_url, tmp_path / "data")
    return make(QUEUE_URL=queue_server.url, ALLOW_SEED="true")


def seconds_of(call: Callable[[], object]) -> float:
    """Return how long a call takes."""
    began = time.monotonic()
    call()
    return time.monotonic() - began


def test_queues_that_hang_keep_no_request_waiting(door: Door, queue_server: Server) -> None:
    """Moves that wake bots are made, and probes say what is wrong, as fast as ever but once.

    What is asked of the queues themselves is refused as fast.
    """
    doors = [Door(door.client, door.ctx) for _ in range(WAKING_MOVES)]
    for each in doors:
        opened(each, seats=HUMAN_AND_BOTS)
    queues = door.services.queues
    assert queues.workers(), "they answer"

    os.kill(queue_server.pid, signal.SIGSTOP)
    try:
        moves = [seconds_of(partial(each.move, "seat:0")) for each in doors]
        audits = [seconds_of(partial(each.get, "audit")) for each in doors]
        probes = [seconds_of(partial(door.get, path)) for path in ("/readyz", "/metrics")]
        checks = json(door.get("/readyz"))["checks"]
        metrics = door.get("/metrics").text
    finally:
        os.kill(queue_server.pid, signal.SIGCONT)

    assert sum(moves) < 2 * LONGEST_ANSWER, "each of them used to take four seconds"
    assert sum(audits) < LONGEST_ANSWER, "each of them used to take half a second"
    assert max(probes) < LONGEST_ANSWER
    assert checks["queues"] == "the queues cannot be reached"
    assert "giornale_queues_up 0.0" in metrics
    heads = door.ctx.journal.events.heads([each.match for each in doors])
    assert [head and head.version for head in heads] == [2] * WAKING_MOVES

    until(lambda: "queues" not in json(door.get("/readyz"))["checks"], "the queues to be asked")
