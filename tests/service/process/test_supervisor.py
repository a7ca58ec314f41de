"""`giornale serve` with real processes: it comes up, stays up, and leaves nothing behind."""

import os
import signal
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.running import RunningService, processes, running_service, until

PARTS = ["journal", "web", "scoring", "bots", "exhibitions", "audits", "keeper"]
BOTS = {"game": "calimala", "seats": [{"kind": "bot", "level": "random"}] * 3}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One house for all tests that leave it standing."""
    with running_service(tmp_path_factory.mktemp("house")) as started:
        yield started


def test_says_a_line_a_part_and_then_the_url(running: RunningService) -> None:
    """Whoever starts it sees what is ready, in order, and at last where to go."""
    said = [line for line in running.said if not line.startswith("{")][: len(PARTS) + 1]
    assert [line.split() for line in said[:-1]] == [[name, "ready"] for name in PARTS]
    assert said[-1].startswith("http://127.0.0.1:")


def test_answers_that_it_is_ready(running: RunningService) -> None:
    """Ready means: journal, queues, every kind of worker and the keeper."""
    assert running.ask("/readyz")["status"] == "ok"


def test_bots_that_nobody_waits_for_come_last(running: RunningService) -> None:
    """Their worker leaves the processor to every other process."""
    family = running.family()
    niceness = {
        name: os.getpriority(os.PRIO_PROCESS, family[name]) for name in ("bots", "exhibitions")
    }
    assert niceness["exhibitions"] == min(19, niceness["bots"] + 10)


@pytest.mark.parametrize("part", PARTS)
def test_killed_part_is_started_again(running: RunningService, part: str) -> None:
    """Whatever dies is back soon, and said to be; the others stay."""
    before = running.family()
    os.kill(before[part], signal.SIGKILL)
    running.hears(f"{part:<8} ended")
    running.hears(f"{part:<8} ready again")
    after = until(
        lambda: len(found := running.family()) == len(PARTS) and found, "the whole family"
    )
    assert after[part] != before[part]


def test_second_house_on_the_same_data_is_refused(running: RunningService) -> None:
    """Two servers never write to the same files: the second says which process holds them."""
    second = RunningService(running.directory)
    line = second.hears("Error: ")
    assert second.ended() == 1
    assert str(running.family()["journal"]) in line


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_stops_with_all_that_it_started(tmp_path: Path, number: signal.Signals) -> None:
    """A stop is clean: exit code 0, no process left, and the matches are there at the next start."""
    with running_service(tmp_path) as first:
        match = first.ask("/v1/matches", BOTS)["id"]
        family = set(first.family().values())
        assert first.end(number) == 0
        assert not family & processes().keys()
    with running_service(tmp_path) as second:
        assert second.ask(f"/v1/matches/{match}")["id"] == match


def test_leaves_no_orphans_even_when_killed(tmp_path: Path) -> None:
    """Every process, the server's too, notices that the supervisor has gone and ends."""
    with running_service(tmp_path) as started:
        family = set(started.family().values())
        assert len(family) == len(PARTS)
        started.end(signal.SIGKILL)
        until(lambda: not family & processes().keys(), "the orphans' end")


def test_every_file_of_a_run_is_its_users_alone(tmp_path: Path) -> None:
    """Secret, keys, metrics, journal, locks and addresses: no other user of the machine may read one of them (0077)."""
    before = os.umask(0)
    try:
        with running_service(tmp_path / "data") as started:
            match = started.ask("/v1/matches", BOTS)["id"]
            started.ask(f"/v1/matches/{match}")
            started.ask("/v1/keys")
            paths = [tmp_path / "data", *(tmp_path / "data").rglob("*")]
            modes = {path.name: path.stat().st_mode for path in paths if path.exists()}
    finally:
        os.umask(before)
    assert {
        "data",
        "secret",
        "keys.json",
        "metrics",
        "server.conf",
        "server.lock",
        "server.url",
    } <= modes.keys()
    assert {name: oct(mode) for name, mode in modes.items() if stat.S_IMODE(mode) & 0o077} == {}


def test_taken_port_is_one_clear_line(tmp_path: Path) -> None:
    """A port in use is told before anything is started."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = RunningService(tmp_path / "data", GIORNALE_PORT=str(taken.getsockname()[1]))
        assert refused.ended() == 1
    assert not (tmp_path / "data").exists()
