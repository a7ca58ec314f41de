"""A damaged journal: nothing is dropped in silence, and every refusal names the remedy."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis

from service.base.disk import NOTE, read_note
from service.ops.process.heartbeat import ActiveClock
from service.ops.process.journal_server import JournalServer
from service.ops.process.server_files import EmbeddedError
from service.ops.process.valkey import Server, explain
from tests.service.ops.process.supervising import start

KEYS = 50
TORN_BYTES = 30
DISK_FULL = "No space left on device"

Damage = Callable[[Path], object]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a stopped server with some data."""
    directory = tmp_path_factory.mktemp("sound")
    with Server(directory) as server, Redis.from_url(server.url) as client:
        for number in range(KEYS):
            client.set(f"key-{number}", "x" * 100)
    return directory


@pytest.fixture
def directory(sound: Path, tmp_path: Path) -> Path:
    """A copy of the directory, to be damaged."""
    without_socket = shutil.ignore_patterns("server.sock")
    return Path(shutil.copytree(sound, tmp_path / "journal", ignore=without_socket))


def file_of(directory: Path, ending: str) -> Path:
    """Return the only append-only file with this ending."""
    [file] = (directory / "appendonlydir").glob(f"*.{ending}")
    return file


def shorten(file: Path) -> None:
    """Cut off the end of a file."""
    os.truncate(file, file.stat().st_size - TORN_BYTES)


def spoil(file: Path) -> None:
    """Overwrite the beginning of a command in the middle of a file, or just its middle."""
    content = bytearray(file.read_bytes())
    middle = max(content.find(b"*3", len(content) // 2), len(content) // 2)
    content[middle : middle + 7] = b"garbage"
    file.write_bytes(content)


@pytest.mark.parametrize(
    ("ending", "damage", "reason", "advice"),
    [
        ("incr.aof", spoil, "incr.aof in .* is damaged", "last backup.*valkey-check-aof"),
        ("base.rdb", spoil, "base.rdb in .* is damaged", "last backup.*valkey-check-aof"),
        ("base.rdb", shorten, "base.rdb in .* is damaged", "last backup.*valkey-check-aof"),
        ("incr.aof", Path.unlink, "files are missing", "Put them back.*backup"),
        ("manifest", shorten, "their list is damaged", "Put them back.*backup"),
        ("manifest", Path.unlink, "manifest is missing", "Put the file back.*backup"),
    ],
    ids=["spoilt", "base-spoilt", "base-shortened", "file-gone", "list-shortened", "list-gone"],
)
def test_a_damaged_journal_is_refused_and_left_as_it_is(
    directory: Path, ending: str, damage: Damage, reason: str, advice: str
) -> None:
    """The refusal has the reason and the way out. No append-only file is changed."""
    damage(file_of(directory, ending))
    files_before = contents(directory)

    with pytest.raises(EmbeddedError, match=f"{reason}.*{advice}"):
        Server(directory)
    assert contents(directory) == files_before


def test_a_torn_end_is_told_with_the_cut_bytes(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A torn write is cut off. The start prints this, and leaves a note for /readyz."""
    file = file_of(directory, "incr.aof")
    shorten(file)
    torn_bytes = file.stat().st_size
    server = JournalServer(directory, 0, ActiveClock())
    try:
        start(server)
    finally:
        server.stop()

    cut_bytes = torn_bytes - file.stat().st_size
    assert cut_bytes > 0
    sentence = f"the end of {file.name} was torn: {cut_bytes} bytes"
    assert sentence in capsys.readouterr().out
    assert sentence in read_note(directory)


def test_a_sound_journal_leaves_no_note(directory: Path) -> None:
    """The start of a sound journal leaves no note."""
    with Server(directory), Redis.from_url(f"unix://{directory}/server.sock") as client:
        assert client.dbsize() == KEYS
    assert not (directory / NOTE).exists()
    assert read_note(directory) == ""


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        (f"Error writing to the AOF file: {DISK_FULL}", "the disk is full: .* are free in"),
        ("Short write while writing to the AOF file: (nwritten=2, expected=9)", "the disk is full"),
        ("Can't handle RDB format version 99", r"a newer server \(format 99\)"),
        ("Can't open or create append-only dir x: Permission denied", "it may not write to"),
        ("Valkey aborting for OUT OF MEMORY. Allocating 9 bytes!", "too little memory"),
        ("something else", "its log ends:\nsomething else"),
        ("", "its log is empty"),
    ],
)
def test_the_log_is_understood(tmp_path: Path, line: str, meaning: str) -> None:
    """A server's last message becomes a sentence. An unknown one is repeated."""
    assert re.search(meaning, explain(line, tmp_path))


def contents(directory: Path) -> dict[str, bytes]:
    """Return every append-only file with its bytes."""
    return {path.name: path.read_bytes() for path in (directory / "appendonlydir").iterdir()}
