"""Errors become a message on standard error, and an exit code, instead of a traceback."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from service.base.errors import ServiceError
from service.base.release import with_extra
from service.ops.cli.output import printable
from service.record.commit import is_match_id
from service.record.verify.files import ProcessDied, Unreadable

CANNOT_READ = 2
_OWN_PACKAGES = ("domain", "service", "workers")


class CannotRead(click.ClickException):
    """The command cannot read its input."""

    exit_code = CANNOT_READ


@contextmanager
def failed_reads() -> Iterator[None]:
    """End with the reason of a failure.

    Exit code 1 for ServiceError, 2 for Unreadable and ProcessDied.
    """
    try:
        yield
    except (Unreadable, ProcessDied) as error:
        raise CannotRead(printable(str(error))) from None
    except ServiceError as error:
        raise click.ClickException(printable(str(error))) from None


@contextmanager
def importing_journal(match: str) -> Iterator[None]:
    """Guard the import of a module that reads a match of the journal.

    match: an argument that is no existing file. Raises Unreadable if it is not an ID, such as a
        misspelled name of a file.
    End with advice to install the extra `server` if one of its packages is missing.
    """
    if not is_match_id(match):
        raise Unreadable(f"there is no file {match}")
    try:
        yield
    except ModuleNotFoundError as error:
        raise click.ClickException(needs_server("a match of the journal", error)) from None


def needs_server(work: str, missing: ModuleNotFoundError) -> str:
    """Return the advice to install the extra `server` for some work.

    Raises `missing` again if the module is one of this project.
    """
    if missing.name is None or missing.name.partition(".")[0] in _OWN_PACKAGES:
        raise missing
    return f"{work} needs {missing.name}. Install the extra `server`: {with_extra('server')}"


def lines_in(file: Path) -> list[str]:
    """Return the lines of a file without empty lines and comment lines (#).

    End with the reason if the file cannot be read.
    """
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{file} cannot be read: {error}") from None
    return [line for line in lines if line and not line.startswith("#")]
