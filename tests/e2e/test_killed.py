"""An import or an archiving killed in the middle: all or nothing is there, and it is made again."""

import gzip
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.archive.archive import check
from service.bootstrap import open_archive, open_context
from service.cli.commands import main
from service.config import Config
from service.journal.redis import open_journal
from service.ledger import record
from service.ledger.commit import canonical
from service.matches import lifecycle
from service.matches.records import import_record
from service.process.valkey import Server
from tests.records import make
from tests.running import PATIENCE, environment

RECORD = make.HOME / "calimala/1-3-bound-09.ndjson.gz"
LINES = record.lines(gzip.decompress(RECORD.read_bytes()))
COMMITS = [canonical(record.read_line(line)[0]) for line in LINES]
MATCH = record.read_line(LINES[0])[0]["commit"]["match"]

# `giornale import`, which kills a process when so many bytes of its transaction are sent, or all
# of them, whichever is first. Without a limit it kills nothing, and prints the length at its end.
IMPORT = """
import os, socket, sys
from service.cli.commands import main

pid, limit = int(sys.argv[2]), int(sys.argv[3])
sent = 0
is_whole = False

class Counted(socket.socket):
    def sendall(self, data, *flags):
        global sent, is_whole
        data = bytes(data)
        if is_whole or not (sent or data.startswith(b"*1\\r\\n$5\\r\\nMULTI\\r\\n")):
            return super().sendall(data, *flags)

        if limit:
            data = data[: limit - sent]
        super().sendall(data, *flags)
        sent += len(data)
        is_whole = data.endswith(b"\\r\\nEXEC\\r\\n")
        if limit and (is_whole or sent == limit):
            os.kill(pid or os.getpid(), 9)

socket.socket = Counted
try:
    main(["import", sys.argv[1]])
finally:
    print(sent)
"""

# `giornale archive run`, killed after the call of a method.
ARCHIVE = """
import os, sys
from service.archive.archive import Archive
from service.archive.places import Directory
from service.cli.commands import main
from service.journal.redis.lifecycle import RedisLifecycle

place, name = {
    "file": (Directory, "write"), "check": (Archive, "read"), "commits": (RedisLifecycle, "archive")
}[sys.argv[1]]
original = getattr(place, name)

def killed(*arguments):
    original(*arguments)
    os.kill(os.getpid(), 9)

setattr(place, name, killed)
main(["archive", "run"])
"""


def run(program: str, *arguments: object, **settings: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a program, whose end may be a violent one."""
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=environment(**settings),
        check=False,
        timeout=PATIENCE,
        capture_output=True,
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record as a file."""
    path = tmp_path_factory.mktemp("file") / "record.ndjson"
    path.write_bytes(b"".join(LINES))
    return path


@pytest.fixture(scope="module")
def length(file: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many bytes the transaction of an import has."""
    directory = tmp_path_factory.mktemp("length")
    with Server(directory / "journal") as server:
        done = run(IMPORT, file, 0, 0, **settings_of(server.url, directory))
        assert stored(server.url) == COMMITS, done.stderr
    return int(done.stdout.split()[-1])


def settings_of(url: str, directory: Path) -> dict[str, str]:
    """Return the settings of a service on a journal."""
    return {"GIORNALE_JOURNAL_URL": url, "GIORNALE_DATA": str(directory)}


def stored(url: str) -> list[bytes]:
    """Return the commits of the match that the server holds."""
    journal = open_journal(url, partitions=256)
    try:
        return journal.events.read(MATCH)
    finally:
        journal.close()


def check_imported_again(url: str, directory: Path, file: Path) -> None:
    """Assert that the match can be imported, verifies, and comes out as it went in."""

    def printed(*words: str) -> bytes:
        done = CliRunner().invoke(main, words, env=settings_of(url, directory))
        assert done.exit_code == 0, done.output
        return done.stdout_bytes

    printed("import", str(file))
    assert stored(url) == COMMITS
    assert printed("export", MATCH) == b"".join(LINES)
    assert printed("verify", MATCH).startswith(b"right:")


@pytest.mark.parametrize("share", [0.05, 0.99])
def test_an_import_killed_in_the_middle_leaves_nothing(
    length: int, file: Path, tmp_path: Path, share: float
) -> None:
    """SIGKILL of the importing process with this share of its transaction sent."""
    limit = int(share * length)
    with Server(tmp_path / "journal") as server:
        killed = run(IMPORT, file, 0, limit, **settings_of(server.url, tmp_path))

        assert killed.returncode == -signal.SIGKILL
        assert stored(server.url) == []
        check_imported_again(server.url, tmp_path, file)


@pytest.mark.parametrize("share", [0.99, 1])
def test_a_server_killed_in_the_middle_of_an_import_holds_all_or_nothing(
    length: int, file: Path, tmp_path: Path, share: float
) -> None:
    """SIGKILL of the server with this share received; started again, it takes the record."""
    with Server(tmp_path / "journal") as server:
        limit = int(share * length)
        failed = run(IMPORT, file, server.pid, limit, **settings_of(server.url, tmp_path))
        assert failed.returncode != 0

    with Server(tmp_path / "journal") as again:
        assert stored(again.url) in ([], COMMITS)
        check_imported_again(again.url, tmp_path, file)


@pytest.mark.parametrize(
    ("step", "has_left"), [("file", False), ("check", False), ("commits", True)]
)
def test_archiving_killed_in_the_middle_loses_nothing_and_is_made_again(
    redis_url: str, tmp_path: Path, step: str, has_left: bool
) -> None:
    """SIGKILL after each step: the commits leave last, and at once."""
    settings = settings_of(redis_url, tmp_path)
    config = Config.load(settings)
    ctx, _queues = open_context(config)
    import_record(ctx, LINES)

    killed = run(ARCHIVE, step, **settings)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert (ctx.journal.lifecycle.archived(MATCH) is not None) == has_left
    assert ctx.journal.events.read(MATCH) == COMMITS

    archive = open_archive(config)
    lifecycle.archive(ctx, archive, MATCH)
    assert ctx.journal.lifecycle.archived(MATCH) is not None
    assert ctx.journal.events.read(MATCH) == COMMITS

    checked = check(ctx.journal, archive, lambda _: None)
    assert (checked.right, checked.wrong, checked.leftovers, checked.spare) == (1, [], [], 0)
