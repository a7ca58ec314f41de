"""Files are written whole or not at all, in a directory or wherever fsspec reaches."""

import stat
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from service.store.archive.places import FileStore, NotThere, PlaceError, open_place


@pytest.fixture(params=["directory", "file", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> FileStore:
    """Each kind of place in turn, empty. The last stands for object stores such as S3."""
    addresses = {
        "directory": str(tmp_path / "archive"),
        "file": f"file://{tmp_path}/archive",
        "memory": f"memory://{tmp_path.name}/archive",
    }
    return open_place(addresses[request.param])


def test_a_file_is_written_read_and_removed(place: FileStore) -> None:
    """The place is made with its first file. A file is found under its name and in the list.

    New content replaces the old. It is no error to remove a file twice.
    """
    assert list(place.names()) == []
    with pytest.raises(NotThere):
        place.read("ab/one.zst")

    place.write("ab/one.zst", b"1")
    place.write("cd/two.zst", b"2")
    place.write("ab/one.zst", b"one")

    assert place.read("ab/one.zst") == b"one"
    assert sorted(place.names()) == ["ab/one.zst", "cd/two.zst"]

    for _time in range(2):
        place.remove("ab/one.zst")
    assert list(place.names()) == ["cd/two.zst"]


def test_files_are_for_their_user_alone(tmp_path: Path) -> None:
    """Archived files are for their user alone, because they hold secrets."""
    open_place(str(tmp_path / "archive")).write("ab/one.zst", b"1")

    path = tmp_path / "archive" / "ab" / "one.zst"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_place_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    """The error of an unwritable place has the system's reason."""
    (tmp_path / "archive").write_text("a file, no directory")
    place = open_place(str(tmp_path / "archive"))

    with pytest.raises(PlaceError, match=r"directory|exists"):
        place.write("ab/one.zst", b"1")


def test_no_password_is_told_of_an_address() -> None:
    """The printed address of an archive has no password."""
    assert str(open_place("sftp://ada:hush@example.org/packed")) == (
        "sftp://ada:***@example.org/packed"
    )


def test_whatever_a_file_system_raises_is_an_error_of_the_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An error of a file system's library is raised as PlaceError."""

    def throttle(*_: object, **_more: object) -> bytes:
        raise RuntimeError("slow down")

    monkeypatch.setattr(MemoryFileSystem, "cat_file", throttle)
    with pytest.raises(PlaceError, match="RuntimeError: slow down"):
        open_place("memory://packed").read("ab/one.zst")
