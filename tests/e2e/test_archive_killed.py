"""Archiving killed in the middle: every commit is in the journal or the archive, and readable."""

import gzip
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from service.archive.archive import check
from service.bootstrap import open_archive, open_context
from service.config import Config
from service.ledger import record
from service.ledger.commit import canonical
from service.matches import lifecycle
from service.matches.records import import_record
from tests.records import make
from tests.running import PATIENCE, environment

LINES = record.lines(gzip.decompress((make.HOME / "calimala/1-3-bound-09.ndjson.gz").read_bytes()))
COMMITS = [canonical(record.read_line(line)[0]) for line in LINES]
MATCH = record.read_line(LINES[0])[0]["commit"]["match"]

# `giornale archive run`, killed before or after the call of a method.
KILLED = """
import os, sys
from service.archive.archive import Archive
from service.archive.places import Directory
from service.cli.commands import main
from service.journal.redis.lifecycle import RedisLifecycle

place, name = {
    "file": (Directory, "write"), "check": (Archive, "read"), "commits": (RedisLifecycle, "archive")
}[sys.argv[2]]
original = getattr(place, name)

def killed(*arguments):
    if sys.argv[1] == "after":
        original(*arguments)
    os.kill(os.getpid(), 9)

setattr(place, name, killed)
main(["archive", "run"])
"""


@pytest.mark.parametrize(
    ("when", "step", "has_left"),
    [
        ("after", "file", False),
        ("after", "check", False),
        ("after", "commits", True),
    ],
)
def test_archiving_killed_in_the_middle_loses_nothing_and_is_made_again(
    redis_url: str, tmp_path: Path, when: str, step: str, has_left: bool
) -> None:
    """SIGKILL around each step: the commits leave last, and at once."""
    settings = {"GIORNALE_JOURNAL_URL": redis_url, "GIORNALE_DATA": str(tmp_path)}
    config = Config.load(settings)
    ctx, _queues = open_context(config)
    import_record(ctx, LINES)

    command = [sys.executable, "-c", KILLED, when, step]
    killed = subprocess.run(
        command, env=environment(**settings), check=False, timeout=PATIENCE, capture_output=True
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert (ctx.journal.lifecycle.archived(MATCH) is not None) == has_left
    assert ctx.journal.events.read(MATCH) == COMMITS

    archive = open_archive(config)
    lifecycle.archive(ctx, archive, MATCH)
    assert ctx.journal.lifecycle.archived(MATCH) is not None
    assert ctx.journal.events.read(MATCH) == COMMITS

    checked = check(ctx.journal, archive, lambda _: None)
    assert (checked.right, checked.wrong, checked.leftovers, checked.spare) == (1, [], [], 0)
