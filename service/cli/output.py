"""Where a command writes what it makes: a file that is whole or not there, or standard output."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import IO, Any

import click

from service.cli.printing import printable
from service.keys.private_files import private_file, remove_drafts

FILE = click.Path(dir_okay=False, path_type=Path, allow_dash=True)

with_replace = click.option("--replace", is_flag=True, help="Replace the file if it is there.")


class CannotWrite(click.ClickException):
    """A file cannot be written, or is there already."""


@dataclass(frozen=True, slots=True)
class Output:
    """A file, or standard output for "-".   replace: whether a file may be replaced."""

    path: Path
    replace: bool

    def check(self) -> None:
        """Raise CannotWrite if it is clear by now that the file cannot be written."""
        if not self._is_open:
            prepare(self.path, replace=self.replace)

    def write(self, lines: Iterable[bytes]) -> None:
        """Write all of it, or leave the file as it was; raises CannotWrite."""
        with failed_writes(self.path), self._opened() as file:
            file.writelines(lines)
            file.flush()

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        if self._is_standard:
            yield sys.stdout.buffer
        elif self._is_open:
            with self.path.open("wb") as file:
                yield file
        else:
            with private_file(behind_links(self.path), replace=self.replace) as file:
                yield file

    @property
    def _is_standard(self) -> bool:
        return str(self.path) == "-"

    @property
    def _is_open(self) -> bool:
        """Whether it only takes what is written, as a terminal, a pipe or /dev/null does."""
        return self._is_standard or _is_special(self.path)


def with_output(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --output and --replace; it gets them as `output`."""

    @click.option(
        "-o",
        "--output",
        "path",
        type=FILE,
        default="-",
        help="A file instead of standard output.",
    )
    @with_replace
    @wraps(command)
    def called(path: Path, replace: bool, **arguments: Any) -> None:
        command(**arguments, output=Output(path, replace))

    return called


def prepare(path: Path, *, replace: bool) -> None:
    """Remove what killed runs have left of a file, and say so.

    Raises CannotWrite if it is there and may not be replaced, or if it could not be made.
    """
    place = behind_links(path)
    if _is_special(place):
        raise CannotWrite(f"{_shown(path)} is no file")
    if place.exists() and not replace:
        raise _taken(path)
    if not place.parent.is_dir():
        raise CannotWrite(f"{_shown(path)} cannot be written: there is no such directory")

    remove_left(place)


def remove_left(path: Path) -> None:
    """Remove what killed runs have left of a file, or of others with its ending, and say so."""
    for draft in remove_drafts(path):
        click.echo(f"removed {_shown(draft)}, which a killed run had left", err=True)


@contextmanager
def failed_writes(path: Path) -> Iterator[None]:
    """End with one sentence if a file cannot be written."""
    try:
        yield
    except BrokenPipeError:  # whoever read it has gone: Click ends the command
        raise
    except FileExistsError:
        raise _taken(path) from None
    except OSError as error:
        raise CannotWrite(f"{_shown(path)} cannot be written: {error.strerror or error}") from None


def behind_links(path: Path) -> Path:
    """Return the file that a path leads to, so that a link to it stays one."""
    return Path(os.path.realpath(path))


def _taken(path: Path) -> CannotWrite:
    return CannotWrite(f"{_shown(path)} is there already; --replace replaces it")


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _shown(path: Path) -> str:
    return "standard output" if str(path) == "-" else printable(str(path))
