"""Places of files, such as packed matches: a directory, or another file system of fsspec.

The file of a packed match never changes, since its name ends in its digest. Readers open such a
file only if a marker in the journal names it, and the marker is set only after the file was read
back. So a place without renames, such as S3, is safe, too.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from service.base.private_files import DIRECTORY_MODE, private_file
from service.base.redis_urls import mask

DRAFT = "."  # begins the names of unfinished files


class PlaceError(Exception):
    """A place could not be read or written, for the reason in the message."""


class NotThere(PlaceError):
    """The file is missing."""

    def __init__(self) -> None:
        super().__init__("there is no such file")


class FileStore(Protocol):
    """Files by name, such as "ab/abc-0123.zst". All methods but `__str__` raise PlaceError."""

    def __str__(self) -> str:
        """Return the address for the operator, without a password."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Write a file durably, whole or not at all. An existing file is replaced."""
        ...

    def read(self, name: str) -> bytes:
        """Return a file. Raises NotThere."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file. A missing one is no error."""
        ...

    def names(self) -> Iterator[str]:
        """Yield the names of all files, including drafts."""
        ...


def open_place(address: str) -> FileStore:
    """Return the place at a directory or at an address of fsspec. Nothing is created yet."""
    if address.startswith("file://"):
        address = address.removeprefix("file://")
    if "://" in address:
        return Remote(address)
    return Directory(Path(address))


class Directory:
    """A directory of this machine. A file gets its name after its content is on the disk."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __str__(self) -> str:
        """Return the path."""
        return str(self._root)

    def write(self, name: str, content: bytes) -> None:
        """Write a file durably, whole or not at all."""
        path = self._root / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=DIRECTORY_MODE)
            with private_file(path) as file:
                file.write(content)
        except OSError as error:
            raise PlaceError(_reason(error)) from None

    def read(self, name: str) -> bytes:
        """Return a file."""
        try:
            return (self._root / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise NotThere from None
        except OSError as error:
            raise PlaceError(_reason(error)) from None

    def remove(self, name: str) -> None:
        """Remove a file."""
        try:
            (self._root / name).unlink(missing_ok=True)
        except OSError as error:
            raise PlaceError(_reason(error)) from None

    def names(self) -> Iterator[str]:
        """Yield the name of every file."""
        for folder, _, files in os.walk(self._root, onerror=_raise_unless_missing):
            for file in files:
                yield (Path(folder) / file).relative_to(self._root).as_posix()


class Remote:
    """A place reached by fsspec, such as s3://bucket/path. One call writes a whole file."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._opened: tuple[Any, str] | None = None

    def __str__(self) -> str:
        """Return the address without its password."""
        return mask(self._address)

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""
        with _translate_errors():
            files, path = self._at(name)
            files.pipe_file(path, content)

    def read(self, name: str) -> bytes:
        """Return a file."""
        with _translate_errors():
            files, path = self._at(name)
            content: bytes = files.cat_file(path)
            return content

    def remove(self, name: str) -> None:
        """Remove a file."""
        with suppress(NotThere), _translate_errors():
            files, path = self._at(name)
            files.rm_file(path)

    def names(self) -> Iterator[str]:
        """Yield the name of every file."""
        listed: list[str] = []
        root = ""
        with suppress(NotThere), _translate_errors():
            files, root = self._at("")
            listed = files.find(root, refresh=True)

        for path in listed:
            yield path.removeprefix(root)

    def _at(self, name: str) -> tuple[Any, str]:
        """Return the file system and the path of a file in it."""
        if self._opened is None:
            # The import takes a tenth of a second, and most processes do not need it.
            from fsspec.core import url_to_fs

            files, root = url_to_fs(self._address)
            self._opened = (files, root.rstrip("/") + "/")
        files, root = self._opened
        return files, root + name


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Turn any error of a file system into PlaceError.

    Each of fsspec's file systems has a library with errors of its own.
    """
    try:
        yield
    except FileNotFoundError:
        raise NotThere from None
    except Exception as error:  # noqa: BLE001 - see above
        raise PlaceError(_reason(error)) from None


def _reason(error: Exception) -> str:
    """Return the reason of an error as text."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"{type(error).__name__}: {error}"


def _raise_unless_missing(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise PlaceError(_reason(error)) from None
