"""Whatever is wrong with a backup is found before anything of it is written."""

import gzip
import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from service.backup import restore
from service.backup.file_format import MANIFEST, BadBackup
from service.matches.context import Context
from tests.service.backup.conftest import back_up, quiet


def rewrite(path: Path, changed_name: str, change: "Damage") -> None:
    """Write a backup anew with one of its members changed.

    The manifest's own digests stay as they were.
    """
    contents = []
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            contents.append((member.name, file.read()))

    with tarfile.open(path, "w:gz") as archive:
        for name, content in contents:
            changed = change(content) if name == changed_name else content
            if changed is not None:
                member = tarfile.TarInfo(name)
                member.size = len(changed)
                archive.addfile(member, io.BytesIO(changed))


def without_last_line(content: bytes) -> bytes:
    """Return a content's lines but the last."""
    *lines, _last = content.splitlines(keepends=True)
    return b"".join(lines)


# From a member's content to its content when damaged, None if it is left out.
Damage = Callable[[bytes], bytes | None]

# The member that is damaged, how, and what is said of it.
MATCHES = "matches/000001.ndjson"
DAMAGES: dict[str, tuple[str, Damage, str]] = {
    "a-changed-commit": (
        MATCHES,
        lambda content: content.replace(b'"actor":"seat:0"', b'"actor":"seat:1"'),
        "not the one its hash was made of",
    ),
    "a-lost-commit": (
        MATCHES,
        without_last_line,
        "cannot be taken|not in canonical|no commit|no end|not the one",
    ),
    "a-changed-field": (
        MATCHES,
        lambda content: content.replace(b'"token:', b'"taken:'),
        "not the one that the manifest tells of",
    ),
    "no-matches": (MATCHES, lambda _: None, "not the one that the manifest"),
    "no-manifest": (MANIFEST, lambda _: None, "no manifest"),
    "another-layout": (
        MANIFEST,
        lambda content: content.replace(b'"layout": 1', b'"layout": 9'),
        "layout 9",
    ),
    "a-manifest-of-nonsense": (MANIFEST, lambda _: b"[]", "manifest cannot be read"),
}


@pytest.fixture
def backup(full: Context, tmp_path: Path) -> Path:
    """A backup of matches of every kind."""
    path = tmp_path / "backup"
    back_up(full.journal, path)
    return path


@pytest.mark.parametrize(("member", "change", "complaint"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_backup_is_refused(
    backup: Path, member: str, change: Damage, complaint: str
) -> None:
    rewrite(backup, member, change)

    with pytest.raises(BadBackup, match=complaint):
        restore.check(backup, quiet)


@pytest.mark.parametrize("length", [0, 1, 1000, -1000, -9])
def test_a_file_cut_short_is_refused(backup: Path, length: int) -> None:
    """Wherever the file ends too early, it is no backup."""
    backup.write_bytes(backup.read_bytes()[:length])

    with pytest.raises(BadBackup):
        restore.check(backup, quiet)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"text", id="text"),
        pytest.param(gzip.compress(b"text"), id="gzipped-text"),
        pytest.param(gzip.compress(b"\0" * 10_240), id="an-empty-tar"),
    ],
)
def test_what_is_no_backup_is_refused(tmp_path: Path, content: bytes) -> None:
    """Other files are refused with a sentence, a gzipped one too."""
    path = tmp_path / "backup"
    path.write_bytes(content)

    with pytest.raises(BadBackup):
        restore.check(path, quiet)
