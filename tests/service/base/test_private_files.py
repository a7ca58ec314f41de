"""Files are whole or absent, and drafts of killed processes are found and removed."""

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from service.base.private_files import private_file, remove_drafts, write_private

# A program that writes a file and is killed at a step on the way.
KILLED = """
import os, sys
from pathlib import Path
from service.base import private_files

def die(*_):
    os.kill(os.getpid(), 9)

step, path = sys.argv[1:]
owner, name = {
    "write": (private_files, "_sync"), "sync": (os, "fsync"), "rename": (Path, "replace")
}[step]
setattr(owner, name, die)
with private_files.private_file(Path(path)) as file:
    file.write(b"after")
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of an existing file."""
    path = tmp_path / "match.backup"
    path.write_bytes(b"precious")
    return path


def write(path: Path, content: bytes, *, replace: bool = True) -> None:
    """Write a file in one go."""
    with private_file(path, replace=replace) as file:
        file.write(content)


def write_half(path: Path, *, replace: bool) -> None:
    """Fail in the middle of a file."""
    with private_file(path, replace=replace) as file:
        file.write(b"half")
        raise OSError("the disk is gone")


def names_beside(path: Path) -> list[str]:
    """Return the names of all files in a file's directory."""
    return sorted(file.name for file in path.parent.iterdir())


def test_a_file_is_replaced_whole(path: Path) -> None:
    """The old file is there until the new one is complete, which can be read back meanwhile.

    A draft in use is not removed as a leftover one.
    """
    with private_file(path) as file:
        file.write(b"new")
        file.seek(0)
        assert file.read() == b"new"
        assert path.read_bytes() == b"precious"

    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert names_beside(path) == [path.name]

    with private_file(path) as file:
        assert remove_drafts(path) == []
        file.write(b"newer")
    assert path.read_bytes() == b"newer"


@pytest.mark.parametrize("replace", [True, False])
def test_a_failed_write_leaves_everything_as_it_was(path: Path, replace: bool) -> None:
    """After a failed write the old file stays, and no draft is left."""
    with pytest.raises(OSError, match="disk"):
        write_half(path, replace=replace)
    assert path.read_bytes() == b"precious"
    assert names_beside(path) == [path.name]


def no_links(*_: object) -> None:
    """Fail as on a file system that knows no links."""
    raise OSError(errno.EPERM, "no links here")


@pytest.mark.parametrize("has_links", [True, False], ids=["links", "no-links"])
def test_a_file_that_appears_meanwhile_is_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    """A file that appears during a write is kept, with or without hard links.

    An absent file is written.
    """
    if not has_links:
        monkeypatch.setattr(os, "link", no_links)

    with pytest.raises(FileExistsError):
        write(path, b"new", replace=False)
    write_private(path, b"new")
    assert path.read_bytes() == b"precious"

    other = path.with_name("other.backup")
    write(other, b"new", replace=False)
    assert other.read_bytes() == b"new"
    assert names_beside(path) == [path.name, other.name]


@pytest.mark.parametrize("name", ["match.backup", "yesterday.backup"])
@pytest.mark.parametrize("step", ["write", "sync", "rename"])
def test_drafts_of_a_killed_process_are_removed(path: Path, name: str, step: str) -> None:
    """A killed process's drafts can be removed, also those of a file with the same ending.

    The old file stays.
    """
    command = [sys.executable, "-c", KILLED, step, str(path.with_name(name))]
    child = subprocess.run(command, check=False)
    assert child.returncode == -signal.SIGKILL

    assert path.read_bytes() == b"precious"
    [draft] = remove_drafts(path)
    assert draft.name.startswith(f".{name}.")
    assert names_beside(path) == [path.name]
    assert remove_drafts(path) == []


NO_DRAFTS = (
    ".match.page.77.0123abcd",
    ".match.backup.77.0123ABCD",
    ".match.backup.me.0123abcd",
    "match.backup.77.0123abcd",
    ".backup.77.0123abcd",
)


def test_other_files_and_locked_drafts_stay(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of others are not removed, under any tested name.

    A directory stays, too, and a file on a system without locks, since it may be in use.
    """
    for name in NO_DRAFTS:
        path.with_name(name).write_bytes(b"another's")
    assert remove_drafts(path) == []
    assert remove_drafts(path.with_name("match")) == []

    path.with_name(".match.backup.77.0123abcd").mkdir()
    assert remove_drafts(path) == []

    draft = path.with_name(".match.backup.78.0123abcd")
    draft.touch()
    monkeypatch.setattr(fcntl, "flock", no_links)
    assert remove_drafts(path) == []
    assert draft.exists()
    assert remove_drafts(path.parent / "nowhere" / "match") == []


def test_a_draft_removed_before_it_is_locked_is_written_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A draft that another process removes before it is locked is written again."""
    lock: Any = fcntl.flock

    def remove_then_lock(file: Any, operation: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        [removed] = remove_drafts(path)
        assert not removed.exists()
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", remove_then_lock)
    write(path, b"new")
    assert path.read_bytes() == b"new"
    assert names_beside(path) == [path.name]
