"""An import killed in the middle: the match is whole or not there, and can be imported again."""

import gzip
import os
import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from redis import Redis

from service.cli.commands import main
from service.journal.redis import open_journal
from service.ledger import record
from service.ledger.commit import canonical
from service.process.valkey import Server
from tests.e2e.gate import Gate
from tests.records import make
from tests.running import COMMAND, PATIENCE, environment

RECORD = make.HOME / "calimala" / "1-3-00.ndjson.gz"
LINES = record.lines(gzip.decompress(RECORD.read_bytes()))
MATCH = record.read_line(LINES[0])[0]["commit"]["match"]
PARTITIONS = 256


def start(url: str, directory: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    """Start `giornale` on a journal, as from a shell."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        env=environment(GIORNALE_JOURNAL_URL=url, GIORNALE_DATA=str(directory)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run(url: str, directory: Path, *arguments: str) -> bytes:
    """Run `giornale` in this process to its good end and return what it printed."""
    settings = {"GIORNALE_JOURNAL_URL": url, "GIORNALE_DATA": str(directory)}
    done = CliRunner().invoke(main, arguments, env=settings)
    assert done.exit_code == 0, done.output
    return done.stdout_bytes


def stored(url: str) -> list[bytes]:
    """Return the commits of the match that the server holds."""
    journal = open_journal(url, PARTITIONS)
    try:
        return journal.events.read(MATCH)
    finally:
        journal.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The record as a file."""
    path = tmp_path_factory.mktemp("file") / "record.ndjson"
    path.write_bytes(b"".join(LINES))
    return str(path)


@pytest.fixture(scope="module")
def import_length(server: Server, file: str, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many bytes an import sends to its server, which is left empty."""
    directory = tmp_path_factory.mktemp("length")
    with Redis.from_url(server.url) as client:
        client.flushall()
        with Gate(server.url) as gate:
            start(gate.url, directory, "import", file).communicate(timeout=PATIENCE)
        assert client.dbsize() > 0
        client.flushall()
    return gate.passed


def check_consecutive(url: str, directory: Path, file: str) -> None:
    """Assert that the match can be imported, verifies, and comes out as it went in."""
    run(url, directory, "import", file)

    assert stored(url) == [canonical(record.read_line(line)[0]) for line in LINES]
    assert run(url, directory, "export", MATCH) == b"".join(LINES)
    assert run(url, directory, "verify", MATCH).startswith(b"right:")


@pytest.mark.parametrize("share", [0.05, 0.5, 0.99])
def test_an_import_killed_in_the_middle_leaves_nothing_and_is_made_again(
    redis_url: str, import_length: int, file: str, tmp_path: Path, share: float
) -> None:
    """SIGKILL of the importing process with this share of its transaction sent."""
    with Gate(redis_url, limit=int(share * import_length)) as gate:
        process = start(gate.url, tmp_path, "import", file)
        gate.strike = process.kill
        process.communicate(timeout=PATIENCE)

    assert process.returncode == -signal.SIGKILL
    assert stored(redis_url) == []
    check_consecutive(redis_url, tmp_path, file)


@pytest.mark.parametrize("share", [0.05, 0.99, 1])
def test_a_server_killed_in_the_middle_of_an_import_holds_all_or_nothing(
    import_length: int, file: str, tmp_path: Path, share: float
) -> None:
    """SIGKILL of the server with this share received; started again, it takes the record."""
    directory = tmp_path / "journal"
    limit = int(share * import_length)

    with Server(directory) as server:

        def kill_server() -> None:
            os.kill(server.pid, signal.SIGKILL)

        with Gate(server.url, limit, kill_server) as gate:
            start(gate.url, tmp_path, "import", file).communicate(timeout=PATIENCE)

    with Server(directory) as again:
        assert len(stored(again.url)) in (0, len(LINES))
        check_consecutive(again.url, tmp_path, file)
