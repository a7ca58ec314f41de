"""A disk that is as good as full: moves are refused in time, reads go on, and all is told."""

import shutil
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ResponseError

from service.journal.errors import TooFewReplicas
from service.journal.redis import open_journal
from service.process.heartbeat import ActiveClock
from service.process.journal_server import DiskGuard, JournalServer
from service.process.valkey import Server
from tests.service.journal.entries import commit, entry
from tests.service.process.supervising import look_until, start

Usage = namedtuple("Usage", "total used free")
MEBIBYTE = 2**20
GIBIBYTE = 2**30


class Disk:
    """A disk of which a test says how much is free."""

    def __init__(self) -> None:
        self.size = 100 * GIBIBYTE
        self.free = 50 * GIBIBYTE

    def usage(self, _directory: Path) -> Usage:
        """Return what `shutil.disk_usage` would."""
        return Usage(self.size, self.size - self.free, self.free)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    """The disk of every directory."""
    disk = Disk()
    monkeypatch.setattr(shutil, "disk_usage", disk.usage)
    return disk


@pytest.fixture
def supervised(tmp_path: Path, disk: Disk) -> Iterator[JournalServer]:
    """A running server under supervision."""
    server = JournalServer(tmp_path / "journal", 0, ActiveClock())
    start(server)
    yield server
    server.stop()


def test_a_full_disk_takes_no_moves_and_is_read_on(
    supervised: JournalServer, disk: Disk, capsys: pytest.CaptureFixture[str]
) -> None:
    """Writes are refused before one fails, and taken again when there is room; both are told."""
    journal = open_journal(supervised.url)
    made = commit(journal)

    disk.free = 31 * MEBIBYTE
    look_until(supervised.look_after, lambda: not supervised.writable)
    with pytest.raises(TooFewReplicas):
        journal.events.append(entry(version=2))
    assert journal.events.read("m") == [made.commit_bytes]

    disk.free = 65 * MEBIBYTE
    look_until(supervised.look_after, lambda: supervised.writable)
    journal.events.append(entry(version=2))
    journal.close()

    supervised.look_after()
    news = [line.removeprefix("journal  ") for line in capsys.readouterr().out.splitlines()]
    assert news[0].startswith("takes no moves, since the disk is full: 31 MiB (0.0 %) are free in ")
    assert news[1:] == ["takes moves again"]


def test_a_server_starts_on_a_full_disk_to_be_read(tmp_path: Path, disk: Disk) -> None:
    """It refuses the first write already, which would end it."""
    disk.free = 0
    arguments = DiskGuard(tmp_path).arguments()

    with Server(tmp_path, arguments=arguments) as server, Redis.from_url(server.url) as client:
        assert client.get("key") is None
        with pytest.raises(ResponseError, match="NOREPLICAS"):
            client.set("key", "value")


def test_a_server_starts_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its configuration, address and lock stay as they were: they say the same as before."""
    with Server(tmp_path) as server:
        url = server.url

    def refuse(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("service.process.server_files.write_file", refuse)
    with Server(tmp_path) as server:
        assert server.url == url


def test_a_small_disk_is_not_full_from_the_beginning(tmp_path: Path, disk: Disk) -> None:
    """Of a small volume a hundredth must be left, not more than it has."""
    disk.size = disk.free = 20 * MEBIBYTE
    assert DiskGuard(tmp_path).arguments() == []
