"""An archiving killed in the middle: nothing is lost, and it is made again."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from service.base.config import Config
from service.bootstrap import open_archive, open_context
from service.matches import lifecycle
from service.matches.records import import_record
from service.record import record
from service.record.commit import canonical
from service.store.archive.archive import check
from tests.records import make
from tests.running import PATIENCE, environment

RECORD = make.HOME / "calimala/1-3-bound-09.ndjson.gz"
LINES = make.lines_in(RECORD)
COMMITS = [canonical(record.read_line(line)[0]) for line in LINES]
MATCH = record.read_line(LINES[0])[0]["commit"]["match"]


# `giornale archive run`, killed after the call of a method.
ARCHIVE = """
import os, sys
from service.store.archive.archive import Archive
from service.store.archive.places import Directory
from service.ops.cli.commands import main
from service.store.journal.redis.lifecycle import RedisLifecycle

place, name = {
    "file": (Directory, "write"), "check": (Archive, "put"), "commits": (RedisLifecycle, "archive")
}[sys.argv[1]]
original = getattr(place, name)

def killed(*arguments):
    original(*arguments)
    os.kill(os.getpid(), 9)

setattr(place, name, killed)
main(["archive", "run"])
"""


def run(program: str, *arguments: object, **settings: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a program. Its end may be a violent one."""
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=environment(**settings),
        check=False,
        timeout=PATIENCE,
        capture_output=True,
    )


def settings_of(url: str, directory: Path) -> dict[str, str]:
    """Return the settings of a service on a journal."""
    return {"GIORNALE_JOURNAL_URL": url, "GIORNALE_DATA": str(directory)}


@pytest.mark.whole
@pytest.mark.parametrize(
    ("step", "has_left"), [("file", False), ("check", False), ("commits", True)]
)
def test_archiving_killed_in_the_middle_loses_nothing(
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
