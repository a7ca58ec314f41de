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


def rewrite(path: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """Write a backup anew with its members changed (None: left out).

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
            changed = change(name, content)
            if changed is not None:
                member = tarfile.TarInfo(name)
                member.size = len(changed)
                archive.addfile(member, io.BytesIO(changed))


# From a member's name and content to its content when damaged, None if it is left out.
Damage = Callable[[str, bytes], bytes | None]


def in_matches(change: Callable[[bytes], bytes]) -> Damage:
    """Return the damage that changes the parts with matches alone."""

    def damage(name: str, content: bytes) -> bytes:
        if name.startswith("matches/"):
            return change(content)
        return content

    return damage


def in_manifest(change: Callable[[bytes], bytes | None]) -> Damage:
    """Return the damage that changes the manifest alone."""

    def damage(name: str, content: bytes) -> bytes | None:
        if name == MANIFEST:
            return change(content)
        return content

    return damage


def leave_matches_out(name: str, content: bytes) -> bytes | None:
    """Damage a backup by taking out all but its manifest."""
    if name == MANIFEST:
        return content
    return None


def replaced(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    """Return the change that puts new bytes wherever the old ones stand."""
    return lambda content: content.replace(old, new)


def without_last_line(content: bytes) -> bytes:
    """Return a content's lines but the last."""
    *lines, _last = content.splitlines(keepends=True)
    return b"".join(lines)


DAMAGES = [
    pytest.param(
        in_matches(replaced(b'"actor":"seat:0"', b'"actor":"seat:1"')),
        "not the one its hash was made of",
        id="a-changed-commit",
    ),
    pytest.param(
        in_matches(without_last_line),
        "cannot be taken|not in canonical|no commit|no end|not the one",
        id="a-lost-commit",
    ),
    pytest.param(
        in_matches(replaced(b'"token:', b'"taken:')),
        "not the one that the manifest tells of",
        id="a-changed-sidecar",
    ),
    pytest.param(in_manifest(lambda _: None), "no manifest", id="no-manifest"),
    pytest.param(
        in_manifest(replaced(b'"layout": 1', b'"layout": 9')),
        "layout 9",
        id="another-layout",
    ),
    pytest.param(
        leave_matches_out,
        "not the one that the manifest",
        id="no-matches",
    ),
    pytest.param(
        in_manifest(lambda _: b"[]"),
        "manifest cannot be read",
        id="a-manifest-of-nonsense",
    ),
]


@pytest.mark.parametrize(("change", "complaint"), DAMAGES)
def test_a_damaged_backup_is_refused(
    full: Context, tmp_path: Path, change: Damage, complaint: str
) -> None:
    """Whatever is changed in the file, or missing from it, is found before anything is written."""
    path = tmp_path / "backup"
    back_up(full.journal, path)
    rewrite(path, change)

    with pytest.raises(BadBackup, match=complaint):
        restore.check(path, quiet)


@pytest.mark.parametrize("length", [0, 1, 1000, -1000, -9])
def test_a_file_cut_short_is_refused(full: Context, tmp_path: Path, length: int) -> None:
    """Wherever the file ends too early, it is no backup."""
    path = tmp_path / "backup"
    back_up(full.journal, path)
    whole = path.read_bytes()
    path.write_bytes(whole[:length])

    with pytest.raises(BadBackup):
        restore.check(path, quiet)


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
