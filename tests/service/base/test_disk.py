"""Low disk space and a torn journal are told."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.api.health.checks import ADVISORY, disk, torn
from service.base.disk import write_note

MEBIBYTE = 2**20
GIBIBYTE = 2**30


@pytest.mark.parametrize(
    ("size", "free", "beginning"),
    [
        (4000 * GIBIBYTE, 2 * GIBIBYTE, "ok"),
        (4000 * GIBIBYTE, 900 * MEBIBYTE, "900 MiB (0.0 %) are free in DATA. Make room"),
        (8 * GIBIBYTE, 500 * MEBIBYTE, "ok"),
        (8 * GIBIBYTE, 300 * MEBIBYTE, "300 MiB (3.7 %) are free in DATA. Make room"),
        (100 * MEBIBYTE, 6 * MEBIBYTE, "ok"),
        (100 * MEBIBYTE, 4 * MEBIBYTE, "4 MiB (4.0 %) are free in DATA. Make room"),
    ],
)
def test_little_room_is_told(
    monkeypatch: pytest.MonkeyPatch, size: int, free: int, beginning: str
) -> None:
    """Room below 1 GiB and below a twentieth is told as little. It makes nothing unready."""
    usage = SimpleNamespace(total=size, used=size - free, free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda _directory: usage)

    answer = disk(SimpleNamespace(data=Path("DATA")))  # type: ignore[arg-type]
    assert answer["disk"].startswith(beginning)
    assert disk in ADVISORY


def test_a_disk_that_cannot_be_asked_is_unknown(tmp_path: Path) -> None:
    """The room of a directory that is not there is unknown, without an alarm or an error."""
    assert disk(SimpleNamespace(data=tmp_path / "gone")) == {"disk": "unknown"}  # type: ignore[arg-type]


def test_a_torn_journal_is_told_until_the_note_is_removed(tmp_path: Path) -> None:
    """Of the notes of a torn journal the last one is told. It says how to remove it."""
    subject = SimpleNamespace(data=tmp_path)
    directory = tmp_path / "journal"
    directory.mkdir()
    assert torn(subject) == {"torn": "ok"}  # type: ignore[arg-type]

    write_note(directory, "first")
    write_note(directory, "second")
    fault = torn(subject)["torn"]  # type: ignore[arg-type]
    assert "second. Remove " in fault
    assert "first" not in fault

    (directory / "server.torn").unlink()
    assert torn(subject) == {"torn": "ok"}  # type: ignore[arg-type]
